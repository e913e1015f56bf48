/* SPDX-License-Identifier: BSD-2-Clause */
/* The machines that decisions are tested on, and the limits that a decision must respect. */
#ifndef UNIT_MACHINES_H
#define UNIT_MACHINES_H

#include "kit/kit.h"

#include "plan/decide.h"
#include "plan/problem.h"

enum { MACHINES = 7 };
extern const char *const machine_name[MACHINES];
xncc_machine machine(int which);

xncc_problem matching(xncc_pixel pixel, int32_t image_width, int32_t image_height, int32_t width,
                      int32_t height);

/* Decides for the problem. If the result is not XNCC_OK, checks that there is one line of text.
 * kernel: forced, or NULL. */
xncc_status decide(const xncc_problem *problem, const xncc_machine *m, const char *kernel,
                   xncc_decision *decision, xncc_error *error);

int64_t pixel_size(xncc_pixel pixel);

/* Does the template have at most 16 columns and rows? */
int is_small(const xncc_problem *p);

/* Does the text contain the number? */
int mentions(const xncc_error *error, long long number);

/* Checks that a CUDA decision fits the machine. Written from the machine's limits, not from the
 * code that decides. */
void check_cuda(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d);

/* Checks the choice among decisions for forced kernels: the cheapest one, or the cheapest one that
 * is not at risk unless it takes too long. */
void check_cheapest(const xncc_problem *p, const xncc_decision *chosen, const xncc_decision *forced,
                    int count);

/* Problems on both sides of the limits, and the kernels that take over. */
void check_limits(void);
void check_fallback(void);
void check_fft(void);
void check_channel_pass(void);
void check_rare_limits(void);

/* Stacks of images. */
void check_stacks(void);

/* Lists of kernels, the text of a decision, and the descriptions of kernels. */
void check_lists(void);

#endif
