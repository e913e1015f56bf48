// SPDX-License-Identifier: BSD-2-Clause
// S and Q of the columns of every window: sums of templ_height samples less a pivot, one below the
// other, and of their squares, at a cost that does not depend on the height. Outliers count as 0,
// and a column with a sample that is not finite is marked (FloatColumns). Data mapping:
// column_sums.cu.
#ifndef XNCC_CUDA_WINDOWS_COLUMN_SUMS_H
#define XNCC_CUDA_WINDOWS_COLUMN_SUMS_H

#include "cuda/planes/float_image.h"

extern "C" {
#include "plan/workspace_cuda.h"
}

namespace xncc {

// The sums of columns that lie in XNCC_BUFFER_ROWS. Their `across` depends on the band.
FloatColumns columns_in(const xncc_problem &problem, const xncc_workspace &workspace,
                        unsigned char *rows);

// Those of several planes: each begins so many elements behind the one before.
struct ColumnsOfPlanes {
    FloatColumns first;
    int64_t sums_step, reach_step;

    XNCC_HD FloatColumns of(int plane) const
    {
        FloatColumns columns = first;
        columns.sums += plane * sums_step;
        columns.reach += plane * reach_step;
        return columns;
    }
};

struct ColumnSumsJob {
    FloatImage image;
    const FloatConstants *constants; // the pivot
    int32_t templ_height;
    int32_t rows; // of windows
    FloatColumns to;
    unsigned char *groups; // scratch: sums of XNCC_COLUMN_GROUP rows each
};

cudaError_t launch_column_sums(const ColumnSumsJob &job, cudaStream_t stream);

// The same where the constants say `again`, of the samples of each column alone, with nothing lost
// of others: FloatColumns::loss is 0 and no column is marked. Slower.
cudaError_t launch_own_columns(const ColumnSumsJob &job, cudaStream_t stream);

} // namespace xncc

#endif
