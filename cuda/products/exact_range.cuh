// SPDX-License-Identifier: BSD-2-Clause
// The first steps of exact_sums.cu: how many bits the samples have, which blocks have windows in
// doubt, primes, memory, and the sums of the template.
#ifndef XNCC_CUDA_PRODUCTS_EXACT_RANGE_CUH
#define XNCC_CUDA_PRODUCTS_EXACT_RANGE_CUH

#include "cuda/products/exact_samples.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

static __device__ bool is_doubt(const ExactJob &job, int x, int y)
{
    return __float_as_uint(job.map[y * job.map_pitch + x]) == XNCC_DOUBT;
}

// The finest and the largest bit of the samples of band and template, whether one is not finite
// that must be, and how many windows are in doubt.
static __device__ void find_range(const ExactJob &job, int index)
{
    const int own = static_cast<int>(threadIdx.x), all = static_cast<int>(gridDim.x);
    ExactWork &work = *job.work;
    xncc_grid grid = xncc_grid_empty(), of_templ = grid;
    uint32_t doubts = 0, bad = 0;
    for (int y = index; y < job.image.rows; y += all)
        for (int x = own; x < job.image.columns; x += THREADS) {
            for (int c = 0; c < job.channels; c++) {
                const double v = image_value(job, c, x, y);
                bad |= job.all_finite && !isfinite(v);
                if (isfinite(v))
                    xncc_grid_add(&grid, v);
            }
            doubts += x < job.width && y < job.height && is_doubt(job, x, y);
        }
    for (int y = index; y < job.templ.height; y += all)
        for (int x = own; x < job.templ.width; x += THREADS)
            for (int c = 0; c < job.channels; c++) {
                const double v = value_of(templ_sample(job, c, x, y));
                bad |= !isfinite(v);
                if (isfinite(v))
                    xncc_grid_add(&of_templ, v);
            }
    const int unit = min(grid.top ? grid.unit : FINEST, of_templ.top ? of_templ.unit : FINEST),
              finest = warp_max(FINEST - unit), top = warp_max(grid.top),
              templ_top = warp_max(of_templ.top);
    bad = warp_or(bad);
    doubts = warp_sum(doubts);
    if (own % WARP_LANES)
        return;
    atomicMax(&work.finest, finest);
    atomicMax(&work.top, top);
    atomicMax(&work.templ_top, templ_top);
    atomicOr(&work.bad, bad);
    atomicAdd(&work.doubts, doubts);
}

// Whether the windows of blocks with windows in doubt take less time together than those in doubt
// one by one. Nanoseconds, measured on one H200, November 2026: of a point by a prime in half of a
// transform and in a sum of adjacent pixels, and of a window's score.
static __device__ bool pays(const ExactJob &job, const ExactState &s)
{
    // White noise leaves one of 3700 windows in doubt, because sums are rounded.
    constexpr double ROUNDING = 2048.0, HALF = 0.0053, BOX = 0.0135, SCORE = 0.035;
    const ExactPlanes planes(job);
    const int products = planes.products(job.varies), boxes = planes.sums(job.varies) - products,
              halves = planes.spectra() + 3 * products + job.channels - 1;
    const double blocks = ceil_div(s.active, 2) * 2 + 1, // pairs, and about one for the template
        points = static_cast<double>(points_of(job)) * blocks,
                 together = points * (s.primes * (HALF * halves + BOX * boxes) + SCORE),
                 doubts = job.work->doubts, windows = static_cast<double>(job.width) * job.height;
    return doubts * (doubts * ROUNDING < windows ? job.alone_ns : job.hard_ns) > together;
}

// Pairs of blocks that there is memory for at a time; so many that their rows and columns by all
// primes are counted in 31 bits.
static __device__ int pairs_for(const ExactJob &job, int primes)
{
    const ExactPlanes planes(job);
    const uint64_t points = static_cast<uint64_t>(points_of(job)) * static_cast<uint64_t>(primes),
                   fixed = job.at.arena + points * 4 * static_cast<uint64_t>(planes.templ_planes()),
                   each = static_cast<uint64_t>(pair_bytes(job, primes)),
                   items = each / sizeof(uint2) / XNCC_EXACT_LEAST, // of a pair, at most
        most = min(static_cast<uint64_t>(ceil_div(job.count, 2)), INT32_MAX / items);
    return fixed > job.blocks.bytes
               ? 0
               : static_cast<int>(min((job.blocks.bytes - fixed) / each, most));
}

// Chooses unit, primes and batch, and forgets the doubts if the band will be settled. One thread.
static __device__ void choose(const ExactJob &job)
{
    ExactState &s = *state_of(job);
    const ExactWork &work = *job.work;
    const int unit = work.finest ? FINEST - work.finest : FINEST,
              range = max(max(work.top, work.templ_top) - unit, 1);
    s.unit = unit;
    s.primes = primes_for(bits_of_terms(range, xncc_long_log2(pixels_of(job)),
                                        xncc_long_log2(static_cast<uint32_t>(job.channels))));
    s.on = s.primes <= ROOT_PRIMES && !work.bad && (!job.bad || *job.bad <= XNCC_FLOAT_BAD);
    s.pairs = s.on ? pairs_for(job, s.primes) : 0;
    s.on = s.pairs > 0 && pays(job, s);
    if (!s.on)
        return;
    *job.doubts = 0;
    if (job.hard)
        *job.hard = 0;
}

// Factors of the transforms, and powers of 2.
static __device__ void make_factors(const ExactJob &job, int index)
{
    const int own = index * THREADS + static_cast<int>(threadIdx.x),
              all = static_cast<int>(gridDim.x) * THREADS, of_row = count_turns(job.blocks.width),
              of_column = count_turns(job.blocks.height),
              each = of_row + of_column + XNCC_EXACT_POWERS;
    for (int i = own; i < state_of(job)->primes * each; i += all) {
        const int number = i / each, columns = i % each >= of_row,
                  at = columns ? i % each - of_row : i % each;
        const uint32_t prime = root_table.prime(number);
        if (at >= of_column && columns) {
            const int place = at - of_column - LEAST_PLACE;
            const uint32_t of = place < 0 ? (prime + 1) / 2 : 2, // 1 / 2, or 2
                power = RootTable::power_of(of, static_cast<uint32_t>(abs(place)), prime);
            powers_of(job, number)[at - of_column] = RootPrimes::at(number).residue_of(
                uint64_t{ power } << 32);
            continue;
        }
        const int side = columns ? job.blocks.height : job.blocks.width;
        const uint32_t e = static_cast<uint32_t>(turn_exponent(side, at) * (ROOT_ORDER / side));
        turns_of(job, columns, number)[at] = RootTable::turn(
            RootTable::power_of(root_table.root[number], e, prime), prime);
    }
}

// Adds what primes leave of a share of the template to its sums: T of each channel, and T2.
static __device__ void sum_template(const ExactJob &job, int index)
{
    ExactState &s = *state_of(job);
    SampleResidues residues(job);
    const int64_t all = int64_t{ job.templ.height } * job.channels * s.primes;
    for (int64_t number = index; number < all; number += gridDim.x) {
        const int y = static_cast<int>(number % job.templ.height);
        const int64_t rest = number / job.templ.height;
        const int channel = static_cast<int>(rest % job.channels),
                  prime = static_cast<int>(rest / job.channels);
        residues.take(job, prime);
        const RootPrime by = residues.divisor();
        uint64_t T = 0, T2 = 0; // of 1536 pixels at most
        for (int x = static_cast<int>(threadIdx.x); x < job.templ.width; x += THREADS) {
            const uint64_t v = by.residue_of(
                residues.of(value_of(templ_sample(job, channel, x, y))));
            T += v;
            T2 += v * v;
        }
        T = warp_sum(T);
        T2 = warp_sum(uint64_t{ by.residue_of(T2) });
        if (threadIdx.x % WARP_LANES)
            continue;
        if (T)
            atomicAdd(&s.sums[prime][channel], static_cast<unsigned long long>(T));
        if (T2)
            atomicAdd(&s.sums[prime][XNCC_MAX_CHANNELS], static_cast<unsigned long long>(T2));
    }
}

// Whether blocks have windows in doubt, and whether all of their pixels count.
static __device__ void flag_blocks(const ExactJob &job, int index)
{
    constexpr int ROWS = 16; // of a piece
    const int pieces = job.blocks.height / ROWS;
    for (int64_t piece = index; piece < int64_t{ pieces } * job.count; piece += gridDim.x) {
        const int block = static_cast<int>(piece / pieces),
                  top = static_cast<int>(piece % pieces) * ROWS;
        const int2 start = start_of(job, block);
        uint32_t doubts = 0, missing = 0;
        for (int x = static_cast<int>(threadIdx.x); x < job.blocks.width; x += THREADS) {
            const int column = start.x + x;
            for (int y = top; y < top + ROWS && job.varies; y++)
                missing |= column < job.image.columns && start.y + y < job.image.rows &&
                           !image_sample(job, 0, column, start.y + y).counts;
#pragma unroll 4
            for (int y = top; y < min(top + ROWS, job.blocks.step_y); y++)
                doubts |= x < job.blocks.step_x && column < job.width && start.y + y < job.height &&
                          is_doubt(job, column, start.y + y);
        }
        BlockFlags &flags = flags_of(job)[block];
        if (__syncthreads_or(static_cast<int>(doubts)) && threadIdx.x == 0)
            flags.doubts = 1;
        if (__syncthreads_or(static_cast<int>(missing)) && threadIdx.x == 0)
            flags.missing = 1;
    }
}

// Lists the blocks with windows in doubt, in order. One share.
static __device__ void list_active(const ExactJob &job)
{
    constexpr int WARPS = THREADS / 32;
    __shared__ int of_warp[WARPS];
    const int own = static_cast<int>(threadIdx.x), warp = own / 32;
    const uint32_t below = (1u << own % 32) - 1;
    int listed = 0;
    for (int first = 0; first < job.count; first += THREADS) {
        const int block = first + own;
        const bool active = block < job.count && flags_of(job)[block].doubts;
        const uint32_t all = __ballot_sync(~0u, active);
        if (own % 32 == 0)
            of_warp[warp] = __popc(all);
        __syncthreads();
        int before = listed;
        for (int i = 0; i < WARPS; i++) {
            before += i < warp ? of_warp[i] : 0;
            listed += of_warp[i];
        }
        if (active)
            active_of(job)[before + __popc(all & below)] = block;
        __syncthreads(); // of_warp is in use
    }
    if (own == 0)
        state_of(job)->active = listed;
}

} // namespace xncc

#endif
