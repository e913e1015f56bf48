/* What a problem may be, and the extents of its map. */
#include "plan/decide.h"

#include "image/image.h"
#include "image/samples.h"
#include "model/template.h"

#include <string.h>

cm_status cm_map_extent(cm_mode mode, int32_t image_width, int32_t image_height, int32_t template_width,
                        int32_t template_height, int32_t *width, int32_t *height, int32_t *x0, int32_t *y0)
{
    const int32_t sides[] = { image_width, image_height, template_width, template_height };
    for (int i = 0; i < 4; i++)
        if (sides[i] < 1 || sides[i] > CM_MAX_SIDE)
            return CM_ERROR_ARGUMENT;
    if (!width || !height || !x0 || !y0)
        return CM_ERROR_ARGUMENT;
    switch (mode) {
    case CM_VALID:
        if (template_width > image_width || template_height > image_height)
            return CM_ERROR_ARGUMENT;
        *width = image_width - template_width + 1;
        *height = image_height - template_height + 1;
        *x0 = *y0 = 0;
        return CM_OK;
    case CM_SAME:
        *width = image_width;
        *height = image_height;
        *x0 = -(template_width / 2);
        *y0 = -(template_height / 2);
        return CM_OK;
    case CM_FULL:
        /* at most 2^31 - 1 */
        *width = image_width - 1 + template_width;
        *height = image_height - 1 + template_height;
        *x0 = 1 - template_width;
        *y0 = 1 - template_height;
        return CM_OK;
    }
    return CM_ERROR_ARGUMENT;
}

static cm_status check_sides(const char *what, int32_t width, int32_t height, int32_t most, cm_error *error)
{
    if (width < 1 || height < 1 || width > most || height > most)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%s: extents %d x %d are not within 1 .. %d", what, width, height,
                       most);
    return CM_OK;
}

static cm_status check_match(const cm_problem *p, cm_error *error)
{
    cm_status status = check_sides("template", p->width, p->height, CM_MAX_SIDE, error);
    if (status)
        return status;
    if ((uint64_t)p->width * (uint64_t)p->height > CM_MAX_TEMPLATE_PIXELS)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template: %d x %d pixels are more than 2^31", p->width, p->height);
    if (p->pixel == CM_U32 && (uint64_t)p->width * (uint64_t)p->height > CM_MAX_TEMPLATE_PIXELS_U32)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template: %d x %d pixels of u32 are more than 2^28", p->width, p->height);
    if (p->channels < 0 || p->channels > CM_MAX_CHANNELS)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d channels are not within 1 .. %d", p->channels, CM_MAX_CHANNELS);
    if (!(p->min_valid >= 0.0 && p->min_valid <= 1.0))
        return cm_fail(error, CM_ERROR_ARGUMENT, "a least fraction of %g of valid pixels is not within 0 .. 1", p->min_valid);
    if (strcmp(cm_method_name(p->method), "?") == 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no method", (int)p->method);
    if ((unsigned)p->mode > CM_FULL)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no mode", (int)p->mode);
    if (p->flat != CM_FLAT_ZERO && p->flat != CM_FLAT_NAN)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no choice for flat windows", (int)p->flat);
    if (p->mode == CM_VALID && (p->width > p->image_width || p->height > p->image_height))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "the template (%d x %d) is larger than the image (%d x %d); modes same and full allow that", p->width,
                       p->height, p->image_width, p->image_height);
    return CM_OK;
}

static cm_status check_convolve(const cm_problem *p, cm_error *error)
{
    if (p->border != CM_BORDER_CLAMP && p->border != CM_BORDER_ZERO)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "convolution offers the borders clamp and zero only");
    if (p->pixel != CM_U8 && p->pixel != CM_U16 && p->pixel != CM_F32)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "convolution takes pixels of u8, u16 and f32, not of %s; convert them",
                       cm_pixel_name(p->pixel));
    if (cm_problem_channels(p) > 1 || p->image_masked)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "convolution takes images of one channel without mask or no-data value");
    return check_sides("filter", p->width, p->height, CM_MAX_FILTER, error);
}

cm_status cm_problem_check(const cm_problem *problem, cm_error *error)
{
    if (!problem)
        return cm_fail(error, CM_ERROR_ARGUMENT, "the problem is a null pointer");
    if (cm_pixel_size(problem->pixel) == 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no pixel type", (int)problem->pixel);
    cm_status status = check_sides("image", problem->image_width, problem->image_height, CM_MAX_SIDE, error);
    if (status)
        return status;
    if ((unsigned)problem->border > CM_BORDER_OVERLAP)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no border", (int)problem->border);
    if (problem->task == CM_TASK_MATCH)
        return check_match(problem, error);
    if (problem->task == CM_TASK_CONVOLVE)
        return check_convolve(problem, error);
    return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no task", (int)problem->task);
}

cm_extent cm_problem_extent(const cm_problem *problem)
{
    cm_extent e = { problem->image_width, problem->image_height, 0, 0 };
    if (problem->task == CM_TASK_MATCH)
        (void)cm_map_extent(problem->mode, problem->image_width, problem->image_height, problem->width, problem->height,
                            &e.width, &e.height, &e.x0, &e.y0);
    return e;
}

int32_t cm_problem_channels(const cm_problem *problem)
{
    return problem->channels ? problem->channels : 1;
}

int cm_problem_counts_all(const cm_problem *p)
{
    return !p->image_masked && !p->part_masked && !(p->border == CM_BORDER_OVERLAP && p->mode != CM_VALID);
}

/* Differences do not feel what biases a signed sample. */
static int feels_bias(const cm_problem *p)
{
    return cm_pixel_bias(p->pixel) != 0 && (p->method == CM_CCORR || p->method == CM_CCORR_NORMED || p->method == CM_SQDIFF_NORMED);
}

cm_route cm_problem_route(const cm_problem *p)
{
    if (p->task == CM_TASK_CONVOLVE)
        return CM_ROUTE_PLAIN;
    if (!cm_problem_counts_all(p) || cm_problem_channels(p) > 1 || p->pixel == CM_U32 || p->pixel == CM_F64 || feels_bias(p) ||
        p->method == CM_COVERAGE)
        return CM_ROUTE_JOINT;
    int pads = p->mode != CM_VALID && p->border != CM_BORDER_CLAMP;
    return pads || cm_pixel_bias(p->pixel) ? CM_ROUTE_PADDED : CM_ROUTE_PLAIN;
}

static int32_t side(int32_t map, int32_t part)
{
    int64_t all = (int64_t)map + part - 1;
    return all > INT32_MAX ? INT32_MAX : (int32_t)all;
}

cm_problem cm_problem_inner(const cm_problem *p)
{
    const cm_extent map = cm_problem_extent(p);
    cm_problem inner = { .task = p->task, .pixel = p->pixel, .width = p->width, .height = p->height, .method = p->method, .flat = p->flat };
    inner.image_width = side(map.width, p->width);
    inner.image_height = side(map.height, p->height);
    if (cm_problem_route(p) == CM_ROUTE_JOINT) {
        inner.pixel = CM_U8;
        inner.method = CM_CCORR;
    } else if (cm_pixel_bias(p->pixel)) {
        inner.pixel = p->pixel == CM_S8 ? CM_U8 : CM_U16;
    }
    return inner;
}
