/* corrmatch correlate: the map of scores of one template on one page. */
#include "commands.h"
#include "common/heatmap.h"
#include "common/map_out.h"
#include "common/progress.h"

#include <stdlib.h>
#include <string.h>

/* The ImageDescription: what the map is, so that the file can be understood by itself. NULL when there is no memory. */
static char *describe(const app_options *o, const app_source *scene, const app_source *part, int32_t x0, int32_t y0)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("{\"image\": ", out);
    app_json_string(out, scene->path);
    fprintf(out, ", \"page\": %u, \"template\": ", scene->page);
    app_json_string(out, part->path);
    fprintf(out,
            ", \"template_width\": %d, \"template_height\": %d, \"method\": \"%s\", \"mode\": \"%s\", \"border\": "
            "\"clamp\", "
            "\"x0\": %d, \"y0\": %d}",
            part->picture.width, part->picture.height, cm_method_name(o->method), o->mode == CM_SAME ? "same" : "valid",
            x0, y0);
    return fclose(out) == 0 ? text : NULL;
}

static cm_status correlate_sources(const app_session *session, app_source *scene, app_source *part, app_error *error)
{
    const app_options *o = session->options;
    app_search search;
    app_progress progress;
    cm_map map = { .data = NULL };
    char *description = NULL;
    int32_t width, height, x0, y0;
    cm_status status = app_search_open(session, scene, part, &search, error);
    if (status)
        goto done;
    cm_map_extent(o->mode, search.area.width, search.area.height, part->picture.width, part->picture.height, &width,
                  &height, &x0, &y0);
    status = app_map_open(o->output, width, height, &map, error);
    if (status)
        goto done;
    app_progress_start(&progress, session->context, part->path, o->quiet);
    status = cm_plan_correlate(search.plan, &search.scene, search.part, &map, NULL);
    app_progress_stop(&progress);
    if (status) {
        app_session_fail(session, status, part->path, error);
        goto done;
    }
    if (o->heatmap)
        status = app_heatmap_write(o->heatmap, &map, o->method, error);
    if (status)
        goto done;
    description = describe(o, scene, part, search.area.x + x0, search.area.y + y0);
    if (!description) {
        status = app_fail(error, CM_ERROR_MEMORY, "%s: out of memory", o->output);
        goto done;
    }
    const char *kernel = cm_plan_kernel(search.plan);
    status = app_map_write(o, &map, description, app_session_device(session, kernel), kernel, error);
done:
    free(description);
    free(map.data);
    app_search_close(&search);
    return status;
}

cm_status app_correlate(const app_options *o, app_error *error)
{
    app_source scene = { .path = NULL }, part = { .path = NULL };
    app_session session = { .context = NULL };
    cm_status status = app_map_check(o, error);
    if (!status && o->heatmap && strcmp(o->heatmap, o->output) == 0)
        status = app_fail(error, app_blame_usage(error, CM_ERROR_ARGUMENT),
                          "--heatmap %s: is the name of the map; give another name", o->heatmap);
    if (!status && o->heatmap)
        status = app_check_picture(o, "--heatmap", o->heatmap, error);
    if (!status)
        status = app_source_load(o->files[0], (uint32_t)o->page, &o->limits, &scene, error);
    if (!status)
        status = app_source_load(o->files[1], 0, &o->limits, &part, error);
    if (!status)
        status = app_session_open(o, &session, error);
    if (!status)
        status = correlate_sources(&session, &scene, &part, error);
    app_session_close(&session);
    app_source_free(&scene);
    app_source_free(&part);
    return status;
}
