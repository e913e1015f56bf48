// SPDX-License-Identifier: BSD-2-Clause
// The order of the launches that make the sums of float_sums.h: plane by plane of the image.
#include "cuda/products/float_sums.h"

#include <initializer_list>

namespace xncc {

struct FloatSums::Product {
    FloatPlane templ;
    int channel; // of the template
    int to;      // the number of the sum
    bool adds;
};

xncc_status FloatSums::make(const xncc_problem &problem, const xncc_decision &decision,
                            int processors, unsigned char *transforms, unsigned char *rows,
                            xncc_error *error)
{
    const xncc_workspace &w = decision.workspace;
    at = xncc_float_sums_of(&problem);
    planes = reinterpret_cast<double *>(rows);
    pitch = static_cast<int64_t>(w.rows_pitch);
    plane_step = static_cast<int64_t>(w.plane / sizeof(double));
    terms = reinterpret_cast<FloatTerms *>(rows + w.plane * static_cast<uint64_t>(at.planes));
    integrals = reinterpret_cast<double *>(rows + w.integrals);
    if (at.windows) {
        columns.first = columns_in(problem, w, rows);
        columns.sums_step = static_cast<int64_t>((w.reach - w.columns) / sizeof(double2)) /
                            at.columns;
        columns.reach_step = static_cast<int64_t>((w.groups - w.reach) / sizeof(double)) /
                             at.columns;
        groups = rows + w.groups;
    }
    const cudaError_t code = split.make(decision.fft, processors, transforms);
    return check(code, "preparing the transforms", error);
}

FloatImage FloatSums::plane(const FloatSource &of, int number) const
{
    FloatImage image = {};
    image.image.data = planes + number * plane_step;
    image.image.width = image.columns = of.columns;
    image.image.height = image.rows = of.rows;
    image.image.pitch = pitch * static_cast<int64_t>(sizeof(double));
    image.image.pixel = XNCC_F64;
    image.image.memory = XNCC_DEVICE;
    image.image.channels = 1;
    return image;
}

cudaError_t FloatSums::sum_columns(const FloatSource &of, int number, int to, int rows,
                                   cudaStream_t stream)
{
    ColumnSumsJob job = {};
    columns.first.across = ceil_div(of.columns, static_cast<int>(XNCC_COLUMN_BLOCK));
    job.image = plane(of, number);
    job.constants = split.constants();
    job.templ_height = of.templ.height;
    job.rows = rows;
    job.to = columns.of(to);
    job.groups = groups;
    return launch_column_sums(job, stream);
}

FloatProductsJob FloatSums::job_of(const FloatSource &of, const SumMaps &to, int number, int sum,
                                   bool adds) const
{
    FloatProductsJob job = {};
    job.image = plane(of, number);
    job.method = of.method;
    job.width = to.width;
    job.height = to.height;
    job.sums = to.first + sum * to.step;
    job.pitch = to.pitch;
    job.adds = adds;
    return job;
}

cudaError_t FloatSums::multiply(const FloatSource &of, const Product *product, int count,
                                bool added, const SumMaps &to, cudaStream_t stream)
{
    FloatProductsJob job[XNCC_FLOAT_CHANNELS] = {};
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < count && code == cudaSuccess; i++) {
        const Product &one = product[i];
        job[i] = job_of(of, to, added ? i : 0, one.to, one.adds);
        code = launch_float_template_plane(of, one.templ, one.channel, added, terms,
                                           split.samples(), split.constants(), stream);
        if (code == cudaSuccess)
            code = split.transform_template(i, stream);
    }
    if (code == cudaSuccess)
        code = added && count > 1 ? split.transform_channels(job, count, stream)
                                  : split.transform_blocks(job, count, stream);
    for (int i = 0; i < (added ? 1 : count) && code == cudaSuccess; i++)
        code = split.keep_errors(i, product[i].to, product[i].adds, stream);
    return code;
}

xncc_status FloatSums::correlate(const FloatSource &of, const SumMaps &to, cudaStream_t stream,
                                 xncc_error *error)
{
    split.cover(to.width, to.height);
    cudaError_t code = cudaMemsetAsync(terms, 0, sizeof *terms, stream);
    if (code == cudaSuccess)
        code = launch_float_source_terms(of, terms, stream);
    if (code == cudaSuccess)
        code = split.begin(stream);
    const auto then = [&](std::initializer_list<Product> products) {
        if (code == cudaSuccess)
            code = multiply(of, products.begin(), static_cast<int>(products.size()), false, to,
                            stream);
    };
    // Planes of the image, in the place of all that there are.
    const auto with = [&](FloatPlane kind, int channel, int count) {
        if (code == cudaSuccess)
            code = launch_float_image_planes(of, kind, channel, count, terms, planes, plane_step,
                                             pitch, stream);
    };
    const auto sums = [&](int number, int plane) {
        if (code == cudaSuccess)
            code = sum_columns(of, number, plane, to.height, stream);
    };
    if (at.clips && code == cudaSuccess)
        code = launch_float_integrals(of, integrals, stream);
    if (at.windows) {
        Product X[XNCC_FLOAT_CHANNELS];
        for (int c = 0; c < at.channels; c++)
            X[c] = { FloatPlane::VALUE, c, at.X, false };
        with(FloatPlane::VALUE, 0, at.channels);
        if (code == cudaSuccess)
            code = multiply(of, X, at.channels, true, to, stream);
    }
    for (int c = 0; c < at.channels; c++) {
        const Product X = { FloatPlane::VALUE, c, at.X, c > 0 },
                      S = { FloatPlane::COUNT, c, at.S + c, false },
                      Q = { FloatPlane::COUNT, c, at.Q, c > 0 };
        if (at.windows) {
            sums(c, c);
            continue;
        }
        with(FloatPlane::VALUE, c, 1);
        then({ X, S });
        with(FloatPlane::SQUARE, c, 1);
        then({ Q });
    }
    if (at.varies)
        with(FloatPlane::COUNT, 0, 1);
    if (at.varies && at.windows)
        sums(0, at.channels);
    for (int c = 0; c < at.channels && at.varies; c++) {
        const Product N = { FloatPlane::COUNT, c, at.N, false },
                      T = { FloatPlane::VALUE, c, at.T + c, false },
                      T2 = { FloatPlane::SQUARE, c, at.T2, c > 0 };
        if (c == 0 && !at.windows)
            then({ N, T, T2 });
        else
            then({ T, T2 });
    }
    return check(code, "making the sums of windows", error);
}

void FloatSums::set_sums(FloatSumScoreJob *job) const
{
    const FloatBlocks &blocks = split.blocks();
    job->terms = terms;
    job->at = at;
    job->error = split.errors_of_sums();
    job->blocks = blocks.count;
    job->step_x = blocks.step_x;
    job->step_y = blocks.step_y;
    job->across = blocks.across;
    job->columns = columns;
    job->integrals = integrals;
}

} // namespace xncc
