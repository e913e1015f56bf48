/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-neon for float pixels, and its convolution. */
#define REALS_LANES 2
#define REALS_ISA xncc_reals_isa_neon
#define REALS_KEEP(v) ((void)(v))
#define CONVOLVE_LANES 4
#define CONVOLVE_VECTORS 4
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/reals_body.h"
#include "cpu/kernels/variants.h"

#include <arm_neon.h>

static inline int rl_any(rl v)
{
    return (v[0] | v[1]) != 0;
}

static inline int ri_any(ri v)
{
    return (v[0] | v[1]) != 0;
}

static inline rd rd_sqrt(rd v)
{
    return (rd)vsqrtq_f64((float64x2_t)v);
}

static inline rd rd_of_floats(rf v)
{
    return __builtin_convertvector(v, rd);
}

static inline rd rd_fma(rd a, rd b, rd c)
{
    return (rd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

static inline rd rd_product_error(rd a, rd b, rd p)
{
    return (rd)vfmaq_f64(vnegq_f64((float64x2_t)p), (float64x2_t)a, (float64x2_t)b);
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

const xncc_cpu_kernel xncc_convolve_neon = { convolve_memory, NULL, convolve_area, NULL };
