/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc find --manifest: a search per line of a CSV file, each with images, templates and
 * options of its own. The results are those of so many commands, in one file, in the order of the
 * lines. */
#include "commands.h"
#include "common/csv.h"
#include "common/input_digest.h"
#include "common/output.h"
#include "common/spread.h"
#include "common/warn.h"
#include "tool_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IMAGE, TEMPLATES, OPTIONS, FIELDS };

typedef struct manifest {
    const app_options *options;
    app_csv csv;
    int column[FIELDS]; /* of the CSV file; -1: there is none */
    app_format format;
    app_output output;
    FILE *out;    /* NULL: nothing is written by this process */
    char *header; /* of the first result; NULL: none yet */
    size_t failed;
} manifest;

static const char *field(const manifest *m, uint64_t item, int which)
{
    return m->column[which] < 0 ? "" : app_csv_field(&m->csv, (size_t)item + 1, m->column[which]);
}

/* The number of the line of an item, for messages; lines within quotes count as one. */
static unsigned long long line_of(uint64_t item)
{
    return (unsigned long long)item + 2;
}

/* Large images first, so that no process begins one when the others are done. */
static double weigh(void *data, uint64_t item)
{
    struct stat info;
    return stat(field(data, item, IMAGE), &info) == 0 ? (double)info.st_size : 0.0;
}

/* A growing list of words that ends with NULL. */
typedef struct words {
    char **word;
    int count, room;
    int failed; /* 1: no memory */
} words;

static void add_word(words *w, const char *text, size_t length)
{
    if (w->count + 2 > w->room) {
        char **more = realloc(w->word, ((size_t)w->room + 32) * sizeof *more);
        w->failed |= !more;
        if (!more)
            return;
        w->word = more;
        w->room += 32;
    }
    w->word[w->count] = strndup(text, length);
    w->failed |= !w->word[w->count];
    w->word[++w->count] = NULL;
}

static void free_words(words *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->word[i]);
    free(w->word);
}

/* Adds the parts of a text between separators, each after `before` if that is not NULL. */
static void add_parts(words *w, const char *text, const char *separators, const char *before)
{
    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        const size_t length = strcspn(text, separators);
        if (before)
            add_word(w, before, strlen(before));
        add_word(w, text, length);
        text += length;
    }
}

/* The options of the whole command that are not for the items. */
static int is_of_command(const char *word)
{
    static const char *const names[] = { "--manifest", "--shard", "--output", "--format", "-o" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strcmp(word, names[i]) == 0)
            return 2;
        if (strncmp(word, names[i], length) == 0 && (word[length] == '=' || names[i][1] == 'o'))
            return 1;
    }
    return 0;
}

/* The command line of an item. */
static void make_words(const manifest *m, uint64_t item, words *w)
{
    const app_options *o = m->options;
    for (int i = 0; i < o->word_count; i++) {
        const int of_command = is_of_command(o->words[i]);
        if (of_command)
            i += of_command - 1;
        else
            add_word(w, o->words[i], strlen(o->words[i]));
    }
    add_word(w, "--format", 8);
    add_word(w, m->format == APP_JSONL ? "jsonl" : "csv", m->format == APP_JSONL ? 5 : 3);
    add_parts(w, field(m, item, OPTIONS), " \t", NULL);
    add_parts(w, field(m, item, TEMPLATES), ";", "-t");
    add_word(w, "--", 2);
    add_word(w, field(m, item, IMAGE), strlen(field(m, item, IMAGE)));
}

static xncc_status search_item(void *data, uint64_t item, FILE *out, app_error *error)
{
    const manifest *m = data;
    words w = { NULL, 0, 0, 0 };
    app_options o;
    make_words(m, item, &w);
    if (w.failed) {
        free_words(&w);
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    }
    char **order = malloc(((size_t)w.count + 1) * sizeof *order); /* parsing reorders it */
    xncc_status status = XNCC_ERROR_MEMORY;
    if (!order) {
        app_fail(error, status, "out of memory");
    } else {
        memcpy(order, w.word, ((size_t)w.count + 1) * sizeof *order);
        status = XNCC_ERROR_ARGUMENT;
        const app_parsed parsed = tool_options_parse(APP_FIND, "exactncc find", w.count, order, &o,
                                                     error);
        if (parsed == APP_RUN && (o.output || o.manifest || o.shards || o.format != m->format))
            app_fail(error, status,
                     "options: -o, --format, --manifest and --shard are for the whole command");
        else if (parsed == APP_RUN) {
            o.capture = out;
            status = app_find(&o, error);
        } else if (parsed == APP_FAILED) {
            status = XNCC_ERROR_MEMORY;
        } else if (parsed != APP_WRONG) {
            app_fail(error, status, "options: --help and --version are no search");
        }
        tool_options_close(&o);
    }
    error->usage = 0; /* the command line itself is right */
    free(order);
    free_words(&w);
    return status;
}

/* Writes the result of an item. Of several CSV headers the first is written. */
static xncc_status take_item(void *data, const app_record *r, app_error *error)
{
    manifest *m = data;
    const char *text = r->text;
    if (r->failed) {
        char line[APP_ERROR_SIZE + 64];
        snprintf(line, sizeof line, "%s: line %llu: %s", m->options->manifest, line_of(r->id.item),
                 r->text);
        app_say_failure("find", line);
        m->failed++;
        return XNCC_OK;
    }
    const size_t head = m->format == APP_CSV ? strcspn(text, "\n") : 0;
    if (head && !m->header) {
        m->header = strndup(text, head);
        if (!m->header)
            return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
        fprintf(m->out, "%s\n", m->header);
    }
    if (head && (strlen(m->header) != head || strncmp(m->header, text, head) != 0))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: line %llu: its columns are not those of the first result; give all "
                        "items the same --subpixel and --count, and images with or without geo "
                        "tags, or --format jsonl",
                        m->options->manifest, line_of(r->id.item));
    if (*text)
        text += head + (head > 0);
    return fputs(text, m->out) >= 0
               ? XNCC_OK
               : app_fail(error, XNCC_ERROR_ARGUMENT, "%s: cannot write", m->options->output);
}

static xncc_status read_manifest(manifest *m, app_error *error)
{
    static const char *const names[FIELDS] = { "image", "templates", "options" };
    const char *path = m->options->manifest;
    xncc_status status = app_csv_read(path, &m->csv, error);
    for (int i = 0; i < FIELDS; i++)
        m->column[i] = status ? -1 : app_csv_column(&m->csv, names[i]);
    if (!status && (m->column[IMAGE] < 0 || m->column[TEMPLATES] < 0))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: its first line names no column image or no column templates; let it "
                          "be image,templates,options",
                          path);
    return status;
}

static xncc_status check_usage(const app_options *o, app_format *format, app_error *error)
{
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    if (!o->output || (!o->parts && app_output_is_standard(o->output)))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "-o: is missing; a manifest needs the name of a file");
    if (o->file_count || o->templ_count)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--manifest: names the images and templates; give no others");
    *format = o->has_format ? o->format : dot && strcmp(dot, ".jsonl") == 0 ? APP_JSONL : APP_CSV;
    if (*format != APP_CSV && *format != APP_JSONL)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "--manifest: its results are csv or jsonl; give such a --format");
    return app_output_check(o->output, error);
}

static xncc_status open_output(manifest *m, app_error *error)
{
    xncc_status status = app_output_open(m->options->output, &m->output, error);
    if (status)
        return status;
    m->out = fdopen(m->output.fd, "w");
    return m->out ? XNCC_OK
                  : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", m->options->output);
}

/* Gives the output its name. */
static xncc_status close_output(manifest *m, xncc_status status, app_error *error)
{
    if (!m->output.path)
        return status;
    if (m->out) {
        status = app_finish_close(m->out, m->options->output, status, error);
        m->output.fd = -1;
    }
    return app_output_close(&m->output, status, error);
}

static xncc_status do_manifest(manifest *m, app_spread **spread, app_error *error)
{
    const app_options *o = m->options;
    app_spread_maker *maker = o->maker ? o->maker : o->shards ? app_spread_shard : app_spread_alone;
    uint64_t digest = app_digest_start;
    app_digest_text(&digest, xncc_version());
    app_digest_file(&digest, o->manifest);
    xncc_status status = maker(o, digest, spread, error);
    if (!status && !(*spread)->silent)
        status = open_output(m, error);
    const app_work work = { .items = m->csv.rows - 1,
                            .data = m,
                            .keeps_failures = 1,
                            .weight = weigh,
                            .run = search_item,
                            .take = take_item };
    if (!status)
        status = (*spread)->run(*spread, &work, error);
    return close_output(m, status, error);
}

xncc_status app_find_or_manifest(const app_options *o, app_error *error)
{
    manifest m = { .options = o, .output = { .fd = -1 } };
    app_spread *spread = NULL;
    if (!o->manifest)
        return app_find(o, error);
    xncc_status status = check_usage(o, &m.format, error);
    if (!status)
        status = read_manifest(&m, error);
    if (!status)
        status = do_manifest(&m, &spread, error);
    app_spread_close(spread, status == XNCC_OK);
    if (!status && m.failed)
        status = app_fail(error, XNCC_ERROR_ARGUMENT, "%zu of %zu items failed; the rest is done",
                          m.failed, m.csv.rows - 1);
    free(m.header);
    app_csv_free(&m.csv);
    return status;
}
