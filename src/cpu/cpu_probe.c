/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects what this processor supports and how many processors this process may use. */
#ifdef __linux__
#define _GNU_SOURCE
#include <sched.h>
#endif
#include "cpu/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* What this build has no kernels for is not reported. */
#if defined(XNCC_CPU_X86)

/* Returns the register state that the operating system saves (XCR0): bits 1 and 2 are SSE and AVX,
 * bits 5 to 7 AVX-512. */
static uint32_t saved_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

uint32_t xncc_cpu_features(void)
{
    enum {
        FMA = 1 << 12,
        OSXSAVE = 1 << 27,
        AVX2 = 1 << 5,
        AVX512VNNI = 1 << 11,
        AVXVNNI = 1 << 4
    };
    uint32_t a, b, c, d, leaf1c, state, features = 0;
    if (!__get_cpuid(1, &a, &b, &leaf1c, &d) || !(leaf1c & OSXSAVE) ||
        !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 0;
    state = saved_state();
    if ((state & 0x06) != 0x06 || !(b & AVX2) || !(leaf1c & FMA))
        return 0;
    features |= XNCC_CPU_AVX2_FMA;
#if defined(XNCC_CPU_VNNI)
    const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    if ((state & 0xe6) == 0xe6 && (b & avx512) == avx512 && (c & AVX512VNNI))
        features |= XNCC_CPU_AVX512_VNNI;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & AVXVNNI))
        features |= XNCC_CPU_AVXVNNI;
#endif
    return features;
}
#elif defined(XNCC_CPU_ARM64)
#ifdef __linux__
#include <sys/auxv.h>
#endif

uint32_t xncc_cpu_features(void)
{
    uint32_t features = XNCC_CPU_NEON;
#ifdef __linux__
    enum { HAS_DOT_PRODUCTS = 1 << 20 }; /* HWCAP_ASIMDDP, which old headers do not have */
    if (getauxval(AT_HWCAP) & HAS_DOT_PRODUCTS)
        features |= XNCC_CPU_DOTPROD;
#endif
    return features;
}
#else
uint32_t xncc_cpu_features(void)
{
    return 0;
}
#endif

#if defined(__x86_64__) || defined(__i386__)
static void processor_name(char text[49])
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t piece[4] = { 0 };
        (void)__get_cpuid(0x80000002u + i, &piece[0], &piece[1], &piece[2], &piece[3]);
        memcpy(text + 16 * i, piece, sizeof piece);
    }
    text[48] = '\0';
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--)
        text[end - 1] = '\0';
}
#else
static void processor_name(char text[49])
{
    struct utsname system;
    text[0] = '\0';
    if (uname(&system) == 0)
        (void)snprintf(text, 49, "%.48s", system.machine);
}
#endif

static char name_text[49];
static pthread_once_t name_once = PTHREAD_ONCE_INIT;

static void find_name(void)
{
    processor_name(name_text);
    if (name_text[0] == '\0')
        memcpy(name_text, "CPU", 4);
}

const char *xncc_cpu_name(void)
{
    (void)pthread_once(&name_once, find_name);
    return name_text;
}

const char *xncc_cpu_features_text(void)
{
    static const char *const text[8] = {
        "baseline only",
        "AVX2+FMA",
        "AVX-VNNI",
        "AVX2+FMA, AVX-VNNI",
        "AVX-512 VNNI",
        "AVX2+FMA, AVX-512 VNNI",
        "AVX-VNNI, AVX-512 VNNI",
        "AVX2+FMA, AVX-VNNI, AVX-512 VNNI",
    };
    const uint32_t features = xncc_cpu_features();
    if (features & XNCC_CPU_NEON)
        return features & XNCC_CPU_DOTPROD ? "NEON, dot products" : "NEON";
    return text[features];
}

int32_t xncc_cpu_processors(void)
{
    long count = 0;
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
#endif
    if (count < 1)
        count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int32_t)count;
}
