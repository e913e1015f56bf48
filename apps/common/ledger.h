/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of finished items. Records are appended, and one that is not complete does not count, so
 * work that was killed goes on where it ended. */
#ifndef APP_LEDGER_H
#define APP_LEDGER_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>

typedef struct app_ledger app_ledger;

/* Which item of which work. */
typedef struct app_item_id {
    uint64_t work, item;
} app_item_id;

typedef struct app_record {
    app_item_id id;
    int failed; /* 1: the text says why */
    char *text; /* ends with a zero, which length does not count */
    size_t length;
} app_record;

/* Opens a ledger to add to it, or makes it, and keeps other processes from it. head: a line without
 * its end; a ledger with another head is a failure. */
xncc_status app_ledger_open(const char *path, const char *head, app_ledger **ledger,
                            app_error *error);

/* Opens a ledger to read it. *head: its first line, which the caller frees. */
xncc_status app_ledger_read(const char *path, char **head, app_ledger **ledger, app_error *error);

/* 1 if the ledger has the item. Of several records the last one counts. */
int app_ledger_has(const app_ledger *ledger, app_item_id id);

/* 1 if it has the item, and it did not fail. */
int app_ledger_is_done(const app_ledger *ledger, app_item_id id);

/* Reads the record of an item that the ledger has. The caller frees record->text. */
xncc_status app_ledger_get(const app_ledger *ledger, app_item_id id, app_record *record,
                           app_error *error);

xncc_status app_ledger_add(app_ledger *ledger, const app_record *record, app_error *error);

/* Brings all records to the disk, unless status is a failure already. Returns the status. */
xncc_status app_ledger_finish(app_ledger *ledger, xncc_status status, app_error *error);

/* Closes it; remove: 1 to remove the file, too. NULL is allowed. */
void app_ledger_close(app_ledger *ledger, int remove);

#endif
