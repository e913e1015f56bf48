/* fft-avx512: the transforms for AVX-512, 8 doubles per vector. */
#define FFT_LANES 8
#include "cpu/kernels/fft_body.h"
#include "cpu/kernels/variants.h"

static const xncc_fft_isa isa = {
    .row_bytes = row_bytes,
    .table_bytes = table_bytes,
    .tables = tables,
    .row_in = row_in,
    .digits_in = digits_in,
    .columns = columns,
    .convolve = convolve,
    .row_out = row_out,
    .windows = &xncc_windows_avx512,
};
const xncc_cpu_kernel xncc_fft_avx512_match = { xncc_fft_shape, xncc_fft_begin, xncc_fft_area,
                                                xncc_fft_pair, &isa };
