/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests tell the pretended CUDA runtime (pretend.cpp) and ask of it. */
#ifndef PRETEND_PRETEND_H
#define PRETEND_PRETEND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program may define this function. The runtime calls it at every call that can fail: of the
 * CUDA runtime, of cuFFT, of the driver's encoder of tensor maps, and of dlopen and dlsym. 1: the
 * call fails. A call that frees something frees it all the same, as CUDA does when it reports
 * earlier work that failed; any other call then does nothing. call: its name. detail: what it is
 * for (a kernel, a symbol), or NULL; of a call that waits, "work" if there is any to wait for; of
 * cudaSetDevice, "back" if the device is not the one on which work is done. place: where it returns
 * to. */
int pretend_fails(const char *call, const char *detail, const void *place);

/* 1: nothing is lost if this call fails, so that what made it may succeed: the call frees
 * something, or waits although there is nothing to wait for, or there is another way (a library of
 * another name), or it only says or sets which device is current, of which pretend_misuse tells. */
int pretend_may_be_lost(const char *call, const char *detail);

/* What exists now. */
typedef struct pretend_objects {
    long memory, pinned, events, streams, textures, transforms;
} pretend_objects;

pretend_objects pretend_count(void);
/* Returns the sum of all counts. */
long pretend_count_all(const pretend_objects *objects);

/* The number of copies from or to the caller's memory that may not have ended: they are on a
 * stream, and no call has waited for it. Page-locked memory of the library is not the caller's. */
size_t pretend_under_way(void);

/* How many times streams were made to wait for what was on a default stream, since the last call of
 * this function. */
long pretend_followed(void);

/* The name of the error that the calling thread's next cudaGetLastError returns, or NULL. The
 * error stays. */
const char *pretend_last_error(void);
void pretend_clear_error(void);

/* What a program did that CUDA forbids, since the last call of this function; NULL: nothing. The
 * text stays valid until the next call. */
const char *pretend_misuse(void);

/* The number of devices, 1 at first, and the only one on which objects may be made and work may be
 * done; -1: any. */
void pretend_devices(int count, int only);
/* The calling thread's current device, which pretend_set_device sets without a call. */
int pretend_device(void);
void pretend_set_device(int device);

/* How many pieces of work were put on a device, kernels, copies and fills, and the most bytes of
 * its memory that were allocated at a time, since the last call of pretend_forget. */
unsigned long long pretend_pieces(int device);
size_t pretend_peak(int device);
void pretend_forget(void);

/* 1: all memory that is not the device's is page-locked. */
void pretend_all_pinned(int pinned);

#ifdef __cplusplus
}
#endif
#endif
