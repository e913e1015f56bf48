/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of a page that is larger than memory, band by band. */
#ifndef CORRELATE_BANDS_H
#define CORRELATE_BANDS_H

#include "correlate_task.h"

/* Writes the maps of all templates. The page is read once. */
xncc_status correlate_in_bands(correlate_job *job, app_feed_page *page, app_error *error);

#endif
