/* SPDX-License-Identifier: BSD-2-Clause */
/* The PNM decoder: PBM, PGM and PPM in text and in binary (P1 to P6), and PAM (P7). A binary file
 * can hold several pictures, one after the other: its pages. Samples keep their values, whatever
 * the largest allowed value is; those of PBM become 0 (black) and 255. */
#include "lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct pnm_head {
    char kind; /* '1' .. '7' */
    int32_t width, height;
    uint32_t depth, maxval; /* samples per pixel, and the largest value of a sample */
    int alpha, colour, bilevel;
    uint64_t data; /* where the samples begin */
} pnm_head;

typedef struct pnm_state {
    app_lines lines;
    app_input *input;
    app_reading reading;
    uint32_t pages; /* the number of pages whose head has been read */
    pnm_head head;  /* of page pages - 1 */
} pnm_state;

static xncc_status open_pnm(app_input *input, const app_reading *reading, void **state,
                            app_error *error)
{
    pnm_state *s = calloc(1, sizeof *s);
    if (!s)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    s->input = input;
    s->reading = *reading;
    *state = s;
    return XNCC_OK;
}

static void close_pnm(void *state)
{
    pnm_state *s = state;
    app_lines_free(&s->lines);
    free(s);
}

/* The next byte that is neither white space nor in a comment. */
static int next_letter(app_input *in)
{
    int c = app_input_byte(in);
    while (c == '#' || (c >= 0 && isspace(c))) {
        if (c == '#')
            while (c >= 0 && c != '\n' && c != '\r')
                c = app_input_byte(in);
        else
            c = app_input_byte(in);
    }
    return c;
}

/* Reads a whole number 1 .. most with the one white space after it. */
static int read_number(app_input *in, uint32_t most, uint32_t *value)
{
    uint64_t number = 0;
    int c = next_letter(in), digits = 0;
    for (; c >= '0' && c <= '9' && number <= most; c = app_input_byte(in), digits++)
        number = 10 * number + (uint64_t)(c - '0');
    *value = (uint32_t)number;
    return digits > 0 && number >= 1 && number <= most && c >= 0 && isspace(c);
}

/* Reads a word of up to 31 letters with the white space after it. Returns that, or -1. */
static int read_word(app_input *in, char *word)
{
    int c = next_letter(in), length = 0;
    for (; c >= 0 && !isspace(c) && length < 31; c = app_input_byte(in))
        word[length++] = (char)c;
    word[length] = 0;
    return length > 0 && c >= 0 && isspace(c) ? c : -1;
}

static xncc_status fail_head(const char *what, app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "its PNM header is damaged: %s is missing or out of range", what);
}

static void take_tuple(pnm_head *h, const char *word)
{
    const size_t length = strlen(word);
    h->alpha = length > 6 && strcmp(word + length - 6, "_ALPHA") == 0;
    h->colour = strncmp(word, "RGB", 3) == 0;
    h->bilevel = strncmp(word, "BLACKANDWHITE", 13) == 0;
}

/* The lines of a PAM header, in any order up to ENDHDR. */
static xncc_status read_pam_head(app_input *in, pnm_head *h, app_error *error)
{
    static const char *const names[] = { "WIDTH", "HEIGHT", "DEPTH", "MAXVAL" };
    static const uint32_t most[] = { XNCC_MAX_SIDE, XNCC_MAX_SIDE, 65535, 65535 };
    uint32_t value[4] = { 0 };
    char word[32];
    for (;;) {
        int i = 0;
        int end = read_word(in, word);
        if (end < 0)
            return fail_head("ENDHDR", error);
        if (strcmp(word, "ENDHDR") == 0) {
            while (end != '\n' && end >= 0)
                end = app_input_byte(in);
            break;
        }
        while (i < 4 && strcmp(word, names[i]) != 0)
            i++;
        if (i < 4 ? !read_number(in, most[i], &value[i])
                  : strcmp(word, "TUPLTYPE") != 0 || end == '\n' || read_word(in, word) < 0)
            return fail_head(i < 4 ? names[i] : "a line", error);
        if (i == 4)
            take_tuple(h, word);
    }
    for (int i = 0; i < 4; i++)
        if (value[i] == 0)
            return fail_head(names[i], error);
    h->width = (int32_t)value[0];
    h->height = (int32_t)value[1];
    h->depth = value[2];
    h->maxval = value[3];
    if ((h->colour && h->depth < 3u + (unsigned)h->alpha) || (h->alpha && h->depth < 2))
        return fail_head("DEPTH", error);
    return XNCC_OK;
}

static xncc_status read_head(app_input *in, pnm_head *h, app_error *error)
{
    uint8_t magic[2];
    uint32_t width, height;
    xncc_status status = XNCC_OK;
    *h = (pnm_head){ .depth = 1, .maxval = 1 };
    if (app_input_read(in, magic, 2) != 2 || magic[0] != 'P' || magic[1] < '1' || magic[1] > '7')
        return fail_head("P1 .. P7", error);
    h->kind = (char)magic[1];
    h->bilevel = h->kind == '1' || h->kind == '4';
    h->colour = h->kind == '3' || h->kind == '6';
    if (h->colour)
        h->depth = 3;
    if (h->kind == '7') {
        status = read_pam_head(in, h, error);
    } else {
        if (!read_number(in, XNCC_MAX_SIDE, &width))
            return fail_head("the width", error);
        if (!read_number(in, XNCC_MAX_SIDE, &height))
            return fail_head("the height", error);
        if (!h->bilevel && !read_number(in, 65535, &h->maxval))
            return fail_head("the largest value", error);
        h->width = (int32_t)width;
        h->height = (int32_t)height;
    }
    h->data = app_input_tell(in);
    return status;
}

static int is_text(const pnm_head *h)
{
    return h->kind <= '3';
}

static unsigned bits_of(const pnm_head *h)
{
    return h->kind == '1' || h->kind == '4' ? 1 : h->maxval > 255 ? 16 : 8;
}

/* Bytes of a row of a binary file. */
static uint64_t row_bytes(const pnm_head *h)
{
    return ((uint64_t)h->width * h->depth * bits_of(h) + 7) / 8;
}

/* Goes behind the samples of the last page whose head is known. Returns 0 if nothing follows. */
static int go_behind(pnm_state *s)
{
    const pnm_head *h = &s->head;
    uint8_t next;
    uint64_t bytes;
    if (s->pages == 0)
        return 1;
    if (is_text(h) || __builtin_mul_overflow(row_bytes(h), (uint64_t)h->height, &bytes) ||
        __builtin_add_overflow(bytes, h->data, &bytes) || !app_input_seek(s->input, bytes))
        return 0;
    while (app_input_peek(s->input, &next, 1) == 1 && isspace(next))
        app_input_byte(s->input);
    return app_input_peek(s->input, &next, 1) == 1;
}

static xncc_status count_pnm(void *state, uint32_t most, uint32_t *pages, app_error *error)
{
    pnm_state *s = state;
    xncc_status status = XNCC_OK;
    while (s->pages < most && go_behind(s) && !status) {
        status = read_head(s->input, &s->head, error);
        s->pages += !status;
    }
    *pages = s->pages < most ? s->pages : most;
    return status;
}

/* Reads a number of a text file. */
static int read_text_sample(pnm_state *s, unsigned *value)
{
    unsigned number = 0;
    int digits = 0, c;
    do
        c = app_input_byte(s->input);
    while (c >= 0 && isspace(c));
    if (s->head.kind == '1') { /* the digits need no space between them */
        *value = (unsigned)c - '0';
        return c == '0' || c == '1';
    }
    for (; c >= '0' && c <= '9' && number <= s->head.maxval; c = app_input_byte(s->input), digits++)
        number = 10 * number + (unsigned)(c - '0');
    *value = number;
    return digits > 0 && number <= s->head.maxval && (c < 0 || isspace(c));
}

static int read_text_row(pnm_state *s, uint8_t *line)
{
    const uint64_t samples = (uint64_t)s->head.width * s->head.depth;
    const unsigned bits = bits_of(&s->head);
    memset(line, 0, (size_t)s->lines.line_bytes);
    for (uint64_t i = 0; i < samples; i++) {
        unsigned value;
        if (!read_text_sample(s, &value))
            return 0;
        const uint16_t wide = (uint16_t)value;
        if (bits == 16)
            memcpy(line + 2 * i, &wide, 2);
        else if (bits == 8)
            line[i] = (uint8_t)value;
        else
            line[i / 8] |= (uint8_t)(value << (7 - i % 8));
    }
    return 1;
}

/* Whether no sample of a row exceeds the largest value. */
static int values_fit(const pnm_head *h, const uint8_t *line)
{
    const uint64_t samples = (uint64_t)h->width * h->depth;
    const unsigned bits = bits_of(h);
    if (bits == 1 || h->maxval == (bits == 8 ? 255u : 65535u))
        return 1;
    unsigned largest = 0;
    for (uint64_t i = 0; i < samples; i++) {
        uint16_t v = line[bits == 8 ? i : 0];
        if (bits == 16)
            memcpy(&v, line + 2 * i, 2);
        largest = v > largest ? v : largest;
    }
    return largest <= h->maxval;
}

static xncc_status next_line(void *state, uint8_t *line, app_error *error)
{
    pnm_state *s = state;
    const pnm_head *h = &s->head;
    const uint64_t bytes = row_bytes(h);
    int ok;
    if (is_text(h)) {
        ok = read_text_row(s, line);
    } else {
        ok = app_input_read(s->input, line, (size_t)bytes) == bytes;
        if (ok && bits_of(h) == 16)
            app_lines_swap(line, bytes, 2, 1);
    }
    if (!ok)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "row %d cannot be read: %s", s->lines.row,
                        is_text(h) ? "a number is missing or out of range; the file is damaged"
                                   : app_input_reason(s->input));
    if (!values_fit(h, line))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "row %d has a sample above the largest value, %u; the file is damaged",
                        s->lines.row, h->maxval);
    if (h->kind == '7' && h->bilevel && h->maxval == 1) /* 1 is white; alpha scales along */
        for (uint64_t i = 0; i < bytes; i++)
            line[i] = line[i] ? 255 : 0;
    return XNCC_OK;
}

/* Goes back to a page of a file that can be read in any order. */
static xncc_status go_back(pnm_state *s, uint32_t page, app_error *error)
{
    uint32_t pages;
    if (!app_input_seek(s->input, 0))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "a pipe gives its pages in rising order, once each");
    s->pages = 0;
    return count_pnm(s, page + 1, &pages, error);
}

static xncc_status select_pnm(void *state, uint32_t page, app_page *info, app_error *error)
{
    pnm_state *s = state;
    app_lines *l = &s->lines;
    xncc_status status = page + 1 == s->pages ? XNCC_OK : go_back(s, page, error);
    if (!status && !app_input_seek(s->input, s->head.data))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "a pipe gives its pages in rising order, once each");
    if (status)
        return status;
    const pnm_head *h = &s->head;
    app_lines_free(l);
    *l = (app_lines){ .width = h->width, .height = h->height, .next = next_line };
    l->samples.bits = (uint16_t)bits_of(h);
    l->samples.per_pixel = (uint16_t)h->depth;
    l->samples.invert = l->samples.bits == 1; /* 1 is black */
    l->samples.pixel = l->samples.bits == 16 ? XNCC_U16 : XNCC_U8;
    const app_lines_source source = { .colours = h->colour ? 3 : 1,
                                      .alpha = h->alpha ? (h->colour ? 3 : 1) : -1,
                                      .most = 8,
                                      .file_size = app_input_size(s->input) };
    return app_lines_begin(l, &source, &s->reading, info, error);
}

static xncc_status decode_pnm(void *state, const app_target *to, int32_t *ready, app_error *error)
{
    pnm_state *s = state;
    return app_lines_decode(&s->lines, state, to, ready, error);
}

const app_decoder app_pnm_decoder = { .paged = 1,
                                      .open = open_pnm,
                                      .close = close_pnm,
                                      .count = count_pnm,
                                      .select = select_pnm,
                                      .decode = decode_pnm };
