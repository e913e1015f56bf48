// General problems: the planes, the order of the passes, and the jobs of each pass.
#include "cuda/engine/general_plan.h"

#include "cuda/direct/general.h"
#include "cuda/engine/product_pass.h"
#include "cuda/planes/make_planes.h"
#include "cuda/planes/template_planes.h"
#include "cuda/score/sliding_score_u8.h"
#include "cuda/score/term_score.h"
#include "cuda/windows/window_sums.h"

#include "image/samples.h"

namespace xncc {

namespace {

Axis make_axis(int32_t map, int32_t size, int32_t band)
{
    Axis axis;
    axis.image = map + size - 1; // the planes include the border
    axis.map = map;
    axis.size = size;
    axis.band = band;
    return axis;
}

// The order in which the score pass reads the terms: 0 for N, X, Q and sumT2, then 1 + channel for
// S and sumT of a channel.
int order_of(const xncc_general_term &term)
{
    const bool of_channel = term.sum == XNCC_SUM_S || term.sum == XNCC_SUM_T;
    return of_channel ? 1 + term.channel : 0;
}

// Lists the terms in that order, and marks the last term of each channel.
void list_terms(const xncc_general_planes &planes, GeneralTerm *list)
{
    for (int own = 0, count = 0; own <= XNCC_MAX_CHANNELS; own++) {
        const int first = count;
        for (int i = 0; i < planes.term_count; i++)
            if (order_of(planes.term[i]) == own)
                list[count++] = { planes.term[i].sum, planes.term[i].shift, static_cast<uint8_t>(i),
                                  0 };
        if (own && count > first)
            list[count - 1].next = static_cast<uint8_t>(own);
    }
}

} // namespace

GeneralPlan::~GeneralPlan()
{
    for (int i = 0; templ && i < planes.templ_count; i++)
        templ[i].~DeviceTemplate();
    xncc_free(templ);
    destroy(inner);
}

xncc_status GeneralPlan::make_templ_planes(const xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    if (planes.templ_count == 0)
        return XNCC_OK;
    void *memory = xncc_alloc(static_cast<uint64_t>(planes.templ_count), sizeof(DeviceTemplate));
    if (!memory)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the template's planes");
    templ = static_cast<DeviceTemplate *>(memory);
    for (int i = 0; i < planes.templ_count; i++)
        new (templ + i) DeviceTemplate();
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < planes.templ_count && code == cudaSuccess; i++)
        code = templ[i].make_plane(p.width, p.height, !by_tensor);
    return check(code, "allocating the template's planes", error);
}

// Makes the plan of one product, for kernels that are not tensor kernels: they read staged images.
xncc_status GeneralPlan::make_inner(xncc_engine_plan *plan, const xncc_problem &problem,
                                    xncc_error *error)
{
    inner = create<xncc_engine_plan>();
    if (!inner)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan");
    inner->engine = plan->engine;
    inner->problem = problem;
    inner->decision = plan->decision;
    inner->progress = plan->progress;
    inner->x = x;
    inner->y = y;
    xncc_cuda_buffers stage = {};
    stage.stage_pitch = static_cast<uint64_t>(buffers.image_pitch);
    stage.stage = static_cast<uint64_t>(buffers.stage);
    xncc_status status = check(inner->stage.make(XNCC_U8, x, y, stage),
                               "allocating a plane of the image", error);
    return status || plan->decision.kernel != XNCC_KERNEL_FFT_CUDA
               ? status
               : inner->fft.make(problem, plan->decision.fft, error);
}

xncc_status GeneralPlan::make(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    const xncc_decision &d = plan->decision;
    const xncc_extent map = xncc_problem_extent(&p);
    x0 = map.x0;
    y0 = map.y0;
    x = make_axis(map.width, p.width, d.band_width);
    y = make_axis(map.height, p.height, d.band_height);
    by_pixels = d.kernel == XNCC_KERNEL_GENERAL;
    by_tensor = xncc_kernel_is_tensor(d.kernel) != 0;
    if (by_pixels)
        return XNCC_OK;
    const xncc_machine &machine = plan->engine->machine;
    if (!xncc_general_planes_for(&p, &machine, d.kernel, &planes))
        return xncc_fail(error, XNCC_ERROR_INTERNAL,
                         "the decision accepted %d channels, which the lists of planes cannot hold",
                         p.channels);
    is_masked_u8 = xncc_general_is_u8_masked(&p, &planes) != 0;
    is_fused = d.kernel == XNCC_KERNEL_TENSOR_FUSED;
    buffers = xncc_general_workspace(&p, &planes, &d);
    cudaError_t code = images.take(static_cast<uint64_t>(buffers.image * planes.image_count));
    if (code == cudaSuccess)
        code = terms.take(static_cast<uint64_t>(buffers.term * planes.term_count));
    if (code == cudaSuccess)
        code = rows.take(static_cast<uint64_t>(buffers.rows));
    // The ends of rows are read, but no score depends on them.
    if (code == cudaSuccess && planes.image_count)
        code = cudaMemset(images.as<void>(), 0,
                          static_cast<size_t>(buffers.image * planes.image_count));
    if (code == cudaSuccess && planes.term_count)
        code = cudaMemset(terms.as<void>(), 0,
                          static_cast<size_t>(buffers.term * planes.term_count));
    xncc_status status = check(code, "allocating the plan's workspace", error);
    if (!status)
        status = make_templ_planes(plan, error);
    const xncc_problem of_product = xncc_problem_inner(&p);
    if (!status && by_tensor)
        status = tensor.make_planes(of_product, d, planes.templ_count, machine, error);
    if (!status && is_fused)
        status = set_max_shared_memory_of_fused(plan, error);
    if (!status && planes.score_sums_windows)
        status = check(
            channel_score_set_max_shared_memory(static_cast<int>(machine.cuda.shared_optin)),
            "allocating the plan's workspace", error);
    if (!status && !by_tensor)
        status = make_inner(plan, of_product, error);
    return status ? status
                  : check(cudaStreamSynchronize(nullptr), "allocating the plan's workspace", error);
}

unsigned char *GeneralPlan::term(int index) const
{
    return terms.as<unsigned char>() +
           static_cast<uint64_t>(index) * static_cast<uint64_t>(buffers.term);
}

unsigned char *GeneralPlan::image_plane(int index) const
{
    return images.as<unsigned char>() +
           static_cast<uint64_t>(index) * static_cast<uint64_t>(buffers.image);
}

xncc_status GeneralPlan::lay_out_templ(const Call &call)
{
    xncc_status status = check(launch_template_planes(*call.templ, planes, templ, call.stream),
                               "laying out the template", call.error);
    if (!status && by_tensor)
        status = check(tensor.lay_out_planes(templ, planes.templ_count, call.stream),
                       "laying out the template", call.error);
    return status;
}

// Returns how many steps from this one on one launch can compute: products of the same image plane
// whose template planes, and whose terms, are the same distance apart.
int GeneralPlan::group_at(int step) const
{
    const xncc_general_step *s = planes.step + step;
    int count = 1;
    while (count < TENSOR_SLOTS && step + count < planes.step_count) {
        const xncc_general_step &a = s[count - 1], &b = s[count];
        if (b.templ == XNCC_GENERAL_WINDOW || b.image != s->image || b.add != s->add)
            break;
        if (count > 1 && (b.templ - a.templ != s[1].templ - s[0].templ ||
                          b.term - a.term != s[1].term - s[0].term))
            break;
        count++;
    }
    return count;
}

// The shape of the band's image planes; data is not set.
TensorPlane GeneralPlan::band_plane(const Call &call, const Band &band) const
{
    const int64_t columns = static_cast<int64_t>(band.width) + call.templ->width - 1;
    return { nullptr, static_cast<int64_t>(buffers.image_pitch),
             static_cast<int32_t>(ceil_div<int64_t>(columns, 16) * 16),
             band.height + call.templ->height - 1 };
}

xncc_status GeneralPlan::multiply_by_tensor(const Call &call, const Band &band)
{
    TensorPlane image = band_plane(call, band);
    xncc_status status = XNCC_OK;
    for (int i = 0, count; i < planes.products && !status; i += count) {
        const xncc_general_step *s = planes.step + i;
        count = group_at(i);
        PlaneProducts to = {};
        to.first = s->templ;
        to.step = count > 1 ? s[1].templ - s[0].templ : 0;
        to.sums = reinterpret_cast<uint32_t *>(term(s->term));
        to.sums_step = count > 1 ? (s[1].term - s[0].term) * static_cast<int64_t>(buffers.term) /
                                       static_cast<int64_t>(sizeof(uint32_t))
                                 : 0;
        to.count = count;
        to.add = s->add != 0;
        to.width = band.width;
        to.height = band.height;
        image.data = image_plane(s->image);
        status = tensor.multiply_planes(image, to, call.stream, call.error);
    }
    return status;
}

xncc_status GeneralPlan::multiply(const Call &call, const Band &band)
{
    if (by_tensor)
        return multiply_by_tensor(call, band);
    Call one = call;
    one.plan = inner;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < planes.products && !status; i++) {
        const xncc_general_step &s = planes.step[i];
        one.templ = templ + s.templ;
        if (i == 0 || planes.step[i - 1].image != s.image)
            status = check(inner->stage.fill_plane(image_plane(s.image),
                                                   static_cast<size_t>(buffers.image_pitch),
                                                   band.bx, band.by, call.stream),
                           "copying a plane of the image", call.error);
        CorrelateJob job = {};
        job.stage = inner->stage.view(band.bx, band.by);
        job.width = band.width;
        job.height = band.height;
        job.size = call.templ->width;
        job.tile_pitch = inner->decision.tile_pitch;
        job.pitch = static_cast<int64_t>(buffers.term_pitch);
        job.sums = term(s.term);
        job.texture = one.templ->texture.get();
        if (!status)
            status = run_products(one, job);
    }
    return status;
}

// Computes the window sums of each plane and of its squares in one pass. For narrow windows whose
// sums fit 32 bits.
cudaError_t GeneralPlan::slide_windows(const Call &call, const Band &band)
{
    cudaError_t code = cudaSuccess;
    for (int i = planes.products, next; i < planes.step_count && code == cudaSuccess; i = next) {
        SlideJob job = {};
        job.bytes = image_plane(planes.step[i].image);
        job.plane_pitch = static_cast<int64_t>(buffers.image_pitch);
        job.templ_width = call.templ->width;
        job.templ_height = call.templ->height;
        job.pitch = static_cast<int64_t>(buffers.term_pitch);
        job.width = band.width;
        job.height = band.height;
        for (next = i; next < planes.step_count && planes.step[next].image == planes.step[i].image;
             next++) {
            const xncc_general_step &s = planes.step[next];
            (s.square ? job.squares : job.sums) = reinterpret_cast<uint32_t *>(term(s.term));
            (s.square ? job.add_squares : job.add_sums) = s.add;
        }
        code = launch_slide(job, call.stream);
    }
    return code;
}

xncc_status GeneralPlan::sum_windows(const Call &call, const Band &band)
{
    if (!planes.terms_u64 && call.templ->width <= XNCC_WINDOW_WIDTH)
        return check(slide_windows(call, band), "launching the window sums", call.error);
    cudaError_t code = cudaSuccess;
    for (int i = planes.products; i < planes.step_count && code == cudaSuccess; i++) {
        const xncc_general_step &s = planes.step[i];
        WindowsJob job = {};
        job.bytes = image_plane(s.image);
        job.pitch = static_cast<int64_t>(buffers.image_pitch);
        job.templ_width = call.templ->width;
        job.templ_height = call.templ->height;
        job.width = band.width;
        job.height = band.height;
        job.rows = rows.as<uint32_t>();
        job.rows_pitch = static_cast<int64_t>(buffers.term_pitch);
        job.square = s.square;
        job.add = s.add;
        job.wide = planes.terms_u64;
        job.sums = term(s.term);
        code = launch_windows(job, call.stream);
    }
    return check(code, "launching the window sums", call.error);
}

xncc_status GeneralPlan::score_terms(const Call &call, const Band &band, const Target &target)
{
    const xncc_problem &p = call.plan->problem;
    GeneralScoreJob job = {};
    job.rule = xncc_general_rule_make(call.source, p.method, p.flat, p.min_valid);
    job.method = p.method;
    job.channels = xncc_problem_channels(&p);
    job.count = planes.term_count;
    list_terms(planes, job.term);
    if (planes.needs.sum[XNCC_SUM_N] == XNCC_FROM_CONSTANT)
        job.n = call.source->whole;
    for (int c = 0; c < job.channels && planes.needs.sum[XNCC_SUM_T] == XNCC_FROM_CONSTANT; c++)
        job.T[c] = call.templ->sum[c];
    job.T2 = planes.needs.sum[XNCC_SUM_T2] == XNCC_FROM_CONSTANT ? call.templ->sum2
                                                                 : xncc_u128_of(0);
    job.sums = terms.as<void>();
    job.pitch = static_cast<int64_t>(buffers.term_pitch);
    job.plane = static_cast<int64_t>(buffers.term) / (planes.terms_u64 ? 8 : 4);
    job.wide = planes.terms_u64;
    job.narrow_score = planes.score_fits_s63;
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.width = band.width;
    job.height = band.height;
    return check(launch_general_score(job, call.stream), "launching the score", call.error);
}

// The image planes are those of the samples, in the order that the pass expects, because no other
// planes are needed where all pixels count. The terms are those of X.
ChannelScoreJob GeneralPlan::make_channel_score(const Call &call, const Band &band,
                                                const Target &target) const
{
    const xncc_problem &p = call.plan->problem;
    ChannelScoreJob job = {};
    job.image = band_plane(call, band);
    job.image.data = image_plane(0);
    job.plane = static_cast<int64_t>(buffers.image);
    job.channels = xncc_problem_channels(&p);
    job.digits = xncc_pixel_digits(p.pixel);
    job.method = p.method;
    job.rule = xncc_general_rule_make(call.source, p.method, p.flat, p.min_valid);
    for (int c = 0; c < job.channels; c++)
        job.T[c] = call.templ->sum[c];
    job.T2 = call.templ->sum2.low;
    job.window_width = p.width;
    job.window_height = p.height;
    job.sums = terms.as<uint32_t>();
    job.sums_pitch = static_cast<int64_t>(buffers.term_pitch);
    job.terms = planes.term_count;
    for (int i = 0; i < job.terms; i++)
        job.term[i] = { i * static_cast<int64_t>(buffers.term) /
                            static_cast<int64_t>(sizeof(uint32_t)),
                        planes.term[i].shift };
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.width = band.width;
    job.height = band.height;
    return job;
}

xncc_status GeneralPlan::run_band(const Call &call, const Band &band, const Target &target)
{
    LayoutRect rect = { x0 + x.start(band.bx), y0 + y.start(band.by),
                        band.width + call.templ->width - 1, band.height + call.templ->height - 1 };
    LayoutTarget to = { images.as<unsigned char>(), static_cast<int64_t>(buffers.image_pitch),
                        static_cast<int64_t>(buffers.image) };
    xncc_status status = check(
        launch_planes(*call.image, call.plan->problem.border, rect, planes, to, call.stream),
        "laying out the image", call.error);
    if (!status && is_fused)
        return match_fused(call, band, target);
    if (!status)
        status = multiply(call, band);
    if (!status && is_masked_u8)
        return score_masked_u8(call, band, target);
    if (!status && planes.score_sums_windows)
        return check(launch_channel_score(make_channel_score(call, band, target),
                                          call.plan->engine->machine.cuda.processors, call.stream),
                     "launching the score", call.error);
    if (!status)
        status = sum_windows(call, band);
    return status ? status : score_terms(call, band, target);
}

xncc_status GeneralPlan::match_pixels(const Call &call, int32_t first, int32_t count,
                                      const Target &target)
{
    const xncc_problem &p = call.plan->problem;
    PixelsJob job = {};
    job.image = *call.image;
    job.border = p.border;
    job.x = x0;
    job.y = y0 + first;
    job.width = x.map;
    job.rows = count;
    job.pixels = call.templ->pixels.as<unsigned char>();
    job.pitch = static_cast<int64_t>(call.templ->pitch);
    job.mask = call.templ->mask.as<uint8_t>();
    job.templ_width = p.width;
    job.templ_height = p.height;
    job.channels = xncc_problem_channels(&p);
    job.method = p.method;
    job.rule = xncc_general_rule_make(call.source, p.method, p.flat, p.min_valid);
    job.map = target.map;
    job.map_pitch = target.pitch;
    return check(launch_pixels(job, call.stream), "launching the match", call.error);
}

xncc_status GeneralPlan::run(const Call &call, int32_t first, int32_t count, const Target &target)
{
    if (by_pixels)
        return match_pixels(call, first, count, target);
    xncc_status status = first == 0 ? lay_out_templ(call) : XNCC_OK;
    for (int32_t by = first / y.band; by < y.count() && y.start(by) < first + count && !status;
         by++)
        for (int32_t bx = 0; bx < x.count() && !status; bx++) {
            const int64_t row = y.start(by) - first;
            status = run_band(
                call, Band{ bx, by, x.length(bx), y.length(by) },
                Target{ target.map + row * target.pitch + x.start(bx), target.pitch });
        }
    return status;
}

// ccoeff_normed of one 8-bit channel.

// Returns the term of a sum with a given weight 2^shift, or nullptr.
const uint32_t *GeneralPlan::find_term(int sum, int shift) const
{
    for (int i = 0; i < planes.term_count; i++)
        if (planes.term[i].sum == sum && planes.term[i].shift == shift)
            return reinterpret_cast<const uint32_t *>(term(i));
    return nullptr;
}

// Returns the image plane of a kind, or nullptr.
const unsigned char *GeneralPlan::find_plane(int kind) const
{
    for (int i = 0; i < planes.image_count; i++)
        if (planes.image[i].kind == kind && planes.image[i].digit == 0)
            return image_plane(i);
    return nullptr;
}

// True if image pixels need not count, so that N, sumT and sumT2 differ from window to window.
bool GeneralPlan::image_varies() const
{
    return planes.needs.sum[XNCC_SUM_T] == XNCC_FROM_PRODUCTS;
}

MaskedScoreJob GeneralPlan::make_masked_score(const Call &call, const Band &band,
                                              const Target &target) const
{
    const xncc_problem &p = call.plan->problem;
    const xncc_general_rule rule = xncc_general_rule_make(call.source, p.method, p.flat,
                                                          p.min_valid);
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

xncc_status GeneralPlan::score_masked_u8(const Call &call, const Band &band, const Target &target)
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
    return check(masked ? launch_masked_score(job, image_varies(), call.stream)
                        : launch_masked_windows(job, call.stream),
                 "launching the score", call.error);
}

// Returns the planes of the product that makes a term.
MaskedProduct GeneralPlan::find_product(int sum, int shift) const
{
    for (int i = 0; i < planes.products; i++) {
        const xncc_general_step &s = planes.step[i];
        if (planes.term[s.term].sum == sum && planes.term[s.term].shift == shift)
            return { s.image, s.templ };
    }
    return {};
}

xncc_status GeneralPlan::set_max_shared_memory_of_fused(const xncc_engine_plan *plan,
                                                        xncc_error *error) const
{
    const int most = static_cast<int>(plan->engine->machine.cuda.shared_optin);
    return check(masked_planes_set_max_shared_memory(plan->decision.tensor, image_varies(), most),
                 "allocating the plan's workspace", error);
}

xncc_status GeneralPlan::match_fused(const Call &call, const Band &band, const Target &target)
{
    static const struct {
        xncc_sum_id sum;
        int shift;
    } order[MASKED_PRODUCTS] = { { XNCC_SUM_X, 0 },  { XNCC_SUM_S, 0 }, { XNCC_SUM_Q, 8 },
                                 { XNCC_SUM_Q, 0 },  { XNCC_SUM_N, 0 }, { XNCC_SUM_T, 0 },
                                 { XNCC_SUM_T2, 8 }, { XNCC_SUM_T2, 0 } };
    const xncc_tensor_blocks &blocks = call.plan->decision.tensor;
    MaskedPlanes of = {};
    of.image = band_plane(call, band);
    of.image.data = image_plane(0);
    of.plane = static_cast<int64_t>(buffers.image);
    of.taps = reinterpret_cast<const uint4 *>(tensor.laid_out_planes());
    of.templ_bytes = static_cast<int32_t>(blocks.toeplitz);
    of.templs = planes.templ_count;
    for (int i = 0; i < MASKED_PRODUCTS; i++)
        of.product[i] = find_product(order[i].sum, order[i].shift);
    return check(launch_masked_planes(make_masked_score(call, band, target), of, blocks,
                                      image_varies(), call.plan->engine->machine.cuda.processors,
                                      call.stream),
                 "launching the match", call.error);
}

} // namespace xncc
