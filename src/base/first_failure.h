/* SPDX-License-Identifier: BSD-2-Clause */
/* The first failure among tasks that run on several threads. All zero: none, and no text is wanted.
 */
#ifndef XNCC_BASE_FIRST_FAILURE_H
#define XNCC_BASE_FIRST_FAILURE_H

#include "base/error.h"

#include <stdatomic.h>

typedef struct xncc_first_failure {
    atomic_int status;
    xncc_error *error; /* receives the text; NULL: not wanted */
} xncc_first_failure;

/* Keeps the status and the text if they are the first failure. */
static inline void xncc_first_failure_note(xncc_first_failure *first, xncc_status status,
                                           const xncc_error *error)
{
    int none = XNCC_OK;
    if (status && atomic_compare_exchange_strong(&first->status, &none, (int)status) &&
        first->error)
        *first->error = *error;
}

/* The status of the first failure, or XNCC_OK. */
static inline xncc_status xncc_first_failure_status(const xncc_first_failure *first)
{
    return (xncc_status)atomic_load(&first->status);
}

#endif
