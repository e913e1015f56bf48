// SPDX-License-Identifier: BSD-2-Clause
// Many images, stack by stack: the map of a stack is that of one tall image, and the passes of the
// search have a slot per image. Stacks follow each other on the stream. While the device searches
// one, the next one comes from the host, and the host hands out the results of the one before.
#include "cuda/engine/device_find.h"

#include "cuda/engine/match.h"

#include <string.h>

namespace xncc {

namespace {

// A call for images of which one launch searches several.
struct ImagesCall {
    xncc_engine_plan *single; // for images one by one
    xncc_engine_plan *plan;   // of the stack
    Stack *stack;
    const xncc_image_group *group;
    const xncc_template *templ;
    const xncc_search_rule *rule;
    cudaStream_t stream;
    xncc_error *error;

    // Images of a stack.
    size_t images() const
    {
        return static_cast<size_t>(stack->of.problem.image_height / group->image->height);
    }
    // Reports that the maps of so many more images are done.
    void step(size_t count) const
    {
        xncc_progress_step(single->watch->progress, count * static_cast<uint64_t>(single->x.map) *
                                                        static_cast<uint64_t>(single->y.map));
    }
    // Searches one image alone.
    xncc_status find_one(size_t i) const
    {
        return match_find(single, &group->image[i], templ, rule, group->match + i * group->capacity,
                          &group->found[i], stream, error);
    }
};

// The images that one launch searches.
struct Some {
    size_t first, count; // in the group
    size_t slot;         // the first one's place among the results
};

// True if the images follow each other in memory, with one pitch.
bool follow_each_other(const xncc_image *image, size_t count)
{
    const int64_t pitch = xncc_image_pitch(image);
    const unsigned char *next = static_cast<const unsigned char *>(image->data);
    for (size_t i = 0; i < count; i++, next += pitch * image->height)
        if (image[i].data != next || xncc_image_pitch(&image[i]) != pitch)
            return false;
    return true;
}

// Copies images from device memory below each other. to: without sources.
cudaError_t gather(const xncc_image *image, size_t count, UploadRows to, cudaStream_t stream)
{
    const bool whole = follow_each_other(image, count);
    const size_t copies = whole ? 1 : count,
                 rows = static_cast<size_t>(to.rows) * (whole ? count : 1);
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < copies && code == cudaSuccess; i++)
        code = cudaMemcpy2DAsync(to.target + i * rows * to.target_pitch, to.target_pitch,
                                 image[i].data, static_cast<size_t>(xncc_image_pitch(&image[i])),
                                 to.row_bytes, rows, cudaMemcpyDeviceToDevice, stream);
    return code;
}

// The memory for the images of a stack: turn 0 or 1.
unsigned char *copies(const ImagesCall &call, int turn)
{
    return call.plan->memory.as<unsigned char>(XNCC_BUFFER_BATCH) +
           static_cast<size_t>(turn) * call.stack->of.image_bytes;
}

// Copies images to the plan's memory, below each other.
xncc_status copy_images(const ImagesCall &call, const Some &some, int turn, cudaStream_t stream)
{
    const xncc_image *image = call.group->image + some.first;
    UploadRows to = {};
    to.target = copies(call, turn);
    to.target_pitch = static_cast<size_t>(call.stack->of.image_pitch);
    to.row_bytes = static_cast<size_t>(xncc_image_row_bytes(image));
    to.rows = image->height;
    Upload &upload = call.plan->upload;
    cudaError_t code = cudaSuccess;
    if (image->memory == XNCC_DEVICE) {
        code = gather(image, some.count, to, stream);
    } else if (follow_each_other(image, some.count)) {
        UploadRows all = to;
        all.source = static_cast<const unsigned char *>(image->data);
        all.source_pitch = static_cast<size_t>(xncc_image_pitch(image));
        all.rows = to.rows * static_cast<int32_t>(some.count);
        code = upload.copy_rows(all, stream);
    } else {
        code = upload.copy_images(image, some.count, to, stream);
    }
    return check(code, "copying the images below each other", call.error);
}

bool come_from_host(const ImagesCall &call)
{
    return call.group->image->memory == XNCC_HOST;
}

// Begins to bring a stack from the host to the memory `turn` for images, once that is free. The
// copy is on a stream of its own, beside the search of the stack before.
xncc_status bring(const ImagesCall &call, const Some &some, int turn)
{
    Stack &stack = *call.stack;
    xncc_status status = check(cudaStreamWaitEvent(stack.side.get(), stack.sent[turn].get(), 0),
                               "waiting for the images before", call.error);
    if (!status)
        status = copy_images(call, some, turn, stack.side.get());
    if (!status)
        status = check(cudaEventRecord(stack.arrived[turn].get(), stack.side.get()),
                       "copying the images below each other", call.error);
    return status;
}

// Queues the search of one stack.
xncc_status search_stack(const ImagesCall &call, const Some &some, int turn, bool in_place)
{
    xncc_engine_plan *plan = call.plan;
    xncc_image view = call.group->image[some.first];
    const int64_t height = view.height;
    xncc_status status = xncc_check_cancelled(plan->watch, call.error);
    if (!status && come_from_host(call))
        status = check(cudaStreamWaitEvent(call.stream, call.stack->arrived[turn].get(), 0),
                       "waiting for the images", call.error);
    else if (!status && !in_place)
        status = copy_images(call, some, turn, call.stream);
    if (!in_place) {
        view.memory = XNCC_DEVICE;
        view.data = copies(call, turn);
        view.pitch = static_cast<int64_t>(call.stack->of.image_pitch);
    }
    view.height = plan->problem.image_height;
    Call one = make_call(plan, &view, call.templ, call.stream, call.error);
    one.rows_padded = !in_place;
    const Target target = { plan->memory.as<float>(XNCC_BUFFER_MAP), plan->x.map };
    if (!status)
        status = compute_rows(one, 0, plan->y.map, target);
    PeakJob job = call.stack->search.job(*call.rule);
    job.map = target.map;
    job.pitch = target.pitch;
    job.plane = height * target.pitch;
    job.state += some.slot;
    job.match += some.slot * call.rule->top;
    return status ? status
                  : check(launch_peak_passes(job, static_cast<int>(some.count), false, call.stream),
                          "launching the search for matches", call.error);
}

// Images whose results there is memory for.
struct Piece {
    size_t first, count; // in the group
};

// Copies the results of some images of a piece to the host, where they have the same places, and
// records the event `turn`.
xncc_status send_results(const ImagesCall &call, const Piece &piece, const Some &some, int turn)
{
    const size_t row = call.rule->top * sizeof(xncc_match),
                 states = piece.count * sizeof(PeakState), // the matches follow them
        state = some.slot * sizeof(PeakState), match = states + some.slot * row;
    unsigned char *host = call.stack->fetched.as<unsigned char>();
    const unsigned char *device = reinterpret_cast<unsigned char *>(call.stack->search.states());
    const bool whole = some.count == piece.count;
    cudaError_t code = cudaMemcpyAsync(host + state, device + state,
                                       whole ? states + piece.count * row
                                             : some.count * sizeof(PeakState),
                                       cudaMemcpyDeviceToHost, call.stream);
    if (code == cudaSuccess && !whole)
        code = cudaMemcpyAsync(host + match, device + match, some.count * row,
                               cudaMemcpyDeviceToHost, call.stream);
    if (code == cudaSuccess)
        code = cudaEventRecord(call.stack->sent[turn].get(), call.stream);
    return check(code, "fetching the matches", call.error);
}

// Gives the caller the results of some images, which have arrived.
void hand_out(const ImagesCall &call, const Piece &piece, const Some &some)
{
    const xncc_image_group *g = call.group;
    const size_t top = call.rule->top;
    const PeakState *state = call.stack->fetched.as<PeakState>();
    const xncc_match *match = reinterpret_cast<const xncc_match *>(state + piece.count);
    for (size_t i = some.slot; i < some.slot + some.count; i++) {
        const size_t found = state[i].done ? state[i].found : 0;
        g->found[piece.first + i] = found;
        memcpy(g->match + (piece.first + i) * g->capacity, match + i * top, found * sizeof *match);
    }
}

// Does searches that were inconclusive again, one by one.
xncc_status complete(const ImagesCall &call, const Piece &piece)
{
    const PeakState *state = call.stack->fetched.as<PeakState>();
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < piece.count && !status; i++)
        if (!state[i].done)
            status = call.find_one(piece.first + i);
    return status;
}

// The next stack of a piece. Images that follow each other in device memory are read where they
// are: a last stack that would not be full begins earlier, with images that have been searched, and
// finds their matches again.
xncc_status search_next(const ImagesCall &call, const Piece &piece, const Some &next, int turn)
{
    const xncc_image *image = call.group->image + piece.first;
    const size_t images = call.images(), end = next.slot + next.count,
                 from = piece.count < images ? next.slot : end - images;
    const bool in_place = image->memory == XNCC_DEVICE && piece.count >= images &&
                          follow_each_other(image + from, images);
    return search_stack(call, in_place ? Some{ piece.first + from, end - from, from } : next, turn,
                        in_place);
}

// The stack of a piece that begins with image `at`.
Some stack_at(const ImagesCall &call, const Piece &piece, size_t at)
{
    const size_t images = call.images(), left = piece.count - at;
    return { piece.first + at, left < images ? left : images, at };
}

// Begins to bring the first stack of a piece, after the work that is on the stream. The events of
// both turns say from now on that their memory is free.
xncc_status bring_first(const ImagesCall &call, const Piece &piece)
{
    xncc_status status = XNCC_OK;
    for (int turn = 0; turn < 2 && !status; turn++)
        status = check(cudaEventRecord(call.stack->sent[turn].get(), call.stream),
                       "preparing the search in several images", call.error);
    return status ? status : bring(call, stack_at(call, piece, 0), 0);
}

// Searches the images of a piece, stack by stack.
xncc_status find_piece(const ImagesCall &call, const Piece &piece)
{
    Stack &stack = *call.stack;
    Some before = {};
    size_t at = 0;
    stack.search.place_results(piece.count);
    xncc_status status = check(stack.fetched.need(xncc_search_results(piece.count, call.rule->top)),
                               "making room for the matches", call.error);
    if (!status && come_from_host(call))
        status = bring_first(call, piece);
    for (int turn = 0; at < piece.count && !status; turn = 1 - turn) {
        const Some next = stack_at(call, piece, at);
        status = search_next(call, piece, next, turn);
        call.step(next.count);
        at += next.count;
        if (!status)
            status = send_results(call, piece, next, turn);
        if (!status && come_from_host(call) && at < piece.count)
            status = bring(call, stack_at(call, piece, at), 1 - turn);
        if (!status && before.count > 0)
            status = check(cudaEventSynchronize(stack.sent[1 - turn].get()), "fetching the matches",
                           call.error);
        if (!status)
            hand_out(call, piece, before);
        before = next;
    }
    call.step(piece.count - at); // after a failure
    if (status)
        forgive(cudaStreamSynchronize(stack.side.get())); // no search waits for what it brings
    status = finish_as(status, call.plan, call.stream, true, call.error);
    if (status)
        return status;
    hand_out(call, piece, before);
    return complete(call, piece);
}

// Divides the memory of the stack, when it is first used.
xncc_status make_memory(xncc_engine_plan *plan, Stack *stack, xncc_error *error)
{
    if (stack->made)
        return XNCC_OK;
    xncc_status status = stack->plan->memory.need(XNCC_BUFFER_BATCH, error);
    if (status)
        return status;
    unsigned char *memory = stack->plan->memory.as<unsigned char>(XNCC_BUFFER_BATCH);
    status = check(stack->search.make(plan->x.map, plan->y.map, plan->decision.stack.images,
                                      memory + 2 * stack->of.image_bytes),
                   "preparing the search in several images", error);
    for (Event *event :
         { &stack->sent[0], &stack->sent[1], &stack->arrived[0], &stack->arrived[1] })
        if (!status && !event->get())
            status = check(event->make(), "preparing the search in several images", error);
    if (!status && !stack->side.get())
        status = check(stack->side.make(), "preparing the search in several images", error);
    stack->made = !status;
    return status;
}

} // namespace

bool uses_stack(const xncc_engine_plan *plan, const xncc_image_group *group,
                const xncc_search_rule *rule)
{
    bool same = true;
    for (size_t i = 1; i < group->count; i++)
        same = same && group->image[i].memory == group->image->memory;
    return plan->decision.stack.images > 1 && group->count > 1 && same && rule->top <= PEAK_ROOM;
}

xncc_status match_find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                              const xncc_template *templ, const xncc_search_rule *rule,
                              xncc_stream stream, xncc_error *error)
{
    const ImagesCall call = { plan, plan->stack.plan, &plan->stack, group, templ,
                              rule, stream,           error };
    if (!uses_stack(plan, group, rule)) {
        xncc_status status = XNCC_OK;
        for (size_t i = 0; i < group->count && !status; i++)
            status = call.find_one(i);
        return status;
    }
    const size_t most = static_cast<size_t>(plan->stack.of.result_bytes /
                                            xncc_search_results(1, rule->top));
    xncc_status status = make_memory(plan, &plan->stack, error);
    xncc_progress_begin(plan->watch->progress, group->count * static_cast<uint64_t>(plan->x.map) *
                                                   static_cast<uint64_t>(plan->y.map));
    for (size_t first = 0, count; first < group->count; first += count) {
        count = group->count - first < most ? group->count - first : most;
        if (!status)
            status = find_piece(call, Piece{ first, count });
        else
            call.step(count);
    }
    return status;
}

} // namespace xncc
