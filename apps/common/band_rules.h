/* SPDX-License-Identifier: BSD-2-Clause */
/* How the options of a command decide which bands of a page are read. */
#ifndef APP_BAND_RULES_H
#define APP_BAND_RULES_H

#include "bands.h"
#include "feed.h"
#include "kit.h"

/* The rule for all rows of a page, with nothing above, below or beside them. */
app_bands_rule app_bands_rule_of(const app_kit *kit, const app_source *page);

/* Makes the bands overlap enough for template i. */
void app_bands_fit(app_bands_rule *rule, const app_kit *kit, const app_source *page, int templ);

/* Slices are what several processes share: parts of a page that are as high as the page and the
 * rule for all of it decide. Their number, and the rule for slice i, from 0. */
uint64_t app_bands_slices(const app_bands_rule *whole, const app_feed_page *page);
app_bands_rule app_bands_slice(const app_bands_rule *whole, const app_feed_page *page, uint64_t i);

/* Fails if an option needs the whole page in memory. */
xncc_status app_bands_refuse(const app_options *options, const app_source *page, app_error *error);

#endif
