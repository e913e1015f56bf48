/* SPDX-License-Identifier: BSD-2-Clause */
/* Which problems are legal, the extents of their maps, and their routes. */
#include "plan/problem.h"

#include "base/float_env.h"
#include "image/image.h"
#include "image/samples.h"
#include "math/method.h"
#include "template/template.h"

#include <string.h>

static xncc_status check_sides(const char *what, int32_t width, int32_t height, int32_t most,
                               xncc_error *error)
{
    if (width < 1 || height < 1 || width > most || height > most)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "%s: extents of %d x %d are not within 1 .. %d", what, width, height,
                         most);
    return XNCC_OK;
}

xncc_status xncc_map_measure(xncc_mode mode, int32_t image_width, int32_t image_height,
                             int32_t templ_width, int32_t templ_height, xncc_extent *extent,
                             xncc_error *error)
{
    XNCC_ENTER;
    xncc_status status = check_sides("image", image_width, image_height, XNCC_MAX_SIDE, error);
    if (!status)
        status = check_sides("template", templ_width, templ_height, XNCC_MAX_SIDE, error);
    if (status)
        return status;
    if (!extent)
        return xncc_fail_null(error, "extent");
    switch (mode) {
    case XNCC_VALID:
        if (templ_width > image_width || templ_height > image_height)
            return xncc_fail(
                error, XNCC_ERROR_ARGUMENT,
                "the template (%d x %d) is larger than the image (%d x %d); modes same "
                "and full allow that",
                templ_width, templ_height, image_width, image_height);
        *extent = (xncc_extent){ image_width - templ_width + 1, image_height - templ_height + 1, 0,
                                 0 };
        return xncc_done(XNCC_OK, error);
    case XNCC_SAME:
        *extent = (xncc_extent){ image_width, image_height, -(templ_width / 2),
                                 -(templ_height / 2) };
        return xncc_done(XNCC_OK, error);
    case XNCC_FULL: /* at most 2^31 - 1 */
        *extent = (xncc_extent){ image_width - 1 + templ_width, image_height - 1 + templ_height,
                                 1 - templ_width, 1 - templ_height };
        return xncc_done(XNCC_OK, error);
    }
    return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a mode", (int)mode);
}

/* Checks what every rule must hold. */
static xncc_status check_rule(const xncc_match_rule *rule, xncc_error *error)
{
    if (rule->size != sizeof *rule || rule->reserved != 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "xncc_match_rule: its size is %u instead of %zu, or reserved is not 0; "
                         "initialize it with XNCC_MATCH_RULE_INIT",
                         (unsigned)rule->size, sizeof *rule);
    if (!(rule->min_valid >= 0.0 && rule->min_valid <= 1.0))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "min_valid, the least fraction of pixels that count, is %g and not within "
                         "0 .. 1",
                         rule->min_valid);
    if (strcmp(xncc_method_name(rule->method), "?") == 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a method", (int)rule->method);
    if ((unsigned)rule->mode > XNCC_FULL)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a mode", (int)rule->mode);
    if ((unsigned)rule->border > XNCC_BORDER_OVERLAP)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a border", (int)rule->border);
    if (rule->flat != XNCC_FLAT_ZERO && rule->flat != XNCC_FLAT_NAN)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "%d is not a choice for flat windows",
                         (int)rule->flat);
    return XNCC_OK;
}

static xncc_status check_match(const xncc_problem *p, xncc_error *error)
{
    xncc_status status = check_sides("template", p->templ_width, p->templ_height, XNCC_MAX_SIDE,
                                     error);
    if (status)
        return status;
    if ((uint64_t)p->templ_width * (uint64_t)p->templ_height > XNCC_MAX_TEMPLATE_PIXELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template: %d x %d pixels are more than 2^31",
                         p->templ_width, p->templ_height);
    if (xncc_pixel_is_wide(p->pixel) &&
        (uint64_t)p->templ_width * (uint64_t)p->templ_height > XNCC_MAX_TEMPLATE_PIXELS_U32)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "template: %d x %d pixels of %s are more than 2^28", p->templ_width,
                         p->templ_height, xncc_pixel_name(p->pixel));
    if (p->channels < 1 || p->channels > XNCC_MAX_CHANNELS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "a number of channels of %d is not within 1 .. %d", p->channels,
                         XNCC_MAX_CHANNELS);
    xncc_extent map;
    return xncc_map_measure(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                            p->templ_height, &map, error);
}

static xncc_status check_convolve(const xncc_problem *p, xncc_error *error)
{
    if (p->rule.border != XNCC_BORDER_CLAMP && p->rule.border != XNCC_BORDER_ZERO)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "convolution supports only the borders clamp and zero");
    if (p->pixel != XNCC_U8 && p->pixel != XNCC_U16 && p->pixel != XNCC_F32)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "convolution supports the pixel types u8, u16 and f32, not %s; convert the image",
            xncc_pixel_name(p->pixel));
    if (p->channels != 1 || p->image_masked)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "convolution supports only images of one channel without mask and no-data value");
    if (p->rule.method != XNCC_CCOEFF_NORMED || p->rule.mode != XNCC_VALID ||
        p->rule.flat != XNCC_FLAT_ZERO || p->rule.min_valid != 0.5 || p->templ_masked)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "a convolution has no method, mode, flat, min_valid and template mask; "
                         "leave them as XNCC_PROBLEM_INIT sets them");
    return check_sides("filter", p->templ_width, p->templ_height, XNCC_MAX_FILTER, error);
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
    status = check_rule(&problem->rule, error);
    if (status)
        return status;
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
        (void)xncc_map_measure(problem->rule.mode, problem->image_width, problem->image_height,
                               problem->templ_width, problem->templ_height, &e, NULL);
    return e;
}

int xncc_problem_image_clips(const xncc_problem *p)
{
    return !p->image_masked && p->rule.border == XNCC_BORDER_OVERLAP && p->rule.mode != XNCC_VALID;
}

int xncc_problem_image_varies(const xncc_problem *p)
{
    return p->image_masked || xncc_problem_image_clips(p);
}

int xncc_problem_counts_all(const xncc_problem *p)
{
    return !p->templ_masked && !xncc_problem_image_varies(p);
}

/* 1 if the score depends on the bias of signed samples. */
static int depends_on_offset(const xncc_problem *p)
{
    return xncc_pixel_bias(p->pixel) != 0 && p->rule.method != XNCC_COVERAGE &&
           !xncc_method_ignores_offset(p->rule.method);
}

xncc_route xncc_problem_route(const xncc_problem *p)
{
    if (p->task == XNCC_TASK_CONVOLVE)
        return XNCC_ROUTE_PLAIN;
    if (!xncc_problem_counts_all(p) || p->channels > 1 || xncc_pixel_is_wide(p->pixel) ||
        p->pixel == XNCC_F64 || depends_on_offset(p) || p->rule.method == XNCC_COVERAGE)
        return XNCC_ROUTE_GENERAL;
    int pads = p->rule.mode != XNCC_VALID && p->rule.border != XNCC_BORDER_CLAMP;
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
    xncc_problem inner = XNCC_PROBLEM_INIT;
    inner.task = p->task;
    inner.pixel = p->pixel;
    inner.templ_width = p->templ_width;
    inner.templ_height = p->templ_height;
    inner.rule.method = p->rule.method;
    inner.rule.flat = p->rule.flat;
    inner.image_width = side(map.width, p->templ_width);
    inner.image_height = side(map.height, p->templ_height);
    if (xncc_problem_route(p) == XNCC_ROUTE_GENERAL) {
        inner.pixel = XNCC_U8;
        inner.rule.method = XNCC_CCORR;
    } else if (xncc_pixel_bias(p->pixel)) {
        inner.pixel = xncc_pixel_stored(p->pixel);
    }
    return inner;
}

xncc_problem xncc_problem_read(const xncc_problem *p)
{
    return xncc_problem_route(p) == XNCC_ROUTE_PLAIN ? *p : xncc_problem_inner(p);
}
