/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching a page band by band. Each band contributes candidates, among which xncc_join chooses
 * when all bands are searched (include/exactncc/join.h). */
#include "find_bands.h"

#include "common/band_rules.h"
#include "exactncc/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The candidates of one template so far. */
typedef struct pool {
    xncc_match *match;
    size_t count, room;
    uint64_t enough; /* the best so many determine the matches */
} pool;

typedef struct sweep {
    app_bands_rule rule; /* for all bands of the page */
    app_kit *kit;
    const app_feed_page *page;
    find_hunt *hunts;
    pool *pools;  /* one per template */
    int count;    /* of templates */
    int smallest; /* 1: small scores are good */
} sweep;

/* 1 if a is the better candidate, as xncc_peak_rule orders them. */
static int is_better(const xncc_match *a, const xncc_match *b, int smallest)
{
    if (a->score < b->score || a->score > b->score)
        return smallest ? a->score < b->score : a->score > b->score;
    return a->y != b->y ? a->y < b->y : a->x < b->x;
}

static int order_large(const void *a, const void *b)
{
    return is_better(a, b, 0) ? -1 : 1;
}

static int order_small(const void *a, const void *b)
{
    return is_better(a, b, 1) ? -1 : 1;
}

/* Sorts the candidates, and leaves those that can matter. */
static void prune(const sweep *s, pool *p)
{
    if (p->count < p->enough)
        return;
    qsort(p->match, p->count, sizeof *p->match, s->smallest ? order_small : order_large);
    p->count = (size_t)p->enough;
}

static xncc_status make_room(const sweep *s, pool *p, size_t more, app_error *error)
{
    if (p->count + more <= p->room)
        return XNCC_OK;
    const size_t room = p->count + more > 2 * p->room ? p->count + more : 2 * p->room;
    xncc_match *larger = realloc(p->match, room * sizeof *larger);
    if (!larger)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for %zu candidates; give a smaller --top, or a better "
                        "score as the limit",
                        s->page->scene.path, room);
    p->match = larger;
    p->room = room;
    return XNCC_OK;
}

/* Moves the candidates that the band owns to the front, in coordinates of the page. Returns their
 * number. */
static size_t keep_owned(const app_band_rows *rows, const app_search *search, xncc_match *match,
                         size_t found)
{
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        const int32_t y = match[i].y + rows->first;
        if (y >= rows->from && y < rows->to)
            match[count++] = (xncc_match){ match[i].x + search->area.x, y, match[i].score };
    }
    return count;
}

static xncc_status take(const sweep *s, pool *p, const xncc_match *match, size_t count,
                        app_error *error)
{
    const xncc_status status = make_room(s, p, count, error);
    if (status)
        return status;
    if (count)
        memcpy(p->match + p->count, match, count * sizeof *match);
    p->count += count;
    prune(s, p);
    return XNCC_OK;
}

/* The rule for the candidates of a band: no worse than what is known to matter, and nothing is
 * skipped. room: the most of them. */
static xncc_peak_rule band_rule(const sweep *s, const app_search *search, const pool *p,
                                size_t room)
{
    xncc_peak_rule peaks = s->kit->session.options->peaks;
    peaks.min_distance = find_hunt_distance(search, &peaks) > 1 ? 2 : 1;
    peaks.top = room;
    if (p->count == p->enough)
        *(s->smallest ? &peaks.max_score : &peaks.min_score) = p->match[p->count - 1].score;
    return peaks;
}

/* The most candidates of a band: those that can matter, and those of positions that it does not
 * own. */
static uint64_t band_room(const sweep *s, const app_band_rows *r, const app_search *search,
                          const pool *p)
{
    const int apart = find_hunt_distance(search, &s->kit->session.options->peaks) > 1;
    const int64_t top = search->map.y0, end = top + search->map.height;
    const int64_t from = r->from > top ? r->from : top, to = r->to < end ? r->to : end;
    const uint64_t width = (uint64_t)search->map.width,
                   others = (uint64_t)(search->map.height - (to > from ? to - from : 0)),
                   all = width * (uint64_t)search->map.height;
    /* No two candidates are neighbours if they must be apart. */
    const uint64_t beside = apart ? (width + 1) / 2 * (others / 2 + 2) : width * others;
    return p->enough + beside < all ? p->enough + beside : all;
}

/* Searches the band. Positions that it does not own rarely have a good score, so there is little
 * room for them at first, and more if they have taken it. */
static xncc_status search_owned(const sweep *s, const app_band_rows *rows, const app_search *search,
                                xncc_plan *plan, pool *p, app_error *error)
{
    const uint64_t most = band_room(s, rows, search, p);
    uint64_t room = p->enough + 256;
    for (;; room *= 4) {
        if (room > most)
            room = most;
        xncc_error why;
        size_t found = 0;
        /* The pages of a large block take memory only when they are written to. */
        xncc_match *match = malloc((size_t)room * sizeof *match);
        if (!match)
            return app_fail(error, XNCC_ERROR_MEMORY,
                            "%s: out of memory for %llu candidates; give a smaller --top",
                            s->page->scene.path, (unsigned long long)room);
        const xncc_peak_rule peaks = band_rule(s, search, p, (size_t)room);
        xncc_status status = xncc_plan_find(plan, &search->scene, search->templ, &peaks, match,
                                            (size_t)room, &found, NULL, &why);
        const size_t owned = status ? 0 : keep_owned(rows, search, match, found);
        const int complete = found < room || owned >= p->enough || room == most;
        status = app_pass_on(error, status, s->page->scene.path, &why);
        if (!status && complete)
            status = take(s, p, match, owned, error);
        free(match);
        if (status || complete)
            return status;
    }
}

static xncc_status search_band(void *data, app_band *band, int templ, app_error *error)
{
    sweep *s = data;
    const char *name = s->kit->templates.source[templ].path;
    find_hunt *const h = &s->hunts[templ];
    app_search search;
    xncc_plan *plan;
    xncc_status status = app_search_open_band(s->kit, band, &h->search.area, templ, &search, error);
    if (!status)
        status = app_search_plan(s->kit, &search, name, &plan, error);
    if (status)
        return status;
    if (band->number == 0)
        xncc_plan_describe(plan, &h->plan, NULL);
    h->search.problem.image_masked |= search.problem.image_masked;
    h->search.problem.templ_masked = search.problem.templ_masked;
    return search_owned(s, &band->rows, &search, plan, &s->pools[templ], error);
}

/* The candidates that determine the matches, see xncc_join. */
static uint64_t enough(const find_hunt *h, const xncc_peak_rule *peaks)
{
    const uint64_t apart = (uint64_t)find_hunt_distance(&h->search, peaks),
                   all = (uint64_t)h->search.map.width * (uint64_t)h->search.map.height;
    uint64_t most;
    return __builtin_mul_overflow(apart * apart, (uint64_t)h->room, &most) || most > all ? all
                                                                                         : most;
}

static xncc_status prepare(sweep *s, app_bands_rule *rule, app_error *error)
{
    const app_options *o = s->kit->session.options;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < s->count && !status; i++) {
        find_hunt *h = &s->hunts[i];
        *h = (find_hunt){ .plan = XNCC_PLAN_INFO_INIT };
        status = app_search_measure(s->kit, &s->page->scene, i, &h->search, error);
        if (!status)
            status = find_hunt_open(h, o, error);
        if (status)
            break;
        s->pools[i].enough = enough(h, &o->peaks);
        rule->first = h->search.area.y;
        rule->rows = h->search.area.height;
        app_bands_fit(rule, s->kit, &s->page->scene, i);
    }
    return status;
}

/* Chooses the matches of a template, in coordinates of the area that is searched. */
static xncc_status choose(const sweep *s, int templ, app_error *error)
{
    find_hunt *const h = &s->hunts[templ];
    const pool *p = &s->pools[templ];
    const app_area *a = &h->search.area;
    xncc_peak_rule peaks = s->kit->session.options->peaks;
    xncc_error why;
    peaks.top = h->room;
    for (size_t i = 0; i < p->count; i++) {
        p->match[i].x -= a->x;
        p->match[i].y -= a->y;
    }
    const xncc_status status = xncc_join(&h->search.problem, &peaks, p->match, p->count, h->match,
                                         h->room, &h->found, &why);
    return app_pass_on(error, status, s->page->scene.path, &why);
}

static xncc_status search_bands(sweep *s, const app_bands_rule *rule, app_error *error)
{
    return app_bands_each(s->kit, rule, s->count, search_band, s, error);
}

/* Prints the candidates of a slice: for each template its kernel, and then a line per candidate. */
static void print_slice(const sweep *s, FILE *out)
{
    for (int i = 0; i < s->count; i++) {
        const find_hunt *h = &s->hunts[i];
        const pool *p = &s->pools[i];
        fprintf(out, "template %d %d %s %d %zu\n", i, (int)h->plan.engine, h->plan.kernel,
                h->search.problem.image_masked, p->count);
        for (size_t k = 0; k < p->count; k++)
            fprintf(out, "%d %d %a\n", p->match[k].x, p->match[k].y, (double)p->match[k].score);
    }
}

static xncc_status search_slice(void *data, uint64_t item, FILE *out, app_error *error)
{
    sweep *s = data;
    const app_bands_rule rule = app_bands_slice(&s->rule, s->page, item);
    for (int i = 0; i < s->count; i++) {
        s->pools[i].count = 0;
        s->hunts[i].search.problem.image_masked = 0;
    }
    const xncc_status status = search_bands(s, &rule, error);
    if (!status)
        print_slice(s, out);
    return status;
}

/* Reads a line of print_slice. *at: moved behind it. 0: it is not one. */
static int read_match(const char **at, xncc_match *match)
{
    char *end;
    const long x = strtol(*at, &end, 10), y = strtol(end, &end, 10);
    const double score = strtod(end, &end);
    if (end == *at || *end != '\n' || x != (int32_t)x || y != (int32_t)y)
        return 0;
    *match = (xncc_match){ (int32_t)x, (int32_t)y, (float)score };
    *at = end + 1;
    return 1;
}

static xncc_status fail_damaged(const sweep *s, const app_record *record, app_error *error)
{
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: the part with slice %llu is damaged; remove it and run its command again",
                    s->page->scene.path, (unsigned long long)record->id.item);
}

static xncc_status take_slice(void *data, const app_record *record, app_error *error)
{
    enum { LEAST = 6 }; /* characters of a line: "0 0 0" and its end */
    sweep *s = data;
    const char *at = record->text, *const end = at + record->length;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < s->count && !status; i++) {
        find_hunt *const h = &s->hunts[i];
        pool *const p = &s->pools[i];
        char name[64];
        int number, engine, masked, length = 0;
        size_t count = 0;
        if (sscanf(at, "template %d %d %63s %d %zu\n%n", &number, &engine, name, &masked, &count,
                   &length) != 5 ||
            number != i || count > (size_t)(end - at) / LEAST)
            return fail_damaged(s, record, error);
        at += length;
        h->plan.engine = (xncc_device)engine;
        h->plan.kernel = app_kernel_name(name);
        h->search.problem.image_masked |= masked;
        status = make_room(s, p, count, error);
        for (size_t k = 0; k < count && !status; k++)
            status = read_match(&at, &p->match[p->count++]) ? XNCC_OK
                                                            : fail_damaged(s, record, error);
        prune(s, p);
    }
    return status;
}

/* Searches the page, or lets the processes of the spread do it. */
static xncc_status search_page(sweep *s, app_error *error)
{
    app_spread *const spread = s->kit->session.options->spread;
    if (!spread)
        return search_bands(s, &s->rule, error);
    app_work work = app_bands_work(&s->rule, s->page);
    work.data = s;
    work.run = search_slice;
    work.take = take_slice;
    const xncc_status status = spread->run(spread, &work, error);
    for (int i = 0; i < s->count && spread->silent; i++)
        s->pools[i].count = 0;
    return status;
}

xncc_status find_in_bands(app_kit *kit, const app_feed_page *page, find_hunt *hunts,
                          app_error *error)
{
    const app_options *o = kit->session.options;
    sweep s = { .kit = kit,
                .page = page,
                .hunts = hunts,
                .count = kit->templates.count,
                .smallest = xncc_method_is_distance(o->rule.method) };
    s.rule = app_bands_rule_of(kit, &page->scene);
    s.pools = calloc((size_t)s.count, sizeof *s.pools);
    xncc_status status = s.pools ? app_bands_refuse(o, &page->scene, error)
                                 : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory",
                                            page->scene.path);
    if (!status)
        status = prepare(&s, &s.rule, error);
    if (!status)
        status = search_page(&s, error);
    for (int i = 0; i < s.count && !status; i++)
        status = choose(&s, i, error);
    for (int i = 0; i < s.count && s.pools; i++)
        free(s.pools[i].match);
    free(s.pools);
    return status;
}
