/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches in maps in which some windows have no score, and plans for such problems: used again with
 * other pixels and masks, for batches, for matches left on the device, and while the image's rows
 * are still arriving. */
#include "check/general_call.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 3 };

/* Returns the image of a call: in host memory, or on every other turn its copy on the device if
 * there is one. */
static const xncc_image *image_for(const general_subject *s, device_image *twin)
{
    *twin = (device_image){ .memory = NULL };
    if (s->run->device != XNCC_DEVICE_CUDA || !kit_device_present() || !(s->run->turn & 1))
        return &s->image.view;
    *twin = device_image_create(&s->image.view, (int32_t)(s->run->turn % 3));
    return &twin->view;
}

static void image_done(device_image *twin)
{
    if (twin->memory)
        device_image_destroy(twin);
}

/* Checks the plan with the subject as it is now: a map, matches, and the other ways to find
 * them. */
static void check_plan(general_subject *s, xncc_plan *plan, general_request *r)
{
    static xncc_match got[GENERAL_MATCHES];
    /* A plan for images with masks accepts an image without one, even if its kernel could not serve
     * the problem without masks. */
    const int unmasked = s->problem.image_masked && !s->image.view.mask &&
                         !s->image.view.has_no_data;
    kit_map want = general_expected(s, unmasked ? NULL : r->options.kernel);
    kit_map map = kit_map_create(want.view.width, want.view.height, 2, KIT_AFTER);
    device_image twin;
    const xncc_image *image = image_for(s, &twin);
    size_t found = 12345;
    general_request_draw(s, r->options.kernel, &want.view, r);
    general_request_answer(s, &want.view, r);
    if (check_ok(xncc_plan_correlate(plan, image, s->prepared[0], &map.view, NULL, &kit_error),
                 s->name))
        check_same(&map.view, &want.view, s->name);
    if (check_ok(
            kit_plan_find(plan, image, s->prepared[0], &r->options, got, r->capacity, &found, NULL),
            s->name))
        general_compare(s, r, "by a plan", got, found);
    image_done(&twin);
    general_check_rows(s, plan, r);
    if (s->run->device == XNCC_DEVICE_CUDA && kit_device_present())
        general_check_left_on_device(s, plan, r);
    check_count(s->run, r->options.kernel);
    kit_map_destroy(&map);
    kit_map_destroy(&want);
}

/* Several templates in one call, with one rule. All of them fit the problem. */
static void check_batch(general_subject *s, const char *kernel)
{
    static xncc_match got[BATCH * GENERAL_MATCHES];
    static general_request want[BATCH];
    xncc_template *kept[BATCH] = { NULL };
    const xncc_template *templ[BATCH];
    size_t found[BATCH] = { 7, 7, 7 }, count = 0;
    do {
        kit_map map = general_expected(s, kernel);
        if (count == 0)
            general_request_draw(s, kernel, &map.view, &want[0]);
        want[count].options = want[0].options;
        want[count].capacity = want[0].capacity;
        general_request_answer(s, &map.view, &want[count]);
        kit_map_destroy(&map);
        templ[count] = kept[count] = s->prepared[0];
        s->prepared[0] = NULL;
        count++;
    } while (count < BATCH && general_change(s, GENERAL_OTHER_TEMPL));
    device_image twin;
    xncc_status status = kit_find_each(s->run->context[0], &s->problem, image_for(s, &twin), templ,
                                       count, &want[0].options, got, want[0].capacity, found);
    if (check_ok(status, s->name))
        for (size_t i = 0; i < count; i++)
            general_compare(s, &want[i], "in a batch", got + i * want[0].capacity, found[i]);
    image_done(&twin);
    for (size_t i = 0; i < count; i++)
        xncc_template_destroy(kept[i]);
}

static void check_kernel(const general_subject *like, const char *kernel)
{
    static general_request r;
    general_subject s;
    xncc_plan *plan = NULL;
    if (!general_make(&s, like->run, &like->c))
        return;
    r.options.kernel = kernel;
    if (check_ok(xncc_plan_create(
                     s.run->context[0], &s.problem,
                     &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = kernel }, &plan,
                     &kit_error),
                 s.name)) {
        static const int change[] = { 0, GENERAL_OTHER_IMAGE, GENERAL_OTHER_TEMPL,
                                      GENERAL_UNMASKED_IMAGE,
                                      GENERAL_OTHER_IMAGE | GENERAL_OTHER_TEMPL };
        for (size_t i = 0; i < sizeof change / sizeof *change; i++)
            if (general_change(&s, change[i]))
                check_plan(&s, plan, &r);
        check_batch(&s, kernel);
    }
    xncc_plan_destroy(plan);
    general_free(&s);
}

/* plans: also whether plans find the same. */
static void check_case(check_run *run, const general_case *c, int plans)
{
    static xncc_match got[GENERAL_MATCHES];
    static general_request r;
    general_subject s;
    const char *kernel[CHECK_KERNELS];
    size_t kernels = general_make(&s, run, c) ? check_kernels(run, &s.problem, kernel) : 0;
    if (kernels) {
        kit_map want = general_expected(&s, kernel[0]);
        for (size_t k = 0; k < kernels; k++) {
            device_image twin;
            size_t found = 12345;
            const uint64_t slot = run->turn % CHECK_THREAD_COUNTS;
            general_request_draw(&s, kernel[k], &want.view, &r);
            general_request_answer(&s, &want.view, &r);
            xncc_status status = kit_find(run->context[slot], image_for(&s, &twin),
                                          s.prepared[slot], &r.options, got, r.capacity, &found);
            if (check_ok(status, s.name))
                general_compare(&s, &r, "in one call", got, found);
            image_done(&twin);
            check_count(run, kernel[k]);
        }
        kit_map_destroy(&want);
        if (plans)
            check_kernel(&s, kernel[run->turn % kernels]); /* the kernels take turns */
    }
    general_free(&s);
}

/* A map that engines search in bands. What is expected of floats takes the reference five seconds,
 * and plans need it eight times more: only in a full run. */
static void check_bands(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size = { 1301, 907, 5, 4 };
    general_case c = general_some_case(pixel, 39000, &size, 1);
    c.channels = 1;
    c.image_fill = KIT_NOISE;
    c.templ_fill = KIT_NOISE;
    c.masks = GENERAL_BOTH;
    c.options = (kit_options){ .mode = XNCC_FULL,
                               .border = pixel == XNCC_U8 ? XNCC_BORDER_OVERLAP : XNCC_BORDER_WRAP,
                               .min_valid = 0.3 };
    check_case(run, &c, pixel == XNCC_U8 || run->full);
}

void general_check_find(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size[] = { { 37, 29, 5, 7 },  { 24, 33, 8, 8 },  { 9, 7, 4, 3 },
                                          { 41, 13, 11, 6 }, { 6, 5, 7, 8 },    { 30, 26, 17, 3 },
                                          { 14, 131, 5, 7 }, { 11, 173, 4, 12 } };
    const uint64_t count = sizeof size / sizeof *size;
    const int on_gpu = run->device == XNCC_DEVICE_CUDA;
    for (uint64_t i = 0; i < (run->full             ? GENERAL_COMBINATIONS
                              : check_is_brief(run) ? 2u
                              : on_gpu              ? 35u
                              : kit_short()         ? 19u
                                                    : 77u);
         i++) {
        uint64_t at = i + (uint64_t)pixel;
        general_case c;
        do {
            c = general_some_case(pixel, 30000 + i, &size[at++ % count], 3);
            general_combine(&c, i * 37 + (uint64_t)pixel * 11);
        } while (general_is_illegal(&c));
        c.options.flat = XNCC_FLAT_ZERO; /* xncc_find has no such option */
        check_case(run, &c, 1);
    }
    if ((pixel == XNCC_U8 || (pixel == XNCC_F32 && !kit_short())) && !check_is_brief(run))
        check_bands(run, pixel);
}

void general_check_find_widths(check_run *run, xncc_pixel pixel)
{
    static const struct {
        general_masks masks;
        int32_t channels, width;
        xncc_method method;
    } some[] = {
        { GENERAL_TEMPL, 1, 9, XNCC_CCOEFF_NORMED },  { GENERAL_TEMPL, 1, 17, XNCC_CCOEFF_NORMED },
        { GENERAL_TEMPL, 1, 34, XNCC_CCOEFF_NORMED }, { GENERAL_TEMPL, 1, 34, XNCC_CCORR_NORMED },
        { GENERAL_IMAGE, 1, 34, XNCC_CCOEFF_NORMED }, { GENERAL_IMAGE, 1, 34, XNCC_SQDIFF },
        { GENERAL_NONE, 3, 17, XNCC_CCOEFF_NORMED },  { GENERAL_NONE, 3, 33, XNCC_CCOEFF_NORMED },
        { GENERAL_NONE, 2, 34, XNCC_CCOEFF_NORMED },  { GENERAL_NONE, 4, 20, XNCC_CCOEFF_NORMED },
    };
    for (uint64_t i = 0; i < sizeof some / sizeof *some; i++) {
        const general_sizes size = { some[i].width + 40, 31, some[i].width, 6 };
        general_case c = general_some_case(pixel, 63500 + i, &size, 1);
        c.channels = some[i].channels;
        c.masks = some[i].masks;
        c.image_fill = KIT_NOISE;
        c.templ_fill = GENERAL_CROP;
        c.options = (kit_options){ .method = some[i].method,
                                   .mode = XNCC_VALID,
                                   .min_valid = 0.25 };
        check_case(run, &c, 0);
    }
}
