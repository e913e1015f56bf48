/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether --device auto starts CUDA. */
#include "auto_device.h"

#include <stdio.h>

app_auto_choice app_auto_choose(const app_auto_job *job)
{
    app_auto_choice choice = { .cuda = 1 };
    double left = job->page_ms * job->pages;
    if (job->page_ms < 0.0) {
        snprintf(choice.why, sizeof choice.why, "no kernel of the CPU can serve the problem");
        return choice;
    }
    if (job->open_end && job->spent_ms > left)
        left = job->spent_ms;
    choice.cuda = left > (double)APP_CUDA_START_MS;
    snprintf(choice.why, sizeof choice.why,
             "the CPU is expected to take %.3g ms, %s than the %d ms that CUDA takes to start",
             left, choice.cuda ? "more" : "no more", APP_CUDA_START_MS);
    return choice;
}
