/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching a page that is larger than memory, band by band. */
#ifndef FIND_BANDS_H
#define FIND_BANDS_H

#include "common/feed.h"
#include "find_hunt.h"

/* Searches the page for all templates. hunts: one per template, empty. The matches are those of a
 * search of the whole page. The scenes of the searches have no pixels. */
xncc_status find_in_bands(app_kit *kit, const app_feed_page *page, find_hunt *hunts,
                          app_error *error);

#endif
