// SPDX-License-Identifier: BSD-2-Clause
// The choice of matches among the collected candidates, by the last block of the collection.
#ifndef XNCC_CUDA_PEAKS_CHOOSE_CUH
#define XNCC_CUDA_PEAKS_CHOOSE_CUH

#include "cuda/peaks/peak_order.cuh"
#include "cuda/peaks/tile_scores.cuh"
#include "cuda/runtime/last_block.cuh"
#include "cuda/runtime/warp.cuh"

namespace xncc {

// Sorts at most blockDim.x different keys in shared memory, the largest first: a key goes where the
// number of larger ones says. For some hundred keys that takes less than the steps of a bitonic
// sort. Behind the keys there are zeros up to an even number.
__device__ inline void rank_keys(uint64_t *key, int count)
{
    const int own = static_cast<int>(threadIdx.x);
    const uint64_t mine = own < count ? key[own] : 0;
    const ulonglong2 *pair = reinterpret_cast<const ulonglong2 *>(key);
    int rank = 0;
#pragma unroll 4
    for (int i = 0; 2 * i < count; i++) {
        const ulonglong2 two = pair[i];
        rank += (two.x > mine) + (two.y > mine);
    }
    __syncthreads();
    if (own < count)
        key[rank] = mine;
    __syncthreads();
}

// Sorts keys in shared memory, the largest first: a bitonic sort by all threads of the block.
// count: a power of two.
__device__ inline void sort_keys(uint64_t *key, int count)
{
    for (int size = 2; size <= count; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            for (int i = static_cast<int>(threadIdx.x); i < count / 2;
                 i += static_cast<int>(blockDim.x)) {
                int a = 2 * i - (i & (step - 1)), b = a + step;
                bool rising = (a & size) != 0;
                uint64_t u = key[a], v = key[b];
                if (rising ? u > v : u < v) {
                    key[a] = v;
                    key[b] = u;
                }
            }
            __syncthreads();
        }
}

// Takes matches from the sorted candidates, in order, and returns how many. Called by one warp,
// which looks at 32 candidates at a time. The keys of the matches go to the front of the slot's
// candidate list in device memory, and their positions to the front of `key`. There, a position is
// written no later than at the place of the match's own key, up to which all keys have been read.
__device__ inline uint32_t take_matches(const PeakJob &job, int slot, uint64_t *key, uint32_t count)
{
    uint32_t lane = threadIdx.x, taken = 0;
    uint64_t *list = job.candidate + static_cast<size_t>(slot) * PEAK_ROOM;
    int2 *place = reinterpret_cast<int2 *>(key);
    for (uint32_t first = 0; first < count && taken < job.top; first += WARP_LANES) {
        uint64_t own = first + lane < count ? key[first + lane] : 0;
        Place p(own, job.width);
        bool open = own != 0;
        __syncwarp();
        for (uint32_t i = 0; i < taken && open && job.min_distance > 1; i++)
            open = !p.close(place[i], job.min_distance);
        __syncwarp();
        unsigned left = __ballot_sync(WARP_ALL, open);
        if (job.min_distance == 1) { // all of them at once
            const uint32_t at = taken + static_cast<uint32_t>(__popc(left & ((1u << lane) - 1u)));
            if (open && at < job.top) {
                list[at] = own;
                place[at] = make_int2(p.x, p.y);
            }
            taken = min(taken + static_cast<uint32_t>(__popc(left)), job.top);
            left = 0;
        }
        while (left != 0 && taken < job.top) {
            int next = __ffs(static_cast<int>(left)) - 1;
            int2 chosen = make_int2(__shfl_sync(WARP_ALL, p.x, next),
                                    __shfl_sync(WARP_ALL, p.y, next));
            if (static_cast<int>(lane) == next) {
                list[taken] = own;
                place[taken] = chosen;
            }
            open = open && static_cast<int>(lane) != next && !p.close(chosen, job.min_distance);
            taken++;
            left = __ballot_sync(WARP_ALL, open);
        }
        __syncwarp();
    }
    return taken;
}

// Sorts the slot's candidates and writes its matches, or leaves state->done = 0 if they cannot be
// known to be complete. Called by all threads of one block. key: PEAK_ROOM keys in shared memory.
__device__ inline void choose(const PeakJob &job, int slot, uint64_t *key)
{
    __shared__ uint32_t taken;
    PeakState *state = job.state + slot;
    uint64_t *list = job.candidate + static_cast<size_t>(slot) * PEAK_ROOM;
    uint32_t count = __ldcg(&state->candidates), size = WARP_LANES;
    if (count > PEAK_ROOM)
        return;
    const bool few = count <= blockDim.x;
    while (size < count)
        size *= 2;
    for (uint32_t i = threadIdx.x; i < size; i += blockDim.x)
        key[i] = i < count ? __ldcg(list + i) : 0;
    __syncthreads();
    if (few)
        rank_keys(key, static_cast<int>(count));
    else
        sort_keys(key, static_cast<int>(size));
    if (threadIdx.x < WARP_LANES) {
        uint32_t n = take_matches(job, slot, key, count);
        if (threadIdx.x == 0)
            taken = n;
    }
    __syncthreads();
    if (taken < job.top && state->level > peak_order(job.limit, job.smallest))
        return;
    for (uint32_t i = threadIdx.x; i < taken; i += blockDim.x)
        write_match(job, slot, i, __ldcg(list + i));
    if (threadIdx.x == 0)
        end_search(job, slot, taken);
}

// Collects the candidates of a slot's listed tiles, which its blocks share; the last block to
// finish chooses the matches. make(slot, tile): makes `scores`. key: as for choose; it may be the
// memory of the scores.
template <class Make>
__device__ __forceinline__ void collect_listed(const PeakJob &job, const TileScores &scores,
                                               uint64_t *key, const Make &make)
{
    let_next_begin();
    wait_for_front();
    const int slot = blockIdx.z;
    const uint32_t level = job.state[slot].level, count = job.state[slot].tiles;
    const uint32_t *list = job.list + static_cast<size_t>(slot) * job.tiles;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        const Tile t(job, static_cast<int32_t>(list[i]));
        make(slot, t);
        append_leaders(job, slot, level, t, scores);
        __syncthreads();
    }
    if (is_last_block(&job.state[slot].collected))
        choose(job, slot, key);
}

} // namespace xncc

#endif
