/* SPDX-License-Identifier: BSD-2-Clause */
/* .npy output. */
#include "npy_write.h"

#include "output.h"
#include "pixels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 128, START = 10 };

/* Fills the head: the magic, the version, the length, and a dictionary padded with blanks. */
static void fill_head(const xncc_image *p, char *head)
{
    const uint16_t one = 1;
    const int bytes = (int)xncc_pixel_size(p->pixel);
    const char order = bytes == 1 ? '|' : *(const uint8_t *)&one ? '<' : '>';
    char samples[24] = "";
    if (p->channels > 1)
        snprintf(samples, sizeof samples, ", %d", p->channels);
    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = HEAD - START;
    head[9] = 0;
    memset(head + START, ' ', HEAD - START);
    const int length = snprintf(
        head + START, HEAD - START,
        "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%d, %d%s), }", order,
        app_pixel_letter(p->pixel), bytes, p->height, p->width, samples);
    head[START + length] = ' ';
    head[HEAD - 1] = '\n';
}

static size_t row_of(const xncc_image *p)
{
    return (size_t)p->width * (size_t)(p->channels ? p->channels : 1) * xncc_pixel_size(p->pixel);
}

static int write_all(FILE *file, const xncc_image *p)
{
    char head[HEAD];
    const size_t row = row_of(p), pitch = p->pitch ? (size_t)p->pitch : row;
    fill_head(p, head);
    int ok = fwrite(head, 1, HEAD, file) == HEAD;
    for (int32_t y = 0; y < p->height && ok; y++)
        ok = fwrite((const char *)p->data + (size_t)y * pitch, 1, row, file) == row;
    return ok && fflush(file) == 0;
}

int app_npy_head(int fd, const xncc_image *shape)
{
    char head[HEAD];
    fill_head(shape, head);
    return app_output_put(fd, head, HEAD, 0);
}

int app_npy_put(int fd, const xncc_image *shape, int32_t first, int32_t count, const void *rows)
{
    const uint64_t row = row_of(shape);
    return app_output_put(fd, rows, (uint64_t)count * row, HEAD + (uint64_t)first * row);
}

xncc_status app_npy_write(const char *path, const xncc_image *pixels, app_error *error)
{
    app_output output;
    xncc_status status = app_output_open(path, &output, error);
    if (status)
        return status;
    errno = 0;
    const int copy = dup(output.fd); /* app_output_close needs the other */
    FILE *file = copy >= 0 ? fdopen(copy, "wb") : NULL;
    int done = file && write_all(file, pixels);
    int reason = errno;
    if (file && fclose(file) != 0 && done) {
        done = 0;
        reason = errno;
    }
    if (!done)
        status = app_fail_errno(error, path, "cannot write", reason ? reason : EIO);
    return app_output_close(&output, status, error);
}
