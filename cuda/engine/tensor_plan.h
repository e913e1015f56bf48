// What a plan keeps for the tensor kernels (tensor-wgmma, tensor-mma, tensor-fused), and the order
// of their launches. They compute exact integer matrix products for X, and have score passes of
// their own.
#ifndef XNCC_CUDA_ENGINE_TENSOR_PLAN_H
#define XNCC_CUDA_ENGINE_TENSOR_PLAN_H

#include "cuda/fused/fused_u8.h"
#include "cuda/planes/split_planes.h"
#include "cuda/products/correlate_family.h"
#include "cuda/products/correlate_mma.h"
#include "cuda/products/correlate_wgmma.h"
#include "cuda/score/score_u16.h"

extern "C" {
#include "plan/cost_tensor.h"
}

namespace xncc {

// Where the scores of a band go, and how they are computed.
struct TensorTarget {
    xncc_score_rule rule;
    float *map;            // the band's first element, in device memory
    int64_t pitch;         // elements per row
    int32_t width, height; // of the band, in map elements
    const uint32_t *skip;  // nullptr, or a word in device memory: if it is not 0, nothing is done
    bool fp64_is_slow;     // compute scores in pairs of floats
};

// Templates in adjacent slots: at most TENSOR_SLOTS, or PEAK_SLOTS for bound_group.
struct TensorGroup {
    const DeviceTemplate *const *templ; // `count` of them
    int32_t first, count;               // the first slot, and how many
    int32_t width, height;              // of the band, in map elements
};

// Products of one byte plane of an image with `count` byte planes of a template.
struct PlaneProducts {
    int first;             // the first plane of the template
    int step;              // from one of its planes to the next
    int count;             // planes of the template
    uint32_t *sums;        // the first result; rows are as long as those of the plan
    int64_t sums_step;     // elements from one result to the next
    bool add;              // true: add to the results; false: overwrite them
    int32_t width, height; // of the band, in map elements
};

// Use either make() and the functions after it (plain problems), or make_planes() and the functions
// in its group (general problems).
//
// Slot 0 holds the template of a single match. Slots 1 .. count, which make_slots() adds, hold the
// templates of a group. A slot has the template as the products read it and, except for
// tensor-fused, X of all pairs of byte planes.
class TensorPlan {
  public:
    // Allocates the memory of a plain problem.
    xncc_status make(const xncc_problem &problem, const xncc_decision &decision,
                     const xncc_machine &machine, xncc_error *error);

    // The byte planes of a band's image come from one of the next three functions.

    // A view of the image itself, or data = nullptr if it cannot be read in place: it must be in
    // device memory, 8-bit and aligned, and no window may reach past it. rows_padded: its rows may
    // be read up to the next multiple of 16 bytes.
    TensorPlane view_in_place(const xncc_image &image, const Axis &x, const Axis &y, int32_t band_x,
                              int32_t band_y, bool rows_padded) const;
    // Splits the 16-bit image to the plan's planes without staging it. Returns false, and does
    // nothing, if the image cannot be read in place. Ask cudaGetLastError for the launch status.
    bool split_in_place(const xncc_image &image, const Axis &x, const Axis &y, int32_t band_x,
                        int32_t band_y, bool rows_padded, cudaStream_t stream);
    // Copies the staged band to the plan's planes.
    cudaError_t copy_staged(const StageView &stage, int32_t width, int32_t height,
                            cudaStream_t stream);
    // The plan's first plane, for a band of width x height map elements.
    TensorPlane own_plane(int32_t width, int32_t height) const;

    // One template, in slot 0.

    // Lays out the template and computes X of a band: 32 bits for 8-bit pixels; for 16-bit pixels
    // the products of byte planes, which are 32 bits each. For tensor-fused it only lays out the
    // template.
    xncc_status correlate(const DeviceTemplate &templ, const TensorPlane &plane, int32_t width,
                          int32_t height, cudaStream_t stream, xncc_error *error);
    // Computes X of a staged band and stores it where the job says, for the score passes of other
    // kernels.
    xncc_status correlate_staged(const CorrelateJob &job, const DeviceTemplate &templ,
                                 cudaStream_t stream, xncc_error *error);
    // Computes the scores of a band after correlate().
    cudaError_t score(const TensorPlane &image, const TensorTarget &target,
                      cudaStream_t stream) const;

    // Several 8-bit templates, in slots from 1 on.

    // Allocates the memory of slots 1 .. count: slot_bytes() each, and terms_bytes() once.
    cudaError_t make_slots(int count);
    uint64_t slot_bytes() const;
    // Lays out the templates and computes X of each. For tensor-fused it only lays them out.
    xncc_status correlate_group(const TensorGroup &group, const TensorPlane &plane,
                                cudaStream_t stream, xncc_error *error);
    // Computes the best score of each tile (TensorTiles) for the slots from `first` on.
    cudaError_t best_of_tiles(const TensorPlane &image, const TensorTiles &tiles, int first,
                              cudaStream_t stream) const;
    // True if the products can compute the tiles' best scores from X in registers. Then
    // compute_terms, once per image, and bound_group replace correlate_group and best_of_tiles.
    bool bounds_tiles() const
    {
        return terms_bytes() != 0;
    }
    uint64_t terms_bytes() const; // 0 if bounds_tiles() is false
    // Computes the window terms of the image. rule: of any template of the group.
    cudaError_t compute_terms(const TensorPlane &image, const TensorGroup &group,
                              const xncc_score_rule &rule, cudaStream_t stream) const;
    // Lays out the templates, and computes X and the best score of each tile. rules: one per
    // template.
    xncc_status bound_group(const TensorGroup &group, const TensorPlane &plane,
                            const TensorTiles &tiles, const xncc_score_rule *rules,
                            cudaStream_t stream, xncc_error *error) const;
    // X of a slot.
    const uint32_t *products(int slot) const
    {
        return slot_sums(slot);
    }
    int64_t products_pitch() const // elements per row
    {
        return static_cast<int64_t>(buffers.sums_pitch);
    }
    int64_t products_plane() const; // elements from slot to slot

    // General problems: products of byte planes. The caller owns the image planes and the results.

    // Allocates the memory for `count` planes of a template. product: the problem of one pair of
    // planes.
    xncc_status make_planes(const xncc_problem &product, const xncc_decision &decision, int count,
                            const xncc_machine &machine, xncc_error *error);
    // Lays out the planes of the template.
    cudaError_t lay_out_planes(const DeviceTemplate *templ, int count, cudaStream_t stream) const;
    xncc_status multiply_planes(const TensorPlane &image, const PlaneProducts &products,
                                cudaStream_t stream, xncc_error *error) const;
    // The planes as lay_out_planes left them, one after the other, for tensor-fused.
    const unsigned char *laid_out_planes() const
    {
        return toeplitz.as<unsigned char>();
    }

  private:
    // What a product pass reads, and where its results go.
    struct Products {
        const unsigned char *toeplitz;   // the template's blocks, laid out
        uint32_t *sums;                  // the results
        int32_t width, height;           // of the band, in map elements
        bool add;                        // true: add to the results
        int32_t slots;                   // templates or planes of a template at once
        int64_t slot_toeplitz;           // bytes from one to the next
        int64_t slot_sums;               // elements from one result to the next
        bool pdl;                        // early launch: the previous kernel laid out the template,
        bool pdl_after_products = false; // or it is a product pass, and the layout came before it
        TileBound bound = {};
    };
    void set_up(const xncc_problem &problem, const xncc_decision &decision,
                const xncc_machine &machine);
    cudaError_t set_max_shared_memory(const xncc_machine &machine) const;
    cudaError_t lay_out_templates(const TensorGroup &group, unsigned char *to,
                                  cudaStream_t stream) const;
    xncc_status multiply_wgmma(const TensorPlane &plane, const Products &to, cudaStream_t stream,
                               xncc_error *error) const;
    xncc_status multiply_mma(const TensorPlane &plane, const Products &to, cudaStream_t stream,
                             xncc_error *error) const;
    TensorScoreJob windows_job(const TensorPlane &image, const xncc_score_rule &rule, int32_t width,
                               int32_t height) const;
    PlaneTarget plane_target(int32_t row) const;
    uint32_t *slot_sums(int slot) const;
    unsigned char *slot_toeplitz(int slot) const;
    int64_t toeplitz_bytes() const; // per slot

    int processors = 0;        // multiprocessors of the device
    bool hopper = false;       // kernel tensor-wgmma
    bool fused = false;        // kernel tensor-fused
    bool fp64_is_slow = false; // compute scores in pairs of floats
    bool pdl = false;          // kernels may be launched early (pdl.cuh)
    xncc_problem problem = {};
    xncc_tensor_blocks blocks = {};        // how the template is divided
    xncc_tensor_buffers buffers = {};      // sizes and pitches of the memory below
    DeviceMemory planes;                   // byte planes of the image
    DeviceMemory sums, toeplitz;           // slot 0: X, and the template laid out
    DeviceMemory more_sums, more_toeplitz; // slots from 1 on
    DeviceMemory terms;                    // the window terms of the image
};

} // namespace xncc

#endif
