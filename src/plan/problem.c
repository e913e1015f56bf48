/* Which problems are legal, the extents of their maps, and their routes. */
#include "plan/problem.h"

#include "image/image.h"
#include "image/samples.h"
#include "template/template.h"

#include <string.h>

xncc_status xncc_map_extent(xncc_mode mode, int32_t image_width, int32_t image_height,
                            int32_t template_width, int32_t template_height, int32_t *width,
                            int32_t *height, int32_t *x0, int32_t *y0)
{
    const int32_t sides[] = { image_width, image_height, template_width, template_height };
    for (int i = 0; i < 4; i++)
        if (sides[i] < 1 || sides[i] > XNCC_MAX_SIDE)
            return XNCC_ERROR_ARGUMENT;
    if (!width || !height || !x0 || !y0)
        return XNCC_ERROR_ARGUMENT;
    switch (mode) {
    case XNCC_VALID:
        if (template_width > image_width || template_height > image_height)
            return XNCC_ERROR_ARGUMENT;
        *width = image_width - template_width + 1;
        *height = image_height - template_height + 1;
        *x0 = *y0 = 0;
        return XNCC_OK;
    case XNCC_SAME:
        *width = image_width;
        *height = image_height;
        *x0 = -(template_width / 2);
        *y0 = -(template_height / 2);
        return XNCC_OK;
    case XNCC_FULL:
        /* at most 2^31 - 1 */
        *width = image_width - 1 + template_width;
        *height = image_height - 1 + template_height;
        *x0 = 1 - template_width;
        *y0 = 1 - template_height;
        return XNCC_OK;
    }
    return XNCC_ERROR_ARGUMENT;
}

static xncc_status check_sides(const char *what, int32_t width, int32_t height, int32_t most,
                               xncc_error *error)
{
    if (width < 1 || height < 1 || width > most || height > most)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: extents of %d x %d are not within 1 .. %d", what, width, height,
                         most);
    return XNCC_OK;
}

static xncc_status check_match(const xncc_problem *p, xncc_error *error)
{
    xncc_status status = check_sides("template", p->width, p->height, XNCC_MAX_SIDE, error);
    if (status)
        return status;
    if ((uint64_t)p->width * (uint64_t)p->height > XNCC_MAX_TEMPLATE_PIXELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template: %d x %d pixels are more than 2^31",
                         p->width, p->height);
    if (p->pixel == XNCC_U32 &&
        (uint64_t)p->width * (uint64_t)p->height > XNCC_MAX_TEMPLATE_PIXELS_U32)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "template: %d x %d pixels of u32 are more than 2^28", p->width, p->height);
    if (p->channels < 0 || p->channels > XNCC_MAX_CHANNELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d channels are not within 1 .. %d",
                         p->channels, XNCC_MAX_CHANNELS);
    if (!(p->min_valid >= 0.0 && p->min_valid <= 1.0))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the minimum fraction of valid pixels, %g, is not within 0 .. 1",
                         p->min_valid);
    if (strcmp(xncc_method_name(p->method), "?") == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a method", (int)p->method);
    if ((unsigned)p->mode > XNCC_FULL)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a mode", (int)p->mode);
    if (p->flat != XNCC_FLAT_ZERO && p->flat != XNCC_FLAT_NAN)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a choice for flat windows",
                         (int)p->flat);
    if (p->mode == XNCC_VALID && (p->width > p->image_width || p->height > p->image_height))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the template (%d x %d) is larger than the image (%d x %d); modes same "
                         "and full allow that",
                         p->width, p->height, p->image_width, p->image_height);
    return XNCC_OK;
}

static xncc_status check_convolve(const xncc_problem *p, xncc_error *error)
{
    if (p->border != XNCC_BORDER_CLAMP && p->border != XNCC_BORDER_ZERO)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "convolution supports only the borders clamp and zero");
    if (p->pixel != XNCC_U8 && p->pixel != XNCC_U16 && p->pixel != XNCC_F32)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "convolution supports the pixel types u8, u16 and f32, not %s; convert the image",
            xncc_pixel_name(p->pixel));
    if (xncc_problem_channels(p) > 1 || p->image_masked)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "convolution supports only images of one channel without mask and no-data value");
    return check_sides("filter", p->width, p->height, XNCC_MAX_FILTER, error);
}

xncc_status xncc_problem_check(const xncc_problem *problem, xncc_error *error)
{
    if (!problem)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "the problem is a null pointer");
    if (xncc_pixel_size(problem->pixel) == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a pixel type", (int)problem->pixel);
    xncc_status status = check_sides("image", problem->image_width, problem->image_height,
                                     XNCC_MAX_SIDE, error);
    if (status)
        return status;
    if ((unsigned)problem->border > XNCC_BORDER_OVERLAP)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a border", (int)problem->border);
    if (problem->task == XNCC_TASK_MATCH)
        return check_match(problem, error);
    if (problem->task == XNCC_TASK_CONVOLVE)
        return check_convolve(problem, error);
    return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a task", (int)problem->task);
}

xncc_extent xncc_problem_extent(const xncc_problem *problem)
{
    xncc_extent e = { problem->image_width, problem->image_height, 0, 0 };
    if (problem->task == XNCC_TASK_MATCH)
        (void)xncc_map_extent(problem->mode, problem->image_width, problem->image_height,
                              problem->width, problem->height, &e.width, &e.height, &e.x0, &e.y0);
    return e;
}

int32_t xncc_problem_channels(const xncc_problem *problem)
{
    return problem->channels ? problem->channels : 1;
}

int xncc_problem_image_varies(const xncc_problem *p)
{
    return p->image_masked || (p->border == XNCC_BORDER_OVERLAP && p->mode != XNCC_VALID);
}

int xncc_problem_counts_all(const xncc_problem *p)
{
    return !p->templ_masked && !xncc_problem_image_varies(p);
}

/* The centred methods do not change when a constant is added to every sample, and XNCC_SQDIFF does
 * not when it is added to image and template. So only these three depend on the bias of signed
 * samples. */
static int depends_on_offset(const xncc_problem *p)
{
    return xncc_pixel_bias(p->pixel) != 0 &&
           (p->method == XNCC_CCORR || p->method == XNCC_CCORR_NORMED ||
            p->method == XNCC_SQDIFF_NORMED);
}

xncc_route xncc_problem_route(const xncc_problem *p)
{
    if (p->task == XNCC_TASK_CONVOLVE)
        return XNCC_ROUTE_PLAIN;
    if (!xncc_problem_counts_all(p) || xncc_problem_channels(p) > 1 || p->pixel == XNCC_U32 ||
        p->pixel == XNCC_F64 || depends_on_offset(p) || p->method == XNCC_COVERAGE)
        return XNCC_ROUTE_GENERAL;
    int pads = p->mode != XNCC_VALID && p->border != XNCC_BORDER_CLAMP;
    return pads || xncc_pixel_bias(p->pixel) ? XNCC_ROUTE_PADDED : XNCC_ROUTE_PLAIN;
}

/* The side of the inner problem's image, saturated. */
static int32_t side(int32_t map, int32_t templ)
{
    int64_t all = (int64_t)map + templ - 1;
    return all > INT32_MAX ? INT32_MAX : (int32_t)all;
}

xncc_problem xncc_problem_inner(const xncc_problem *p)
{
    const xncc_extent map = xncc_problem_extent(p);
    xncc_problem inner = { .task = p->task,
                           .pixel = p->pixel,
                           .width = p->width,
                           .height = p->height,
                           .method = p->method,
                           .flat = p->flat };
    inner.image_width = side(map.width, p->width);
    inner.image_height = side(map.height, p->height);
    if (xncc_problem_route(p) == XNCC_ROUTE_GENERAL) {
        inner.pixel = XNCC_U8;
        inner.method = XNCC_CCORR;
    } else if (xncc_pixel_bias(p->pixel)) {
        inner.pixel = p->pixel == XNCC_S8 ? XNCC_U8 : XNCC_U16;
    }
    return inner;
}
