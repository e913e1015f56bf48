/* Writing a colour picture. */
#include "rgb_out.h"

#include "output.h"
#include "tiff_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#ifdef APP_HAVE_PNG
#include <png.h>
#endif

static int is_png(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".png") == 0;
}

#ifdef APP_HAVE_PNG
int app_rgb_has_png(void)
{
    return 1;
}

static xncc_status write_png(const char *path, const app_rgb *picture, app_error *error)
{
    app_output output;
    xncc_status status = app_output_open(path, &output, error);
    if (status)
        return status;
    FILE *file = fdopen(output.fd, "wb");
    png_image image = { .version = PNG_IMAGE_VERSION,
                        .width = (png_uint_32)picture->width,
                        .height = (png_uint_32)picture->height,
                        .format = PNG_FORMAT_RGB };
    errno = 0;
    int done = file && png_image_write_to_stdio(&image, file, 0, picture->pixels, 0, NULL);
    int reason = errno;
    if (file) {
        output.fd = -1;
        if (fclose(file) != 0 && done) {
            done = 0;
            reason = errno;
        }
    }
    if (!done && reason)
        status = app_fail_errno(error, path, "cannot write", reason);
    else if (!done)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: cannot write PNG: %s; give a name that ends in .tif", path,
                          image.message[0] ? image.message : "write error");
    return app_output_close(&output, status, error);
}
#else
int app_rgb_has_png(void)
{
    return 0;
}

static xncc_status write_png(const char *path, const app_rgb *picture, app_error *error)
{
    (void)picture;
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "%s: this exactncc was built without libpng; give a name that ends in .tif",
                    path);
}
#endif

xncc_status app_rgb_check(const char *path, app_error *error)
{
    if (is_png(path) && !app_rgb_has_png())
        return write_png(path, NULL, error);
    return app_output_check(path, error);
}

xncc_status app_rgb_write(const char *path, const app_rgb *picture, app_error *error)
{
    if (is_png(path))
        return write_png(path, picture, error);
    const app_tiff_out out = { .pixels = picture->pixels,
                               .width = picture->width,
                               .height = picture->height,
                               .rgb = 1,
                               .place = picture->place };
    return app_tiff_write(path, &out, error);
}
