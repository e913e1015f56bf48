// Matching where not every pixel counts, of several channels, and of the pixel types that the other
// kernels do not know (math/general_score.h).
//
// Integers: planes of bytes are laid out of image and template (make_planes.cuh,
// device_template.cuh); the kernels of plain problems make exact sums of products of them, which
// are all that a window with masks needs (plan/products.h); sums over whole windows slide; a last
// pass turns the sums into scores. Floats, and whatever is too large for that: kernel joint, pixel
// by pixel.
#ifndef XNCC_CUDA_ENGINE_GENERAL_PLAN_H
#define XNCC_CUDA_ENGINE_GENERAL_PLAN_H

#include "cuda/direct/general.h"
#include "cuda/fused/fused_masked_u8.h"
#include "cuda/planes/make_planes.h"
#include "cuda/score/term_score.h"
#include "cuda/score/sliding_score_u8.h"
#include "cuda/windows/window_sums.h"
#include "cuda/engine/match_passes.h"

extern "C" {
#include "plan/cost_general_cuda.h"
}

namespace xncc {

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
    MaskedScoreJob make_masked_score(const Call &call, const Band &band,
                                     const Target &target) const;
    xncc_status put_masked_score(const Call &call, const Band &band, const Target &target);
    xncc_status set_max_shared_memory_of_planes(const xncc_engine_plan *plan,
                                                xncc_error *error) const;
    xncc_status put_planes(const Call &call, const Band &band, const Target &target);

    xncc_general_planes planes = {};
    xncc_general_buffers buffers = {};
    Axis x, y;              // bands of the map
    int64_t x0 = 0, y0 = 0; // image pixel where the map's first window begins
    bool by_pixels = false, by_tensor = false;
    bool is_masked_u8 = false;       // the common case: masked_score_u8.cuh
    bool is_fused = false;           // and all of it in one kernel
    DeviceTemplate *templ = nullptr; // planes of the template
    DeviceMemory images, terms, rows;
    TensorPlan tensor;
    xncc_engine_plan *inner = nullptr; // of one product, for kernels that read textures
};

} // namespace xncc

#endif
