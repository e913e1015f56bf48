/* Functions that the C and the CUDA compiler both build from one text. */
#ifndef XNCC_BASE_HOST_DEVICE_H
#define XNCC_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define XNCC_HD __host__ __device__ __forceinline__
#else
#define XNCC_HD inline
#endif

#endif
