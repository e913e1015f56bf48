/* SPDX-License-Identifier: BSD-2-Clause */
/* What the scenes of a problem share (cuda_world.c). */
#ifndef FAULTS_CUDA_WORLD_H
#define FAULTS_CUDA_WORLD_H

#include "cuda.h"

enum { TEMPLATES = 3, TOP = 4, KERNELS = 32 };

/* A problem, and what its calls use. */
/* Of one search in several images: a plan has room for so many. */
enum { IMAGES = 3 };

typedef struct world {
    xncc_problem problem;
    kit_options rule;   /* that of the problem */
    const char *kernel; /* NULL: the fastest */
    kit_image image, pixels;
    xncc_image there; /* the image in device memory */
    xncc_template *templ[TEMPLATES];
    xncc_filter *filter, *other_filter;
    kit_map map;
    xncc_map map_there;
    xncc_match *match_there;
    uint32_t *found_there;
    xncc_stream stream;
    xncc_plan *plan;
    /* Plans of some kernels share constant memory; NULL: the kernel is none of them. */
    xncc_plan *sharing;
} world;

extern world w;

/* The context of all scenes, with so much memory per plan. */
void open_context(size_t device_memory);
/* An image of the problem's type. */
kit_image image_of(int32_t width, int32_t height, int masked);

/* Make and destroy all that scenes of a problem share, but for the plans. */
void open_world(const xncc_problem *problem);
void close_world(void);

/* How the plan of the problem and the kernel can be used. Kernels that share constant memory cannot
 * be captured; for them, fill_constants puts something else there than what the scenes need. */
xncc_plan_info open_sharing(void);
/* The same for floats where the library's own choice does not share it: a call may match a smaller
 * map, by a kernel that does. */
void open_constants(void);
void close_sharing(void);
void fill_constants(void);

/* A plan of the problem and the kernel. */
xncc_status make_plan(xncc_memory memory, xncc_plan **plan);
/* Makes one for host memory, and destroys it (cuda_scenes.c). */
xncc_status create_plan(void);
void begin_plan(void);
void end_plan(void);

/* The scenes of batches and suppressors (cuda_batches.c), with the library's own choice of the
 * kernel. */
void exhaust_batches(const char *part);
/* The scenes of searches for poses, and what the engine keeps for them (cuda_poses.c). */
void exhaust_poses(const char *part);

void exhaust_all(const char *part, const scene *list, size_t count);
#define EXHAUST_ALL(part, list) exhaust_all(part, list, sizeof(list) / sizeof *(list))

#endif
