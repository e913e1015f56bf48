// How a plan's share puts the common joint match on the stream: masked_score_u8.cuh.
#include "cuda/score/masked_score_u8.cuh"

namespace xncc {

const uint32_t *GeneralPlan::find_term(int sum, int shift) const
{
    for (int i = 0; i < planes.term_count; i++)
        if (planes.term[i].sum == sum && planes.term[i].shift == shift)
            return reinterpret_cast<const uint32_t *>(term(i));
    return nullptr;
}

const unsigned char *GeneralPlan::find_plane(int kind) const
{
    for (int i = 0; i < planes.image_count; i++)
        if (planes.image[i].kind == kind && planes.image[i].digit == 0)
            return image_plane(i);
    return nullptr;
}

bool GeneralPlan::image_varies() const
{
    return planes.needs.sum[XNCC_SUM_T] == XNCC_FROM_PRODUCTS;
}

MaskedScoreJob GeneralPlan::make_masked_score(const Call &call, const Band &band, const Target &target) const
{
    const xncc_problem &p = call.plan->problem;
    const xncc_general_rule rule = xncc_general_rule_make(call.source, p.method, p.flat, p.min_valid);
    MaskedScoreJob job = {};
    job.n = static_cast<uint32_t>(call.source->whole);
    job.sum = static_cast<uint32_t>(call.templ->sum[0]);
    job.sum2 = static_cast<uint32_t>(call.templ->sum2.low);
    job.least = static_cast<uint32_t>(rule.least);
    job.undefined = rule.undefined;
    job.templ_width = p.width;
    job.templ_height = p.height;
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.width = band.width;
    job.height = band.height;
    return job;
}

xncc_status GeneralPlan::put_masked_score(const Call &call, const Band &band, const Target &target)
{
    MaskedScoreJob job = make_masked_score(call, band, target);
    job.N = find_term(XNCC_SUM_N, 0);
    job.X = find_term(XNCC_SUM_X, 0);
    job.S = find_term(XNCC_SUM_S, 0);
    job.T = find_term(XNCC_SUM_T, 0);
    for (int i = 0; i < 2; i++) {
        job.Q[i] = find_term(XNCC_SUM_Q, 8 * i);
        job.T2[i] = find_term(XNCC_SUM_T2, 8 * i);
    }
    job.pitch = static_cast<int64_t>(buffers.term_pitch);
    job.values = find_plane(XNCC_PLANE_VALUE);
    job.counts = find_plane(XNCC_PLANE_COUNT);
    job.plane_pitch = static_cast<int64_t>(buffers.image_pitch);
    const bool masked = call.plan->problem.templ_masked != 0;
    return check(masked ? launch_quick(job, image_varies(), call.stream)
                        : launch_quick_windows(job, call.stream),
                 "launching the score", call.error);
}

MaskedProduct GeneralPlan::find_product(int sum, int shift) const
{
    for (int i = 0; i < planes.products; i++) {
        const xncc_general_step &s = planes.step[i];
        if (planes.term[s.term].sum == sum && planes.term[s.term].shift == shift)
            return { s.image, s.templ };
    }
    return {};
}

xncc_status GeneralPlan::set_max_shared_memory_of_planes(const xncc_engine_plan *plan, xncc_error *error) const
{
    const int most = static_cast<int>(plan->engine->machine.cuda.shared_optin);
    return check(masked_planes_set_max_shared_memory(plan->decision.tensor, image_varies(), most),
                 "taking the plan's workspace", error);
}

xncc_status GeneralPlan::put_planes(const Call &call, const Band &band, const Target &target)
{
    static const struct {
        xncc_sum_id sum;
        int shift;
    } order[QUICK_PRODUCTS] = { { XNCC_SUM_X, 0 },  { XNCC_SUM_S, 0 }, { XNCC_SUM_Q, 8 },
                                { XNCC_SUM_Q, 0 },  { XNCC_SUM_N, 0 }, { XNCC_SUM_T, 0 },
                                { XNCC_SUM_T2, 8 }, { XNCC_SUM_T2, 0 } };
    const xncc_tensor_blocks &blocks = call.plan->decision.tensor;
    MaskedPlanes of = {};
    of.image = image_rows(call, band);
    of.image.data = image_plane(0);
    of.plane = static_cast<int64_t>(buffers.image);
    of.taps = reinterpret_cast<const uint4 *>(tensor.laid_planes());
    of.templ_bytes = static_cast<int32_t>(blocks.toeplitz);
    of.buffers = planes.templ_count;
    for (int i = 0; i < QUICK_PRODUCTS; i++)
        of.product[i] = find_product(order[i].sum, order[i].shift);
    return check(launch_masked_planes(make_masked_score(call, band, target), of, blocks, image_varies(),
                                     call.plan->engine->machine.cuda.processors, call.stream),
                 "launching the match", call.error);
}

} // namespace xncc
