// SPDX-License-Identifier: BSD-2-Clause
// Reads the map of scores of a chip in shared memory: the best window, the best of the other local
// maxima, the moments of what is far from the best, and the scores around it. The definitions are
// those of track/measure.c and track/scan_body.h, also the order of all additions.
#ifndef XNCC_CUDA_TRACK_READ_MAP_CUH
#define XNCC_CUDA_TRACK_READ_MAP_CUH

#include "cuda/runtime/warp.cuh"
#include "cuda/track/chip_block.cuh"

namespace xncc {

constexpr int PEAK_RADIUS = 2; // what is farther from the best window is noise

// The two best local maxima of a part of the map.
struct Peaks {
    float best = -INFINITY, second = -INFINITY;
    uint32_t position = 0; // of the best: y * width + x

    // Adds a part: its best peak, the place of that, and the one after it.
    __device__ __forceinline__ void join(float other, uint32_t at, float after)
    {
        const bool wins = other > best || (other == best && at < position);
        second = fmaxf(wins ? best : other, fmaxf(second, after));
        position = wins ? at : position;
        best = wins ? other : best;
    }
};

// The largest of three scores in a row, of which the outer ones may be outside of the map; those
// that are no number are left out.
__device__ __forceinline__ float largest_of(float left, float middle, float right)
{
    return fmaxf(fmaxf(left, middle), right);
}

// Finds the local maxima of columns: those that precede their eight neighbours in the order of
// scores. A thread walks down a part of a column, with the rows above and below in registers.
__device__ inline Peaks find_peaks(const ChipBlock &b)
{
    const int32_t pitch = b.job.layout.sums_pitch, width = b.place.width, height = b.place.height,
                  threads = static_cast<int32_t>(blockDim.x),
                  parts = threads > width ? threads / width : 1,
                  rows = (height + parts - 1) / parts;
    Peaks peaks;
    for (int32_t column = static_cast<int32_t>(threadIdx.x); column < width * parts;
         column += threads) {
        const int32_t part = column / width, x = column - part * width, first = part * rows,
                      end = min(first + rows, height);
        const float *at = b.scores() + first * pitch + x;
        const bool left = x > 0, right = x + 1 < width;
        auto row = [&](bool inside, const float *from, float *l, float *m, float *r) {
            *l = inside && left ? from[-1] : -INFINITY;
            *m = inside ? from[0] : -INFINITY;
            *r = inside && right ? from[1] : -INFINITY;
        };
        float l, m, r, up_l, up_m, up_r;
        row(first > 0 && first < end, at - pitch, &up_l, &up_m, &up_r);
        row(first < end, at, &l, &m, &r);
        float up = largest_of(up_l, up_m, up_r);
        for (int32_t y = first; y < end; y++, at += pitch) {
            float down_l, down_m, down_r;
            row(y + 1 < height, at + pitch, &down_l, &down_m, &down_r);
            // each comparison with what is no number is false
            if (!(l >= m) && !(r > m) && !(up >= m) && !(largest_of(down_l, down_m, down_r) > m))
                peaks.join(m, static_cast<uint32_t>(y * width + x), -INFINITY);
            up = largest_of(l, m, r);
            l = down_l;
            m = down_m;
            r = down_r;
        }
    }
    return peaks;
}

// The best window, which is the best local maximum: the largest score, and of equal ones the first
// by y, then by x. Returns its position in the map, or -1. second: the best of the other local
// maxima. All threads of the block call it; they all get the results.
__device__ inline int32_t find_best(const ChipBlock &b, float *second)
{
    Peaks peaks = find_peaks(b);
    for (int step = WARP_LANES / 2; step > 0; step /= 2) {
        const float best = __shfl_xor_sync(WARP_ALL, peaks.best, step),
                    after = __shfl_xor_sync(WARP_ALL, peaks.second, step);
        peaks.join(best, __shfl_xor_sync(WARP_ALL, peaks.position, step), after);
    }
    if (threadIdx.x % WARP_LANES == 0)
        b.shared->peaks[threadIdx.x / WARP_LANES] = make_float3(peaks.best, peaks.second,
                                                                __uint_as_float(peaks.position));
    __syncthreads();
    peaks = Peaks();
    for (unsigned w = 0; w < blockDim.x / WARP_LANES; w++) {
        const float3 of = b.shared->peaks[w];
        peaks.join(of.x, __float_as_uint(of.z), of.y);
    }
    *second = peaks.second;
    return peaks.best > -INFINITY ? static_cast<int32_t>(peaks.position) : -1;
}

// The columns left and right of the peak, and the rows with it.
struct PeakSquare {
    int32_t left, right, top, bottom;

    __device__ PeakSquare(const ChipBlock &b, int32_t x, int32_t y)
    {
        left = max(x - PEAK_RADIUS, 0);
        right = min(x + PEAK_RADIUS + 1, b.place.width);
        top = max(y - PEAK_RADIUS, 0);
        bottom = min(y + PEAK_RADIUS + 1, b.place.height);
    }
    // Rows are added in segments: those with the peak have one on each side of it.
    __device__ int32_t segments(int32_t height) const
    {
        return height + bottom - top;
    }
    __device__ void segment(int32_t k, int32_t width, int32_t *y, int32_t *first,
                            int32_t *end) const
    {
        const int32_t near = bottom - top, i = k - top;
        const bool halved = i >= 0 && i < 2 * near;
        *y = i < 0 ? k : halved ? top + i / 2 : k - near;
        *first = halved && i % 2 ? right : 0;
        *end = halved && i % 2 == 0 ? left : width;
    }
};

// The memory of the window, which is not read any more, for the moments of the segments.
struct SegmentMoments {
    double *sum, *squares;
    int32_t *n;

    __device__ SegmentMoments(const ChipBlock &b, int32_t segments)
        : sum(reinterpret_cast<double *>(b.memory)), squares(sum + segments),
          n(reinterpret_cast<int32_t *>(squares + segments))
    {
    }
};

// Adds the scores of each segment. Four lanes have a segment: each adds every fourth element, and
// the first one what is left, as the four sums of track/scan_body.h.
__device__ inline void add_segments(const ChipBlock &b, const PeakSquare &square, double best)
{
    const float *scores = b.scores();
    const int32_t segments = square.segments(b.place.height), width = b.place.width,
                  thread = static_cast<int32_t>(threadIdx.x), lane = thread % 4,
                  group = static_cast<int32_t>(blockDim.x) / 4;
    const SegmentMoments to(b, segments);
    for (int32_t first_of_block = 0; first_of_block < segments; first_of_block += group) {
        const int32_t k = first_of_block + thread / 4;
        double sum = 0.0, squares = 0.0;
        int32_t n = 0;
        if (k < segments) {
            int32_t y, first, end;
            square.segment(k, width, &y, &first, &end);
            const float *row = scores + y * b.job.layout.sums_pitch + first;
            const int32_t length = end - first, fours = length & ~3;
            auto add = [&](float score) {
                if (!isfinite(score))
                    return;
                const double d = __dadd_rn(best, -static_cast<double>(score));
                sum = __dadd_rn(sum, d);
                squares = __dadd_rn(squares, __dmul_rn(d, d));
                n++;
            };
            for (int32_t x = lane; x < fours; x += 4)
                add(row[x]);
            for (int32_t x = fours; x < length && lane == 0; x++)
                add(row[x]);
        }
        const int32_t base = thread % WARP_LANES - lane;
        double all_sum = __shfl_sync(WARP_ALL, sum, base),
               all_squares = __shfl_sync(WARP_ALL, squares, base);
        int32_t all_n = __shfl_sync(WARP_ALL, n, base);
        for (int i = 1; i < 4; i++) {
            all_sum = __dadd_rn(all_sum, __shfl_sync(WARP_ALL, sum, base + i));
            all_squares = __dadd_rn(all_squares, __shfl_sync(WARP_ALL, squares, base + i));
            all_n += __shfl_sync(WARP_ALL, n, base + i);
        }
        if (k < segments && lane == 0) {
            to.sum[k] = all_sum;
            to.squares[k] = all_squares;
            to.n[k] = all_n;
        }
    }
}

// Writes the record: two lanes add the segments in their order.
__device__ inline void write_record(const ChipBlock &b, int32_t best_x, int32_t best_y,
                                    int32_t segments, float second, ChipRecord *record)
{
    const SegmentMoments from(b, segments);
    const int32_t thread = static_cast<int32_t>(threadIdx.x), side = b.job.side;
    if (thread < 2) {
        const double *value = thread ? from.squares : from.sum;
        double total = 0.0;
#pragma unroll 8
        for (int32_t k = 0; k < segments; k++)
            total = __dadd_rn(total, value[k]);
        *(thread ? &record->squares : &record->sum) = total;
    }
    if (thread / WARP_LANES == static_cast<int32_t>(blockDim.x) / WARP_LANES - 1) { // the last warp
        int32_t n = 0;
        for (int32_t k = thread % WARP_LANES; k < segments; k += WARP_LANES)
            n += from.n[k];
        n = warp_sum(n);
        if (thread % WARP_LANES == 0) {
            record->n = n;
            record->x = best_x;
            record->y = best_y;
            record->second = second;
        }
    }
    float *around = reinterpret_cast<float *>(record + 1);
    for (int32_t i = thread; i < side * side; i += static_cast<int32_t>(blockDim.x)) {
        const int32_t x = best_x + i % side - side / 2, y = best_y + i / side - side / 2;
        const bool inside = x >= 0 && x < b.place.width && y >= 0 && y < b.place.height;
        around[i] = inside ? b.scores()[y * b.job.layout.sums_pitch + x] : NAN;
    }
}

// Reads the map of a block. All threads call it, after a barrier.
__device__ inline void read_map(const ChipBlock &b, ChipRecord *record)
{
    float second;
    const int32_t best = find_best(b, &second);
    if (best < 0) {
        if (threadIdx.x == 0)
            record->x = -1;
        return;
    }
    const int32_t best_y = best / b.place.width, best_x = best - best_y * b.place.width;
    const PeakSquare square(b, best_x, best_y);
    add_segments(b, square,
                 static_cast<double>(b.scores()[best_y * b.job.layout.sums_pitch + best_x]));
    __syncthreads();
    write_record(b, best_x, best_y, square.segments(b.place.height), second, record);
}

} // namespace xncc

#endif
