/* SPDX-License-Identifier: BSD-2-Clause */
/* fft-portable: the transforms for any processor, 2 doubles per vector. */
#define FFT_LANES 2
#define FFT_ISA xncc_fft_isa_portable
#define CHIP_FFT_ISA xncc_chip_fft_portable
#include "cpu/kernels/fft_body.h"

#include "cpu/kernels/chip_fft_body.h"
