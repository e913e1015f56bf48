/* `direct` for float pixels. Sums are computed in double in the order that score.h defines: each
 * window row from left to right, then the rows from top to bottom, every step rounded. Vectors of
 * FLOAT_LANES doubles cover neighbouring windows, so the order within a window is kept.
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

#include "cpu/kernels/windows.h"

#include <string.h>

typedef double fd __attribute__((vector_size(8 * FLOAT_LANES)));
typedef int64_t fl __attribute__((vector_size(8 * FLOAT_LANES)));
typedef float ff __attribute__((vector_size(4 * FLOAT_LANES)));

static inline fd float_sqrt(fd v);

enum { FLOAT_STRIP = 256, FLOAT_BAND = 64, FLOAT_TILE = 4 * FLOAT_LANES };

typedef struct float_sums {
    double *X, *S, *Q;     /* FLOAT_BAND rows of FLOAT_STRIP sums each */
    double *line;          /* the image row minus the pivot */
    double *row_S, *row_Q; /* the sums of the windows' current row */
    float *raw;
} float_sums;

static uint64_t float_layout(const xncc_problem *problem, char *memory, float_sums *s)
{
    enum { SUMS = FLOAT_BAND * FLOAT_STRIP };
    uint64_t line = (uint64_t)problem->width + FLOAT_STRIP + FLOAT_TILE,
             total = 3 * SUMS + 2 * line + 2 * FLOAT_STRIP;
    if (memory) {
        double *d = (double *)(void *)memory;
        *s = (float_sums){ d,
                           d + SUMS,
                           d + 2 * SUMS,
                           d + 3 * SUMS,
                           d + 3 * SUMS + line,
                           d + 3 * SUMS + line + FLOAT_STRIP,
                           (float *)(void *)(d + 3 * SUMS + line + 2 * FLOAT_STRIP) };
    }
    return total * sizeof(double);
}

static void float_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape)
{
    (void)self;
    *shape = (xncc_shape){ .columns = FLOAT_STRIP, .rows = FLOAT_BAND };
    shape->shared_bytes = (uint64_t)problem->width * (uint64_t)problem->height * sizeof(double);
    shape->scratch_bytes = float_layout(problem, NULL, NULL);
}

/* Stores the template minus the pivot. */
static void float_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                        void *scratch)
{
    (void)scratch;
    (void)self;
    size_t count = (size_t)job->templ->width * (size_t)job->templ->height;
    const float *pixels = job->templ->pixels;
    double *out = shared;
    for (size_t i = 0; i < count; i++)
        out[i] = xncc_centred(pixels[i], job->rule.pivot);
}

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
static void float_row_sums(const float_sums *s, int32_t width)
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

/* Adds image row yy of the band to map rows first .. last, whose windows contain it. Row 0 is the
 * first row of the band's first windows. */
static void float_meet(const float_sums *s, const xncc_job *job, int32_t yy, int32_t rows)
{
    const int32_t width = job->templ->width, height = job->templ->height;
    const double *t = job->shared;
    int32_t first = yy - height + 1 > 0 ? yy - height + 1 : 0, last = yy < rows - 1 ? yy : rows - 1,
            r = first;
    for (; r + 2 <= last; r += 3)
        float_products(s->line, t + (ptrdiff_t)(yy - r) * width, width,
                       s->X + (ptrdiff_t)r * FLOAT_STRIP, 3);
    for (; r <= last; r++)
        float_products(s->line, t + (ptrdiff_t)(yy - r) * width, width,
                       s->X + (ptrdiff_t)r * FLOAT_STRIP, 1);
    for (r = first; r <= last; r++) {
        for (int32_t x = 0; x < FLOAT_STRIP; x += FLOAT_LANES) {
            float_add(s->S + (ptrdiff_t)r * FLOAT_STRIP + x, float_load(s->row_S + x));
            float_add(s->Q + (ptrdiff_t)r * FLOAT_STRIP + x, float_load(s->row_Q + x));
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

static void float_score(const xncc_job *job, const double *S, const double *Q, const double *X,
                        float *out, int32_t count)
{
    if (job->problem->method != XNCC_CCOEFF_NORMED || job->rule.root_var == 0.0) {
        for (int32_t x = 0; x < count; x++)
            out[x] = xncc_score_float(job->problem->method, &job->rule, S[x], Q[x], X[x]);
        return;
    }
    for (int32_t x = 0; x < count; x += FLOAT_LANES) {
        ff score = __builtin_convertvector(
            float_ncc(&job->rule, float_load(S + x), float_load(Q + x), float_load(X + x)), ff);
        memcpy(out + x, &score,
               count - x >= FLOAT_LANES ? sizeof score : (size_t)(count - x) * sizeof *out);
    }
}

/* Computes the map rows and columns of `piece`, at most FLOAT_BAND x FLOAT_STRIP windows. */
static void float_band(const xncc_job *job, const float_sums *s, const xncc_area *area,
                       const xncc_area *piece)
{
    int32_t width = job->templ->width, count = piece->width + width - 1;
    memset(s->X, 0, 3 * sizeof(double) * FLOAT_BAND * FLOAT_STRIP);
    for (int32_t yy = 0; yy < piece->height + job->templ->height - 1; yy++) {
        const float *raw = xncc_border_row_pixels(job, (int64_t)job->y0 + piece->y + yy,
                                                  (int64_t)job->x0 + piece->x, count, s->raw);
        for (int32_t i = 0; i < count; i++)
            s->line[i] = xncc_centred(raw[i], job->rule.pivot);
        float_row_sums(s, width);
        float_meet(s, job, yy, piece->height);
    }
    for (int32_t r = 0; r < piece->height; r++) {
        ptrdiff_t at = (ptrdiff_t)r * FLOAT_STRIP;
        float_score(job, s->S + at, s->Q + at, s->X + at,
                    area->out + (piece->y - area->y + r) * area->pitch + (piece->x - area->x),
                    piece->width);
    }
}

static void float_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                       const xncc_area *area)
{
    (void)self;
    float_sums s = { 0 };
    (void)float_layout(job->problem, scratch, &s);
    for (int32_t y = 0; y < area->height; y += FLOAT_BAND) {
        for (int32_t x = 0; x < area->width; x += FLOAT_STRIP) {
            xncc_area piece = { .x = area->x + x, .y = area->y + y };
            piece.width = area->width - x < FLOAT_STRIP ? area->width - x : FLOAT_STRIP;
            piece.height = area->height - y < FLOAT_BAND ? area->height - y : FLOAT_BAND;
            float_band(job, &s, area, &piece);
        }
    }
}

#endif
