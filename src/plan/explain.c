/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a decision, line by line or in a struct (decide.h). */
#include "plan/decide.h"

#include "base/error.h"
#include "base/int_math.h"
#include "plan/cost_cuda.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const buffer_name[XNCC_BUFFERS] = { [XNCC_BUFFER_BAND] = "image band",
                                                       [XNCC_BUFFER_PLANES] = "image planes",
                                                       [XNCC_BUFFER_SUMS] = "products",
                                                       [XNCC_BUFFER_ROWS] = "row sums",
                                                       [XNCC_BUFFER_TEMPLATE] = "template planes",
                                                       [XNCC_BUFFER_TOEPLITZ] = "template layout",
                                                       [XNCC_BUFFER_TRANSFORMS] = "transforms",
                                                       [XNCC_BUFFER_DOUBTS] = "windows in doubt",
                                                       [XNCC_BUFFER_MAP] = "map",
                                                       [XNCC_BUFFER_SEARCH] = "search",
                                                       [XNCC_BUFFER_SOURCE] = "image from the host",
                                                       [XNCC_BUFFER_BATCH] = "batch" };

/* A text that is being written. What does not fit is left out. */
typedef struct writer {
    char *at;
    size_t left; /* bytes, with the terminating zero */
} writer;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(w->at, w->left, format, list);
    va_end(list);
    const size_t some = length < 0 ? 0 : (size_t)length < w->left ? (size_t)length : w->left - 1;
    w->at += some;
    w->left -= some;
}

static void put_bytes(writer *w, uint64_t bytes)
{
    const double kib = 1024.0, mib = kib * kib, value = (double)bytes;
    if (value < kib)
        put(w, "%d bytes", (int)bytes);
    else if (value < mib)
        put(w, "%.1f KiB", value / kib);
    else
        put(w, "%.1f MiB", value / mib);
}

static void put_steps(writer *w, const xncc_decision *d)
{
    for (int32_t i = 0; i < d->step_count; i++)
        put(w, "%s%s", i ? ", " : "steps: ", xncc_step_table[d->step[i]].name);
    if (d->step_count)
        put(w, "\n");
}

static void put_sums(writer *w, const xncc_general_planes *planes)
{
    if (!planes->products)
        return;
    put(w, "sums: %d product%s of byte planes", planes->products, xncc_plural(planes->products));
    if (planes->windows)
        put(w, ", %d window sum%s", planes->windows, xncc_plural(planes->windows));
    put(w, "\n");
}

/* A line with the buffers of the list from `first` to `end` - 1, unless none of them has bytes. */
static void put_buffers(writer *w, const xncc_workspace *sizes, int first, int end,
                        const char *when)
{
    int count = 0;
    for (int i = first; i < end; i++)
        if (sizes->bytes[i]) {
            put(w, "%s%s ", count++ ? ", " : when, buffer_name[i]);
            put_bytes(w, sizes->bytes[i]);
        }
    if (count)
        put(w, "\n");
}

static void put_memory(writer *w, const xncc_decision *d)
{
    put(w, "device memory: at most ");
    put_bytes(w, d->workspace.total + d->stack.bytes);
    put(w, "\n");
    put_buffers(w, &d->workspace, 0, XNCC_BUFFER_SOURCE, "  for every call: ");
    put_buffers(w, &d->workspace, XNCC_BUFFER_SOURCE, XNCC_BUFFERS, "  on first use: ");
}

/* Which memory holds what. conv-tiled has two forms, which differ in the height of a block. Where
 * the pixels that count differ from window to window, the sums of the template are products. */
static void put_memories(writer *w, const xncc_decision *d)
{
    const xncc_kernel_info *row = &xncc_kernel_table[d->kernel];
    const char *templ = row->templ;
    if (row->engine == XNCC_DEVICE_CPU) {
        put(w, "all data: %s\n", row->image);
        return;
    }
    if (d->kernel == XNCC_KERNEL_CONV_TILED)
        templ = d->tile_height == XNCC_CONV_UNROLLED_HEIGHT ? XNCC_AS_PARAMETER : XNCC_IN_CONSTANT;
    if (row->tasks == XNCC_CONVOLVES)
        put(w, "image: %s; filter: %s; ", row->image, templ);
    else
        put(w, "image: %s; template: %s; sums of the template: %s; ", row->image, templ,
            d->planes.needs.sum[XNCC_SUM_T] == XNCC_FROM_PRODUCTS ? row->result : row->sums);
    put(w, "result: %s\n", row->result);
}

/* How several images are searched. */
static void put_stack(writer *w, const xncc_stack *s)
{
    if (s->wanted < 2)
        return;
    if (s->images < 2) {
        put(w, "images: one after the other: %s\n", s->refusal);
        return;
    }
    put(w, "images: up to %d in one launch by kernel %s, with ", s->images,
        xncc_kernel_table[s->kernel].name);
    put_bytes(w, s->bytes);
    put(w, " of memory on first use\n");
}

/* How several devices share a call, and why. */
static void put_spread(writer *w, const xncc_spread *s)
{
    if (s->parts)
        put(w,
            "devices: %d, each with its part of image and map: %d map rows, the last one the "
            "rest\n",
            s->devices, s->rows);
    else if (s->devices > 1)
        put(w,
            "devices: %d of %d, bands of %d map rows: about %.3g ms with images in host memory "
            "instead of %.3g\n",
            s->devices, s->present, s->rows, s->estimate_ms, s->alone_ms);
    else if (s->stays)
        put(w, "devices: 1 of %d: an image or a map in device memory stays on its device\n",
            s->present);
    else if (s->present)
        put(w, "devices: 1 of %d: about %.3g ms, which several would not shorten\n", s->present,
            s->alone_ms);
}

void xncc_decision_explain(const xncc_decision *d, char *text, size_t size)
{
    assert(size >= 1);
    writer w = { text, size };
    put(&w, "kernel %s on the %s engine: %s\n", xncc_kernel_table[d->kernel].name,
        d->engine == XNCC_DEVICE_CPU ? "CPU" : "CUDA", d->reason);
    if (d->refused[0])
        put(&w, "refused before it: %s\n", d->refused);
    put_memories(&w, d);
    put_steps(&w, d);
    put_sums(&w, &d->planes);
    if (d->tile_width)
        put(&w,
            "block of %d x %d map elements, tile pitch %d, %d rows, %d bytes of shared memory\n",
            d->tile_width, d->tile_height, d->tile_pitch, d->tile_rows, d->shared_bytes);
    if (d->tensor.across * d->tensor.down > 1)
        put(&w, "template in %d x %d blocks of %d x %d pixels\n", d->tensor.across, d->tensor.down,
            d->tensor.width, d->tensor.height);
    if (d->fft.width)
        put(&w, "transforms of %d x %d points, %d at a time, template pieces of %d x %d\n",
            d->fft.width, d->fft.height, d->fft.batch, d->fft.columns, d->fft.rows);
    if (d->band_height)
        put(&w, "bands of %d x %d map elements\n", d->band_width, d->band_height);
    if (d->searches_products)
        put(&w, "search without a map: one match by the best score, several by a list of tiles\n");
    if (d->engine == XNCC_DEVICE_CUDA)
        put_memory(&w, d);
    put_spread(&w, &d->spread);
    put_stack(&w, &d->stack);
}

/* Kernels that put the template or the filter into constant memory share it with other plans. Two
 * convolutions pass the filter as a parameter. */
static int uses_constant_memory(const xncc_decision *d)
{
    return d->constant_rows > 0 && d->kernel != XNCC_KERNEL_CONV_REGISTERS &&
           !(d->kernel == XNCC_KERNEL_CONV_TILED && d->tile_height == XNCC_CONV_UNROLLED_HEIGHT);
}

void xncc_decision_describe(const xncc_decision *d, int32_t width, int32_t height,
                            xncc_plan_info *info)
{
    const xncc_plan_info none = XNCC_PLAN_INFO_INIT;
    *info = none;
    info->engine = d->engine;
    info->kernel = xncc_kernel_table[d->kernel].name;
    info->bands = 1;
    info->estimate_ms = d->estimate_ms;
    info->devices = d->spread.devices > 1 ? d->spread.devices : 1;
    info->images = d->stack.images > 1 ? d->stack.images : 1;
    if (d->engine == XNCC_DEVICE_CPU)
        return;
    info->capturable = !uses_constant_memory(d) && !(d->spread.parts && d->spread.devices > 1);
    info->workspace_bytes = d->workspace.total + d->stack.bytes;
    if (d->band_width && d->band_height)
        info->bands = xncc_ceil_div(width, d->band_width) * xncc_ceil_div(height, d->band_height);
}
