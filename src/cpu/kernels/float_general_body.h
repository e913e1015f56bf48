/* `direct` for float pixels of the general route, with sums in the order that math/general_score.h
 * defines. Vectors cover neighbouring windows, as in float_body.h, whose loops are used where every
 * pixel counts. An image pixel that does not count adds 0, which changes no bit of a sum that began
 * with +0. A template pixel that does not count is skipped. */
#ifndef XNCC_CPU_KERNELS_FLOAT_GENERAL_BODY_H
#define XNCC_CPU_KERNELS_FLOAT_GENERAL_BODY_H

#include "cpu/kernels/float_body.h"
#include "cpu/kernels/float_general.h"
#include "cpu/kernels/general.h"

/* What begin computes from a template. After this header follow, channel by channel, the template's
 * samples minus the pivot. */
typedef struct fgeneral_shared {
    double T[XNCC_MAX_CHANNELS], T2[XNCC_MAX_CHANNELS];
} fgeneral_shared;

typedef struct fgeneral_memory {
    float_sums sums;
    double *N, *T, *T2; /* as sums.X, if the image varies */
    int64_t *line_mask; /* all bits set if the pixel counts, else 0 */
    uint8_t *count;
    xncc_general_real *general;
    xncc_stage stage;
} fgeneral_memory;

static int fgeneral_varies(const xncc_problem *p)
{
    return p->image_masked || (p->border == XNCC_BORDER_OVERLAP && p->mode != XNCC_VALID);
}

static uint64_t fgeneral_layout(const xncc_problem *problem, char *memory, fgeneral_memory *m)
{
    enum { SUMS = FLOAT_BAND * FLOAT_STRIP, PIECES = 7 };
    const int32_t line_width = problem->width + FLOAT_STRIP - 1;
    const uint64_t line = (uint64_t)line_width + FLOAT_TILE,
                   varies = fgeneral_varies(problem) ? 1 : 0;
    const uint64_t bytes[PIECES] = { float_layout(problem, NULL, NULL),
                                     varies * 3 * SUMS * sizeof(double),
                                     line * sizeof(int64_t),
                                     line,
                                     SUMS * sizeof(xncc_general_real),
                                     xncc_stage_layout(problem, line_width, NULL, NULL),
                                     0 };
    uint64_t at[PIECES], total = 0;
    for (int i = 0; i < PIECES; i++) {
        at[i] = total;
        total += (bytes[i] + 127) / 64 * 64;
    }
    if (memory) {
        (void)float_layout(problem, memory, &m->sums);
        m->N = (double *)(void *)(memory + at[1]);
        m->T = m->N + SUMS;
        m->T2 = m->T + SUMS;
        m->line_mask = (int64_t *)(void *)(memory + at[2]);
        m->count = (uint8_t *)(memory + at[3]);
        m->general = (xncc_general_real *)(void *)(memory + at[4]);
        (void)xncc_stage_layout(problem, line_width, memory + at[5], &m->stage);
    }
    return total;
}

static void fgeneral_shape(const xncc_cpu_kernel *self, const xncc_problem *problem,
                           xncc_shape *shape)
{
    (void)self;
    *shape = (xncc_shape){ .columns = FLOAT_STRIP, .rows = FLOAT_BAND };
    shape->scratch_bytes = fgeneral_layout(problem, NULL, NULL);
    shape->shared_bytes = sizeof(fgeneral_shared) +
                          (uint64_t)problem->width * (uint64_t)problem->height *
                              (uint64_t)xncc_problem_channels(problem) * sizeof(double);
}

static double *fgeneral_values(const void *shared, const xncc_template *templ, int32_t channel)
{
    char *first = (char *)(uintptr_t)shared + sizeof(fgeneral_shared);
    return (double *)(void *)first + (size_t)channel * (size_t)templ->width * (size_t)templ->height;
}

static void fgeneral_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                           void *scratch)
{
    (void)self;
    (void)scratch;
    const xncc_template *templ = job->templ;
    fgeneral_shared *s = shared;
    for (int32_t c = 0; c < templ->channels; c++) {
        double *out = fgeneral_values(shared, templ, c);
        s->T[c] = s->T2[c] = 0.0;
        for (int32_t j = 0; j < templ->height; j++) {
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
typedef struct fgeneral_run {
    const xncc_job *job;
    fgeneral_memory m;
    int32_t width, height;
    int varies;
} fgeneral_run;

/* Prepares the image row of a channel: samples minus the pivot, 0 where the pixel does not
 * count. */
static void fgeneral_line(const fgeneral_run *r, int32_t yy, int32_t channel)
{
    const xncc_stage *stage = &r->m.stage;
    const xncc_pixel pixel = r->job->templ->pixel;
    const int32_t channels = r->job->templ->channels, count = stage->width;
    const double pivot = r->job->general.pivot[channel];
    const void *raw = xncc_stage_raw(stage, yy);
    double *restrict line = r->m.sums.line;
    int64_t *restrict mask = r->m.line_mask;
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

typedef struct fgeneral_row {
    fd S, Q, X, N, T, T2;
} fgeneral_row;

__attribute__((always_inline)) static inline void fgeneral_step(fgeneral_row *row, fd v, fl mask,
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

__attribute__((always_inline)) static inline void
fgeneral_store(const fgeneral_run *r, ptrdiff_t at, const fgeneral_row *row, int varies)
{
    float_add(r->m.sums.S + at, row->S);
    float_add(r->m.sums.Q + at, row->Q);
    float_add(r->m.sums.X + at, row->X);
    if (varies) {
        float_add(r->m.N + at, row->N);
        float_add(r->m.T + at, row->T);
        float_add(r->m.T2 + at, row->T2);
    }
}

/* Adds the products of the image row with template row j to map row `to`. */
__attribute__((always_inline)) static inline void
fgeneral_products(const fgeneral_run *r, const double *t, int32_t j, int32_t to, int varies)
{
    const xncc_template *templ = r->job->templ;
    const int32_t width = templ->width;
    const uint8_t *counts = templ->mask ? templ->mask + (size_t)j * (size_t)width : NULL;
    const fd zero = { 0 };
    t += (size_t)j * (size_t)width;
    for (int32_t x = 0; x < r->width; x += 2 * FLOAT_LANES) {
        fgeneral_row a = { zero, zero, zero, zero, zero, zero }, b = a;
        for (int32_t i = 0; i < width; i++) {
            if (counts && !counts[i])
                continue;
            const double *v = r->m.sums.line + x + i;
            fl mask_a = { 0 }, mask_b = { 0 };
            if (varies) {
                memcpy(&mask_a, r->m.line_mask + x + i, sizeof mask_a);
                memcpy(&mask_b, r->m.line_mask + x + i + FLOAT_LANES, sizeof mask_b);
            }
            fgeneral_step(&a, float_load(v), mask_a, t[i], varies);
            fgeneral_step(&b, float_load(v + FLOAT_LANES), mask_b, t[i], varies);
        }
        fgeneral_store(r, (ptrdiff_t)to * FLOAT_STRIP + x, &a, varies);
        fgeneral_store(r, (ptrdiff_t)to * FLOAT_STRIP + x + FLOAT_LANES, &b, varies);
    }
}

static void fgeneral_channel(const fgeneral_run *r, int32_t channel)
{
    enum { SUMS = FLOAT_BAND * FLOAT_STRIP };
    const xncc_template *templ = r->job->templ;
    const double *t = fgeneral_values(r->job->shared, templ, channel);
    xncc_job job = *r->job;
    job.shared = t;
    memset(r->m.sums.X, 0, 3 * sizeof(double) * SUMS);
    if (r->varies)
        memset(r->m.N, 0, 3 * sizeof(double) * SUMS);
    for (int32_t yy = 0; yy < r->height + templ->height - 1; yy++) {
        const int32_t first = yy - templ->height + 1 > 0 ? yy - templ->height + 1 : 0,
                      last = yy < r->height - 1 ? yy : r->height - 1;
        fgeneral_line(r, yy, channel);
        if (!r->varies && !templ->mask) {
            float_row_sums(&r->m.sums, templ->width);
            float_meet(&r->m.sums, &job, yy, r->height);
            continue;
        }
        for (int32_t to = first; to <= last; to++) {
            if (r->varies)
                fgeneral_products(r, t, yy - to, to, 1);
            else
                fgeneral_products(r, t, yy - to, to, 0);
        }
    }
}

/* Adds the channel's sums to the windows' totals. After the last channel, writes the scores to
 * out. */
static void fgeneral_add(const fgeneral_run *r, int32_t channel, float *out, ptrdiff_t pitch)
{
    const fgeneral_shared *s = r->job->shared;
    for (int32_t y = 0; y < r->height; y++) {
        for (int32_t x = 0; x < r->width; x++) {
            const ptrdiff_t at = (ptrdiff_t)y * FLOAT_STRIP + x;
            xncc_general_reals sums = { r->m.sums.S[at], r->m.sums.Q[at], r->m.sums.X[at],
                                        s->T[channel], s->T2[channel] };
            uint64_t n = r->job->general.whole;
            if (r->varies) {
                n = (uint64_t)r->m.N[at];
                sums.T = r->m.T[at];
                sums.T2 = r->m.T2[at];
            }
            if (channel == 0)
                r->m.general[at] = xncc_general_real_begin(n);
            xncc_general_real_add(&r->m.general[at], &sums);
            if (channel == r->job->templ->channels - 1)
                out[y * pitch + x] = xncc_general_real_score(
                    r->job->problem->method, &r->job->general, n, &r->m.general[at]);
        }
    }
}

static void fgeneral_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                          const xncc_area *area)
{
    (void)self;
    fgeneral_run r = { .job = job, .varies = fgeneral_varies(job->problem) };
    (void)fgeneral_layout(job->problem, scratch, &r.m);
    r.m.stage.job = job;
    for (int32_t y = 0; y < area->height; y += FLOAT_BAND) {
        for (int32_t x = 0; x < area->width; x += FLOAT_STRIP) {
            r.width = area->width - x < FLOAT_STRIP ? area->width - x : FLOAT_STRIP;
            r.height = area->height - y < FLOAT_BAND ? area->height - y : FLOAT_BAND;
            r.m.stage.left = (int64_t)job->x0 + area->x + x;
            r.m.stage.top = (int64_t)job->y0 + area->y + y;
            r.m.stage.width = r.width + job->templ->width - 1;
            r.m.stage.height = r.height + job->templ->height - 1;
            for (int32_t c = 0; c < job->templ->channels; c++) {
                fgeneral_channel(&r, c);
                fgeneral_add(&r, c, area->out + y * area->pitch + x, area->pitch);
            }
        }
    }
}

#endif
