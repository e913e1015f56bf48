/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens between the two passes of a search with bounds (cpu_bound_search.h). */
#include "cpu/cpu_bound_search.h"

#include <math.h>

/* Lists the `count` tiles with the best bounds, in no order. */
static void best_tiles(const xncc_bound_run *run, const float *best, int32_t *tile, int32_t count)
{
    const int32_t all = run->across * run->down;
    int32_t worst = 0; /* the place in the list of the worst of them */
    for (int32_t i = 0; i < all; i++) {
        if (i < count)
            tile[i] = i;
        else if (best[i] > best[tile[worst]])
            tile[worst] = i;
        else
            continue;
        if (i + 1 < count)
            continue;
        for (int32_t k = 0; k < count; k++)
            worst = best[tile[k]] < best[tile[worst]] ? k : worst;
    }
}

/* Adds the best score of a tile as if it were a candidate: this is for a guess. */
static xncc_status add_best(const xncc_bound_run *run, const xncc_bound_part *p, int32_t tile,
                            xncc_error *error)
{
    const int32_t width = run->plan->map.width, x = tile % run->across * XNCC_BOUND_COLUMNS,
                  y = tile / run->across * XNCC_BOUND_ROWS,
                  end = xncc_min_i32(x + XNCC_BOUND_COLUMNS, width),
                  bottom = xncc_bound_row_end(run, tile / run->across);
    xncc_match most = { x, y, -INFINITY };
    for (int32_t j = y; j < bottom; j++)
        for (int32_t i = x; i < end; i++) {
            const float score = p->rows[(ptrdiff_t)(j - y + 2) * width + i];
            if (score > most.score)
                most = (xncc_match){ i, j, score };
        }
    return most.score > -INFINITY ? xncc_peaks_add(p->peaks, most, error) : XNCC_OK;
}

/* Scores the tiles with the best bounds, to guess how good the worst match is: as good as the worst
 * of as many matches in these tiles. */
static xncc_status probe(xncc_bound_run *run, const xncc_bound_part *p, xncc_error *error)
{
    enum { MOST = 96 };
    const uint64_t top = run->all->rule->top, wanted = 2 + top + top / 2;
    int32_t tile[MOST];
    xncc_match match[MOST];
    size_t found = 0;
    if (wanted > MOST || 4 * wanted > (uint64_t)run->across * (uint64_t)run->down)
        return XNCC_OK;
    const int32_t count = (int32_t)wanted;
    xncc_status status = XNCC_OK;
    best_tiles(run, xncc_bound_best(run, p->templ), tile, count);
    for (int32_t i = 0; i < count && !status && !xncc_bound_stopped(run); i++) {
        xncc_bound_score(run, p, tile[i] / run->across, tile[i] % run->across,
                         tile[i] % run->across + 1);
        status = add_best(run, p, tile[i], error);
    }
    if (!status)
        status = xncc_peaks_finish(p->peaks, match, &found, error);
    if (!status && found == top && match[top - 1].score > run->all->rule->limit) {
        run->goal[p->templ].guess = match[top - 1].score;
        xncc_bound_raise(run, p->templ, match[top - 1].score);
    }
    return status;
}

/* Returns 1 if most tiles have to be scored in spite of their bounds. */
static int in_vain(const xncc_bound_run *run, size_t templ)
{
    const float *best = xncc_bound_best(run, templ);
    const float limit = xncc_bound_limit(run, templ) -
                        xncc_bound_templ_of(run, templ)->bound.always;
    const int32_t all = run->across * run->down;
    int32_t count = 0;
    for (int32_t i = 0; i < all; i++)
        count += best[i] >= limit;
    return count > all / 2;
}

void xncc_bound_probe(void *argument, uint64_t index, int32_t slot)
{
    xncc_bound_run *run = argument;
    xncc_bound_part p = xncc_bound_part_of(run, index * run->ranges, slot);
    xncc_error error = { "" };
    if (xncc_bound_stopped(run))
        return;
    xncc_status status = xncc_peaks_create(run->all->rule, xncc_plan_elements(run->plan), &p.peaks,
                                           &error);
    if (!status)
        status = probe(run, &p, &error);
    xncc_peaks_destroy(p.peaks);
    run->goal[index].vain = in_vain(run, (size_t)index);
    xncc_first_failure_note(&run->failure, status, &error);
}
