/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of a TIFF's pages: every page is reached, a chain that breaks or turns back is an error
 * that names the page, and the time is in proportion to the number of pages. */
#include "file_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tiff.h>
#include <unistd.h>

enum { PIXEL = 8, FIRST = 16, ENTRIES = 8, PAGE = 2 + 12 * ENTRIES + 4 };

static const char path[] = "pages.tmp.tif";
static int checks, failures;

static void check(int ok, const char *what)
{
    checks++;
    failures += !ok;
    if (!ok)
        printf("FAIL %s\n", what);
}

static void put(uint8_t *to, unsigned bytes, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Writes `pages` pages of 1 x 1 pixel; page `odd` is followed by the directory at byte `next`. */
static int write_pages(uint32_t pages, uint32_t odd, uint32_t next)
{
    static const int tags[ENTRIES] = { TIFFTAG_IMAGEWIDTH,    TIFFTAG_IMAGELENGTH,
                                       TIFFTAG_BITSPERSAMPLE, TIFFTAG_COMPRESSION,
                                       TIFFTAG_PHOTOMETRIC,   TIFFTAG_STRIPOFFSETS,
                                       TIFFTAG_ROWSPERSTRIP,  TIFFTAG_STRIPBYTECOUNTS };
    static const uint32_t values[ENTRIES] = { 1, 1, 8, 1, 1, PIXEL, 1, 1 };
    const size_t size = FIRST + (size_t)pages * PAGE;
    uint8_t *bytes = calloc(1, size);
    FILE *file = bytes ? fopen(path, "wb") : NULL;
    for (uint32_t p = 0; file && p < pages; p++) {
        uint8_t *at = bytes + FIRST + (size_t)p * PAGE;
        put(at, 2, ENTRIES);
        for (int e = 0; e < ENTRIES; e++) {
            put(at + 2 + 12 * e, 2, (uint32_t)tags[e]);
            put(at + 4 + 12 * e, 2, TIFF_LONG);
            put(at + 6 + 12 * e, 4, 1);
            put(at + 10 + 12 * e, 4, values[e]);
        }
        put(at + PAGE - 4, 4, p == odd ? next : p + 1 < pages ? FIRST + (p + 1) * PAGE : 0);
    }
    if (file) {
        memcpy(bytes, "II*\0", 4);
        put(bytes + 4, 4, FIRST);
        bytes[PIXEL] = 77;
    }
    const int ok = file && fwrite(bytes, 1, size, file) == size;
    free(bytes);
    return file && fclose(file) == 0 && ok;
}

/* Reads every page as find does. Returns their number. */
static uint32_t read_pages(xncc_status *status, app_error *error)
{
    app_file *file;
    uint32_t page = 0;
    int has = 1;
    *status = app_file_open(path, &app_default_reading, &file, error);
    while (!*status && has) {
        app_page info;
        uint8_t pixel = 0;
        int32_t ready = 0;
        const app_target to = { &pixel, 1, NULL, 0, 1 };
        *status = app_file_select(file, page, &info, error);
        if (!*status)
            *status = app_file_decode(file, &to, &ready, error);
        if (!*status && pixel == 77)
            page++;
        if (!*status)
            *status = app_file_has(file, page, &has, error);
    }
    app_file_close(file);
    return page;
}

static void test_chain(const char *what, uint32_t pages, uint32_t odd, uint32_t next,
                       uint32_t readable, const char *text)
{
    app_error error = { .text = "" };
    xncc_status status = XNCC_ERROR_INTERNAL;
    check(write_pages(pages, odd, next), "the test writes its file");
    check(read_pages(&status, &error) == readable, what);
    check(text ? status == XNCC_ERROR_UNSUPPORTED && strstr(error.text, text) : !status, what);
    if (text && !strstr(error.text, text))
        printf("     %s\n", error.text);
}

static void test_order(void)
{
    app_file *file = NULL;
    app_page info;
    app_error error;
    static const uint32_t order[] = { 6, 0, 3, 3, 2, 6 };
    check(write_pages(7, 99, 0), "the test writes its file");
    check(!app_file_open(path, &app_default_reading, &file, &error), "opens");
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        check(!app_file_select(file, order[i], &info, &error) && info.width == 1, "any order");
    check(app_file_select(file, 7, &info, &error) &&
              strstr(error.text, "there is no page 7: the file has 7"),
          "a page that is not there");
    app_file_close(file);
}

/* Processor seconds to read a number of pages, the least of three. */
static double cost_of(uint32_t pages)
{
    double least = 1e9;
    check(write_pages(pages, pages, 0), "the test writes its file");
    for (int i = 0; i < 3; i++) {
        app_error error;
        xncc_status status;
        const clock_t start = clock();
        check(read_pages(&status, &error) == pages && !status, "many pages");
        const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = took < least ? took : least;
    }
    return least;
}

int main(void)
{
    test_chain("three pages", 3, 99, 0, 3, NULL);
    test_chain("beyond the end", 5, 2, 999999, 3,
               "page 3: its directory at byte 999999 is not completely in the file");
    test_chain("a turn back", 5, 3, FIRST + PAGE, 4,
               "page 4: the chain of pages leads back to an earlier page");
    test_chain("to itself", 1, 0, FIRST, 1,
               "page 1: the chain of pages leads back to an earlier page");
    test_order();
    const double few = cost_of(4000), many = cost_of(32000);
    check(many < 24 * few + 0.05, "the time grows faster than the pages"); /* squared: 64 */
    unlink(path);
    printf("%d checks, %d failures; 4000 pages %.3f s, 32000 pages %.3f s\n", checks, failures, few,
           many);
    return failures != 0;
}
