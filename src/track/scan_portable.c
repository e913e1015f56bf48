/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops over rows of scores for any processor (scan.h). */
#include "track/scan_body.h"

const xncc_scan xncc_scan_portable = SCAN_TABLE;
