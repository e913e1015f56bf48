/* SPDX-License-Identifier: BSD-2-Clause */
/* The JPEG decoder, with libjpeg-turbo and its exact integer transform, so that every machine reads
 * the same pixels. Colour is RGB. EXIF's orientation is ignored, as TIFF's is. */
#include "lines.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum { ROOM = 32 << 10, MOST_SCANS = 500 };

typedef struct jpeg_state {
    app_lines lines;
    app_input *input;
    app_reading reading;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf leave;
    int made;    /* 1: jpeg is to be destroyed */
    int started; /* 1: decoding has begun */
    char message[JMSG_LENGTH_MAX];
    JOCTET bytes[ROOM];
} jpeg_state;

/* Stores the first message. */
static void take_message(j_common_ptr jpeg)
{
    jpeg_state *s = jpeg->client_data;
    if (!s->message[0])
        jpeg->err->format_message(jpeg, s->message);
}

static void on_error(j_common_ptr jpeg)
{
    jpeg_state *s = jpeg->client_data;
    s->message[0] = 0;
    take_message(jpeg);
    longjmp(s->leave, 1);
}

/* A warning means that pixels were made up, except for bytes that are left over before the end of
 * the picture, and for unusual headers. */
static void on_message(j_common_ptr jpeg, int level)
{
    const struct jpeg_error_mgr *e = jpeg->err;
    if (level >= 0 || e->msg_code == JWRN_JFIF_MAJOR || e->msg_code == JWRN_ADOBE_XFORM ||
        (e->msg_code == JWRN_EXTRANEOUS_DATA && e->msg_parm.i[1] == JPEG_EOI))
        return;
    on_error(jpeg);
}

static void ignore(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

static boolean fill(j_decompress_ptr jpeg)
{
    jpeg_state *s = jpeg->client_data;
    const size_t got = app_input_read(s->input, s->bytes, 1);
    if (got == 0) {
        snprintf(s->message, sizeof s->message, "%s", app_input_reason(s->input));
        longjmp(s->leave, 1);
    }
    s->source.next_input_byte = s->bytes;
    s->source.bytes_in_buffer = 1 + app_input_some(s->input, s->bytes + 1, ROOM - 1);
    return TRUE;
}

static void skip(j_decompress_ptr jpeg, long bytes)
{
    jpeg_state *s = jpeg->client_data;
    while (bytes > 0) {
        if (s->source.bytes_in_buffer == 0)
            fill(jpeg);
        const size_t have = s->source.bytes_in_buffer,
                     step = have < (size_t)bytes ? have : (size_t)bytes;
        s->source.next_input_byte += step;
        s->source.bytes_in_buffer -= step;
        bytes -= (long)step;
    }
}

/* A progressive file may have any number of scans, each of which takes time. */
static void on_progress(j_common_ptr common)
{
    jpeg_state *s = common->client_data;
    if (s->jpeg.input_scan_number > MOST_SCANS) {
        snprintf(s->message, sizeof s->message, "more than %d scans", MOST_SCANS);
        longjmp(s->leave, 1);
    }
}

static void close_jpeg(void *state)
{
    jpeg_state *s = state;
    if (s->made)
        jpeg_destroy_decompress(&s->jpeg);
    app_lines_free(&s->lines);
    free(s);
}

static xncc_status refuse_precision(const jpeg_state *s, app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "is a JPEG with %d bits per sample, which is not supported; convert to 8 bits, "
                    "or to a 16-bit PNG or TIFF",
                    s->jpeg.data_precision);
}

static xncc_status fail_jpeg(const jpeg_state *s, app_error *error)
{
    const int code = s->errors.msg_code;
    if (code == JERR_BAD_PRECISION)
        return refuse_precision(s, error);
    if (code == JERR_SOF_UNSUPPORTED)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is a %s JPEG, which is not supported; convert to baseline JPEG or to PNG",
                        s->errors.msg_parm.i[0] == 0xc3 ? "lossless" : "hierarchical");
    return app_fail(error, XNCC_ERROR_UNSUPPORTED, "cannot be decoded as JPEG: %s; %s",
                    s->message[0] ? s->message : "no reason given",
                    code == JERR_OUT_OF_MEMORY   ? "free some memory"
                    : code == JERR_ARITH_NOTIMPL ? "convert to baseline JPEG or to PNG"
                                                 : "the file is damaged");
}

/* Makes libjpeg's object. Returns 0 if it reports an error. */
static int make(jpeg_state *s)
{
    s->jpeg.err = jpeg_std_error(&s->errors);
    s->errors.error_exit = on_error;
    s->errors.emit_message = on_message;
    s->errors.output_message = take_message;
    s->jpeg.client_data = s;
    if (setjmp(s->leave))
        return 0;
    jpeg_create_decompress(&s->jpeg);
    s->made = 1;
    s->source = (struct jpeg_source_mgr){ .init_source = ignore,
                                          .fill_input_buffer = fill,
                                          .skip_input_data = skip,
                                          .resync_to_restart = jpeg_resync_to_restart,
                                          .term_source = ignore };
    s->progress.progress_monitor = on_progress;
    s->jpeg.src = &s->source;
    s->jpeg.progress = &s->progress;
    return 1;
}

static xncc_status open_jpeg(app_input *input, const app_reading *reading, void **state,
                             app_error *error)
{
    jpeg_state *s = calloc(1, sizeof *s);
    if (!s)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    s->input = input;
    s->reading = *reading;
    *state = s;
    if (make(s))
        return XNCC_OK;
    xncc_status status = fail_jpeg(s, error);
    close_jpeg(s);
    *state = NULL;
    return status;
}

static int read_header(jpeg_state *s)
{
    if (setjmp(s->leave))
        return 0;
    jpeg_read_header(&s->jpeg, TRUE);
    return 1;
}

static int start(jpeg_state *s)
{
    if (setjmp(s->leave))
        return 0;
    jpeg_start_decompress(&s->jpeg);
    return 1;
}

static int read_row(jpeg_state *s, uint8_t *line)
{
    if (setjmp(s->leave))
        return 0;
    jpeg_read_scanlines(&s->jpeg, &line, 1);
    return 1;
}

static int finish(jpeg_state *s)
{
    if (setjmp(s->leave))
        return 0;
    jpeg_finish_decompress(&s->jpeg);
    return 1;
}

static xncc_status next_line(void *state, uint8_t *line, app_error *error)
{
    jpeg_state *s = state;
    int ok = s->started || start(s);
    s->started = 1;
    ok = ok && read_row(s, line) && (s->lines.row + 1 < s->lines.height || finish(s));
    return ok ? XNCC_OK : fail_jpeg(s, error);
}

static xncc_status choose_colours(jpeg_state *s, app_error *error)
{
    struct jpeg_decompress_struct *j = &s->jpeg;
    if (j->data_precision != 8)
        return refuse_precision(s, error);
    if (j->jpeg_color_space == JCS_CMYK || j->jpeg_color_space == JCS_YCCK)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is a CMYK JPEG, which is not supported; convert to grey or RGB");
    if (j->num_components != 1 && j->num_components != 3)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is a JPEG with %d samples per pixel, which is not supported; convert to "
                        "grey or RGB",
                        j->num_components);
    j->out_color_space = j->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    j->dct_method = JDCT_ISLOW;
    j->do_fancy_upsampling = TRUE;
    return XNCC_OK;
}

static xncc_status select_jpeg(void *state, uint32_t page, app_page *info, app_error *error)
{
    jpeg_state *s = state;
    app_lines *l = &s->lines;
    (void)page;
    if (!read_header(s))
        return fail_jpeg(s, error);
    xncc_status status = choose_colours(s, error);
    if (status)
        return status;
    l->width = (int32_t)s->jpeg.image_width;
    l->height = (int32_t)s->jpeg.image_height;
    l->samples.bits = 8;
    l->samples.per_pixel = s->jpeg.num_components == 1 ? 1 : 3;
    l->samples.pixel = XNCC_U8;
    l->next = next_line;
    /* Several scans need all coefficients, of two bytes each, for whole blocks; a single scan a few
     * rows of blocks. */
    const uint64_t row = ((uint64_t)l->width + 64) * l->samples.per_pixel * 2;
    const app_lines_source source = {
        .colours = l->samples.per_pixel,
        .alpha = -1,
        .most = 2048, /* a block of 64 equal samples in one bit, and subsampled colours */
        .buffers = row * (jpeg_has_multiple_scans(&s->jpeg) ? (uint64_t)l->height + 64 : 64),
        .file_size = app_input_size(s->input)
    };
    return app_lines_begin(l, &source, &s->reading, info, error);
}

static xncc_status decode_jpeg(void *state, const app_target *to, int32_t *ready, app_error *error)
{
    jpeg_state *s = state;
    return app_lines_decode(&s->lines, state, to, ready, error);
}

const app_decoder app_jpeg_decoder = { .open = open_jpeg,
                                       .close = close_jpeg,
                                       .count = app_count_one,
                                       .select = select_jpeg,
                                       .decode = decode_jpeg };
