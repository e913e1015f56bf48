/* Reading beside other work: rows that app_reader_wait names are as in a picture read at once, in every kind of TIFF
 * and form; a damaged file gives the same text; and the tool's kind of search on such rows finds what it finds in the
 * whole. Run under the thread sanitizer by hand: it needs libtiff. */
#include "corrmatch/corrmatch.h"
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
    app_tiff *tiff;
    app_picture picture;
    cm_image view;
    void *converted;
} page;

static int page_open(page *p, cm_pixel pixel)
{
    app_tiff_page info;
    app_error error;
    memset(p, 0, sizeof *p);
    return app_tiff_open(path, &app_default_reading, &p->tiff, &error) == CM_OK &&
           app_tiff_select(p->tiff, 0, &info, &error) == CM_OK &&
           app_picture_make(p->tiff, &info, &p->picture, &error) == CM_OK &&
           app_picture_frame(&p->picture, pixel, &p->view, &p->converted, &error) == CM_OK;
}

static void page_close(page *p)
{
    free(p->converted);
    app_picture_free(&p->picture);
    app_tiff_close(p->tiff);
}

/* With a reader, its rows must be those of the whole as soon as they are named. */
static size_t find(cm_plan *plan, const cm_image *image, const cm_template *part, app_reader *reader,
                   const cm_image *whole, cm_match match[8])
{
    const size_t row = (size_t)WIDTH * cm_pixel_size(image->pixel);
    cm_scan *scan = NULL;
    size_t found = 0;
    cm_status status = cm_scan_create(plan, image, part, NULL, 8, &scan);
    for (int32_t rows = 0; !status && reader && rows < HEIGHT;) {
        rows = app_reader_wait(reader, rows + 40);
        check(rows < 0 || memcmp(image->data, whole->data, (size_t)rows * row) == 0, "reader", "rows named too early");
        status = rows < 0 ? CM_ERROR_ARGUMENT : cm_scan_rows(scan, rows);
    }
    if (!status)
        status = cm_scan_finish(scan, match, &found, NULL);
    cm_scan_destroy(scan);
    return status ? 0 : found;
}

/* Matches in rows as they come against matches in the whole. */
static void check_search(cm_context *context, const char *kind, cm_pixel pixel, const cm_image *whole, int beside)
{
    cm_problem problem = {
        .pixel = whole->pixel, .image_width = WIDTH, .image_height = HEIGHT, .width = SIDE, .height = SIDE
    };
    const size_t size = cm_pixel_size(whole->pixel);
    const cm_image part = { .data = (const char *)whole->data + ((size_t)500 * WIDTH + 30) * size,
                            .width = SIDE,
                            .height = SIDE,
                            .pitch = (int64_t)(WIDTH * size),
                            .pixel = whole->pixel };
    cm_template *template = NULL;
    cm_plan *plan = NULL;
    cm_match want[8], got[8];
    app_reader reader;
    app_error error;
    page p;
    if (!check(page_open(&p, pixel), kind, "cannot be opened"))
        return;
    problem.image_masked = p.view.mask != NULL; /* of the whole, where all pixels count, it has been dropped */
    if (!check(!cm_template_create(context, &part, &template) && !cm_plan_create(context, &problem, NULL, &plan), kind,
               "cannot begin"))
        return;
    size_t wanted = find(plan, whole, template, NULL, NULL, want);
    app_reader_start(&reader, p.tiff, &p.picture, pixel, p.converted, beside);
    size_t found = find(plan, &p.view, template, &reader, whole, got);
    check(app_reader_stop(&reader, &error) == CM_OK && app_reader_stop(&reader, &error) == CM_OK, kind,
          "reading failed");
    check(found == wanted && found > 0 && memcmp(want, got, found * sizeof *got) == 0, kind, "other matches");
    check(memcmp(p.view.data, whole->data, size * WIDTH * HEIGHT) == 0, kind, "other pixels");
    cm_plan_destroy(plan);
    cm_template_destroy(template);
    page_close(&p);
}

static void check_flavour(cm_context *context, const flavour *f)
{
    app_picture whole;
    app_error error;
    if (!check(app_picture_load(path, 0, &app_default_reading, &whole, &error) == CM_OK, f->name, "cannot be read"))
        return;
    int done = -1;
    for (int other = CM_U8; other <= CM_F32; other++) {
        const cm_pixel pixel = app_pixel_join(whole.pixel, (cm_pixel)other);
        if (done == (int)pixel)
            continue;
        done = (int)pixel;
        cm_image view;
        void *converted;
        if (!check(app_picture_view(&whole, pixel, &view, &converted, &error) == CM_OK, f->name, "no view"))
            continue;
        check_search(context, f->name, pixel, &view, other % 3 != 2);
        free(converted);
    }
    app_picture_free(&whole);
}

/* Bytes of the file's middle changed: many codecs see it. */
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

/* The same text beside other work as at once. 1 when the damage was seen. */
static int check_damaged(const flavour *f)
{
    const cm_pixel pixel = CM_F32;
    app_picture whole;
    app_reader reader;
    app_error error, again;
    page p;
    int seen = 0;
    damage();
    cm_status want = app_picture_load(path, 0, &app_default_reading, &whole, &error);
    if (page_open(&p, pixel)) {
        app_reader_start(&reader, p.tiff, &p.picture, pixel, p.converted, 1);
        check(app_reader_wait(&reader, HEIGHT) == (want ? -1 : HEIGHT), f->name, "rows of a damaged file");
        check(app_reader_stop(&reader, &again) == want && (!want || strcmp(error.text, again.text) == 0), f->name,
              "other text");
        seen = want != CM_OK;
    }
    app_picture_free(&whole);
    page_close(&p);
    return seen;
}

int main(void)
{
    cm_context *context = NULL;
    if (cm_context_create(&(cm_context_options){ .device = CM_DEVICE_CPU, .threads = 2 }, &context) != CM_OK)
        return 1;
    int done = 0, damaged = 0;
    for (int i = 0; i < flavour_count; i++) {
        if (flavour_write(path, &flavours[i], WIDTH, HEIGHT, flavour_scene) != 1)
            continue;
        check_flavour(context, &flavours[i]);
        damaged += check_damaged(&flavours[i]);
        done++;
    }
    (void)remove(path);
    cm_context_destroy(context);
    printf("%d kinds, %d seen to be damaged, %d checks, %d failures\n", done, damaged, checks, failures);
    return failures != 0 || done < 20 || damaged < 5;
}
