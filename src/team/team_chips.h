/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking on a team: one member runs it (xncc_engine_ops of the same names). */
#ifndef XNCC_TEAM_TEAM_CHIPS_H
#define XNCC_TEAM_TEAM_CHIPS_H

#include "engine/engine.h"

int xncc_team_can_read_chips(const xncc_engine *engine, const xncc_problem *problem);
xncc_status xncc_team_read_chips(xncc_engine *engine, const xncc_chip_reads *run,
                                 xncc_error *error);

#endif
