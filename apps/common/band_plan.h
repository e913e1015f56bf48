/* SPDX-License-Identifier: BSD-2-Clause */
/* How the rows of a page are divided into bands that overlap, so that each window is complete in
 * one of them. Pure arithmetic. */
#ifndef APP_BAND_PLAN_H
#define APP_BAND_PLAN_H

#include <stdint.h>

/* Rows are those of the page. A window belongs to the band that owns its top row. */
typedef struct app_band_need {
    int32_t first, end;  /* the rows that are searched */
    int32_t from, to;    /* the top rows to own; INT32_MIN and INT32_MAX: no limit */
    int32_t above;       /* a band begins so many rows above the first top row that it owns... */
    int32_t below;       /* ...and ends so many rows below the first one that it does not own */
    int32_t together;    /* rows that are decoded together, from row 0 of the page on */
    uint64_t fixed;      /* bytes, whatever the height of a band is */
    uint64_t per_row;    /* bytes per row of a band, for all its copies */
    uint64_t row_bytes;  /* bytes of the pixels of a row */
    uint64_t max_memory; /* bytes */
} app_band_need;

typedef struct app_band_plan {
    app_band_need need;
    int32_t start, end; /* the rows that are read */
    int32_t head;       /* where the rows that the first band reads beyond `step` end */
    int32_t step;       /* rows that each later band reads */
    int32_t most;       /* the most rows of a band */
    int32_t count;      /* of bands, at least 1 */
} app_band_plan;

/* One band. */
typedef struct app_band_rows {
    int32_t first, end; /* its rows */
    int32_t fresh;      /* the first of them that the band before does not have */
    int32_t from, to;   /* the top rows that it owns, as in app_band_need */
} app_band_rows;

/* Chooses bands that are as high as the memory allows, but not so high that reading and matching no
 * longer overlap. If the memory allows, they end where rows that are decoded together do. Returns 0
 * if there is not enough memory for the lowest bands. */
int app_band_plan_make(const app_band_need *need, app_band_plan *plan);

/* Bytes that the lowest bands take. */
uint64_t app_band_plan_least(const app_band_need *need);

/* Band i, from 0. */
app_band_rows app_band_plan_rows(const app_band_plan *plan, int32_t i);

#endif
