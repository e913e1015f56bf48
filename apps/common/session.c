#include "session.h"

#include "output.h"
#include "overlay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 64 };

/* The CUDA device with that number, or else the entry that says why there is none. */
static const cm_device_info *find_cuda(const cm_device_info *info, size_t count, int32_t index)
{
    const cm_device_info *reason = NULL;
    for (size_t i = 0; i < count; i++) {
        if (info[i].device != CM_DEVICE_CUDA)
            continue;
        if (info[i].index == index)
            return &info[i];
        if (info[i].index < 0)
            reason = &info[i];
    }
    return reason;
}

cm_status app_session_open(const app_options *options, app_session *session, app_error *error)
{
    cm_device_info info[DEVICES];
    memset(session, 0, sizeof *session);
    session->options = options;
    const cm_device_info *cuda = NULL;
    if (options->device.device != CM_DEVICE_CPU) {
        size_t count = cm_device_describe(info, DEVICES);
        cuda = find_cuda(info, count < DEVICES ? count : DEVICES, options->device.cuda_index);
    }
    cm_status status = cm_context_create(&options->device, &session->context);
    if (status && options->device.device == CM_DEVICE_CUDA)
        return app_fail(error, status, "--device cuda:%d: %s; use --device cpu", options->device.cuda_index,
                        !cuda           ? "there is no such device"
                        : cuda->text[0] ? cuda->text
                                        : cm_status_string(status));
    if (status)
        return app_fail(error, status, "cannot start: %s", cm_status_string(status));
    if (cuda && cuda->usable)
        snprintf(session->device, sizeof session->device, "cuda:%d %s", cuda->index, cuda->name);
    else
        snprintf(session->device, sizeof session->device, "cpu");
    return CM_OK;
}

void app_session_close(app_session *session)
{
    cm_context_destroy(session->context);
    session->context = NULL;
}

cm_status app_session_fail(const app_session *session, cm_status status, const char *about, app_error *error)
{
    char text[CM_ERROR_SIZE];
    cm_context_error(session->context, text, sizeof text);
    return app_fail(error, status, "%s: %s", about, text[0] ? text : cm_status_string(status));
}

/* By the kernel's name; a plan does not say its engine otherwise. The CUDA engine's own FFT is "fft" alone. */
const char *app_session_device(const app_session *session, const char *kernel)
{
    static const char *const families[] = { "reference", "direct-", "fft-" };
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(kernel, families[i], strlen(families[i])) == 0)
            return "cpu";
    return session->device;
}

cm_status app_source_load(const char *path, uint32_t page, const app_limits *limits, app_source *source,
                          app_error *error)
{
    memset(source, 0, sizeof *source);
    source->path = path;
    source->page = page;
    return app_picture_load(path, page, limits, &source->picture, error);
}

void app_source_free(app_source *source)
{
    free(source->converted);
    app_picture_free(&source->picture);
    memset(source, 0, sizeof *source);
}

cm_status app_source_expect(app_source *source, app_pixel_form form, app_error *error)
{
    app_error text;
    cm_image view;
    source->form = form;
    cm_status status = app_picture_frame(&source->picture, form, &view, &source->converted, &text);
    return status ? app_fail(error, status, "%s: %s", source->path, text.text) : CM_OK;
}

static cm_status source_view(app_source *source, app_pixel_form form, cm_image *view, app_error *error)
{
    app_error text;
    if (source->converted && source->form.pixel == form.pixel && source->form.offset == form.offset) {
        *view = (cm_image){ .data = source->converted,
                            .width = source->picture.width,
                            .height = source->picture.height,
                            .pixel = form.pixel };
        return CM_OK;
    }
    free(source->converted);
    source->form = form;
    cm_status status = app_picture_view(&source->picture, form, view, &source->converted, &text);
    return status ? app_fail(error, status, "%s: %s", source->path, text.text) : CM_OK;
}

static cm_status area_of(const app_options *o, const app_source *scene, app_area *area, app_error *error)
{
    const app_picture *s = &scene->picture;
    *area = o->roi.width ? o->roi : (app_area){ 0, 0, s->width, s->height };
    if (area->x > s->width - area->width || area->y > s->height - area->height)
        return app_fail(error, CM_ERROR_ARGUMENT,
                        "--roi %d,%d,%d,%d: is not wholly inside the %d x %d pixels of %s; give one that is", area->x,
                        area->y, area->width, area->height, s->width, s->height, scene->path);
    return CM_OK;
}

cm_status app_search_open(const app_session *session, app_source *scene, app_source *part, app_search *search,
                          app_error *error)
{
    const app_options *o = session->options;
    const app_picture *s = &scene->picture, *p = &part->picture;
    cm_image pixels;
    memset(search, 0, sizeof *search);
    const app_area *a = &search->area;
    cm_status status = area_of(o, scene, &search->area, error);
    if (status)
        return status;
    if (o->mode == CM_VALID && (p->width > a->width || p->height > a->height))
        return app_fail(error, CM_ERROR_ARGUMENT,
                        "%s: the template's %d x %d pixels exceed the %d x %d of %s; give a smaller "
                        "template, or --mode same",
                        part->path, p->width, p->height, a->width, a->height, o->roi.width ? "--roi" : scene->path);
    const app_pixel_form form = app_pixel_form_for(s->sample, p->sample, o->method);
    status = source_view(scene, form, &search->scene, error);
    if (!status && cm_image_crop(&search->scene, a->x, a->y, a->width, a->height, &search->scene))
        status = app_fail(error, CM_ERROR_ARGUMENT, "%s: has no such rectangle; give another --roi", scene->path);
    if (!status)
        status = source_view(part, form, &pixels, error);
    if (status)
        return status;
    const cm_problem problem = { .task = CM_TASK_MATCH,
                                 .pixel = form.pixel,
                                 .image_width = a->width,
                                 .image_height = a->height,
                                 .width = p->width,
                                 .height = p->height,
                                 .method = o->method,
                                 .mode = o->mode,
                                 .border = o->border,
                                 .flat = o->flat };
    status = cm_template_create(session->context, &pixels, &search->part);
    if (status)
        return app_session_fail(session, status, part->path, error);
    status = cm_plan_create(session->context, &problem, &(cm_preference){ .kernel = o->kernel }, &search->plan);
    if (status == CM_ERROR_ARGUMENT && o->kernel)
        app_blame_usage(error, status);
    return status ? app_session_fail(session, status, part->path, error) : CM_OK;
}

void app_search_close(app_search *search)
{
    cm_plan_destroy(search->plan);
    cm_template_destroy(search->part);
    memset(search, 0, sizeof *search);
}

cm_status app_check_picture(const app_options *o, const char *option, const char *path, app_error *error)
{
    for (int i = 0; i < o->file_count; i++)
        if (app_same_file(path, o->files[i]))
            return app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT),
                            "%s %s: would overwrite an input; give another name", option, path);
    return app_overlay_check(path, error);
}

cm_status app_finish_stdout(app_error *error)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return app_fail(error, CM_ERROR_ARGUMENT, "standard output: cannot write: %s; make room or write elsewhere",
                        errno ? strerror(errno) : "write error");
    return CM_OK;
}
