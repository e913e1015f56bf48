// SPDX-License-Identifier: BSD-2-Clause
// Copies images from host memory to the device, through pinned chunks and on a separate stream.
// Kernels that need only the rows that have arrived run while the other rows are copied.
#ifndef XNCC_CUDA_RUNTIME_UPLOAD_H
#define XNCC_CUDA_RUNTIME_UPLOAD_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Rows in host memory and their place in device memory.
struct UploadRows {
    const unsigned char *source; // the first row, on the host
    size_t source_pitch;         // bytes per row
    unsigned char *target;       // the first row, on the device
    size_t target_pitch;         // bytes per row
    size_t row_bytes;            // bytes to copy per row
    int32_t rows;

    // The `count` rows from row y on, or as many as there are.
    UploadRows from(int32_t y, int32_t count) const
    {
        UploadRows piece = *this;
        piece.source += static_cast<size_t>(y) * source_pitch;
        piece.target += static_cast<size_t>(y) * target_pitch;
        piece.rows = rows - y < count ? rows - y : count;
        return piece;
    }
};

// The copy stream and the pinned chunks of one plan or batch. One thread at a time.
class Upload {
  public:
    // Names the threads that copy pageable memory to the pinned chunks, and the call that the
    // copies are made for. Call it before the first copy. Both must outlive the copies.
    void serve(xncc_pool *pool, const xncc_watch *call)
    {
        copiers = pool;
        watch = call;
    }
    // Copies all rows, in chunks if is_chunked() says so. Work that is enqueued later sees them. If
    // the call is cancelled, stops between two chunks.
    cudaError_t copy_rows(const UploadRows &rows, cudaStream_t stream);

    // Copies images of equal extents, so that their rows follow each other on the device. to: the
    // place and the rows of the first one; its source is ignored. Otherwise as copy_rows.
    cudaError_t copy_images(const xncc_image *image, size_t count, const UploadRows &to,
                            cudaStream_t stream);

    // The steps of copy_rows, for callers that enqueue work between the chunks.

    // True if this much data is worth the chunks and a chunk holds at least one row.
    static bool is_chunked(uint64_t row_bytes, int32_t rows);
    // The most rows that copy_chunk takes at a time.
    static int32_t chunk_rows(size_t row_bytes);
    // Call once per image, before its first chunk. Makes the copy stream wait for the work that is
    // already on `stream`, which may still read the previous image in the same device memory. The
    // first call allocates the copy stream and the pinned memory.
    cudaError_t begin_image(const void *source, cudaStream_t stream);
    // Copies at most chunk_rows() rows. Work that is enqueued later on `stream` sees them.
    cudaError_t copy_chunk(const UploadRows &rows, cudaStream_t stream);

  private:
    static constexpr int CHUNKS = 3;
    cudaError_t make();
    // Takes the next chunk, and waits until the copy out of it has ended.
    cudaError_t take_chunk(int *at);
    // Ends a copy that has come to `code`: copies the rows, which stay until chunk `at` is taken
    // again. Work that is enqueued later on `stream` sees them.
    cudaError_t send(cudaError_t code, int at, const UploadRows &rows, cudaStream_t stream);

    xncc_pool *copiers = nullptr;
    const xncc_watch *watch = nullptr;
    bool made = false;   // all resources below exist
    bool pinned = false; // the current image is in pinned memory, so the chunks are not needed
    int next = 0;        // the chunk to fill next
    Stream copies;
    Event begun;          // the work that was on the caller's stream at begin_image()
    Event copied[CHUNKS]; // the end of the last copy out of each chunk
    PinnedMemory chunk[CHUNKS];
};

// Bytes of a row, rounded up to what kernels that read byte planes need.
inline int64_t source_pitch(int64_t bytes)
{
    return ceil_div<int64_t>(bytes, 16) * 16;
}

// Puts the copy of a host image to `memory` on the stream, the pixels and then the mask, with rows
// of source_pitch() bytes. *image becomes the copy. error may be NULL.
xncc_status bring_to_device(xncc_image *image, unsigned char *memory, Upload *upload,
                            cudaStream_t stream, xncc_error *error);

} // namespace xncc

#endif
