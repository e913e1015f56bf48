/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a picture in the format of its name. */
#include "save.h"

#include "npy_write.h"
#include "output.h"
#include "png_write.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

int app_save_has_png(void)
{
#ifdef APP_HAVE_PNG
    return 1;
#else
    return 0;
#endif
}

xncc_status app_save_form(const char *path, app_form *form, app_error *error)
{
    static const char *const extensions[] = { ".tif", ".tiff", ".png", ".npy" };
    static const app_form forms[] = { APP_FORM_TIFF, APP_FORM_TIFF, APP_FORM_PNG, APP_FORM_NPY };
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int i = strcmp(path, "-") == 0 ? 0 : 4;
    for (int k = 0; k < 4 && dot; k++)
        if (strcasecmp(dot, extensions[k]) == 0)
            i = k;
    if (i == 4)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: the extension of an output decides its format; end the name in .tif, "
                        ".png or .npy",
                        path);
    *form = forms[i];
    if (*form == APP_FORM_PNG && !app_save_has_png())
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%s: this exactncc was built without libpng; give a name that ends in .tif",
                        path);
    if (app_output_is_standard(path) && isatty(STDOUT_FILENO))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s: standard output is a terminal; send it through a pipe or into a file",
                        path);
    return XNCC_OK;
}

xncc_status app_save(const char *path, const app_tiff_out *p, app_error *error)
{
    app_form form;
    xncc_status status = app_save_form(path, &form, error);
    if (status)
        return status;
    const xncc_image view = { .data = p->pixels,
                              .width = p->width,
                              .height = p->height,
                              .pixel = p->rgb ? XNCC_U8 : XNCC_F32,
                              .channels = p->rgb ? 3 : 1 };
    switch (form) {
    case APP_FORM_PNG: return app_png_write(path, p, error);
    case APP_FORM_NPY: return app_npy_write(path, &view, error);
    case APP_FORM_TIFF: break;
    }
    return app_tiff_write(path, p, error);
}
