/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-portable for float pixels, and its convolution. */
#define REALS_LANES 2
#define REALS_ISA xncc_reals_isa_portable
#define REALS_KEEP(v) ((void)(v))
#define CONVOLVE_LANES 4
#define CONVOLVE_VECTORS 2
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/reals_body.h"
#include "cpu/kernels/variants.h"

#include <math.h>

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
    return (rd){ sqrt(v[0]), sqrt(v[1]) };
}

static inline rd rd_of_floats(rf v)
{
    return __builtin_convertvector(v, rd);
}

static inline rd rd_fma(rd a, rd b, rd c)
{
    return a * b + c;
}

static inline rd rd_product_error(rd a, rd b, rd p)
{
    return (rd){ fma(a[0], b[0], -p[0]), fma(a[1], b[1], -p[1]) };
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf){ fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]),
                 fmaf(a[3], b[3], c[3]) };
}

const xncc_cpu_kernel xncc_convolve_portable = { convolve_memory, NULL, convolve_area, NULL };
