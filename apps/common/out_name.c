/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of outputs that are made once per page of an image. */
#include "out_name.h"

#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

xncc_status app_out_name_check(const app_options *o, const app_named *in, const char *option,
                               const char *name, int per_template, app_error *error)
{
    const char *many = NULL, *missing = NULL;
    if (in->images.count > 1 && !strstr(name, "{name}") && !strstr(name, "{number}")) {
        many = "images";
        missing = "{name} or {number}";
    } else if (o->pages.many && !strstr(name, "{page}")) {
        many = "pages";
        missing = "{page}";
    } else if (per_template && in->templs.count > 1 && !strstr(name, "{template}")) {
        many = "templates";
        missing = "{template}";
    }
    if (!many)
        return XNCC_OK;
    return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                    "%s %s: is one name for the outputs of several %s; write %s into it", option,
                    name, many, missing);
}

/* The part of a path that stands for {name} or {template}. */
static void put_stem(FILE *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    const char *dot = strrchr(start, '.'), *at = dot ? strchr(dot, '@') : NULL;
    fprintf(out, "%.*s%s", dot && dot > start ? (int)(dot - start) : (int)strlen(start), start,
            dot && dot > start && at ? at : "");
}

/* Writes the value of the placeholder that begins here, if one does. Returns its length. */
static size_t put_value(FILE *out, const char *text, const app_out_of *of)
{
    static const char *const words[] = { "{name}", "{page}", "{number}", "{template}" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(text, words[i], strlen(words[i])) != 0 || (i == 3 && !of->templ))
            continue;
        switch (i) {
        case 0: put_stem(out, of->image); break;
        case 1: fprintf(out, "%u", of->page); break;
        case 2: fprintf(out, "%zu", of->number); break;
        default: put_stem(out, of->templ); break;
        }
        return strlen(words[i]);
    }
    return 0;
}

xncc_status app_out_name(const char *option, const char *name, const app_out_of *of,
                         const app_named *in, char *text, app_error *error)
{
    app_text value;
    FILE *out = app_text_open(&value);
    if (!out)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s %s: out of memory", option, name);
    while (*name) {
        const size_t length = put_value(out, name, of);
        if (!length)
            fputc(*name, out);
        name += length ? length : 1;
    }
    xncc_status status = XNCC_OK;
    char *made = app_text_close(&value);
    if (!made)
        status = app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", option);
    else if (value.size >= APP_OUT_NAME_SIZE)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s %.40s...: the name is too long; shorten it", option, made);
    else
        memcpy(text, made, value.size + 1);
    free(made);
    return status ? status : app_check_output(in, option, text, error);
}

xncc_status app_written_add(app_written *w, const char *option, const char *path, app_error *error)
{
    size_t low = 0, high = w->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(path, w->name[middle]);
        if (order == 0)
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "%s %s: was written for an earlier image; write {number} into the name",
                            option, path);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    char *copy = strdup(path), **more = realloc(w->name, (w->count + 1) * sizeof *more);
    if (more)
        w->name = more;
    if (!copy || !more) {
        free(copy);
        return app_fail(error, XNCC_ERROR_MEMORY, "%s %s: out of memory", option, path);
    }
    memmove(w->name + low + 1, w->name + low, (w->count - low) * sizeof *w->name);
    w->name[low] = copy;
    w->count++;
    return XNCC_OK;
}

void app_written_free(app_written *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->name[i]);
    free(w->name);
    *w = (app_written){ NULL, 0 };
}
