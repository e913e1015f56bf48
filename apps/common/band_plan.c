/* SPDX-License-Identifier: BSD-2-Clause */
/* How the rows of a page are divided into bands. */
#include "band_plan.h"

/* Bytes of the pixels of a band: more are not faster, and overlap less with reading. */
static const uint64_t enough = 48u << 20;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The rows that are read, as far as they are known without the height of a band. */
static void set_ends(const app_band_need *n, app_band_plan *p)
{
    p->start = n->from == INT32_MIN ? n->first
                                    : (int32_t)larger(n->first, (int64_t)n->from - n->above);
    p->end = n->to == INT32_MAX ? n->end : (int32_t)smaller(n->end, (int64_t)n->to + n->below);
}

uint64_t app_band_plan_least(const app_band_need *n)
{
    return n->fixed + (uint64_t)(2 * ((int64_t)n->above + n->below) + 1) * n->per_row;
}

int app_band_plan_make(const app_band_need *n, app_band_plan *p)
{
    const int64_t overlap = (int64_t)n->above + n->below, together = n->together;
    *p = (app_band_plan){ .need = *n };
    set_ends(n, p);
    const int64_t height = p->end - p->start;
    if (n->fixed >= n->max_memory)
        return 0;
    int64_t fit = (int64_t)smaller((int64_t)((n->max_memory - n->fixed) / n->per_row), INT32_MAX);
    if (fit >= height && (uint64_t)height * n->row_bytes <= enough) {
        p->step = p->most = (int32_t)height;
        p->head = p->end;
        p->count = 1;
        return 1;
    }
    /* A band has the rows that it shares with the one before, and its own. The first also has the
     * rows up to where the first owned window ends, and up to the end of what is decoded together.
     */
    const int64_t wanted = larger(larger((int64_t)(enough / n->row_bytes), 4 * overlap), together);
    int64_t unit = together, step = smaller(fit - overlap - 2 * together, wanted);
    if (step < unit) {
        unit = 1;
        step = smaller(fit - 2 * overlap, wanted);
    }
    if (step < 1)
        return 0;
    p->step = (int32_t)(step / unit * unit);
    p->head = (int32_t)smaller(p->end, (p->start + overlap) / unit * unit);
    p->most = (int32_t)smaller(height, p->step + overlap + unit);
    p->count = 1 + (int32_t)((larger(p->end - p->head - p->step, 0) + p->step - 1) / p->step);
    return 1;
}

/* Where the rows of band i end. */
static int32_t end_of(const app_band_plan *p, int32_t i)
{
    return (int32_t)smaller(p->end, p->head + ((int64_t)i + 1) * p->step);
}

app_band_rows app_band_plan_rows(const app_band_plan *p, int32_t i)
{
    const app_band_need *n = &p->need;
    app_band_rows r = {
        .first = p->start, .end = end_of(p, i), .fresh = p->start, .from = n->from, .to = n->to
    };
    if (i > 0) {
        r.fresh = end_of(p, i - 1);
        r.from = r.fresh - n->below;
        r.first = (int32_t)larger(p->start, r.from - n->above);
    }
    if (i + 1 < p->count)
        r.to = r.end - n->below;
    return r;
}
