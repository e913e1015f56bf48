/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc track: where the parts of one image are in another. */
#include "commands.h"
#include "common/progress.h"
#include "common/rgb_out.h"
#include "common/session.h"
#include "track_picture.h"

#include <stdlib.h>

enum { FINE_SEARCH = 4 }; /* pixels, where a pass before predicts */

/* The search of pass i. */
static app_size search_of(const app_options *o, int i)
{
    const app_sizes *s = &o->track_searches;
    if (i < s->count)
        return s->size[i];
    return i == 0 ? (app_size){ o->track.search_x, o->track.search_y }
                  : (app_size){ FINE_SEARCH, FINE_SEARCH };
}

/* Sets the chips and searches of the passes. coarse: room for those before the last one. */
static xncc_status set_passes(app_options *o, xncc_track_pass *coarse, app_error *error)
{
    const int last = o->track_chips.count > 0 ? o->track_chips.count - 1 : 0;
    const app_size search = search_of(o, last);
    if (o->track_searches.count > last + 1)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--search: has %d numbers, but --chip has %d; give one per pass",
                        o->track_searches.count, last + 1);
    for (int i = 0; i < last; i++) {
        const app_size chip = o->track_chips.size[i], s = search_of(o, i);
        const xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
        coarse[i] = pass;
        coarse[i].chip_width = chip.width;
        coarse[i].chip_height = chip.height;
        coarse[i].search_x = s.width;
        coarse[i].search_y = s.height;
        coarse[i].step_x = (chip.width + 1) / 2;
        coarse[i].step_y = (chip.height + 1) / 2;
    }
    if (o->track_chips.count > 0) {
        o->track.chip_width = o->track_chips.size[last].width;
        o->track.chip_height = o->track_chips.size[last].height;
    }
    o->track.search_x = search.width;
    o->track.search_y = search.height;
    o->track.coarse = coarse;
    o->track.coarse_count = (size_t)last;
    return XNCC_OK;
}

static xncc_status check_usage(const app_options *o, app_format *format, app_error *error)
{
    if (o->track_points && o->track_stepped)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--grid: is not for --points; give one of them");
    if (o->track_arrows > 0 && !o->track_vectors)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--arrows: is only for --vectors");
    if (o->track_check.replace && !o->track_checked)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--replace: is only for --outliers");
    xncc_status status = track_out_check(o, format, error);
    if (!status && o->track_vectors)
        status = app_rgb_check(o->track_vectors, error);
    return status;
}

/* Tracks the points. */
static xncc_status run(const app_options *o, track_result *r, app_error *error)
{
    app_session session;
    app_progress progress;
    xncc_error why;
    const char *name = r->images->image[0].image.path;
    xncc_displacement *found = calloc(r->points->count, sizeof *found);
    if (!found)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for %zu points", name,
                        r->points->count);
    r->found = found;
    xncc_status status = app_session_begin(o, &session, error);
    if (status)
        return status;
    app_progress_start(&progress, session.context, name, o->quiet);
    status = xncc_track_rows(session.context, &r->images->source, &o->track, r->points->point,
                             r->points->count, found, &why);
    if (!status && o->track_checked)
        status = xncc_track_check(&o->track_check, found, r->points->count, &why);
    app_progress_stop(&progress);
    app_session_close(&session);
    if (status == XNCC_ERROR_ARGUMENT && o->kernel)
        return app_fail_kernel(error, o->kernel, &why);
    return app_pass_on(error, status, name, &why);
}

xncc_status app_track(const app_options *given, app_error *error)
{
    app_options o = *given;
    app_format format = APP_TABLE;
    double unused[6];
    track_images images = { .image = NULL };
    track_points points = { .point = NULL };
    track_result result = { .options = &o, .images = &images, .points = &points };
    xncc_track_pass coarse[APP_MAX_SIZES];
    o.track.min_valid = o.rule.min_valid;
    o.track.kernel = o.kernel;
    xncc_status status = set_passes(&o, coarse, error);
    if (!o.track_stepped)
        o.track_step = (app_size){ (o.track.chip_width + 1) / 2, (o.track.chip_height + 1) / 2 };
    o.track.deform_step_x = o.track_step.width;
    o.track.deform_step_y = o.track_step.height;
    if (!status)
        status = check_usage(&o, &format, error);
    if (!status)
        status = track_images_open(&o, &images, error);
    if (!status)
        status = track_points_make(&o, &images, &points, error);
    if (!status) {
        result.placed = app_geo_affine(&images.image[0].geo, unused) &&
                        app_geo_affine(&images.image[1].geo, unused);
        status = run(&o, &result, error);
    }
    if (!status && o.track_bands)
        status = track_out_bands(&result, error);
    if (!status && o.track_vectors)
        status = track_picture_write(&result, error);
    if (!status)
        status = track_out_table(&result, format, error);
    free((void *)(uintptr_t)result.found);
    free(points.point);
    track_images_close(&images);
    return status;
}
