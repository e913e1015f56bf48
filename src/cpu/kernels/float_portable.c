/* direct-portable for float pixels, and its convolution. */
#define FLOAT_LANES 2
#define FLOAT_KEEP(v) ((void)(v))
#define CONVOLVE_LANES 4
#define CONVOLVE_VECTORS 2
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/float_body.h"
#include "cpu/kernels/variants.h"

#include <math.h>

static inline fd float_sqrt(fd v)
{
    return (fd){ sqrt(v[0]), sqrt(v[1]) };
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf){ fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]),
                 fmaf(a[3], b[3], c[3]) };
}

const xncc_cpu_kernel xncc_float_portable = { float_memory_of, float_begin, float_area, NULL };
const xncc_cpu_kernel xncc_convolve_portable = { convolve_memory, NULL, convolve_area, NULL };
