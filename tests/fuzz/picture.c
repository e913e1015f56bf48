/* SPDX-License-Identifier: BSD-2-Clause */
/* Picture files of one format: FUZZ_MAGIC is how such a file begins. The first byte says how the
 * file is read; FUZZ_RAW: the next ones are the form of the frames. */
#include "file_read.h"
#include "fuzz/fuzz.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

/* As `find --page all` reads: every page, up to four. */
static void read_pages(app_file *file)
{
    app_error error = { .text = "" };
    int has = 1;
    for (uint32_t page = 0; page < 4 && has; page++) {
        app_page info;
        app_picture picture = { .pixels = NULL };
        xncc_status status = app_file_select(file, page, &info, &error);
        if (!status) {
            FUZZ_HOLDS(info.width > 0 && info.height > 0);
            FUZZ_HOLDS(info.channels >= 1 && info.channels <= XNCC_MAX_CHANNELS);
            status = app_picture_read(file, &info, &picture, &error);
        }
        if (!status && picture.mask)
            for (size_t i = 0; i < (size_t)info.width * (size_t)info.height; i++)
                FUZZ_HOLDS(picture.mask[i] <= 1);
        fuzz_check_failure(status, error.text);
        app_picture_free(&picture);
        if (!status)
            status = app_file_has(file, page + 1, &has, &error);
        fuzz_check_failure(status, error.text);
        if (status)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    app_reading reading = app_default_reading;
    app_error error = { .text = "" };
    app_file *file = NULL;
    const unsigned how = fuzz_byte(&bytes);
    reading.max_memory = 64 << 20;
    reading.channels = how & 1 ? APP_SUM : APP_LUMA;
    reading.no_data = how & 2 ? APP_NO_DATA_GIVEN : how & 4 ? APP_NO_DATA_NONE : APP_NO_DATA_TAG;
    reading.no_data_value = 7.0;
    reading.mask = how >> 3 & 1;
    reading.bands = how >> 4 & 1;
#ifdef FUZZ_RAW
    reading.raw = (app_raw){ .width = 1 + (int32_t)fuzz_below(&bytes, 100),
                             .height = 1 + (int32_t)fuzz_below(&bytes, 100),
                             .channels = 1 + (int32_t)fuzz_below(&bytes, XNCC_MAX_CHANNELS),
                             .pixel = (xncc_pixel)fuzz_below(&bytes, 7),
                             .big_endian = (int)(how >> 5 & 1) };
#else
    static const char magic[] = FUZZ_MAGIC;
    if (bytes.left < sizeof magic - 1 || memcmp(bytes.at, magic, sizeof magic - 1) != 0)
        return 0;
#endif
    const xncc_status status = app_file_open(fuzz_file(0, bytes.at, bytes.left), &reading, &file,
                                             &error);
    fuzz_check_failure(status, error.text);
    FUZZ_HOLDS(!status == (file != NULL));
    if (file)
        read_pages(file);
    app_file_close(file);
    return 0;
}
