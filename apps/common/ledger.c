/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of finished items: a head line, and then records. A record is the line "item WORK ITEM
 * FAILED LENGTH", the text, and a line end. */
#define _XOPEN_SOURCE 700 /* fdatasync, getline */
#include "ledger.h"

#include "lock.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct entry {
    app_item_id id;
    uint64_t at; /* where the text is */
    size_t length;
    size_t order; /* of two records of an item the later one counts */
    int failed;
} entry;

struct app_ledger {
    char *path;
    int fd;
    entry *entry;
    size_t count, room;
    size_t sorted; /* the first so many are in order; those after them are new */
    uint64_t end;
    double next; /* when the disk is due, in seconds of the clock */
};

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->id.work != y->id.work)
        return x->id.work < y->id.work ? -1 : 1;
    if (x->id.item != y->id.item)
        return x->id.item < y->id.item ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static xncc_status remember(app_ledger *l, const entry *e, app_error *error)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 256;
        entry *more = realloc(l->entry, room * sizeof *more);
        if (!more)
            return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory for %zu items", l->path,
                            room);
        l->entry = more;
        l->room = room;
    }
    l->entry[l->count] = *e;
    l->entry[l->count].order = l->count;
    l->count++;
    return XNCC_OK;
}

/* The last record of an item; NULL: none. */
static const entry *find(const app_ledger *l, app_item_id id)
{
    size_t low = 0, high = l->sorted;
    for (size_t i = l->count; i > l->sorted; i--)
        if (l->entry[i - 1].id.work == id.work && l->entry[i - 1].id.item == id.item)
            return &l->entry[i - 1];
    const entry last = { .id = id, .order = SIZE_MAX };
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (compare(&l->entry[middle], &last) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const entry *e = low > 0 ? &l->entry[low - 1] : NULL;
    return e && e->id.work == id.work && e->id.item == id.item ? e : NULL;
}

/* After a read that gave nothing: was that a failure, and not the end? */
static xncc_status check_end(const app_ledger *l, FILE *file, app_error *error)
{
    if (feof(file) && !ferror(file))
        return XNCC_OK;
    return app_fail_errno(error, l->path, "cannot read", errno);
}

/* Reads the line that a record begins with. 0: it is none, or the text would not end within the
 * file, which has `bytes` bytes. */
static int read_line(const char *line, uint64_t bytes, entry *e)
{
    return sscanf(line, "item %" SCNu64 " %" SCNu64 " %d %zu\n", &e->id.work, &e->id.item,
                  &e->failed, &e->length) == 4 &&
           e->at < bytes && e->length < bytes - e->at;
}

/* Reads the records after the head. What follows the last complete one does not count. */
static xncc_status read_records(app_ledger *l, FILE *file, app_error *error)
{
    char *line = NULL;
    size_t size = 0;
    struct stat info;
    if (fstat(l->fd, &info) != 0)
        return app_fail_errno(error, l->path, "cannot read", errno);
    xncc_status status = XNCC_OK;
    while (!status) {
        if (getline(&line, &size, file) <= 0) {
            status = check_end(l, file, error);
            break;
        }
        entry e = { .at = (uint64_t)ftell(file) };
        if (!read_line(line, (uint64_t)info.st_size, &e) ||
            fseek(file, (long)e.length, SEEK_CUR) != 0)
            break;
        if (getc(file) != '\n') {
            status = ferror(file) ? check_end(l, file, error) : XNCC_OK;
            break;
        }
        l->end = e.at + e.length + 1;
        status = remember(l, &e, error);
    }
    free(line);
    if (l->count)
        qsort(l->entry, l->count, sizeof *l->entry, compare);
    l->sorted = l->count;
    return status;
}

/* Reads the file. *head is NULL if its first line is not complete. */
static xncc_status load(app_ledger *l, char **head, app_error *error)
{
    size_t size = 0;
    const int copy = dup(l->fd);
    FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
    *head = NULL;
    if (!file) {
        const int why = errno;
        if (copy >= 0)
            close(copy);
        return app_fail_errno(error, l->path, "cannot read", why);
    }
    ssize_t length = getline(head, &size, file);
    xncc_status status = length > 0 ? XNCC_OK : check_end(l, file, error);
    if (length > 0 && (*head)[length - 1] == '\n') {
        (*head)[length - 1] = 0;
        l->end = (uint64_t)length;
        status = read_records(l, file, error);
    } else {
        free(*head);
        *head = NULL;
    }
    fclose(file);
    return status;
}

static app_ledger *make(const char *path, int fd)
{
    app_ledger *l = calloc(1, sizeof *l);
    if (l)
        *l = (app_ledger){ .path = strdup(path), .fd = fd };
    if (l && l->path)
        return l;
    free(l);
    close(fd);
    return NULL;
}

/* Begins an empty ledger, or goes on with one that has this head. */
static xncc_status begin(app_ledger *l, const char *head, app_error *error)
{
    char *old = NULL;
    const size_t length = strlen(head);
    xncc_status status = load(l, &old, error);
    if (!status && old && strcmp(old, head) != 0)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: has the results of another command or of other input files; remove "
                          "it to begin again",
                          l->path);
    if (!status && ftruncate(l->fd, (off_t)l->end) != 0)
        status = app_fail_errno(error, l->path, "cannot write", errno);
    if (!status && !old) {
        int why = app_output_put(l->fd, head, length, 0);
        if (!why)
            why = app_output_put(l->fd, "\n", 1, length);
        l->end = length + 1;
        if (why)
            status = app_fail_errno(error, l->path, "cannot write", why);
    }
    free(old);
    return status;
}

xncc_status app_ledger_open(const char *path, const char *head, app_ledger **ledger,
                            app_error *error)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    *ledger = NULL;
    if (fd < 0)
        return app_fail_errno(error, path, "cannot write", errno);
    app_ledger *l = make(path, fd);
    if (!l)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    const int why = app_lock(fd, 1);
    const xncc_status status = why ? app_lock_fail(error, path, why) : begin(l, head, error);
    if (status)
        app_ledger_close(l, 0);
    else
        *ledger = l;
    return status;
}

xncc_status app_ledger_read(const char *path, char **head, app_ledger **ledger, app_error *error)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *ledger = NULL;
    *head = NULL;
    if (fd < 0)
        return app_fail_errno(error, path, "cannot read", errno);
    app_ledger *l = make(path, fd);
    if (!l)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    xncc_status status = load(l, head, error);
    if (!status && !*head)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: is empty; run the command with --shard that writes it", path);
    if (status)
        app_ledger_close(l, 0);
    else
        *ledger = l;
    return status;
}

int app_ledger_has(const app_ledger *l, app_item_id id)
{
    return find(l, id) != NULL;
}

int app_ledger_is_done(const app_ledger *l, app_item_id id)
{
    const entry *e = find(l, id);
    return e && !e->failed;
}

xncc_status app_ledger_get(const app_ledger *l, app_item_id id, app_record *r, app_error *error)
{
    const entry *e = find(l, id);
    *r = (app_record){ .id = id, .failed = e->failed, .length = e->length };
    r->text = malloc(e->length + 1);
    if (!r->text)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", l->path);
    for (size_t done = 0; done < e->length;) {
        const ssize_t now = pread(l->fd, r->text + done, e->length - done, (off_t)(e->at + done));
        if (now <= 0) {
            free(r->text);
            return app_fail_errno(error, l->path, "cannot read", now < 0 ? errno : EIO);
        }
        done += (size_t)now;
    }
    r->text[e->length] = 0;
    return XNCC_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Brings the records to the disk, if that takes a tenth of the time at most. */
static int bring_to_disk(app_ledger *l)
{
    enum { REST = 10 };
    const double begin = now();
    if (begin < l->next)
        return 0;
    const int why = fdatasync(l->fd) == 0 ? 0 : errno;
    const double end = now();
    l->next = end + REST * (end - begin);
    return why;
}

xncc_status app_ledger_add(app_ledger *l, const app_record *r, app_error *error)
{
    char line[128];
    const int length = snprintf(line, sizeof line, "item %" PRIu64 " %" PRIu64 " %d %zu\n",
                                r->id.work, r->id.item, r->failed, r->length);
    const entry e = {
        .id = r->id, .at = l->end + (uint64_t)length, .length = r->length, .failed = r->failed
    };
    int why = app_output_put(l->fd, line, (uint64_t)length, l->end);
    if (!why)
        why = app_output_put(l->fd, r->text, r->length, e.at);
    if (!why)
        why = app_output_put(l->fd, "\n", 1, e.at + r->length);
    if (!why)
        why = bring_to_disk(l);
    if (why)
        return app_fail_errno(error, l->path, "cannot write", why);
    l->end = e.at + r->length + 1;
    return remember(l, &e, error);
}

xncc_status app_ledger_finish(app_ledger *l, xncc_status status, app_error *error)
{
    return status || fdatasync(l->fd) == 0 ? status
                                           : app_fail_errno(error, l->path, "cannot write", errno);
}

void app_ledger_close(app_ledger *l, int remove)
{
    if (!l)
        return;
    if (remove)
        unlink(l->path);
    close(l->fd);
    free(l->entry);
    free(l->path);
    free(l);
}
