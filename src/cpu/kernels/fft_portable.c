/* fft-portable: the transforms for any processor, 2 doubles per vector. */
#define FFT_LANES 2
#include "cpu/kernels/fft_body.h"
#include "cpu/kernels/variants.h"

const xncc_product_kernel xncc_fft_portable = FFT_KERNEL(xncc_rows_portable);
