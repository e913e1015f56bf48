/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of the images of a command, one after the other. */
#include "page_loop.h"

#include "warn.h"

#include <limits.h>

int app_is_single(const app_options *o, const app_named *in)
{
    return in->images.count == 1 && !o->pages.many;
}

int app_is_fatal(const app_options *o, const app_named *in, const app_error *error)
{
    return error->usage || o->strict || app_is_single(o, in);
}

xncc_status app_tally_end(const app_tally *tally, app_error *error)
{
    if (!tally->failed)
        return XNCC_OK;
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%zu of %zu images and pages failed; the rest is done", tally->failed,
                    tally->pages);
}

void app_images_start(app_progress *progress, const app_named *in, int silent)
{
    app_progress_start(progress, NULL, "images", silent || in->images.count < 2);
}

void app_images_at(app_progress *progress, const app_named *in, const app_feed_page *page)
{
    const size_t count = in->images.count;
    app_progress_part(progress, (int)page->item, count < INT_MAX ? (int)count : INT_MAX);
}

xncc_status app_for_pages(const app_page_work *w, app_error *error)
{
    app_feed *feed = NULL;
    app_feed_page *page;
    app_tally tally = { 0, 0 };
    app_progress progress;
    xncc_status status = app_feed_open(&w->feed, &feed, error);
    app_images_start(&progress, w->inputs, w->feed.options->quiet);
    while (!status && (page = app_feed_next(feed))) {
        app_error why = page->error;
        app_images_at(&progress, w->inputs, page);
        xncc_status one = page->status;
        if (!one)
            one = w->take(w->data, page, &why);
        app_feed_release(feed, page);
        tally.pages++;
        tally.failed += one != XNCC_OK;
        if (one && app_is_fatal(w->feed.options, w->inputs, &why)) {
            status = one;
            *error = why;
        } else if (one) {
            app_say_failure(w->command, why.text);
        }
    }
    app_progress_stop(&progress);
    app_feed_close(feed);
    if (!status && w->complete)
        *w->complete = 1;
    return status ? status : app_tally_end(&tally, error);
}
