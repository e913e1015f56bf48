// General problems: masks, several channels, and all pixel types (math/general_score.h).
//
// Integers:
// 1. Image and template are laid out as byte planes (planes/make_planes.h and
//    planes/template_planes.h).
// 2. The kernels of plain problems compute exact sums of products of the planes, which are all that
//    a window with masks needs (plan/recipe.h). Each result is a term: a map of partial sums.
// 3. Sums over whole windows of the image slide down the planes.
// 4. A last pass combines the terms of each window into its score.
//
// Where all pixels count, up to four channels of 8 or 16 bits have one pass for 3 and 4
// (score/channel_score.h).
//
// Floats, and integer problems that are too large for this, use kernel `general`, pixel by pixel.
#ifndef XNCC_CUDA_ENGINE_GENERAL_PLAN_H
#define XNCC_CUDA_ENGINE_GENERAL_PLAN_H

#include "cuda/engine/call.h"
#include "cuda/fused/fused_masked_u8.h"
#include "cuda/score/channel_score.h"

extern "C" {
#include "plan/cost_general_cuda.h"
}

namespace xncc {

// What a plan keeps for a general problem.
class GeneralPlan {
  public:
    ~GeneralPlan();
    // Allocates the memory.
    xncc_status make(xncc_engine_plan *plan, xncc_error *error);
    // Computes the scores of `rows` rows of the map from row `first` on; target is row `first`. The
    // call for row 0 also lays out the template, so it comes first.
    xncc_status run(const Call &call, int32_t first, int32_t rows, const Target &target);

  private:
    // A band of the map.
    struct Band {
        int32_t bx, by;        // its column and row of bands
        int32_t width, height; // map elements
    };
    xncc_status make_templ_planes(const xncc_engine_plan *plan, xncc_error *error);
    xncc_status make_inner(xncc_engine_plan *plan, const xncc_problem &problem, xncc_error *error);
    xncc_status run_band(const Call &call, const Band &band, const Target &target);
    unsigned char *term(int index) const;
    unsigned char *image_plane(int index) const;

    // The steps of integer problems, in order.
    xncc_status lay_out_templ(const Call &call);
    xncc_status multiply(const Call &call, const Band &band);
    xncc_status multiply_by_tensor(const Call &call, const Band &band);
    int group_at(int step) const;
    TensorPlane band_plane(const Call &call, const Band &band) const;
    xncc_status sum_windows(const Call &call, const Band &band);
    cudaError_t slide_windows(const Call &call, const Band &band);
    xncc_status score_terms(const Call &call, const Band &band, const Target &target);
    ChannelScoreJob make_channel_score(const Call &call, const Band &band,
                                       const Target &target) const;

    // ccoeff_normed of one 8-bit channel, which has faster passes: score/masked_score_u8.h for the
    // sums over windows and the score, and fused/fused_masked_u8.h for everything.
    const uint32_t *find_term(int sum, int shift) const;
    const unsigned char *find_plane(int kind) const;
    MaskedProduct find_product(int sum, int shift) const;
    bool image_varies() const;
    MaskedScoreJob make_masked_score(const Call &call, const Band &band,
                                     const Target &target) const;
    xncc_status score_masked_u8(const Call &call, const Band &band, const Target &target);
    xncc_status set_max_shared_memory_of_fused(const xncc_engine_plan *plan,
                                               xncc_error *error) const;
    xncc_status match_fused(const Call &call, const Band &band, const Target &target);

    // Kernel `general`.
    xncc_status match_pixels(const Call &call, int32_t first, int32_t rows, const Target &target);

    xncc_general_planes planes = {};   // which planes and terms there are, and the steps
    xncc_general_buffers buffers = {}; // sizes and pitches of the memory below
    Axis x, y;                         // the bands of the map
    int64_t x0 = 0, y0 = 0;            // the image pixel where the map's first window begins
    bool by_pixels = false;            // kernel `general`
    bool by_tensor = false;            // a tensor kernel computes the products
    bool is_masked_u8 = false;         // score_masked_u8 serves the problem
    bool is_fused = false;             // match_fused serves the problem
    DeviceTemplate *templ = nullptr;   // the byte planes of the template
    DeviceMemory images, terms;        // the byte planes of the image, and the terms
    DeviceMemory rows;                 // sums along image rows, for sum_windows
    TensorPlan tensor;                 // for by_tensor
    xncc_engine_plan *inner = nullptr; // otherwise: the plan of one product
};

} // namespace xncc

#endif
