/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the `fft` kernels that all instruction sets share: transforms blocks of the image,
 * multiplies by the template's spectrum, transforms back, and rounds. */
#include "cpu/kernels/fft.h"

#include "cpu/kernels/border_row.h"
#include "cpu/kernels/direct.h"
#include "cpu/kernels/windows.h"

#include <assert.h>
#include <string.h>

static uint64_t spectrum_bytes(const xncc_fft_blocking *c)
{
    return (uint64_t)c->nx * (uint64_t)c->ny * 16;
}

uint64_t xncc_fft_spectrum_bytes(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks)
{
    return self->compute == xncc_fft_compute ? spectrum_bytes(&blocks->fft) : 0;
}

/* One thread's memory. */
typedef struct fft_scratch {
    char *array[2];
    void *buffer;    /* two columns, or a row of the template as doubles */
    int64_t *sum[2]; /* one row of results per plane */
    int32_t *x32;
    void *raw;
    char *windows;
} fft_scratch;

static uint64_t scratch_layout(const xncc_fft_isa *isa, const xncc_cpu_blocks *blocks,
                               int32_t width, char *memory, fft_scratch *s)
{
    const xncc_fft_blocking *c = &blocks->fft;
    const uint64_t strip = (uint64_t)blocks->strip, array = isa->row_bytes(c->nx) * (uint64_t)c->ny;
    uint64_t total = 0;
    for (int i = 0; i < 2; i++) {
        const uint64_t used = i < c->planes ? 1 : 0;
        s->array[i] = xncc_carve(memory, &total, used * array);
        s->sum[i] = xncc_carve(memory, &total, used * strip * sizeof(int64_t));
    }
    s->raw = xncc_carve(memory, &total, 2 * (uint64_t)c->nx * sizeof(uint16_t));
    s->buffer = xncc_carve(
        memory, &total,
        2 * xncc_max_u64((uint64_t)c->ny * XNCC_FFT_COLUMN, (uint64_t)c->nx * sizeof(double)));
    s->x32 = xncc_carve(memory, &total, strip * sizeof(int32_t));
    s->windows = xncc_carve(memory, &total,
                            xncc_windows_bytes(width, blocks->narrow, blocks->strip));
    return total;
}

/* Divides the shared memory into the spectra of the template, one per plane, and the tables. */
static void shared_layout(const xncc_fft_blocking *c, char *shared, char *spectrum[2], char **table)
{
    spectrum[0] = shared;
    spectrum[1] = shared + (c->planes - 1) * (ptrdiff_t)spectrum_bytes(c);
    *table = shared + c->planes * (ptrdiff_t)spectrum_bytes(c);
}

xncc_kernel_memory xncc_fft_memory(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                                   int32_t width)
{
    const xncc_fft_isa *isa = self->variant;
    const xncc_fft_blocking *c = &blocks->fft;
    fft_scratch unused;
    return (xncc_kernel_memory){ .shared = (uint64_t)c->planes * spectrum_bytes(c) +
                                           isa->table_bytes(c->nx, c->ny),
                                 .scratch = scratch_layout(isa, blocks, width, NULL, &unused) };
}

void xncc_fft_begin(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                    const xncc_template *templ, const xncc_watch *watch, void *shared,
                    void *scratch)
{
    const xncc_fft_isa *isa = self->variant;
    const xncc_fft_blocking *c = &blocks->fft;
    fft_scratch s;
    char *spectrum[2], *table;
    shared_layout(c, shared, spectrum, &table);
    (void)scratch_layout(isa, blocks, templ->width, scratch, &s);
    char *array = s.array[0];
    double *value = s.buffer;
    isa->tables(c->nx, c->ny, table);
    memset(value, 0, 2 * (size_t)c->nx * sizeof *value);
    for (int plane = 0; plane < c->planes; plane++) {
        for (int32_t j = 0; j < templ->height && !xncc_is_cancelled(watch); j++) {
            for (int32_t i = 0; i < templ->width; i++) {
                int32_t digit[2];
                xncc_template_digits(templ, (size_t)j * (size_t)templ->width + (size_t)i,
                                     blocks->words, digit);
                value[i] = (double)digit[plane];
            }
            isa->reals_in(table, c, value, array + (uint64_t)j * isa->row_bytes(c->nx));
        }
        isa->columns(
            table, c, watch,
            &(xncc_fft_part){ array, templ->height, .parts = 1, .spectrum = spectrum[plane] });
    }
}

/* The block that is being computed: columns x .. x + width - 1 of the result. */
typedef struct block {
    const xncc_fft_isa *isa;
    const xncc_plane_product *product;
    const xncc_fft_blocking *c;
    fft_scratch s;
    xncc_windows windows;
    const void *table;
    int32_t x, y, width, height;
} block;

static void block_in(const block *b)
{
    const xncc_plane_product *product = b->product;
    const int32_t rows = b->height + product->templ->height - 1;
    xncc_fft_pixels p = { .count = b->width + product->templ->width - 1,
                          .words = product->blocks->words };
    const int64_t left = product->left + b->x, top = product->top + b->y;
    const size_t step = (size_t)b->isa->row_bytes(b->c->nx);
    for (int32_t j = 0; j < rows && !xncc_is_cancelled(product->watch); j++) {
        p.row = xncc_border_row_biased(product->image, product->border, top + j, left, p.count,
                                       b->s.raw);
        b->isa->row_in(b->table, b->c, &p, b->s.array[0] + (uint64_t)j * step);
    }
    memset(b->s.array[0] + (uint64_t)rows * step, 0, (size_t)(b->c->ny - rows) * step);
}

/* Computes a row of products. For bytes, the image was shifted by 128 as well.
 * Adding 128 * sum T' undoes that and leaves the same products as the `direct` kernels compute. */
static void block_products(const block *b, int32_t r)
{
    const xncc_template *templ = b->product->templ;
    const uint64_t step = b->isa->row_bytes(b->c->nx);
    const int64_t constant = 128 *
                             ((int64_t)templ->sum - 128 * (int64_t)templ->width * templ->height);
    if (b->windows.narrow) { /* bytes, so there is one plane */
        b->isa->row_out_narrow(b->table, b->c, b->s.array[0] + (uint64_t)r * step, b->width,
                               (int32_t)constant, b->s.x32);
        return;
    }
    for (int plane = 0; plane < b->c->planes; plane++)
        b->isa->row_out(b->table, b->c, b->s.array[plane] + (uint64_t)r * step, b->width,
                        b->s.sum[plane]);
    int64_t *restrict sum = b->s.sum[0];
    if (b->c->planes == 2) {
        const int64_t *restrict low = b->s.sum[1];
        for (int32_t x = 0; x < b->width; x++)
            sum[x] = sum[x] * 256 + low[x];
        return;
    }
    for (int32_t x = 0; x < b->width; x++)
        sum[x] += constant;
}

/* The spectrum of the block at (x, y) of a product, if templates share it. Returns in *known where
 * it is noted that it is there; NULL if it is not shared. */
static xncc_fft_source source_at(const xncc_plane_product *p, int32_t x, int32_t y, char **known)
{
    const xncc_image_spectra *s = p->spectra;
    *known = NULL;
    if (!s)
        return (xncc_fft_source){ .spectrum = NULL };
    const xncc_fft_blocking *c = &p->blocks->fft;
    const int64_t i = (p->left + x - s->left) / c->across, j = (p->top + y - s->top) / c->down;
    assert((p->left + x - s->left) % c->across == 0 && (p->top + y - s->top) % c->down == 0);
    *known = s->known + j * s->across + i;
    return (xncc_fft_source){
        .spectrum = s->data + (uint64_t)(j * s->across + i) * spectrum_bytes(c), .known = **known
    };
}

/* Prepares what is the same for all blocks of a product. Returns its spectra in spectrum. */
static void block_begin(block *b, const xncc_product_kernel *self,
                        const xncc_plane_product *product, void *scratch, char *spectrum[2])
{
    const xncc_cpu_blocks *blocks = product->blocks;
    char *table;
    *b = (block){ .isa = self->variant, .product = product, .c = &blocks->fft };
    (void)scratch_layout(b->isa, blocks, product->templ->width, scratch, &b->s);
    shared_layout(b->c, (char *)(uintptr_t)product->shared, spectrum, &table);
    b->table = table;
    xncc_windows_begin(&b->windows, self->rows, product, blocks->narrow, blocks->strip,
                       b->s.windows);
}

/* Selects the block at column x and row y. */
static void block_place(block *b, int32_t x, int32_t y)
{
    b->x = x;
    b->y = y;
    b->width = xncc_min_i32(b->c->across, b->product->width - x);
    b->height = xncc_min_i32(b->c->down, b->product->height - y);
    xncc_windows_place(&b->windows, x, b->width);
}

/* Two products are computed as if their templates were two digits of one: the image is transformed
 * once, and its columns are multiplied by both spectra. */
void xncc_fft_compute(const xncc_product_kernel *self, const xncc_plane_product *product,
                      void *const *scratch, int count)
{
    block b[2];
    char *own[2][2];
    assert(count == 1 || count == 2);
    block_begin(&b[0], self, &product[0], scratch[0], own[0]);
    if (count == 2)
        block_begin(&b[1], self, &product[1], scratch[1], own[1]);
    xncc_fft_blocking both = *b[0].c;
    char *array[2] = { b[0].s.array[0], b[0].s.array[1] }, *spectrum[2] = { own[0][0], own[0][1] };
    if (count == 2) {
        assert(both.planes == 1 && product[0].image == product[1].image);
        both.planes = 2;
        array[1] = b[1].s.array[0];
        spectrum[1] = own[1][0];
    }
    for (int32_t y = 0; y < product->height; y += both.down) {
        for (int32_t x = 0; x < product->width && !xncc_is_cancelled(product->watch);
             x += both.across) {
            for (int i = 0; i < count; i++)
                block_place(&b[i], x, y);
            char *known;
            xncc_fft_source source = source_at(product, x, y, &known);
            source.wanted = b[0].height;
            if (!source.known)
                block_in(&b[0]);
            b[0].isa->convolve(b[0].table, &both, product->watch, source, array, spectrum,
                               b[0].s.buffer);
            if (known)
                *known = 1;
            for (int32_t r = 0; r < b[0].height && !xncc_is_cancelled(product->watch); r++)
                for (int i = 0; i < count; i++) {
                    block_products(&b[i], r);
                    xncc_windows_row(&b[i].windows, y + r, r == 0, b[i].s.x32, b[i].s.sum[0]);
                }
        }
    }
}
