/* SPDX-License-Identifier: BSD-2-Clause */
/* --angles and --scales: searching one page for templates at any rotation and scale. */
#ifndef FIND_POSE_H
#define FIND_POSE_H

#include "find_match.h"

/* Fails if an option is given that does not go with poses, or only with them. */
xncc_status find_pose_check(const app_options *options, app_error *error);

/* Searches a page for all templates, and adds their matches to the result. */
xncc_status find_poses_on_page(find_job *job, app_feed_page *page, find_result *result,
                               app_error *error);

#endif
