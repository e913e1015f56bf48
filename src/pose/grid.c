/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges, and the steps that the library chooses. */
#include "pose/grid.h"

#include <math.h>

static xncc_status check_range(const char *what, const xncc_pose_range *r, xncc_error *error)
{
    if (!isfinite(r->first) || !isfinite(r->last) || r->last < r->first)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: the %s %g .. %g are no range; give finite numbers, the smaller "
                         "one first",
                         what, r->first, r->last);
    if (r->step != XNCC_AUTO && !(r->step > 0.0 && isfinite(r->step)))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: a step of %g for the %s; it must be above 0, or XNCC_AUTO",
                         r->step, what);
    return XNCC_OK;
}

xncc_status xncc_pose_ranges_check(const xncc_pose_options *o, xncc_error *error)
{
    xncc_status status = check_range("angles", &o->angles, error);
    if (!status)
        status = check_range("scales", &o->scales, error);
    if (status)
        return status;
    if (o->angles.last - o->angles.first > 360.0 || fabs(o->angles.first) > 1e6)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: the angles %g .. %g are more than a circle, or begin beyond a "
                         "million degrees",
                         o->angles.first, o->angles.last);
    if (o->scales.first < XNCC_MIN_SCALE || o->scales.last > XNCC_MAX_SCALE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: the scales %g .. %g are not within %g .. %g", o->scales.first,
                         o->scales.last, XNCC_MIN_SCALE, XNCC_MAX_SCALE);
    return XNCC_OK;
}

/* The largest distance of a point of the template from its centre. */
static double radius(const xncc_pose_source *s)
{
    const double w = s->width, h = s->height;
    return s->support == XNCC_SUPPORT_DISC ? 0.5 * (w < h ? w : h) : 0.5 * sqrt(w * w + h * h);
}

double xncc_pose_angle_step(const xncc_pose_source *source, double scale)
{
    return 57.295779513082323 / (radius(source) * scale);
}

double xncc_pose_scale_step(const xncc_pose_source *source)
{
    return 1.0 / radius(source);
}

/* The values of a range. widest: the step for XNCC_AUTO. The circle gets a multiple of four of
 * them, so that poses a right angle apart share their masks. */
static int make_axis(const xncc_pose_range *r, double widest, int circle, xncc_pose_axis *axis)
{
    const double length = r->last - r->first;
    const int whole = circle && length == 360.0;
    const double step = r->step == XNCC_AUTO ? widest : r->step;
    double parts = r->step == XNCC_AUTO ? ceil(length / step) : floor(length / step + 1e-9);
    if (whole && r->step == XNCC_AUTO)
        parts = 4.0 * ceil(parts / 4.0);
    if (parts >= XNCC_MOST_POSES)
        return 0;
    /* A full circle that a given step does not divide has a shorter step at its end. */
    const int open = whole && parts * step < 360.0 - 1e-9 && r->step != XNCC_AUTO;
    axis->first = r->first;
    axis->step = r->step == XNCC_AUTO && parts > 0.0 ? length / parts : step;
    axis->count = (int32_t)parts + !(whole && !open);
    axis->circular = whole && !open;
    return 1;
}

xncc_status xncc_pose_grid_make(const xncc_pose_options *o, const xncc_pose_source *source,
                                xncc_pose_grid *grid, xncc_error *error)
{
    if (!make_axis(&o->angles, xncc_pose_angle_step(source, o->scales.last), 1, &grid->angle) ||
        !make_axis(&o->scales, xncc_pose_scale_step(source), 0, &grid->scale) ||
        (int64_t)grid->angle.count * grid->scale.count > XNCC_MOST_POSES)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "poses: the angles %g .. %g and scales %g .. %g of a %d x %d template are "
                         "more than %d poses; give wider steps or smaller ranges",
                         o->angles.first, o->angles.last, o->scales.first, o->scales.last,
                         source->width, source->height, XNCC_MOST_POSES);
    return XNCC_OK;
}
