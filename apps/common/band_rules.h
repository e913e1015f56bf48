/* SPDX-License-Identifier: BSD-2-Clause */
/* How the options of a command decide which bands of a page are read. */
#ifndef APP_BAND_RULES_H
#define APP_BAND_RULES_H

#include "bands.h"
#include "feed.h"
#include "kit.h"
#include "spread.h"

/* The rule for all rows of a page, with nothing above, below or beside them. */
app_bands_rule app_bands_rule_of(const app_kit *kit, const app_source *page);

/* Makes the bands overlap enough for template i. */
void app_bands_fit(app_bands_rule *rule, const app_kit *kit, const app_source *page, int templ);

/* Slices are what several processes share: parts of a page that are as high as the page and the
 * rule for all of it decide. The rule for slice i, from 0. */
app_bands_rule app_bands_slice(const app_bands_rule *whole, const app_feed_page *page, uint64_t i);

/* The slices of a page as a work, of which the caller sets what is done. */
app_work app_bands_work(const app_bands_rule *whole, const app_feed_page *page);

/* Does part i of 0 .. parts - 1 of the work on a band. */
typedef xncc_status (*app_band_step)(void *data, app_band *band, int part, app_error *error);

/* Reads the bands one after the other, and does all parts of the work on each. Shows the progress.
 */
xncc_status app_bands_each(const app_kit *kit, const app_bands_rule *rule, int parts,
                           app_band_step step, void *data, app_error *error);

/* Fails if an option needs the whole page in memory; of work that processes share, before it
 * begins. */
xncc_status app_bands_refuse_shared(const app_options *options, app_error *error);
xncc_status app_bands_refuse(const app_options *options, const app_source *page, app_error *error);

#endif
