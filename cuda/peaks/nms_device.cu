// SPDX-License-Identifier: BSD-2-Clause
// Non-maximum suppression of candidates in device memory (nms_device.h), in three steps:
// 1. Each candidate finds its rank by counting the candidates that come before it.
// 2. Chunk by chunk of that order, one block takes every candidate that no taken one has
//    suppressed.
// 3. After each chunk, all blocks suppress the later candidates that are the same thing as one that
//    was taken.
//
// The work is proportional to the square of the number of candidates.
#include "cuda/peaks/nms_device.h"

#include "cuda/peaks/peak_order.cuh"
#include "cuda/runtime/warp.cuh"

extern "C" {
#include "peaks/nms.h"
}

namespace xncc {

namespace {

constexpr int BLOCK = 256;  // threads per block of the kernels that rank and suppress
constexpr int CHUNK = 1024; // candidates that one block takes from, and its threads

__device__ bool has_score(const xncc_candidate &c)
{
    return c.match.score == c.match.score;
}

// Adds `more` to the count and returns where the new candidates begin. The count stops at room + 1,
// which means "too many". Called by all threads of the only block.
__device__ uint32_t grow(SuppressState *state, uint32_t more, uint32_t room)
{
    __shared__ uint32_t first;
    if (threadIdx.x == 0) {
        first = state->count;
        const uint64_t all = static_cast<uint64_t>(first) + more;
        state->count = all > room ? room + 1 : static_cast<uint32_t>(all);
    }
    __syncthreads();
    return first;
}

// Appends the *found matches of one template. One block of CHUNK threads.
__global__ void add_matches(CandidateList to, const xncc_match *match, const uint32_t *found,
                            xncc_candidate form)
{
    const uint32_t more = *found, first = grow(to.state, more, to.room);
    for (uint32_t i = threadIdx.x; i < more && first + i < to.room; i += CHUNK) {
        form.match = match[i];
        to.candidate[first + i] = form;
    }
}

// Appends `more` candidates. One block of CHUNK threads.
__global__ void add_all(CandidateList to, const xncc_candidate *candidate, uint32_t more)
{
    const uint32_t first = grow(to.state, more, to.room);
    for (uint32_t i = threadIdx.x; i < more && first + i < to.room; i += CHUNK)
        to.candidate[first + i] = candidate[i];
}

// Clears what the passes below accumulate. One thread per place.
__global__ void begin_suppress(SuppressJob job)
{
    const uint32_t i = blockIdx.x * CHUNK + threadIdx.x;
    if (i < job.room) {
        job.rank[i] = 0;
        job.suppressed[i] = 0;
    }
    if (i == 0) {
        SuppressState *s = job.state;
        s->valid = s->before = s->taken = s->full = 0;
        *job.kept = s->count > job.room ? UINT32_MAX : 0;
    }
}

// The number of candidates; 0 if there are too many.
__device__ uint32_t suppress_count(const SuppressJob &job)
{
    const uint32_t count = job.state->count;
    return count > job.room ? 0 : count;
}

// Computes the rank of each candidate: the number of candidates that come before it in the order of
// xncc_candidate_compare; of equal candidates, the one that was added first comes first. A block of
// BLOCK threads has one candidate per thread (blockIdx.x) and compares it with every gridDim.y-th
// tile of BLOCK candidates (from tile blockIdx.y on), which it holds in shared memory. Each block
// adds its count to the rank with an atomic.
__global__ __launch_bounds__(BLOCK) void rank_candidates(SuppressJob job)
{
    __shared__ xncc_candidate tile[BLOCK];
    const uint32_t count = suppress_count(job), i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x * BLOCK >= count)
        return;
    xncc_candidate mine = {};
    if (i < count)
        mine = job.candidate[i];
    uint32_t before = 0;
    for (uint32_t first = blockIdx.y * BLOCK; first < count; first += gridDim.y * BLOCK) {
        const uint32_t length = min(static_cast<uint32_t>(BLOCK), count - first);
        if (threadIdx.x < length)
            tile[threadIdx.x] = job.candidate[first + threadIdx.x];
        __syncthreads();
        for (uint32_t k = 0; k < length; k++) {
            const int order = has_score(tile[k])
                                  ? xncc_candidate_compare(&tile[k], &mine, job.smallest)
                                  : 1;
            before += order < 0 || (order == 0 && first + k < i);
        }
        __syncthreads();
    }
    if (i < count && before)
        atomicAdd(&job.rank[i], before);
}

// Moves each candidate that has a score to the place of its rank, and counts them. One thread per
// candidate.
__global__ void sort_candidates(SuppressJob job)
{
    const uint32_t count = suppress_count(job), i = blockIdx.x * CHUNK + threadIdx.x;
    const bool in = i < count && has_score(job.candidate[i]);
    if (in)
        job.sorted[job.rank[i]] = job.candidate[i];
    const unsigned all = __ballot_sync(WARP_ALL, in);
    if (threadIdx.x % WARP_LANES == 0 && all)
        atomicAdd(&job.state->valid, static_cast<uint32_t>(__popc(all)));
}

// Returns the index of the block's first thread whose flag is set, or CHUNK if there is none. room:
// 32 words of shared memory. A call overwrites them after only one barrier, so two arrays must
// alternate.
__device__ uint32_t first_of_block(bool flag, uint32_t *room)
{
    const uint32_t lane = threadIdx.x % WARP_LANES;
    const unsigned mine = __ballot_sync(WARP_ALL, flag);
    if (lane == 0)
        room[threadIdx.x / WARP_LANES] = mine;
    __syncthreads();
    const uint32_t word = room[lane];
    const unsigned any = __ballot_sync(WARP_ALL, word != 0);
    const int warp = __ffs(static_cast<int>(any)) - 1;
    const uint32_t found = __shfl_sync(WARP_ALL, word, warp < 0 ? 0 : warp);
    return any ? static_cast<uint32_t>(warp * WARP_LANES + __ffs(static_cast<int>(found)) - 1)
               : CHUNK;
}

// Goes through one chunk of the sorted candidates, in order, and takes each candidate that no
// better one has suppressed. One block of CHUNK threads, one candidate per thread: each round finds
// the first open candidate, takes it, and closes those that are the same thing. Shared memory: the
// CHUNK candidates.
__global__ __launch_bounds__(CHUNK) void take_chunk(SuppressJob job, uint32_t chunk)
{
    __shared__ xncc_candidate candidate[CHUNK];
    __shared__ uint32_t room[2][WARP_LANES];
    SuppressState *state = job.state;
    const uint32_t valid = state->valid, i = chunk * CHUNK + threadIdx.x;
    if (state->full || chunk * CHUNK >= valid)
        return;
    uint32_t taken = state->taken;
    const uint32_t before = taken;
    bool open = i < valid && !job.suppressed[i];
    if (i < valid)
        candidate[threadIdx.x] = job.sorted[i];
    for (uint32_t round = 0; taken < job.top; round++) {
        // its barrier also makes the candidates in shared memory visible
        const uint32_t next = first_of_block(open, room[round & 1]);
        if (next == CHUNK)
            break;
        if (threadIdx.x == next) {
            job.result[taken] = candidate[next];
            open = false;
        }
        taken++;
        if (open && xncc_candidate_same(&job.rule, &candidate[next], &candidate[threadIdx.x]))
            open = false;
    }
    if (threadIdx.x == 0) {
        state->before = before;
        state->taken = taken;
        state->full = taken == job.top;
        *job.kept = taken;
    }
}

// Suppresses the candidates from `first` on that are the same thing as one that the last chunk
// took. One thread per candidate; the taken ones pass through shared memory in tiles of BLOCK.
__global__ __launch_bounds__(BLOCK) void suppress(SuppressJob job, uint32_t first)
{
    __shared__ xncc_candidate tile[BLOCK];
    const SuppressState *state = job.state;
    const uint32_t valid = state->valid, begin = first + blockIdx.x * BLOCK,
                   i = begin + threadIdx.x;
    if (state->full || begin >= valid)
        return;
    bool open = i < valid && !job.suppressed[i];
    xncc_candidate mine = {};
    if (i < valid)
        mine = job.sorted[i];
    for (uint32_t from = state->before; from < state->taken; from += BLOCK) {
        const uint32_t length = min(static_cast<uint32_t>(BLOCK), state->taken - from);
        if (threadIdx.x < length)
            tile[threadIdx.x] = job.result[from + threadIdx.x];
        __syncthreads();
        for (uint32_t k = 0; k < length && open; k++)
            open = !xncc_candidate_same(&job.rule, &tile[k], &mine);
        __syncthreads();
    }
    if (i < valid && !open)
        job.suppressed[i] = 1;
}

unsigned blocks_of(uint32_t count, int block)
{
    return static_cast<unsigned>(ceil_div(count, static_cast<uint32_t>(block)));
}

} // namespace

cudaError_t launch_add_matches(const CandidateList &to, const xncc_match *match,
                               const uint32_t *found, const xncc_candidate &form,
                               cudaStream_t stream)
{
    add_matches<<<1, CHUNK, 0, stream>>>(to, match, found, form);
    return cudaGetLastError();
}

cudaError_t launch_add_candidates(const CandidateList &to, const xncc_candidate *candidate,
                                  uint32_t count, cudaStream_t stream)
{
    add_all<<<1, CHUNK, 0, stream>>>(to, candidate, count);
    return cudaGetLastError();
}

cudaError_t launch_suppress(const SuppressJob &job, cudaStream_t stream)
{
    // The blocks that share the comparisons of one candidate, so that few candidates fill a device.
    constexpr unsigned SPLITS = 32;
    const unsigned chunks = blocks_of(job.room, CHUNK), tiles = blocks_of(job.room, BLOCK);
    begin_suppress<<<chunks, CHUNK, 0, stream>>>(job);
    rank_candidates<<<dim3(tiles, tiles < SPLITS ? tiles : SPLITS), BLOCK, 0, stream>>>(job);
    sort_candidates<<<chunks, CHUNK, 0, stream>>>(job);
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        take_chunk<<<1, CHUNK, 0, stream>>>(job, chunk);
        const uint32_t next = (chunk + 1) * CHUNK;
        if (next < job.room)
            suppress<<<blocks_of(job.room - next, BLOCK), BLOCK, 0, stream>>>(job, next);
    }
    return cudaGetLastError();
}

} // namespace xncc
