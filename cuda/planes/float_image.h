// SPDX-License-Identifier: BSD-2-Clause
// What the kernels for floats by transforms share: the image under a band, the template's constants
// and the list of windows in doubt. f32, f64 and u32, one channel, all pixels count.
#ifndef XNCC_CUDA_PLANES_FLOAT_IMAGE_H
#define XNCC_CUDA_PLANES_FLOAT_IMAGE_H

#include "cuda/runtime/handles.h"

#include "math/grid.h"
#include "math/window_bounds.h"

extern "C" {
#include "plan/cost_split_cuda.h"
}

#include <type_traits>

namespace xncc {

// The image under a band.
struct FloatImage {
    xncc_image image; // in device memory, with its pitch
    xncc_border border;
    int64_t x, y;          // the image pixel where the first window begins
    int32_t columns, rows; // the pixels that the band's windows reach
};

// The template's samples, in device memory.
struct TemplateView {
    const unsigned char *pixels;
    int64_t pitch;
    int32_t width, height;
};

// A sample of a band that is far from all others, less the pivot.
struct FloatOutlier {
    int32_t x, y; // in the band
    double v;
};
constexpr uint32_t MOST_OUTLIERS = 32;     // if there are more, none is one
constexpr int32_t ALL_FINITE = 0x7fefffff; // as a limit (FloatConstants): none is one

// Shares of a launch's work (cuda/products/shares.cuh): how many have been taken, and how many are
// done.
struct Shares {
    uint32_t taken, done;
};

constexpr int MOST_SHARERS = 256; // thread blocks that share the work of levels

// What exact sums (exact_sums.cu) know of a band before they begin; zeros at first. The work; how
// fine and how large the samples of image and template are, and how large those of the template;
// whether one that counts is not finite but must be; and the windows in doubt.
struct ExactWork {
    Shares shares;
    int32_t finest, top, templ_top;
    uint32_t bad, doubts;
};

// The constants of the template and of the band, in device memory. Kernels make and read them.
struct FloatConstants {
    xncc_window_templ templ;
    double *samples;    // of the template, less its pivot, tightly packed
    double pivot;       // of the template
    double image_pivot; // the same, unless the method is centred
    // The sums of the template's samples themselves, and of their squares; and their grid.
    xncc_twofold T, T2;
    xncc_grid grid;
    uint32_t doubts; // of the band: windows in doubt; the list may have no room for all
    uint32_t hard;   // of these, those that finer sums leave in doubt
    uint32_t last;   // of these, those that sums in pairs of doubles leave in doubt
    uint32_t far;    // of these, those whose sums need longer integers than most (settle_long.cu)
    uint32_t left;   // counter of refine_many.cu and small_exact.cu, 0 in between
    uint32_t done;   // blocks of a kernel that have come to its end (is_last_block), 0 in between
    ExactWork exact, exact_last; // of the windows in doubt; of the last ones
    uint32_t again;              // 1 if sums are made again, those of columns without a loss
    // float-split: samples are outliers if the size of the sample less the pivot, as a double, has
    // an upper half that is larger than `limit`. X and the sums of columns are without them, and
    // every window's sums get them at the end. The other kernels have none. Samples that are not
    // finite count as 0 in all of these sums.
    uint32_t outliers;
    int32_t limit;
    double usual; // how large samples less the pivot usually are
    FloatOutlier outlier[MOST_OUTLIERS];
};

// The size of a window is a number that grows with the root of its Q: there are so many sizes.
constexpr int SIZES_OF_WINDOWS = 1024;

// The sizes of the windows of a block that wait for X: from `least` to `most`.
struct BlockSizes {
    int32_t least, most;
};

// Levels of the windows whose X is made again, in device memory. The windows of a level have sizes
// that are near to each other. X of a level is made without the samples that are larger than any of
// its windows allows, so that the bound of X's error is relative to what is left.
struct FloatLevels {
    uint32_t seen[SIZES_OF_WINDOWS]; // 1 if a window of that size waits for X
    int32_t count;
    int32_t least[XNCC_SPLIT_LEVELS], most[XNCC_SPLIT_LEVELS]; // the sizes of a level's windows
    int32_t beyond; // 1: the first level is without some samples of the band
    int32_t made;   // 1: X of the levels is made
    Shares shares;  // of the work (split_levels.cu)
};

// S and Q of the columns of a band's windows.
struct FloatColumns {
    // A row per row of windows. A column with a sample that is not finite has no sums but is marked
    // (mark_of_column).
    double2 *sums;
    int64_t pitch; // in elements
    // Per strip and block of columns: the sum of the squares of all samples that entered the sums.
    double *reach;
    int32_t across; // blocks of columns per strip
    // What the sums lose, relative to the reach of their columns. For S: to the root of its
    // product with `samples`, the most samples that a strip of a window's columns reads.
    double loss, samples;
};

// The blocks of a band whose products are made together: their geometry, and what is known of each
// pair of them, or of each by itself.
struct FloatBlocks {
    int32_t width, height;  // points of a transform
    int32_t step_x, step_y; // map elements of a block; the distance between adjacent ones
    int32_t across, count;  // blocks per row of blocks, and in the band
    int32_t each;           // blocks that share a bound: 2, or 1
    double relative;        // the error of X, relative to the norms of what was transformed
    double *squares;        // the sums of the squares of their samples
    double *error;          // bounds of the error of X
};

// The bounds of the errors of a band's products: those of blocks, and what is added to them, a
// bound relative to the samples of window and template.
struct BlockBounds {
    const double *error;
    int32_t step_x, step_y, across;
    int32_t each; // adjacent blocks that share a bound
    double own;

    __device__ int block_of(int x, int y) const
    {
        return y / step_y * across + x / step_x;
    }
};

inline BlockBounds bounds_of(const FloatBlocks &b, double own)
{
    return { b.error, b.step_x, b.step_y, b.across, b.each, own };
}

// The products of a band.
struct FloatProductsJob {
    FloatImage image;
    xncc_method method;
    int32_t width, height; // map elements of the band
    double *sums;          // X, `pitch` elements per row
    int64_t pitch;
    bool adds; // X is added to what is there
};

// A window in doubt.
struct FloatDoubt {
    int32_t x, y; // in the band
};

// The windows in doubt of a band, in device memory: those on the first list, as many as there is
// room for, and those that finer sums leave in doubt. What sums in pairs of doubles leave in doubt
// is put on the first list again, and what long integers leave, on the second one.
struct FloatDoubts {
    FloatDoubt *list, *hard;
    uint32_t room;
    void *parts; // scratch: XNCC_DOUBT_PARTS sums of parts of windows
};

} // namespace xncc

#endif
