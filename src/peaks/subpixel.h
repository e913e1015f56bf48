/* A quadratic surface through nine scores (the formulas stand in include/exactncc/refine.h). */
#ifndef XNCC_PEAKS_SUBPIXEL_H
#define XNCC_PEAKS_SUBPIXEL_H

/* The scores around a position, s[1 + dy][1 + dx]; NaN where there is none. */
typedef struct xncc_fit_scores {
    float s[3][3];
} xncc_fit_scores;

typedef struct xncc_fit {
    double dx, dy; /* of the peak from the middle */
    double score;  /* there; NaN when the middle has none */
} xncc_fit;

xncc_fit xncc_fit_peak(const xncc_fit_scores *scores, int smallest);

#endif
