/* What a problem may be, and the extents of its map. */
#include "plan/decide.h"

#include "image/image.h"
#include "model/template.h"

#include <string.h>

cm_status cm_map_extent(cm_mode mode, int32_t image_width, int32_t image_height, int32_t template_width,
                        int32_t template_height, int32_t *width, int32_t *height, int32_t *x0, int32_t *y0)
{
    const int32_t sides[] = { image_width, image_height, template_width, template_height };
    for (int i = 0; i < 4; i++)
        if (sides[i] < 1 || sides[i] > CM_MAX_SIDE)
            return CM_ERROR_ARGUMENT;
    if (!width || !height || !x0 || !y0 || (mode != CM_VALID && mode != CM_SAME))
        return CM_ERROR_ARGUMENT;
    if (mode == CM_VALID && (template_width > image_width || template_height > image_height))
        return CM_ERROR_ARGUMENT;
    int same = mode == CM_SAME;
    *width = same ? image_width : image_width - template_width + 1;
    *height = same ? image_height : image_height - template_height + 1;
    *x0 = same ? -(template_width / 2) : 0;
    *y0 = same ? -(template_height / 2) : 0;
    return CM_OK;
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
    if (strcmp(cm_method_name(p->method), "?") == 0)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no method", (int)p->method);
    if (p->mode != CM_VALID && p->mode != CM_SAME)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no mode", (int)p->mode);
    if (p->flat != CM_FLAT_ZERO && p->flat != CM_FLAT_NAN)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no choice for flat windows", (int)p->flat);
    if (p->border != CM_BORDER_CLAMP)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "matching offers the clamp border only");
    if (p->mode == CM_VALID && (p->width > p->image_width || p->height > p->image_height))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "the template (%d x %d) is larger than the image (%d x %d); mode same allows that", p->width,
                       p->height, p->image_width, p->image_height);
    return CM_OK;
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
    if (problem->border != CM_BORDER_CLAMP && problem->border != CM_BORDER_ZERO)
        return cm_fail(error, CM_ERROR_ARGUMENT, "%d is no border", (int)problem->border);
    if (problem->task == CM_TASK_MATCH)
        return check_match(problem, error);
    if (problem->task == CM_TASK_CONVOLVE)
        return check_sides("filter", problem->width, problem->height, CM_MAX_FILTER, error);
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
