/* What the sub-commands share: a context made from the options, and a search prepared for one scene and one template.
 */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "options.h"
#include "picture.h"

typedef struct app_session {
    const app_options *options;
    cm_context *context;
    char device[160]; /* "cuda:0 NAME", or "cpu" where the context has no CUDA device */
} app_session;

/* On failure there is nothing to close. */
cm_status app_session_open(const app_options *options, app_session *session, app_error *error);
void app_session_close(app_session *session);

/* Appends the context's error text to the names given (what the call was about) and returns the status. */
cm_status app_session_fail(const app_session *session, cm_status status, const char *about, app_error *error);

/* The device that a kernel runs on, as reports name it. */
const char *app_session_device(const app_session *session, const char *kernel);

/* A picture with the name of its file, and a copy in the last form that was asked for. */
typedef struct app_source {
    const char *path;
    uint32_t page;
    app_picture picture;
    app_pixel_form form;
    void *converted;
} app_source;

cm_status app_source_load(const char *path, uint32_t page, const app_limits *limits, app_source *source,
                          app_error *error);
/* Gives a source whose picture is still to be read the form in which it will be matched first. */
cm_status app_source_expect(app_source *source, app_pixel_form form, app_error *error);
void app_source_free(app_source *source);

/* A template laid over a scene: ready to be run. */
typedef struct app_search {
    app_area area;  /* of the picture: all, or --roi */
    cm_image scene; /* the pixels of the area */
    cm_template *part;
    cm_plan *plan;
} app_search;

/* *search is to be closed whatever is returned. */
cm_status app_search_open(const app_session *session, app_source *scene, app_source *part, app_search *search,
                          app_error *error);
void app_search_close(app_search *search);

/* Can the colour picture that an option names be written, and is it none of the inputs? */
cm_status app_check_picture(const app_options *options, const char *option, const char *path, app_error *error);

/* stdout is complete, or the text says that it could not be written. */
cm_status app_finish_stdout(app_error *error);

#endif
