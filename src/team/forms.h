/* SPDX-License-Identifier: BSD-2-Clause */
/* The members' forms of a template or a filter. */
#ifndef XNCC_TEAM_FORMS_H
#define XNCC_TEAM_FORMS_H

#include "template/template.h"

/* One copy per member, which differs from the caller's only in what that member prepared. The
 * pixels and taps are shared. */
typedef struct xncc_team_forms {
    xncc_template *templ; /* NULL: these are forms of a filter */
    xncc_filter *filter;  /* NULL: of a template */
} xncc_team_forms;

#endif
