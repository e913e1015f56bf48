/* SPDX-License-Identifier: BSD-2-Clause */
/* xncc_find_poses: checks, the choice of the search, and the list of matches. */
#include "api/objects.h"
#include "base/float_env.h"
#include "base/memory.h"
#include "base/options.h"
#include "cpu/cpu.h"
#include "image/image.h"
#include "pose/exhaustive.h"
#include "pose/pyramid.h"
#include "pose/refine.h"
#include "exactncc/chance.h"

#include <math.h>
#include <string.h>

static xncc_status check_options(const xncc_pose_options *o, xncc_error *error)
{
    if ((unsigned)o->search > XNCC_POSES_PYRAMID || (unsigned)o->support > XNCC_SUPPORT_DISC)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: search %d or support %d is unknown; take one of "
                         "xncc_pose_search and of xncc_support",
                         (int)o->search, (int)o->support);
    if ((unsigned)o->any_polarity > 1 || (unsigned)o->refine > 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: any_polarity is %d and refine is %d; both must be 0 or 1",
                         o->any_polarity, o->refine);
    if (o->min_score != (float)XNCC_AUTO && !(o->min_score >= 0.0f && o->min_score <= 1.0f))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: min_score %g is not within 0 .. 1, and not XNCC_AUTO",
                         (double)o->min_score);
    if (!(o->overlap >= 0.0 && o->overlap <= 1.0) || !(o->min_valid >= 0.0 && o->min_valid <= 1.0))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: overlap %g or min_valid %g is not within 0 .. 1", o->overlap,
                         o->min_valid);
    return xncc_pose_ranges_check(o, error);
}

/* The limit for XNCC_AUTO: above what chance reaches over all windows of all poses. Chance alone
 * would ask for too much of smooth templates, and for too little of rough ones, which other objects
 * resemble. */
static float chance_limit(const xncc_pose_job *job, const xncc_pose_subject *subject,
                          const xncc_template *templ)
{
    const double windows = (double)job->image->width * job->image->height *
                           subject->grid.angle.count * subject->grid.scale.count *
                           (1 + job->options->any_polarity);
    const double limit = xncc_chance_limit(xncc_template_independent(templ), windows);
    return (float)fmin(fmax(limit, XNCC_POSE_LEAST_LIMIT), XNCC_POSE_MOST_LIMIT);
}

/* How far the windows of a fit reach. */
enum { INSET = 2 };

/* Is a pixel INSET pixels away from all that do not count? */
static int is_inner(const xncc_pose_source *s, int32_t x, int32_t y)
{
    if (x < INSET || y < INSET || x >= s->width - INSET || y >= s->height - INSET)
        return 0;
    for (int32_t j = y - INSET; j <= y + INSET; j++)
        for (int32_t i = x - INSET; i <= x + INSET; i++)
            if (!s->mask[(size_t)j * (size_t)s->width + (size_t)i])
                return 0;
    return 1;
}

/* Sets subject->inner to the pixels within the edges, which a template without a mask is reduced to
 * (a mask would take as much time as the pixels). */
static xncc_status crop_inner(xncc_pose_subject *subject, xncc_error *error)
{
    const xncc_pose_source *s = &subject->source;
    const int32_t width = s->width - 2 * INSET, height = s->height - 2 * INSET;
    const size_t pixel = (size_t)s->channels * xncc_pixel_size(s->pixel);
    if (width <= 0 || height <= 0 || 2 * (int64_t)width * height < (int64_t)s->width * s->height)
        return XNCC_OK;
    char *to = xncc_alloc((uint64_t)width * (uint64_t)height, pixel);
    if (!to)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d x %d pixels", width,
                         height);
    for (int32_t y = 0; y < height; y++)
        memcpy(to + (size_t)y * (size_t)width * pixel,
               (const char *)s->pixels +
                   ((size_t)(y + INSET) * (size_t)s->width + (size_t)INSET) * pixel,
               (size_t)width * pixel);
    subject->memory = to;
    subject->inner.pixels = to;
    subject->inner.width = width;
    subject->inner.height = height;
    return XNCC_OK;
}

/* Sets the pixels within the edges of a template, to which fits are restricted: a shifted window
 * would compare the pixels at the edge with what surrounds the object, and tilt the surface. */
static xncc_status make_inner(xncc_pose_subject *subject, xncc_error *error)
{
    const xncc_pose_source *s = &subject->source;
    uint64_t all = 0, inner = 0;
    subject->inner = *s;
    if (!s->mask)
        return crop_inner(subject, error);
    uint8_t *mask = xncc_alloc((uint64_t)s->height, (uint64_t)s->width);
    subject->memory = mask;
    if (!mask)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for a mask of %d x %d",
                         s->width, s->height);
    for (int32_t y = 0; y < s->height; y++)
        for (int32_t x = 0; x < s->width; x++) {
            const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            all += s->mask[at];
            mask[at] = (uint8_t)is_inner(s, x, y);
            inner += mask[at];
        }
    if (2 * inner >= all)
        subject->inner.mask = mask;
    return XNCC_OK;
}

static xncc_status make_subjects(const xncc_pose_job *job, const xncc_template *const *templ,
                                 xncc_pose_subject *subject, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < job->count && !status; i++) {
        status = xncc_template_check_listed(templ[i], i, job->context, job->image->pixel,
                                            xncc_image_channels(job->image), error);
        if (status)
            return status;
        subject[i].source = xncc_pose_source_of(templ[i], job->options->support);
        status = xncc_pose_grid_make(job->options, &subject[i].source, &subject[i].grid, error);
        if (!status)
            subject[i].min_score = job->options->min_score == (float)XNCC_AUTO
                                       ? chance_limit(job, &subject[i], templ[i])
                                       : job->options->min_score;
        if (!status && job->options->refine)
            status = make_inner(&subject[i], error);
    }
    return status;
}

/* The caller's image on the host, once it is needed there. */
typedef struct host_image {
    xncc_image view;
    void *owned; /* a copy */
} host_image;

/* From now on, the search takes the image from the host. */
static xncc_status bring(xncc_pose_job *job, host_image *host, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    if (!host->view.data)
        status = xncc_context_fetch(job->context, job->image, "image", &host->view, &host->owned,
                                    error);
    job->image = &host->view;
    return status;
}

static xncc_status collect(xncc_pose_job *job, host_image *host, xncc_error *error)
{
    const xncc_image *image = job->image;
    const char *why = "the image has a mask or a no-data value"; /* a pyramid cannot serve it */
    if (job->options->search != XNCC_POSES_EXHAUSTIVE && !xncc_image_is_masked(job->image)) {
        int served = 0;
        xncc_status status = bring(job, host, error);
        if (!status)
            status = xncc_pose_pyramid(job, &served, error);
        if (status || served)
            return status;
        job->image = image;
        why = "a sample that counts is a NaN or an infinity, or its square overflows";
    }
    if (job->options->search == XNCC_POSES_PYRAMID)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "poses: a pyramid cannot serve this: %s; search exhaustively", why);
    return xncc_pose_exhaustive(job, error);
}

/* Probes score windows of 8-bit pixels with one channel, of which all count. */
static int suits_probes(const xncc_image *image)
{
    return image->pixel == XNCC_U8 && xncc_image_channels(image) == 1 &&
           !xncc_image_is_masked(image);
}

/* Searches, and writes at most job->options->top matches. */
static xncc_status find(xncc_pose_job *job, xncc_pose_match *match, size_t *found,
                        xncc_error *error)
{
    size_t kept = 0;
    host_image host = { .owned = NULL };
    xncc_status status = collect(job, &host, error);
    if (!status) {
        xncc_pose_hits_settle(&job->hits);
        status = xncc_pose_suppress(job->subject, job->hits.hit, job->hits.count,
                                    job->options->overlap, job->options->top, &kept, error);
    }
    /* Refining takes a few windows under templates that no other match has, which the host scores
     * sooner than a GPU. */
    if (!status && job->options->refine && kept > 0)
        status = bring(job, &host, error);
    if (!status)
        status = xncc_pose_refine(job, job->hits.hit, kept, match, error);
    if (!status)
        *found = kept;
    xncc_free(job->hits.hit);
    xncc_free(host.owned);
    return status;
}

xncc_status xncc_find_poses(xncc_context *context, const xncc_image *image,
                            const xncc_template *const *templ, size_t count,
                            const xncc_pose_options *options, xncc_pose_match *match,
                            size_t capacity, size_t *found, xncc_error *error)
{
    XNCC_ENTER;
    xncc_pose_options o;
    if (found)
        *found = 0;
    if (!context || !found || (!templ && count) || (!match && capacity))
        return xncc_fail_null(error, !context          ? "context"
                                     : !found          ? "found"
                                     : !templ && count ? "templ"
                                                       : "match");
    xncc_pose_job job = { .context = context,
                          .watch = xncc_watch_make(&context->progress),
                          .image = image,
                          .options = &o,
                          .count = count,
                          .peaks = XNCC_POSE_PEAKS,
                          .apart = XNCC_AUTO };
    xncc_status status = xncc_image_check(image, "image", error);
    if (!status)
        status = XNCC_READ(&o, options, xncc_pose_options, XNCC_POSE_OPTIONS_INIT, kernel, error);
    if (!status)
        status = check_options(&o, error);
    if (!status && count > INT32_MAX)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "poses: %zu templates are more than 2^31 - 1", count);
    if (status)
        return status;
    o.top = o.top < capacity ? o.top : capacity;
    xncc_pose_subject *subject = xncc_alloc(count + 1, sizeof *subject);
    if (!subject)
        status = xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu templates", count);
    job.subject = subject;
    xncc_engine *cpu = NULL;
    if (!status)
        status = xncc_context_helper(context, &cpu, error);
    if (!status) {
        job.pool = xncc_cpu_engine_pool(cpu);
        job.kept = xncc_cpu_engine_kept(cpu);
        job.probes = suits_probes(image);
    }
    if (!status)
        status = make_subjects(&job, templ, subject, error);
    if (!status && o.top > 0 && count > 0)
        status = find(&job, match, found, error);
    for (size_t i = 0; i < count && subject; i++)
        xncc_free(subject[i].memory);
    xncc_free(subject);
    return xncc_done(status, error);
}
