/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of outputs that are made once per page of an image: a name with {name}, {page}, {template}
 * and {number} in it. */
#ifndef APP_OUT_NAME_H
#define APP_OUT_NAME_H

#include "named_files.h"

/* What an output belongs to. */
typedef struct app_out_of {
    const char *image; /* {name}: without its folder and the last extension */
    size_t number;     /* {number}: of the image in the command, from 1 */
    uint32_t page;     /* {page}: from 0 */
    const char *templ; /* {template}: as {name}, with the rectangle if there is one; NULL: none */
} app_out_of;

/* Whether an option's name can tell the outputs of a command apart: with several images it must
 * have {name} or {number}, with several pages {page}, and with several templates {template} if
 * there is an output per template. */
xncc_status app_out_name_check(const app_options *options, const app_named *inputs,
                               const char *option, const char *name, int per_template,
                               app_error *error);

/* Writes the name of one output. Fails if it has too many characters, or is that of an input. */
enum { APP_OUT_NAME_SIZE = 4096 };
xncc_status app_out_name(const char *option, const char *name, const app_out_of *of,
                         const app_named *inputs, char *text, app_error *error);

/* The names that were written, so that none is written twice. */
typedef struct app_written {
    char **name; /* in order */
    size_t count;
} app_written;

/* Fails if the name was given before. */
xncc_status app_written_add(app_written *written, const char *option, const char *path,
                            app_error *error);
void app_written_free(app_written *written);

#endif
