/* SPDX-License-Identifier: BSD-2-Clause */
/* What exactncc find knows of one page when it has been searched. */
#include "find_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

find_result *find_result_new(app_feed_page *page, int templs)
{
    find_result *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->item = page->item;
    r->image = page->scene.path;
    r->page = page->scene.page;
    r->status = page->status;
    r->error = page->error;
    r->scene = &page->scene;
    r->from = page;
    r->templs = templs;
    r->search = calloc((size_t)templs, sizeof *r->search);
    if (r->search)
        return r;
    free(r);
    return NULL;
}

void find_result_free(find_result *r)
{
    if (!r)
        return;
    free(r->search);
    free(r->hit);
    free(r);
}

/* The place of the centre on the ground. */
static void place(const app_geo *geo, find_hit *h)
{
    const int fine = isfinite(h->subpixel_x) && isfinite(h->subpixel_y);
    const double x = fine ? h->subpixel_x + (h->width - 1) / 2.0 : h->center_x,
                 y = fine ? h->subpixel_y + (h->height - 1) / 2.0 : h->center_y;
    if (!app_geo_ground(geo, x, y, &h->map_x, &h->map_y))
        h->map_x = h->map_y = (double)NAN;
}

/* Makes room for so many more matches. */
static xncc_status make_room(find_result *r, size_t count, app_error *error)
{
    find_hit *more = realloc(r->hit, (r->hits + count + 1) * sizeof *more);
    if (!more)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for %zu matches; give a smaller --top", r->image,
                        r->hits + count);
    r->hit = more;
    return XNCC_OK;
}

xncc_status find_result_add_poses(find_result *r, int templ, const xncc_pose_match *match,
                                  int32_t width, int32_t height, app_error *error)
{
    const find_search *s = &r->search[templ];
    const xncc_status status = make_room(r, s->found, error);
    for (size_t i = 0; i < s->found && !status; i++) {
        const xncc_pose_match *m = &match[i];
        find_hit *h = &r->hit[r->hits++];
        *h = (find_hit){ .templ = templ,
                         .x = s->area.x + m->x,
                         .y = s->area.y + m->y,
                         .width = m->width,
                         .height = m->height,
                         .center_x = s->area.x + m->center_x,
                         .center_y = s->area.y + m->center_y,
                         .angle = m->angle,
                         .scale = m->scale,
                         .frame_width = m->scale * width,
                         .frame_height = m->scale * height,
                         .score = (double)m->score,
                         .subpixel_x = (double)NAN,
                         .subpixel_y = (double)NAN,
                         .subpixel_score = (double)NAN };
        place(&r->scene->picture.geo, h);
    }
    return status;
}

void find_hit_corner(const find_hit *h, int corner, double *x, double *y)
{
    const double r = h->angle * 3.14159265358979323846 / 180.0;
    const double u = (corner == 1 || corner == 2 ? 0.5 : -0.5) * h->frame_width,
                 v = (corner >= 2 ? 0.5 : -0.5) * h->frame_height;
    *x = h->center_x + cos(r) * u + sin(r) * v;
    *y = h->center_y - sin(r) * u + cos(r) * v;
}

xncc_status find_result_add(find_result *r, int templ, const find_found *found, app_error *error)
{
    const xncc_match *match = found->match;
    const xncc_refined *refined = found->refined;
    const size_t count = found->count;
    find_search *const s = &r->search[templ];
    const xncc_status status = make_room(r, count, error);
    if (status)
        return status;
    s->found = count;
    for (size_t i = 0; i < count; i++) {
        find_hit *h = &r->hit[r->hits++];
        *h = (find_hit){ .templ = templ,
                         .x = s->area.x + match[i].x,
                         .y = s->area.y + match[i].y,
                         .width = found->width,
                         .height = found->height,
                         .angle = (double)NAN,
                         .scale = (double)NAN,
                         .score = (double)match[i].score,
                         .subpixel_x = refined ? s->area.x + refined[i].x : (double)NAN,
                         .subpixel_y = refined ? s->area.y + refined[i].y : (double)NAN,
                         .subpixel_score = refined ? refined[i].score : (double)NAN };
        h->center_x = h->x + (h->width - 1) / 2.0;
        h->center_y = h->y + (h->height - 1) / 2.0;
        place(&r->scene->picture.geo, h);
    }
    return XNCC_OK;
}

xncc_status find_result_merge(find_result *r, xncc_method method, const xncc_suppress_rule *rule,
                              app_error *error)
{
    xncc_candidate *candidate = calloc(r->hits + 1, sizeof *candidate);
    find_hit *kept_hit = malloc((r->hits + 1) * sizeof *kept_hit);
    xncc_error why;
    size_t kept = 0;
    xncc_status status = XNCC_OK;
    if (!candidate || !kept_hit)
        status = app_fail(error, XNCC_ERROR_MEMORY,
                          "--merge: out of memory for %zu matches; give a smaller --top", r->hits);
    /* Ties go to the smaller template number. Matches are in template order, so their numbers
     * serve. */
    for (size_t i = 0; i < r->hits && !status; i++) {
        const find_hit *h = &r->hit[i];
        candidate[i] = (xncc_candidate){ .match = { h->x, h->y, (float)h->score },
                                         .templ = (int32_t)i,
                                         .width = h->width,
                                         .height = h->height };
    }
    if (!status)
        status = app_pass_on(error, xncc_suppress(method, candidate, r->hits, rule, &kept, &why),
                             "--merge", &why);
    for (int i = 0; i < r->templs && !status; i++)
        r->search[i].found = 0;
    for (size_t i = 0; i < kept; i++) {
        kept_hit[i] = r->hit[candidate[i].templ];
        r->search[kept_hit[i].templ].found++;
    }
    if (!status) {
        memcpy(r->hit, kept_hit, kept * sizeof *kept_hit);
        r->hits = kept;
    }
    free(candidate);
    free(kept_hit);
    return status;
}
