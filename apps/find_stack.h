/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pages of one kind that are searched in one call, for devices on which a call for each takes
 * much longer than its search. */
#ifndef FIND_STACK_H
#define FIND_STACK_H

#include "find_crew.h"

/* The most pages of one call. */
enum { FIND_STACK_PAGES = 256 };

/* 1 if the pages of a command may be searched so: on a GPU, once that is certain, with one
 * template. */
int find_stack_pays(const find_job *job);

/* Searches those of the pages that are small and of the kind of the first such page; a failure is
 * that of each of them. The others, and all of them if their kind cannot be searched, are left
 * without a search: that of a page alone says why. */
void find_stack_search(app_kit *kit, find_work *const *work, size_t count);

#endif
