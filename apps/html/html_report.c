/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as one HTML file. */
#include "html_report.h"

#include "common/output.h"
#include "html_files.h"
#include "html_picture.h"
#include "html_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tiffio.h>
#include <unistd.h>

enum { DIGEST = 32, CROP_SIDE = 128 };

struct app_html {
    app_output output;
    FILE *out;
    app_html_about about;
    char *path;
    size_t scenes, failures;
};

/* Prints ' NAME="VALUE"'. */
static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    app_html_text(out, value);
    putc('"', out);
}

static void put_digest(FILE *out, const unsigned char *digest)
{
    fputs("'sha256-", out);
    app_html_base64(out, digest, DIGEST);
    putc('\'', out);
}

/* The browser may load nothing, and run this script only. */
static void put_head(FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "base-uri 'none'; form-action 'none'; img-src data:; style-src ",
          out);
    put_digest(out, app_html_style_digest);
    fputs("; script-src ", out);
    put_digest(out, app_html_script_digest);
    fprintf(out,
            "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"exactncc %s\">\n<title>exactncc report</title>\n"
            "<style>%s</style>\n</head>\n",
            xncc_version(), app_html_style);
}

/* The first line of what libtiff says about its version. */
static void put_versions(FILE *out)
{
    char line[64];
    snprintf(line, sizeof line, "%s", TIFFGetVersion());
    line[strcspn(line, "\n")] = 0;
    fprintf(out, "<dt>Versions</dt><dd>exactncc %s; ", xncc_version());
    app_html_text(out, line);
    fputs("</dd>\n", out);
}

static void put_about(FILE *out, const app_html_about *about)
{
    char date[40] = "";
    struct tm utc;
    const time_t now = time(NULL);
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    fprintf(out, "<header>\n<h1>exactncc report</h1>\n<dl>\n<dt>Command</dt><dd><code>");
    app_html_text(out, about->command);
    fputs("</code></dd>\n", out);
    put_versions(out);
    fprintf(out, "<dt>Made</dt><dd>%s</dd>\n<dt>Method</dt><dd>", date);
    app_html_text(out, about->method);
    fprintf(out, "</dd>\n</dl>\n</header>\n");
}

/* The attributes that say how a template's frames are drawn. */
static void put_look(FILE *out, int templ, const char *colour, const char *line)
{
    int64_t on, off;
    const unsigned char *c = app_overlay_colour(templ, 1, &on, &off);
    fprintf(out, " %s=\"#%02x%02x%02x\" %s=\"%s\"", colour, c[0], c[1], c[2], line,
            off == 0    ? "solid"
            : on == off ? "dotted"
                        : "dashed");
}

/* The picture of a template, as it is. */
static xncc_status put_templ(FILE *out, const app_source *templ, int index, app_error *error)
{
    const app_picture *p = &templ->picture;
    const app_area all = { 0, 0, p->width, p->height };
    const int32_t side = p->width > p->height ? p->width : p->height;
    app_stretch stretch;
    if (!app_stretch_find(p, &stretch))
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", templ->path);
    fprintf(out, "<figure class=\"templ\" data-t=\"%d\"", index);
    put_look(out, index, "data-colour", "data-line");
    fputs("><img alt=\"\" src=\"", out);
    const xncc_status status = app_html_picture(out, p, &all, &stretch,
                                                app_html_factor(side, 4 * CROP_SIDE), 1, error);
    fputs("\"><figcaption><bdi>", out);
    app_html_text(out, templ->path);
    fprintf(out, "</bdi><br>%d x %d %s</figcaption></figure>\n", p->width, p->height,
            xncc_pixel_name(p->pixel));
    return status;
}

static xncc_status put_templs(FILE *out, const app_html_about *about, app_error *error)
{
    xncc_status status = XNCC_OK;
    fputs("<section id=\"templates\">\n<h2>Templates</h2>\n", out);
    for (int i = 0; i < about->templ_count && !status; i++)
        status = put_templ(out, &about->templs[i], i, error);
    fputs("</section>\n<div id=\"scenes\">\n", out);
    return status;
}

static void put_body(FILE *out, const app_html_about *about)
{
    fprintf(out, "<body data-small-is-good=\"%d\">\n<main>\n", about->small_is_good);
    put_about(out, about);
    fputs(
        "<noscript><p>Zoom, sorting and crops need JavaScript. All pictures and matches are below."
        "</p></noscript>\n<div id=\"app\"></div>\n",
        out);
}

xncc_status app_html_check(const char *path, app_error *error)
{
    if (!app_html_has_pictures())
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%s: reports need PNG, and this exactncc was built without libpng; build "
                        "it with libpng",
                        path);
    return app_output_check(path, error);
}

static xncc_status write_failed(const app_html *h, app_error *error)
{
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: cannot write: %s; free some space or give another name", h->path,
                    errno ? strerror(errno) : "write error");
}

xncc_status app_html_open(const char *path, const app_html_about *about, app_html **report,
                          app_error *error)
{
    app_html *h = calloc(1, sizeof *h);
    *report = NULL;
    char *name = strdup(path);
    if (!h || !name) {
        free(name);
        free(h);
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    }
    h->path = name;
    h->about = *about;
    xncc_status status = app_output_open(path, &h->output, error);
    if (status) {
        free(name);
        free(h);
        return status;
    }
    errno = 0;
    const int copy = dup(h->output.fd); /* fclose closes it */
    h->out = copy >= 0 ? fdopen(copy, "w") : NULL;
    *report = h;
    if (!h->out) {
        status = write_failed(h, error);
        if (copy >= 0)
            close(copy);
    } else {
        put_head(h->out);
        put_body(h->out, &h->about);
        status = put_templs(h->out, &h->about, error);
    }
    if (!status)
        return XNCC_OK;
    *report = NULL;
    return app_html_close(h, status, error);
}

/* The frames of one template as one path, which is drawn twice: dark below, coloured above. */
static void put_frames(const app_html *h, const app_html_scene *s, int templ)
{
    int any = 0;
    for (size_t i = 0; i < s->count; i++) {
        const app_frame *f = &s->frames[i];
        if (f->templ != templ)
            continue;
        if (!any)
            fprintf(h->out, "<g data-t=\"%d\"><defs><path id=\"p%zu-%d\" d=\"", templ, h->scenes,
                    templ);
        fprintf(h->out, "M%d %dh%dv%dh-%dz", f->x, f->y, f->width, f->height, f->width);
        any = 1;
    }
    if (!any)
        return;
    fprintf(h->out, "\"/></defs><use class=\"dark\" href=\"#p%zu-%d\"/><use href=\"#p%zu-%d\"",
            h->scenes, templ, h->scenes, templ);
    put_look(h->out, templ, "stroke", "class");
    fputs("/></g>\n", h->out);
}

static xncc_status put_picture(const app_html *h, const app_html_scene *s,
                               const app_stretch *stretch, int32_t factor, app_error *error)
{
    const app_picture *p = s->picture;
    const app_area all = { 0, 0, p->width, p->height };
    fprintf(h->out, "<div class=\"stage\"><div class=\"layer\" data-factor=\"%d\"><img", factor);
    put_attribute(h->out, "alt", s->name);
    /* The size that it is shown in; the picture itself may be smaller. */
    fprintf(h->out, " width=\"%d\" height=\"%d\" decoding=\"async\" src=\"", p->width, p->height);
    xncc_status status = app_html_picture(h->out, p, &all, stretch, factor, 0, error);
    fprintf(h->out, "\"><svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\">\n", p->width, p->height);
    for (int t = 0; t < h->about.templ_count; t++)
        put_frames(h, s, t);
    fputs("</svg></div></div>\n", h->out);
    return status;
}

static void put_cell(FILE *out, double value, int digits)
{
    fputs("<td>", out);
    if (isfinite(value))
        fprintf(out, "%.*g", digits, value);
    fputs("</td>", out);
}

/* A row of the table. If the picture is reduced, it has the window's own pixels, too. */
static xncc_status put_match(const app_html *h, const app_html_scene *s, size_t i,
                             const app_stretch *stretch, int with_crop, app_error *error)
{
    const app_frame *f = &s->frames[i];
    const app_area window = { f->x, f->y, f->width, f->height };
    const int32_t side = f->width > f->height ? f->width : f->height;
    xncc_status status = XNCC_OK;
    fprintf(h->out, "<tr data-t=\"%d\"", f->templ);
    if (with_crop) {
        fputs(" data-crop=\"", h->out);
        status = app_html_picture(h->out, s->picture, &window, stretch,
                                  app_html_factor(side, CROP_SIDE), 0, error);
        fputs("\"", h->out);
    }
    fprintf(h->out, "><td>%d</td><td><bdi>", f->number);
    app_html_text(h->out, h->about.templs[f->templ].path);
    fprintf(h->out, "</bdi></td><td>%d</td><td>%d</td><td>%d</td><td>%d</td>", f->x, f->y, f->width,
            f->height);
    put_cell(h->out, f->x + (f->width - 1) / 2.0, 12);
    put_cell(h->out, f->y + (f->height - 1) / 2.0, 12);
    put_cell(h->out, f->score, 9);
    if (s->subpixel) {
        put_cell(h->out, s->subpixel[i][0], 9);
        put_cell(h->out, s->subpixel[i][1], 9);
    }
    fputs("</tr>\n", h->out);
    return status;
}

static xncc_status put_matches(const app_html *h, const app_html_scene *s,
                               const app_stretch *stretch, int with_crop, app_error *error)
{
    static const char *const columns[] = { "#",      "template", "x",        "y",    "width",
                                           "height", "center_x", "center_y", "score" };
    xncc_status status = XNCC_OK;
    fputs("<table><thead><tr>", h->out);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        fprintf(h->out, "<th scope=\"col\">%s</th>", columns[i]);
    if (s->subpixel)
        fputs("<th scope=\"col\">subpixel_x</th><th scope=\"col\">subpixel_y</th>", h->out);
    fputs("</tr></thead><tbody>\n", h->out);
    for (size_t i = 0; i < s->count && !status; i++)
        status = put_match(h, s, i, stretch, with_crop, error);
    fputs("</tbody></table>\n", h->out);
    return status;
}

xncc_status app_html_add(app_html *h, const app_html_scene *s, app_error *error)
{
    const app_picture *p = s->picture;
    const int32_t side = p->width > p->height ? p->width : p->height,
                  factor = app_html_factor(side, h->about.side);
    app_stretch stretch;
    app_error why;
    if (!app_stretch_find(p, &stretch))
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", s->name);
    fprintf(h->out, "<section class=\"scene\" data-page=\"%u\"", s->page);
    put_attribute(h->out, "data-name", s->name);
    fputs(">\n<h2><bdi>", h->out);
    app_html_text(h->out, s->name);
    fputs("</bdi></h2>\n<p>", h->out);
    if (s->page)
        fprintf(h->out, "page %u, ", s->page);
    fprintf(h->out, "%d x %d %s", p->width, p->height, xncc_pixel_name(p->pixel));
    if (stretch.stretched)
        fprintf(h->out, ", black is %.6g, white is %.6g", stretch.low, stretch.high);
    if (factor > 1)
        fprintf(h->out, ", shown at 1/%d of its size", factor);
    if (s->kernel && s->device) {
        fprintf(h->out, ", kernel %s on ", s->kernel);
        app_html_text(h->out, s->device);
    }
    fprintf(h->out, ": %zu match%s</p>\n", s->count, s->count == 1 ? "" : "es");
    xncc_status status = put_picture(h, s, &stretch, factor, &why);
    if (!status)
        status = put_matches(h, s, &stretch, factor > 1, &why);
    fputs("</section>\n", h->out);
    h->scenes++;
    if (status)
        return app_fail(error, status, "%s: %s", s->name, why.text);
    errno = 0;
    return fflush(h->out) == 0 && !ferror(h->out) ? XNCC_OK : write_failed(h, error);
}

void app_html_add_failure(app_html *h, const char *name, uint32_t page, const char *reason)
{
    fprintf(h->out, "<section class=\"failure\" data-page=\"%u\"><h2><bdi>", page);
    app_html_text(h->out, name);
    fputs("</bdi></h2><p>", h->out);
    app_html_text(h->out, reason);
    fputs("</p></section>\n", h->out);
    h->failures++;
}

xncc_status app_html_close(app_html *h, xncc_status status, app_error *error)
{
    if (!h)
        return status;
    if (h->out) {
        fputs("</div>\n</main>\n<script type=\"module\">", h->out);
        fputs(app_html_script, h->out);
        fputs("</script>\n</body>\n</html>\n", h->out);
        errno = 0;
        const int flushed = fflush(h->out) == 0 && !ferror(h->out) &&
                            (status || fsync(fileno(h->out)) == 0);
        const int reason = errno, closed = fclose(h->out) == 0;
        if (!status && (!flushed || !closed)) {
            errno = flushed ? errno : reason;
            status = write_failed(h, error);
        }
    }
    status = app_output_close(&h->output, status, error);
    free(h->path);
    free(h);
    return status;
}
