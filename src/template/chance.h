/* SPDX-License-Identifier: BSD-2-Clause */
/* Which scores chance explains, within the library. */
#ifndef XNCC_TEMPLATE_CHANCE_H
#define XNCC_TEMPLATE_CHANCE_H

#include "exactncc/chance.h"

/* As xncc_chance_look, for a legal view in host memory. */
xncc_chance xncc_chance_of(const xncc_image *templ);

#endif
