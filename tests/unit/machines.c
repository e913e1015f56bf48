/* SPDX-License-Identifier: BSD-2-Clause */
/* The machines that decisions are tested on (machines.h). */
#include "unit/machines.h"

#include "plan/cost_cuda.h"
#include "plan/cost_fft_cuda.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const machine_name[MACHINES] = { "one thread", "CPU",  "48 KB", "T4",
                                             "A100",       "H200", "tiny" };

xncc_machine machine(int which)
{
    xncc_machine m = { .cpu.threads = 1 };
    if (which == 0)
        return m;
    m.cpu.threads = 8;
    m.cpu.features = XNCC_CPU_AVX2_FMA | (which > 3 ? XNCC_CPU_AVX512_VNNI : 0);
    if (which == 1)
        return m;
    m.cuda.present = 1;
    m.cuda.constant_bytes = 65536;
    m.cuda.texture_width = 131072;
    m.cuda.texture_height = 65000;
    m.cuda.texture_pitch = 2097120;
    m.cuda.workspace = INT64_C(4) << 30;
    m.cuda.fft = which != 2;
    static const struct {
        int32_t major, minor, processors;
        int64_t shared, optin;
    } gpu[] = { { 7, 5, 16, 49152, 49152 },
                { 7, 5, 40, 49152, 65536 },
                { 8, 0, 108, 49152, 166912 },
                { 9, 0, 132, 49152, 232448 },
                { 7, 5, 1, 8192, 8192 } };
    m.cuda.major = gpu[which - 2].major;
    m.cuda.minor = gpu[which - 2].minor;
    m.cuda.processors = gpu[which - 2].processors;
    m.cuda.shared_memory = gpu[which - 2].shared;
    m.cuda.shared_optin = gpu[which - 2].optin;
    if (which == 6) {
        m.cuda.constant_bytes = 1024;
        m.cuda.texture_width = 4096;
        m.cuda.texture_height = 512;
        m.cuda.texture_pitch = 8192;
        m.cuda.workspace = 4 << 20;
    }
    return m;
}

xncc_problem matching(xncc_pixel pixel, int32_t image_width, int32_t image_height, int32_t width,
                      int32_t height)
{
    return kit_problem((xncc_problem){ .pixel = pixel,
                                       .image_width = image_width,
                                       .image_height = image_height,
                                       .templ_width = width,
                                       .templ_height = height });
}

xncc_status decide(const xncc_problem *problem, const xncc_machine *m, const char *kernel,
                   xncc_decision *decision, xncc_error *error)
{
    memset(decision, 0, sizeof *decision);
    memset(error, 0, sizeof *error);
    xncc_status status = xncc_decide(
        problem, m, &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = kernel },
        decision, error);
    if (status)
        CHECK(error->text[0] != '\0' && !strchr(error->text, '\n'));
    else
        CHECK(decision->reason[0] != '\0' && !strchr(decision->reason, '\n'));
    return status;
}

int64_t pixel_size(xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? 1 : pixel == XNCC_U16 ? 2 : 4;
}

int mentions(const xncc_error *error, long long number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    return strstr(error->text, text) != NULL;
}

static uint64_t up128(uint64_t n)
{
    return (n + 127) / 128 * 128;
}

static int has_large_prime(int32_t n)
{
    for (int32_t prime = 2; prime <= 7; prime++)
        while (n % prime == 0)
            n /= prime;
    return n != 1;
}

/* Checks that the transforms are large enough, fit the memory next to the bands, and are short
 * enough to be rounded to exact integers. */
static void check_fft_blocks(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const xncc_fft_blocks *b = &d->fft;
    CHECK(p->pixel != XNCC_F32 && m->cuda.fft);
    CHECK(b->batch >= 1 && b->columns >= 1 && b->rows >= 1 && b->columns <= p->templ_width &&
          b->rows <= p->templ_height);
    CHECK(b->width >= b->columns && b->height >= b->rows && !has_large_prime(b->width) &&
          !has_large_prime(b->height));
    double points = (double)b->width * b->height, pixels = (double)b->columns * b->rows;
    /* the worst case is all bytes 255 in both halves of the image's block: the squares sum to 2 *
     * points * 255^2 */
    CHECK(40 * log2(points) * pow(2, -53) * sqrt(2 * points * 255 * 255) *
              sqrt(pixels * 255 * 255) <
          0.25);
    uint64_t bytes = (uint64_t)b->width * (uint64_t)b->height * 16,
             batches = p->pixel == XNCC_U8 ? 2 : 3, spectra = p->pixel == XNCC_U8 ? 1 : 2;
    CHECK(d->workspace.bytes[XNCC_BUFFER_TRANSFORMS] >=
          bytes * (batches * (uint64_t)b->batch + spectra));
}

int is_small(const xncc_problem *p)
{
    return p->templ_width <= 16 && p->templ_height <= 16;
}

/* Checks that the blocks of exact sums cover the band, and that there is room for a pair of blocks
 * of samples that take four primes; and for 13 primes if the machine has it. Templates of at most
 * 640 rows have shorter columns. Kernel general has a count of windows in doubt, and blocks unless
 * the template is small, or has at most 128 pixels if the image tells which pixels count. */
static void check_exact_blocks(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const xncc_exact_blocks *b = &d->exact;
    const int all = d->kernel == XNCC_KERNEL_FLOAT_PRIMES,
              counts = (all || xncc_decision_has(d, XNCC_STEP_PIXELS)) &&
                       p->rule.method != XNCC_COVERAGE &&
                       (p->pixel == XNCC_F32 || p->pixel == XNCC_F64 || p->pixel == XNCC_U32),
              small = is_small(p) &&
                      !(xncc_problem_image_varies(p) && p->templ_width * p->templ_height > 128);
    CHECK((d->workspace.bytes[XNCC_BUFFER_DOUBTS] != 0) == (b->width != 0 || counts));
    CHECK(!b->width || xncc_kernel_is_of_doubles(d->kernel) || (counts && !small));
    CHECK(!all || (b->width != 0) == !is_small(p));
    if (!b->width)
        return;
    for (int i = 0; i < 2; i++) {
        const int32_t side = i ? b->height : b->width;
        CHECK(side == 512 || side == 1024 || (side == 2048 && (i == 0 || p->templ_height > 512)));
    }
    CHECK(b->step_x == b->width - p->templ_width + 1 && b->step_x > 0);
    CHECK(b->step_y == b->height - p->templ_height + 1 && b->step_y > 0);
    CHECK_INT(b->count, ((d->band_width + b->step_x - 1) / b->step_x) *
                            ((d->band_height + b->step_y - 1) / b->step_y));
    /* Without masks: values, X, S of each channel and Q of two blocks, and spectra of the
     * template's values. Other methods than the centred normed ones have less. */
    const uint64_t C = (uint64_t)p->channels, points = (uint64_t)b->width * (uint64_t)b->height,
                   each = p->rule.method == XNCC_CCOEFF_NORMED ? points * (8 * (2 * C + 2) + 4 * C)
                                                               : points * (8 * 2 + 4),
                   usual = UINT64_C(512) << (20 + !xncc_problem_is_single(p)),
                   of_rest = (uint64_t)m->cuda.workspace / 2;
    CHECK(b->bytes >= 4 * each);
    CHECK(b->bytes <= usual || b->bytes <= of_rest);
    CHECK(b->bytes >= 13 * each || b->bytes + d->workspace.total > of_rest / 2);
    CHECK(d->workspace.bytes[XNCC_BUFFER_DOUBTS] >= b->bytes);
    CHECK(10 * m->cuda.major + m->cuda.minor >= 75);
    const double pixels = (double)p->templ_width * p->templ_height,
                 alone_ns = xncc_is_small_template(p) ? 10 + 0.014 * pixels : 100 + 0.2 * pixels;
    CHECK(all || (double)d->band_width * d->band_height * alone_ns > 0.99e6);
}

/* What kernels for floats by transforms have beside these: X, and two lists of windows in doubt
 * with 256 sums of 64 bytes; S and Q of columns, a bound per 128 columns of 64 rows, and four
 * doubles per column of 32 rows. */
static void check_column_sums(const xncc_problem *p, const xncc_decision *d)
{
    const uint64_t columns = up128((uint64_t)d->band_width + (uint64_t)p->templ_width - 1),
                   height = (uint64_t)d->band_height, strips = (height + 63) / 64,
                   groups = (height + (uint64_t)p->templ_height - 1 + 31) / 32;
    CHECK(d->workspace.sums >= (uint64_t)d->band_width * height * 8);
    CHECK(d->workspace.bytes[XNCC_BUFFER_SUMS] >=
          d->workspace.sums + d->workspace.doubts * 16 + 256 * 64);
    CHECK(d->workspace.reach >= columns * height * 16);
    CHECK(d->workspace.groups >= d->workspace.reach + columns / 128 * strips * 8);
    CHECK(d->workspace.bytes[XNCC_BUFFER_ROWS] >= d->workspace.groups + columns * groups * 32);
}

/* Blocks that cover a band. */
static int64_t count_of(const xncc_decision *d, const xncc_fft_blocks *b, int32_t width,
                        int32_t height)
{
    const int64_t across = width - b->columns + 1, down = height - b->rows + 1;
    return (d->band_width + across - 1) / across * ((d->band_height + down - 1) / down);
}

/* Transforms of samples in two parts: powers of two; half of the frequencies, two complex numbers
 * each, of a batch of blocks and of the template; six doubles per block, four per block and level
 * of 14, five kilobytes, and the template in double. For products that are made together, there are
 * two batches, and of each product a template, three doubles per block, and one more per sum. */
static void check_split_blocks(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d,
                               const xncc_fft_blocks *b, uint64_t bytes)
{
    CHECK(p->pixel == XNCC_F32 || p->pixel == XNCC_F64 || p->pixel == XNCC_U32);
    CHECK(b->columns == p->templ_width && b->rows == p->templ_height);
    CHECK(m->cuda.shared_optin >= 160 << 10);
    for (int i = 0; i < 2; i++) {
        const int32_t side = i ? b->height : b->width, piece = i ? b->rows : b->columns;
        CHECK((side == 512 || side == 1024 || side == 2048 || side == 4096) && piece <= side &&
              piece <= 1024);
    }
    CHECK_INT(b->count, count_of(d, b, b->width, b->height));
    CHECK(b->batch >= 1 && b->batch <= b->count);
    const uint64_t one = ((uint64_t)b->width / 2 + 1) * (uint64_t)b->height * 32,
                   together = (uint64_t)b->together, sums = (uint64_t)b->sums;
    CHECK(together >= 1 && together <= 8);
    CHECK(bytes >= one * (uint64_t)b->batch * (together > 1 ? 2 : 1) + one * together +
                       (uint64_t)b->count * (3 + 3 * together + 4 * 14 + sums) * 8 +
                       (uint64_t)b->columns * (uint64_t)b->rows * 8 + 5120);
}

static void check_split(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    check_split_blocks(p, m, d, &d->fft, d->workspace.bytes[XNCC_BUFFER_TRANSFORMS]);
    if (xncc_decision_has(d, XNCC_STEP_FLOAT_SUMS)) {
        CHECK(p->channels <= 8 && p->rule.method != XNCC_COVERAGE);
        CHECK(d->fft.sums >= (p->templ_masked ? 2 + p->channels : 1));
        return;
    }
    CHECK(p->channels == 1 && !p->templ_masked && !p->image_masked);
    CHECK(d->fft.sums == 0 && d->fft.together == 1);
    check_column_sums(p, d);
}

/* Kernels for floats by transforms that have no such blocks themselves have them for X by levels,
 * where there are exact sums and room for them. */
static void check_levels(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const int serves = d->kernel == XNCC_KERNEL_FLOAT_FFT || d->kernel == XNCC_KERNEL_FLOAT_TILES;
    const uint64_t bytes = d->workspace.bytes[XNCC_BUFFER_DOUBTS];
    if (!d->levels.batch) {
        CHECK(!serves || !d->exact.width || p->templ_width > 1024 || p->templ_height > 1024 ||
              m->cuda.shared_optin < 160 << 10 ||
              d->workspace.total + d->exact.bytes / 2 > (uint64_t)m->cuda.workspace / 2);
        return;
    }
    CHECK(serves && d->exact.width &&
          (bytes <= UINT64_C(512) << 20 || bytes <= (uint64_t)m->cuda.workspace / 2));
    check_split_blocks(p, m, d, &d->levels, bytes);
}

/* Transforms of floats, which are not rounded: they are large enough for the whole template, cover
 * the band in pairs of blocks, and fit the memory. */
static void check_float_blocks(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const xncc_fft_blocks *b = &d->fft;
    CHECK(p->pixel == XNCC_F32 || p->pixel == XNCC_F64 || p->pixel == XNCC_U32);
    CHECK(p->channels == 1 && !p->templ_masked && !p->image_masked);
    CHECK(b->columns == p->templ_width && b->rows == p->templ_height);
    CHECK(b->width >= b->columns && b->height >= b->rows && !has_large_prime(b->width) &&
          !has_large_prime(b->height));
    if (d->kernel == XNCC_KERNEL_FLOAT_TILES)
        CHECK(b->width == 64 && b->height == 64 && m->cuda.shared_optin >= 76 << 10);
    else
        CHECK(m->cuda.fft && b->batch >= 1);
    CHECK_INT(b->count, (count_of(d, b, b->width, b->height) + 1) / 2);
    const uint64_t transform = (uint64_t)b->width * (uint64_t)b->height * 16;
    /* a batch, its work area, the spectrum, two bounds per pair, and the template in double */
    CHECK(d->workspace.bytes[XNCC_BUFFER_TRANSFORMS] >=
          transform * (2 * (uint64_t)b->batch + 1) + (uint64_t)b->count * 16 +
              (uint64_t)b->columns * (uint64_t)b->rows * 8);
    check_column_sums(p, d);
}

/* Sums of floats by integers alone: a bit per column of samples for each row of windows. */
static void check_prime_sums(const xncc_problem *p, const xncc_decision *d)
{
    CHECK(p->pixel == XNCC_F32 || p->pixel == XNCC_F64 || p->pixel == XNCC_U32);
    CHECK(p->channels == 1 && !p->templ_masked && !p->image_masked);
    CHECK(p->templ_width <= 1536 && p->templ_height <= 1536 && !d->fft.batch && !d->levels.batch);
    CHECK(d->workspace.rows_pitch * 32 >= (uint64_t)d->band_width + (uint64_t)p->templ_width - 1);
    CHECK(d->workspace.bytes[XNCC_BUFFER_ROWS] >=
          d->workspace.rows_pitch * 4 * (uint64_t)d->band_height);
}

/* Sums of floats without transforms: the template is small enough, and a block has room for it and
 * for the samples and sums of 32 x 64 windows. */
static void check_fused_floats(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    CHECK(p->pixel == XNCC_F32 || p->pixel == XNCC_F64 || p->pixel == XNCC_U32);
    CHECK(p->channels == 1 && !p->templ_masked && !p->image_masked);
    CHECK(is_small(p));
    const int64_t pixels = (int64_t)p->templ_width * p->templ_height,
                  rows = 64 + p->templ_height - 1;
    CHECK(d->shared_bytes >= 8 * (pixels + rows * (32 + p->templ_width - 1 + 32)));
    CHECK(d->shared_bytes + 1024 <= (m->cuda.shared_optin > m->cuda.shared_memory
                                         ? m->cuda.shared_optin
                                         : m->cuda.shared_memory));
    /* the template in double, and two lists of windows in doubt */
    CHECK(d->workspace.bytes[XNCC_BUFFER_TRANSFORMS] >= (uint64_t)pixels * 8 + 512);
    CHECK(d->workspace.doubts >= (uint64_t)d->band_width * (uint64_t)d->band_height / 8);
    CHECK(d->workspace.bytes[XNCC_BUFFER_SUMS] >= d->workspace.doubts * 16 + 256 * 64);
    CHECK_INT(d->workspace.bytes[XNCC_BUFFER_ROWS], 0);
}

/* Kernels that read the image through textures. */
static int reads_textures(xncc_kernel kernel)
{
    return kernel == XNCC_KERNEL_SHARED || kernel == XNCC_KERNEL_TEX_CONSTANT ||
           kernel == XNCC_KERNEL_TEX_TEX || kernel == XNCC_KERNEL_FFT_CUDA;
}

/* Checks the steps and the memory: the steps cover the stages in order, each once, and the buffers
 * add up to no more than the limit. */
static void check_steps(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    uint64_t total = 0;
    for (int i = 0; i < XNCC_BUFFERS; i++)
        total += d->workspace.bytes[i];
    CHECK(total == d->workspace.total && total <= (uint64_t)m->cuda.workspace);
    CHECK(d->map_rows >= d->band_height);
    check_exact_blocks(p, m, d);
    check_levels(p, m, d);
    if (p->task != XNCC_TASK_MATCH) {
        CHECK_INT(d->step_count, 0);
        CHECK_INT(d->exact.width, 0);
        return;
    }
    CHECK(d->step_count >= 1 && d->step_count <= XNCC_MAX_STEPS);
    CHECK_INT(xncc_step_table[d->step[0]].first, XNCC_STAGE_IMAGE);
    CHECK_INT(xncc_step_table[d->step[d->step_count - 1]].last, XNCC_STAGE_SCORES);
    for (int32_t i = 1; i < d->step_count; i++) {
        const xncc_step_row *before = &xncc_step_table[d->step[i - 1]],
                            *row = &xncc_step_table[d->step[i]];
        /* the window sums of the masked score are products: it has no stage of windows; and the
         * column score adds up what the row sums began */
        CHECK(row->first > before->last || d->step[i] == XNCC_STEP_COLUMN_SCORE);
        CHECK(row->first <= before->last + 1 || d->step[i] == XNCC_STEP_MASKED_SCORE ||
              d->step[i] == XNCC_STEP_TERM_SCORE);
    }
    CHECK(d->workspace.bytes[XNCC_BUFFER_MAP] >=
          (uint64_t)d->band_width * (uint64_t)d->band_height * 4);
}

void check_cuda(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    int64_t limit = m->cuda.shared_optin > m->cuda.shared_memory ? m->cuda.shared_optin
                                                                 : m->cuda.shared_memory;
    int32_t map_width = p->image_width, map_height = p->image_height;
    if (p->task == XNCC_TASK_MATCH && p->rule.mode == XNCC_VALID) {
        map_width -= p->templ_width - 1;
        map_height -= p->templ_height - 1;
    }
    CHECK(m->cuda.present);
    CHECK(d->shared_bytes <= limit);
    CHECK(d->tile_pitch % 64 == 0);
    CHECK(d->band_width >= 1 && d->band_width <= map_width);
    CHECK(d->band_height >= 1 && d->band_height <= map_height);
    if (d->kernel == XNCC_KERNEL_SHARED || d->kernel == XNCC_KERNEL_CONV_TILED)
        CHECK(d->shared_bytes == d->tile_pitch * d->tile_rows);
    if (d->kernel == XNCC_KERNEL_SHARED) {
        CHECK(d->tile_pitch >= (d->tile_width + p->templ_width - 1) * pixel_size(p->pixel));
        CHECK(d->tile_rows == d->tile_height + d->constant_rows - 1);
    }
    if (d->kernel == XNCC_KERNEL_SHARED || d->kernel == XNCC_KERNEL_TEX_CONSTANT) {
        CHECK(d->constant_rows >= 1 && d->constant_rows <= p->templ_height);
        CHECK(d->constant_rows * p->templ_width * pixel_size(p->pixel) <= m->cuda.constant_bytes);
    }
    check_steps(p, m, d);
    if (reads_textures(d->kernel)) {
        int64_t columns = (int64_t)d->band_width + p->templ_width - 1,
                rows = (int64_t)d->band_height + p->templ_height - 1;
        columns = columns < p->image_width ? columns : p->image_width;
        rows = rows < p->image_height ? rows : p->image_height;
        CHECK(columns <= m->cuda.texture_width &&
              columns * pixel_size(p->pixel) <= m->cuda.texture_pitch);
        CHECK(rows <= m->cuda.texture_height);
    }
    if (d->kernel == XNCC_KERNEL_FFT_CUDA)
        check_fft_blocks(p, m, d);
    else if (d->kernel == XNCC_KERNEL_FLOAT_FFT || d->kernel == XNCC_KERNEL_FLOAT_TILES)
        check_float_blocks(p, m, d);
    else if (d->kernel == XNCC_KERNEL_FLOAT_SPLIT)
        check_split(p, m, d);
    else if (d->kernel == XNCC_KERNEL_FLOAT_FUSED)
        check_fused_floats(p, m, d);
    else if (d->kernel == XNCC_KERNEL_FLOAT_PRIMES)
        check_prime_sums(p, d);
    else
        CHECK_INT(d->fft.batch, 0);
    if (d->kernel == XNCC_KERNEL_CONV_TILED)
        CHECK(d->tile_pitch >= (d->tile_width + p->templ_width - 1) * 4 &&
              d->tile_rows == d->tile_height + p->templ_height - 1);
}

void check_cheapest(const xncc_problem *p, const xncc_decision *chosen, const xncc_decision *forced,
                    int count)
{
    double best[] = { INFINITY, INFINITY }; /* of all, and of those that are not at risk */
    int other = 0;
    for (int i = 0; i < count; i++) {
        best[0] = fmin(best[0], forced[i].estimate_ms);
        if (!xncc_is_at_risk(p, &forced[i]))
            best[1] = fmin(best[1], forced[i].estimate_ms);
    }
    const int safe = best[1] <= XNCC_SAFETY * best[0];
    CHECK(chosen->estimate_ms == best[safe]);
    CHECK(!safe || !xncc_is_at_risk(p, chosen) || best[0] == best[1]);
    for (int i = 0; i < count; i++) {
        if (forced[i].kernel == chosen->kernel || (safe && xncc_is_at_risk(p, &forced[i])))
            continue;
        other = 1;
        CHECK(chosen->has_runner_up && chosen->runner_up_ms <= forced[i].estimate_ms);
    }
    CHECK(!other || chosen->runner_up != chosen->kernel);
}
