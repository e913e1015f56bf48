/* SPDX-License-Identifier: BSD-2-Clause */
/* The library for the comparison scripts: a module that Python's ctypes can load whatever kind of
 * library was built. Views are passed as the library's own structs and options as those of
 * kit/short.h, so library.py mirrors image.h, refine.h and short.h. Functions that return int
 * return an xncc_status; bridge_error has the text of the last error. */
#include "kit/short.h"

#if defined(__GNUC__)
#define BRIDGE __attribute__((visibility("default")))
#else
#define BRIDGE
#endif

BRIDGE int bridge_open(int device, xncc_context **context);
BRIDGE void bridge_close(xncc_context *context);
BRIDGE const char *bridge_error(void);
BRIDGE size_t bridge_sizes(size_t *image, size_t *options, size_t *find_options, size_t *refined);
BRIDGE int bridge_extent(int mode, const int32_t *image, const int32_t *templ, int32_t *map);
BRIDGE int bridge_correlate(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                            const kit_options *options, const xncc_map *map);
BRIDGE int bridge_find(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                       const kit_find_options *options, xncc_match *match, size_t *count);
BRIDGE int bridge_refine(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                         const kit_find_options *options, const xncc_match *match, size_t count,
                         xncc_refined *refined);

int bridge_open(int device, xncc_context **context)
{
    xncc_context_options options = { .size = sizeof(xncc_context_options),
                                     .device = (xncc_device)device };
    return (int)xncc_context_create(&options, context, &kit_error);
}

void bridge_close(xncc_context *context)
{
    xncc_context_destroy(context);
}

const char *bridge_error(void)
{
    return kit_error.text;
}

/* Returns the struct sizes that library.py must agree with; the return value is the size of a
 * match. */
size_t bridge_sizes(size_t *image, size_t *options, size_t *find_options, size_t *refined)
{
    *image = sizeof(xncc_image);
    *options = sizeof(kit_options);
    *find_options = sizeof(kit_find_options);
    *refined = sizeof(xncc_refined);
    return sizeof(xncc_match);
}

/* image and templ: width, height. map: width, height, x0, y0. */
int bridge_extent(int mode, const int32_t *image, const int32_t *templ, int32_t *map)
{
    return (int)kit_map_extent((xncc_mode)mode, image[0], image[1], templ[0], templ[1], &map[0],
                               &map[1], &map[2], &map[3]);
}

int bridge_correlate(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                     const kit_options *options, const xncc_map *map)
{
    xncc_template *prepared = NULL;
    xncc_status status = xncc_template_create(context, templ, &prepared, &kit_error);
    if (status == XNCC_OK)
        status = kit_correlate(context, image, prepared, options, map);
    xncc_template_destroy(prepared);
    return (int)status;
}

/* *count: first the capacity of match, then the number of matches found. */
int bridge_find(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                const kit_find_options *options, xncc_match *match, size_t *count)
{
    xncc_template *prepared = NULL;
    size_t capacity = *count;
    *count = 0;
    xncc_status status = xncc_template_create(context, templ, &prepared, &kit_error);
    if (status == XNCC_OK)
        status = kit_find(context, image, prepared, options, match, capacity, count);
    xncc_template_destroy(prepared);
    return (int)status;
}

int bridge_refine(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                  const kit_find_options *options, const xncc_match *match, size_t count,
                  xncc_refined *refined)
{
    xncc_template *prepared = NULL;
    xncc_status status = xncc_template_create(context, templ, &prepared, &kit_error);
    if (status == XNCC_OK)
        status = kit_refine(context, image, prepared, options, match, count, refined);
    xncc_template_destroy(prepared);
    return (int)status;
}
