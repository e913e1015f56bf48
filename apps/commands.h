/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of the tool. Each takes parsed options and returns a status; after a failure the
 * error text says what failed, with which file or value, and what to do. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "common/options.h"

xncc_status app_find(const app_options *options, app_error *error);
xncc_status app_find_or_manifest(const app_options *options, app_error *error);
xncc_status app_join(const app_options *options, app_error *error);
xncc_status app_correlate(const app_options *options, app_error *error);
xncc_status app_convolve(const app_options *options, app_error *error);
xncc_status app_track(const app_options *options, app_error *error);
xncc_status app_info(const app_options *options, app_error *error);

#endif
