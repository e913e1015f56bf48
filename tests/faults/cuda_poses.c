/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for poses, under which calls of CUDA fail, and what the engine keeps for them. */
#include "cuda_world.h"

#include "pretend/pretend.h"

#include "api/batch_object.h"
#include "cuda/engine/cuda_engine.h"

static xncc_status find_poses_in(const xncc_image *image, xncc_pose_search search)
{
    static xncc_pose_match match[TOP];
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    size_t found = 77;
    o.search = search;
    o.angles = (xncc_pose_range){ -8.0, 8.0, 4.0 };
    const xncc_status status = xncc_find_poses(context, image,
                                               (const xncc_template *const *)w.templ, 2, &o, match,
                                               TOP, &found, &kit_error);
    CHECK(status == XNCC_OK ? found <= TOP : found == 0);
    return status;
}

static xncc_status find_poses(void)
{
    return find_poses_in(&w.image.view, XNCC_POSES_EXHAUSTIVE);
}

static xncc_status find_poses_there(void)
{
    return find_poses_in(&w.there, XNCC_POSES_EXHAUSTIVE);
}

/* From coarse to fine. */
static xncc_status climb_there(void)
{
    return find_poses_in(&w.there, XNCC_POSES_AUTO);
}

/* What the engine keeps for the next search. */
static void forget(void)
{
    xncc_cuda_engine_trim(context->engine[xncc_slot(XNCC_DEVICE_CUDA)]);
}

/* A plan that finds no memory gets that which is kept for searches. */
static void give_up_kept(void)
{
    CHECK_STATUS(find_poses(), XNCC_OK);
    const long kept = pretend_count().memory;
    CHECK_STATUS(calls_with_failing(create_plan, "cudaMalloc"), XNCC_OK);
    CHECK(pretend_count().memory < kept);
    CHECK_STATUS(calls_with_failing(create_plan, "cudaMalloc"), XNCC_ERROR_MEMORY);
}

/* Work on the default stream may still write an image in device memory: a search of it comes after
 * that work, one of an image on the host does not. */
static void follow_caller(void)
{
    (void)pretend_followed();
    CHECK_STATUS(find_poses(), XNCC_OK);
    CHECK(pretend_followed() == 0);
    CHECK_STATUS(find_poses_there(), XNCC_OK);
    CHECK(pretend_followed() > 0);
}

enum { PORTION = 3 };

/* A batch for one search, with templates that are made for it. */
typedef struct portion {
    xncc_template *templ[PORTION];
    xncc_batch *batch;
} portion;

static void open_portion(portion *p, size_t count)
{
    xncc_problem problem = w.problem;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch_options o = XNCC_BATCH_OPTIONS_INIT;
    problem.templ_width = problem.templ_height = problem.templ_masked = 0;
    o.capacity = TOP;
    *p = (portion){ .batch = NULL };
    for (size_t i = 0; i < count; i++)
        CHECK_STATUS(xncc_template_make(context, &w.pixels.view, &p->templ[i], &kit_error),
                     XNCC_OK);
    const xncc_batch_once of = { .problem = &problem,
                                 .preference = &preference,
                                 .templ = p->templ,
                                 .count = count,
                                 .options = &o };
    CHECK_STATUS(xncc_batch_create_once(context, &of, &p->batch, &kit_error), XNCC_OK);
}

static void close_portion(const portion *p)
{
    xncc_batch_destroy(p->batch);
    for (size_t i = 0; i < PORTION; i++)
        xncc_template_destroy(p->templ[i]);
}

/* A set that has had small portions only has room for a large one, once it has grown. */
static void grow_alike(void)
{
    portion small, large;
    forget();
    open_portion(&small, 1);
    open_portion(&large, PORTION); /* in another set */
    close_portion(&small);
    close_portion(&large);
    open_portion(&small, 2); /* in the set of the small one */
    close_portion(&small);
    pretend_forget();
    const size_t before = pretend_peak(FAULTS_DEVICE);
    open_portion(&large, PORTION);
    CHECK(pretend_peak(FAULTS_DEVICE) == before);
    close_portion(&large);
    forget();
}

/* A search like the one before takes no memory of the device, not even for an image of the host. */
static void take_nothing(void)
{
    CHECK_STATUS(find_poses(), XNCC_OK);
    pretend_forget();
    const size_t before = pretend_peak(FAULTS_DEVICE);
    CHECK_STATUS(find_poses(), XNCC_OK);
    CHECK(pretend_peak(FAULTS_DEVICE) == before);
    forget();
}

static const scene of_poses[] = {
    { "poses", fill_constants, find_poses, forget, 1 },
    { "poses in device memory", fill_constants, find_poses_there, forget, 1 },
    { "poses from coarse to fine", fill_constants, climb_there, forget, 1 },
};

void exhaust_poses(const char *part)
{
    EXHAUST_ALL(part, of_poses);
    give_up_kept();
    follow_caller();
    grow_alike();
    take_nothing();
}
