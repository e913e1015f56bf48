/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal of a map: a line with the key, and then a line per entry. A line that is not complete
 * does not count. The data of an entry are on the disk before its line is. */
#define _XOPEN_SOURCE 700 /* fdatasync */
#include "journal.h"

#include "inputs.h"
#include "lock.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct app_journal {
    const char *path;
    char *data_name, *name;
    int data, list; /* descriptors */
    double next;    /* when the next entry is due, in seconds of the clock */
};

static void free_journal(app_journal *j)
{
    if (j->data >= 0)
        close(j->data);
    if (j->list >= 0)
        close(j->list);
    free(j->data_name);
    free(j->name);
    free(j);
}

static xncc_status write_line(const app_journal *j, const char *line, app_error *error)
{
    const size_t length = strlen(line);
    errno = 0;
    if (write(j->list, line, length) == (ssize_t)length && fdatasync(j->list) == 0)
        return XNCC_OK;
    return app_fail_errno(error, j->name, "cannot write", errno ? errno : ENOSPC);
}

/* Reads the entries after the first line, which has been compared. Cuts off what follows the last
 * complete one. */
static xncc_status read_entries(const app_journal *j, FILE *from, app_progress_line *done,
                                app_error *error)
{
    char line[256];
    long end = ftell(from);
    while (fgets(line, sizeof line, from) && strchr(line, '\n')) {
        app_progress_line one;
        if (sscanf(line, "rows %d flags %u range %la %la", &one.rows, &one.flags, &one.low,
                   &one.high) != 4)
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "%s: is damaged; remove it and %s to begin again", j->name,
                            j->data_name);
        *done = one;
        end = ftell(from);
    }
    if (ferror(from))
        return app_fail_errno(error, j->name, "cannot read", errno);
    if (ftruncate(j->list, end) != 0 || lseek(j->list, end, SEEK_SET) != end)
        return app_fail_errno(error, j->name, "cannot write", errno);
    return XNCC_OK;
}

/* Goes on with an old journal, or begins a new one. */
static xncc_status begin(const app_journal *j, const char *key, app_progress_line *done,
                         app_error *error)
{
    char *line = NULL;
    size_t size = 0;
    const int copy = dup(j->list);
    FILE *from = copy >= 0 ? fdopen(copy, "r") : NULL;
    if (!from) {
        const int why = errno;
        if (copy >= 0)
            close(copy);
        return app_fail_errno(error, j->name, "cannot read", why);
    }
    const ssize_t length = getline(&line, &size, from);
    const int complete = length > 0 && line[length - 1] == '\n';
    xncc_status status = XNCC_OK;
    if (length <= 0 && (ferror(from) || !feof(from)))
        status = app_fail_errno(error, j->name, "cannot read", errno);
    else if (complete &&
             ((size_t)length != strlen(key) + 1 || strncmp(line, key, strlen(key)) != 0))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: is the journal of another command or of other input files; remove "
                          "it and %s to begin again",
                          j->name, j->data_name);
    else if (complete)
        status = read_entries(j, from, done, error);
    else if (ftruncate(j->list, 0) != 0 || lseek(j->list, 0, SEEK_SET) != 0)
        status = app_fail_errno(error, j->name, "cannot write", errno);
    fclose(from);
    free(line);
    if (status || complete)
        return status;
    char *head = app_text_join(key, "\n");
    if (!head)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", j->path);
    status = write_line(j, head, error);
    free(head);
    return status;
}

/* Opens both files. Data without a journal, or a journal without data, are worth nothing. */
static xncc_status open_files(app_journal *j, app_error *error)
{
    j->data = open(j->data_name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->data < 0)
        return app_fail_errno(error, j->data_name, "cannot write", errno);
    const int why = app_lock(j->data, 1);
    if (why)
        return app_lock_fail(error, j->data_name, why);
    j->list = open(j->name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->list < 0)
        return app_fail_errno(error, j->name, "cannot write", errno);
    if (lseek(j->data, 0, SEEK_END) == 0 && ftruncate(j->list, 0) != 0)
        return app_fail_errno(error, j->name, "cannot write", errno);
    return XNCC_OK;
}

xncc_status app_journal_open(const char *path, const char *key, app_journal **journal,
                             app_progress_line *done, app_error *error)
{
    app_journal *j = calloc(1, sizeof *j);
    *journal = NULL;
    if (!j)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    *j = (app_journal){
        path, app_text_join(path, ".partial"), app_text_join(path, ".journal"), -1, -1, 0
    };
    xncc_status status = j->name && j->data_name
                             ? open_files(j, error)
                             : app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    if (!status)
        status = begin(j, key, done, error);
    if (status)
        free_journal(j);
    else
        *journal = j;
    return status;
}

int app_journal_data(const app_journal *j)
{
    return j->data;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

xncc_status app_journal_add(app_journal *j, const app_progress_line *done, app_error *error)
{
    enum { REST = 10 }; /* an entry may take a tenth of the time */
    char line[256];
    const double begin = now();
    if (begin < j->next)
        return XNCC_OK;
    if (fdatasync(j->data) != 0)
        return app_fail_errno(error, j->data_name, "cannot write", errno);
    snprintf(line, sizeof line, "rows %d flags %u range %a %a\n", done->rows, done->flags,
             done->low, done->high);
    const xncc_status status = write_line(j, line, error);
    const double end = now();
    j->next = end + REST * (end - begin);
    return status;
}

xncc_status app_journal_close(app_journal *j, xncc_status status, app_error *error)
{
    if (!status && app_inputs_has(j->path))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: would overwrite an input; give another name", j->path);
    if (!status)
        status = app_outputs_add(j->data_name, j->path, error);
    if (!status && rename(j->data_name, j->path) != 0)
        status = app_fail_errno(error, j->path, "cannot rename the finished file", errno);
    if (!status && unlink(j->name) != 0)
        status = app_fail_errno(error, j->name, "cannot remove", errno);
    free_journal(j);
    return status;
}
