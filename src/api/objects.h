/* SPDX-License-Identifier: BSD-2-Clause */
/* The context and plan objects, and the functions that the files of src/api share. */
#ifndef XNCC_API_OBJECTS_H
#define XNCC_API_OBJECTS_H

#include "engine/batch_ops.h"
#include "engine/engine.h"
#include "plan/stack.h"

struct xncc_context {
    /* Indexed by xncc_slot; NULL where the context has no such engine. */
    xncc_engine *engine[XNCC_ENGINE_SLOTS];
    xncc_progress progress;
    _Atomic uint64_t templates; /* number of templates created so far */
    int32_t threads;            /* of the options */
    /* A CPU engine for contexts without one, made when a call first needs it (xncc_context_helper).
     */
    _Atomic(xncc_engine *) helper;
};

struct xncc_plan {
    xncc_context *context;
    xncc_problem problem;
    xncc_decision decision;
    xncc_stack_plan stack; /* if decision.stack.images > 1 */
    xncc_extent map;
    xncc_engine *engine; /* the engine of engine_plan */
    xncc_engine_plan *engine_plan;
    int scanned;      /* 1: a scan is using the workspace */
    xncc_watch watch; /* of the running call */
};

/* Returns the index of an engine in contexts, templates and filters. */
static inline int xncc_slot(xncc_device engine)
{
    return engine == XNCC_DEVICE_CUDA ? 1 : 0;
}

/* Returns an engine of a context, or NULL. A CPU engine that was made later is one as well. */
xncc_engine *xncc_context_engine(const xncc_context *context, xncc_device engine);

/* Creates the engines that the options allow. Returns XNCC_ERROR_DEVICE if CUDA was requested and
 * is not available. */
xncc_status xncc_registry_open(const xncc_context_options *options,
                               xncc_engine *engine[XNCC_ENGINE_SLOTS], xncc_error *error);

/* Creates a CPU engine. */
xncc_status xncc_registry_open_cpu(int32_t threads, xncc_engine **engine, xncc_error *error);

/* xncc_plan_create in two steps. The first one decides and takes no memory; problem and preference
 * are complete. known: the machine (xncc_context_machine), for several plans of which none is bound
 * meanwhile; NULL: it is asked for. The second one binds the plan to the engine: in memory of its
 * own if shared is NULL, otherwise as xncc_engine_ops.bind_shared does, if the engine has that. A
 * plan that was unbound can be bound again. */
xncc_status xncc_plan_decide(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, const xncc_machine *known,
                             xncc_plan **plan, xncc_error *error);
xncc_status xncc_plan_bind(xncc_plan *plan, xncc_batch_context *shared, xncc_error *error);
void xncc_plan_unbind(xncc_plan *plan);

/* xncc_template_create without the engines' forms: they are NULL. */
xncc_status xncc_template_make(xncc_context *context, const xncc_image *pixels,
                               xncc_template **templ, xncc_error *error);

/* Checks number i of a list of templates against the context and the pixels of an image. */
xncc_status xncc_template_check_listed(const xncc_template *templ, size_t i,
                                       const xncc_context *context, xncc_pixel pixel,
                                       int32_t channels, xncc_error *error);

/* Check that an image or a template fits the plan, and that the plan's engine can reach the
 * image. */
xncc_status xncc_plan_check_image(const xncc_plan *plan, const xncc_image *image,
                                  xncc_error *error);
/* The same for a view of so many rows of an image, which error texts call `name`. */
xncc_status xncc_plan_check_rows(const xncc_plan *plan, const xncc_image *image, int32_t height,
                                 const char *name, xncc_error *error);
/* Checks that so many rows of a map fit the plan, and that its engine can reach them. */
xncc_status xncc_plan_check_map(const xncc_plan *plan, const xncc_map *map, int32_t height,
                                xncc_error *error);
xncc_status xncc_plan_check_template(const xncc_plan *plan, const xncc_template *templ,
                                     xncc_error *error);

/* Converts the caller's rule (NULL: defaults) to the rule of the search. */
xncc_status xncc_search_rule_make(const xncc_problem *problem, const xncc_peak_rule *peaks,
                                  size_t capacity, xncc_search_rule *rule, xncc_error *error);

/* xncc_plan_find for a group of templates of the plan's size on one image. What depends on the
 * image alone is done once. After a failure all group->found are 0. */
xncc_status xncc_plan_find_group(xncc_plan *plan, const xncc_image *image,
                                 const xncc_templ_group *group, const xncc_peak_rule *peaks,
                                 xncc_stream stream, xncc_error *error);

/* The context's machine in the form that the decision takes. */
xncc_status xncc_context_machine(const xncc_context *context, xncc_machine *machine,
                                 xncc_error *error);
/* The same without what is not the CPU's, which no device has to be asked for. It has the CPU of a
 * helper, if there is one. */
xncc_machine xncc_context_cpu(const xncc_context *context);

/* The context's CPU engine or, if it was made for CUDA alone, one with as many threads that helps
 * where no kernel of CUDA serves. The context owns it. */
xncc_status xncc_context_helper(xncc_context *context, xncc_engine **engine, xncc_error *error);

/* Copies pixels in device memory, and their mask, to the host; pixels on the host stay where they
 * are. what: whose they are, for error texts. The caller frees *owned. */
xncc_status xncc_context_fetch(xncc_context *context, const xncc_image *pixels, const char *what,
                               xncc_image *host, void **owned, xncc_error *error);

#endif
