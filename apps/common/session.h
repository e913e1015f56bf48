/* SPDX-License-Identifier: BSD-2-Clause */
/* A context made from the options, with the name of its device. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "auto_device.h"
#include "options.h"

typedef struct app_session {
    const app_options *options;
    xncc_context *context;
    char device[160]; /* "cuda:0 NAME", or "cpu" if the context has no CUDA device */
    char why[400];    /* why this device, as a clause; "" for the CPU of --device auto until
                         app_session_decide */
    int waiting;      /* 1: --device auto has not started CUDA */
} app_session;

/* On failure there is nothing to close. */
xncc_status app_session_open(const app_options *options, app_session *session, app_error *error);
void app_session_close(app_session *session);

/* The same, but with --device auto the context has no CUDA device until app_session_decide finds
 * that the job is worth its start. */
xncc_status app_session_begin(const app_options *options, app_session *session, app_error *error);

/* With --device auto: starts CUDA if the job is worth it. Before, `release` is called with data to
 * destroy everything that was made with the context, which is replaced. */
xncc_status app_session_decide(app_session *session, const app_auto_job *job,
                               void (*release)(void *data), void *data, app_error *error);

/* The constant that is equal to the name of a kernel; "" if there is none. */
const char *app_kernel_name(const char *name);

/* The device of a plan, as reports name it. */
const char *app_session_engine(const app_session *session, const xncc_plan_info *info);

#endif
