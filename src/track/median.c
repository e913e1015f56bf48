/* SPDX-License-Identifier: BSD-2-Clause */
/* The median of a few numbers (median.h). */
#include "track/median.h"

double xncc_median(double *value, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        const double v = value[i];
        int32_t at = i;
        for (; at > 0 && value[at - 1] > v; at--)
            value[at] = value[at - 1];
        value[at] = v;
    }
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2.0;
}
