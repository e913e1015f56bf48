// Candidates gathered and merged in device memory (exactncc/many.h): each finds its place in the
// order by counting those before it; then chunk by chunk, in that order, one block takes what
// nothing taken before is the same thing as, and all blocks strike what is the same thing as what
// was taken.
#include "cuda/engine/batch_context.h"
#include "cuda/peaks/peak_order.cuh"

extern "C" {
#include "peaks/nms.h"
}

namespace xncc {

namespace {

constexpr int BLOCK = 256;  // threads of the kernels that count and strike
constexpr int CHUNK = 1024; // candidates that one block takes from, and its threads

// How far a merge has come.
struct MergeState {
    uint32_t count;         // candidates; one more than there is room for: too many
    uint32_t valid;         // of them with a score
    uint32_t before, taken; // in the result, before the last chunk and behind it
    uint32_t full;          // 1: no more are wanted
};

struct MergeJob {
    xncc_merge_options options;
    int32_t smallest;
    uint32_t room, top;
    const xncc_candidate *candidate;
    xncc_candidate *sorted;
    uint32_t *rank;
    uint8_t *struck;
    MergeState *state;
    xncc_candidate *result;
    uint32_t *kept;
};

__device__ bool has_score(const xncc_candidate &c)
{
    return c.match.score == c.match.score;
}

// One block. Where the new ones begin, after the count has grown by them.
__device__ uint32_t grow(MergeState *state, uint32_t more, uint32_t room)
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

struct Gathered {
    xncc_candidate *candidate;
    MergeState *state;
    uint32_t room;
};

__global__ void add_matches(Gathered to, const xncc_match *match, const uint32_t *found,
                            xncc_candidate like)
{
    const uint32_t more = *found, first = grow(to.state, more, to.room);
    for (uint32_t i = threadIdx.x; i < more && first + i < to.room; i += CHUNK) {
        like.match = match[i];
        to.candidate[first + i] = like;
    }
}

__global__ void add_all(Gathered to, const xncc_candidate *candidate, uint32_t more)
{
    const uint32_t first = grow(to.state, more, to.room);
    for (uint32_t i = threadIdx.x; i < more && first + i < to.room; i += CHUNK)
        to.candidate[first + i] = candidate[i];
}

__global__ void begin_merge(MergeJob job)
{
    const uint32_t i = blockIdx.x * CHUNK + threadIdx.x;
    if (i < job.room) {
        job.rank[i] = 0;
        job.struck[i] = 0;
    }
    if (i == 0) {
        MergeState *s = job.state;
        s->valid = s->before = s->taken = s->full = 0;
        *job.kept = s->count > job.room ? UINT32_MAX : 0;
    }
}

// Candidates with a score that this merge has; none when they are too many.
__device__ uint32_t merge_count(const MergeJob &job)
{
    const uint32_t count = job.state->count;
    return count > job.room ? 0 : count;
}

// Adds to each candidate's rank those of some tiles that come before it. Among candidates that
// nothing tells apart the earlier added.
__global__ __launch_bounds__(BLOCK) void rank_candidates(MergeJob job)
{
    __shared__ xncc_candidate tile[BLOCK];
    const uint32_t count = merge_count(job), i = blockIdx.x * BLOCK + threadIdx.x;
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

__global__ void sort_candidates(MergeJob job)
{
    const uint32_t count = merge_count(job), i = blockIdx.x * CHUNK + threadIdx.x;
    const bool in = i < count && has_score(job.candidate[i]);
    if (in)
        job.sorted[job.rank[i]] = job.candidate[i];
    const unsigned all = __ballot_sync(WHOLE_WARP, in);
    if (threadIdx.x % LANES == 0 && all)
        atomicAdd(&job.state->valid, static_cast<uint32_t>(__popc(all)));
}

// The first of the block's threads with a set flag; CHUNK when there is none. room: written by each
// call, so two in turn.
__device__ uint32_t first_of_block(bool flag, uint32_t *room)
{
    const uint32_t lane = threadIdx.x % LANES;
    const unsigned mine = __ballot_sync(WHOLE_WARP, flag);
    if (lane == 0)
        room[threadIdx.x / LANES] = mine;
    __syncthreads();
    const uint32_t word = room[lane];
    const unsigned any = __ballot_sync(WHOLE_WARP, word != 0);
    const int warp = __ffs(static_cast<int>(any)) - 1;
    const uint32_t found = __shfl_sync(WHOLE_WARP, word, warp < 0 ? 0 : warp);
    return any ? static_cast<uint32_t>(warp * LANES + __ffs(static_cast<int>(found)) - 1) : CHUNK;
}

// One block: goes down a chunk of the order.
__global__ __launch_bounds__(CHUNK) void take_chunk(MergeJob job, uint32_t chunk)
{
    __shared__ xncc_candidate candidate[CHUNK];
    __shared__ uint32_t room[2][LANES];
    MergeState *state = job.state;
    const uint32_t valid = state->valid, i = chunk * CHUNK + threadIdx.x;
    if (state->full || chunk * CHUNK >= valid)
        return;
    uint32_t taken = state->taken;
    const uint32_t before = taken;
    bool open = i < valid && !job.struck[i];
    if (i < valid)
        candidate[threadIdx.x] = job.sorted[i];
    for (uint32_t round = 0; taken < job.top; round++) {
        const uint32_t next = first_of_block(
            open, room[round & 1]); // its barrier also puts the candidates in place
        if (next == CHUNK)
            break;
        if (threadIdx.x == next) {
            job.result[taken] = candidate[next];
            open = false;
        }
        taken++;
        if (open && xncc_candidate_same(&job.options, &candidate[next], &candidate[threadIdx.x]))
            open = false;
    }
    if (threadIdx.x == 0) {
        state->before = before;
        state->taken = taken;
        state->full = taken == job.top;
        *job.kept = taken;
    }
}

// Strikes the candidates from `first` on that are the same thing as what the last chunk gave.
__global__ __launch_bounds__(BLOCK) void strike(MergeJob job, uint32_t first)
{
    __shared__ xncc_candidate tile[BLOCK];
    const MergeState *state = job.state;
    const uint32_t valid = state->valid, begin = first + blockIdx.x * BLOCK,
                   i = begin + threadIdx.x;
    if (state->full || begin >= valid)
        return;
    bool open = i < valid && !job.struck[i];
    xncc_candidate mine = {};
    if (i < valid)
        mine = job.sorted[i];
    for (uint32_t from = state->before; from < state->taken; from += BLOCK) {
        const uint32_t length = min(static_cast<uint32_t>(BLOCK), state->taken - from);
        if (threadIdx.x < length)
            tile[threadIdx.x] = job.result[from + threadIdx.x];
        __syncthreads();
        for (uint32_t k = 0; k < length && open; k++)
            open = !xncc_candidate_same(&job.options, &tile[k], &mine);
        __syncthreads();
    }
    if (i < valid && !open)
        job.struck[i] = 1;
}

unsigned blocks_of(uint32_t count, int block)
{
    return static_cast<unsigned>(ceil_div(count, static_cast<uint32_t>(block)));
}

} // namespace

} // namespace xncc

// What a merger has.
struct xncc_merge_work {
    int device = 0;
    uint32_t room = 0;
    xncc::DeviceMemory candidate, sorted, rank, struck, state;
};

namespace xncc {

namespace {

Gathered gathered(const xncc_merge_work *work)
{
    return Gathered{ work->candidate.as<xncc_candidate>(), work->state.as<MergeState>(),
                     work->room };
}

void merge_close(xncc_merge_work *work)
{
    DeviceScope scope(work->device);
    (void)cudaDeviceSynchronize();
    destroy(work);
}

xncc_status merge_clear(xncc_merge_work *work, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    return check(cudaMemsetAsync(work->state.as<void>(), 0, sizeof(MergeState), stream),
                 "emptying the merger", error);
}

xncc_status merge_open(xncc_engine *engine, uint32_t room, xncc_merge_work **result,
                       xncc_error *error)
{
    DeviceScope scope(engine_of(engine)->device);
    xncc_merge_work *work = create<xncc_merge_work>();
    if (!work)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "merger: no memory");
    work->device = engine_of(engine)->device;
    work->room = room;
    cudaError_t code = work->candidate.take(room * sizeof(xncc_candidate));
    if (code == cudaSuccess)
        code = work->sorted.take(room * sizeof(xncc_candidate));
    if (code == cudaSuccess)
        code = work->rank.take(room * sizeof(uint32_t));
    if (code == cudaSuccess)
        code = work->struck.take(room);
    if (code == cudaSuccess)
        code = work->state.take(sizeof(MergeState));
    if (code == cudaSuccess)
        code = cudaMemset(work->state.as<void>(), 0, sizeof(MergeState));
    xncc_status status = check(code, "taking the merger's memory", error);
    if (status)
        destroy(work);
    else
        *result = work;
    return status;
}

xncc_status merge_add(xncc_merge_work *work, const xncc_match *match, const uint32_t *found,
                      const xncc_candidate *like, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    add_matches<<<1, CHUNK, 0, stream>>>(gathered(work), match, found, *like);
    return check(cudaGetLastError(), "launching the gathering of matches", error);
}

xncc_status merge_add_candidates(xncc_merge_work *work, const xncc_candidate *candidate,
                                 uint32_t count, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(work->device);
    add_all<<<1, CHUNK, 0, stream>>>(gathered(work), candidate, count);
    return check(cudaGetLastError(), "launching the gathering of candidates", error);
}

cudaError_t launch_merge(const MergeJob &job, cudaStream_t stream)
{
    constexpr unsigned SPLITS =
        32; // of the candidates that are counted: few of them still fill a device
    const unsigned chunks = blocks_of(job.room, CHUNK), tiles = blocks_of(job.room, BLOCK);
    begin_merge<<<chunks, CHUNK, 0, stream>>>(job);
    rank_candidates<<<dim3(tiles, tiles < SPLITS ? tiles : SPLITS), BLOCK, 0, stream>>>(job);
    sort_candidates<<<chunks, CHUNK, 0, stream>>>(job);
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        take_chunk<<<1, CHUNK, 0, stream>>>(job, chunk);
        const uint32_t next = (chunk + 1) * CHUNK;
        if (next < job.room)
            strike<<<blocks_of(job.room - next, BLOCK), BLOCK, 0, stream>>>(job, next);
    }
    return cudaGetLastError();
}

xncc_status merge_run(xncc_merge_work *work, const xncc_merge_target *target, xncc_stream stream,
                      xncc_error *error)
{
    DeviceScope scope(work->device);
    MergeJob job = {};
    job.options = *target->options;
    job.smallest = xncc_method_is_distance(target->options->method);
    job.room = work->room;
    job.top = target->capacity;
    job.candidate = work->candidate.as<xncc_candidate>();
    job.sorted = work->sorted.as<xncc_candidate>();
    job.rank = work->rank.as<uint32_t>();
    job.struck = work->struck.as<uint8_t>();
    job.state = work->state.as<MergeState>();
    job.result = target->result;
    job.kept = target->kept;
    return check(launch_merge(job, stream), "launching the merge", error);
}

constexpr xncc_merge_ops name_merge()
{
    xncc_merge_ops ops = {};
    ops.open = merge_open;
    ops.close = merge_close;
    ops.clear = merge_clear;
    ops.add = merge_add;
    ops.add_candidates = merge_add_candidates;
    ops.merge = merge_run;
    return ops;
}

} // namespace

extern const xncc_merge_ops merge_operations = name_merge();

} // namespace xncc
