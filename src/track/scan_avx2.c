/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops over rows of scores for AVX2 (scan.h). */
#define SCAN_NAME xncc_scan_avx2
#include "track/scan_body.h"
