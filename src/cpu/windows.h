/* Window sums that slide down a strip of the map, and the scores made from them: for every kernel that brings the
 * products. */
#ifndef CM_CPU_WINDOWS_H
#define CM_CPU_WINDOWS_H

#include "cpu/direct.h"
#include "cpu/raw.h"

typedef struct cm_windows {
    const cm_isa_windows *isa;
    const cm_job *job;
    const cm_area *area; /* where scores or sums go */
    int narrow;
    int32_t x, width; /* the strip's map columns */
    int64_t room;     /* in column and raw */
    int64_t strip;    /* room in window */
    uint64_t *column; /* column sums: packed, or S and then Q */
    uint64_t *window; /* window sums likewise */
    void *raw[2];     /* image rows with their border */
} cm_windows;

/* Bytes that strips of up to `strip` columns (a multiple of 8) need. */
uint64_t cm_windows_bytes(const cm_problem *problem, int narrow, int32_t strip);

/* narrow: pixels are u8 and the template has at most CM_MOST_PRODUCTS_U8 of them, so S and Q are below 2^32. */
void cm_windows_begin(cm_windows *w, const cm_isa_windows *isa, const cm_job *job, int narrow, int32_t strip,
                      char *memory);
/* The strip's columns, and the rectangle that its results belong to. */
void cm_windows_place(cm_windows *w, const cm_area *area, int32_t x, int32_t width);

/* Scores map row y of the strip, or hands out its sums: rows come in order, fresh with the first one. Products are of I
 * and T - 128 (u8), or of I - 32768 and T - 32896 (u16): x32 when narrow, else gathered, which is used up. Both have
 * room for whole vectors. */
void cm_windows_score(cm_windows *w, int32_t y, int fresh, const int32_t *x32, int64_t *gathered);

/* The window sums of map row y of the strip alone, in S and Q apart: not when narrow. Rows come in order. */
cm_wide_row cm_windows_sums(cm_windows *w, int32_t y, int fresh);

#endif
