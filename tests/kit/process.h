/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test asks of its process. */
#ifndef KIT_PROCESS_H
#define KIT_PROCESS_H

/* Seconds of a clock that only goes forward. */
double kit_seconds(void);

/* The number of entries of a folder, such as /proc/self/task; 0 if there is none. */
int kit_entries(const char *folder);

#endif
