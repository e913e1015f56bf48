/* fft-portable: the transforms for any processor, 2 doubles a vector. */
#define FFT_LANES 2
#include "cpu/fft_body.h"
#include "cpu/variants.h"

static const cm_fft_isa isa = {
    .row_bytes = row_bytes,
    .table_bytes = table_bytes,
    .tables = tables,
    .row_in = row_in,
    .digits_in = digits_in,
    .columns = columns,
    .convolve = convolve,
    .row_out = row_out,
    .windows = &cm_windows_portable,
};
const cm_cpu_kernel cm_fft_portable_match = { cm_fft_shape, cm_fft_begin, cm_fft_area, cm_fft_pair, &isa };
