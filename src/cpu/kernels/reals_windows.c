/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over the windows of a rectangle that slide (reals_run.h). */
#include "cpu/kernels/reals_run.h"

#include "image/image.h"

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
        (void)xncc_reals_read_line(r, yy, channel, r->pivot[channel], 1, line);
    return line;
}

/* Rows of samples from `enter` on enter, and as many from the template's height above leave if
 * `leaves`. */
static void slide_rows(xncc_reals_run *r, int32_t channel, xncc_reals_columns *columns,
                       int32_t enter, int32_t rows, int leaves)
{
    const int in_place = slide_in_place(r);
    const int32_t height = r->job->templ->height, at_once = in_place ? rows : 1;
    xncc_reals_slide slide = xncc_reals_slide_of(r, in_place, r->m.stage.width);
    if (are_plain(r) && r->job->templ->channels > 1)
        slide.pivot = r->pivot[channel];
    slide.rows = at_once;
    slide.pitch = (ptrdiff_t)xncc_image_pitch(r->job->image);
    for (int32_t yy = enter; yy < enter + rows; yy += at_once) {
        if (leaves)
            slide.leave = sliding_row(r, yy - height, channel, r->m.before);
        slide.enter = sliding_row(r, yy, channel, r->m.line);
        r->isa->slide(columns, &slide);
    }
}

/* Makes the sums over columns of some rows of windows from row y on. */
static void sum_columns(xncc_reals_run *r, int32_t channel, int32_t y, int32_t rows)
{
    const int32_t height = r->job->templ->height;
    xncc_reals_columns *columns = &r->m.columns[channel], next;
    if (y > 0) {
        slide_rows(r, channel, columns, y + height - 1, rows, 1);
        return;
    }
    xncc_reals_columns_begin(columns, r->norm[channel], (double)height, (size_t)r->m.stage.pitch);
    slide_rows(r, channel, columns, 0, height, 0);
    next = *columns;
    for (int i = 0; i < 2; i++)
        next.sum[i] += columns->step;
    if (rows > 1)
        slide_rows(r, channel, &next, height, rows - 1, 1);
    columns->added = next.added;
}

void xncc_reals_slide_windows(xncc_reals_run *r, int32_t channel, int32_t y)
{
    const xncc_reals_columns *columns = &r->m.columns[channel];
    const int32_t at_once = slide_in_place(r) ? columns->rows : 1, at = y % at_once;
    if (at == 0)
        sum_columns(r, channel, y, xncc_min_i32(at_once, r->area->height - y));
    for (int i = 0; i < 2; i++)
        r->isa->window(columns->sum[i] + at * columns->step, r->job->templ->width, r->m.room,
                       r->m.window[channel][i], r->area->width);
}
