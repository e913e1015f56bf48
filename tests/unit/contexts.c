/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts that are made and destroyed while others work, and in a child process while its parent
 * works. Every search must return what one alone returns. */
#include "kit/pixels.h"
#include "kit/sanitized.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MATCHES = 12, MAKERS = 3, ROUNDS = 60 };

static kit_image image, part;
static xncc_match want[MATCHES];
static size_t wanted;
static atomic_int stop;

/* Searches with a context; 1: the result is that of the first search. */
static int search(xncc_context *context)
{
    xncc_match match[MATCHES];
    xncc_template *templ = NULL;
    size_t found = 0;
    const int done = !xncc_template_create(context, &part.view, &templ, &kit_error) &&
                     !kit_find(context, &image.view, templ, &(kit_find_options){ .min_score = -1 },
                               match, MATCHES, &found);
    xncc_template_destroy(templ);
    return done && found == wanted && memcmp(match, want, found * sizeof *match) == 0;
}

static xncc_context *make(int32_t threads)
{
    xncc_context *context = NULL;
    const xncc_context_options options = { .size = sizeof options,
                                           .device = XNCC_DEVICE_CPU,
                                           .threads = threads };
    CHECK_STATUS(xncc_context_create(&options, &context, &kit_error), XNCC_OK);
    return context;
}

/* Makes a context, searches, and destroys it, again and again. */
static void *make_and_destroy(void *argument)
{
    const int32_t threads = *(const int32_t *)argument;
    for (int i = 0; i < ROUNDS; i++) {
        xncc_context *context = make(threads);
        CHECK(search(context));
        xncc_context_destroy(context);
    }
    return NULL;
}

/* Works with one context all the time. */
static void *work(void *context)
{
    long searches = 0;
    while (!atomic_load(&stop) || searches == 0) {
        CHECK(search(context));
        searches++;
    }
    return NULL;
}

static pthread_t started(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        kit_give_up("pthread_create failed");
    return thread;
}

static void check_makers(xncc_context *context)
{
    static int32_t threads[MAKERS] = { 1, 2, 4 };
    pthread_t maker[MAKERS];
    const pthread_t worker = started(work, context);
    for (int i = 0; i < MAKERS; i++)
        maker[i] = started(make_and_destroy, &threads[i]);
    for (int i = 0; i < MAKERS; i++)
        pthread_join(maker[i], NULL);
    atomic_store(&stop, 1);
    pthread_join(worker, NULL);
    atomic_store(&stop, 0);
}

/* What a child may do: make a context of its own. Its status is 0 if that works. */
static void be_child(void)
{
    xncc_context *context = NULL;
    const xncc_context_options options = { .size = sizeof options,
                                           .device = XNCC_DEVICE_CPU,
                                           .threads = 3 };
    (void)alarm(60); /* a child that hangs is ended by its signal */
    int right = !xncc_context_create(&options, &context, NULL);
    for (int i = 0; i < 3 && right; i++)
        right = search(context);
    xncc_context_destroy(context);
    _exit(right ? 0 : 1);
}

/* Forks at various moments of the parent's searches. */
static void check_fork(xncc_context *context)
{
    const pthread_t worker = started(work, context);
    for (int i = 0; i < 12; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            be_child();
        if (!CHECK(child > 0))
            break;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_INT(status, 0);
    }
    atomic_store(&stop, 1);
    pthread_join(worker, NULL);
    CHECK(search(context));
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    image = kit_image_create(XNCC_U8, 90, 70, 1, KIT_AFTER);
    part = kit_image_create(XNCC_U8, 9, 7, 0, KIT_AFTER);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    kit_image_fill(&part.view, KIT_NOISE, &random);
    xncc_context *context = make(3);
    xncc_template *templ = NULL;
    CHECK_STATUS(xncc_template_create(context, &part.view, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_find(context, &image.view, templ, &(kit_find_options){ .min_score = -1 }, want,
                          MATCHES, &wanted),
                 XNCC_OK);
    CHECK(wanted == MATCHES);
    check_makers(context);
    if (!KIT_SANITIZED) /* sanitizers hold locks of their own, which a child may find taken */
        check_fork(context);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    kit_image_destroy(&image);
    kit_image_destroy(&part);
    return kit_finish("contexts");
}
