/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of displacements (field.h). */
#include "track/field.h"

#include <math.h>

/* Adds the weight of a node that may lie beyond an end. */
static void add_tap(int32_t node, int32_t nodes, double weight, xncc_field_taps *taps)
{
    const int32_t end = node < 0 ? 0 : nodes - 1, beyond = node < 0 ? -node : node - end,
                  inner = node < 0 ? 1 : nodes - 2;
    if (node >= 0 && node < nodes) {
        taps->weight[node - taps->first] += weight;
    } else if (nodes == 1) {
        taps->weight[0] += weight;
    } else {
        taps->weight[end - taps->first] += weight * (1.0 + beyond);
        taps->weight[inner - taps->first] -= weight * beyond;
    }
}

xncc_field_taps xncc_field_taps_at(const xncc_field_axis *axis, double place)
{
    const int32_t n = axis->nodes;
    double t = (place - axis->first) / (double)axis->step;
    t = !(t > -1.0) ? -1.0 : t > (double)n ? (double)n : t;
    int32_t cell = (int32_t)floor(t); /* between this node and the next */
    cell = cell > n - 1 ? n - 1 : cell;
    t -= (double)cell;
    const double t2 = t * t, t3 = t2 * t;
    xncc_field_taps taps = { .first = cell - 1, .count = n < 4 ? n : 4 };
    taps.first = taps.first > n - 4 ? n - 4 : taps.first;
    taps.first = taps.first < 0 ? 0 : taps.first;
    add_tap(cell - 1, n, (2.0 * t2 - t3 - t) / 2.0, &taps);
    add_tap(cell, n, (3.0 * t3 - 5.0 * t2 + 2.0) / 2.0, &taps);
    add_tap(cell + 1, n, (4.0 * t2 - 3.0 * t3 + t) / 2.0, &taps);
    add_tap(cell + 2, n, (t3 - t2) / 2.0, &taps);
    return taps;
}

void xncc_field_at(const xncc_field *f, double x, double y, double *dx, double *dy)
{
    const xncc_field_taps across = xncc_field_taps_at(&f->x, x),
                          down = xncc_field_taps_at(&f->y, y);
    *dx = *dy = 0.0;
    for (int32_t i = 0; i < across.count; i++) {
        double column_x = 0.0, column_y = 0.0;
        for (int32_t j = 0; j < down.count; j++) {
            const int64_t node = (int64_t)(down.first + j) * f->x.nodes + across.first + i;
            column_x += down.weight[j] * f->dx[node];
            column_y += down.weight[j] * f->dy[node];
        }
        *dx += across.weight[i] * column_x;
        *dy += across.weight[i] * column_y;
    }
}

/* Smooths `nodes` values that are `step` elements apart. */
static void smooth_line(double *value, int32_t nodes, int64_t step, double *line)
{
    static const double weight[5] = { -3.0, 12.0, 17.0, 12.0, -3.0 };
    for (int32_t i = 0; i < nodes; i++)
        line[i] = value[i * step];
    for (int32_t i = 0; i < nodes; i++) {
        double sum = 0.0;
        for (int32_t k = -2; k <= 2; k++) {
            const int32_t at = i + k, beyond = at < 0 ? -at : at - (nodes - 1);
            const double end = line[at < 0 ? 0 : nodes - 1],
                         slope = nodes == 1 ? 0.0 : end - line[at < 0 ? 1 : nodes - 2];
            sum += weight[k + 2] *
                   (at >= 0 && at < nodes ? line[at] : end + (double)beyond * slope);
        }
        value[i * step] = sum / 35.0;
    }
}

void xncc_field_smooth(xncc_field *f, double *line)
{
    double *const values[2] = { f->dx, f->dy };
    for (int i = 0; i < 2; i++) {
        for (int64_t y = 0; y < f->y.nodes; y++)
            smooth_line(values[i] + y * f->x.nodes, f->x.nodes, 1, line);
        for (int64_t x = 0; x < f->x.nodes; x++)
            smooth_line(values[i] + x, f->y.nodes, f->x.nodes, line);
    }
}
