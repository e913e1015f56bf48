// Kernel tensor: exact integer matrix products for X, and a pass of its own for window sums and
// score.
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

// A band's part of the map.
struct TensorTarget {
    xncc_score_rule rule;
    float *map;
    int64_t pitch; // elements
    int32_t width, height;
    const uint32_t *skip; // nullptr, or a word on the device: where it is not 0 nothing is done
    bool fp64_is_slow;
};

// Templates in adjacent slots: TENSOR_SLOTS at most, or PEAK_SLOTS where they are judged.
struct TensorGroup {
    const DeviceTemplate *const *templ;
    int32_t first, count;  // slots, from 1 on
    int32_t width, height; // of the band
};

// Products of one byte plane of an image with `count` planes of a template: the first, and those a
// step apart. Each goes, or is added, to sums of its own, so many elements apart, whose rows are as
// long as a plan's.
struct PlaneProducts {
    int first, step, count;
    uint32_t *sums;
    int64_t sums_step;
    bool add;
    int32_t width, height; // of the band
};

// A plan's share.
class TensorPlan {
  public:
    // For joint problems, instead of all below: memory for so many planes of a template, the planes
    // as the products read them, and products.
    xncc_status make_planes(const xncc_problem &product, const xncc_decision &decision, int count,
                            const xncc_machine &machine, xncc_error *error);
    cudaError_t build_planes(const DeviceTemplate *templ, int count, cudaStream_t stream) const;
    xncc_status multiply_planes(const TensorPlane &image, const PlaneProducts &products,
                                cudaStream_t stream, xncc_error *error) const;
    // The planes as build_planes laid them out, one behind the other; tensor-fused leaves the
    // products to the caller.
    const unsigned char *laid_planes() const
    {
        return toeplitz.as<unsigned char>();
    }

    xncc_status make(const xncc_problem &problem, const xncc_decision &decision,
                     const xncc_machine &machine, xncc_error *error);

    // The band of the image itself, where it can be read as it lies; data is null where it cannot.
    // roomy: rows may be read to a multiple of 16 bytes past their end.
    TensorPlane direct(const xncc_image &image, const Axis &x, const Axis &y, int32_t band_x,
                       int32_t band_y, bool roomy) const;

    // The band's 16-bit pixels to the plan's planes without a copy between, where they lie so that
    // they can be read.
    bool split(const xncc_image &image, const Axis &x, const Axis &y, int32_t band_x,
               int32_t band_y, bool roomy, cudaStream_t stream);

    // The staged band as a plane of the plan.
    cudaError_t copy(const StageView &stage, int32_t width, int32_t height, cudaStream_t stream);

    // X of a band into the plan's memory: 32 bits for pixels of 8 bits, and, all of it, for the
    // four products of bytes. tensor-fused: what score needs for it alone.
    xncc_status correlate(const DeviceTemplate &templ, const TensorPlane &plane, int32_t width,
                          int32_t height, cudaStream_t stream, xncc_error *error);

    // X of a band where the score of all kernels expects it.
    xncc_status deliver(const CorrelateJob &job, const DeviceTemplate &templ, cudaStream_t stream,
                        xncc_error *error);

    TensorPlane plane(int32_t width, int32_t height) const;
    // Makes slots 1 .. count for more templates' X; each takes so many bytes.
    cudaError_t make_slots(int count);
    uint64_t slot_bytes() const;
    // X of several templates (8 bits), each in its slot.
    xncc_status correlate_group(const TensorGroup &group, const TensorPlane &plane,
                                cudaStream_t stream, xncc_error *error);
    // Do the products judge the tiles themselves? Then make_slots takes these bytes once for the
    // image's window terms, put_terms computes them, and bound_group is correlate_group and
    // best_of_tiles in one, with a rule for each template.
    bool bounds_tiles() const
    {
        return terms_bytes() != 0;
    }
    uint64_t terms_bytes() const;
    cudaError_t put_terms(const TensorPlane &image, const TensorGroup &group,
                          const xncc_score_rule &rule, cudaStream_t stream) const;
    xncc_status bound_group(const TensorGroup &group, const TensorPlane &plane,
                            const TensorTiles &tiles, const xncc_score_rule *rules,
                            cudaStream_t stream, xncc_error *error) const;
    const uint32_t *products(int of) const
    {
        return slot_sums(of);
    }
    int64_t products_pitch() const // elements
    {
        return static_cast<int64_t>(buffers.sums_pitch);
    }
    int64_t products_plane() const; // from slot to slot
    // score_u8_tiles_launch for the slots from `first` on.
    cudaError_t best_of_tiles(const TensorPlane &image, const TensorTiles &tiles, int first,
                              cudaStream_t stream) const;

    // The scores of a band whose X is in the plan's memory.
    cudaError_t score(const TensorPlane &image, const TensorTarget &target,
                      cudaStream_t stream) const;

  private:
    void set_up(const xncc_problem &problem, const xncc_decision &decision,
                const xncc_machine &machine);
    cudaError_t set_max_shared_memory(const xncc_machine &machine) const;
    cudaError_t build(const TensorGroup &group, unsigned char *to, cudaStream_t stream) const;
    // What a product of planes reads and where it goes.
    struct Products {
        const unsigned char *toeplitz;
        uint32_t *sums;
        int32_t width, height;
        bool add;
        int32_t slots;
        int64_t slot_toeplitz, slot_sums; // bytes, elements from one to the next
        bool pdl;                         // the template was laid out just before,
        bool pdl_after_products = false;  // or before the products in front
        TileBound bound = {};
    };
    xncc_status multiply_wgmma(const TensorPlane &plane, const Products &to, cudaStream_t stream,
                               xncc_error *error) const;
    xncc_status multiply_mma(const TensorPlane &plane, const Products &to, cudaStream_t stream,
                             xncc_error *error) const;

    TensorScoreJob windows_job(const TensorPlane &image, const xncc_score_rule &rule, int32_t width,
                               int32_t height) const;
    PlaneTarget plane_target(int32_t row) const;
    uint32_t *slot_sums(int of) const;
    unsigned char *slot_toeplitz(int of) const;
    int64_t toeplitz_bytes() const; // of a slot

    int processors = 0;
    bool hopper = false, fused = false, fp64_is_slow = false;
    bool pdl = false; // kernels may be launched before those in front have ended
    xncc_problem problem = {};
    xncc_tensor_blocks blocks = {};
    xncc_tensor_buffers buffers = {};
    DeviceMemory planes, sums, toeplitz;
    DeviceMemory more_sums, more_toeplitz; // of slots from 1 on
    DeviceMemory terms;
};

} // namespace xncc

#endif
