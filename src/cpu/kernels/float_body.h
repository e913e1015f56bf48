/* `direct` for float pixels. Sums are computed in double in the order that score.h and
 * general_score.h define: each window row from left to right, then the rows from top to bottom,
 * every step rounded. Vectors of FLOAT_LANES doubles cover neighbouring windows, so the order
 * within a window is kept. An image pixel that does not count adds 0, which changes no bit of a sum
 * that began with +0. A template pixel that does not count is skipped.
 *
 * The including file defines FLOAT_LANES, float_sqrt and FLOAT_KEEP(v), and is compiled without
 * contraction. FLOAT_KEEP(v) keeps a vector in a register where gcc would otherwise load it again
 * for every use.
 *
 * Each image row is multiplied into all template rows before the next image row is read. So a
 * window's rows are added in order, and only one image row and the running sums of FLOAT_BAND x
 * FLOAT_STRIP windows are kept. */
#ifndef XNCC_CPU_KERNELS_FLOAT_BODY_H
#define XNCC_CPU_KERNELS_FLOAT_BODY_H

#include "cpu/kernels/stage.h"

#include <string.h>

typedef double fd __attribute__((vector_size(8 * FLOAT_LANES)));
typedef int64_t fl __attribute__((vector_size(8 * FLOAT_LANES)));
typedef float ff __attribute__((vector_size(4 * FLOAT_LANES)));

static inline fd float_sqrt(fd v);

enum {
    FLOAT_STRIP = XNCC_FLOAT_COLUMNS,
    FLOAT_BAND = XNCC_FLOAT_ROWS,
    FLOAT_TILE = 4 * FLOAT_LANES,
    FLOAT_SUMS = FLOAT_BAND * FLOAT_STRIP
};

/* What begin computes from a template. After this header follow, channel by channel, the template's
 * samples minus the pivot. */
typedef struct float_shared {
    double T[XNCC_MAX_CHANNELS], T2[XNCC_MAX_CHANNELS];
} float_shared;

typedef struct float_memory {
    /* FLOAT_BAND rows of FLOAT_STRIP sums each. N, T and T2 only if the image varies. */
    double *X, *S, *Q, *N, *T, *T2;
    double *line;          /* the image row minus the pivot */
    double *row_S, *row_Q; /* the sums of the windows' current row */
    int64_t *line_mask;    /* all bits set if the pixel counts, else 0 */
    uint8_t *count;
    xncc_general_real *total; /* of the windows, if there are several channels */
    xncc_stage stage;
} float_memory;

static uint64_t float_layout(const xncc_problem *problem, char *memory, float_memory *m)
{
    const int32_t width = problem->templ_width + FLOAT_STRIP - 1;
    const uint64_t line = (uint64_t)width + FLOAT_TILE,
                   varies = xncc_problem_image_varies(problem) ? 1 : 0,
                   several = problem->channels > 1 ? 1 : 0;
    uint64_t total = 0;
    double **const sums[6] = { &m->X, &m->S, &m->Q, &m->N, &m->T, &m->T2 };
    for (int i = 0; i < 6; i++)
        *sums[i] = xncc_carve(memory, &total, (i < 3 ? 1 : varies) * FLOAT_SUMS * sizeof(double));
    m->line = xncc_carve(memory, &total, line * sizeof(double));
    m->row_S = xncc_carve(memory, &total, FLOAT_STRIP * sizeof(double));
    m->row_Q = xncc_carve(memory, &total, FLOAT_STRIP * sizeof(double));
    m->line_mask = xncc_carve(memory, &total, varies * line * sizeof(int64_t));
    m->count = xncc_carve(memory, &total, varies * line);
    m->total = xncc_carve(memory, &total, several * FLOAT_SUMS * sizeof(xncc_general_real));
    return total + xncc_stage_layout(problem, width, memory ? memory + total : NULL, &m->stage);
}

static xncc_kernel_memory float_memory_of(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                          const xncc_cpu_blocks *blocks)
{
    float_memory unused;
    (void)self;
    (void)blocks;
    return (xncc_kernel_memory){ .shared = sizeof(float_shared) +
                                           (uint64_t)problem->templ_width *
                                               (uint64_t)problem->templ_height *
                                               (uint64_t)problem->channels * sizeof(double),
                                 .scratch = float_layout(problem, NULL, &unused) };
}

static double *float_values(const void *shared, const xncc_template *templ, int32_t channel)
{
    char *first = (char *)(uintptr_t)shared + sizeof(float_shared);
    return (double *)(void *)first + (size_t)channel * (size_t)templ->width * (size_t)templ->height;
}

static void float_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                        void *scratch)
{
    (void)self;
    (void)scratch;
    const xncc_template *templ = job->templ;
    float_shared *s = shared;
    for (int32_t c = 0; c < templ->channels; c++) {
        double *out = float_values(shared, templ, c);
        s->T[c] = s->T2[c] = 0.0;
        for (int32_t j = 0; j < templ->height && !xncc_is_cancelled(job->watch); j++) {
            double T = 0.0, T2 = 0.0;
            for (int32_t i = 0; i < templ->width; i++) {
                const size_t at = (size_t)j * (size_t)templ->width + (size_t)i;
                const double t = xncc_sum(xncc_sample_value(templ->pixel, templ->pixels,
                                                            (int64_t)at * templ->channels + c),
                                          -job->general.pivot[c]);
                out[at] = t;
                T += templ->mask && !templ->mask[at] ? 0.0 : t;
                T2 += templ->mask && !templ->mask[at] ? 0.0 : t * t;
            }
            s->T[c] += T;
            s->T2[c] += T2;
        }
    }
}

/* A rectangle of at most FLOAT_STRIP x FLOAT_BAND windows. */
typedef struct float_run {
    const xncc_job *job;
    float_memory m;
    int32_t width, height;
    int varies, plain; /* plain: 1 if score.h gives the scores */
} float_run;

static inline fd float_load(const double *from)
{
    fd v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void float_add(double *to, fd v)
{
    fd sum = float_load(to) + v;
    memcpy(to, &sum, sizeof sum);
}

typedef struct float_four {
    fd a, b, c, d;
} float_four;

__attribute__((always_inline)) static inline float_four float_load4(const double *from)
{
    float_four v = { float_load(from), float_load(from + FLOAT_LANES),
                     float_load(from + 2 * FLOAT_LANES), float_load(from + 3 * FLOAT_LANES) };
    FLOAT_KEEP(v.a);
    FLOAT_KEEP(v.b);
    FLOAT_KEEP(v.c);
    FLOAT_KEEP(v.d);
    return v;
}

/* Computes, for every window of the strip, the sum and the sum of squares of its pixels in the
 * image row. */
static void float_row_sums(const float_memory *s, int32_t width)
{
    const fd zero = { 0 };
    for (int32_t x = 0; x < FLOAT_STRIP; x += FLOAT_TILE) {
        float_four sum = { zero, zero, zero, zero }, square = sum;
        for (int32_t i = 0; i < width; i++) {
            const float_four v = float_load4(s->line + x + i);
            sum = (float_four){ sum.a + v.a, sum.b + v.b, sum.c + v.c, sum.d + v.d };
            square = (float_four){ square.a + v.a * v.a, square.b + v.b * v.b, square.c + v.c * v.c,
                                   square.d + v.d * v.d };
        }
        memcpy(s->row_S + x, &sum, sizeof sum);
        memcpy(s->row_Q + x, &square, sizeof square);
    }
}

__attribute__((always_inline)) static inline void float_step(float_four *sum,
                                                             const float_four *image, double t)
{
    sum->a += image->a * t;
    sum->b += image->b * t;
    sum->c += image->c * t;
    sum->d += image->d * t;
}

__attribute__((always_inline)) static inline void float_store(double *to, const float_four *sum)
{
    float_add(to, sum->a);
    float_add(to + FLOAT_LANES, sum->b);
    float_add(to + 2 * FLOAT_LANES, sum->c);
    float_add(to + 3 * FLOAT_LANES, sum->d);
}

/* Adds the image row's products to `rows` (1 or 3) map rows: template row t to the map row at to,
 * and the template rows above it to the following map rows. */
__attribute__((always_inline)) static inline void
float_products(const double *line, const double *t, int32_t width, double *to, int rows)
{
    const fd zero = { 0 };
    for (int32_t x = 0; x < FLOAT_STRIP; x += FLOAT_TILE) {
        float_four first = { zero, zero, zero, zero }, second = first, third = first;
        for (int32_t i = 0; i < width; i++) {
            const float_four image = float_load4(line + x + i);
            float_step(&first, &image, t[i]);
            if (rows == 3) {
                float_step(&second, &image, t[i - (ptrdiff_t)width]);
                float_step(&third, &image, t[i - 2 * (ptrdiff_t)width]);
            }
        }
        float_store(to + x, &first);
        if (rows == 3) {
            float_store(to + FLOAT_STRIP + x, &second);
            float_store(to + 2 * FLOAT_STRIP + x, &third);
        }
    }
}

/* Adds image row yy of the rectangle to the rows of windows first .. last, which contain it. t: the
 * template's channel. Not inlined: the loops need all registers. */
__attribute__((noinline)) static void float_meet(const float_run *r, const double *t, int32_t yy,
                                                 int32_t first, int32_t last)
{
    const float_memory *m = &r->m;
    const int32_t width = r->job->templ->width;
    int32_t to = first;
    float_row_sums(m, width);
    for (; to + 2 <= last && !xncc_is_cancelled(r->job->watch); to += 3)
        float_products(m->line, t + (ptrdiff_t)(yy - to) * width, width,
                       m->X + (ptrdiff_t)to * FLOAT_STRIP, 3);
    for (; to <= last; to++)
        float_products(m->line, t + (ptrdiff_t)(yy - to) * width, width,
                       m->X + (ptrdiff_t)to * FLOAT_STRIP, 1);
    for (to = first; to <= last; to++) {
        for (int32_t x = 0; x < FLOAT_STRIP; x += FLOAT_LANES) {
            float_add(m->S + (ptrdiff_t)to * FLOAT_STRIP + x, float_load(m->row_S + x));
            float_add(m->Q + (ptrdiff_t)to * FLOAT_STRIP + x, float_load(m->row_Q + x));
        }
    }
}

typedef struct float_row {
    fd S, Q, X, N, T, T2;
} float_row;

__attribute__((always_inline)) static inline void float_step_any(float_row *row, fd v, fl mask,
                                                                 double t, int varies)
{
    row->S += v;
    row->Q += v * v;
    if (!varies) {
        row->X += v * t;
        return;
    }
    const fd zero = { 0 }, templ_value = (fd)((fl)(t - zero) & mask);
    row->X += v * templ_value;
    row->N += (fd)((fl)(1.0 - zero) & mask);
    row->T += templ_value;
    row->T2 += templ_value * templ_value;
}

__attribute__((always_inline)) static inline void float_store_any(const float_run *r, ptrdiff_t at,
                                                                  const float_row *row, int varies)
{
    float_add(r->m.S + at, row->S);
    float_add(r->m.Q + at, row->Q);
    float_add(r->m.X + at, row->X);
    if (varies) {
        float_add(r->m.N + at, row->N);
        float_add(r->m.T + at, row->T);
        float_add(r->m.T2 + at, row->T2);
    }
}

/* Adds the products of the image row with template row j to map row `to`. */
__attribute__((always_inline)) static inline void
float_products_any(const float_run *r, const double *t, int32_t j, int32_t to, int varies)
{
    const xncc_template *templ = r->job->templ;
    const int32_t width = templ->width;
    const uint8_t *counts = templ->mask ? templ->mask + (size_t)j * (size_t)width : NULL;
    const fd zero = { 0 };
    t += (size_t)j * (size_t)width;
    for (int32_t x = 0; x < r->width; x += 2 * FLOAT_LANES) {
        float_row a = { zero, zero, zero, zero, zero, zero }, b = a;
        for (int32_t i = 0; i < width; i++) {
            if (counts && !counts[i])
                continue;
            const double *v = r->m.line + x + i;
            fl mask_a = { 0 }, mask_b = { 0 };
            if (varies) {
                memcpy(&mask_a, r->m.line_mask + x + i, sizeof mask_a);
                memcpy(&mask_b, r->m.line_mask + x + i + FLOAT_LANES, sizeof mask_b);
            }
            float_step_any(&a, float_load(v), mask_a, t[i], varies);
            float_step_any(&b, float_load(v + FLOAT_LANES), mask_b, t[i], varies);
        }
        float_store_any(r, (ptrdiff_t)to * FLOAT_STRIP + x, &a, varies);
        float_store_any(r, (ptrdiff_t)to * FLOAT_STRIP + x + FLOAT_LANES, &b, varies);
    }
}

/* Prepares the image row of a channel: samples minus the pivot, 0 where the pixel does not
 * count. */
static void float_line(const float_run *r, int32_t yy, int32_t channel)
{
    const xncc_stage *stage = &r->m.stage;
    const xncc_pixel pixel = r->job->templ->pixel;
    const int32_t channels = r->job->templ->channels, count = stage->width;
    const double pivot = r->job->general.pivot[channel];
    const void *raw = xncc_stage_raw(stage, yy);
    double *restrict line = r->m.line;
    int64_t *restrict mask = r->m.line_mask;
    if (pixel == XNCC_F32 && channels == 1)
        for (int32_t i = 0; i < count; i++)
            line[i] = xncc_centred(((const float *)raw)[i], pivot);
    else
        for (int32_t i = 0; i < count; i++)
            line[i] = xncc_sample_value(pixel, raw, (int64_t)i * channels + channel) + -pivot;
    if (!r->varies)
        return;
    xncc_stage_count_row(stage, yy, r->m.count);
    for (int32_t i = 0; i < count; i++) {
        mask[i] = -(int64_t)r->m.count[i];
        line[i] = r->m.count[i] ? line[i] : 0.0;
    }
}

/* Computes the sums of a channel. */
static void float_channel(const float_run *r, int32_t channel)
{
    const xncc_template *templ = r->job->templ;
    const double *t = float_values(r->job->shared, templ, channel);
    double *const sums[6] = { r->m.X, r->m.S, r->m.Q, r->m.N, r->m.T, r->m.T2 };
    for (int i = 0; i < (r->varies ? 6 : 3); i++)
        memset(sums[i], 0, FLOAT_SUMS * sizeof(double));
    for (int32_t yy = 0; yy < r->height + templ->height - 1 && !xncc_is_cancelled(r->job->watch);
         yy++) {
        const int32_t first = yy - templ->height + 1 > 0 ? yy - templ->height + 1 : 0,
                      last = yy < r->height - 1 ? yy : r->height - 1;
        float_line(r, yy, channel);
        if (!r->varies && !templ->mask) {
            float_meet(r, t, yy, first, last);
            continue;
        }
        for (int32_t to = first; to <= last && !xncc_is_cancelled(r->job->watch); to++) {
            if (r->varies)
                float_products_any(r, t, yy - to, to, 1);
            else
                float_products_any(r, t, yy - to, to, 0);
        }
    }
}

static inline fd float_choose(fl condition, fd yes, fd no)
{
    return (fd)((condition & (fl)yes) | (~condition & (fl)no));
}

/* xncc_score_float for ccoeff_normed, step by step, in vectors. */
static inline fd float_ncc(const xncc_score_rule *rule, fd S, fd Q, fd X)
{
    const fd zero = { 0 }, one = zero + 1.0;
    fd energy = rule->fn * Q, var = energy - S * S;
    fd score = (rule->fn * X - S * rule->fsum) / (float_sqrt(var) * rule->root_var);
    fd flat = float_choose(X != X, X, zero + (double)rule->undefined);
    score = float_choose(score > 1.0, one, float_choose(score < -1.0, -one, score));
    return float_choose(var <= rule->noise * energy, flat, score);
}

/* Scores a row of windows from the sums at index `at` on by score.h. */
static void float_score_plain(const float_run *r, ptrdiff_t at, float *out)
{
    const xncc_score_rule *rule = &r->job->rule;
    const xncc_method method = r->job->problem->rule.method;
    const double *S = r->m.S + at, *Q = r->m.Q + at, *X = r->m.X + at;
    if (method != XNCC_CCOEFF_NORMED || rule->root_var == 0.0) {
        for (int32_t x = 0; x < r->width; x++)
            out[x] = xncc_score_float(method, rule, S[x], Q[x], X[x]);
        return;
    }
    for (int32_t x = 0; x < r->width; x += FLOAT_LANES) {
        ff score = __builtin_convertvector(
            float_ncc(rule, float_load(S + x), float_load(Q + x), float_load(X + x)), ff);
        memcpy(out + x, &score,
               r->width - x >= FLOAT_LANES ? sizeof score : (size_t)(r->width - x) * sizeof *out);
    }
}

/* Adds a channel's sums of a row of windows to their totals. After the last channel, scores them by
 * general_score.h. */
static void float_score_any(const float_run *r, int32_t channel, ptrdiff_t at, float *out)
{
    const float_shared *s = r->job->shared;
    const float_memory *m = &r->m;
    for (int32_t x = 0; x < r->width; x++, at++) {
        xncc_general_reals sums = { m->S[at], m->Q[at], m->X[at], s->T[channel], s->T2[channel] };
        uint64_t n = r->job->general.whole;
        if (r->varies) {
            n = (uint64_t)m->N[at];
            sums.T = m->T[at];
            sums.T2 = m->T2[at];
        }
        xncc_general_real total = channel == 0 ? xncc_general_real_begin(n) : m->total[at];
        xncc_general_real_add(&total, &sums);
        if (channel < r->job->templ->channels - 1)
            m->total[at] = total;
        else
            out[x] = xncc_general_real_score(r->job->problem->rule.method, &r->job->general, n,
                                             &total);
    }
}

/* Computes the windows from (x, y) of the area on. */
static void float_piece(float_run *r, const xncc_area *area, int32_t x, int32_t y)
{
    const xncc_job *job = r->job;
    xncc_stage *stage = &r->m.stage;
    r->width = xncc_min_i32(area->width - x, FLOAT_STRIP);
    r->height = xncc_min_i32(area->height - y, FLOAT_BAND);
    stage->left = (int64_t)job->x0 + area->x + x;
    stage->top = (int64_t)job->y0 + area->y + y;
    stage->width = r->width + job->templ->width - 1;
    stage->height = r->height + job->templ->height - 1;
    for (int32_t c = 0; c < job->templ->channels; c++) {
        float_channel(r, c);
        for (int32_t row = 0; row < r->height && !xncc_is_cancelled(job->watch); row++) {
            float *out = area->out + (y + row) * area->pitch + x;
            if (r->plain)
                float_score_plain(r, (ptrdiff_t)row * FLOAT_STRIP, out);
            else
                float_score_any(r, c, (ptrdiff_t)row * FLOAT_STRIP, out);
        }
    }
}

static void float_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                       const xncc_area *area)
{
    (void)self;
    float_run r = { .job = job,
                    .varies = xncc_problem_image_varies(job->problem),
                    .plain = xncc_problem_route(job->problem) != XNCC_ROUTE_GENERAL };
    (void)float_layout(job->problem, scratch, &r.m);
    r.m.stage.job = job;
    for (int32_t y = 0; y < area->height; y += FLOAT_BAND)
        for (int32_t x = 0; x < area->width && !xncc_is_cancelled(job->watch); x += FLOAT_STRIP)
            float_piece(&r, area, x, y);
}

#endif
