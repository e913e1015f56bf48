/* Window sums that slide down a strip of the map, and the scores computed from them. Used by every
 * kernel that computes products. */
#ifndef XNCC_CPU_KERNELS_WINDOWS_H
#define XNCC_CPU_KERNELS_WINDOWS_H

#include "cpu/kernels/direct.h"
#include "cpu/kernels/border_row.h"

typedef struct xncc_windows {
    const xncc_isa_windows *isa;
    const xncc_job *job;
    const xncc_area *area; /* where scores or sums are written */
    int narrow;
    int32_t x, width; /* the strip's first map column and number of columns */
    int64_t room;     /* elements of column and raw */
    int64_t strip;    /* elements of window */
    uint64_t *column; /* column sums: packed if narrow, else S and then Q */
    uint64_t *window; /* window sums in the same layout */
    void *raw[2];     /* memory for two image rows with their border */
} xncc_windows;

/* Returns the bytes of memory that strips of up to `strip` columns need. strip must be a multiple
 * of 8. */
uint64_t xncc_windows_bytes(const xncc_problem *problem, int narrow, int32_t strip);

/* Begins a job. narrow: pixels are u8 and the template has at most XNCC_MOST_PRODUCTS_U8 of them,
 * so S and Q are below 2^32. memory: xncc_windows_bytes bytes. */
void xncc_windows_begin(xncc_windows *w, const xncc_isa_windows *isa, const xncc_job *job,
                        int narrow, int32_t strip, char *memory);
/* Selects the columns of a strip, and the rectangle that its results belong to. */
void xncc_windows_place(xncc_windows *w, const xncc_area *area, int32_t x, int32_t width);

/* Scores map row y of the strip, or writes out its sums if the area asks for them. Rows are
 * processed in order; `fresh` is 1 for the first one. The products are those of I and T - 128 (u8),
 * or of I - 32768 and T - 32896 (u16). They are in x32 if narrow, else in `gathered`, which is
 * overwritten. Both have room for whole vectors. */
void xncc_windows_score(xncc_windows *w, int32_t y, int fresh, const int32_t *x32,
                        int64_t *gathered);

/* Computes only the window sums of map row y of the strip, S and Q apart. Not for narrow strips.
 * Rows are processed in order. */
xncc_wide_row xncc_windows_sums(xncc_windows *w, int32_t y, int fresh);

#endif
