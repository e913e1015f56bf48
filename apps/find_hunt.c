/* SPDX-License-Identifier: BSD-2-Clause */
/* The search of one page for one template. */
#include "find_hunt.h"

#include "common/doubts.h"

#include <stdlib.h>
#include <string.h>

int32_t find_hunt_distance(const app_search *s, const xncc_peak_rule *rule)
{
    const int32_t w = s->problem.templ_width, h = s->problem.templ_height;
    const int32_t apart = rule->min_distance == XNCC_AUTO ? (w < h ? w : h) / 2
                                                          : rule->min_distance;
    return apart < 1 ? 1 : apart;
}

/* The most matches that there can be: no two are closer than the minimum distance. */
static uint64_t most_matches(const app_search *s, const xncc_peak_rule *rule)
{
    const int64_t apart = find_hunt_distance(s, rule);
    return (uint64_t)((s->map.width + apart - 1) / apart) *
           (uint64_t)((s->map.height + apart - 1) / apart);
}

xncc_status find_hunt_open(find_hunt *h, const app_options *o, app_error *error)
{
    const size_t top = app_doubts_room(o);
    const uint64_t most = most_matches(&h->search, &o->peaks);
    h->room = most < top ? (size_t)most : top;
    h->match = calloc(h->room, sizeof *h->match);
    return h->match ? XNCC_OK
                    : app_fail(error, XNCC_ERROR_MEMORY,
                               "--top %zu: out of memory; give a smaller number", top);
}

void find_hunt_close(find_hunt *h)
{
    free(h->refined);
    free(h->match);
    memset(h, 0, sizeof *h);
}
