/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over the windows of a rectangle that slide (reals_run.h). */
#include "cpu/kernels/reals_run.h"

/* Can samples be summed without a look at each, because all count and are finite? */
static int are_plain(const xncc_reals_run *r)
{
    return !r->m.stage.count && !r->bad;
}

/* Do the column sums take rows where they lie? Those of several channels are picked out first. */
static int slide_in_place(const xncc_reals_run *r)
{
    return r->job->templ->channels == 1 && xncc_reals_are_in_place(r);
}

/* Row yy as the column sums take it: where it lies, or in `line`, as the samples themselves if they
 * are plain, else without the pivot. */
static const void *sliding_row(xncc_reals_run *r, int32_t yy, int32_t channel, double *line)
{
    const xncc_template *templ = r->job->templ;
    if (slide_in_place(r))
        return xncc_stage_raw(&r->m.stage, yy);
    if (are_plain(r) && templ->channels > 1)
        r->isa->pick(&(xncc_reals_line){ .raw = xncc_stage_raw(&r->m.stage, yy),
                                         .pixel = templ->pixel,
                                         .channels = templ->channels,
                                         .channel = channel,
                                         .width = r->m.stage.width,
                                         .out = line });
    else
        (void)xncc_reals_read_line_to(r, yy, channel, r->pivot[channel], 1, line);
    return line;
}

void xncc_reals_slide_windows(xncc_reals_run *r, int32_t channel, int32_t y)
{
    const xncc_stage *stage = &r->m.stage;
    const int32_t width = r->job->templ->width, height = r->job->templ->height;
    const int in_place = slide_in_place(r);
    xncc_reals_columns *columns = &r->m.columns[channel];
    xncc_reals_slide slide = xncc_reals_slide_of(r, in_place, stage->width);
    if (are_plain(r) && r->job->templ->channels > 1)
        slide.pivot = r->pivot[channel];
    if (y == 0)
        xncc_reals_columns_begin(columns, r->norm[channel], (double)height,
                                 (size_t)xncc_reals_line_width(r->job->problem, r->job->blocks));
    else
        slide.leave = sliding_row(r, y - 1, channel, r->m.before);
    for (int32_t yy = y == 0 ? 0 : y + height - 1; yy < y + height; yy++) {
        slide.enter = sliding_row(r, yy, channel, r->m.line);
        r->isa->slide(columns, &slide);
    }
    for (int i = 0; i < 2; i++)
        r->isa->window(columns->sum[i], width, r->m.room, r->m.window[channel][i], r->area->width);
}
