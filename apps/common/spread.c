/* SPDX-License-Identifier: BSD-2-Clause */
/* Spreads that need no more than files. */
#include "spread.h"

#include "text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const magic = "exactncc part 1";

typedef struct file_spread {
    app_spread base;
    int32_t shard, shards;
    app_ledger **part; /* of a join: one per shard; otherwise one */
    int32_t parts;
} file_spread;

xncc_status app_work_item(const app_work *w, uint64_t item, app_record *r, app_error *error)
{
    app_error why = { .text = "" };
    *r = (app_record){ .id = { w->number, item } };
    app_text text;
    FILE *out = app_text_open(&text);
    if (!out)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for an item");
    xncc_status status = w->run(w->data, item, out, &why);
    r->text = app_text_close(&text);
    r->length = text.size;
    if (!r->text && !status)
        status = app_fail(&why, XNCC_ERROR_MEMORY, "out of memory for the result of an item");
    if (!status)
        return XNCC_OK;
    free(r->text);
    r->text = strdup(why.text);
    r->length = strlen(why.text);
    r->failed = 1;
    if (w->keeps_failures && r->text)
        return XNCC_OK;
    free(r->text);
    r->text = NULL;
    *error = why;
    return status;
}

char *app_part_name(const char *output, int32_t shard, int32_t shards)
{
    const size_t size = strlen(output) + 40;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.%d-of-%d", output, shard, shards);
    return name;
}

/* Words without blanks and line ends: other bytes than letters, digits and a few signs are %XX. */
static void put_word(FILE *out, const char *word)
{
    if (!*word)
        fputs("%", out); /* an empty word */
    for (; *word; word++) {
        const unsigned char c = (unsigned char)*word;
        if (c > 32 && c < 127 && c != '%')
            putc(c, out);
        else
            fprintf(out, "%%%02X", c);
    }
}

char *app_part_head(const app_options *o, uint64_t input_digest)
{
    app_text text;
    FILE *out = app_text_open(&text);
    if (!out)
        return NULL;
    fprintf(out, "%s %s %016" PRIx64, magic, xncc_version(), input_digest);
    for (int i = 0; i < o->word_count; i++) {
        if (strcmp(o->words[i], "--shard") == 0) {
            i++; /* the parts of one command differ in the shard only */
            continue;
        }
        if (strncmp(o->words[i], "--shard=", 8) == 0)
            continue;
        putc(' ', out);
        put_word(out, o->words[i]);
    }
    return app_text_close(&text);
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads one word in place; returns where it ends. */
static char *take_word(char *from, char *to)
{
    for (; *from && *from != ' '; from++) {
        if (*from != '%') {
            *to++ = *from;
        } else if (hex(from[1]) >= 0 && hex(from[2]) >= 0) {
            *to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
            from += 2;
        }
    }
    char *next = *from ? from + 1 : from;
    *to = 0;
    return next;
}

char **app_part_words(const char *head, int *count)
{
    char *text = strncmp(head, magic, strlen(magic)) == 0 ? strdup(head) : NULL;
    char **words = text ? calloc(strlen(text) / 2 + 2, sizeof *words) : NULL;
    if (!words) {
        free(text);
        return NULL;
    }
    *count = 0;
    int skipped = 0;
    /* "exactncc", "part", its version, that of the program, and the digest come first. */
    char *at = text;
    while (*at && skipped < 5)
        skipped += *at++ == ' ';
    memmove(text, at, strlen(at) + 1); /* the first word is what is freed */
    for (at = text; *at;) {
        words[(*count)++] = at;
        at = take_word(at, at);
    }
    if (*count)
        return words;
    free(text);
    free(words);
    return NULL;
}

int app_work_has(const app_work *w, const app_ledger *part, uint64_t item)
{
    const app_item_id id = { w->number, item };
    app_record r;
    app_error unused;
    if (!app_ledger_is_done(part, id) || !w->stands)
        return app_ledger_is_done(part, id);
    if (app_ledger_get(part, id, &r, &unused))
        return 0;
    const int stands = w->stands(w->data, &r);
    free(r.text);
    return stands;
}

/* Does the items that are not done. item: the first, and the distance to the next. */
static xncc_status do_items(file_spread *s, const app_work *w, uint64_t item, uint64_t step,
                            app_error *error)
{
    xncc_status status = XNCC_OK;
    for (; item < w->items && !status; item += step) {
        app_record r;
        if (app_work_has(w, s->part[0], item))
            continue;
        status = app_work_item(w, item, &r, error);
        if (!status)
            status = app_ledger_add(s->part[0], &r, error);
        free(r.text);
    }
    return status;
}

xncc_status app_work_take(const app_work *w, app_ledger *const *part, int parts, app_error *error)
{
    xncc_status status = XNCC_OK;
    for (uint64_t item = 0; item < w->items && !status; item++) {
        const app_item_id id = { w->number, item };
        const app_ledger *from = NULL;
        app_record r;
        /* A part in which the item is done counts more than one in which it has failed. */
        for (int i = 0; i < parts; i++)
            if (app_ledger_has(part[i], id) && (!from || app_work_has(w, part[i], item)))
                from = part[i];
        if (!from)
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "item %" PRIu64 " of %" PRIu64 " is in no part; run the commands with "
                            "--shard to their end, and then join all parts",
                            item + 1, w->items);
        status = app_ledger_get(from, id, &r, error);
        if (!status) {
            status = w->take(w->data, &r, error);
            free(r.text);
        }
    }
    return status;
}

static xncc_status run_shard(app_spread *spread, const app_work *w, app_error *error)
{
    file_spread *s = (file_spread *)spread;
    const xncc_status status = do_items(s, w, (uint64_t)s->shard - 1, (uint64_t)s->shards, error);
    return app_ledger_finish(s->part[0], status, error);
}

static xncc_status run_join(app_spread *spread, const app_work *w, app_error *error)
{
    const file_spread *s = (file_spread *)spread;
    return app_work_take(w, s->part, s->parts, error);
}

static xncc_status run_alone(app_spread *spread, const app_work *w, app_error *error)
{
    file_spread *s = (file_spread *)spread;
    const xncc_status status = do_items(s, w, 0, 1, error);
    return status ? status : app_work_take(w, s->part, s->parts, error);
}

static void close_files(app_spread *spread, int done)
{
    file_spread *s = (file_spread *)spread;
    for (int32_t i = 0; i < s->parts; i++)
        app_ledger_close(s->part[i], done && s->base.run == run_alone);
    free(s->part);
    free(s);
}

static file_spread *make(int32_t parts, app_error *error)
{
    file_spread *s = calloc(1, sizeof *s);
    if (s)
        s->part = calloc((size_t)parts, sizeof *s->part);
    if (s && s->part) {
        s->parts = parts;
        return s;
    }
    free(s);
    app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d parts", parts);
    return NULL;
}

/* Opens the only part of a spread that writes. Frees the name. */
static xncc_status open_part(app_spread base, char *name, const app_options *o, uint64_t digest,
                             app_spread **spread, app_error *error)
{
    file_spread *s = make(1, error);
    char *head = app_part_head(o, digest);
    xncc_status status = XNCC_ERROR_MEMORY;
    *spread = (app_spread *)s;
    if (s) {
        s->base = base;
        s->shard = o->shard;
        s->shards = o->shards;
        status = head && name ? app_ledger_open(name, head, &s->part[0], error)
                              : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    }
    free(head);
    free(name);
    return status;
}

xncc_status app_spread_shard(const app_options *o, uint64_t digest, app_spread **spread,
                             app_error *error)
{
    const app_spread base = { .silent = 1, .run = run_shard, .close = close_files };
    return open_part(base, app_part_name(o->output, o->shard, o->shards), o, digest, spread, error);
}

xncc_status app_spread_alone(const app_options *o, uint64_t digest, app_spread **spread,
                             app_error *error)
{
    const app_spread base = { .run = run_alone, .close = close_files };
    const size_t size = strlen(o->output) + sizeof ".journal";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.journal", o->output);
    return open_part(base, name, o, digest, spread, error);
}

xncc_status app_spread_join(const app_options *o, uint64_t digest, app_spread **spread,
                            app_error *error)
{
    file_spread *s = make(o->part_count, error);
    char *want = app_part_head(o, digest), *head = NULL;
    xncc_status status = s && want ? XNCC_OK : app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    *spread = (app_spread *)s;
    for (int i = 0; i < o->part_count && !status; i++) {
        status = app_ledger_read(o->parts[i], &head, &s->part[i], error);
        if (!status && strcmp(head, want) != 0)
            status = app_fail(error, XNCC_ERROR_ARGUMENT,
                              "%s: is a part of another command than %s, or an input file has "
                              "changed since; join the parts of one command",
                              o->parts[i], o->parts[0]);
        free(head);
    }
    free(want);
    if (s)
        s->base = (app_spread){ .run = run_join, .close = close_files };
    return status;
}

void app_spread_close(app_spread *spread, int done)
{
    if (spread)
        spread->close(spread, done);
}
