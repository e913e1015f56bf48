/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a colour picture. */
#include "rgb_out.h"

#include "output.h"
#include "save.h"

xncc_status app_rgb_check(const char *path, app_error *error)
{
    app_form form;
    xncc_status status = app_output_check(path, error);
    return status ? status : app_save_form(path, &form, error);
}

xncc_status app_rgb_write(const char *path, const app_rgb *picture, app_error *error)
{
    const app_tiff_out out = { .pixels = picture->pixels,
                               .width = picture->width,
                               .height = picture->height,
                               .rgb = 1,
                               .place = picture->place };
    return app_save(path, &out, error);
}
