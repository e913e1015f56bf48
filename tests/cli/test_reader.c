/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding on a thread. For every kind of TIFF and every pixel type: the rows that app_reader_wait
 * returns equal those of a picture that was decoded at once, a search on them finds the same as in
 * the whole picture, and a damaged file gives the same error text. A rectangle has the pixels of
 * the whole picture, also if other strips or tiles are damaged. The label threads does not include
 * this test; run it by hand with the thread sanitizer. */
#include "kit/short.h"
#include "flavour.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 203, HEIGHT = 611, SIDE = 12 };

static const char path[] = "reader.tif";
static int checks, failures;

static int check(int holds, const char *kind, const char *what)
{
    checks++;
    if (!holds) {
        failures++;
        printf("FAIL %s: %s\n", kind, what);
    }
    return holds;
}

/* A page opened for a reader. */
typedef struct page {
    app_file *file;
    app_picture picture;
    xncc_image view;
    void *converted;
} page;

static int page_open(page *p, xncc_pixel pixel)
{
    app_page info;
    app_error error;
    memset(p, 0, sizeof *p);
    return app_file_open(path, &app_default_reading, &p->file, &error) == XNCC_OK &&
           app_file_select(p->file, 0, &info, &error) == XNCC_OK &&
           app_picture_make(p->file, &info, &p->picture, &error) == XNCC_OK &&
           app_picture_frame(&p->picture, pixel, &p->view, &p->converted, &error) == XNCC_OK;
}

static void page_close(page *p)
{
    free(p->converted);
    app_picture_free(&p->picture);
    app_file_close(p->file);
}

/* Compares rows with those of the whole picture as soon as the reader returns them. */
static size_t find(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                   app_reader *reader, const xncc_image *whole, xncc_match match[8])
{
    const size_t row = (size_t)WIDTH * xncc_pixel_size(image->pixel);
    xncc_scan *scan = NULL;
    size_t found = 0;
    xncc_status status = kit_scan_create(plan, image, templ, NULL, 8, &scan);
    for (int32_t rows = 0; !status && reader && rows < HEIGHT;) {
        rows = app_reader_wait(reader, rows + 40);
        check(rows < 0 || memcmp(image->data, whole->data, (size_t)rows * row) == 0, "reader",
              "rows named too early");
        status = rows < 0 ? XNCC_ERROR_ARGUMENT : xncc_scan_rows(scan, rows, &kit_error);
    }
    if (!status)
        status = xncc_scan_finish(scan, match, &found, NULL, &kit_error);
    xncc_scan_destroy(scan);
    return status ? 0 : found;
}

/* Compares the matches of a search on arriving rows with those in the whole picture. */
static void check_search(xncc_context *context, const char *kind, xncc_pixel pixel,
                         const xncc_image *whole, int beside)
{
    xncc_problem problem = kit_problem((xncc_problem){ .pixel = whole->pixel,
                                                       .image_width = WIDTH,
                                                       .image_height = HEIGHT,
                                                       .templ_width = SIDE,
                                                       .templ_height = SIDE });
    const size_t size = xncc_pixel_size(whole->pixel);
    const xncc_image templ = { .data = (const char *)whole->data +
                                       ((size_t)500 * WIDTH + 30) * size,
                               .width = SIDE,
                               .height = SIDE,
                               .pitch = (int64_t)(WIDTH * size),
                               .pixel = whole->pixel };
    xncc_template *template = NULL;
    xncc_plan *plan = NULL;
    xncc_match want[8], got[8];
    app_reader reader;
    app_error error;
    page p;
    if (!check(page_open(&p, pixel), kind, "cannot be opened"))
        return;
    problem.image_masked = p.view.mask !=
                           NULL; /* the whole picture has none if every pixel counts */
    if (!check(!xncc_template_create(context, &templ, &template, &kit_error) &&
                   !xncc_plan_create(context, &problem, NULL, &plan, &kit_error),
               kind, "cannot begin"))
        return;
    size_t wanted = find(plan, whole, template, NULL, NULL, want);
    app_reader_start(&reader, p.file, &p.picture, pixel, p.converted, beside);
    size_t found = find(plan, &p.view, template, &reader, whole, got);
    check(app_reader_stop(&reader, &error) == XNCC_OK &&
              app_reader_stop(&reader, &error) == XNCC_OK,
          kind, "reading failed");
    check(found == wanted && found > 0 && memcmp(want, got, found * sizeof *got) == 0, kind,
          "other matches");
    check(memcmp(p.view.data, whole->data, size * WIDTH * HEIGHT) == 0, kind, "other pixels");
    xncc_plan_destroy(plan);
    xncc_template_destroy(template);
    page_close(&p);
}

/* Compares rectangles with those of the whole picture. */
static void check_areas(const flavour *f, const app_picture *whole)
{
    static const app_area areas[] = { { 0, 0, WIDTH, HEIGHT },
                                      { 37, 250, 100, 90 },
                                      { 0, 16, WIDTH, 1 },
                                      { WIDTH - 1, HEIGHT - 1, 1, 1 },
                                      { 5, 0, 1, HEIGHT } };
    for (size_t k = 0; k < sizeof areas / sizeof areas[0]; k++) {
        const app_area *a = &areas[k];
        app_picture part;
        app_error error;
        int wrong = 0;
        if (!check(app_picture_load_area(path, a, &app_default_reading, &part, &error) == XNCC_OK &&
                       part.width == a->width && part.height == a->height &&
                       part.pixel == whole->pixel && part.channels == whole->channels,
                   f->name, "no rectangle"))
            continue;
        for (int y = 0; y < a->height; y++)
            for (int x = 0; x < a->width; x++) {
                const size_t i = (size_t)(y * a->width + x),
                             j = (size_t)((a->y + y) * WIDTH + a->x + x);
                wrong += app_picture_value(&part, i) != app_picture_value(whole, j) ||
                         (part.mask ? part.mask[i] : 1) != (whole->mask ? whole->mask[j] : 1);
            }
        check(wrong == 0, f->name, "other pixels in a rectangle");
        check(!part.mask || memchr(part.mask, 0, (size_t)a->width * (size_t)a->height), f->name,
              "a mask in which every pixel counts");
        app_picture_free(&part);
    }
}

static void check_flavour(xncc_context *context, const flavour *f)
{
    app_picture whole;
    app_error error;
    if (!check(app_picture_load(path, 0, &app_default_reading, &whole, &error) == XNCC_OK, f->name,
               "cannot be read"))
        return;
    check_areas(f, &whole);
    int done = -1;
    for (int other = XNCC_U8; other <= XNCC_F32; other++) {
        const xncc_pixel pixel = app_pixel_join(whole.pixel, (xncc_pixel)other);
        if (done == (int)pixel)
            continue;
        done = (int)pixel;
        xncc_image view;
        void *converted;
        if (!check(app_picture_view(&whole, pixel, &view, &converted, &error) == XNCC_OK, f->name,
                   "no view"))
            continue;
        check_search(context, f->name, pixel, &view, other % 3 != 2);
        free(converted);
    }
    app_picture_free(&whole);
}

/* Changes bytes in the middle of a file; many codecs notice it. */
static void damage(void)
{
    unsigned char junk[64];
    FILE *file = fopen(path, "r+b");
    if (!file)
        return;
    memset(junk, 0xff, sizeof junk);
    if (fseek(file, 0, SEEK_END) == 0 && fseek(file, ftell(file) / 2, SEEK_SET) == 0)
        (void)fwrite(junk, sizeof junk, 1, file);
    (void)fclose(file);
}

/* 1 if the last row can be read. */
static int end_is_whole(void)
{
    const app_area last = { 0, HEIGHT - 1, WIDTH, 1 };
    app_picture part;
    app_error error;
    const xncc_status status = app_picture_load_area(path, &last, &app_default_reading, &part,
                                                     &error);
    app_picture_free(&part);
    return status == XNCC_OK;
}

/* Compares the error texts of decoding on a thread and at once. Returns 1 if the damage was
 * noticed. */
static int check_damaged(const flavour *f)
{
    const xncc_pixel pixel = XNCC_F32;
    app_picture whole;
    app_reader reader;
    app_error error, again;
    page p;
    int seen = 0;
    damage();
    xncc_status want = app_picture_load(path, 0, &app_default_reading, &whole, &error);
    if (page_open(&p, pixel)) {
        app_reader_start(&reader, p.file, &p.picture, pixel, p.converted, 1);
        check(app_reader_wait(&reader, HEIGHT) == (want ? -1 : HEIGHT), f->name,
              "rows of a damaged file");
        check(app_reader_stop(&reader, &again) == want &&
                  (!want || strcmp(error.text, again.text) == 0),
              f->name, "other text");
        seen = want != XNCC_OK;
    }
    app_picture_free(&whole);
    page_close(&p);
    return seen;
}

int main(void)
{
    xncc_context *context = NULL;
    if (xncc_context_create(&(xncc_context_options){ .size = sizeof(xncc_context_options),
                                                     .device = XNCC_DEVICE_CPU,
                                                     .threads = 2 },
                            &context, &kit_error) != XNCC_OK)
        return 1;
    int done = 0, damaged = 0, spared = 0;
    for (int i = 0; i < flavour_count; i++) {
        if (flavour_write(path, &flavours[i], WIDTH, HEIGHT, flavour_scene) != 1)
            continue;
        check_flavour(context, &flavours[i]);
        if (check_damaged(&flavours[i])) {
            damaged++;
            spared += end_is_whole();
        }
        done++;
    }
    (void)remove(path);
    xncc_context_destroy(context);
    printf("%d kinds, %d seen to be damaged, %d of them above a whole end, %d checks, %d failed\n",
           done, damaged, spared, checks, failures);
    return failures != 0 || done < 20 || damaged < 5 || spared < 5;
}
