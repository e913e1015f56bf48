/* SPDX-License-Identifier: BSD-2-Clause */
/* Where exactncc track tracks. */
#include "track_points.h"

#include "common/numbers.h"
#include "common/warn.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xncc_status no_memory(size_t count, app_error *error)
{
    return app_fail(error, XNCC_ERROR_MEMORY,
                    "out of memory for %zu points; give a larger step to --grid", count);
}

/* The number of chips along an axis. */
static int32_t chips_along(int32_t extent, int32_t chip, int32_t step)
{
    return extent < chip ? 0 : (extent - chip) / step + 1;
}

static xncc_status make_grid(const app_options *o, const track_images *images, track_points *p,
                             app_error *error)
{
    const xncc_track_source *s = &images->source;
    const xncc_track_options *t = &o->track;
    p->grid = (app_size){ chips_along(s->width1, t->chip_width, o->track_step.width),
                          chips_along(s->height1, t->chip_height, o->track_step.height) };
    if (p->grid.width == 0 || p->grid.height == 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "--chip %dx%d: is larger than %s (%d x %d pixels); give a smaller chip",
                        t->chip_width, t->chip_height, images->image[0].image.path, s->width1,
                        s->height1);
    p->count = (size_t)p->grid.width * (size_t)p->grid.height;
    p->point = calloc(p->count, sizeof *p->point);
    if (!p->point)
        return no_memory(p->count, error);
    for (size_t i = 0; i < p->count; i++) {
        const size_t across = (size_t)p->grid.width;
        p->point[i].x = (double)(i % across) * o->track_step.width + (t->chip_width - 1) / 2.0;
        p->point[i].y = (double)(i / across) * o->track_step.height + (t->chip_height - 1) / 2.0;
    }
    return XNCC_OK;
}

/* Reads the numbers of a line, with blanks, tabs, commas or semicolons between. Returns how many
 * there are, or -1 if something is no number. */
static int read_numbers(char *line, double number[4])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r\n,;", &rest); word;
         word = strtok_r(NULL, " \t\r\n,;", &rest)) {
        if (count == 4 || !app_parse_double(word, &number[count]))
            return -1;
        count++;
    }
    return count;
}

/* Adds the point of a line: x y, or x y dx dy. */
static xncc_status add_line(const char *path, size_t row, char *line, track_points *p, size_t *room,
                            app_error *error)
{
    double v[4] = { 0, 0, 0, 0 };
    const size_t cut = strcspn(line, "#");
    line[cut] = 0;
    if (row == 1 && line[strspn(line, " \t")] == 'x') /* the names of columns */
        return XNCC_OK;
    const int count = read_numbers(line, v);
    if (count == 0)
        return XNCC_OK;
    if (count != 2 && count != 4)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: line %zu is not a point; write x and y, and dx and dy if you predict "
                        "the displacement",
                        path, row);
    if (p->count == *room) {
        const size_t more = *room ? 2 * *room : 1024;
        xncc_track_point *larger = realloc(p->point, more * sizeof *larger);
        if (!larger)
            return no_memory(more, error);
        p->point = larger;
        *room = more;
    }
    p->point[p->count++] = (xncc_track_point){ v[0], v[1], v[2], v[3] };
    return XNCC_OK;
}

static xncc_status read_points(const char *path, track_points *p, app_error *error)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t size = 0, room = 0;
    xncc_status status = XNCC_OK;
    if (!in)
        return app_fail_errno(error, path, "cannot open", errno);
    for (size_t row = 1; !status && getline(&line, &size, in) >= 0; row++)
        status = add_line(path, row, line, p, &room, error);
    if (!status && (ferror(in) || !feof(in))) /* without memory getline sets neither */
        status = app_fail_errno(error, path, "cannot be read", errno);
    if (!status && p->count == 0)
        status = app_fail(error, XNCC_ERROR_ARGUMENT, "%s: has no points; write x and y per line",
                          path);
    free(line);
    if (in != stdin)
        (void)fclose(in);
    return status;
}

/* Fails if both images name a coordinate system, and not the same. Warns if the sizes of their
 * pixels differ. */
static xncc_status check_places(const track_images *images, app_error *error)
{
    const track_image *i = images->image;
    char first[128], second[128];
    double a[6], b[6];
    app_geo_crs(&i[0].geo, first, sizeof first);
    app_geo_crs(&i[1].geo, second, sizeof second);
    if (*first && *second && strcmp(first, second) != 0)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: is in %s, but %s is in %s; transform one of them", i[1].image.path,
                        second, i[0].image.path, first);
    (void)app_geo_affine(&i[0].geo, a);
    (void)app_geo_affine(&i[1].geo, b);
    const double size = fabs(a[0]) + fabs(a[1]) + fabs(a[3]) + fabs(a[4]),
                 change = fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[3] - b[3]) +
                          fabs(a[4] - b[4]);
    if (change > 0.01 * size)
        app_warn("%s and %s differ in the size or direction of their pixels; resample one of them "
                 "if scores are low",
                 i[0].image.path, i[1].image.path);
    return XNCC_OK;
}

/* Predicts displacements by the places of the pixels on the ground. */
static xncc_status predict(const track_images *images, track_points *p, app_error *error)
{
    const app_geo *a = &images->image[0].geo, *b = &images->image[1].geo;
    double unused[6];
    if (!app_geo_affine(a, unused) || !app_geo_affine(b, unused))
        return XNCC_OK;
    const xncc_status status = check_places(images, error);
    for (size_t i = 0; i < p->count && !status; i++) {
        xncc_track_point *t = &p->point[i];
        double x, y, px, py;
        if (app_geo_ground(a, t->x, t->y, &x, &y) && app_geo_pixel(b, x, y, &px, &py)) {
            t->dx += px - t->x;
            t->dy += py - t->y;
        }
    }
    return status;
}

xncc_status track_points_make(const app_options *o, const track_images *images, track_points *p,
                              app_error *error)
{
    *p = (track_points){ .point = NULL };
    xncc_status status = o->track_points ? read_points(o->track_points, p, error)
                                         : make_grid(o, images, p, error);
    for (size_t i = 0; i < p->count && !status; i++) {
        p->point[i].dx += o->track_shift[0];
        p->point[i].dy += o->track_shift[1];
    }
    return status ? status : predict(images, p, error);
}
