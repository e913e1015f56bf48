/* Window sums that slide down a strip of the map, and the scores made from them: for every kernel
 * that brings the products. */
#ifndef XNCC_CPU_KERNELS_WINDOWS_H
#define XNCC_CPU_KERNELS_WINDOWS_H

#include "cpu/kernels/direct.h"
#include "cpu/kernels/border_row.h"

typedef struct xncc_windows {
    const xncc_isa_windows *isa;
    const xncc_job *job;
    const xncc_area *area; /* where scores or sums go */
    int narrow;
    int32_t x, width; /* the strip's map columns */
    int64_t room;     /* in column and raw */
    int64_t strip;    /* room in window */
    uint64_t *column; /* column sums: packed, or S and then Q */
    uint64_t *window; /* window sums likewise */
    void *raw[2];     /* image rows with their border */
} xncc_windows;

/* Bytes that strips of up to `strip` columns (a multiple of 8) need. */
uint64_t xncc_windows_bytes(const xncc_problem *problem, int narrow, int32_t strip);

/* narrow: pixels are u8 and the template has at most XNCC_MOST_PRODUCTS_U8 of them, so S and Q are
 * below 2^32. */
void xncc_windows_begin(xncc_windows *w, const xncc_isa_windows *isa, const xncc_job *job,
                        int narrow, int32_t strip, char *memory);
/* The strip's columns, and the rectangle that its results belong to. */
void xncc_windows_place(xncc_windows *w, const xncc_area *area, int32_t x, int32_t width);

/* Scores map row y of the strip, or hands out its sums: rows come in order, fresh with the first
 * one. Products are of I and T - 128 (u8), or of I - 32768 and T - 32896 (u16): x32 when narrow,
 * else gathered, which is used up. Both have room for whole vectors. */
void xncc_windows_score(xncc_windows *w, int32_t y, int fresh, const int32_t *x32,
                        int64_t *gathered);

/* The window sums of map row y of the strip alone, in S and Q apart: not when narrow. Rows come in
 * order. */
xncc_wide_row xncc_windows_sums(xncc_windows *w, int32_t y, int fresh);

#endif
