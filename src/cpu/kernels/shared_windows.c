/* SPDX-License-Identifier: BSD-2-Clause */
/* What several searches in one image share (shared_windows.h). */
#include "cpu/kernels/shared_windows.h"

#include "cpu/kernels/fft.h"
#include "cpu/kernels/integers.h"
#include "cpu/kernels/windows.h"

#include <string.h>

int xncc_shares_windows(const xncc_cpu_kernel *self, const xncc_cpu_blocks *blocks)
{
    return self->area == xncc_integers_area && blocks->tile.whole && blocks->narrow;
}

uint64_t xncc_shared_windows_bytes(int32_t templ_width, int32_t width)
{
    return xncc_windows_bytes(templ_width, 1, (width + 7) / 8 * 8);
}

void xncc_shared_windows_fill(const xncc_cpu_kernel *self, const xncc_job *job,
                              const xncc_area *area, void *scratch, uint64_t *out)
{
    const xncc_product_kernel *inner = self->variant;
    const xncc_template shape = { .width = job->problem->templ_width,
                                  .height = job->problem->templ_height };
    const xncc_plane_product p = { .blocks = job->blocks,
                                   .image = job->image,
                                   .border = job->problem->rule.border,
                                   .left = area->x,
                                   .top = area->y,
                                   .width = area->width,
                                   .height = area->height,
                                   .templ = &shape,
                                   .watch = job->watch };
    xncc_windows windows;
    xncc_windows_begin(&windows, inner->rows, &p, 1, (area->width + 7) / 8 * 8, scratch);
    xncc_windows_place(&windows, 0, area->width);
    for (int32_t y = 0; y < area->height && !xncc_is_cancelled(job->watch); y++) {
        xncc_windows_sums(&windows, y, y == 0);
        memcpy(out + y * area->pitch, windows.window, (size_t)area->width * sizeof *out);
    }
}

uint64_t xncc_shared_spectrum_bytes(const xncc_cpu_kernel *self, const xncc_cpu_blocks *blocks)
{
    return self->area == xncc_integers_area && blocks->tile.whole
               ? xncc_fft_spectrum_bytes(self->variant, blocks)
               : 0;
}
