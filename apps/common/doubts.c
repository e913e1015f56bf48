/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings about the result of a search. */
#include "doubts.h"

#include "warn.h"

#include <math.h>

enum {
    COUNTED = 100, /* matches beyond --top that are counted */
    PRINTED = 5    /* warnings of a kind that are printed */
};

/* 1 if the user has said which scores are matches. */
static int has_limit(const app_options *o)
{
    return (o->has_min_score && o->peaks.min_score > -INFINITY) || o->has_max_score;
}

/* 1 if the method compares deviations from a mean, which a flat template does not have. */
static int needs_contrast(xncc_method method)
{
    return method == XNCC_CCOEFF || method == XNCC_CCOEFF_NORMED;
}

size_t app_doubts_room(const app_options *o)
{
    const size_t top = o->peaks.top;
    return has_limit(o) && !o->quiet && top < SIZE_MAX - COUNTED ? top + COUNTED : top;
}

void app_doubts_template(const app_options *o, const app_picture *templ, const char *name,
                         app_doubt *doubt)
{
    if (doubt->looked || o->quiet || !needs_contrast(o->rule.method))
        return;
    doubt->looked = 1;
    const xncc_image view = app_picture_image(templ, templ->pixel, templ->pixels);
    if (xncc_chance_look(&view, &doubt->chance, NULL))
        return; /* the search will say what is wrong with it */
    if (doubt->chance.flat)
        app_warn("%s: the template is flat, so %s; choose a template with contrast", name,
                 o->rule.flat == XNCC_FLAT_NAN && o->rule.method == XNCC_CCOEFF_NORMED
                     ? "no window has a score"
                     : "every score is 0");
}

/* A search with a limit. */
static void warn_counted(const app_options *o, const app_outcome *r, app_doubts *doubts)
{
    const size_t top = o->peaks.top;
    if (r->found > top && doubts->cut++ < PRINTED)
        app_warn("%s: %s: %zu of %s%zu matches shown; raise --top to see more", r->image, r->templ,
                 top, r->found < app_doubts_room(o) ? "" : "at least ", r->found);
}

/* A search without a limit, which lists what there is, good or bad. */
static void warn_unlimited(const app_options *o, const app_doubt *doubt, const app_outcome *r,
                           app_doubts *doubts)
{
    if (o->has_min_score || o->rule.method != XNCC_CCOEFF_NORMED || !r->found ||
        !(doubt->chance.pixels > 0.0))
        return;
    const double limit = xncc_chance_limit(doubt->chance.pixels, (double)r->windows);
    if (r->best <= limit && r->best < 1.0 && doubts->chance++ < PRINTED)
        app_warn("%s: %s: the best score, %.3f, can be chance: an image without the template "
                 "reaches up to %.3f; look at it, and give --min-score",
                 r->image, r->templ, r->best, limit);
    if (!o->has_top && r->found == o->peaks.top && r->worst > limit && doubts->cut++ < PRINTED)
        app_warn("%s: %s: all %zu matches shown are better than chance explains, so there may be "
                 "more; raise --top, or give --min-score",
                 r->image, r->templ, r->found);
}

void app_doubts_outcome(const app_options *o, const app_doubt *doubt, const app_outcome *r,
                        app_doubts *doubts)
{
    if (o->quiet)
        return;
    if (has_limit(o))
        warn_counted(o, r, doubts);
    else
        warn_unlimited(o, doubt, r, doubts);
}

void app_doubts_finish(const app_doubts *doubts)
{
    if (doubts->cut > PRINTED)
        app_warn("--top cut %zu more lists", doubts->cut - PRINTED);
    if (doubts->chance > PRINTED)
        app_warn("the best score of %zu more searches can be chance", doubts->chance - PRINTED);
}
