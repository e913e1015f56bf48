/* The machines that decisions are tested on, and what a decision for one must fit. */
#ifndef UNIT_MACHINES_H
#define UNIT_MACHINES_H

#include "kit/kit.h"

#include "plan/decide.h"

enum { MACHINES = 7 };
extern const char *const machine_name[MACHINES];
cm_machine machine(int which);

cm_problem matching(cm_pixel pixel, int32_t image_width, int32_t image_height, int32_t width, int32_t height);

/* CM_OK, or not: then with one line of text. kernel: forced, or NULL. */
cm_status decide(const cm_problem *problem, const cm_machine *m, const char *kernel, cm_decision *decision, cm_error *error);

int64_t pixel_size(cm_pixel pixel);

/* Does the text name the number? */
int mentions(const cm_error *error, long long number);

/* What a CUDA decision claims must fit the machine. Written from the limits, not from the code that chooses. */
void check_cuda(const cm_problem *p, const cm_machine *m, const cm_decision *d);

/* Both sides of the limits, what takes over behind them. */
void check_limits(void);
void check_fallback(void);
void check_fft(void);

#endif
