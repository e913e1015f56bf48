/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops over rows of scores for AVX2 (scan.h). */
#include "track/scan_body.h"

const xncc_scan xncc_scan_avx2 = SCAN_TABLE;
