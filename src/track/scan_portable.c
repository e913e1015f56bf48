/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops over rows of scores for any processor (scan.h). */
#define SCAN_NAME xncc_scan_portable
#include "track/scan_body.h"
