/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls for the cases of general.h, each compared with what is expected. */
#ifndef CHECK_GENERAL_CALL_H
#define CHECK_GENERAL_CALL_H

#include "check/general.h"

enum { GENERAL_MATCHES = 400 };

/* A request for matches, and its answer by the rule of find.h. */
typedef struct general_request {
    kit_find_options options;
    size_t capacity, wanted; /* of them, at most GENERAL_MATCHES */
    xncc_match want[GENERAL_MATCHES];
} general_request;

/* Draws the options of a request by the rules of the case. kernel: the one that is to serve it.
 * map: the scores, of which some become the limit. */
void general_request_draw(general_subject *s, const char *kernel, const xncc_map *map,
                          general_request *r);
/* Finds the answer in the expected map by brute force. It uses no score of the oracle, only the
 * place of its first window. */
void general_request_answer(const general_subject *s, const xncc_map *map, general_request *r);
/* Compares matches with the answer. how: the way they were found, for the report. */
void general_compare(const general_subject *s, const general_request *r, const char *how,
                     const xncc_match *got, size_t found);

/* Calls xncc_correlate with the context and the template of a slot, and compares the map.
 * where: as for placed_create, with the turn of the run. */
void general_check_map(general_subject *s, const kit_options *forced, uint64_t slot, int where,
                       const xncc_map *want, const char *what);

/* Make a request of a plan with the first template of the subject, and compare the matches: of a
 * search while the rows arrive in steps, and of one that leaves them on the device, where kernels
 * that allow it are captured into a graph as well. */
void general_check_rows(general_subject *s, xncc_plan *plan, const general_request *r);
void general_check_left_on_device(general_subject *s, xncc_plan *plan, const general_request *r);

#endif
