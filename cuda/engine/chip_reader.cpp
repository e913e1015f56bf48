// SPDX-License-Identifier: BSD-2-Clause
// Runs of chips: blocks of them, of which one is on the device while the host takes the records of
// the one before and places the one after.
#include "cuda/engine/chip_reader.h"

#include "cuda/engine/engine_plan.h"
#include "cuda/track/track_chips.h"

namespace xncc {

namespace {

constexpr uint32_t MOST_CHIPS = 16384; // per block
constexpr uint64_t RECORDS = MOST_CHIPS *
                             uint64_t(record_bytes(3)); // bytes of the records of a block
constexpr uint32_t ITEMS = 128;                         // per task of the pool
constexpr int BLOCKS = 2;                               // in flight

} // namespace

struct ChipReader {
    Stream stream[BLOCKS]; // of each block's own, so that copies and kernels overlap
    Event begun;           // what the run follows: the caller's work, and then the images
    Event done[BLOCKS];    // the records of a block are on the host
    PinnedMemory place[BLOCKS], record[BLOCKS];
    DeviceMemory device_place[BLOCKS], device_record[BLOCKS];
    Upload upload;
};

void destroy_chip_reader(ChipReader *reader)
{
    destroy(reader);
}

namespace {

cudaError_t make(ChipReader *r)
{
    cudaError_t code = r->begun.make();
    for (int i = 0; i < BLOCKS; i++) {
        if (code == cudaSuccess)
            code = r->stream[i].make();
        if (code == cudaSuccess)
            code = r->done[i].make();
        if (code == cudaSuccess)
            code = r->place[i].take(MOST_CHIPS * sizeof(xncc_chip_place));
        if (code == cudaSuccess)
            code = r->device_place[i].take(MOST_CHIPS * sizeof(xncc_chip_place));
        if (code == cudaSuccess)
            code = r->record[i].take(RECORDS);
        if (code == cudaSuccess)
            code = r->device_record[i].take(RECORDS);
        if (code == cudaSuccess) // a record without a best window is copied as it is
            code = cudaMemset(r->device_record[i].as<void>(), 0, RECORDS);
    }
    return code;
}

// The reader that the engine keeps, or a new one while another run has it.
xncc_status borrow(Engine *engine, ChipReader **result, xncc_error *error)
{
    *result = engine->chip_reader.exchange(nullptr);
    if (*result)
        return XNCC_OK;
    ChipReader *made = create<ChipReader>();
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for tracking on the device");
    return hand_over(check(make(made), "allocating the memory for tracking", error), made, result);
}

// No work of the reader is in flight.
void give_back(Engine *engine, ChipReader *reader)
{
    ChipReader *none = nullptr;
    if (!engine->chip_reader.compare_exchange_strong(none, reader))
        destroy(reader);
}

ChipJob job_of(const xncc_problem *problem)
{
    const xncc_extent map = xncc_problem_extent(problem);
    ChipJob job = {};
    job.chip_width = problem->templ_width;
    job.chip_height = problem->templ_height;
    job.map_width = map.width;
    job.map_height = map.height;
    job.centred = problem->rule.method == XNCC_CCOEFF_NORMED;
    job.planes = static_cast<int32_t>(xncc_pixel_size(problem->pixel));
    return job;
}

// A run in progress.
struct Run {
    const xncc_chip_reads *all;
    ChipReader *reader;
    ChipJob job;
    size_t chips; // per block

    size_t first(size_t block) const
    {
        return block * chips;
    }
    size_t count(size_t block) const
    {
        const size_t at = first(block);
        return at >= all->count ? 0 : all->count - at < chips ? all->count - at : chips;
    }
};

// What the host does between two waits: it takes the records of one block, and places another one
// whose memory is the same.
struct HostStep {
    const Run *run;
    size_t taken, placed; // blocks; the first is none if take is 0
    int take;
    int memory; // the number of their memory
};

void take_item(const HostStep &step, size_t i, const xncc_chip_place *place)
{
    const Run &run = *step.run;
    const auto *record = reinterpret_cast<const ChipRecord *>(
        run.reader->record[step.memory].as<unsigned char>() +
        i * static_cast<size_t>(run.job.record_bytes));
    const xncc_reading reading = {
        record->x,      record->y,
        run.job.side,   reinterpret_cast<const float *>(record + 1),
        record->second, { static_cast<double>(record->n), record->sum, record->squares }
    };
    run.all->take(run.all->argument, run.first(step.taken) + i, place, &reading);
}

void run_items(void *argument, uint64_t index, int32_t)
{
    const HostStep &step = *static_cast<const HostStep *>(argument);
    const Run &run = *step.run;
    auto *place = run.reader->place[step.memory].as<xncc_chip_place>();
    const size_t taken = step.take ? run.count(step.taken) : 0, placed = run.count(step.placed);
    for (size_t i = index * ITEMS; i < (index + 1) * ITEMS; i++) {
        if (i < taken)
            take_item(step, i, &place[i]);
        if (i < placed)
            run.all->place(run.all->argument, run.first(step.placed) + i, &place[i]);
    }
}

void run_on_host(const HostStep &step)
{
    const Run &run = *step.run;
    const size_t taken = step.take ? run.count(step.taken) : 0, placed = run.count(step.placed),
                 most = taken > placed ? taken : placed;
    HostStep copy = step;
    xncc_pool_run(run.all->pool, ceil_div<uint64_t>(most, ITEMS), run_items, &copy);
}

// Puts a block, which the host has placed, on the stream.
cudaError_t enqueue(Run *run, size_t block, int memory)
{
    ChipReader *r = run->reader;
    ChipJob job = run->job;
    const cudaStream_t stream = r->stream[memory].get();
    const size_t count = run->count(block);
    job.place = r->device_place[memory].as<xncc_chip_place>();
    job.record = r->device_record[memory].as<unsigned char>();
    job.count = static_cast<int32_t>(count);
    cudaError_t code = cudaMemcpyAsync(r->device_place[memory].as<void>(),
                                       r->place[memory].as<void>(), count * sizeof(xncc_chip_place),
                                       cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess)
        code = track_chips_launch(job, stream);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(r->record[memory].as<void>(), job.record,
                               count * static_cast<size_t>(job.record_bytes),
                               cudaMemcpyDeviceToHost, stream);
    if (code == cudaSuccess)
        code = cudaEventRecord(r->done[memory].get(), stream);
    return code;
}

// Runs all blocks, unless the call is cancelled.
xncc_status run_blocks(Run *run, xncc_error *error)
{
    const xncc_watch *watch = run->all->watch;
    cudaError_t code = cudaSuccess;
    for (size_t block = 0; block < BLOCKS && run->count(block) && code == cudaSuccess; block++) {
        const int memory = static_cast<int>(block);
        run_on_host(HostStep{ run, 0, block, 0, memory });
        code = enqueue(run, block, memory);
    }
    for (size_t block = 0; run->count(block) && code == cudaSuccess; block++) {
        const int memory = static_cast<int>(block % BLOCKS);
        code = cudaEventSynchronize(run->reader->done[memory].get());
        if (code != cudaSuccess || xncc_is_cancelled(watch))
            break;
        run_on_host(HostStep{ run, block, block + BLOCKS, 1, memory });
        xncc_progress_step(watch->progress, run->count(block));
        if (run->count(block + BLOCKS))
            code = enqueue(run, block + BLOCKS, memory);
    }
    return check(code, "tracking on the device", error);
}

// Brings an image to the device if it is on the host. *view becomes the one on the device.
xncc_status bring(ChipReader *reader, DeviceMemory *memory, xncc_image *view, xncc_error *error)
{
    if (view->memory != XNCC_HOST)
        return XNCC_OK;
    const int64_t pitch = source_pitch(xncc_image_row_bytes(view));
    const xncc_status status = check(
        memory->take(static_cast<uint64_t>(pitch) * static_cast<uint64_t>(view->height)),
        "allocating the memory of an image", error);
    return status ? status
                  : bring_to_device(view, memory->as<unsigned char>(), &reader->upload,
                                    reader->stream[0].get(), error);
}

// Makes the streams from number `first` on wait for what is on a stream now.
cudaError_t follow(ChipReader *r, cudaStream_t stream, int first)
{
    cudaError_t code = cudaEventRecord(r->begun.get(), stream);
    for (int i = first; i < BLOCKS && code == cudaSuccess; i++)
        code = cudaStreamWaitEvent(r->stream[i].get(), r->begun.get(), 0);
    return code;
}

xncc_status run_chips(Run *run, xncc_error *error)
{
    ChipReader *r = run->reader;
    DeviceMemory memory[2];
    xncc_image from = *run->all->from, scene = *run->all->scene;
    // images in device memory have what the caller put on the default stream
    xncc_status status = check(follow(r, nullptr, 0), "beginning to track", error);
    if (!status)
        status = bring(r, &memory[0], &from, error);
    if (!status)
        status = bring(r, &memory[1], &scene, error);
    run->job.from = static_cast<const unsigned char *>(from.data);
    run->job.from_pitch = xncc_image_pitch(&from);
    run->job.from_width = from.width;
    run->job.scene = static_cast<const unsigned char *>(scene.data);
    run->job.scene_pitch = xncc_image_pitch(&scene);
    run->job.scene_width = scene.width;
    if (!status)
        status = check(follow(r, r->stream[0].get(), 1), "beginning to track", error);
    if (!status)
        status = xncc_check_cancelled(run->all->watch, error);
    if (!status)
        status = run_blocks(run, error);
    for (int i = 0; i < BLOCKS; i++) { // then nothing uses the images or the reader any more
        const xncc_status waited = check(cudaStreamSynchronize(r->stream[i].get()),
                                         "waiting for tracking", status ? nullptr : error);
        status = status ? status : waited;
    }
    return status;
}

} // namespace

int can_read_chips(const xncc_engine *base, const xncc_problem *problem)
{
    const Engine *engine = reinterpret_cast<const Engine *>(base);
    ChipJob job = job_of(problem);
    return (problem->pixel == XNCC_U8 || problem->pixel == XNCC_U16) && problem->channels == 1 &&
           xncc_problem_counts_all(problem) && problem->rule.flat == XNCC_FLAT_NAN &&
           (problem->rule.method == XNCC_CCOEFF_NORMED ||
            problem->rule.method == XNCC_CCORR_NORMED) &&
           engine->code_arch >= TRACK_ARCH &&
           track_chips_fit(&job, engine->machine.cuda.shared_optin);
}

xncc_status read_chips(xncc_engine *base, const xncc_chip_reads *all, xncc_error *error)
{
    Engine *engine = engine_of(base);
    DeviceScope scope(engine->device);
    Run run = { all, nullptr, job_of(all->problem), 0 };
    run.job.side = all->side;
    run.job.record_bytes = record_bytes(all->side);
    run.chips = RECORDS / static_cast<uint64_t>(run.job.record_bytes);
    xncc_progress_begin(all->watch->progress, all->count);
    if (!track_chips_fit(&run.job, engine->machine.cuda.shared_optin))
        return xncc_fail(error, XNCC_ERROR_INTERNAL, "the chips do not fit the device's memory");
    xncc_status status = scope.status(error);
    if (!status)
        status = borrow(engine, &run.reader, error);
    if (status)
        return status;
    run.reader->upload.serve(engine->copiers, all->watch);
    status = run_chips(&run, error);
    give_back(engine, run.reader);
    return status ? status : xncc_check_cancelled(all->watch, error);
}

} // namespace xncc
