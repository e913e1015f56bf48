/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the interface test share. */
#ifndef UNIT_INTERFACE_H
#define UNIT_INTERFACE_H

#include "kit/kit.h"

/* Null pointers, operands of another context, numbers out of range. */
void check_null(void);

#endif
