/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared poses (store.h). */
#include "pose/store.h"

#include "base/memory.h"
#include "pose/turn.h"

/* Beyond so many bytes, poses are made for one candidate alone. */
enum { MOST_BYTES = 128 << 20 };

/* Quads take four times the memory of the source; those of so many pixels stay in a cache. */
enum { MOST_QUADS = 1 << 16 };

static size_t slots(const xncc_pose_store *s)
{
    return (size_t)s->grid.angle.count * (size_t)s->grid.scale.count * (size_t)s->parities;
}

/* Sets source.quads of a small source without a mask. */
static xncc_status make_quads(xncc_pose_store *s, xncc_error *error)
{
    const int32_t width = s->source.width, height = s->source.height;
    const size_t size = (size_t)width * (size_t)height;
    if (s->source.mask || size > MOST_QUADS)
        return XNCC_OK;
    uint32_t *quads = xncc_alloc(size, sizeof *quads);
    s->source.quads = quads;
    if (!quads)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d x %d pixels", width,
                         height);
    for (int32_t y = 0; y < height; y++) {
        const uint8_t *row = (const uint8_t *)s->source.pixels + (size_t)y * (size_t)width,
                      *below = row + (y + 1 < height ? width : 0);
        uint32_t *quad = quads + (size_t)y * (size_t)width;
        for (int32_t x = 0; x < width; x++) {
            const int32_t right = x + 1 < width ? x + 1 : x;
            quad[x] = row[x] | (uint32_t)row[right] << 8 | (uint32_t)below[x] << 16 |
                      (uint32_t)below[right] << 24;
        }
    }
    return XNCC_OK;
}

xncc_status xncc_pose_store_open(xncc_pose_store *store, xncc_error *error)
{
    store->slot = xncc_alloc(slots(store), sizeof *store->slot);
    if (!store->slot)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu poses", slots(store));
    return make_quads(store, error);
}

static void free_pose(xncc_stored_pose *pose)
{
    if (pose)
        xncc_pose_probe_clear(&pose->probe);
    xncc_free(pose);
}

void xncc_pose_store_clear(xncc_pose_store *store)
{
    for (size_t i = 0; store->slot && i < slots(store); i++)
        free_pose(atomic_load(&store->slot[i]));
    xncc_free(store->slot);
    xncc_free((uint32_t *)(uintptr_t)store->source.quads);
    store->slot = NULL;
    store->source.quads = NULL;
}

void xncc_pose_store_offset(const xncc_pose_store *store, int32_t angle, int32_t scale, double *x,
                            double *y)
{
    *x = *y = 0.0;
    if (store->offset_x == 0.0 && store->offset_y == 0.0)
        return;
    const xncc_turn turn = xncc_turn_of(xncc_pose_value(&store->grid.angle, angle));
    const double s = xncc_pose_value(&store->grid.scale, scale) * 0x1p-30;
    *x = s * ((double)turn.cos * store->offset_x + (double)turn.sin * store->offset_y);
    *y = s * ((double)turn.cos * store->offset_y - (double)turn.sin * store->offset_x);
}

static xncc_status make(const xncc_pose_store *s, int32_t angle, int32_t scale, int32_t wider,
                        int32_t higher, xncc_stored_pose *made, xncc_error *error)
{
    xncc_pose_place place = xncc_pose_place_of(&s->source, xncc_pose_value(&s->grid.angle, angle),
                                               xncc_pose_value(&s->grid.scale, scale));
    place.width += wider;
    place.height += higher;
    xncc_pose_store_offset(s, angle, scale, &made->offset_x, &made->offset_y);
    return xncc_pose_probe_of(&s->source, &place, &made->probe, error);
}

/* Puts a pose into its slot, if there is room and no other thread was faster. Returns the pose of
 * the slot, or *made if it stays the caller's. */
static const xncc_stored_pose *keep(xncc_pose_store *s, _Atomic(xncc_stored_pose *) *slot,
                                    xncc_stored_pose *made)
{
    const uint64_t bytes = xncc_pose_probe_bytes(&made->probe);
    xncc_stored_pose *there = NULL;
    if (atomic_fetch_add(&s->bytes, bytes) + bytes > MOST_BYTES) {
        atomic_fetch_sub(&s->bytes, bytes);
        return made;
    }
    made->shared = 1;
    if (atomic_compare_exchange_strong(slot, &there, made))
        return made;
    atomic_fetch_sub(&s->bytes, bytes);
    free_pose(made);
    return there;
}

xncc_status xncc_pose_store_take(xncc_pose_store *store, int32_t angle, int32_t scale,
                                 int32_t wider, int32_t higher, const xncc_stored_pose **pose,
                                 xncc_error *error)
{
    const size_t at = (size_t)scale * (size_t)store->grid.angle.count + (size_t)angle;
    _Atomic(xncc_stored_pose *) *slot =
        &store->slot[at * (size_t)store->parities + (size_t)(2 * higher + wider)];
    *pose = atomic_load_explicit(slot, memory_order_acquire);
    if (*pose)
        return XNCC_OK;
    xncc_stored_pose *made = xncc_alloc(1, sizeof *made);
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for a pose");
    const xncc_status status = make(store, angle, scale, wider, higher, made, error);
    if (status) {
        free_pose(made);
        return status;
    }
    *pose = keep(store, slot, made);
    return XNCC_OK;
}

void xncc_pose_store_give(const xncc_stored_pose *pose)
{
    if (pose && !pose->shared)
        free_pose((xncc_stored_pose *)(uintptr_t)pose);
}
