// Images on their way from host memory: through pinned chunks on a stream of their own, so that
// what can be computed of the rows that have arrived runs beside the copy of the others.
#ifndef XNCC_CUDA_RUNTIME_UPLOAD_H
#define XNCC_CUDA_RUNTIME_UPLOAD_H

#include "cuda/runtime/handles.h"

namespace xncc {

// Rows on the host and where they belong on the device; pitches in bytes.
struct UploadRows {
    const unsigned char *source;
    size_t source_pitch;
    unsigned char *target;
    size_t target_pitch;
    size_t row_bytes;
    int32_t rows;

    // `count` of them from row y on, or as many as there are.
    UploadRows from(int32_t y, int32_t count) const
    {
        UploadRows templ = *this;
        templ.source += static_cast<size_t>(y) * source_pitch;
        templ.target += static_cast<size_t>(y) * target_pitch;
        templ.rows = rows - y < count ? rows - y : count;
        return templ;
    }
};

class Upload {
  public:
    // The threads that fill the chunks, to be named before anything is copied; they outlive this.
    void share_out(xncc_pool *pool)
    {
        copiers = pool;
    }
    // Takes streams and pinned memory, once; the first image from the host pays for it.
    cudaError_t make();
    // Before the first rows of an image: they are not written before what is on the stream has read
    // the last one's.
    cudaError_t begin(const void *source, cudaStream_t stream);
    // How many rows to give at a time.
    static int32_t chunk_rows(size_t row_bytes);
    // Copies rows, at most chunk_rows of them; work put on the stream afterwards sees them.
    cudaError_t put(const UploadRows &rows, cudaStream_t stream);
    // Copies a whole image, in chunks where that is worth it; work put on the stream afterwards
    // sees it.
    cudaError_t put_all(const UploadRows &rows, cudaStream_t stream);
    // Are so many rows worth chunks, and do these hold a row?
    static bool is_worth(uint64_t row_bytes, int32_t rows);

  private:
    static constexpr int CHUNKS = 3;
    xncc_pool *copiers = nullptr;
    bool made = false, pinned = false;
    int next = 0;
    Stream copies;
    Event begun, copied[CHUNKS];
    PinnedMemory chunk[CHUNKS];
};

} // namespace xncc

#endif
