/* A context made from the options, with the name of its device and the texts of its errors. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "options.h"

typedef struct app_session {
    const app_options *options;
    xncc_context *context;
    char device[160]; /* "cuda:0 NAME", or "cpu" if the context has no CUDA device */
} app_session;

/* On failure there is nothing to close. */
xncc_status app_session_open(const app_options *options, app_session *session, app_error *error);
void app_session_close(app_session *session);

/* Writes "about: " and the context's last error into *error, and returns the status. about: the
 * file or value at fault. */
xncc_status app_session_fail(const app_session *session, xncc_status status, const char *about,
                             app_error *error);

/* The device that a kernel runs on, as reports name it. */
const char *app_session_device(const app_session *session, const char *kernel);

#endif
