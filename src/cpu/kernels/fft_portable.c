/* fft-portable: the transforms for any processor, 2 doubles per vector. */
#define FFT_LANES 2
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
    .windows = &xncc_windows_portable,
};
const xncc_cpu_kernel xncc_fft_portable_match = { xncc_fft_shape, xncc_fft_begin, xncc_fft_area,
                                                  xncc_fft_pair, &isa };
