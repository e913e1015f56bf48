/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the matches of one template in several images. A task is an image, which one thread
 * searches from its first row to its last: threads wait for each other only at the end of the call.
 */
#include "cpu/cpu_plan.h"

#include "base/first_failure.h"
#include "plan/cost_cpu.h"

typedef struct images_run {
    xncc_engine_plan *plan;
    const xncc_image_group *group;
    const xncc_template *templ;
    const xncc_search_rule *rule;
    xncc_first_failure failure;
} images_run;

/* The plan as one thread sees it: alone, with memory of its own. What is prepared of the template
 * is shared, and not written. */
static xncc_engine_plan seat_of(const xncc_engine_plan *plan, int32_t slot)
{
    xncc_engine_plan seat = *plan;
    seat.team.threads = seat.seats = 1;
    seat.is_part = 1;
    seat.bands = plan->bands + slot;
    seat.team.scratch = plan->team.scratch ? plan->team.scratch + slot : NULL;
    return seat;
}

/* Searches image `index`. plan: by all threads of it. */
static xncc_status find_one(const images_run *run, xncc_engine_plan *plan, size_t index,
                            xncc_error *error)
{
    const xncc_image_group *g = run->group;
    return xncc_cpu_find(plan, &g->image[index], run->templ, run->rule,
                         g->match + index * g->capacity, &g->found[index], NULL, error);
}

static void image_task(void *argument, uint64_t index, int32_t slot)
{
    images_run *run = argument;
    xncc_engine_plan *plan = run->plan;
    xncc_error error = { "" };
    if (xncc_first_failure_status(&run->failure) || xncc_is_cancelled(plan->watch)) {
        xncc_progress_step(plan->watch->progress, xncc_plan_elements(plan));
        return;
    }
    xncc_engine_plan seat = seat_of(plan, slot);
    const xncc_status status = find_one(run, &seat, (size_t)index, &error);
    xncc_first_failure_note(&run->failure, status, &error);
}

/* Returns how many images, from the first on, are searched by one thread each: all, if more threads
 * do not pay for one of them. Otherwise the threads share those that would leave some idle. */
static size_t alone(const xncc_engine_plan *plan, size_t count)
{
    const size_t threads = (size_t)plan->seats;
    return plan->team.threads == 1 ? count : count - count % threads;
}

xncc_status xncc_cpu_find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                                 const xncc_template *templ, const xncc_search_rule *rule,
                                 xncc_stream stream, xncc_error *error)
{
    images_run run = { plan, group, templ, rule, { .error = error } };
    (void)stream;
    const size_t count = alone(plan, group->count);
    const int32_t threads = xncc_cpu_threads_that_pay(plan->estimate_ms * (double)count,
                                                      plan->seats);
    xncc_progress_begin(plan->watch->progress, count * xncc_plan_elements(plan));
    xncc_job job = xncc_job_make(plan, group->image);
    xncc_job_set_template(&job, templ);
    xncc_plan_prepare(plan, &job);
    xncc_pool_run_on(plan->team.pool, threads, count, image_task, &run);
    xncc_status status = xncc_first_failure_status(&run.failure);
    if (!status)
        status = xncc_check_cancelled(plan->watch, error);
    for (size_t i = count; i < group->count && !status; i++)
        status = find_one(&run, plan, i, error);
    return status;
}
