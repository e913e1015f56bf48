/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of many images, opened and decoded on a thread while earlier ones are searched. */
#ifndef APP_FEED_H
#define APP_FEED_H

#include "items.h"
#include "options.h"
#include "reader.h"
#include "source.h"

/* A page on its way, or an image or page that could not be opened. */
typedef struct app_feed_page {
    size_t item; /* the image's number in the list, from 0 */
    app_source scene;
    app_reader reader; /* decodes the picture, unless status is a failure */
    xncc_status status;
    app_error error;
    uint64_t bytes; /* of its pixels in memory */
    /* 1: the page takes too much memory. It has no pixels and no reader; the file is there to be
     * read in bands (bands.h). */
    int banded;
    int32_t together; /* as in app_page */
    struct app_feed_page *next;
} app_feed_page;

typedef struct app_feed_rule {
    const app_options *options; /* pages, reading, image_mask */
    app_reading reading;
    const app_items *images;
    xncc_pixel templ_pixel; /* pixels are converted to the type that they share with this one */
    int as_stored;          /* 1: pixels are not converted */
    uint64_t beside_pixel;  /* bytes per pixel that the command takes beside the page */
    int always_banded;      /* 1: every page is only described */
    int beside;             /* 1: read on a thread; 0: in app_feed_next */
    int ahead;              /* most pages that are read and not released; at least APP_FEED_AHEAD */
} app_feed_rule;

enum { APP_FEED_AHEAD = 8 };

typedef struct app_feed app_feed;

/* Starts to read. Call app_feed_close whatever is returned. The options and the images must outlive
 * the feed. Pictures are read ahead while they take less than reading.max_memory together. A page
 * that alone takes more, with what it is converted to and with what the command makes of it, is
 * only described. */
xncc_status app_feed_open(const app_feed_rule *rule, app_feed **feed, app_error *error);

/* Returns the next page, in the order of the images; NULL after the last. An image without a page
 * to read gives one whose status says why. The picture may still be decoded: app_reader_wait waits
 * for rows, and app_reader_stop for the end. A picture that has a mask is complete. The caller
 * gives it to app_feed_release, from any thread. */
app_feed_page *app_feed_next(app_feed *feed);
void app_feed_release(app_feed *feed, app_feed_page *page);

/* 1 if app_feed_next would return a page at once. Any thread may ask. */
int app_feed_is_ready(app_feed *feed);

/* Stops reading, also before the end. From now on app_feed_next returns NULL, also where another
 * thread waits in it. */
void app_feed_stop(app_feed *feed);

/* Stops reading and ends the feed. All pages must have been released. */
void app_feed_close(app_feed *feed);

#endif
