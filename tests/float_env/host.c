/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the digest of every call, and whether this program flushes subnormal numbers to zero: gcc
 * links start code that does, where a program is linked with -ffast-math. */
#include "float_env/calls.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    volatile float tiny = 1e-38f, part = 0.01f;
    volatile float product = tiny * part;
    xncc_context *context = NULL;
    xncc_error error;
    const xncc_context_options options = { .size = sizeof options, .device = XNCC_DEVICE_CPU };
    if (xncc_context_create(&options, &context, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (size_t i = 0; i < CALLS; i++)
        printf("%s %016" PRIx64 "\n", call_name(i), call_digest(i, context));
    xncc_context_destroy(context);
    printf("subnormal numbers are %s\n", product > 0.0f ? "kept" : "flushed");
    return 0;
}
