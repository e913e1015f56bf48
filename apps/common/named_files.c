/* SPDX-License-Identifier: BSD-2-Clause */
/* The images and templates that a command reads. */
#define _XOPEN_SOURCE 700 /* struct stat */
#include "named_files.h"

#include "output.h"
#include "templ_name.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct app_file_id {
    dev_t device;
    ino_t file;
} app_file_id;

static int compare(const void *a, const void *b)
{
    const app_file_id *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->file == y->file ? 0 : x->file < y->file ? -1 : 1;
}

/* Adds the file of this name, if there is one. */
static void add_id(app_named *in, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0)
        in->id[in->ids++] = (app_file_id){ info.st_dev, info.st_ino };
}

static xncc_status identify(const app_options *o, app_named *in, app_error *error)
{
    app_templ_name name;
    app_error unused; /* reported when the template is loaded */
    in->id = calloc(in->images.count + in->templs.count + (size_t)o->mask_count + 1,
                    sizeof *in->id);
    if (!in->id)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %zu names of images",
                        in->images.count);
    for (size_t i = 0; i < in->images.count; i++)
        add_id(in, in->images.name[i]);
    for (size_t i = 0; i < in->templs.count; i++)
        add_id(in, app_templ_name_parse(in->templs.name[i], &name, &unused) ? in->templs.name[i]
                                                                            : name.file);
    for (int i = 0; i < o->mask_count; i++)
        add_id(in, o->masks[i]);
    if (o->image_mask)
        add_id(in, o->image_mask);
    qsort(in->id, in->ids, sizeof *in->id, compare);
    return XNCC_OK;
}

/* The two files of a command line without -t. */
static xncc_status check_pair(const app_options *o, app_error *error)
{
    if (o->file_count == 2)
        return XNCC_OK;
    app_blame_usage(error, XNCC_ERROR_ARGUMENT);
    if (o->file_count < 2)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%d file%s given; give IMAGE and TEMPLATE, or -t TEMPLATE and images",
                        o->file_count, o->file_count == 1 ? "" : "s");
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%d files given, and no -t says which are templates; give each template after "
                    "a -t of its own: -t TEMPLATE -t TEMPLATE IMAGE...",
                    o->file_count);
}

xncc_status app_named_open(const app_options *o, int templated, app_named *in, app_error *error)
{
    const int pair = templated && o->templ_count == 0;
    const int images = pair ? 1 : o->file_count;
    xncc_status status = pair ? check_pair(o, error) : XNCC_OK;
    memset(in, 0, sizeof *in);
    if (!status && images == 0)
        status = app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                          "no image given; name at least one");
    if (!status && pair)
        status = app_items_add(&in->templs, o->files[1], 0, error);
    for (int i = 0; i < o->templ_count && !status; i++)
        status = app_items_add(&in->templs, o->templs[i], 0, error);
    for (int i = 0; i < images && !status; i++)
        status = app_items_add(&in->images, o->files[i], o->recursive, error);
    return status ? status : identify(o, in, error);
}

void app_named_close(app_named *in)
{
    app_items_free(&in->images);
    app_items_free(&in->templs);
    free(in->id);
    memset(in, 0, sizeof *in);
}

/* 1 if the name is that of an input. */
static int is_input(const app_named *in, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return 0;
    const app_file_id id = { info.st_dev, info.st_ino };
    return bsearch(&id, in->id, in->ids, sizeof id, compare) != NULL;
}

xncc_status app_check_output(const app_named *in, const char *option, const char *path,
                             app_error *error)
{
    if (is_input(in, path))
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%s %s: would overwrite an input; give another name", option, path);
    return app_output_check(path, error);
}
