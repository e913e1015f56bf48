/* What the sub-commands share: a context made from the options, and a search prepared for one scene
 * and one template.
 */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "options.h"
#include "source.h"

typedef struct app_session {
    const app_options *options;
    xncc_context *context;
    char device[160]; /* "cuda:0 NAME", or "cpu" where the context has no CUDA device */
} app_session;

/* On failure there is nothing to close. */
xncc_status app_session_open(const app_options *options, app_session *session, app_error *error);
void app_session_close(app_session *session);

/* Appends the context's error text to the names given (what the call was about) and returns the
 * status. */
xncc_status app_session_fail(const app_session *session, xncc_status status, const char *about,
                             app_error *error);

/* The device that a kernel runs on, as reports name it. */
const char *app_session_device(const app_session *session, const char *kernel);

/* A template laid over a scene: ready to be run. */
typedef struct app_search {
    app_area area;    /* of the picture: all, or --roi */
    xncc_image scene; /* the pixels of the area */
    xncc_template *templ;
    xncc_problem problem;
    xncc_plan *plan;
    int32_t width, height; /* of the map */
    int32_t x0, y0;        /* top-left pixel of the window of its element (0, 0), in the picture */
} app_search;

/* *search is to be closed whatever is returned. */
xncc_status app_search_open(const app_session *session, app_source *scene, app_source *templ,
                            app_search *search, app_error *error);
void app_search_close(app_search *search);

/* Whether a map of it may hold NaN. */
int app_search_has_nan(const app_search *search);

/* Where the map lies: its elements stand for the pixels under the windows' middles, (width / 2,
 * height / 2) from the top-left one, as in mode same. */
app_place app_search_place(const app_search *search, const app_source *scene);

/* 1 when the name leads to an image, a template or a mask. */
int app_is_input(const app_options *options, const char *path);

/* Is there no --mask, or one for each template? */
xncc_status app_check_masks(const app_options *options, app_error *error);

/* Reads the i-th template with its mask. */
xncc_status app_load_template(const app_options *options, int i, app_source *templ,
                              app_error *error);

/* Can the file that an option names be written, and is it none of the inputs? */
xncc_status app_check_output(const app_options *options, const char *option, const char *path,
                             app_error *error);

/* The same for a colour picture. */
xncc_status app_check_picture(const app_options *options, const char *option, const char *path,
                              app_error *error);

/* stdout is complete, or the text says that it could not be written. */
xncc_status app_finish_stdout(app_error *error);

#endif
