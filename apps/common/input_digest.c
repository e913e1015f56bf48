/* SPDX-License-Identifier: BSD-2-Clause */
/* Which input files a command has. */
#define _XOPEN_SOURCE 700 /* st_mtim */
#include "input_digest.h"

#include "templ_name.h"

#include <string.h>
#include <sys/stat.h>

const uint64_t app_digest_start = UINT64_C(0xcbf29ce484222325);

void app_digest_bytes(uint64_t *digest, const void *data, size_t size)
{
    const uint8_t *byte = data;
    for (size_t i = 0; i < size; i++)
        *digest = (*digest ^ byte[i]) * UINT64_C(0x100000001b3);
}

void app_digest_text(uint64_t *digest, const char *text)
{
    app_digest_bytes(digest, text, strlen(text) + 1);
}

void app_digest_file(uint64_t *digest, const char *name)
{
    struct stat info;
    int64_t known[3] = { -1, -1, -1 };
    if (stat(name, &info) == 0) {
        known[0] = (int64_t)info.st_size;
        known[1] = (int64_t)info.st_mtim.tv_sec;
        known[2] = (int64_t)info.st_mtim.tv_nsec;
    }
    app_digest_text(digest, name);
    app_digest_bytes(digest, known, sizeof known);
}

uint64_t app_input_digest(const app_options *o, const app_named *in)
{
    uint64_t digest = app_digest_start;
    app_templ_name name;
    app_error unused;
    app_digest_text(&digest, xncc_version());
    for (size_t i = 0; i < in->images.count; i++)
        app_digest_file(&digest, in->images.name[i]);
    for (size_t i = 0; i < in->templs.count; i++)
        app_digest_file(&digest, app_templ_name_parse(in->templs.name[i], &name, &unused)
                                     ? in->templs.name[i]
                                     : name.file);
    for (int i = 0; i < o->mask_count; i++)
        app_digest_file(&digest, o->masks[i]);
    if (o->image_mask)
        app_digest_file(&digest, o->image_mask);
    if (o->filter)
        app_digest_file(&digest, o->filter);
    return digest;
}
