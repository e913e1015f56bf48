/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of direct products modulo primes (reals_residues.h). */
#include "cpu/kernels/reals_residues.h"

#include "cpu/kernels/reals_planes.h"

#include <math.h>
#include <string.h>

/* Sums of products of a channel. */
typedef struct sums {
    xncc_reals_run *r;
    xncc_moduli m;
    const xncc_planes *planes[2]; /* of the image, and of the template */
    ptrdiff_t line;               /* doubles of a row of the image */
    size_t image, templ, plane;   /* doubles modulo a prime: residues of the image and of the
                                     template, and sums */
    int32_t width, height;        /* of the part of the template after which sums are reduced */
} sums;

/* About how many planes of slices are not all 0 in a row of the image, by some of its samples. */
static double planes_of_row(const sums *s)
{
    enum { ROWS = 8, COLUMNS = 64 };
    xncc_reals_run *r = s->r;
    const int32_t height = r->m.stage.height, step = height / ROWS | 1,
                  width = xncc_min_i32(r->m.stage.width, COLUMNS);
    double planes = 0.0, rows = 0.0, unused[XNCC_MOST_PLANES] = { 0.0 };
    for (int32_t yy = step / 2; yy < height; yy += step) {
        (void)xncc_reals_read_samples(r, s->planes[0], yy);
        uint64_t any = xncc_reals_slice_line(r, s->planes[0], width, r->m.digit_rows, unused);
        for (; any; any &= any - 1)
            planes += 1.0;
        rows += 1.0;
    }
    return planes / rows;
}

/* Do sums modulo primes take less time? All samples are cut in digits, and all windows put
 * together, for each prime, which take as long as so many products. */
static int pays(const sums *s)
{
    enum { OF_ROW = 3, OF_WINDOW = 8 };
    const xncc_template *templ = s->r->job->templ;
    const double n = (double)templ->width * templ->height, moduli = s->m.count,
                 rows = 1.0 + (templ->height - 1.0) / s->r->area->height,
                 least = moduli * (OF_ROW * rows + OF_WINDOW), of_templ = s->planes[1]->count;
    return (s->planes[0]->count * of_templ - moduli) * n > least &&
           (planes_of_row(s) * of_templ - moduli) * n > least;
}

/* The parts of the template: a few rows of it if possible, since samples are loaded once for all
 * rows of a part. */
static void choose_part(sums *s, int32_t products)
{
    enum { ROWS = 3 };
    const xncc_template *templ = s->r->job->templ;
    const int32_t most = products / xncc_min_i32(ROWS, templ->height);
    s->width = xncc_ceil_div(templ->width, xncc_ceil_div(templ->width, most));
    s->height = xncc_min_i32(products / s->width, templ->height);
}

/* Chooses the primes, and divides the work. Returns 0 if there are too few, or too little memory.
 */
static int begin(sums *s)
{
    const xncc_reals_run *r = s->r;
    const xncc_template *templ = r->job->templ;
    const xncc_slicing *of[] = { &s->planes[0]->of, &s->planes[1]->of };
    const double n = (double)templ->width * templ->height;
    const int most = of[0]->bits > of[1]->bits ? of[0]->bits : of[1]->bits;
    const xncc_moduli_kind kind = n <= xncc_moduli_products(XNCC_MODULI_OF_FEW)
                                      ? XNCC_MODULI_OF_FEW
                                      : XNCC_MODULI_OF_MANY;
    if (r->of_slices.fft || s->planes[0]->kind != XNCC_PLANES_VALUE ||
        s->planes[1]->kind != XNCC_PLANES_VALUE ||
        !xncc_moduli_make(kind, of[0]->bits + of[1]->bits + ilogb(n) + 1,
                          xncc_slices_of(most, XNCC_MODULI_BITS), &s->m) ||
        s->m.count > xncc_min_i32(r->m.image_planes, r->m.templ_planes))
        return 0;
    choose_part(s, xncc_moduli_products(kind));
    s->line = (ptrdiff_t)r->m.stage.pitch;
    s->templ = (size_t)templ->width * (size_t)templ->height;
    s->image = (size_t)s->line * (size_t)r->m.stage.height;
    s->plane = xncc_reals_sums_of_weight(r);
    return 1;
}

/* Cuts the samples in m.line into slices, and computes their residues: those modulo prime i go to
 * out + i * step. */
static void make_residues(const sums *s, int of_templ, int32_t width, double *out, size_t step)
{
    const xncc_reals_run *r = s->r;
    xncc_planes slices = *s->planes[of_templ];
    double unused[XNCC_MOST_PLANES] = { 0.0 };
    slices.bits = XNCC_MODULI_BITS;
    slices.count = s->m.slices;
    (void)xncc_reals_slice_line(r, &slices, width, r->m.digit_rows, unused);
    r->isa->moduli->residues(&s->m, r->m.digit_rows, s->line, width, out, (ptrdiff_t)step);
}

/* Reads the residues of the template times p / P. */
static void read_template(const sums *s)
{
    const xncc_reals_run *r = s->r;
    const size_t width = (size_t)r->job->templ->width, line = (size_t)s->line;
    for (int32_t j = 0; j < r->job->templ->height && !xncc_is_cancelled(r->job->watch); j++) {
        (void)xncc_reals_read_samples(s->r, s->planes[1], j);
        make_residues(s, 1, (int32_t)width, r->m.plane_rows, line);
        for (int32_t i = 0; i < s->m.count; i++) {
            double *row = r->m.plane_rows + (size_t)i * line;
            r->isa->moduli->reduce(&s->m, i, s->m.cofactor[i], row, (int32_t)width);
            memcpy(r->m.templ_slices + (size_t)i * s->templ + (size_t)j * width, row,
                   width * sizeof(double));
        }
    }
}

static void read_image(const sums *s)
{
    xncc_reals_run *r = s->r;
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        (void)xncc_reals_read_samples(r, s->planes[0], yy);
        make_residues(s, 0, r->m.stage.width, r->m.image_slices + (size_t)yy * (size_t)s->line,
                      s->image);
    }
}

/* The sums modulo prime i. */
static void multiply(const sums *s, int32_t i)
{
    const xncc_reals_run *r = s->r;
    const int32_t width = r->job->templ->width, height = r->job->templ->height;
    xncc_reals_gathering g = { .step = s->line,
                               .templ_step = width,
                               .rows = r->area->height,
                               .columns = r->area->width,
                               .watch = r->job->watch,
                               .sum = r->m.weight_sums + (size_t)i * s->plane,
                               .stride = r->stride };
    for (int32_t j = 0; j < height && !xncc_is_cancelled(r->job->watch); j += s->height)
        for (int32_t k = 0; k < width; k += s->width) {
            if (g.more)
                r->isa->moduli->reduce(&s->m, i, 1.0, g.sum, r->stride * r->area->height);
            g.line = r->m.image_slices + (size_t)i * s->image + j * s->line + k;
            g.templ = r->m.templ_slices + (size_t)i * s->templ + j * g.templ_step + k;
            g.width = xncc_min_i32(s->width, width - k);
            g.height = xncc_min_i32(s->height, height - j);
            r->isa->gather(&g);
            g.more = 1;
        }
}

/* Puts row y of the sums together. */
static void collect_row(const sums *s, int32_t y, const xncc_numbers *to)
{
    const xncc_reals_run *r = s->r;
    const double *sum[XNCC_MOST_MODULI];
    for (int32_t i = 0; i < s->m.count; i++)
        sum[i] = r->m.weight_sums + (size_t)i * s->plane + (size_t)y * (size_t)r->stride;
    r->isa->moduli->combine(&s->m, sum, r->area->width, to);
}

int xncc_reals_multiply_residues(xncc_reals_run *r, const xncc_planes *image,
                                 const xncc_planes *templ, const xncc_numbers *out, ptrdiff_t rows)
{
    sums s = { .r = r, .planes = { image, templ } };
    if (!begin(&s) || !pays(&s))
        return 0;
    memset(r->m.digit_rows, 0, (size_t)s.line * (size_t)s.m.slices * sizeof(double));
    read_template(&s);
    read_image(&s);
    for (int32_t i = 0; i < s.m.count; i++)
        multiply(&s, i);
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        const xncc_numbers to = { out->digit + y * rows, out->step, out->count, 0 };
        collect_row(&s, y, &to);
    }
    return 1;
}
