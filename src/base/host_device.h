/* SPDX-License-Identifier: BSD-2-Clause */
/* The qualifiers of functions that are compiled both for the host and, by nvcc, for the device.
 * They are declared `static XNCC_HD`; those that C++ may call for a constant, `static
 * XNCC_CONST_HD`. */
#ifndef XNCC_BASE_HOST_DEVICE_H
#define XNCC_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define XNCC_HD __host__ __device__ __forceinline__
#else
#define XNCC_HD inline
#endif
#ifdef __cplusplus
#define XNCC_CONST_HD constexpr XNCC_HD
#else
#define XNCC_CONST_HD XNCC_HD
#endif

#endif
