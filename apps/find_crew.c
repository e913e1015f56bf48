/* SPDX-License-Identifier: BSD-2-Clause */
/* Finders that search small pages beside each other. */
#include "find_crew.h"

#include "find_stack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of a page that one thread searches. Larger ones keep all threads busy. */
enum { SMALL = 1 << 20 };

typedef struct finder {
    find_crew *crew;
    app_kit kit;
    pthread_t thread;
} finder;

struct find_crew {
    find_job *job;
    app_feed *feed;
    find_work *work; /* a ring: page number n is at n % room */
    int room;
    finder *finder;
    int finders;
    pthread_mutex_t taking; /* held by the finder that waits for a page */
    pthread_mutex_t lock;   /* guards the members below */
    pthread_cond_t changed;
    uint64_t taken, given; /* pages so far */
    int untold;            /* pages that were searched since `changed` was signalled for one */
    int ended, stopping;
};

static find_work *work_at(const find_crew *c, uint64_t number)
{
    return &c->work[number % (uint64_t)c->room];
}

static void close_hunts(const find_crew *c, find_work *w)
{
    for (int i = 0; i < c->job->kit.templates.count; i++)
        find_hunt_close(&w->hunts[i]);
}

xncc_status find_crew_open(find_job *job, app_feed *feed, int room, find_crew **crew,
                           app_error *error)
{
    find_crew *c = *crew = calloc(1, sizeof *c);
    if (!c)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    c->job = job;
    c->feed = feed;
    c->room = room;
    pthread_mutex_init(&c->taking, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->work = calloc((size_t)room, sizeof *c->work);
    int ok = c->work != NULL;
    for (int i = 0; i < room && ok; i++) {
        c->work[i].hunts = calloc((size_t)job->kit.templates.count, sizeof *c->work[i].hunts);
        ok = c->work[i].hunts != NULL;
    }
    return ok ? XNCC_OK
              : app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d pages at a time", room);
}

/* Takes the next page from the feed. NULL: there is none, or the work ends. */
static find_work *take(find_crew *c)
{
    find_work *w = NULL;
    pthread_mutex_lock(&c->taking);
    pthread_mutex_lock(&c->lock);
    /* The page that was given last still has its place. */
    while (!c->stopping && c->taken - c->given + 1 >= (uint64_t)c->room)
        pthread_cond_wait(&c->changed, &c->lock);
    const int go_on = !c->stopping && !c->ended;
    pthread_mutex_unlock(&c->lock);
    app_feed_page *page = go_on ? app_feed_next(c->feed) : NULL;
    pthread_mutex_lock(&c->lock);
    if (page) {
        w = work_at(c, c->taken++);
        w->page = page;
        w->searched = w->done = 0;
        w->status = XNCC_OK;
    } else {
        c->ended = 1;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_unlock(&c->taking);
    return w;
}

/* A page is searched. While more of them are ready to be searched, only every few are told, because
 * to wake a thread for each takes longer than a small page. Whoever searches the last that is ready
 * tells of all. */
static void finish(find_crew *c, find_work *w)
{
    enum { TOGETHER = 4 };
    pthread_mutex_lock(&c->lock);
    w->done = 1;
    c->untold++;
    if (c->untold >= TOGETHER || !app_feed_is_ready(c->feed)) {
        c->untold = 0;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
}

static int is_small(const app_feed_page *page)
{
    const app_picture *p = &page->scene.picture;
    return (int64_t)p->width * p->height <= SMALL;
}

static void *find_all(void *data)
{
    finder *f = data;
    find_work *w;
    while ((w = take(f->crew))) {
        w->searched = find_is_one_search(&f->kit, w->page) && is_small(w->page);
        if (w->searched)
            w->status = find_search_page(&f->kit, w->page, w->hunts, &w->error);
        finish(f->crew, w);
    }
    return NULL;
}

void find_crew_start(find_crew *c, int finders)
{
    app_error unused;
    c->finder = calloc((size_t)finders, sizeof *c->finder);
    while (c->finder && c->finders < finders) {
        finder *f = &c->finder[c->finders];
        f->crew = c;
        if (app_kit_share(&c->job->kit, &f->kit, &unused) ||
            pthread_create(&f->thread, NULL, find_all, f) != 0) {
            app_kit_close(&f->kit);
            return;
        }
        c->finders++;
    }
}

/* Takes the next page or, on a device that searches many in one call, all that are ready. */
static int take_alone(find_crew *c)
{
    find_work *together[FIND_STACK_PAGES];
    size_t count = 0;
    const int stacks = find_stack_pays(c->job);
    if (!take(c))
        return 0;
    while (stacks && c->taken - c->given + 1 < (uint64_t)c->room && app_feed_is_ready(c->feed) &&
           c->taken - c->given < FIND_STACK_PAGES && take(c))
        continue;
    for (uint64_t n = c->given; n < c->taken && stacks; n++)
        together[count++] = work_at(c, n);
    if (count > 1)
        find_stack_search(&c->job->kit, together, count);
    return 1;
}

find_work *find_crew_next(find_crew *c)
{
    if (c->given > 0)
        close_hunts(c, work_at(c, c->given - 1));
    if (!c->finders && c->given == c->taken && !take_alone(c))
        return NULL;
    find_work *w = NULL;
    pthread_mutex_lock(&c->lock);
    while (c->finders && !(c->given < c->taken && work_at(c, c->given)->done) &&
           !(c->ended && c->given == c->taken))
        pthread_cond_wait(&c->changed, &c->lock);
    if (c->given < c->taken)
        w = work_at(c, c->given++);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return w;
}

void find_crew_close(find_crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->stopping = 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    app_feed_stop(c->feed);
    for (int i = 0; i < c->finders; i++)
        pthread_join(c->finder[i].thread, NULL);
    for (; c->given < c->taken; c->given++)
        app_feed_release(c->feed, work_at(c, c->given)->page);
    for (int i = 0; c->work && i < c->room && c->work[i].hunts; i++) {
        close_hunts(c, &c->work[i]);
        free(c->work[i].hunts);
    }
    for (int i = 0; i < c->finders; i++)
        app_kit_close(&c->finder[i].kit);
    free(c->finder);
    free(c->work);
    free(c);
}
