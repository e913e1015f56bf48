/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches one template after the other: all poses on a coarse level of the pyramid, then around
 * the candidates on each finer one. */
#include "pose/pyramid.h"

#include "base/memory.h"
#include "pose/climb.h"
#include "pose/exhaustive.h"
#include "pose/likeness.h"
#include "pose/scorer.h"
#include "pose/sieve.h"

#include <math.h>

/* The coarsest level has at least LEAST_SIDE pixels per side of the template and LEAST_PIXELS that
 * count. Its strength is the likeness of a pose half a step off the best one, in standard
 * deviations of the NCC of as many random pixels, 1 / sqrt(n). It is at least LEAST_STRENGTH. */
enum { LEAST_SIDE = 8, LEAST_PIXELS = 48 };
#define LEAST_STRENGTH 4.0

/* The part of min_score that a candidate must reach on a level, besides the level's likeness. */
#define LEVEL_LIMIT 0.7

/* The part of the score of the objects found so far that another one must reach, besides the
 * level's likeness. The more pixels a level's template has, the less chance there is in its scores:
 * from PART_SIDE x PART_SIDE pixels on, what is lacking to 1 is divided by how often the side is
 * that of PART_SIDE. So smooth templates, which have many candidates that score nearly as well as
 * the object, do not take them all to the fine levels. */
#define LEVEL_PART 0.9
#define PART_SIDE 40.0

/* What the number of candidates depends on (most_of). */
enum { MOST_TOP = 1024, MOST_WANTED = 1 << 14 };

/* Large templates have few candidates on the fine levels, where each one costs much and the scores
 * say much: so many pixels of templates, and a few candidates in any case. */
enum { MOST_PIXELS = 1 << 22, LEAST_MOST = 8 };

/* How near to an object a candidate must be to have a better pose of it, in pixels of the level it
 * comes from. */
#define NEAR 3.0

/* How often a candidate moves on a level, and on level 0. */
enum { MOVES = 3, LAST_MOVES = XNCC_MOST_MOVES };

/* How often it moves with exact scores (settle). */
enum { EXACT_MOVES = 4 };

/* A template's way through the pyramid. */
typedef struct descent {
    xncc_pose_job *job;
    int32_t templ;
    const xncc_pose_subject *subject;
    xncc_image_levels *image;
    xncc_templ_levels levels;
    xncc_pose_grid grid[XNCC_MOST_LEVELS];
    xncc_pose_likeness likeness[XNCC_MOST_LEVELS];
    int32_t top;   /* the coarsest level */
    size_t wanted; /* matches */
    xncc_pose_candidate *candidate;
    size_t count;
} descent;

/* An axis with steps of about `step`, if that is wider than its own. */
static xncc_pose_axis coarser(const xncc_pose_axis *axis, double step)
{
    const double parts = axis->count - !axis->circular;
    double fewer = ceil(parts * axis->step / step);
    if (axis->circular)
        fewer = 4.0 * ceil(fewer / 4.0);
    if (axis->count == 1 || fewer >= parts)
        return *axis;
    return (xncc_pose_axis){ .first = axis->first,
                             .step = parts * axis->step / fewer,
                             .count = (int32_t)fewer + !axis->circular,
                             .circular = axis->circular };
}

static void make_grids(descent *d)
{
    const xncc_pose_grid *whole = &d->subject->grid;
    const double largest = xncc_pose_value(&whole->scale, whole->scale.count - 1);
    d->grid[0] = *whole;
    for (int32_t l = 1; l < d->levels.count; l++) {
        const xncc_pose_source *s = &d->levels.level[l];
        d->grid[l].angle = coarser(&whole->angle, xncc_pose_angle_step(s, largest));
        d->grid[l].scale = coarser(&whole->scale, xncc_pose_scale_step(s));
    }
}

/* Chooses the coarsest level. */
static xncc_status choose_level(descent *d, xncc_error *error)
{
    const double smallest = d->subject->grid.scale.first;
    int32_t levels = 1;
    for (; levels < d->levels.count; levels++) {
        const xncc_pose_source *s = &d->levels.level[levels];
        if (smallest * (s->width < s->height ? s->width : s->height) < LEAST_SIDE)
            break;
    }
    const xncc_status status = xncc_pose_likeness_of(d->job, &d->levels, d->grid, levels,
                                                     d->likeness, error);
    d->likeness[0].value = 1.0;
    for (int32_t l = 1; l < levels && !status; l++) {
        const xncc_pose_likeness *like = &d->likeness[l];
        if (like->pixels < LEAST_PIXELS ||
            like->value * sqrt((double)like->pixels) < LEAST_STRENGTH)
            break;
        d->top = l;
    }
    return status;
}

static xncc_pose_rung rung_of(const descent *d, int32_t l)
{
    return (xncc_pose_rung){ .job = d->job,
                             .image = &d->image->level[l],
                             .poses = { .source = d->levels.level[l],
                                        .grid = d->grid[l],
                                        .offset_x = d->levels.offset_x[l],
                                        .offset_y = d->levels.offset_y[l],
                                        .parities = 1 },
                             .level = l,
                             .size = ldexp(1.0, l) };
}

static double limit_of(const descent *d, int32_t l)
{
    const double part = l == 0 ? 1.0 : LEVEL_LIMIT * d->likeness[l].value;
    return part * (double)d->subject->min_score;
}

/* The candidates that go on from a level for the sake of the image and the template. */
static size_t image_part(const descent *d, int32_t l)
{
    const xncc_image *top = &d->image->level[d->top];
    const xncc_pose_source *next = &d->levels.level[l > 0 ? l - 1 : 0];
    const size_t all = MOST_TOP + (size_t)top->width * (size_t)top->height / 8,
                 most = all < XNCC_POSE_PEAKS ? all : XNCC_POSE_PEAKS,
                 part = d->top == l       ? most
                        : d->top == l + 1 ? most / 3
                                          : most / 8,
                 large = LEAST_MOST + MOST_PIXELS / ((size_t)next->width * (size_t)next->height);
    return part < large ? part : large;
}

/* The candidates that go on from the coarsest level and from each finer one, at most: a number for
 * the image and the template, and one for each match that is wanted. */
static size_t most_of(const descent *d, int32_t l)
{
    return image_part(d, l) + (d->top == l ? 8 : d->top == l + 1 ? 2 : 1) * d->wanted;
}

/* The part that holds for a level. What goes on from level 0 is in order already. */
static double part_of(const descent *d, int32_t l)
{
    const xncc_pose_source *s = &d->levels.level[l];
    const double side = sqrt((double)s->width * (double)s->height);
    return l == 0 || side < PART_SIDE ? LEVEL_PART : 1.0 - (1.0 - LEVEL_PART) * PART_SIDE / side;
}

/* Which candidates go on from a level. On the coarsest one their scores say little. On the others
 * they have climbed, so that the objects' scores are at least `likeness` of what they will be, and
 * the scores of those already found are no more than they will be. */
static xncc_pose_sieve sieve_of(const descent *d, int32_t l)
{
    const xncc_pose_source *s = &d->subject->source;
    const double side = (s->width < s->height ? s->width : s->height) *
                        xncc_pose_value(&d->subject->grid.scale, 0);
    const int top = l == d->top;
    return (xncc_pose_sieve){ .limit = top ? 0.0 : limit_of(d, l),
                              .part = top ? 0.0 : part_of(d, l) * d->likeness[l].value,
                              .wanted = d->wanted,
                              .apart = 0.5 * side,
                              .most = most_of(d, l) };
}

/* Makes the hits of the coarsest level candidates. */
static xncc_status list_candidates(descent *d, const xncc_pose_rung *rung,
                                   const xncc_pose_hits *hits, xncc_error *error)
{
    double x = 0.0, y = 0.0; /* the offset of the pose, which hits that follow each other share */
    d->candidate = xncc_alloc(hits->count, sizeof *d->candidate);
    if (!d->candidate)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu candidates",
                         hits->count);
    for (size_t i = 0; i < hits->count; i++) {
        const xncc_pose_hit *h = &hits->hit[i];
        xncc_pose_candidate *c = &d->candidate[d->count++];
        *c = (xncc_pose_candidate){ .score = (double)h->score, .pose = h->pose };
        if (i == 0 || h->pose.angle != h[-1].pose.angle || h->pose.scale != h[-1].pose.scale)
            xncc_pose_store_offset(&rung->poses, h->pose.angle, h->pose.scale, &x, &y);
        xncc_pose_rung_center(rung, x, y, c);
    }
    return XNCC_OK;
}

/* Searches the coarsest level, every pose at every position. */
static xncc_status search_top(descent *d, xncc_error *error)
{
    const int32_t l = d->top;
    const xncc_pose_subject subject = { .source = d->levels.level[l],
                                        .grid = d->grid[l],
                                        .min_score = (float)limit_of(d, l) };
    xncc_pose_job coarse = *d->job;
    coarse.image = &d->image->level[l];
    coarse.subject = &subject;
    coarse.count = 1;
    coarse.helped = !d->job->options->kernel;
    coarse.hits = (xncc_pose_hits){ 0 };
    coarse.apart = 2; /* every local maximum */
    coarse.peaks = most_of(d, l) / 8;
    coarse.peaks = coarse.peaks < XNCC_POSE_PEAKS ? coarse.peaks : XNCC_POSE_PEAKS;
    xncc_status status = xncc_pose_exhaustive(&coarse, error);
    if (!status && coarse.hits.count > 0) {
        const xncc_pose_rung rung = rung_of(d, l);
        const xncc_pose_sieve sieve = sieve_of(d, l);
        if (coarse.hits.count > XNCC_MOST_HITS)
            xncc_pose_hits_settle(&coarse.hits);
        status = list_candidates(d, &rung, &coarse.hits, error);
        if (!status)
            status = xncc_pose_thin(&rung, d->candidate, &d->count, &sieve, error);
    }
    xncc_free(coarse.hits.hit);
    return status;
}

/* How many candidates climb on level l before those after them are asked whether they must: as many
 * as the image has (most_of), or where more matches are wanted, so many that the objects are most
 * likely among them. All, if few are left. */
static size_t first_of(const descent *d, int32_t l)
{
    const size_t wanted = l + 1 == d->top ? 4 * d->wanted : d->wanted + d->wanted / 4,
                 image = image_part(d, l + 1), first = image > wanted ? image : wanted;
    return 4 * first < 3 * d->count ? first : d->count;
}

/* Candidates that are not among the first ones climb only where they can be a better pose of an
 * object, if the objects that are wanted have been found. */
static xncc_status climb(descent *d, xncc_pose_rung *rung, const xncc_pose_sieve *sieve,
                         xncc_error *error)
{
    const int32_t l = rung->level;
    const int moves = l ? MOVES : LAST_MOVES;
    const xncc_pose_grid *above = &d->grid[l + 1];
    const size_t first = first_of(d, l);
    xncc_status status = xncc_pose_climb(rung, above, moves, d->candidate, first, error);
    if (!status && first < d->count)
        status = xncc_pose_leave(d->candidate, first, &d->count, NEAR * 2.0 * rung->size, sieve,
                                 error);
    if (!status)
        status = xncc_pose_climb(rung, above, moves, d->candidate + first, d->count - first, error);
    return status;
}

static xncc_status go_down(descent *d, int32_t l, xncc_error *error)
{
    xncc_pose_rung rung = rung_of(d, l);
    const xncc_pose_sieve sieve = sieve_of(d, l);
    xncc_status status = xncc_pose_store_open(&rung.poses, error);
    if (!status)
        status = climb(d, &rung, &sieve, error);
    if (!status)
        status = xncc_pose_thin(&rung, d->candidate, &d->count, &sieve, error);
    xncc_pose_store_clear(&rung.poses);
    return status;
}

/* Tries a pose of the grid in the nine windows around the centre of *at. If one is better than
 * *best, it becomes *best. */
static xncc_status settle_pose(const descent *d, const xncc_grid_pose *at, xncc_grid_pose *to,
                               xncc_pose_hit *best, double sign, xncc_error *error)
{
    const xncc_pose_scorer scorer = { .job = d->job, .source = &d->subject->source };
    const xncc_pose_grid *grid = &d->subject->grid;
    const xncc_pose_place place = xncc_pose_place_of(scorer.source,
                                                     xncc_pose_value(&grid->angle, to->angle),
                                                     xncc_pose_value(&grid->scale, to->scale));
    const int32_t x = at->x + (at->width - place.width) / 2,
                  y = at->y + (at->height - place.height) / 2;
    double score[XNCC_PROBE_WINDOWS];
    const xncc_pose_spot spot = { .place = place,
                                  .block = { x - 1, y - 1, XNCC_PROBE_SIDE, XNCC_PROBE_ALL },
                                  .score = score };
    const xncc_status status = xncc_pose_score_spots(&scorer, &spot, 1, error);
    to->width = place.width;
    to->height = place.height;
    for (int i = 0; i < XNCC_PROBE_WINDOWS && !status; i++)
        if (sign * score[i] > sign * (double)best->score) {
            to->x = x + i % XNCC_PROBE_SIDE - 1;
            to->y = y + i / XNCC_PROBE_SIDE - 1;
            best->pose = *to;
            best->score = (float)score[i];
        }
    return status;
}

/* Moves a hit, whose pose is only about right, to the pose and window nearby with the best exact
 * score, and sets that score. */
static xncc_status settle(const descent *d, xncc_pose_hit *hit, xncc_error *error)
{
    const xncc_pose_grid *grid = &d->subject->grid;
    const int turns = grid->angle.count > 1;
    const double sign = hit->score < 0.0f ? -1.0 : 1.0;
    xncc_status status = XNCC_OK;
    hit->score = 0.0f;
    for (int n = 0, moved = 1; n < EXACT_MOVES && moved && !status; n++) {
        const xncc_grid_pose at = hit->pose;
        for (int j = -1; j <= 1; j++)
            for (int i = -turns; i <= turns && !status; i++) {
                xncc_grid_pose to = at;
                to.angle = xncc_pose_index(&grid->angle, at.angle + i);
                to.scale = xncc_pose_index(&grid->scale, at.scale + j);
                if (to.angle >= 0 && to.scale >= 0)
                    status = settle_pose(d, &at, &to, hit, sign, error);
            }
        moved = hit->pose.x != at.x || hit->pose.y != at.y || hit->pose.angle != at.angle ||
                hit->pose.scale != at.scale;
    }
    return status;
}

/* Hands over what has reached level 0. */
static xncc_status deliver(descent *d, xncc_error *error)
{
    const double limit = (double)d->subject->min_score;
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < d->count && !status; i++) {
        const xncc_pose_candidate *c = &d->candidate[i];
        xncc_pose_hit hit = { (float)c->score, d->templ, c->pose };
        if (!d->job->probes)
            status = settle(d, &hit, error);
        if (!status && fabs((double)hit.score) >= limit)
            status = xncc_pose_hits_add(&d->job->hits, &hit, error);
    }
    return status;
}

static xncc_status descend(descent *d, int *finite, xncc_error *error)
{
    const xncc_pose_source *source = &d->subject->source;
    xncc_status status = xncc_templ_levels_make(source, LEAST_SIDE, &d->levels, finite, error);
    if (status || !*finite)
        return status;
    make_grids(d);
    status = choose_level(d, error);
    if (!status)
        status = xncc_image_levels_extend(d->job, d->image, d->top + 1, error);
    if (!status)
        status = search_top(d, error);
    for (int32_t l = d->top; l-- > 0 && !status;)
        status = go_down(d, l, error);
    return status ? status : deliver(d, error);
}

xncc_status xncc_pose_pyramid(xncc_pose_job *job, int *served, xncc_error *error)
{
    xncc_image_levels image = { .kept = job->kept };
    int32_t channel = -1;
    xncc_status status = XNCC_OK;
    *served = 1;
    for (size_t t = 0; t < job->count && !status && *served; t++) {
        const int32_t own = xncc_pose_channel(&job->subject[t].source);
        if (own != channel) { /* level 0 is one channel */
            xncc_image_levels_clear(&image);
            status = xncc_image_levels_begin(job->image, own, &image, served, error);
            channel = own;
        }
        descent d = { .job = job,
                      .templ = (int32_t)t,
                      .subject = &job->subject[t],
                      .image = &image,
                      .wanted = job->options->top < MOST_WANTED ? job->options->top : MOST_WANTED };
        if (!status && *served)
            status = descend(&d, served, error);
        xncc_templ_levels_clear(&d.levels);
        xncc_free(d.candidate);
    }
    xncc_image_levels_clear(&image);
    if (!*served)
        job->hits.count = 0;
    return status;
}
