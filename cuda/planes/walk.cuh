// SPDX-License-Identifier: BSD-2-Clause
// The way of a thread through the pixels of a template.
#ifndef XNCC_CUDA_PLANES_WALK_CUH
#define XNCC_CUDA_PLANES_WALK_CUH

namespace xncc {

// Where one of several threads is in a window, whose samples they take in turn.
struct Walk {
    int i, j;           // column and row
    int step_i, step_j; // to the thread's next sample, at most one row further
    int width;

    __device__ Walk(int own, int threads, int columns)
        : i(own % columns), j(own / columns), step_i(threads % columns), step_j(threads / columns),
          width(columns)
    {
    }
    __device__ void next()
    {
        i += step_i;
        j += step_j;
        if (i >= width) {
            i -= width;
            j++;
        }
    }
};

} // namespace xncc

#endif
