/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a template on the command line: FILE, or FILE@X,Y,W,H for a rectangle of it. */
#ifndef APP_TEMPL_NAME_H
#define APP_TEMPL_NAME_H

#include "options.h"

typedef struct app_templ_name {
    char file[4096];
    app_area area; /* width 0: the whole page */
} app_templ_name;

/* Splits a name. If there is a file with the whole name, or none with the name before the @, it is
 * not split. Fails if the part after the @ is not a rectangle, or if the name is too long. */
xncc_status app_templ_name_parse(const char *text, app_templ_name *name, app_error *error);

#endif
