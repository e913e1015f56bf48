/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that the ranks of an MPI job share. The next item goes to whoever asks for it first, the
 * largest item first. Each rank keeps what it has done in a part of its own, beside the output, so
 * that a job that was killed goes on where it ended, with any number of ranks. Rank 0 takes the
 * results. */
#ifndef RANK_SPREAD_H
#define RANK_SPREAD_H

#include "common/spread.h"

/* MPI must be initialized. All ranks must do the same works in the same order. */
app_spread_maker rank_spread_make;

/* Call it at the end of each rank: ends the job if this rank has shared no work and others have. */
void rank_spread_end(void);

#endif
