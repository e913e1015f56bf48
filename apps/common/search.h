/* A search prepared for one image and one template, and checks that several commands share. */
#ifndef APP_SEARCH_H
#define APP_SEARCH_H

#include "session.h"
#include "source.h"

/* A template and the image area to be searched, ready to run. */
typedef struct app_search {
    app_area area;    /* of the picture: all of it, or --roi */
    xncc_image scene; /* the pixels of the area */
    xncc_template *templ;
    xncc_problem problem;
    xncc_plan *plan;
    xncc_extent map; /* x0 and y0 in coordinates of the picture */
} app_search;

/* planned: 0 leaves the plan out, for a search that is part of a batch. Call app_search_close
 * whatever is returned. */
xncc_status app_search_open(const app_session *session, app_source *scene, app_source *templ,
                            int planned, app_search *search, app_error *error);
void app_search_close(app_search *search);

/* 1 if a map of this search can contain NaN. */
int app_search_has_nan(const app_search *search);

/* The map's place on the ground: each element stands for the pixel in the middle of its window,
 * (width / 2, height / 2) from the top-left one, as in mode same. */
app_place app_search_place(const app_search *search, const app_source *scene);

/* 1 if the name is that of an image, a template or a mask that the command reads. */
int app_is_input(const app_options *options, const char *path);

/* Fails unless there is no --mask, or one per template. */
xncc_status app_check_masks(const app_options *options, app_error *error);

/* Reads template i (from 0) with its mask. */
xncc_status app_load_template(const app_options *options, int i, app_source *templ,
                              app_error *error);

/* Fails if the file that an option names cannot be written, or is one of the inputs. */
xncc_status app_check_output(const app_options *options, const char *option, const char *path,
                             app_error *error);

/* The same for a colour picture, TIFF or PNG. */
xncc_status app_check_picture(const app_options *options, const char *option, const char *path,
                              app_error *error);

#endif
