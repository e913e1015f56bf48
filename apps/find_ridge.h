/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches on a ridge of the scores, whose position along the ridge no fit can find. */
#ifndef FIND_RIDGE_H
#define FIND_RIDGE_H

#include "find_result.h"

typedef struct find_ridge_ask {
    const xncc_match *match; /* in coordinates of the searched area */
    size_t count;
    const find_result *result; /* the page, for the text */
    const char *templ;         /* name of the template */
} find_ridge_ask;

/* Prints a warning to stderr if matches lie on a ridge: if the scores at a match and its eight
 * neighbours curve downwards at least twenty times as much across some direction as along it (the
 * eigenvalues of the matrix H of exactncc/refine.h). A match is not judged if its neighbours'
 * windows are not all inside the searched area, or one of them has no score. */
xncc_status find_warn_ridges(app_kit *kit, const app_search *search, const find_ridge_ask *ask,
                             app_error *error);

/* 1 if nine scores, row by row, have a ridge at their centre. small_is_good: as
 * xncc_method_is_distance. */
int find_is_ridge(const float score[9], int small_is_good);

#endif
