// SPDX-License-Identifier: BSD-2-Clause
// Floats and u32, one channel, all pixels count: whether the windows that the fast sums left in
// doubt are many, and their sums, from their own samples.
#ifndef XNCC_CUDA_DIRECT_REFINE_H
#define XNCC_CUDA_DIRECT_REFINE_H

#include "cuda/planes/float_image.h"
#include "cuda/runtime/map_job.h"

#include "math/general_score.h"

namespace xncc {

// X of all windows of a band, with its bounds, of which no blocks share one.
struct KnownProducts {
    const double *sums;
    int64_t pitch;
    BlockBounds bounds;
};

struct RefineJob {
    FloatImage image;
    TemplateView templ;
    FloatConstants *constants; // and how many windows are on the lists
    FloatDoubts doubts;
    FloatColumns columns; // S and Q of the windows' columns
    // X, if it is as good as it would be if it were made of the windows' samples, unless
    // constants->again says that it is to be made again; else 0.
    KnownProducts known;
    int32_t templ_width, templ_height;
    xncc_method method;
    float undefined; // the score of a flat window by ccoeff_normed
    float *map;
    int64_t map_pitch;
    MapTiles tiles; // raised by windows that get their scores
};

struct JudgeDoubtsJob {
    FloatConstants *constants;
    FloatLevels *levels;
    BlockSizes *sizes; // of so many blocks
    int32_t blocks;
    uint32_t most;
    bool centred; // the method
};

// If the windows in doubt are more than `most`, asks for their sums to be made again (`again` of
// the constants), forgets the outliers, chooses the pivot for that, and empties the levels and the
// sizes of blocks.
cudaError_t launch_judge_doubts(const JudgeDoubtsJob &job, cudaStream_t stream);

// Replaces the XNCC_DOUBT of windows on the list by their scores, or puts them on the list of hard
// ones. X is made again unless it is known. processors: of the device.
cudaError_t launch_refine(const RefineJob &job, int processors, cudaStream_t stream);

// Small templates, centred methods: the same for the windows on the list of hard ones, if all that
// are in doubt are listed and they are many, from sums of integers. What it leaves in doubt is on
// that list again, unless this is more than `few` windows. The template has at most
// XNCC_FLOAT_FUSED_TEMPLATE columns and rows.
cudaError_t launch_refine_many(const RefineJob &job, uint32_t few, int processors,
                               cudaStream_t stream);

// The same for the windows on the list of hard ones, from sums in pairs of doubles. Those that stay
// in doubt are put on the first list.
cudaError_t launch_refine_hard(const RefineJob &job, int processors, cudaStream_t stream);

// Replaces the XNCC_DOUBT of the windows that launch_refine_hard left on the first list by their
// exact scores, where long integers of a fixed size hold their sums. The others, whose samples are
// too far from each other, are put on the list of hard ones.
cudaError_t launch_settle_long(const RefineJob &job, const xncc_general_rule &rule, int processors,
                               cudaStream_t stream);

} // namespace xncc

#endif
