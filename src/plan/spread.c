/* SPDX-License-Identifier: BSD-2-Clause */
/* How one call is spread over the devices of a context (spread.h). */
#include "plan/spread.h"

#include "base/int_math.h"
#include "plan/problem.h"

/* Bytes per millisecond that a device reads from host memory, about what one PCIe 4.0 link carries.
 * Each device has a link of its own. */
static const double HOST_BYTES_PER_MS = 20e6;

/* Bytes of the image that a call reads from host memory. */
static double image_bytes(const xncc_problem *p)
{
    return (double)p->image_width * p->image_height * p->channels *
           (double)xncc_pixel_size(p->pixel);
}

/* Does a side of a band's problem exceed what a problem may have? */
static int is_too_large(const xncc_problem *p, const xncc_extent *map, int32_t rows)
{
    const int64_t width = p->task == XNCC_TASK_MATCH ? (int64_t)map->width + p->templ_width - 1
                                                     : p->image_width;
    return width > XNCC_MAX_SIDE || (int64_t)rows + 2 + p->templ_height - 1 > XNCC_MAX_SIDE;
}

xncc_spread xncc_spread_choose(const xncc_problem *p, const xncc_machine *machine,
                               const xncc_preference *preference, const xncc_decision *decision)
{
    const xncc_extent map = xncc_problem_extent(p);
    xncc_spread s = { .devices = 1, .rows = map.height, .parts = preference->parts > 0 };
    if (machine->team.engine != decision->engine || machine->team.devices < 2)
        return s;
    s.present = machine->team.devices;
    s.alone_ms = s.estimate_ms = decision->estimate_ms + image_bytes(p) / HOST_BYTES_PER_MS;
    if (s.parts) {
        s.rows = xncc_ceil_div(map.height, preference->parts);
        s.devices = xncc_ceil_div(map.height, s.rows);
        return s;
    }
    s.stays = preference->image_memory == XNCC_DEVICE || preference->map_memory == XNCC_DEVICE;
    if (s.stays)
        return s;
    const double all = (double)map.height + p->templ_height - 1;
    for (int32_t n = 2; n <= s.present && n <= map.height; n++) {
        const int32_t rows = xncc_ceil_div(map.height, n);
        /* a band reads the rows of its last windows as well */
        const double part = ((double)rows + p->templ_height - 1) / all,
                     ms = machine->team.handover_ms + s.alone_ms * part;
        if (is_too_large(p, &map, rows) || ms >= s.estimate_ms)
            continue;
        s.estimate_ms = ms;
        s.rows = rows;
        s.devices = xncc_ceil_div(map.height, rows);
    }
    return s;
}

int32_t xncc_spread_items(const xncc_machine *machine, const xncc_decision *decision,
                          double each_ms, size_t count)
{
    double best = each_ms * (double)count;
    int32_t devices = 1;
    if (machine->team.engine != decision->engine)
        return 1;
    for (int32_t n = 2; n <= machine->team.devices && (size_t)n <= count; n++) {
        const size_t most = (count + (size_t)n - 1) / (size_t)n;
        const double ms = machine->team.handover_ms + each_ms * (double)most;
        if (ms < best) {
            best = ms;
            devices = n;
        }
    }
    return devices;
}

xncc_band xncc_spread_band(const xncc_problem *problem, const xncc_spread *spread, int32_t part,
                           int search)
{
    const int32_t height = xncc_problem_extent(problem).height, first = part * spread->rows,
                  left = height - first;
    xncc_band band = { first, left < spread->rows ? left : spread->rows, 0, 0 };
    band.above = search && first > 0;
    band.below = search && band.count < left;
    return band;
}

xncc_problem xncc_spread_problem(const xncc_problem *problem, const xncc_band *band)
{
    xncc_problem p = *problem;
    p.image_height = band->above + band->count + band->below + problem->templ_height - 1;
    if (problem->task != XNCC_TASK_MATCH)
        return p;
    p.image_width = xncc_problem_extent(problem).width + problem->templ_width - 1;
    p.image_masked = xncc_problem_image_varies(problem);
    p.rule.mode = XNCC_VALID;
    p.rule.border = XNCC_BORDER_CLAMP;
    return p;
}
