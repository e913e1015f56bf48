/* SPDX-License-Identifier: BSD-2-Clause */
/* Every thread of a context fails to start once: the status and its text say so, every thread
 * that was started is joined, and the next context works. The linker leads the library's
 * pthread_create and pthread_join here. /proc/self/task would not do: it lists a thread for a
 * moment after it was joined. */
#include "kit/kit.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static int left = -1; /* calls until one fails; negative: none fails */
static int started, joined;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    if (left >= 0 && left-- == 0)
        return EAGAIN;
    const int error = __real_pthread_create(thread, attributes, function, argument);
    started += error == 0;
    return error;
}

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result)
{
    const int error = __real_pthread_join(thread, result);
    joined += error == 0;
    return error;
}

int main(int argc, char **argv)
{
    enum { THREADS = 9 };
    kit_start(argc, argv);
    const xncc_context_options options = { .size = sizeof options,
                                           .device = XNCC_DEVICE_CPU,
                                           .threads = THREADS };
    int failed = 0;
    for (int nth = 0; nth < THREADS + 1; nth++) {
        xncc_context *context = NULL;
        left = nth;
        const xncc_status status = xncc_context_create(&options, &context, &kit_error);
        const int met = left < 0;
        left = -1;
        CHECK(!met == (status == XNCC_OK));
        CHECK(!status == (context != NULL));
        if (met) {
            failed++;
            CHECK_STATUS(status, XNCC_ERROR_MEMORY);
            CHECK(strstr(kit_error.text, "thread") != NULL);
            CHECK_INT(started, nth);
            CHECK_INT(joined, nth);
        }
        xncc_context_destroy(context);
        CHECK_INT(joined, started);
        started = joined = 0;
    }
    CHECK_INT(failed, THREADS - 1);
    return kit_finish("threads");
}
