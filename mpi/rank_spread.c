/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that the ranks of an MPI job share. */
#include "rank_spread.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct rank_spread {
    app_spread base;
    int rank, ranks;
    app_ledger **part; /* part 0 is this rank's; on rank 0, those of earlier jobs with more ranks
                          follow, and once the work is done the others' */
    int parts;
    char *output, *head;
} rank_spread;

/* The part of a rank. */
static char *part_name(const rank_spread *s, int rank)
{
    const size_t size = strlen(s->output) + 32;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.rank-%d", s->output, rank);
    return name;
}

static xncc_status no_memory(app_error *error)
{
    return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
}

static xncc_status add_part(rank_spread *s, app_ledger *part, app_error *error)
{
    app_ledger **more = realloc(s->part, ((size_t)s->parts + 1) * sizeof *more);
    if (!more) {
        app_ledger_close(part, 0);
        return no_memory(error);
    }
    s->part = more;
    s->part[s->parts++] = part;
    return XNCC_OK;
}

/* Opens the part of another rank to read it. *there: 0 if there is none. */
static xncc_status read_part(rank_spread *s, int rank, int *there, app_error *error)
{
    char *name = part_name(s, rank), *head = NULL;
    app_ledger *part = NULL;
    xncc_status status = name ? XNCC_OK : no_memory(error);
    *there = name && access(name, F_OK) == 0;
    if (!status && *there)
        status = app_ledger_read(name, &head, &part, error);
    if (part && strcmp(head, s->head) != 0) {
        app_ledger_close(part, 0);
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: has the results of another command or of other input files; remove "
                          "it to begin again",
                          name);
    } else if (part) {
        status = add_part(s, part, error);
    }
    free(head);
    free(name);
    return status;
}

/* The worst status of all ranks, so that all of them go the same way. */
static xncc_status agree(xncc_status status, app_error *error)
{
    int mine = (int)status, worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!status && worst)
        app_fail(error, (xncc_status)worst, "another rank has failed");
    return (xncc_status)worst;
}

/* Ranks that are not at the same place would wait for each other for ever. */
static void meet(uint64_t where)
{
    uint64_t mine[2] = { where, ~where }, least[2];
    MPI_Allreduce(mine, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (least[0] == where && least[1] == ~where)
        return;
    fprintf(stderr, "exactncc-mpi: the ranks do not see the same input files; see that all of them "
                    "can read all of them, and start the job again\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int made; /* 1: this rank has begun to share work */

void rank_spread_end(void)
{
    if (!made)
        meet(UINT64_MAX - 1);
}

typedef struct weighed {
    double weight;
    uint64_t item;
} weighed;

static int order(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->weight < y->weight || x->weight > y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Makes the list of the items that no part has, the largest first: rank 0 decides the order. */
static xncc_status list_items(const rank_spread *s, const app_work *w, uint64_t **list,
                              uint64_t *count, app_error *error)
{
    uint8_t *done = calloc(1, (size_t)w->items + 1);
    weighed *all = calloc((size_t)w->items + 1, sizeof *all);
    *list = calloc((size_t)w->items + 1, sizeof **list);
    *count = 0;
    xncc_status status = agree(done && all && *list ? XNCC_OK : no_memory(error), error);
    for (uint64_t i = 0; i < w->items && !status; i++)
        for (int k = 0; k < s->parts; k++)
            done[i] |= (uint8_t)app_work_has(w, s->part[k], i);
    if (!status)
        MPI_Allreduce(MPI_IN_PLACE, done, (int)w->items, MPI_UINT8_T, MPI_MAX, MPI_COMM_WORLD);
    for (uint64_t i = 0; i < w->items && !status; i++)
        if (!done[i])
            all[(*count)++] = (weighed){ w->weight && s->rank == 0 ? w->weight(w->data, i) : 0.0,
                                         i };
    if (!status && *count)
        qsort(all, (size_t)*count, sizeof *all, order);
    for (uint64_t i = 0; i < *count; i++)
        (*list)[i] = all[i].item;
    if (!status)
        MPI_Bcast(*list, (int)*count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    free(done);
    free(all);
    return status;
}

/* Does items of the list: each rank takes the next number from a counter that rank 0 has. */
static xncc_status do_items(rank_spread *s, const app_work *w, const uint64_t *list, uint64_t count,
                            app_error *error)
{
    uint64_t *counter, next, one = 1;
    MPI_Win window;
    xncc_status status = XNCC_OK;
    MPI_Win_allocate(s->rank == 0 ? (MPI_Aint)sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &counter, &window);
    if (s->rank == 0)
        *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    while (!status) {
        app_record r;
        MPI_Fetch_and_op(&one, &next, MPI_UINT64_T, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (next >= count)
            break;
        status = app_work_item(w, list[next], &r, error);
        if (!status)
            status = app_ledger_add(s->part[0], &r, error);
        free(r.text);
    }
    if (status) { /* the others stop at their next item */
        fprintf(stderr, "exactncc-mpi: rank %d: %s\n", s->rank, error->text);
        MPI_Fetch_and_op(&count, &next, MPI_UINT64_T, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    return agree(status, error);
}

static xncc_status take_all(rank_spread *s, const app_work *w, app_error *error)
{
    xncc_status status = XNCC_OK;
    int there;
    const int own = s->parts;
    for (int rank = 1; rank < s->ranks && !status; rank++)
        status = read_part(s, rank, &there, error);
    if (!status)
        status = app_work_take(w, s->part, s->parts, error);
    while (s->parts > own)
        app_ledger_close(s->part[--s->parts], 0);
    return status;
}

static xncc_status run(app_spread *spread, const app_work *w, app_error *error)
{
    rank_spread *s = (rank_spread *)spread;
    uint64_t *list = NULL, count = 0;
    meet(w->number);
    meet(w->items);
    xncc_status status = list_items(s, w, &list, &count, error);
    if (!status)
        status = do_items(s, w, list, count, error);
    free(list);
    return agree(!status && s->rank == 0 ? take_all(s, w, error) : status, error);
}

/* done: the parts are worth nothing any more. */
static void close_ranks(app_spread *spread, int done)
{
    rank_spread *s = (rank_spread *)spread;
    app_error unused;
    meet(UINT64_MAX);
    const int remove = agree(done ? XNCC_OK : XNCC_ERROR_ARGUMENT, &unused) == XNCC_OK;
    for (int i = 0; i < s->parts; i++)
        app_ledger_close(s->part[i], remove);
    free(s->part);
    free(s->output);
    free(s->head);
    free(s);
}

/* Opens this rank's part, and on rank 0 those that no rank of this job has. */
static xncc_status open_parts(rank_spread *s, app_error *error)
{
    char *name = part_name(s, s->rank);
    app_ledger *own = NULL;
    int there = s->rank == 0;
    xncc_status status = name ? app_ledger_open(name, s->head, &own, error) : no_memory(error);
    if (!status)
        status = add_part(s, own, error);
    for (int rank = s->ranks; there && !status; rank++)
        status = read_part(s, rank, &there, error);
    free(name);
    return status;
}

xncc_status rank_spread_make(const app_options *o, uint64_t digest, app_spread **spread,
                             app_error *error)
{
    rank_spread *s = calloc(1, sizeof *s);
    *spread = (app_spread *)s;
    if (!s)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->ranks);
    s->base = (app_spread){ .silent = s->rank != 0, .run = run, .close = close_ranks };
    s->output = strdup(o->output);
    s->head = app_part_head(o, digest);
    meet(digest);
    made = 1;
    return agree(s->output && s->head ? open_parts(s, error) : no_memory(error), error);
}
