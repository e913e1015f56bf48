/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decision knows about a machine: plain data that the engines fill. */
#ifndef XNCC_PLAN_MACHINE_H
#define XNCC_PLAN_MACHINE_H

#include "exactncc/context.h"

#include <stdint.h>

/* Instruction sets that CPU kernels need. */
enum {
    XNCC_CPU_AVX2_FMA = 1,
    XNCC_CPU_AVXVNNI = 2,
    XNCC_CPU_AVX512_VNNI = 4, /* F, BW, VL and VNNI */
    XNCC_CPU_NEON = 8,        /* of aarch64, which always has it */
    XNCC_CPU_DOTPROD = 16     /* the dot products of Armv8.2 */
};

/* A machine. All zero: one CPU thread, no SIMD and no GPU. */
typedef struct xncc_machine {
    struct {
        int32_t absent;    /* 1: the CPU engine must not be used */
        int32_t threads;   /* 0 means 1 */
        uint32_t features; /* XNCC_CPU_*, combined */
    } cpu;
    struct {
        int32_t present;        /* 1: there is a usable CUDA device; 0: the rest is unused */
        int32_t major, minor;   /* the compute capability */
        int32_t processors;     /* multiprocessors */
        int64_t shared_memory;  /* sharedMemPerBlock, bytes */
        int64_t shared_optin;   /* sharedMemPerBlockOptin, bytes */
        int64_t constant_bytes; /* constant memory for template pixels or filter taps */
        int64_t texture_width;  /* the widest pitch-linear 2-D texture, in elements */
        int64_t texture_height; /* the highest one, in rows */
        int64_t texture_pitch;  /* its largest pitch, bytes */
        int64_t workspace;      /* the largest workspace of a plan, bytes */
        int32_t fft;            /* 0: cuFFT cannot be loaded; 1: it can, or was not tried */
        int32_t fp64_is_slow;   /* 1: scores use float-float arithmetic (math/float_float.h) */
    } cuda;
    /* Several devices that share calls. engine 0: there are none. */
    struct {
        xncc_device engine; /* of which they are */
        int32_t devices;    /* that are in use */
        double handover_ms; /* what it takes to share one call */
    } team;
} xncc_machine;

/* Returns 1 if doubles run at half the rate of floats. On other devices it is 1/32 or 1/64. */
static inline int xncc_machine_has_fast_doubles(const xncc_machine *m)
{
    return m->cuda.minor == 0 && m->cuda.major >= 6 && m->cuda.major <= 10;
}

/* The multiprocessors of the device on which times were measured, an H200. */
enum { XNCC_MEASURED_PROCESSORS = 132 };

/* What a kernel launch takes at least, in milliseconds. */
#define XNCC_LAUNCH_MS 0.004

/* How many times as long as on an H200 work of doubles is assumed to take. Devices with slow
 * doubles were not measured. */
static inline double xncc_machine_slowness(const xncc_machine *m)
{
    return xncc_machine_has_fast_doubles(m) ? 1.0 : 16.0;
}

/* The most shared memory of a thread block, in bytes, if a kernel asks for all of it. */
static inline int64_t xncc_machine_shared_limit(const xncc_machine *m)
{
    return m->cuda.shared_optin > m->cuda.shared_memory ? m->cuda.shared_optin
                                                        : m->cuda.shared_memory;
}

/* Multiprocessors of the CUDA device as a divisor of times; at least 1. */
static inline double xncc_machine_processors(const xncc_machine *machine)
{
    return machine->cuda.processors > 0 ? (double)machine->cuda.processors : 1.0;
}

#endif
