/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches all poses by batches (exactncc/batch.h), a portion of them at a time. Poses of one size
 * are in one portion, so that they share a plan and, where their masks coincide, the window sums.
 */
#include "pose/exhaustive.h"

#include "api/batch_object.h"
#include "base/first_failure.h"
#include "base/memory.h"
#include "image/samples.h"
#include "template/template.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* A portion has at most PORTION poses, and at most PORTION_BYTES bytes of pixels, unless one pose
 * alone has more. */
enum { PORTION = 96, PORTION_BYTES = 64 << 20 };

/* Images of up to SMALL_IMAGE pixels do not keep the threads busy with one pose, so all threads
 * search portions of them side by side. Where a GPU may search, GPU_PORTIONS portions of a larger
 * image go side by side, of at most GPU_PORTION poses: the host makes the templates of one while
 * another is searched. Each has a plan, with its memory. The first has GPU_FIRST poses and the next
 * ones as many more each, so that the GPU begins soon and not all portions end together. */
enum { SMALL_IMAGE = 1 << 18, GPU_PORTIONS = 4, GPU_PORTION = 48, GPU_FIRST = 12 };

typedef struct pose_index {
    int32_t templ, angle, scale, width, height;
    int32_t inverted; /* 1: the template with reversed contrast */
} pose_index;

/* All poses, in portions. */
typedef struct plan_of_portions {
    xncc_pose_job *job;
    const pose_index *pose;
    size_t count, *first; /* portion i begins at pose first[i] */
    size_t portions;
    const xncc_machine *known; /* as in xncc_batch_once */
    int single;                /* 1: no other thread helps, since all have portions of their own */
    xncc_first_failure failure;
    pthread_mutex_t lock; /* of job->hits */
} plan_of_portions;

typedef struct portion {
    plan_of_portions *all;
    const pose_index *pose;
    size_t count;
    xncc_template *templ[PORTION]; /* NULL: no pixel of the pose counts */
} portion;

/* Reverses the contrast of the pixels that count: v becomes the type's largest value less v, or a
 * float -v. Both negate the NCC exactly. */
static void invert(xncc_pixel pixel, xncc_pose_pixels *p, int32_t channels)
{
    const size_t pixels = (size_t)p->width * (size_t)p->height, each = (size_t)channels,
                 bytes = each * xncc_pixel_size(pixel);
    for (size_t i = 0; i < pixels; i++) {
        uint8_t *sample = (uint8_t *)p->pixels + i * bytes;
        if (!p->mask[i])
            continue;
        for (size_t c = 0; c < each && pixel == XNCC_F32; c++)
            ((float *)(void *)sample)[c] = -((float *)(void *)sample)[c];
        for (size_t c = 0; c < each && pixel == XNCC_F64; c++)
            ((double *)(void *)sample)[c] = -((double *)(void *)sample)[c];
        for (size_t b = 0; b < bytes && !xncc_pixel_is_float(pixel); b++)
            sample[b] = (uint8_t)~sample[b];
    }
}

static void make_task(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    portion *p = argument;
    const pose_index *at = &p->pose[index];
    const xncc_pose_job *job = p->all->job;
    const xncc_pose_subject *subject = &job->subject[at->templ];
    const xncc_pose_place place = xncc_pose_place_of(
        &subject->source, xncc_pose_value(&subject->grid.angle, at->angle),
        xncc_pose_value(&subject->grid.scale, at->scale));
    xncc_pose_pixels pixels = { 0 };
    xncc_error error = { "" };
    xncc_status status = xncc_check_cancelled(&job->watch, &error);
    if (!status)
        status = xncc_pose_resample(&subject->source, &place, &pixels, &error);
    if (!status && at->inverted)
        invert(subject->source.pixel, &pixels, subject->source.channels);
    if (!status && pixels.count > 0)
        status = xncc_pose_template_make(job->context, &subject->source, &pixels, &p->templ[index],
                                         &error);
    xncc_pose_pixels_clear(&pixels);
    xncc_first_failure_note(&p->all->failure, status, &error);
}

/* Adds the matches of a batch's template i. */
static xncc_status add_hits(xncc_pose_job *job, const xncc_batch *batch, size_t i,
                            const pose_index *at, xncc_error *error)
{
    const xncc_match *match = batch->match + i * batch->per_template;
    xncc_status status = XNCC_OK;
    for (size_t k = 0; k < batch->found[i] && !status; k++) {
        const float score = match[k].score;
        if (score < job->subject[at->templ].min_score)
            continue;
        const xncc_pose_hit hit = { at->inverted ? -score : score,
                                    at->templ,
                                    { at->angle, at->scale, match[k].x, match[k].y, at->width,
                                      at->height } };
        status = xncc_pose_hits_add(&job->hits, &hit, error);
    }
    return status;
}

/* Searches with a batch that is made. number: of each of its templates within the portion. */
static xncc_status search_batch(const portion *p, xncc_batch *batch, const size_t *number,
                                xncc_error *error)
{
    xncc_pose_job *job = p->all->job;
    xncc_watch_join(&batch->watch, &job->watch);
    xncc_status status = xncc_batch_find_once(batch, job->image, error);
    pthread_mutex_lock(&p->all->lock);
    for (size_t i = 0; i < batch->count && !status; i++)
        status = add_hits(job, batch, i, &p->pose[number[batch->number[i]]], error);
    pthread_mutex_unlock(&p->all->lock);
    return status;
}

/* The smallest limit of all templates. */
static float least_score(const xncc_pose_job *job)
{
    float least = job->subject[0].min_score;
    for (size_t i = 1; i < job->count; i++)
        least = fminf(least, job->subject[i].min_score);
    return least;
}

/* Lists the templates of a portion, those with one mask one after the other, and the number of each
 * within the portion. Returns how many there are. */
static size_t arrange(const portion *p, xncc_template **templ, size_t *number)
{
    char listed[PORTION] = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const int first = !listed[i] && p->templ[i];
        for (size_t k = i; k < p->count && first; k++) {
            if (k > i &&
                (listed[k] || !p->templ[k] || !xncc_template_has_mask_of(p->templ[i], p->templ[k])))
                continue;
            listed[k] = 1;
            number[count] = k;
            templ[count++] = p->templ[k];
        }
    }
    return count;
}

static xncc_status search_portion(const portion *p, xncc_error *error)
{
    const xncc_pose_job *job = p->all->job;
    xncc_template *templ[PORTION];
    size_t number[PORTION];
    const size_t count = arrange(p, templ, number);
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    if (count == 0)
        return XNCC_OK;
    problem.rule.min_valid = job->options->min_valid;
    preference.kernel = job->options->kernel;
    preference.image_memory = preference.map_memory = job->image->memory;
    options.peaks.min_score = least_score(job);
    options.peaks.top = job->peaks;
    options.peaks.min_distance = job->apart;
    options.capacity = count * job->peaks;
    xncc_batch *batch = NULL;
    xncc_status status = xncc_problem_set(&problem, job->image, NULL, error);
    if (!status)
        status = xncc_batch_create_once(job->context,
                                        &(xncc_batch_once){ &problem, &preference, p->all->known,
                                                            p->all->single, templ, count,
                                                            &options },
                                        &batch, error);
    if (!status)
        status = search_batch(p, batch, number, error);
    xncc_batch_destroy(batch);
    return status;
}

/* Lists the poses that fit into the image. pose: NULL only counts. */
static size_t list_poses(const xncc_pose_job *job, pose_index *pose)
{
    size_t count = 0;
    for (size_t t = 0; t < job->count; t++) {
        const xncc_pose_subject *s = &job->subject[t];
        for (int32_t j = 0; j < s->grid.scale.count; j++)
            for (int32_t i = 0; i < s->grid.angle.count; i++) {
                const xncc_pose_place p = xncc_pose_place_of(&s->source,
                                                             xncc_pose_value(&s->grid.angle, i),
                                                             xncc_pose_value(&s->grid.scale, j));
                if (p.width > job->image->width || p.height > job->image->height)
                    continue;
                for (int32_t k = 0; k <= job->options->any_polarity; k++, count++)
                    if (pose)
                        pose[count] = (pose_index){ (int32_t)t, i, j, p.width, p.height, k };
            }
    }
    return count;
}

static int by_size(const void *left, const void *right)
{
    const pose_index *a = left, *b = right;
    const int32_t difference[] = { a->width - b->width, a->height - b->height,
                                   a->templ - b->templ, a->scale - b->scale,
                                   a->angle - b->angle, a->inverted - b->inverted };
    for (size_t i = 0; i < sizeof difference / sizeof difference[0]; i++)
        if (difference[i])
            return difference[i];
    return 0;
}

static void portion_task(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    plan_of_portions *all = argument;
    if (xncc_first_failure_status(&all->failure))
        return;
    const size_t first = all->first[index],
                 end = index + 1 < all->portions ? all->first[index + 1] : all->count;
    portion p = { .all = all, .pose = all->pose + first, .count = end - first };
    xncc_pool *pool = all->job->pool;
    xncc_error error = { "" };
    xncc_pool_run_on(pool, all->single ? 1 : xncc_pool_threads(pool), p.count, make_task, &p);
    if (!xncc_first_failure_status(&all->failure))
        xncc_first_failure_note(&all->failure, search_portion(&p, &error), &error);
    for (size_t i = 0; i < p.count; i++)
        xncc_template_destroy(p.templ[i]);
}

/* Divides the poses into portions of at most `most`; each of the first ones has at most `more`
 * poses more than the one before. */
static void divide(plan_of_portions *all, size_t most, size_t more)
{
    const xncc_pose_job *job = all->job;
    const pose_index *pose = all->pose;
    const size_t count = all->count;
    size_t room = 0;
    for (size_t at = 0, end; at < count; at = end) {
        uint64_t bytes = 0;
        room = most - room < more ? most : room + more;
        for (end = at; end < count && end - at < room; end++) {
            bytes += (uint64_t)pose[end].width * (uint64_t)pose[end].height *
                     (xncc_pixel_size(job->image->pixel) *
                          (uint64_t)job->subject[pose[end].templ].source.channels +
                      1);
            if (bytes > PORTION_BYTES && end > at)
                break;
        }
        all->first[all->portions++] = at;
    }
}

/* Does the context search on a GPU, if that is faster? */
static int may_use_gpu(const xncc_pose_job *job)
{
    return job->context->engine[xncc_slot(XNCC_DEVICE_CUDA)] != NULL;
}

/* What the windows of a small image take, in nanoseconds: on a GPU, which takes long to begin, and
 * by one thread of many that search side by side. Measured on one H200 with 16 threads, coarsest
 * levels of 36 and 44 poses (November 2026): 133,000 windows took 2.3 ms on the GPU and 0.5 by the
 * threads, 1.2 million 2.2 and 1.8, 1.7 million 2.9 and 2.3, 6.9 million 3.9 and 8.4. */
#define GPU_BEGINS 2.1e6
#define GPU_WINDOW 0.3
#define THREAD_WINDOW 20.0

int xncc_pose_gpu_is_faster(double windows, int32_t threads)
{
    return GPU_BEGINS + windows * GPU_WINDOW < windows * THREAD_WINDOW / threads;
}

/* Does a GPU search so many poses in a small image? A kernel that is asked for is on one side. */
static int gpu_pays(const xncc_pose_job *job, size_t count)
{
    const double windows = (double)count * job->image->width * job->image->height;
    return may_use_gpu(job) && !job->options->kernel &&
           xncc_pose_gpu_is_faster(windows, xncc_pool_threads(job->pool));
}

static xncc_status run_portions(xncc_pose_job *job, const pose_index *pose, size_t count,
                                xncc_error *error)
{
    const int fits = (int64_t)job->image->width * job->image->height <= SMALL_IMAGE;
    const int32_t threads = xncc_pool_threads(job->pool);
    const int gpu = fits ? gpu_pays(job, count) : may_use_gpu(job), small = fits && !gpu;
    int32_t beside = small ? threads : gpu ? GPU_PORTIONS : 1;
    if (beside > threads)
        beside = threads;
    const size_t share = count / (2 * (size_t)threads) + 1;
    const size_t most = gpu                                       ? GPU_PORTION
                        : small && threads > 1 && share < PORTION ? share
                                                                  : PORTION;
    plan_of_portions all = {
        .job = job, .pose = pose, .count = count, .single = small, .failure = { .error = error }
    };
    const size_t more = gpu ? GPU_FIRST : most;
    xncc_machine machine;
    if (fits) { /* so many portions, and so short ones, do not ask for it each */
        const xncc_status status = xncc_context_machine(job->context, &machine, error);
        if (status)
            return status;
        if (job->helped)
            machine.cpu = xncc_context_cpu(job->context).cpu;
        if (gpu)
            machine.cpu.threads = 1; /* it serves what the GPU cannot */
        all.known = &machine;
    }
    all.first = xncc_alloc_unset(count, sizeof *all.first);
    if (!all.first)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu poses", count);
    divide(&all, most, more);
    pthread_mutex_init(&all.lock, NULL);
    xncc_pool_run_on(job->pool, beside, all.portions, portion_task, &all);
    pthread_mutex_destroy(&all.lock);
    xncc_free(all.first);
    return xncc_first_failure_status(&all.failure);
}

xncc_status xncc_pose_exhaustive(xncc_pose_job *job, xncc_error *error)
{
    const size_t count = list_poses(job, NULL);
    if (count == 0)
        return XNCC_OK;
    pose_index *pose = xncc_alloc(count, sizeof *pose);
    if (!pose)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu poses", count);
    (void)list_poses(job, pose);
    qsort(pose, count, sizeof *pose, by_size);
    const xncc_status status = run_portions(job, pose, count, error);
    xncc_free(pose);
    return status;
}
