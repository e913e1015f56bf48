/* SPDX-License-Identifier: BSD-2-Clause */
/* Every thread of a context fails to start once: the status and its text say so, no thread remains,
 * and the next context works. The linker leads the library's pthread_create here. */
#include "kit/kit.h"
#include "kit/process.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static int left = -1; /* calls until one fails; negative: none fails */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    if (left >= 0 && left-- == 0)
        return EAGAIN;
    return __real_pthread_create(thread, attributes, function, argument);
}

static int threads_now(void)
{
    return kit_entries("/proc/self/task");
}

int main(int argc, char **argv)
{
    enum { THREADS = 9 };
    kit_start(argc, argv);
    const xncc_context_options options = { .size = sizeof options,
                                           .device = XNCC_DEVICE_CPU,
                                           .threads = THREADS };
    xncc_context_destroy(kit_context(XNCC_DEVICE_CPU, 2)); /* a sanitizer starts a thread, too */
    const int before = threads_now();
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
            CHECK_INT(threads_now(), before);
        }
        xncc_context_destroy(context);
    }
    CHECK_INT(failed, THREADS - 1);
    CHECK_INT(threads_now(), before);
    return kit_finish("threads");
}
