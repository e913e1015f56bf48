/* SPDX-License-Identifier: BSD-2-Clause */
/* A page read in bands. The rows of a band are divided where the file divides them. Each thread has
 * a handle of its own and decodes one part after the other. There are two buffers: one for the band
 * that is used, and one for the next, which begins with the rows that both have. */
#include "bands.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 8 };

typedef struct buffer {
    uint8_t *pixels, *mask;
} buffer;

/* A decoder of the page or of the mask, with the next row that it can decode. */
typedef struct handle {
    app_file *file;
    app_page page;
    int32_t ready;
} handle;

struct app_bands {
    app_bands_rule rule;
    app_page page;
    app_band_plan plan;
    app_band band;    /* the one that is used */
    buffer buffer[2]; /* band i is in buffer i % 2 */
    handle handle[MOST_THREADS];
    handle mask;            /* of --image-mask */
    app_picture mask_rows;  /* its fresh rows */
    uint64_t row, mask_row; /* bytes per row of the pixels, and of the mask */
    int32_t handles, given, threads;
    pthread_t thread[MOST_THREADS];
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    int32_t filling;     /* the band that is being decoded */
    int32_t part, parts; /* of its rows: the next one to decode, and the end */
    int32_t pending;     /* parts that are not decoded */
    int32_t filled;      /* bands that are decoded */
    int stopping;
    xncc_status status;
    app_error error;
};

static xncc_status open_handle(const char *path, uint32_t page, const app_reading *reading,
                               handle *h, app_error *error)
{
    xncc_status status = app_file_open(path, reading, &h->file, error);
    return status ? status : app_file_select(h->file, page, &h->page, error);
}

/* Decodes rows of the page to memory. A handle only goes forward, so it may have to begin again. */
static xncc_status decode(handle *h, uint32_t page, const app_target *to, app_error *error)
{
    const int32_t together = h->page.together;
    xncc_status status = XNCC_OK;
    if (to->first / together * together < h->ready) {
        status = app_file_select(h->file, page, &h->page, error);
        h->ready = 0;
    }
    while (!status && h->ready < to->first + to->rows)
        status = app_file_decode(h->file, to, &h->ready, error);
    return status;
}

/* Decodes a part of the band that is being filled. */
static xncc_status decode_part(app_bands *b, handle *h, int32_t part, app_error *error)
{
    const app_band_rows r = app_band_plan_rows(&b->plan, b->filling);
    const buffer *to = &b->buffer[b->filling % 2];
    const int64_t together = b->page.together, begin = part * together, end = begin + together;
    const int32_t first = begin > r.fresh ? (int32_t)begin : r.fresh,
                  last = end < r.end ? (int32_t)end : r.end;
    const uint64_t at = (uint64_t)(first - r.first);
    return decode(h, b->rule.page,
                  &(app_target){ .pixels = to->pixels + at * b->row,
                                 .pitch = (int64_t)b->row,
                                 .mask = b->page.masked ? to->mask + at * b->mask_row : NULL,
                                 .first = first,
                                 .rows = last - first },
                  error);
}

/* Leaves out the pixels of the fresh rows that --image-mask excludes. */
static xncc_status add_mask(app_bands *b, app_error *error)
{
    const app_band_rows r = app_band_plan_rows(&b->plan, b->filling);
    app_picture *const m = &b->mask_rows;
    uint8_t *to = b->buffer[b->filling % 2].mask + (uint64_t)(r.fresh - r.first) * b->mask_row;
    const size_t count = (size_t)(r.end - r.fresh) * b->mask_row;
    app_target rows = app_picture_target(m);
    rows.first = r.fresh;
    rows.rows = r.end - r.fresh;
    const xncc_status status = decode(&b->mask, 0, &rows, error);
    if (status)
        return status;
    if (!b->page.masked)
        memset(to, 1, count);
    for (size_t i = 0; i < count; i++)
        to[i] &= app_mask_counts(m, i);
    return XNCC_OK;
}

/* A part is decoded, or has failed. The last one ends the band. The lock is held. */
static void end_part(app_bands *b, xncc_status status, const app_error *why)
{
    app_error error;
    if (status && !b->status) {
        b->status = status;
        b->error = *why;
    }
    if (--b->pending > 0)
        return;
    if (!b->status && b->mask.file) {
        pthread_mutex_unlock(&b->lock);
        status = add_mask(b, &error);
        pthread_mutex_lock(&b->lock);
        if (status) {
            b->status = status;
            b->error = error;
        }
    }
    b->filled = b->filling + 1;
    pthread_cond_broadcast(&b->changed);
}

/* Decodes parts as long as there are any. The lock is held. */
static void decode_parts(app_bands *b, handle *h)
{
    app_error error;
    while (b->part < b->parts && !b->stopping) {
        const int32_t part = b->part++;
        const int failed = b->status != XNCC_OK;
        pthread_mutex_unlock(&b->lock);
        const xncc_status status = failed ? XNCC_OK : decode_part(b, h, part, &error);
        pthread_mutex_lock(&b->lock);
        end_part(b, status, &error);
    }
}

typedef struct worker {
    app_bands *bands;
    handle *handle;
} worker;

static void *work(void *data)
{
    const worker w = *(worker *)data;
    app_bands *b = w.bands;
    free(data);
    pthread_mutex_lock(&b->lock);
    while (!b->stopping) {
        decode_parts(b, w.handle);
        if (!b->stopping)
            pthread_cond_wait(&b->changed, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* Begins to fill a band: with the rows of the band before, and then with the parts of the file. */
static void begin_band(app_bands *b, int32_t number)
{
    const app_band_rows r = app_band_plan_rows(&b->plan, number);
    if (number > 0) {
        const app_band_rows before = app_band_plan_rows(&b->plan, number - 1);
        const buffer *from = &b->buffer[(number - 1) % 2], *to = &b->buffer[number % 2];
        const size_t skip = (size_t)(r.first - before.first), rows = (size_t)(r.fresh - r.first);
        memcpy(to->pixels, from->pixels + skip * b->row, rows * b->row);
        if (to->mask)
            memcpy(to->mask, from->mask + skip * b->mask_row, rows * b->mask_row);
    }
    pthread_mutex_lock(&b->lock);
    b->filling = number;
    b->part = r.fresh / b->page.together;
    b->parts = (r.end - 1) / b->page.together + 1;
    b->pending = b->parts - b->part;
    pthread_cond_broadcast(&b->changed);
    if (!b->threads)
        decode_parts(b, &b->handle[0]);
    pthread_mutex_unlock(&b->lock);
}

static xncc_status fail_memory(const app_bands *b, uint64_t least, app_error *error)
{
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "%s: page %u: %d x %d pixels need %.3g MiB even in bands, more than the limit "
                    "of %.3g MiB; raise --max-memory",
                    b->rule.path, b->rule.page, b->page.width, b->page.height,
                    (double)least / 1048576.0, (double)b->rule.reading.max_memory / 1048576.0);
}

/* Decides how many threads decode, and how high the bands are. */
static xncc_status make_plan(app_bands *b, app_error *error)
{
    const app_bands_rule *r = &b->rule;
    const int masked = b->page.masked || r->image_mask;
    b->row = (uint64_t)b->page.width * (uint64_t)b->page.channels * xncc_pixel_size(b->page.pixel);
    b->mask_row = masked ? (uint64_t)b->page.width : 0;
    const uint64_t third = b->mask.file
                               ? (uint64_t)b->page.width * (uint64_t)b->mask.page.channels *
                                         xncc_pixel_size(b->mask.page.pixel) +
                                     b->mask_row
                               : 0;
    app_band_need need = { .first = r->first,
                           .end = r->first + r->rows,
                           .from = r->from,
                           .to = r->to,
                           .above = r->above,
                           .below = r->below,
                           .together = b->page.together,
                           .row_bytes = b->row,
                           .per_row = 2 * (b->row + b->mask_row) + third + r->beside,
                           .max_memory = r->reading.max_memory };
    b->handles = b->page.any_order && r->threads > 1 ? r->threads : 1;
    if (b->handles > MOST_THREADS)
        b->handles = MOST_THREADS;
    /* A handle has a decoded and a stored strip or tile. */
    for (;; b->handles--) {
        need.fixed = 2 * b->page.buffers * (uint64_t)b->handles + 2 * b->mask.page.buffers;
        if ((need.fixed <= need.max_memory / 4 || b->handles == 1) &&
            app_band_plan_make(&need, &b->plan))
            return XNCC_OK;
        if (b->handles == 1)
            return fail_memory(b, app_band_plan_least(&need), error);
    }
}

static xncc_status open_mask(app_bands *b, app_error *error)
{
    app_reading how = app_mask_reading(&b->rule.reading);
    xncc_status status = open_handle(b->rule.image_mask, 0, &how, &b->mask, error);
    return status
               ? status
               : app_mask_check(
                     b->rule.image_mask, b->rule.path,
                     &(app_picture){ .width = b->page.width, .height = b->page.height },
                     &(app_picture){ .width = b->mask.page.width, .height = b->mask.page.height },
                     error);
}

static xncc_status make_buffers(app_bands *b, app_error *error)
{
    const size_t rows = (size_t)b->plan.most;
    int ok = 1;
    for (int i = 0; i < (b->plan.count > 1 ? 2 : 1); i++) {
        buffer *const to = &b->buffer[i];
        to->pixels = malloc(rows * b->row);
        to->mask = b->mask_row ? malloc(rows * b->mask_row) : NULL;
        ok = ok && to->pixels && (to->mask || !b->mask_row);
    }
    if (!ok)
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%s: out of memory for bands of %d rows; give a smaller --max-memory",
                        b->rule.path, b->plan.most);
    if (!b->mask.file)
        return XNCC_OK;
    app_page part = b->mask.page;
    part.height = b->plan.most;
    xncc_status status = app_picture_make(b->mask.file, &part, &b->mask_rows, error);
    return status;
}

static xncc_status start_threads(app_bands *b, app_error *error)
{
    xncc_status status = XNCC_OK;
    for (int32_t i = 1; i < b->handles && !status; i++)
        status = open_handle(b->rule.path, b->rule.page, &b->rule.reading, &b->handle[i], error);
    for (int32_t i = 0; i < b->handles && b->rule.threads > 0 && !status; i++) {
        worker *w = malloc(sizeof *w);
        if (!w)
            break;
        *w = (worker){ b, &b->handle[i] };
        if (pthread_create(&b->thread[b->threads], NULL, work, w) != 0) {
            free(w);
            break;
        }
        b->threads++;
    }
    return status;
}

xncc_status app_bands_open(const app_bands_rule *rule, app_bands **bands, app_error *error)
{
    app_bands *b = calloc(1, sizeof *b);
    *bands = b;
    if (!b)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", rule->path);
    b->rule = *rule;
    b->rule.reading.bands = 1;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    xncc_status status = open_handle(rule->path, rule->page, &b->rule.reading, &b->handle[0],
                                     error);
    b->page = b->handle[0].page;
    if (!status && rule->image_mask)
        status = open_mask(b, error);
    if (!status)
        status = make_plan(b, error);
    if (!status)
        status = make_buffers(b, error);
    if (!status)
        status = start_threads(b, error);
    if (!status && b->threads)
        begin_band(b, 0);
    return status;
}

const app_band_plan *app_bands_plan(const app_bands *b)
{
    return &b->plan;
}

/* Waits until a band is decoded. */
static xncc_status wait_for(app_bands *b, int32_t number, app_error *error)
{
    pthread_mutex_lock(&b->lock);
    while (b->filled <= number)
        pthread_cond_wait(&b->changed, &b->lock);
    const xncc_status status = b->status;
    if (status)
        *error = b->error;
    pthread_mutex_unlock(&b->lock);
    return status;
}

xncc_status app_bands_next(app_bands *b, app_band **band, app_error *error)
{
    const int32_t number = b->given;
    free(b->band.scene.converted);
    b->band.scene.converted = NULL;
    *band = NULL;
    if (number == b->plan.count)
        return XNCC_OK;
    if (!b->threads)
        begin_band(b, number);
    const xncc_status status = wait_for(b, number, error);
    if (status)
        return status;
    const app_band_rows r = app_band_plan_rows(&b->plan, number);
    const buffer *at = &b->buffer[number % 2];
    const size_t pixels = (size_t)(r.end - r.first) * (size_t)b->page.width;
    b->band = (app_band){ .number = number,
                          .rows = r,
                          .scene = { .path = b->rule.path,
                                     .page = b->rule.page,
                                     .picture = { .pixels = at->pixels,
                                                  .width = b->page.width,
                                                  .height = r.end - r.first,
                                                  .channels = b->page.channels,
                                                  .pixel = b->page.pixel } } };
    /* Where every pixel counts, no mask is faster, and gives the same scores. */
    if (at->mask && memchr(at->mask, 0, pixels))
        b->band.scene.picture.mask = at->mask;
    b->given++;
    if (b->threads && number + 1 < b->plan.count)
        begin_band(b, number + 1);
    *band = &b->band;
    return XNCC_OK;
}

uint64_t app_bands_decoded(const app_bands *b)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < b->handles; i++)
        sum += b->handle[i].file ? app_file_decoded(b->handle[i].file) : 0;
    return sum;
}

void app_bands_close(app_bands *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->stopping = 1;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    for (int32_t i = 0; i < b->threads; i++)
        pthread_join(b->thread[i], NULL);
    for (int32_t i = 0; i < MOST_THREADS; i++)
        app_file_close(b->handle[i].file);
    app_file_close(b->mask.file);
    app_picture_free(&b->mask_rows);
    for (int i = 0; i < 2; i++) {
        free(b->buffer[i].pixels);
        free(b->buffer[i].mask);
    }
    free(b->band.scene.converted);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
