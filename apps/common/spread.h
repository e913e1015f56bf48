/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that is divided into items, which several processes can do. Who does which is the spread's
 * matter: one shard of several, the processes of MPI, or nobody, if others have done it all. */
#ifndef APP_SPREAD_H
#define APP_SPREAD_H

#include "ledger.h"
#include "options.h"

#include <stdio.h>

/* One work: a page, or a manifest. The works of a command have numbers from 0 on. */
typedef struct app_work {
    uint64_t number, items;
    void *data;
    int keeps_failures; /* 1: an item that fails is a result; 0: it ends the work */
    /* How long item i takes, in any unit; NULL: all take about as long. */
    double (*weight)(void *data, uint64_t item);
    /* Does an item, and prints its result. */
    xncc_status (*run)(void *data, uint64_t item, FILE *out, app_error *error);
    /* 1 if the result of an earlier process still stands; NULL: it always does. */
    int (*stands)(void *data, const app_record *record);
    /* Takes the result of an item. Called in the order of the items. */
    xncc_status (*take)(void *data, const app_record *record, app_error *error);
} app_work;

typedef struct app_spread app_spread;
struct app_spread {
    /* 1: this process takes no results, because it has a part of them only. */
    int silent;
    xncc_status (*run)(app_spread *spread, const app_work *work, app_error *error);
    void (*close)(app_spread *spread, int done); /* as app_spread_close */
};

/* Does an item, and makes a record of it. The caller frees record->text. Fails only if the failure
 * of the item ends the work. */
xncc_status app_work_item(const app_work *work, uint64_t item, app_record *record,
                          app_error *error);

/* 1 if the part has an item that is done, and whose result still stands. */
int app_work_has(const app_work *work, const app_ledger *part, uint64_t item);

/* Takes the results of all items, in order, from the parts that have them. */
xncc_status app_work_take(const app_work *work, app_ledger *const *part, int parts,
                          app_error *error);

/* The name of a part of an output: OUTPUT.SHARD-of-SHARDS, which the caller frees. NULL: no memory.
 */
char *app_part_name(const char *output, int32_t shard, int32_t shards);

/* The head of the parts of a command. input_digest: tells other input files from these. The caller
 * frees it; NULL: no memory. */
char *app_part_head(const app_options *options, uint64_t input_digest);

/* The words of the command line in a head: an array that ends with NULL, which the caller frees
 * with its first element. NULL: not a head, or no memory. */
char **app_part_words(const char *head, int *count);

/* Makers of spreads. */

/* Does the items of the shard of --shard, and appends them to its part. */
app_spread_maker app_spread_shard;

/* Takes the results of all parts, which the options name. */
app_spread_maker app_spread_join;

/* Does everything, with a journal beside the output. */
app_spread_maker app_spread_alone;

/* done: 1 if the work is complete, so that journals are removed. NULL is allowed. */
void app_spread_close(app_spread *spread, int done);

#endif
