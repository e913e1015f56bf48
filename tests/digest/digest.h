/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the digest program share. digest.c says what the program is for. */
#ifndef DIGEST_H
#define DIGEST_H

#include "kit/short.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A generator of pseudo-random numbers (splitmix64): the same stream everywhere. */
typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static inline uint64_t draw(rng *random)
{
    return mix(random->state += 0x9E3779B97F4A7C15u);
}

/* 0 .. limit-1 */
static inline int32_t below(rng *random, int32_t limit)
{
    return (int32_t)(draw(random) % (uint64_t)limit);
}

/* low .. high */
static inline int32_t between(rng *random, int32_t low, int32_t high)
{
    return low + below(random, high - low + 1);
}

/* Returns 1 in one of `of` cases. */
static inline int once_in(rng *random, int32_t of)
{
    return below(random, of) == 0;
}

/* A running hash. All NaNs count as one value; their bits go into a hash of their own. */
typedef struct digest {
    uint64_t value, nans;
} digest;

static inline uint64_t hash_step(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash << 29 | hash >> 35;
}

static inline void hash_word(digest *d, uint64_t word)
{
    d->value = hash_step(d->value, word);
}

static inline void hash_float(digest *d, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (number != number) {
        d->nans = hash_step(d->nans, bits);
        bits = 0x7FC00000u;
    }
    hash_word(d, bits);
}

static inline void hash_double(digest *d, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (number != number) {
        d->nans = hash_step(d->nans, bits);
        bits = 0x7FF8000000000000u;
    }
    hash_word(d, bits);
}

/* Hashes memory of numbers of 4 bytes. */
void hash_numbers(digest *d, const void *numbers, size_t bytes);
void hash_text(digest *d, const char *text);
void hash_matches(digest *d, const xncc_match *match, size_t found);
void hash_candidates(digest *d, const xncc_candidate *candidate, size_t count);

/* The kernels by name; 0 is the library's own choice. */
enum { KERNELS = 29, GROUPS = 24, CONTEXTS = 2, MATCHES = 600 };

/* The calls and the digest of a group or of a kernel. */
typedef struct tally {
    const char *name;
    long problems, calls, refused, failed;
    uint64_t sum, nans;
    double seconds;
} tally;

/* One run of the program. */
typedef struct run {
    xncc_device device;
    int32_t threads;
    FILE *list;       /* NULL, or the file that lists every call with its digest */
    long every;       /* solve every Nth problem only */
    const char *only; /* NULL, or the one group */
    int common;       /* 1: only kernels that every CPU has */
    xncc_context *context[CONTEXTS];
    int device_memory;  /* 1: images and maps may lie in device memory */
    int tasks[KERNELS]; /* bit 1 << xncc_task is set if the kernel serves that task here */
    tally kernel[KERNELS], group[GROUPS];
    tally *now;       /* the group that runs */
    uint64_t number;  /* of the problem in its group, from 0 */
    uint64_t call;    /* of the problem */
    uint64_t skipped; /* problems left out by every */
    char text[240];
} run;

/* Begins the next problem. Returns 0 if it is left out. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int problem_begins(run *r, const char *format, ...);
/* Adds the result of one call to the digests. kernel: its number; 0: the library's choice. After a
 * failure only the status counts. */
void record(run *r, int kernel, xncc_status status, const digest *d);
/* Returns the next kernel after k (-1: the first) that serves the task here and computes that many
 * products in reasonable time; -1 if there is none. */
int next_kernel(const run *r, xncc_task task, int k, double work);
const char *kernel_name(int k);
/* The generator of the next problem. */
rng problem_random(const run *r);

/* Device memory; NULL and 0 if the program is built without it. */
void *device_copy(const run *r, const void *bytes, size_t count);
void device_back(void *bytes, const void *device, size_t count);
void device_free(void *device);

/* An image with its mask. Rows have padding. The copy is in device memory. */
typedef struct picture {
    xncc_image view, twin;
    unsigned char *memory, *mask_memory;
    void *device, *device_mask;
} picture;

/* A map to be written. It, its padding and its surroundings are filled with a pattern. */
typedef struct sheet {
    xncc_map view;
    unsigned char *memory;
    void *device;
    size_t offset, size;
    int64_t pitch;
} sheet;

sheet sheet_make(const run *r, int32_t width, int32_t height, rng *random, int on_device);
/* Hashes what was written, and whether everything around it is unchanged. */
void sheet_hash(const sheet *s, digest *d);
void sheet_free(const sheet *s);

/* malloc, filled with junk; ends the program if it fails. */
unsigned char *memory_junk(size_t size, rng *random);

typedef enum fill {
    FILL_NOISE,
    FILL_ZERO,
    FILL_MAX,
    FILL_CHECKER,
    FILL_BLOCKS,
    FILL_ONE_OFF,
    FILL_GRADIENT,
    FILL_NEAR_FLAT,
    FILL_FLAT,
    FILL_FEW,
    FILL_HALF,
    FILL_BLOBS,
    FILLS,
    FILL_CROP = FILLS
} fill;

/* A problem: an image, a template and the rules. */
typedef struct scene {
    xncc_problem problem;
    xncc_context *context;
    picture image;
    xncc_template *templ;
    xncc_status made; /* of the template */
    int fill, templ_fill;
    int image_mask, image_no_data, templ_mask; /* 1: there is one */
    int image_there, map_there;                /* 1: in device memory */
    rng random;
} scene;

/* Draws the rules of the next problem; the caller sets its sizes. plain: u8, u16 or f32, one
 * channel, all pixels count, clamp border. */
scene scene_rules(run *r, int plain);
void scene_tiny(scene *s);
void scene_small(scene *s);
/* Draws the sides of the template from difficult ones that fit the image. */
void scene_template_sides(scene *s);
/* Begins the problem and makes its pixels and its template. Returns 0 if it is left out. */
int scene_make(run *r, scene *s);
void scene_free(scene *s);
picture scene_picture(const run *r, scene *s);
/* Makes one more template by the rules of the scene. */
xncc_status scene_template(const run *r, scene *s, int32_t width, int32_t height,
                           xncc_template **result);
const xncc_image *scene_image(const scene *s);
/* The bytes around pixels and masks, in the same allocation. */
enum { GUARD = 256 };
int pixel_is_float(xncc_pixel pixel);
double pixel_largest(xncc_pixel pixel);
void sample_put(const xncc_image *v, int32_t x, int32_t y, int32_t c, double number);
double sample_get(const xncc_image *v, int32_t x, int32_t y, int32_t c);
void picture_fill(const xncc_image *view, int kind, rng *random);
picture picture_make(xncc_pixel pixel, int32_t channels, int32_t width, int32_t height,
                     rng *random);
void picture_upload(const run *r, picture *p);
void picture_free(picture *p);
double scene_work(const scene *s);
kit_options scene_options(const scene *s, int kernel);
kit_find_options scene_find_options(scene *s, int kernel);

/* The pixels and the mask of a host image, kept aside: the image holds junk until its rows arrive.
 */
typedef struct kept_rows {
    const picture *p;
    unsigned char *pixels, *mask;
    size_t pixel_bytes, mask_bytes;
    int32_t rows; /* number of rows that have arrived */
} kept_rows;

kept_rows keep_rows(const picture *p, rng *random);
void rows_arrive(kept_rows *k, int32_t rows);

/* The groups of digest_find.c. */
void group_find(run *r);
void group_refine(run *r);
void group_merge(run *r);
void group_batch(run *r);
void group_best(run *r);
void group_bound(run *r);
void group_calls(run *r);
/* The groups of digest_plan.c. */
void group_plan(run *r);
void group_plan_batch(run *r);
void group_scan(run *r);
void group_convolve(run *r);
void group_filters(run *r);
void group_device(run *r);

#endif
