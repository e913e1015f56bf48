/* SPDX-License-Identifier: BSD-2-Clause */
/* The qualifier of functions that are compiled both for the host and, by nvcc, for the device. They
 * are declared `static XNCC_HD`. */
#ifndef XNCC_BASE_HOST_DEVICE_H
#define XNCC_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define XNCC_HD __host__ __device__ __forceinline__
#else
#define XNCC_HD inline
#endif

#endif
