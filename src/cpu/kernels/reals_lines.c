/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a rectangle (reals_run.h), and of the template (reals.h). */
#include "cpu/kernels/reals_run.h"

#include <string.h>

xncc_reals_line xncc_reals_templ_line(const xncc_job *job, int32_t channel, int32_t j, double *out)
{
    const xncc_template *templ = job->templ;
    const size_t at = (size_t)j * (size_t)templ->width;
    return (xncc_reals_line){ .raw = (const char *)templ->pixels +
                                     at * (size_t)templ->channels * xncc_pixel_size(templ->pixel),
                              .pixel = templ->pixel,
                              .channels = templ->channels,
                              .channel = channel,
                              .width = templ->width,
                              .count = templ->mask ? templ->mask + at : NULL,
                              .power = 1,
                              .out = out };
}

xncc_reals_found xncc_reals_read_line(const xncc_reals_run *r, int32_t yy, int32_t channel,
                                      double pivot, int power, double *out)
{
    const xncc_stage *stage = &r->m.stage;
    const xncc_reals_line line = { .raw = xncc_stage_raw(stage, yy),
                                   .pixel = r->job->templ->pixel,
                                   .channels = r->job->templ->channels,
                                   .channel = channel,
                                   .width = stage->width,
                                   .pivot = pivot,
                                   .count = stage->count
                                                ? stage->count + (ptrdiff_t)yy * stage->pitch
                                                : NULL,
                                   .power = power,
                                   .out = out };
    return r->isa->line(&line);
}

void xncc_reals_run_in(const xncc_reals_run *r, int32_t slot, xncc_reals_run *own)
{
    const xncc_job *job = r->job;
    const xncc_stage *stage = &r->m.stage;
    *own = *r;
    if (job->team) {
        (void)xncc_reals_scratch_layout(r->variant, job->problem, job->blocks,
                                        job->team->scratch[slot], &own->m);
        own->m.stage.job = job;
        own->m.stage.left = stage->left;
        own->m.stage.top = stage->top;
        own->m.stage.width = stage->width;
        own->m.stage.height = stage->height;
        own->m.stage.pitch = stage->pitch;
        if (!stage->count)
            own->m.stage.count = NULL;
    }
    memset(own->m.line, 0, (size_t)stage->pitch * sizeof(double));
}

int xncc_reals_rows_in(const xncc_reals_run *r, int32_t slot, int32_t y, int32_t rows,
                       xncc_area *area, xncc_reals_run *own)
{
    if (y >= r->area->height)
        return 0;
    xncc_reals_run_in(r, slot, own);
    *area = *r->area;
    area->y += y;
    area->height = xncc_min_i32(rows, r->area->height - y);
    area->out += y * area->pitch;
    own->area = area;
    own->m.stage.top += y;
    own->m.stage.height -= r->area->height - area->height;
    return 1;
}

int xncc_reals_counts_all(const xncc_reals_run *r)
{
    return !r->job->templ->mask && r->m.stage.count == NULL;
}

int xncc_reals_are_in_place(const xncc_reals_run *r)
{
    const xncc_stage *stage = &r->m.stage;
    const xncc_image *image = r->job->image;
    return !r->bad && stage->count == NULL && stage->left >= 0 && stage->top >= 0 &&
           stage->left + stage->width <= image->width &&
           stage->top + stage->height <= image->height;
}

xncc_reals_slide xncc_reals_slide_of(const xncc_reals_run *r, int raw, int32_t count)
{
    return (xncc_reals_slide){ .pixel = raw ? r->job->templ->pixel : XNCC_F64,
                               .count = count,
                               .pivot = raw ? r->pivot[0] : 0.0 };
}

int32_t xncc_reals_next_doubt(const float *row, int32_t x, int32_t count)
{
    enum { CHUNK = 32 }; /* constant, so that vectors compare it */
    uint32_t bits[CHUNK];
    if (x < count)
        memcpy(bits, row + x, sizeof *bits);
    if (x < count && bits[0] == XNCC_DOUBT) /* where many are in doubt, mostly */
        return x;
    for (; x < count; x += CHUNK) {
        const int32_t some = xncc_min_i32(count - x, CHUNK);
        uint32_t any = some < CHUNK;
        if (some == CHUNK)
            memcpy(bits, row + x, sizeof bits);
        else
            memcpy(bits, row + x, (size_t)some * sizeof *bits);
        for (int32_t i = 0; i < CHUNK && some == CHUNK; i++)
            any |= bits[i] == XNCC_DOUBT;
        for (int32_t i = 0; i < some && any; i++)
            if (bits[i] == XNCC_DOUBT)
                return x + i;
    }
    return count;
}
