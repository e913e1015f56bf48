/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are being written, which are removed if the process is told to end. The signals are
 * blocked in every thread, and one thread waits for them. So it can take a lock, and no file is
 * between two states when it looks. */
#define _XOPEN_SOURCE 700 /* sigaction */
#include "unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct unfinished {
    struct unfinished *next;
    char name[];
} unfinished;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unfinished *files;

static sigset_t awaited;
static void (*before_end)(void);

/* Ends the process as the signal does by default, so that a shell sees why it ended. */
static void die_of(int number)
{
    sigset_t one;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number); /* pending until it is unblocked */
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + number);
}

static void *wait_for_signal(void *unused)
{
    int number;
    while (sigwait(&awaited, &number) != 0)
        ;
    pthread_mutex_lock(&lock); /* never released: no file is created or renamed any more */
    if (before_end)
        before_end();
    for (const unfinished *f = files; f; f = f->next)
        unlink(f->name);
    die_of(number);
    return unused;
}

void app_unfinished_watch(void (*before)(void))
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;
    pthread_t thread;
    before_end = before;
    sigemptyset(&awaited);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&awaited, signals[i]);
    pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    if (pthread_create(&thread, NULL, wait_for_signal, NULL) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &awaited, NULL);
}

int app_unfinished_create(const char *name, mode_t mode)
{
    const size_t size = strlen(name) + 1;
    unfinished *f = malloc(sizeof *f + size);
    if (!f)
        return -1; /* malloc has set errno */
    memcpy(f->name, name, size);
    pthread_mutex_lock(&lock);
    const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const int why = errno;
    if (fd >= 0) {
        f->next = files;
        files = f;
    }
    pthread_mutex_unlock(&lock);
    if (fd < 0)
        free(f);
    errno = why;
    return fd;
}

/* Takes the file off the list. The lock is held. */
static void forget(const char *name)
{
    unfinished **at = &files;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    unfinished *f = *at;
    if (f)
        *at = f->next;
    free(f);
}

int app_unfinished_rename(const char *name, const char *to)
{
    pthread_mutex_lock(&lock);
    const int result = rename(name, to);
    const int why = errno;
    if (result == 0)
        forget(name);
    pthread_mutex_unlock(&lock);
    errno = why;
    return result;
}

void app_unfinished_remove(const char *name)
{
    pthread_mutex_lock(&lock);
    unlink(name);
    forget(name);
    pthread_mutex_unlock(&lock);
}
