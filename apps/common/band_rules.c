/* SPDX-License-Identifier: BSD-2-Clause */
/* How the options of a command decide which bands of a page are read. */
#include "band_rules.h"

#include <unistd.h>

enum { DECODERS = 4 };

/* Threads that decode: matching needs the processors, too. */
static int32_t count_decoders(const app_options *o)
{
    const long here = sysconf(_SC_NPROCESSORS_ONLN);
    const int32_t threads = o->device.threads ? o->device.threads : here > 1 ? (int32_t)here : 2;
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

xncc_status app_bands_refuse(const app_options *o, const app_source *page, app_error *error)
{
    const char *what = o->overlay    ? "--overlay"
                       : o->heatmap  ? "--heatmap"
                       : o->report   ? "--report"
                       : o->subpixel ? "--subpixel"
                       : o->rule.mode != XNCC_VALID && o->rule.border == XNCC_BORDER_WRAP
                           ? "--border wrap"
                           : NULL;
    if (!what)
        return XNCC_OK;
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "%s: needs the %d x %d pixels of %s in memory, which are more than the limit "
                    "of %.3g MiB; raise --max-memory",
                    what, page->picture.width, page->picture.height, page->path,
                    (double)o->reading.max_memory / 1048576.0);
}
