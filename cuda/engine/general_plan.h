// Matching where not every pixel counts, of several channels, and of the pixel types that the other
// kernels do not know (math/general_score.h).
//
// Integers: planes of bytes are laid out of image and template (make_planes.cuh, device_template.cuh); the
// kernels of plain problems make exact sums of products of them, which are all that a window with
// masks needs (plan/products.h); sums over whole windows slide; a last pass turns the sums into
// scores. Floats, and whatever is too large for that: kernel joint, pixel by pixel.
#ifndef XNCC_CUDA_GENERAL_CUH
#define XNCC_CUDA_GENERAL_CUH

#include "cuda/planes/make_planes.cuh"
#include "cuda/engine/match_passes.h"

extern "C" {
#include "plan/cost_general_cuda.h"
}

namespace xncc {

// Kernel joint: a part of the map.
struct PixelsJob {
    xncc_image image; // in device memory
    xncc_border border;
    int64_t x, y;                // image pixel where the first window begins
    int32_t width, rows;         // windows
    const unsigned char *pixels; // of the template, as DeviceTemplate has them
    int64_t pitch;
    const uint8_t *mask;
    int32_t templ_width, templ_height, channels;
    xncc_method method;
    xncc_general_rule rule;
    float *map;
    int64_t map_pitch; // elements
};
cudaError_t launch_pixels(const PixelsJob &job, cudaStream_t stream);

// Sums over whole windows of a plane of bytes, or of their squares.
struct WindowsJob {
    const unsigned char *bytes;
    int64_t pitch;
    int32_t templ_width, templ_height;
    int32_t width, height; // windows
    uint32_t *rows;        // height + templ_height - 1 rows of sums along rows
    int64_t rows_pitch;    // elements, as of the sums; a multiple of 4
    int32_t square, add, wide;
    void *sums; // 32 or, wide, 64 bits
};
cudaError_t launch_windows(const WindowsJob &job, cudaStream_t stream);

// A term of sums as the score takes it in. Those of a channel stand together.
struct GeneralTerm {
    uint8_t sum, shift, plane;
    uint8_t next; // 0, or 1 + the channel that this term ends
};

struct GeneralScoreJob {
    xncc_general_rule rule;
    xncc_method method;
    int32_t channels, count;
    GeneralTerm term[XNCC_GENERAL_TERMS];
    // what is the same in every window; 0 where terms make it
    uint64_t n, T[XNCC_MAX_CHANNELS];
    xncc_u128 T2;
    const void *sums;     // 32 or, wide, 64 bits
    int64_t pitch, plane; // elements from row to row, from term to term
    int32_t wide, narrow_score;
    float *map;
    int64_t map_pitch; // elements
    int32_t width, height;
};
cudaError_t launch_general_score(const GeneralScoreJob &job, cudaStream_t stream);

struct MaskedScoreJob; // masked_score_u8.cuh
struct MaskedProduct;

// A plan's share.
class GeneralPlan {
  public:
    ~GeneralPlan();
    xncc_status make(xncc_engine_plan *plan, xncc_error *error);
    // The scores of some rows of the map, from its row `first` on. The first row of a map lays the
    // template out.
    xncc_status run(const Call &call, int32_t first, int32_t rows, const Target &target);

  private:
    struct Band {
        int32_t bx, by, width, height;
    };
    xncc_status make_buffers(const xncc_engine_plan *plan, xncc_error *error);
    xncc_status make_inner(xncc_engine_plan *plan, const xncc_problem &problem, xncc_error *error);
    xncc_status lay_templ(const Call &call);
    xncc_status run_band(const Call &call, const Band &band, const Target &target);
    xncc_status put_products(const Call &call, const Band &band);
    xncc_status put_tensor_products(const Call &call, const Band &band);
    xncc_status put_windows(const Call &call, const Band &band);
    cudaError_t put_slides(const Call &call, const Band &band);
    xncc_status put_score(const Call &call, const Band &band, const Target &target);
    xncc_status put_pixels(const Call &call, int32_t first, int32_t rows, const Target &target);
    int group_at(int step) const;
    unsigned char *term(int of) const;
    unsigned char *image_plane(int of) const;
    TensorPlane image_rows(const Call &call, const Band &band) const;
    // general_quick_job.cu
    const uint32_t *find_term(int sum, int shift) const;
    const unsigned char *find_plane(int kind) const;
    MaskedProduct find_product(int sum, int shift) const;
    bool image_varies() const;
    MaskedScoreJob make_masked_score(const Call &call, const Band &band, const Target &target) const;
    xncc_status put_masked_score(const Call &call, const Band &band, const Target &target);
    xncc_status set_max_shared_memory_of_planes(const xncc_engine_plan *plan, xncc_error *error) const;
    xncc_status put_planes(const Call &call, const Band &band, const Target &target);

    xncc_general_planes planes = {};
    xncc_general_buffers buffers = {};
    Axis x, y;              // bands of the map
    int64_t x0 = 0, y0 = 0; // image pixel where the map's first window begins
    bool by_pixels = false, by_tensor = false;
    bool is_masked_u8 = false;    // the common case: masked_score_u8.cuh
    bool is_fused = false;    // and all of it in one kernel
    DeviceTemplate *templ = nullptr; // planes of the template
    DeviceMemory images, terms, rows;
    TensorPlan tensor;
    xncc_engine_plan *inner = nullptr; // of one product, for kernels that read textures
};

} // namespace xncc

#endif
