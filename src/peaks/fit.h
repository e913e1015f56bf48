/* A quadratic surface through nine scores (the formulas stand in include/corrmatch/refine.h). */
#ifndef CM_PEAKS_FIT_H
#define CM_PEAKS_FIT_H

/* The scores around a position, s[1 + dy][1 + dx]; NaN where there is none. */
typedef struct cm_fit_scores {
    float s[3][3];
} cm_fit_scores;

typedef struct cm_fit {
    double dx, dy; /* of the peak from the middle */
    double score;  /* there; NaN when the middle has none */
} cm_fit;

cm_fit cm_fit_peak(const cm_fit_scores *scores, int smallest);

#endif
