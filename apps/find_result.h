/* SPDX-License-Identifier: BSD-2-Clause */
/* What exactncc find knows of one page when it has been searched. Whatever shows matches (tables,
 * overlays, reports) gets this and nothing else. */
#ifndef FIND_RESULT_H
#define FIND_RESULT_H

#include "common/feed.h"
#include "common/search.h"
#include "exactncc/pose.h"
#include "exactncc/refine.h"

/* A match. In the order of the templates and, for each of them, best first; with --merge best
 * first. */
typedef struct find_hit {
    int templ;                                     /* from 0 */
    int32_t x, y, width, height;                   /* of the window, in pixels of the image */
    double center_x, center_y;                     /* of the window; of a pose: refined */
    double angle, scale;                           /* of a pose; otherwise NaN */
    double frame_width, frame_height;              /* of a pose: the sides of its turned frame */
    double score;                                  /* a float */
    double subpixel_x, subpixel_y, subpixel_score; /* --subpixel; otherwise NaN */
    double map_x, map_y; /* the centre (with --subpixel: the refined one) on the ground; NaN: the
                            image has no geo tags */
} find_hit;

/* The search for one template. */
typedef struct find_search {
    app_area area; /* of the image that was searched */
    xncc_pixel pixel;
    int32_t channels;
    xncc_plan_info plan; /* what searched */
    const char *device;  /* "cpu", or "cuda:0 NAME" */
    size_t found;        /* matches; after --merge those that were kept */
} find_search;

typedef struct find_result {
    size_t item;       /* the image's number, from 0 */
    const char *image; /* its name */
    uint32_t page;
    xncc_status status; /* a failure: the error says why there is nothing else here */
    app_error error;
    const app_source *scene; /* the picture, with its geo tags */
    find_search *search;     /* one per template */
    int templs;
    find_hit *hit;
    size_t hits;
    struct app_feed_page *from; /* whose picture the scene is */
    struct find_result *next;
} find_result;

/* Creates the result of a page without matches. NULL: no memory. */
find_result *find_result_new(app_feed_page *page, int templs);

/* Frees it, but not the page. NULL is allowed. */
void find_result_free(find_result *result);

/* Matches of one template, in coordinates of the searched area. */
typedef struct find_found {
    const xncc_match *match;
    const xncc_refined *refined; /* what --subpixel found; NULL: nothing */
    size_t count;
    int32_t width, height; /* of the template */
} find_found;

/* Adds them, with their places on the ground. The search of the template must be described. */
xncc_status find_result_add(find_result *result, int templ, const find_found *found,
                            app_error *error);

/* Adds matches at poses, as many as the description of the search says. width, height: of the
 * template. */
xncc_status find_result_add_poses(find_result *result, int templ, const xncc_pose_match *match,
                                  int32_t width, int32_t height, app_error *error);

/* The corner number 0 .. 3 of a pose's frame, around it; (x, y) of a pixel is its middle. */
void find_hit_corner(const find_hit *hit, int corner, double *x, double *y);

/* --merge: keeps the matches that the rule keeps, best first. */
xncc_status find_result_merge(find_result *result, xncc_method method,
                              const xncc_suppress_rule *rule, app_error *error);

#endif
