/* SPDX-License-Identifier: BSD-2-Clause */
/* How the options of a command decide which bands of a page are read. */
#include "band_rules.h"

#include "progress.h"

enum { DECODERS = 4 };

/* Threads that decode: matching needs the processors, too. */
static int32_t count_decoders(const app_options *o)
{
    const int32_t threads = app_threads(o);
    return threads == 1 ? 0 : threads < DECODERS ? threads : DECODERS;
}

app_bands_rule app_bands_rule_of(const app_kit *kit, const app_source *page)
{
    const app_options *o = kit->session.options;
    return (app_bands_rule){ .path = page->path,
                             .page = page->page,
                             .reading = o->reading,
                             .image_mask = o->image_mask,
                             .threads = count_decoders(o),
                             .rows = page->picture.height,
                             .from = INT32_MIN,
                             .to = INT32_MAX };
}

void app_bands_fit(app_bands_rule *rule, const app_kit *kit, const app_source *page, int i)
{
    const app_picture *t = &kit->templates.source[i].picture, *s = &page->picture;
    const xncc_pixel form = app_pixel_join(s->pixel, t->pixel);
    const uint64_t converted = form == s->pixel ? 0
                                                : (uint64_t)s->width * (uint64_t)s->channels *
                                                      xncc_pixel_size(form);
    /* The row above the first owned one, and the windows below the last, decide which is a peak. */
    if (rule->above < 1)
        rule->above = 1;
    if (rule->below < t->height)
        rule->below = t->height;
    if (rule->beside < converted)
        rule->beside = converted;
}

/* Rows of a slice: a 64th of the page, but neither a small multiple of what slices share nor too
 * much to be done again after a fault. */
static int32_t slice_rows(const app_bands_rule *r, const app_feed_page *page)
{
    static const int64_t most_bytes = 128 << 20;
    const app_picture *p = &page->scene.picture;
    const int64_t together = page->together,
                  row = (int64_t)p->width * p->channels * (int64_t)xncc_pixel_size(p->pixel);
    int64_t rows = r->rows / 64 < most_bytes / row ? r->rows / 64 : most_bytes / row;
    if (rows < 4 * (int64_t)r->below)
        rows = 4 * (int64_t)r->below;
    if (rows < 4 * together) /* two slices decode the rows of tiles where they meet */
        rows = 4 * together;
    rows = (rows + together - 1) / together * together;
    return rows < r->rows ? (int32_t)rows : r->rows;
}

static uint64_t count_slices(const app_bands_rule *r, const app_feed_page *page)
{
    const uint64_t rows = (uint64_t)slice_rows(r, page);
    return ((uint64_t)r->rows + rows - 1) / rows;
}

app_bands_rule app_bands_slice(const app_bands_rule *whole, const app_feed_page *page, uint64_t i)
{
    app_bands_rule rule = *whole;
    const int64_t rows = slice_rows(whole, page), together = page->together;
    /* A slice reads up to where rows that are decoded together end. */
    const int64_t grid = whole->first / together * together;
    if (i > 0)
        rule.from = (int32_t)(grid + (int64_t)i * rows - rule.below);
    if (i + 1 < count_slices(whole, page))
        rule.to = (int32_t)(grid + (int64_t)(i + 1) * rows - rule.below);
    return rule;
}

app_work app_bands_work(const app_bands_rule *whole, const app_feed_page *page)
{
    return (app_work){ .number = (uint64_t)page->item << 32 | page->scene.page,
                       .items = count_slices(whole, page) };
}

xncc_status app_bands_each(const app_kit *kit, const app_bands_rule *rule, int parts,
                           app_band_step step, void *data, app_error *error)
{
    app_bands *bands = NULL;
    app_band *band = NULL;
    app_progress progress;
    xncc_status status = app_bands_open(rule, &bands, error);
    app_progress_start(&progress, kit->session.context, rule->path, kit->session.options->quiet);
    while (!status && !(status = app_bands_next(bands, &band, error)) && band)
        for (int i = 0; i < parts && !status; i++) {
            app_progress_part(&progress, band->number * parts + i,
                              app_bands_plan(bands)->count * parts);
            status = step(data, band, i, error);
        }
    app_progress_stop(&progress);
    app_bands_close(bands);
    return status;
}

/* The option that needs the whole page in memory; NULL: none. */
static const char *find_obstacle(const app_options *o)
{
    return o->overlay                                                         ? "--overlay"
           : o->heatmap                                                       ? "--heatmap"
           : o->report                                                        ? "--report"
           : o->subpixel                                                      ? "--subpixel"
           : o->turns                                                         ? "--angles"
           : o->scales                                                        ? "--scales"
           : o->rule.mode != XNCC_VALID && o->rule.border == XNCC_BORDER_WRAP ? "--border wrap"
                                                                              : NULL;
}

xncc_status app_bands_refuse_shared(const app_options *o, app_error *error)
{
    const char *what = find_obstacle(o);
    if (!what)
        return XNCC_OK;
    return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                    "%s: needs the whole image, but each of the processes that share this work "
                    "reads parts of it; leave it out",
                    what);
}

xncc_status app_bands_refuse(const app_options *o, const app_source *page, app_error *error)
{
    const char *what = find_obstacle(o);
    if (!what)
        return XNCC_OK;
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "%s: needs the %d x %d pixels of %s in memory, which are more than the limit "
                    "of %.3g MiB; raise --max-memory",
                    what, page->picture.width, page->picture.height, page->path,
                    (double)o->reading.max_memory / 1048576.0);
}
