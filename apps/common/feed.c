/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of many images, read on a thread. */
#include "feed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct app_feed {
    app_feed_rule rule;
    app_picture mask; /* of --image-mask, when it has been read */
    /* What comes next, for the reading thread alone. */
    size_t item;
    app_file *file;       /* of the current item; NULL: it is not open */
    uint32_t page;        /* the next one */
    int given;            /* 1: the current item has given a page */
    app_feed_page *spare; /* says that there is no memory for a page */
    pthread_t thread;
    int threaded;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    app_feed_page *first, **last; /* read and not taken */
    app_feed_page *decoding;      /* the page whose rows arrive */
    int held;                     /* pages that are not released */
    int resting;                  /* 1: nothing is read until half of these are released, because
                                     to wake a thread for each small page takes longer than the page */
    uint64_t bytes;               /* of their pixels */
    int ended, stopping;
};

static app_feed_page *new_page(app_feed *f)
{
    app_feed_page *page = calloc(1, sizeof *page);
    if (!page) {
        page = f->spare;
        page->status = app_fail(&page->error, XNCC_ERROR_MEMORY, "%s: out of memory",
                                f->rule.images->name[f->item]);
    }
    f->given = 1;
    page->item = f->item;
    page->scene.path = f->rule.images->name[f->item];
    page->scene.page = f->page;
    return page;
}

/* Waits until the page may be in memory beside the others. Returns 0 if the feed is being closed.
 */
static int wait_for_room(app_feed *f, app_feed_page *page)
{
    pthread_mutex_lock(&f->lock);
    f->resting = f->held >= f->rule.ahead;
    while (f->rule.beside && !f->stopping && f->held > 0 &&
           (f->resting || page->bytes + f->bytes > f->rule.reading.max_memory))
        pthread_cond_wait(&f->changed, &f->lock);
    const int go_on = !f->stopping;
    f->held++;
    f->bytes += page->bytes;
    pthread_mutex_unlock(&f->lock);
    return go_on;
}

/* Hands a page to app_feed_next. */
static void hand_over(app_feed *f, app_feed_page *page, int decoding)
{
    pthread_mutex_lock(&f->lock);
    *f->last = page;
    f->last = &page->next;
    f->decoding = decoding ? page : NULL;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

/* Opens the current item at the first page that is wanted. */
static xncc_status open_item(app_feed *f, app_error *error)
{
    const char *name = f->rule.images->name[f->item];
    f->page = (uint32_t)f->rule.options->pages.first;
    return app_file_open(name, &f->rule.reading, &f->file, error);
}

/* Sets *over to whether the current page is beyond the last one that is wanted. */
static xncc_status is_over(app_feed *f, int *over, app_error *error)
{
    const int64_t last = f->rule.options->pages.last;
    int has = 1;
    *over = f->page > last;
    if (last != INT64_MAX)
        return XNCC_OK;
    const xncc_status status = app_file_has(f->file, f->page, &has, error);
    *over = !status && !has;
    return status;
}

static void next_item(app_feed *f)
{
    app_file_close(f->file);
    f->file = NULL;
    f->given = 0;
    f->item++;
}

/* The type that the page is converted to. */
static xncc_pixel form_of(const app_feed *f, const app_page *info)
{
    return f->rule.as_stored ? info->pixel : app_pixel_join(info->pixel, f->rule.templ_pixel);
}

/* Whether a page takes more memory than there may be. */
static int is_too_large(const app_feed *f, const app_page *info, uint64_t bytes)
{
    const int masked = info->masked || f->rule.options->image_mask;
    const xncc_pixel form = form_of(f, info);
    const uint64_t pixels = (uint64_t)info->width * (uint64_t)info->height;
    const uint64_t converted = form == info->pixel
                                   ? 0
                                   : (uint64_t)info->channels * xncc_pixel_size(form);
    uint64_t more, all;
    return __builtin_mul_overflow(pixels, converted + (masked ? 1u : 0u) + f->rule.beside_pixel,
                                  &more) ||
           __builtin_add_overflow(bytes, more, &all) || all > f->rule.reading.max_memory;
}

/* Describes a page that will be read in bands, which this feed does not do. */
static xncc_status describe_page(const app_feed *f, const app_page *info, app_feed_page *page)
{
    app_picture *const p = &page->scene.picture;
    struct stat file;
    page->banded = 1;
    page->together = info->together;
    page->bytes = 0;
    *p = (app_picture){ .width = info->width,
                        .height = info->height,
                        .channels = info->channels,
                        .pixel = info->pixel };
    if (stat(page->scene.path, &file) == 0 && S_ISREG(file.st_mode)) {
        app_file_geo(f->file, &p->geo);
        return XNCC_OK;
    }
    return app_fail(&page->error, XNCC_ERROR_MEMORY,
                    "%s: page %u: %d x %d pixels need more than the limit of %.3g MiB, and a pipe "
                    "cannot be read in bands; raise --max-memory or give a file",
                    page->scene.path, page->scene.page, info->width, info->height,
                    (double)f->rule.reading.max_memory / 1048576.0);
}

/* Makes the memory of the selected page. */
static xncc_status make_picture(app_feed *f, const app_page *info, app_feed_page *page)
{
    app_source *const s = &page->scene;
    xncc_status status = app_picture_make(f->file, info, &s->picture, &page->error);
    if (!status)
        status = app_source_expect(s, form_of(f, info), &page->error);
    app_reader_open(&page->reader, f->file, &s->picture, s->form, s->converted);
    return status;
}

/* Leaves out the pixels that the masks exclude. */
static xncc_status apply_masks(app_feed *f, app_feed_page *page)
{
    const char *name = f->rule.options->image_mask;
    xncc_status status = app_reader_stop(&page->reader, &page->error);
    if (!status)
        app_picture_settle(&page->scene.picture);
    if (!status && name && !f->mask.pixels)
        status = app_mask_load(name, &f->rule.reading, &f->mask, &page->error);
    if (!status && name)
        status = app_source_combine(&page->scene, name, &f->mask, &page->error);
    return status;
}

/* Reads the selected page and hands it over: while it is being decoded, or, if it may have a mask,
 * afterwards. */
static void read_page(app_feed *f, const app_page *info, app_feed_page *page)
{
    const int masked = info->masked || f->rule.options->image_mask != NULL;
    page->bytes = (uint64_t)info->width * (uint64_t)info->height * (uint64_t)info->channels *
                  xncc_pixel_size(info->pixel);
    if (f->rule.always_banded || is_too_large(f, info, page->bytes)) {
        page->status = describe_page(f, info, page);
        (void)wait_for_room(f, page);
        hand_over(f, page, 0);
        return;
    }
    const int go_on = wait_for_room(f, page);
    page->status = go_on ? make_picture(f, info, page) : XNCC_ERROR_CANCELLED;
    if (!page->status && !masked && f->rule.beside) {
        hand_over(f, page, 1);
        app_reader_run(&page->reader); /* at its end the page may be gone */
        return;
    }
    if (!page->status)
        app_reader_run(&page->reader);
    if (!page->status && masked)
        page->status = apply_masks(f, page);
    hand_over(f, page, 0);
}

/* Selects the next page that is wanted. Returns NULL after the last; otherwise status says whether
 * the page can be read, or why not. */
static app_feed_page *select_next(app_feed *f, app_page *info)
{
    app_error error = { .text = "" };
    while (f->item < f->rule.images->count) {
        xncc_status status = f->file ? XNCC_OK : open_item(f, &error);
        int over = 0;
        if (!status)
            status = is_over(f, &over, &error);
        if (over && f->given) {
            next_item(f);
            continue;
        }
        if (over)
            status = app_fail(&error, XNCC_ERROR_ARGUMENT, "%s: there is no page to read",
                              f->rule.images->name[f->item]);
        if (!status)
            status = app_file_select(f->file, f->page, info, &error);
        if (status || !(f->rule.options->pages.many && info->secondary)) {
            app_feed_page *page = new_page(f);
            if (!page->status) {
                page->status = status;
                page->error = error;
            }
            f->page++;
            return page;
        }
        f->page++;
    }
    return NULL;
}

/* Reads the next page that is wanted. Returns 0 if there is none, or no memory. */
static int read_next(app_feed *f)
{
    app_page info;
    app_feed_page *page = select_next(f, &info);
    if (!page)
        return 0;
    if (!page->status) {
        read_page(f, &info, page);
        return 1;
    }
    const int go_on = page != f->spare;
    (void)wait_for_room(f, page);
    next_item(f);
    hand_over(f, page, 0);
    return go_on;
}

static void *read_all(void *data)
{
    app_feed *f = data;
    int go_on = 1;
    while (go_on) {
        go_on = read_next(f);
        pthread_mutex_lock(&f->lock);
        f->decoding = NULL;
        go_on = go_on && !f->stopping;
        pthread_mutex_unlock(&f->lock);
    }
    pthread_mutex_lock(&f->lock);
    f->ended = 1;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

xncc_status app_feed_open(const app_feed_rule *rule, app_feed **feed, app_error *error)
{
    app_feed *f = calloc(1, sizeof *f);
    *feed = f;
    if (!f)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    f->rule = *rule;
    f->rule.reading.bands = 1;
    if (f->rule.ahead < APP_FEED_AHEAD)
        f->rule.ahead = APP_FEED_AHEAD;
    f->last = &f->first;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    f->spare = calloc(1, sizeof *f->spare);
    if (!f->spare)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    f->threaded = rule->beside && pthread_create(&f->thread, NULL, read_all, f) == 0;
    if (!f->threaded)
        f->rule.beside = 0;
    return XNCC_OK;
}

app_feed_page *app_feed_next(app_feed *f)
{
    if (!f->threaded && !f->first && !read_next(f))
        return NULL;
    pthread_mutex_lock(&f->lock);
    while (f->threaded && !f->first && !f->ended && !f->stopping)
        pthread_cond_wait(&f->changed, &f->lock);
    app_feed_page *page = f->stopping ? NULL : f->first;
    if (page) {
        f->first = page->next;
        if (!f->first)
            f->last = &f->first;
        page->next = NULL;
    }
    pthread_mutex_unlock(&f->lock);
    return page;
}

int app_feed_is_ready(app_feed *f)
{
    pthread_mutex_lock(&f->lock);
    const int ready = f->first != NULL;
    pthread_mutex_unlock(&f->lock);
    return ready;
}

void app_feed_release(app_feed *f, app_feed_page *page)
{
    app_error unused;
    if (!page->status && !page->banded) {
        app_reader_drop(&page->reader);
        (void)app_reader_stop(&page->reader, &unused);
    }
    app_source_free(&page->scene);
    pthread_mutex_lock(&f->lock);
    f->held--;
    f->bytes -= page->bytes;
    if (f->decoding == page)
        f->decoding = NULL;
    if (f->held <= f->rule.ahead / 2)
        f->resting = 0;
    if (!f->resting)
        pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    if (page != f->spare)
        free(page);
}

void app_feed_stop(app_feed *f)
{
    pthread_mutex_lock(&f->lock);
    f->stopping = 1;
    if (f->decoding)
        app_reader_drop(&f->decoding->reader);
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

void app_feed_close(app_feed *f)
{
    app_feed_page *page;
    if (!f)
        return;
    app_feed_stop(f);
    if (f->threaded)
        pthread_join(f->thread, NULL);
    f->threaded = 0;
    while ((page = f->first)) {
        f->first = page->next;
        app_feed_release(f, page);
    }
    app_file_close(f->file);
    app_picture_free(&f->mask);
    free(f->spare);
    free(f);
}
