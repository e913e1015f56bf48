/* The library for the comparison scripts: a module that Python's ctypes can load whatever kind of library was built. The views and options
 * are the library's own, so library.py mirrors image.h, find.h and refine.h. Every function returns a cm_status; the text of the last error is in the
 * context. */
#include "corrmatch/corrmatch.h"

#if defined(__GNUC__)
#define BRIDGE __attribute__((visibility("default")))
#else
#define BRIDGE
#endif

BRIDGE int bridge_open(int device, cm_context **context);
BRIDGE void bridge_close(cm_context *context);
BRIDGE const char *bridge_error(const cm_context *context, char *text, size_t size);
BRIDGE size_t bridge_sizes(size_t *image, size_t *options, size_t *find_options, size_t *refined);
BRIDGE int bridge_extent(int mode, const int32_t *image, const int32_t *part, int32_t *map);
BRIDGE int bridge_correlate(cm_context *context, const cm_image *image, const cm_image *part, const cm_options *options,
                            const cm_map *map);
BRIDGE int bridge_find(cm_context *context, const cm_image *image, const cm_image *part, const cm_find_options *options,
                       cm_match *match, size_t *count);
BRIDGE int bridge_refine(cm_context *context, const cm_image *image, const cm_image *part, const cm_find_options *options,
                         const cm_match *match, size_t count, cm_refined *refined);

int bridge_open(int device, cm_context **context)
{
    cm_context_options options = { .device = (cm_device)device };
    return (int)cm_context_create(&options, context);
}

void bridge_close(cm_context *context)
{
    cm_context_destroy(context);
}

const char *bridge_error(const cm_context *context, char *text, size_t size)
{
    return cm_context_error(context, text, size);
}

/* What library.py has to agree with; returns the size of a match. */
size_t bridge_sizes(size_t *image, size_t *options, size_t *find_options, size_t *refined)
{
    *image = sizeof(cm_image);
    *options = sizeof(cm_options);
    *find_options = sizeof(cm_find_options);
    *refined = sizeof(cm_refined);
    return sizeof(cm_match);
}

/* image and part: width, height. map: width, height, x0, y0. */
int bridge_extent(int mode, const int32_t *image, const int32_t *part, int32_t *map)
{
    return (int)cm_map_extent((cm_mode)mode, image[0], image[1], part[0], part[1], &map[0], &map[1], &map[2], &map[3]);
}

int bridge_correlate(cm_context *context, const cm_image *image, const cm_image *part, const cm_options *options,
                     const cm_map *map)
{
    cm_template *prepared = NULL;
    cm_status status = cm_template_create(context, part, &prepared);
    if (status == CM_OK)
        status = cm_correlate(context, image, prepared, options, map);
    cm_template_destroy(prepared);
    return (int)status;
}

/* *count: the room in match, then how many were found. */
int bridge_find(cm_context *context, const cm_image *image, const cm_image *part, const cm_find_options *options,
                cm_match *match, size_t *count)
{
    cm_template *prepared = NULL;
    size_t capacity = *count;
    *count = 0;
    cm_status status = cm_template_create(context, part, &prepared);
    if (status == CM_OK)
        status = cm_find(context, image, prepared, options, match, capacity, count);
    cm_template_destroy(prepared);
    return (int)status;
}

int bridge_refine(cm_context *context, const cm_image *image, const cm_image *part, const cm_find_options *options,
                  const cm_match *match, size_t count, cm_refined *refined)
{
    cm_template *prepared = NULL;
    cm_status status = cm_template_create(context, part, &prepared);
    if (status == CM_OK)
        status = cm_refine(context, image, prepared, options, match, count, refined);
    cm_template_destroy(prepared);
    return (int)status;
}
