/* SPDX-License-Identifier: BSD-2-Clause */
/* The pictures and pages that find makes of its results. */
#include "find_draw.h"

#include "common/overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

xncc_status find_draw_open(const app_options *o, const app_named *inputs, const app_kit *kit,
                           find_draw *d, app_error *error)
{
    const app_html_about about = { .command = o->command,
                                   .method = xncc_method_name(o->rule.method),
                                   .small_is_good = xncc_method_is_distance(o->rule.method),
                                   .side = o->report_side,
                                   .templs = kit->templates.source,
                                   .templ_count = kit->templates.count };
    *d = (find_draw){ .options = o, .inputs = inputs, .kit = kit };
    return o->report ? app_html_open(o->report, &about, &d->html, error) : XNCC_OK;
}

/* The frames of a page. Their numbers are those of the table. NULL if there is no memory. */
static app_frame *make_frames(const find_draw *d, const find_result *r)
{
    app_frame *frames = calloc(r->hits + 1, sizeof *frames);
    for (size_t i = 0; i < r->hits && frames; i++) {
        const find_hit *h = &r->hit[i];
        frames[i] = (app_frame){ .x = h->x,
                                 .y = h->y,
                                 .width = h->width,
                                 .height = h->height,
                                 .number = (int)(d->hits + i) + 1,
                                 .templ = h->templ,
                                 .score = h->score,
                                 .turned = isfinite(h->angle) };
        for (int k = 0; k < 4 && frames[i].turned; k++)
            find_hit_corner(h, k, &frames[i].corner[k][0], &frames[i].corner[k][1]);
    }
    return frames;
}

/* --overlay: writes the picture with every match framed. */
static xncc_status write_overlay(find_draw *d, const find_result *r, const app_frame *frames,
                                 app_error *error)
{
    const app_options *o = d->options;
    const char *option = "--overlay";
    const app_out_of of = { r->image, r->item + 1, r->page, NULL };
    char name[APP_OUT_NAME_SIZE];
    const char **templs = calloc((size_t)r->templs, sizeof *templs);
    xncc_status status = app_out_name(option, o->overlay, &of, d->inputs, name, error);
    if (!status)
        status = app_written_add(&d->written, option, name, error);
    if (!status && !templs)
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", name);
    for (int i = 0; i < r->templs && !status; i++)
        templs[i] = d->kit->templates.source[i].path;
    const app_overlay overlay = { .name = r->image,
                                  .page = r->page,
                                  .scene = &r->scene->picture,
                                  .method = xncc_method_name(o->rule.method),
                                  .frames = frames,
                                  .count = r->hits,
                                  .templs = templs,
                                  .templ_count = r->templs,
                                  .small_is_good = xncc_method_is_distance(o->rule.method),
                                  .plain = o->heat.plain };
    if (!status)
        status = app_overlay_write(name, &overlay, error);
    free(templs);
    return status;
}

/* --report: adds the page. */
static xncc_status add_html(find_draw *d, const find_result *r, const app_frame *frames,
                            app_error *error)
{
    const find_search *last = &r->search[r->templs - 1];
    double(*subpixel)[2] = calloc(r->hits + 1, sizeof *subpixel);
    if (!subpixel)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", d->options->report);
    for (size_t i = 0; i < r->hits; i++) {
        subpixel[i][0] = r->hit[i].subpixel_x;
        subpixel[i][1] = r->hit[i].subpixel_y;
    }
    const app_html_scene scene = { .name = r->image,
                                   .page = r->page,
                                   .picture = &r->scene->picture,
                                   .kernel = last->plan.kernel,
                                   .device = last->device,
                                   .frames = frames,
                                   .count = r->hits,
                                   .subpixel = d->options->subpixel ? subpixel : NULL };
    const xncc_status status = app_html_add(d->html, &scene, error);
    free(subpixel);
    return status;
}

xncc_status find_draw_page(find_draw *d, const find_result *r, app_error *error)
{
    xncc_status status = XNCC_OK;
    if (r->status && d->html)
        app_html_add_failure(d->html, r->image, r->page, r->error.text);
    if (r->status || (!d->html && !d->options->overlay)) {
        d->hits += r->hits;
        return XNCC_OK;
    }
    app_frame *frames = make_frames(d, r);
    if (!frames)
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for its frames", r->image);
    if (!status && d->options->overlay)
        status = write_overlay(d, r, frames, error);
    if (!status && d->html)
        status = add_html(d, r, frames, error);
    d->hits += r->hits;
    free(frames);
    return status;
}

xncc_status find_draw_close(find_draw *d, xncc_status status, app_error *error)
{
    app_written_free(&d->written);
    return app_html_close(d->html, status, error);
}
