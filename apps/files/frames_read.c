/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoders of .npy files and of raw frames: samples and nothing else, page after page. */
#include "lines.h"
#include "npy_head.h"

#include <stdlib.h>
#include <string.h>

typedef struct frames_state {
    app_lines lines;
    app_input *input;
    app_reading reading;
    app_raw form;             /* of each page */
    char kind;                /* of the elements: 'b', 'u', 'i' or 'f' */
    unsigned bytes;           /* of an element in the file */
    int fortran;              /* 1: the only page is stored column by column */
    uint64_t data;            /* where page 0 begins */
    uint64_t pages;           /* UINT64_MAX: as many as the input has */
    uint64_t row, page_bytes; /* bytes in the file */
    uint32_t page;            /* the selected one */
    uint8_t *packed; /* a row of half floats; or all rows of a page stored column by column */
} frames_state;

static void close_frames(void *state)
{
    frames_state *s = state;
    app_lines_free(&s->lines);
    free(s->packed);
    free(s);
}

/* Fills the members that follow from the form. */
static xncc_status measure(frames_state *s, app_error *error)
{
    const app_raw *f = &s->form;
    s->row = (uint64_t)f->width * (uint64_t)f->channels * s->bytes; /* below 2^31 * 2^6 * 2^3 */
    if (__builtin_mul_overflow(s->row, (uint64_t)f->height, &s->page_bytes))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "%d x %d pixels are too large", f->width,
                        f->height);
    return XNCC_OK;
}

static app_sample_kind sample_kind(char kind)
{
    return kind == 'f' ? APP_FLOAT : kind == 'i' ? APP_SIGNED : APP_UNSIGNED;
}

static frames_state *make_state(app_input *input, const app_reading *reading)
{
    frames_state *s = calloc(1, sizeof *s);
    if (s) {
        s->input = input;
        s->reading = *reading;
    }
    return s;
}

static xncc_status open_raw(app_input *input, const app_reading *reading, void **state,
                            app_error *error)
{
    frames_state *s = make_state(input, reading);
    if (!s)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    s->form = reading->raw;
    s->kind = app_pixel_letter(s->form.pixel);
    s->bytes = (unsigned)xncc_pixel_size(s->form.pixel);
    s->pages = UINT64_MAX;
    xncc_status status = measure(s, error);
    if (status)
        close_frames(s);
    else
        *state = s;
    return status;
}

/* The type of the elements; float for halves, and double for integers that have no type. */
static xncc_pixel pixel_of(const npy_head *h)
{
    const app_sample_kind kind = sample_kind(h->kind);
    xncc_pixel pixel;
    if (app_pixel_find(kind, 8 * h->bytes, &pixel))
        return pixel;
    return kind == APP_FLOAT ? XNCC_F32 : XNCC_F64;
}

/* The axes are (height, width), (height, width, samples) or (pages, height, width, samples). */
static xncc_status take_axes(frames_state *s, const npy_head *h, app_error *error)
{
    const uint64_t *size = h->size + (h->axes == 4);
    const uint64_t channels = h->axes >= 3 ? size[2] : 1;
    if (h->axes < 2)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is an .npy array with %d ax%s; it must have 2 to 4: (height, width), "
                        "(height, width, samples) or (pages, height, width, samples)",
                        h->axes, h->axes == 1 ? "is" : "es");
    if (size[0] < 1 || size[1] < 1 || size[0] > XNCC_MAX_SIDE || size[1] > XNCC_MAX_SIDE)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%llu x %llu pixels: each side must be 1 .. %d",
                        (unsigned long long)size[1], (unsigned long long)size[0], XNCC_MAX_SIDE);
    if (channels < 1 || channels > XNCC_MAX_CHANNELS)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "its last axis, the samples of a pixel, has %llu; it must have 1 .. %d. "
                        "Reshape a stack of grey pages to (pages, height, width, 1)",
                        (unsigned long long)channels, XNCC_MAX_CHANNELS);
    if (h->fortran && h->axes == 4)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is an .npy array of pages in Fortran order, which is not supported; save "
                        "numpy.ascontiguousarray of it");
    s->form = (app_raw){ .width = (int32_t)size[1],
                         .height = (int32_t)size[0],
                         .channels = (int32_t)channels,
                         .pixel = pixel_of(h),
                         .big_endian = h->big_endian };
    s->kind = h->kind;
    s->bytes = h->bytes;
    s->fortran = h->fortran;
    s->pages = h->axes == 4 ? h->size[0] : 1;
    return measure(s, error);
}

static xncc_status open_npy(app_input *input, const app_reading *reading, void **state,
                            app_error *error)
{
    npy_head head;
    frames_state *s = make_state(input, reading);
    if (!s)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    xncc_status status = npy_head_read(input, &head, error);
    s->data = app_input_tell(input);
    if (!status)
        status = take_axes(s, &head, error);
    if (status)
        close_frames(s);
    else
        *state = s;
    return status;
}

/* Where a page begins; UINT64_MAX: nowhere. */
static uint64_t start_of(const frames_state *s, uint64_t page)
{
    uint64_t start;
    if (__builtin_mul_overflow(page, s->page_bytes, &start) ||
        __builtin_add_overflow(start, s->data, &start))
        return UINT64_MAX;
    return start;
}

/* Whether a pipe goes on where a page begins. */
static int pipe_has(frames_state *s, uint64_t page)
{
    uint8_t next;
    if (app_input_tell(s->input) > start_of(s, page))
        return 1; /* it has been read, or is being read */
    return app_input_seek(s->input, start_of(s, page)) && app_input_peek(s->input, &next, 1) == 1;
}

static xncc_status count_frames(void *state, uint32_t most, uint32_t *pages, app_error *error)
{
    frames_state *s = state;
    const uint64_t size = app_input_size(s->input);
    uint64_t count = s->pages < most ? s->pages : most;
    (void)error;
    if (s->pages == UINT64_MAX && size != UINT64_MAX) {
        /* A page that is not complete counts: reading it fails. */
        const uint64_t held = size / s->page_bytes + (size % s->page_bytes != 0);
        count = held < most ? held : most;
    } else if (s->pages == UINT64_MAX) {
        count = most;
        if (!pipe_has(s, most - 1)) /* then it has been read to its end */
            count = (app_input_tell(s->input) + s->page_bytes - 1) / s->page_bytes;
    }
    *pages = (uint32_t)count;
    return XNCC_OK;
}

/* IEEE 754 binary16 to binary32, exactly. */
static float widen(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u;
    uint32_t fraction = half & 1023u, bits;
    float value;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent > 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int is_half(const frames_state *s)
{
    return s->kind == 'f' && s->bytes == 2;
}

/* From elements in the machine's order to samples. */
static void unpack(const frames_state *s, const uint8_t *from, uint8_t *line)
{
    if (!is_half(s)) {
        if (from != line)
            memcpy(line, from, (size_t)s->row);
        for (uint64_t i = 0; s->kind == 'b' && i < s->row; i++)
            line[i] = line[i] ? 255 : 0;
        return;
    }
    for (uint64_t i = 0; i < s->row; i += 2, line += 4) {
        uint16_t half;
        memcpy(&half, from + i, 2);
        const float value = widen(half);
        memcpy(line, &value, 4);
    }
}

static xncc_status fail_row(const frames_state *s, app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED, "row %d cannot be read: %s", s->lines.row,
                    app_input_reason(s->input));
}

/* Reads a page that is stored column by column, and turns it. */
static int read_columns(frames_state *s)
{
    const uint64_t height = (uint64_t)s->form.height, width = (uint64_t)s->form.width,
                   channels = (uint64_t)s->form.channels, bytes = s->bytes;
    uint8_t *column = malloc((size_t)(height * bytes));
    int ok = column != NULL;
    for (uint64_t c = 0; c < channels && ok; c++)
        for (uint64_t x = 0; x < width && ok; x++) {
            ok = app_input_read(s->input, column, (size_t)(height * bytes)) == height * bytes;
            for (uint64_t y = 0; y < height && ok; y++)
                memcpy(s->packed + ((y * width + x) * channels + c) * bytes, column + y * bytes,
                       (size_t)bytes);
        }
    free(column);
    return ok;
}

static xncc_status next_line(void *state, uint8_t *line, app_error *error)
{
    frames_state *s = state;
    uint8_t *from = line;
    if (!s->packed && (s->fortran || is_half(s))) {
        s->packed = calloc(1, (size_t)(s->fortran ? s->page_bytes : s->row));
        if (!s->packed)
            return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d x %d pixels",
                            s->form.width, s->form.height);
        if (s->fortran && !read_columns(s))
            return fail_row(s, error);
    }
    if (s->fortran)
        from = s->packed + (uint64_t)s->lines.row * s->row;
    else if (is_half(s))
        from = s->packed;
    if (!s->fortran && app_input_read(s->input, from, (size_t)s->row) != s->row)
        return fail_row(s, error);
    app_lines_swap(from, s->row, s->bytes, s->form.big_endian);
    unpack(s, from, line);
    return XNCC_OK;
}

static xncc_status skip_to(void *state, int32_t row, app_error *error)
{
    frames_state *s = state;
    if (s->fortran || app_input_seek(s->input, start_of(s, s->page) + (uint64_t)row * s->row))
        return XNCC_OK;
    return fail_row(s, error);
}

static xncc_status select_frame(void *state, uint32_t page, app_page *info, app_error *error)
{
    frames_state *s = state;
    app_lines *l = &s->lines;
    const uint64_t start = start_of(s, page), size = app_input_size(s->input);
    uint64_t end = start_of(s, (uint64_t)page + 1);
    app_lines_free(l);
    free(s->packed);
    s->packed = NULL;
    s->page = page;
    *l = (app_lines){
        .width = s->form.width, .height = s->form.height, .next = next_line, .skip = skip_to
    };
    l->samples.kind = sample_kind(s->kind);
    l->samples.bits = (uint16_t)(is_half(s) ? 32 : 8 * s->bytes);
    l->samples.per_pixel = (uint16_t)s->form.channels;
    l->samples.pixel = s->form.pixel;
    const app_lines_source source = {
        .colours = s->form.channels == 3 || s->form.channels == 4 ? 3 : 1,
        .alpha = -1,
        .most = is_half(s) ? 2 : 1,
        .buffers = s->fortran ? s->page_bytes : s->row,
        .file_size = size,
    };
    xncc_status status = app_lines_begin(l, &source, &s->reading, info, error);
    if (status)
        return status;
    if (end > size)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "the file ends in the middle of it: it has %llu bytes of %llu; the file is "
                        "cut short, or --raw or the header is wrong",
                        (unsigned long long)(size > start ? size - start : 0),
                        (unsigned long long)s->page_bytes);
    if (!app_input_seek(s->input, start))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "a pipe gives its pages in rising order, once each");
    return XNCC_OK;
}

static xncc_status decode_frame(void *state, const app_target *to, int32_t *ready, app_error *error)
{
    frames_state *s = state;
    return app_lines_decode(&s->lines, state, to, ready, error);
}

const app_decoder app_npy_decoder = { .paged = 1,
                                      .open = open_npy,
                                      .close = close_frames,
                                      .count = count_frames,
                                      .select = select_frame,
                                      .decode = decode_frame };

const app_decoder app_raw_decoder = { .paged = 1,
                                      .open = open_raw,
                                      .close = close_frames,
                                      .count = count_frames,
                                      .select = select_frame,
                                      .decode = decode_frame };
