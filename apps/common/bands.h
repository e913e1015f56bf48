/* SPDX-License-Identifier: BSD-2-Clause */
/* A page that is larger than memory, read in bands of rows. While one band is used, threads decode
 * the next. */
#ifndef APP_BANDS_H
#define APP_BANDS_H

#include "band_plan.h"
#include "source.h"

/* What to read. */
typedef struct app_bands_rule {
    const char *path; /* a regular file; standard input cannot be read in bands */
    uint32_t page;
    app_reading reading;
    const char *image_mask; /* NULL: none */
    int32_t threads;        /* that decode; 0: none, each band is decoded when it is asked for */
    int32_t first, rows;    /* the rows of the page to search */
    int32_t from, to;       /* the top rows to own, as in app_band_need */
    int32_t above, below;   /* as in app_band_need */
    uint64_t beside;        /* bytes per row that the caller takes beside pixels and mask */
} app_bands_rule;

/* A band. Its scene has the rows `rows.first` to `rows.end` of the page, without geo tags; its
 * memory belongs to the reader. */
typedef struct app_band {
    int32_t number; /* from 0 */
    app_band_rows rows;
    app_source scene;
} app_band;

typedef struct app_bands app_bands;

/* Opens the page. Call app_bands_close whatever is returned. The rule is copied; its names must
 * outlive the reader. */
xncc_status app_bands_open(const app_bands_rule *rule, app_bands **bands, app_error *error);

const app_band_plan *app_bands_plan(const app_bands *bands);

/* Waits for the next band, which may be used until the next call. After the last band *band is
 * NULL. What the caller stores in the scene (converted samples) is freed. */
xncc_status app_bands_next(app_bands *bands, app_band **band, app_error *error);

/* The number of strips and tiles that were decoded so far. */
uint64_t app_bands_decoded(const app_bands *bands);

/* NULL is allowed. */
void app_bands_close(app_bands *bands);

#endif
