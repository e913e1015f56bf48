/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal of a map that is written row by row: which rows have reached the disk, so that the
 * work can go on after the process was killed. */
#ifndef APP_JOURNAL_H
#define APP_JOURNAL_H

#include "fail.h"

#include <stdint.h>

/* What is known of the rows so far. */
typedef struct app_progress_line {
    int32_t rows;
    unsigned flags;
    double low, high;
} app_progress_line;

typedef struct app_journal app_journal;

/* Opens PATH.partial and PATH.journal, and keeps other processes from them. If both are there and
 * the journal begins with the key, *done is the last complete entry; otherwise they are created and
 * *done is unchanged. path must outlive the journal. */
xncc_status app_journal_open(const char *path, const char *key, app_journal **journal,
                             app_progress_line *done, app_error *error);

/* The descriptor of PATH.partial. */
int app_journal_data(const app_journal *journal);

/* Brings the data to the disk, and then an entry that says so. Where the disk is slow, only some
 * calls do it, so that it takes a tenth of the time at most. */
xncc_status app_journal_add(app_journal *journal, const app_progress_line *done, app_error *error);

/* Renames PATH.partial to PATH and removes the journal. If the status is a failure, both remain.
 * Returns the first failure. */
xncc_status app_journal_close(app_journal *journal, xncc_status status, app_error *error);

#endif
