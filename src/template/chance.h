/* SPDX-License-Identifier: BSD-2-Clause */
/* Which scores chance explains, within the library. */
#ifndef XNCC_TEMPLATE_CHANCE_H
#define XNCC_TEMPLATE_CHANCE_H

#include "exactncc/chance.h"
#include "template/template.h"

/* The independent pixels of a template (xncc_chance.pixels). The first call computes them. Any
 * thread may call it. */
double xncc_template_independent(const xncc_template *templ);

#endif
