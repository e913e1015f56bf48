/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking in several passes against an oracle, which makes every pass a call of its own and
 * follows docs/track.md between them: all pairs of nodes, and nodes beyond the ends of a grid spelt
 * out. */
#include "kit/pixels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 24, NODES = 4000, WIDTH = 190, HEIGHT = 150 };

/* A pass's grid, as much of it as image 1 has. */
typedef struct grid {
    int32_t across, down;
    double x0, y0;
    const xncc_track_pass *pass;
    char needed[NODES];
    xncc_track_point node[NODES];
} grid;

static grid grid_of(const xncc_track_pass *pass)
{
    grid g = { .across = (WIDTH - pass->chip_width) / pass->step_x + 1,
               .down = (HEIGHT - pass->chip_height) / pass->step_y + 1,
               .x0 = (pass->chip_width - 1) / 2.0,
               .y0 = (pass->chip_height - 1) / 2.0,
               .pass = pass };
    for (int32_t i = 0; i < g.across * g.down; i++) {
        g.node[i].x = g.x0 + i % g.across * pass->step_x;
        g.node[i].y = g.y0 + i / g.across * pass->step_y;
    }
    return g;
}

/* The node before a place, in nodes. */
static int32_t before(double place, double first, int32_t step, int32_t nodes, double *rest)
{
    double t = (place - first) / step;
    t = t < -1 ? -1 : t > nodes ? nodes : t;
    const int32_t at = t >= nodes - 1 ? nodes - 1 : (int32_t)floor(t);
    *rest = t - at;
    return at;
}

/* The four nodes around the place, or those at the end. */
static void need_along(double place, double first, int32_t step, int32_t nodes, int32_t range[2])
{
    double rest;
    range[0] = before(place, first, step, nodes, &rest) - 1;
    if (range[0] + 3 > nodes - 1)
        range[0] = nodes - 4;
    if (range[0] < 0)
        range[0] = 0;
    range[1] = range[0] + 3 < nodes ? range[0] + 3 : nodes - 1;
}

static void need(grid *g, double x, double y)
{
    int32_t across[2], down[2];
    if (!isfinite(x) || !isfinite(y))
        return;
    need_along(x, g->x0, g->pass->step_x, g->across, across);
    need_along(y, g->y0, g->pass->step_y, g->down, down);
    for (int32_t j = down[0]; j <= down[1]; j++)
        for (int32_t i = across[0]; i <= across[1]; i++)
            g->needed[j * g->across + i] = 1;
}

/* Catmull and Rom's curve through p1 and p2, as a polynomial in t. */
static double curve(double p0, double p1, double p2, double p3, double t)
{
    return p1 + t * ((p2 - p0) / 2 +
                     t * (p0 - 2.5 * p1 + 2 * p2 - p3 / 2 + t * ((p3 - p0) / 2 + 1.5 * (p1 - p2))));
}

/* A row or a column of a grid. */
typedef struct line {
    const double *v;
    int32_t n, stride;
} line;

/* A node of it, also beyond its ends. */
static double value(const line *l, int32_t i)
{
    const double *v = l->v;
    if (l->n == 1)
        return v[0];
    if (i < 0)
        return v[0] - i * (v[0] - v[l->stride]);
    if (i >= l->n)
        return v[(l->n - 1) * l->stride] +
               (i - l->n + 1) * (v[(l->n - 1) * l->stride] - v[(l->n - 2) * l->stride]);
    return v[i * l->stride];
}

static double along(const line *l, int32_t at, double t)
{
    return curve(value(l, at - 1), value(l, at), value(l, at + 1), value(l, at + 2), t);
}

static void interpolate(const grid *g, xncc_track_point *p)
{
    static double v[NODES], row[NODES];
    double tx, ty;
    if (!isfinite(p->x) || !isfinite(p->y))
        return;
    const int32_t ax = before(p->x, g->x0, g->pass->step_x, g->across, &tx),
                  ay = before(p->y, g->y0, g->pass->step_y, g->down, &ty);
    for (int axis = 0; axis < 2; axis++) {
        for (int32_t i = 0; i < g->across * g->down; i++)
            v[i] = axis ? g->node[i].dy : g->node[i].dx;
        for (int32_t i = 0; i < g->across; i++)
            row[i] = along(&(line){ v + i, g->down, g->across }, ay, ty);
        *(axis ? &p->dy : &p->dx) = along(&(line){ row, g->across, 1 }, ax, tx);
    }
}

static double distance(const xncc_track_point *a, const xncc_track_point *b)
{
    return (a->x - b->x) * (a->x - b->x) + (a->y - b->y) * (a->y - b->y);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The median of a node and its eight nearest that are needed. */
static void median_at(const grid *g, int32_t at, double out[2])
{
    double x[9], y[9];
    char taken[NODES] = { 0 };
    int32_t n = 0;
    for (; n < 9; n++) { /* the node itself is the nearest one */
        int32_t best = -1;
        for (int32_t i = 0; i < g->across * g->down; i++)
            if (g->needed[i] && !taken[i] &&
                (best < 0 ||
                 distance(&g->node[i], &g->node[at]) < distance(&g->node[best], &g->node[at])))
                best = i;
        if (best < 0)
            break;
        taken[best] = 1;
        x[n] = g->node[best].dx;
        y[n] = g->node[best].dy;
    }
    qsort(x, (size_t)n, sizeof *x, ascending);
    qsort(y, (size_t)n, sizeof *y, ascending);
    out[0] = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
    out[1] = n % 2 ? y[n / 2] : (y[n / 2 - 1] + y[n / 2]) / 2;
}

/* Tracks the nodes that are needed, and makes their displacements those of the pass. */
static void run_pass(xncc_context *context, const xncc_track_pair *pair, size_t pairs,
                     const xncc_track_options *o, grid *g)
{
    static xncc_track_point point[NODES];
    static xncc_displacement found[NODES];
    static double medians[NODES][2];
    const xncc_track_pass *p = g->pass;
    xncc_track_options one = *o;
    xncc_track_check_options test = XNCC_TRACK_CHECK_OPTIONS_INIT;
    size_t n = 0;
    for (int32_t i = 0; i < g->across * g->down; i++)
        if (g->needed[i])
            point[n++] = g->node[i];
    one.chip_width = p->chip_width;
    one.chip_height = p->chip_height;
    one.search_x = p->search_x;
    one.search_y = p->search_y;
    one.back = 0;
    one.coarse_count = 0;
    CHECK_STATUS(xncc_track(context, pair, pairs, &one, point, n, found, &kit_error), XNCC_OK);
    test.limit = p->limit;
    test.replace = 1;
    CHECK_STATUS(xncc_track_check(&test, found, n, &kit_error), XNCC_OK);
    n = 0;
    for (int32_t i = 0; i < g->across * g->down; i++) {
        if (g->needed[i] && !isnan(found[n].dx)) {
            g->node[i].dx = found[n].dx;
            g->node[i].dy = found[n].dy;
        }
        n += g->needed[i] != 0;
    }
    for (int32_t i = 0; i < g->across * g->down && p->median; i++)
        median_at(g, i, medians[i]);
    for (int32_t i = 0; i < g->across * g->down && p->median; i++) {
        g->node[i].dx = medians[i][0];
        g->node[i].dy = medians[i][1];
    }
}

static void predict_nearest(grid *g, const xncc_track_point *point, size_t count)
{
    for (int32_t i = 0; i < g->across * g->down; i++) {
        const xncc_track_point *best = NULL;
        for (size_t k = 0; k < count; k++)
            if (isfinite(point[k].x + point[k].y) && isfinite(point[k].dx + point[k].dy) &&
                (!best || distance(&point[k], &g->node[i]) < distance(best, &g->node[i])))
                best = &point[k];
        g->node[i].dx = best ? best->dx : 0;
        g->node[i].dy = best ? best->dy : 0;
    }
}

static void oracle(xncc_context *context, const xncc_track_pair *pair, size_t pairs,
                   const xncc_track_options *o, const xncc_track_point *point,
                   xncc_displacement *found)
{
    static grid g[3];
    xncc_track_point last[POINTS];
    xncc_track_options one = *o;
    memcpy(last, point, sizeof last);
    for (size_t i = o->coarse_count; i-- > 0;) {
        g[i] = grid_of(&o->coarse[i]);
        for (int32_t k = 0; i + 1 < o->coarse_count && k < g[i + 1].across * g[i + 1].down; k++)
            if (g[i + 1].needed[k])
                need(&g[i], g[i + 1].node[k].x, g[i + 1].node[k].y);
        for (int k = 0; i + 1 == o->coarse_count && k < POINTS; k++)
            need(&g[i], point[k].x, point[k].y);
    }
    predict_nearest(&g[0], point, POINTS);
    for (size_t i = 0; i < o->coarse_count; i++) {
        run_pass(context, pair, pairs, o, &g[i]);
        for (int32_t k = 0; i + 1 < o->coarse_count && k < g[i + 1].across * g[i + 1].down; k++)
            interpolate(&g[i], &g[i + 1].node[k]);
    }
    for (int k = 0; k < POINTS; k++)
        interpolate(&g[o->coarse_count - 1], &last[k]);
    one.coarse_count = 0;
    CHECK_STATUS(xncc_track(context, pair, pairs, &one, last, POINTS, found, &kit_error), XNCC_OK);
}

/* How far the second image's content is from where it was. */
static int32_t moved_x(int32_t x, int32_t y)
{
    return 11 + x / 40 - y / 60;
}

static int32_t moved_y(int32_t x, int32_t y)
{
    return -9 + x / 70 + y / 50;
}

typedef struct scene {
    kit_image image[2];
    xncc_track_pair pair;
} scene;

/* masked: some pixels of both images do not count. */
static void make_scene(scene *s, int masked, kit_random *random)
{
    for (int i = 0; i < 2; i++) {
        s->image[i] = kit_image_create(XNCC_U8, WIDTH, HEIGHT, 3, KIT_AFTER);
        kit_image_fill(&s->image[i].view, KIT_NOISE, random);
    }
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            const int32_t fx = x - moved_x(x, y), fy = y - moved_y(x, y);
            if (fx >= 0 && fy >= 0 && fx < WIDTH && fy < HEIGHT)
                kit_pixel_set(&s->image[1].view, x, y, kit_pixel(&s->image[0].view, fx, fy));
        }
    for (int32_t i = 0; i < WIDTH * HEIGHT && masked; i++)
        if (i % WIDTH < 40 && i / WIDTH > 90)
            kit_pixel_set(&s->image[0].view, i % WIDTH, i / WIDTH, 0);
    s->image[0].view.has_no_data = masked;
    s->pair = (xncc_track_pair){ &s->image[0].view, &s->image[1].view };
}

static void free_scene(scene *s)
{
    kit_image_destroy(&s->image[0]);
    kit_image_destroy(&s->image[1]);
}

static void make_points(int kind, kit_random *random, xncc_track_point *point)
{
    const double shift = kind % 3 ? 3 : 0;
    for (int i = 0; i < POINTS; i++) {
        /* spread over the image, or only in a part of it, which needs few nodes */
        const int32_t most = kind % 4 == 3 ? 60 : WIDTH;
        point[i] = (xncc_track_point){ kit_between(random, 0, 4 * most) / 4.0 - 0.125,
                                       kit_between(random, -20, 2 * HEIGHT + 20) / 2.0, shift, -2 };
        if (kind % 3 == 2)
            point[i].dx = kit_between(random, 0, 40) / 4.0;
    }
    if (kind % 5 == 4) {
        point[3].x = NAN;
        point[5].y = INFINITY;
        point[7].dx = NAN;
        point[9].dy = -INFINITY;
        point[11].x = -1e9;
        point[13].dx = 1e300;
    }
}

static void check_oracle(xncc_context *context, kit_random *random)
{
    xncc_track_point point[POINTS];
    xncc_displacement got[POINTS], want[POINTS];
    for (int k = 0; k < 30; k++) {
        xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
        xncc_track_pass pass[3] = { XNCC_TRACK_PASS_INIT, XNCC_TRACK_PASS_INIT,
                                    XNCC_TRACK_PASS_INIT };
        scene s;
        make_scene(&s, k % 4 == 1, random);
        make_points(k, random, point);
        for (int i = 0; i < 3; i++) {
            pass[i].chip_width = kit_between(random, 25, k % 7 ? 60 : 150) - 10 * i;
            pass[i].chip_height = kit_between(random, 30, k % 7 == 1 ? HEIGHT : 60) - 10 * i;
            pass[i].search_x = i ? kit_between(random, 0, 6) : 14;
            pass[i].search_y = i ? kit_between(random, 0, 6) : 9;
            /* displacements that are whole or halves may be predicted halfway between two pixels:
             * there, only weights without rounding have one answer */
            const int exact = k % 4 == XNCC_TRACK_WHOLE || k % 4 == XNCC_TRACK_OVERSAMPLED;
            pass[i].step_x = exact ? 8 << k % 3 : kit_between(random, 6, 40);
            pass[i].step_y = exact ? 8 << (k + i) % 3 : kit_between(random, 6, 40);
            pass[i].median = (k + i) % 3 > 0;
            pass[i].limit = (k + i) % 4 ? 2 : INFINITY;
        }
        o.coarse = pass;
        o.coarse_count = (size_t)kit_between(random, 1, 3);
        o.chip_width = o.chip_height = 11;
        o.search_x = o.search_y = 3;
        o.fit = (xncc_track_fit)(k % 4);
        o.back = k % 2;
        const xncc_track_pair pair[2] = { s.pair, s.pair };
        const size_t pairs = k % 2 ? 2 : 1;
        CHECK_STATUS(xncc_track(context, pair, pairs, &o, point, POINTS, got, &kit_error), XNCC_OK);
        oracle(context, pair, pairs, &o, point, want);
        if (!CHECK(memcmp(got, want, sizeof got) == 0))
            for (int i = 0; i < POINTS; i++)
                if (memcmp(&got[i], &want[i], sizeof *got) != 0)
                    printf("case %d, point %d: (%g, %g) state %u, not (%g, %g) state %u\n", k, i,
                           got[i].dx, got[i].dy, got[i].state, want[i].dx, want[i].dy,
                           want[i].state);
        free_scene(&s);
    }
}

/* A small search around what a coarse pass predicts finds what is far away. */
static void check_far(xncc_context *context, kit_random *random)
{
    scene s;
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
    xncc_track_point point[POINTS];
    xncc_displacement found[POINTS];
    int right = 0;
    make_scene(&s, 0, random);
    for (int i = 0; i < POINTS; i++)
        point[i] = (xncc_track_point){ 30 + i % 6 * 22, 30 + i / 6 * 26, 0, 0 };
    o.chip_width = o.chip_height = 11;
    o.search_x = o.search_y = 3;
    o.coarse = &pass;
    o.coarse_count = 1;
    pass.chip_width = pass.chip_height = 32;
    pass.step_x = pass.step_y = 16;
    CHECK_STATUS(xncc_track(context, &s.pair, 1, &o, point, POINTS, found, &kit_error), XNCC_OK);
    for (int i = 0; i < POINTS; i++) {
        const int32_t x = (int32_t)(found[i].x + found[i].whole_dx),
                      y = (int32_t)(found[i].y + found[i].whole_dy);
        right += found[i].whole_dx == moved_x(x, y) && found[i].whole_dy == moved_y(x, y);
    }
    CHECK(right >= POINTS * 3 / 4);
    free_scene(&s);
}

/* Threads, rows and the order of the points change no bit. */
typedef struct rows {
    const xncc_track_pair *pair;
    int32_t calls;
} rows;

static xncc_status read_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    rows *r = argument;
    (void)pair;
    r->calls++;
    const xncc_image *image = which == 1 ? r->pair->image1 : r->pair->image2;
    return xncc_image_crop(image, 0, y, image->width, height, view, error);
}

static void check_same_bits(xncc_context *context, kit_random *random)
{
    scene s;
    xncc_track_point point[POINTS], turned[POINTS];
    xncc_displacement got[POINTS], want[POINTS];
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_pass pass[2] = { XNCC_TRACK_PASS_INIT, XNCC_TRACK_PASS_INIT };
    make_scene(&s, 1, random);
    make_points(1, random, point);
    o.chip_width = o.chip_height = 15;
    o.search_x = o.search_y = 3;
    o.coarse = pass;
    o.coarse_count = 2;
    pass[1].chip_width = pass[1].chip_height = 24;
    pass[1].step_x = pass[1].step_y = 12;
    CHECK_STATUS(xncc_track(context, &s.pair, 1, &o, point, POINTS, want, &kit_error), XNCC_OK);
    xncc_context *one = kit_context(XNCC_DEVICE_CPU, 1);
    for (int i = 0; i < POINTS; i++)
        turned[i] = point[(i * 7 + 3) % POINTS];
    CHECK_STATUS(xncc_track(one, &s.pair, 1, &o, turned, POINTS, got, &kit_error), XNCC_OK);
    for (int i = 0; i < POINTS; i++)
        CHECK(memcmp(&got[i], &want[(i * 7 + 3) % POINTS], sizeof *got) == 0);
    xncc_context_destroy(one);
    rows r = { .pair = &s.pair };
    xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
    source.width1 = source.width2 = WIDTH;
    source.height1 = source.height2 = HEIGHT;
    source.rows = 100;
    source.read = read_rows;
    source.argument = &r;
    CHECK_STATUS(xncc_track_rows(context, &source, &o, point, POINTS, got, &kit_error), XNCC_OK);
    CHECK(memcmp(got, want, sizeof got) == 0);
    CHECK(r.calls > 6); /* more than one band in three passes */
    free_scene(&s);
}

static void refuse(xncc_context *context, const scene *s, const xncc_track_options *o,
                   const char *word)
{
    const xncc_track_point point = { 60, 60, 0, 0 };
    xncc_displacement d;
    CHECK_STATUS(xncc_track(context, &s->pair, 1, o, &point, 1, &d, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    if (!CHECK(strstr(kit_error.text, word) != NULL))
        printf("'%s' is not in: %s\n", word, kit_error.text);
}

static void check_refusals(xncc_context *context, kit_random *random)
{
    const xncc_track_pass good = XNCC_TRACK_PASS_INIT;
    xncc_track_pass pass[2] = { good, good };
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    scene s;
    make_scene(&s, 0, random);
    o.coarse = pass;
    o.coarse_count = 2;
#define REFUSE(member, value, word)                                                                \
    (pass[1] = good, pass[1].member = (value), refuse(context, &s, &o, (word)))
    REFUSE(size, 8, "XNCC_TRACK_PASS_INIT");
    REFUSE(chip_width, 0, "chip of 0");
    REFUSE(chip_width, WIDTH + 1, "has 190 x 150");
    REFUSE(chip_height, HEIGHT + 1, "smaller chips");
    REFUSE(search_x, -1, "search of -1");
    REFUSE(search_y, 4097, "4096");
    REFUSE(step_x, 0, "0 and 32 pixels apart");
    REFUSE(step_y, -5, "-5");
    REFUSE(median, 2, "median is 2");
    REFUSE(limit, 0, "limit 0");
    REFUSE(limit, NAN, "limit");
#undef REFUSE
    o.coarse_count = 65;
    refuse(context, &s, &o, "65 coarse passes");
    o.coarse_count = 1;
    o.coarse = NULL;
    refuse(context, &s, &o, "options->coarse is a null pointer");
    free_scene(&s);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(64);
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 2);
    check_oracle(context, &random);
    check_far(context, &random);
    check_same_bits(context, &random);
    check_refusals(context, &random);
    xncc_context_destroy(context);
    return kit_finish("passes");
}
