/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a template on the command line. */
#include "templ_name.h"

#include <string.h>
#include <sys/stat.h>

xncc_status app_templ_name_parse(const char *text, app_templ_name *name, app_error *error)
{
    struct stat info;
    const char *at = strrchr(text, '@');
    const size_t length = strlen(text);
    if (length >= sizeof name->file)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%.40s...: the name is too long; shorten it",
                        text);
    memcpy(name->file, text, length + 1);
    name->area = (app_area){ 0, 0, 0, 0 };
    if (!at || stat(text, &info) == 0)
        return XNCC_OK;
    name->file[at - text] = 0;
    if (stat(name->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        memcpy(name->file, text, length + 1); /* so the whole name is what cannot be opened */
        return XNCC_OK;
    }
    if (!app_parse_area(at + 1, &name->area))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: the part after the last @ must be X,Y,W,H: whole numbers, X and Y "
                        "from 0, W and H from 1",
                        text);
    return XNCC_OK;
}
