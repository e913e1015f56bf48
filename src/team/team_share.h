/* SPDX-License-Identifier: BSD-2-Clause */
/* The best maps of a batch, and suppression in device memory. One member does both: the first one
 * that is in use when they are opened. */
#ifndef XNCC_TEAM_TEAM_SHARE_H
#define XNCC_TEAM_TEAM_SHARE_H

#include "engine/batch_ops.h"

extern const xncc_batch_ops xncc_team_batch_ops;
extern const xncc_suppress_ops xncc_team_suppress_ops;

#endif
