/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a .npy file: NumPy's formats 1.0, 2.0 and 3.0. */
#ifndef APP_NPY_HEAD_H
#define APP_NPY_HEAD_H

#include "input.h"

enum { NPY_MOST_AXES = 4 };

typedef struct npy_head {
    char kind;      /* 'b' boolean, 'u', 'i' or 'f' */
    unsigned bytes; /* of an element */
    int big_endian;
    int fortran; /* 1: the first index varies fastest */
    int axes;    /* 0 .. NPY_MOST_AXES */
    uint64_t size[NPY_MOST_AXES];
} npy_head;

/* Reads the head of an input at its beginning, up to the first element. Refuses what is no array of
 * numbers. */
xncc_status npy_head_read(app_input *input, npy_head *head, app_error *error);

#endif
