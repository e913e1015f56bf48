// Products of byte planes for joint problems: the image's planes and the sums are the caller's, the
// plan keeps the template's planes.
#include "cuda/engine/tensor_plan.cuh"

namespace xncc {

xncc_status TensorPlan::make_planes(const xncc_problem &p, const xncc_decision &decision, int count,
                                const xncc_machine &machine, xncc_error *error)
{
    set_up(p, decision, machine);
    cudaError_t code = toeplitz.take(buffers.toeplitz * static_cast<uint64_t>(count));
    if (code == cudaSuccess && !fused)
        code = set_max_shared_memory(machine);
    return check(code, "taking the plan's workspace", error);
}

cudaError_t TensorPlan::build_planes(const DeviceTemplate *templ, int count, cudaStream_t stream) const
{
    cudaError_t code = cudaSuccess;
    for (int first = 0, some; first < count && code == cudaSuccess; first += some) {
        const DeviceTemplate *some_templs[TENSOR_SLOTS] = {};
        some = !hopper ? 1 : count - first < TENSOR_SLOTS ? count - first : TENSOR_SLOTS;
        for (int i = 0; i < some; i++)
            some_templs[i] = templ + first + i;
        code = build(TensorGroup{ some_templs, 0, some, 0, 0 },
                     toeplitz.as<unsigned char>() + first * toeplitz_bytes(), stream);
    }
    return code;
}

xncc_status TensorPlan::multiply_planes(const TensorPlane &image, const PlaneProducts &p,
                                    cudaStream_t stream, xncc_error *error) const
{
    Products to = { toeplitz.as<unsigned char>() + p.first * toeplitz_bytes(),
                    p.sums,
                    p.width,
                    p.height,
                    p.add,
                    p.count,
                    p.step * toeplitz_bytes(),
                    p.sums_step,
                    false };
    if (hopper)
        return multiply_wgmma(image, to, stream, error);
    xncc_status status = XNCC_OK;
    for (int i = 0; i < p.count && !status; i++) {
        status = multiply_mma(image, to, stream, error);
        to.toeplitz += to.slot_toeplitz;
        to.sums += to.slot_sums;
    }
    return status;
}

} // namespace xncc
