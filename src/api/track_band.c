/* SPDX-License-Identifier: BSD-2-Clause */
/* A band of a pass of tracking (track_band.h), on the threads of the CPU or on a device. */
#include "api/track_band.h"

#include "base/int_math.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "image/image.h"
#include "plan/decide.h"
#include "track/measure.h"

#include <math.h>
#include <string.h>

/* Without its mask and no-data value; for rectangles of which all pixels count. */
static void unmask(xncc_image *image)
{
    image->mask = NULL;
    image->has_no_data = 0;
}

/* Describes the chip of a point in a pair of images. */
static void get_chip(void *argument, size_t item, size_t part, xncc_chip *chip)
{
    const xncc_track_band *b = argument;
    const xncc_track_options *o = &b->call->options;
    const xncc_image *from = xncc_track_view(b, part, 0), *scene = xncc_track_view(b, part, 1);
    xncc_chip_place at;
    xncc_track_find_chip(argument, item, &at);
    *chip = (xncc_chip){
        .scene = scene, .x = at.x, .y = at.y, .width = at.width, .height = at.height
    };
    if (chip->width == 0)
        return;
    const int64_t pixels = (int64_t)o->chip_width * o->chip_height;
    xncc_image view = xncc_image_part(from, at.left, at.top, o->chip_width, o->chip_height);
    if (xncc_image_is_masked(from)) {
        const int64_t n = xncc_track_count(from, at.left, at.top, NULL, 0, 0, o->chip_width,
                                           o->chip_height);
        if ((double)n < o->min_valid * (double)pixels)
            return;
        if (n < pixels)
            chip->kind |= XNCC_CHIP_MASKED;
        else
            unmask(&view);
    }
    if (xncc_image_is_masked(scene)) {
        const int32_t w = chip->width - 1 + o->chip_width, h = chip->height - 1 + o->chip_height;
        if (xncc_track_count(scene, at.x, at.y, NULL, 0, 0, w, h) < (int64_t)w * h)
            chip->kind |= XNCC_CHIP_SCENE_MASKED;
        else
            chip->scene = &b->plain[scene - b->view];
    }
    chip->pixels = view;
}

/* Adds the map of a pair to the sums of the item; after the last pair, makes the means of them. */
static void add_pair(const xncc_track_band *b, size_t part, const xncc_chip *chip, const float *map,
                     ptrdiff_t pitch, int32_t slot, xncc_scored *scored)
{
    const xncc_extent e = xncc_problem_extent(&b->run.problem[0]);
    const size_t room = (size_t)e.width * (size_t)e.height, at = (size_t)slot * room;
    double *sum = b->sum + at;
    int32_t *number = b->number + at;
    if (part == 0) {
        memset(sum, 0, room * sizeof *sum);
        memset(number, 0, room * sizeof *number);
    }
    for (int32_t y = 0; y < chip->height && map; y++)
        for (int32_t x = 0; x < chip->width; x++) {
            const float s = map[y * pitch + x];
            if (isnan(s))
                continue;
            sum[y * chip->width + x] += (double)s;
            number[y * chip->width + x]++;
        }
    float *mean = b->mean + at;
    for (size_t i = 0; i < (size_t)chip->width * (size_t)chip->height; i++)
        mean[i] = number[i] ? (float)(sum[i] / (double)number[i]) : NAN;
    scored->score = mean;
    scored->pitch = chip->width;
}

static void put_map(void *argument, size_t item, size_t part, const xncc_chip *chip,
                    const float *map, ptrdiff_t pitch, int32_t slot)
{
    const xncc_track_band *b = argument;
    const xncc_extent e = xncc_problem_extent(&b->run.problem[0]);
    const xncc_chip_place place = {
        .x = chip->x, .y = chip->y, .width = chip->width, .height = chip->height
    };
    xncc_scored scored = {
        map, pitch, chip->width, chip->height, b->row_best + (ptrdiff_t)slot * e.height, b->scan
    };
    float around[XNCC_READING_OVERSAMPLED * XNCC_READING_OVERSAMPLED];
    xncc_reading reading = { .x = -1 };
    if (b->call->source.pairs > 1)
        add_pair(b, part, chip, map, pitch, slot, &scored);
    if (part + 1 < b->call->source.pairs)
        return;
    if (scored.score)
        xncc_scored_read(&scored, xncc_reading_side(b->call->options.fit), around, &reading);
    xncc_track_set(argument, item, &place, &reading);
}

static void set_problem(const xncc_track_call *call, int32_t kind, xncc_problem *problem)
{
    const xncc_track_options *o = &call->options;
    const xncc_problem none = XNCC_PROBLEM_INIT;
    *problem = none;
    problem->pixel = call->source.pixel;
    problem->channels = call->source.channels;
    problem->templ_width = o->chip_width;
    problem->templ_height = o->chip_height;
    problem->image_width = o->chip_width + 2 * o->search_x;
    problem->image_height = o->chip_height + 2 * o->search_y;
    problem->templ_masked = kind & XNCC_CHIP_MASKED ? 1 : 0;
    problem->image_masked = kind & XNCC_CHIP_SCENE_MASKED ? 1 : 0;
    problem->rule.method = o->method;
    problem->rule.flat = XNCC_FLAT_NAN;
    problem->rule.min_valid = o->min_valid;
}

/* The fastest loops for a processor. */
static const xncc_scan *scan_of(uint32_t features)
{
#ifdef XNCC_CPU_X86
    if (features & XNCC_CPU_AVX2_FMA)
        return &xncc_scan_avx2;
#endif
    (void)features;
    return &xncc_scan_portable;
}

/* What a run costs, in seconds: on a device (measured on an H200) at all, per byte that is copied
 * there and per product of pixels; and per product on a thread of a CPU with AVX-512. The results
 * are the same, so these need not be exact. */
static const double CALL = 3e-4, BYTE = 1e-10, DEVICE_PRODUCT = 4e-14, CPU_PRODUCT = 5e-12;

static double bytes_of(const xncc_track_source *s)
{
    return ((double)s->width1 * s->height1 + (double)s->width2 * s->height2) *
           (double)xncc_pixel_size(s->pixel);
}

/* The engine on which a pass of `count` points runs where all pixels count; NULL: the CPU's alone.
 * threads: of the CPU. */
static xncc_engine *device_of(const xncc_track_band *b, size_t count, int32_t threads)
{
    const xncc_track_call *call = b->call;
    const xncc_track_options *o = &call->options;
    xncc_engine *device = call->device;
    if (!device || !device->ops->read_chips || o->kernel || b->warps || call->source.pairs > 1 ||
        !device->ops->can_read_chips(device, &b->run.problem[0]))
        return NULL;
    if (!call->context->engine[xncc_slot(XNCC_DEVICE_CPU)] || call->on_device)
        return device;
    const double windows = (2.0 * o->search_x + 1) * (2.0 * o->search_y + 1),
                 products = (double)count * windows * o->chip_width * o->chip_height;
    return CALL + bytes_of(&call->source) * BYTE + products * DEVICE_PRODUCT <
                   products * CPU_PRODUCT / (threads > 1 ? threads : 1)
               ? device
               : NULL;
}

xncc_status xncc_track_band_make(xncc_track_band *b, const xncc_track_call *call,
                                 const xncc_track_warps *warps, size_t count,
                                 xncc_displacement *found, xncc_error *error)
{
    const xncc_machine machine = xncc_context_cpu(call->context);
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_status status = XNCC_OK;
    *b = (xncc_track_band){
        .call = call, .found = found, .warps = warps, .scan = scan_of(machine.cpu.features)
    };
    b->run.watch = &call->watch;
    b->run.parts = call->source.pairs;
    b->run.get = get_chip;
    b->run.put = put_map;
    preference.device = XNCC_DEVICE_CPU;
    preference.kernel = call->options.kernel;
    for (int32_t kind = 0; kind < XNCC_CHIP_KINDS && !status; kind++) {
        set_problem(call, kind, &b->run.problem[kind]);
        status = xncc_decide(&b->run.problem[kind], &machine, &preference, &b->run.decision[kind],
                             error);
    }
    if (status)
        return status;
    b->device = device_of(b, count, machine.cpu.threads);
    const xncc_extent e = xncc_problem_extent(&b->run.problem[0]);
    const uint64_t windows = (uint64_t)e.width * (uint64_t)e.height,
                   threads = (uint64_t)(machine.cpu.threads > 1 ? machine.cpu.threads : 1),
                   room = windows * threads;
    b->row_best = xncc_alloc((uint64_t)e.height * threads, sizeof *b->row_best);
    b->view = xncc_alloc(call->source.pairs, 2 * sizeof *b->view);
    b->plain = xncc_alloc(call->source.pairs, 2 * sizeof *b->plain);
    b->fetched = xncc_alloc(call->source.pairs, 2 * sizeof *b->fetched);
    if (call->source.pairs > 1) {
        b->sum = xncc_alloc(room, sizeof *b->sum);
        b->number = xncc_alloc(room, sizeof *b->number);
        b->mean = xncc_alloc(room, sizeof *b->mean);
    }
    if (!b->row_best || !b->view || !b->plain || !b->fetched ||
        (call->source.pairs > 1 && (!b->sum || !b->number || !b->mean)))
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for the scores of %llu pairs",
                         (unsigned long long)call->source.pairs);
    return XNCC_OK;
}

/* Asks for the rows of an image, and checks what was given. */
static xncc_status read_rows(const xncc_track_band *b, size_t pair, int which, xncc_image *view,
                             xncc_error *error)
{
    const xncc_track_source *s = &b->call->source;
    const int32_t y = (int32_t)b->rows.first[which],
                  height = (int32_t)(b->rows.end[which] - b->rows.first[which]),
                  width = which ? s->width2 : s->width1;
    xncc_float_env_leave(b->call->host);
    xncc_status status = s->read(s->argument, pair, which + 1, y, height, view, error);
    *b->call->host = xncc_float_env_enter();
    if (!status)
        status = xncc_image_check(view, which ? "image 2" : "image 1", error);
    if (status)
        return status;
    if ((view->memory != XNCC_HOST && !b->call->device) || view->width != width ||
        view->height != height || view->pixel != s->pixel ||
        xncc_image_channels(view) != s->channels)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: rows %d .. %d of image %d are %d x %d pixels of %s with %d "
                         "channel%s; %d x %d of %s with %d in host memory are needed",
                         y, y + height - 1, which + 1, view->width, view->height,
                         xncc_pixel_name(view->pixel), xncc_image_channels(view),
                         xncc_plural(xncc_image_channels(view)), width, height,
                         xncc_pixel_name(s->pixel), s->channels);
    return XNCC_OK;
}

/* Replaces the view of image 2 by that of the deformed image. */
static xncc_status deform(xncc_track_band *b, size_t pair, xncc_error *error)
{
    const int32_t y = (int32_t)b->rows.first[XNCC_DEFORMED],
                  rows = (int32_t)(b->rows.end[XNCC_DEFORMED] - b->rows.first[XNCC_DEFORMED]);
    xncc_image *view = &b->view[2 * pair + 1];
    const uint64_t bytes = xncc_round_up(xncc_track_warps_bytes(b->warps, view, rows), 64);
    if (pair == 0) {
        xncc_free(b->deformed);
        b->deformed = xncc_alloc(b->call->source.pairs, bytes);
    }
    if (!b->deformed)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "track: no memory for %d deformed rows of %d pixels", rows,
                         b->warps->warp.width);
    const xncc_image from = *view;
    return xncc_track_warps_run(b->warps, &from, (int32_t)b->rows.first[XNCC_IMAGE2], y, rows,
                                b->deformed + pair * bytes, view, error);
}

/* Sets *has: whether the device has memory for the copies of views on the host. */
static xncc_status find_room(const xncc_track_band *b, int *has, xncc_error *error)
{
    xncc_machine machine = { .cpu.absent = 1 };
    xncc_status status = XNCC_OK;
    int64_t bytes = 0;
    for (int i = 0; i < 2; i++)
        if (b->view[i].memory == XNCC_HOST)
            bytes += (xncc_image_row_bytes(&b->view[i]) + 15) * b->view[i].height;
    if (bytes > 0)
        status = b->device->ops->describe(b->device, &machine, error);
    *has = bytes == 0 || bytes <= machine.cuda.workspace;
    return status;
}

/* Sets *is: whether the band, whose views are set, runs on the device. */
static xncc_status is_on_device(const xncc_track_band *b, int *is, xncc_error *error)
{
    *is = b->device && !xncc_image_is_masked(&b->view[0]) && !xncc_image_is_masked(&b->view[1]);
    return *is ? find_room(b, is, error) : XNCC_OK;
}

/* Tracks the points of such a band. */
static xncc_status run_on_device(xncc_track_band *b, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (b->back = 0; b->back <= b->call->options.back && !status; b->back++) {
        const xncc_chip_reads run = { .problem = &b->run.problem[0],
                                      .from = xncc_track_view(b, 0, 0),
                                      .scene = xncc_track_view(b, 0, 1),
                                      .count = b->count,
                                      .side = xncc_reading_side(b->call->options.fit),
                                      .pool = xncc_cpu_engine_pool(b->call->engine),
                                      .watch = &b->call->watch,
                                      .argument = b,
                                      .place = xncc_track_find_chip,
                                      .take = xncc_track_set };
        status = b->device->ops->read_chips(b->device, &run, error);
    }
    return status;
}

/* Tracks the points of a band on the CPU. */
static xncc_status run_on_host(xncc_track_band *b, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < 2 * b->call->source.pairs && !status; i++) {
        const xncc_image from = b->view[i];
        xncc_free(b->fetched[i]);
        status = xncc_context_fetch(b->call->context, &from, "track", &b->view[i], &b->fetched[i],
                                    error);
        if (!status && b->warps && i % 2)
            status = deform(b, i / 2, error);
        b->plain[i] = b->view[i];
        unmask(&b->plain[i]);
    }
    b->run.argument = b;
    b->run.count = b->count;
    for (b->back = 0; b->back <= b->call->options.back && !status; b->back++)
        status = b->call->engine->ops->chips(b->call->engine, &b->run, error);
    return status;
}

xncc_status xncc_track_band_run(xncc_track_band *b, xncc_error *error)
{
    int on_device = 0;
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < 2 * b->call->source.pairs && !status; i++)
        status = read_rows(b, i / 2, (int)(i % 2), &b->view[i], error);
    if (!status)
        status = is_on_device(b, &on_device, error);
    if (status)
        return status;
    return on_device ? run_on_device(b, error) : run_on_host(b, error);
}

void xncc_track_band_clear(xncc_track_band *b)
{
    for (size_t i = 0; i < 2 * b->call->source.pairs && b->fetched; i++)
        xncc_free(b->fetched[i]);
    xncc_free(b->fetched);
    xncc_free(b->row_best);
    xncc_free(b->view);
    xncc_free(b->plain);
    xncc_free(b->sum);
    xncc_free(b->number);
    xncc_free(b->mean);
    xncc_free(b->deformed);
}
