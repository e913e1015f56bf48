/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a team's plan: xncc_engine_ops of the same names. */
#ifndef XNCC_TEAM_TEAM_RUN_H
#define XNCC_TEAM_TEAM_RUN_H

#include "engine/engine.h"

xncc_status xncc_team_correlate(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                                xncc_error *error);
xncc_status xncc_team_correlate_parts(xncc_engine_plan *plan, const xncc_image *image,
                                      const xncc_template *templ, const xncc_map *map,
                                      const xncc_stream *stream, xncc_error *error);
xncc_status xncc_team_convolve(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                               xncc_error *error);
xncc_status xncc_team_find(xncc_engine_plan *plan, const xncc_image *image,
                           const xncc_template *templ, const xncc_search_rule *rule,
                           xncc_match *match, size_t *found, xncc_stream stream, xncc_error *error);
xncc_status xncc_team_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                     const xncc_template *templ, const xncc_peak_target *target,
                                     xncc_stream stream, xncc_error *error);
xncc_status xncc_team_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_templ_group *group, const xncc_search_rule *rule,
                                 xncc_stream stream, xncc_error *error);
xncc_status xncc_team_find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                                  const xncc_template *templ, const xncc_search_rule *rule,
                                  xncc_stream stream, xncc_error *error);
xncc_status xncc_team_find_parts(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_search_rule *rule,
                                 xncc_match *match, size_t *found, const xncc_stream *stream,
                                 xncc_error *error);

/* Tracking: one member runs it. */
xncc_status xncc_team_read_chips(xncc_engine *engine, const xncc_chip_reads *run,
                                 xncc_error *error);

#endif
