/* SPDX-License-Identifier: BSD-2-Clause */
/* One template and one image area, ready to be matched. */
#ifndef APP_SEARCH_H
#define APP_SEARCH_H

#include "bands.h"
#include "kit.h"

typedef struct app_search {
    app_area area;        /* of the picture: all of it, or --roi */
    xncc_image scene;     /* the pixels of the area */
    xncc_template *templ; /* belongs to the kit */
    xncc_problem problem;
    xncc_extent map; /* x0 and y0 in coordinates of the picture */
} app_search;

/* Prepares the search for template i, from 0. */
xncc_status app_search_open(app_kit *kit, app_source *scene, int i, app_search *search,
                            app_error *error);

/* For a page that is read in bands: describes the search of the whole page, which has no pixels.
 * Whether the image is masked is not known yet. */
xncc_status app_search_measure(app_kit *kit, const app_source *scene, int i, app_search *search,
                               app_error *error);

/* The search of one band. whole: the area of the page that is searched. Area and map are in
 * coordinates of the page. */
xncc_status app_search_open_band(app_kit *kit, app_band *band, const app_area *whole, int i,
                                 app_search *search, app_error *error);

/* The plan for a search, which belongs to the kit and may be used until the next call. */
xncc_status app_search_plan(app_kit *kit, const app_search *search, const char *name,
                            xncc_plan **plan, app_error *error);

/* 1 if a map of this search can contain NaN. */
int app_search_has_nan(const app_search *search);

/* The map's place on the ground: each element stands for the pixel in the middle of its window,
 * (width / 2, height / 2) from the top-left one, as in mode same. */
app_place app_search_place(const app_search *search, const app_source *scene);

#endif
