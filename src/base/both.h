/* Functions that the C and the CUDA compiler both build from one text. */
#ifndef CM_BASE_BOTH_H
#define CM_BASE_BOTH_H

#ifdef __CUDACC__
#define CM_BOTH __host__ __device__ __forceinline__
#else
#define CM_BOTH inline
#endif

#endif
