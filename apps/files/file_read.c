/* SPDX-License-Identifier: BSD-2-Clause */
/* An open picture file: its bytes, its format, and the names in its error texts. */
#include "file_read.h"

#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

const app_reading app_default_reading = { .max_memory = (uint64_t)8 << 30 };

/* Bytes: pages that claim no more are not compared with the size of the file, because memory is
 * used only as data arrives. */
static const uint64_t free_claim = 16u << 20;

struct app_file {
    app_input *input;
    app_reading reading;
    const app_decoder *decoder;
    void *state;
    int used; /* 1: a page has been selected */
    uint32_t page;
    int32_t height; /* of the selected page; 0: none is */
};

/* Adds the names of the file and, if it can have several pages, of the page. */
static xncc_status name_page(const app_file *f, xncc_status status, const app_error *text,
                             app_error *error)
{
    const char *name = app_input_name(f->input);
    return f->decoder->paged ? app_fail(error, status, "%s: page %u: %s", name, f->page, text->text)
                             : app_fail(error, status, "%s: %s", name, text->text);
}

/* "TIFF, PNM or BMP": what this build reads. */
static void list_formats(char *text, size_t size)
{
    const char *name;
    size_t at = 0;
    for (size_t i = 0; (name = app_kind_read(i)) && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               i == 0                 ? ""
                               : app_kind_read(i + 1) ? ", "
                                                      : " or ",
                               name);
}

static xncc_status choose_decoder(app_file *f, app_error *error)
{
    uint8_t head[APP_KIND_BYTES];
    char formats[128];
    const char *name = app_input_name(f->input);
    const size_t size = app_input_peek(f->input, head, sizeof head);
    if (size == 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: cannot be read as a picture: %s", name,
                        app_input_size(f->input) == 0 || app_input_size(f->input) == UINT64_MAX
                            ? "it is empty"
                            : app_input_reason(f->input));
    const app_file_kind *kind = app_file_kind_of(head, size);
    f->decoder = f->reading.raw.width ? &app_raw_decoder : kind ? kind->decoder : NULL;
    if (f->decoder)
        return XNCC_OK;
    list_formats(formats, sizeof formats);
    if (kind && kind->missing)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%s: is %s, and this exactncc was built without %s; build it with %s, or "
                        "give %s",
                        name, kind->name, kind->missing, kind->missing, formats);
    if (kind)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "%s: is %s, which is not read; give %s",
                        name, kind->name, formats);
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: cannot be read as a picture: its first bytes are those of no known "
                    "format; give %s",
                    name, formats);
}

static xncc_status open_decoder(app_file *f, app_error *error)
{
    app_error text;
    xncc_status status = f->decoder->open(f->input, &f->reading, &f->state, &text);
    return status ? app_fail(error, status, "%s: %s", app_input_name(f->input), text.text)
                  : XNCC_OK;
}

xncc_status app_file_open(const char *path, const app_reading *reading, app_file **file,
                          app_error *error)
{
    app_file *f = calloc(1, sizeof *f);
    *file = NULL;
    if (!f)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    f->reading = *reading;
    xncc_status status = app_input_open(path, reading->max_memory, &f->input, error);
    if (!status)
        status = choose_decoder(f, error);
    if (!status)
        status = open_decoder(f, error);
    if (status)
        app_file_close(f);
    else
        *file = f;
    return status;
}

void app_file_close(app_file *f)
{
    if (!f)
        return;
    if (f->state)
        f->decoder->close(f->state);
    app_input_close(f->input);
    free(f);
}

/* Counts the pages up to the given one. */
static xncc_status count_to(app_file *f, uint32_t page, uint32_t *pages, app_error *error)
{
    app_error text;
    xncc_status status = f->decoder->count(f->state, page + 1, pages, &text);
    f->page = page;
    return status ? name_page(f, status, &text, error) : XNCC_OK;
}

xncc_status app_file_has(app_file *f, uint32_t page, int *has, app_error *error)
{
    uint32_t pages = 0;
    xncc_status status = count_to(f, page, &pages, error);
    *has = pages > page;
    return status;
}

/* Goes back to the beginning of a file whose only page has been read. */
static xncc_status read_again(app_file *f, app_error *error)
{
    f->decoder->close(f->state);
    f->state = NULL;
    if (!app_input_seek(f->input, 0))
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: a pipe can be read only once",
                        app_input_name(f->input));
    return open_decoder(f, error);
}

xncc_status app_file_select(app_file *f, uint32_t page, app_page *info, app_error *error)
{
    app_error text;
    uint32_t pages = 0;
    f->height = 0;
    xncc_status status = f->used && !f->decoder->paged ? read_again(f, error) : XNCC_OK;
    if (!status)
        status = count_to(f, page, &pages, error);
    if (status)
        return status;
    if (pages <= page)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: there is no page %u: the file has %u, counted from 0",
                        app_input_name(f->input), page, pages);
    f->used = 1;
    status = f->decoder->select(f->state, page, info, &text);
    if (status)
        return name_page(f, status, &text, error);
    f->height = info->height;
    return XNCC_OK;
}

void app_file_geo(app_file *f, app_geo *geo)
{
    *geo = (app_geo){ .tie = NULL };
    if (f->decoder->geo)
        f->decoder->geo(f->state, geo);
}

xncc_status app_file_decode(app_file *f, const app_target *to, int32_t *ready, app_error *error)
{
    app_error text;
    if (f->height == 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: no page has been selected",
                        app_input_name(f->input));
    xncc_status status = f->decoder->decode(f->state, to, ready, &text);
    return status ? name_page(f, status, &text, error) : XNCC_OK;
}

uint64_t app_file_decoded(const app_file *f)
{
    return f->decoder->decoded ? f->decoder->decoded(f->state) : 0;
}

xncc_status app_need_check(const app_need *n, const app_reading *reading, app_error *error)
{
    const double mib = 1048576.0;
    uint64_t held, all, pixels;
    if (__builtin_mul_overflow((uint64_t)n->width * (uint64_t)n->height, n->pixel, &pixels) ||
        __builtin_add_overflow(pixels, n->buffers, &all))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%lld x %lld pixels of %llu bytes are too large", (long long)n->width,
                        (long long)n->height, (unsigned long long)n->pixel);
    if (__builtin_mul_overflow(n->file_size, n->most, &held))
        held = UINT64_MAX;
    if (!reading->trusted && n->claim > free_claim && n->claim > held)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "claims %lld x %lld pixels (%.2f GiB), more than a file of %llu bytes can "
                        "hold; if you trust the file, give --max-memory",
                        (long long)n->width, (long long)n->height, (double)n->claim / mib / 1024,
                        (unsigned long long)n->file_size);
    if (all > reading->max_memory && !(reading->bands && n->buffers <= reading->max_memory / 4))
        return app_fail(error, XNCC_ERROR_MEMORY,
                        "%lld x %lld pixels need %.3g MiB, more than the limit of %.3g MiB; raise "
                        "--max-memory",
                        (long long)n->width, (long long)n->height, (double)all / mib,
                        (double)reading->max_memory / mib);
    return XNCC_OK;
}
