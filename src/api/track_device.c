/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking on a device (track_device.h). */
#include "api/track_device.h"

#include "api/track_search.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "image/image.h"
#include "track/measure.h"

/* What a run costs, in seconds: on a device (measured on an H200) at all, per byte that is copied
 * there and per product of pixels; and per product on a thread of a CPU with AVX-512. The results
 * are the same, so these need not be exact. */
static const double CALL = 3e-4, BYTE = 1e-10, DEVICE_PRODUCT = 4e-14, CPU_PRODUCT = 5e-12;

static double bytes_of(const xncc_track_source *s)
{
    return ((double)s->width1 * s->height1 + (double)s->width2 * s->height2) *
           (double)xncc_pixel_size(s->pixel);
}

xncc_engine *xncc_track_device(const xncc_track_band *b, size_t count, int32_t threads)
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

xncc_status xncc_track_is_on_device(const xncc_track_band *b, int *is, xncc_error *error)
{
    *is = b->device && !xncc_image_is_masked(&b->view[0]) && !xncc_image_is_masked(&b->view[1]);
    return *is ? find_room(b, is, error) : XNCC_OK;
}

xncc_status xncc_track_run_on_device(xncc_track_band *b, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (b->back = 0; b->back <= b->call->options.back && !status; b->back++) {
        const xncc_chip_reads run = { .problem = &b->run.problem[0],
                                      .from = xncc_track_view(b, 0, 0),
                                      .scene = xncc_track_view(b, 0, 1),
                                      .count = b->count,
                                      .side = xncc_reading_side(b->call->options.fit),
                                      .pool = xncc_cpu_engine_pool(b->engine),
                                      .watch = &b->call->watch,
                                      .argument = b,
                                      .place = xncc_track_find_chip,
                                      .take = xncc_track_set };
        status = b->device->ops->read_chips(b->device, &run, error);
    }
    return status;
}

xncc_status xncc_track_fetch(xncc_track_band *b, size_t i, xncc_error *error)
{
    xncc_image *view = &b->view[i];
    xncc_free(b->fetched[i]);
    b->fetched[i] = NULL;
    const xncc_image from = *view;
    return xncc_context_fetch(b->call->context, &from, "track", view, &b->fetched[i], error);
}
