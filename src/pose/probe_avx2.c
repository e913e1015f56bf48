/* SPDX-License-Identifier: BSD-2-Clause */
#define PROBE_ROW xncc_probe_row_avx2
#include "pose/probe_body.h"
