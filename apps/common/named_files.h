/* SPDX-License-Identifier: BSD-2-Clause */
/* The images and templates that a command reads, and whether an output would overwrite one. */
#ifndef APP_NAMED_FILES_H
#define APP_NAMED_FILES_H

#include "items.h"
#include "options.h"

typedef struct app_named {
    app_items images, templs;
    struct app_file_id *id; /* of the files of both, and of the masks, in order */
    size_t ids;
} app_named;

/* Collects the files that the command line names. templated: 1: with -t every file is an image;
 * without it there must be two files, the image and the template. 0: every file is an image. Call
 * app_named_close whatever is returned. */
xncc_status app_named_open(const app_options *options, int templated, app_named *inputs,
                           app_error *error);
void app_named_close(app_named *inputs);

/* Fails if the file that an option names cannot be written, or is one of the inputs. */
xncc_status app_check_output(const app_named *inputs, const char *option, const char *path,
                             app_error *error);

#endif
