/* A context made from the options, with the name of its device. */
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

/* The device of a plan, as reports name it. */
const char *app_session_engine(const app_session *session, const xncc_plan_info *info);

#endif
