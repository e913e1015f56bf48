/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG output in a build without libpng. */
#include "png_write.h"

xncc_status app_png_write(const char *path, const app_tiff_out *picture, app_error *error)
{
    (void)picture;
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "%s: this exactncc was built without libpng; give a name that ends in .tif",
                    path);
}
