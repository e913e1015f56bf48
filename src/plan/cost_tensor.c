#include "plan/cost_tensor.h"

/* Measured on one H200 (132 processors), November 2026, 8192 x 8192 and templates of 8 to 128: multiply-adds (those with zeros counted) and
 * map elements a millisecond and processor. */
static const double product_rate = 6.6e9;
static const double sum_rate = 5.2e6;   /* X written: no product is faster */
static const double score_rate = 2.5e6; /* the fused pass */
static const double other_score_rate = 6.0e5;
static const double combine_rate = 1.0e6; /* the four parts of a 16-bit X put together */
static const double launch_ms = 0.004;

enum { BARRIER_BYTES = 16, LEAST_STAGES = 2, MOST_STAGES = 6, STAGED_LEAST = 3 };

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int32_t ceil_div(int32_t a, int32_t b)
{
    return (a + b - 1) / b;
}

int32_t cm_tensor_row_bytes(int32_t arrays)
{
    /* 64 more than a multiple of 128: where a chunk's halves come from two rows, the rows lie in different banks */
    return (CM_TENSOR_COLUMNS + 16 * arrays + 63) / 128 * 128 + 64;
}

int cm_tensor_scores(const cm_problem *p)
{
    return p->pixel == CM_U8 && p->method == CM_CCOEFF_NORMED && p->width <= CM_TENSOR_WIDTH;
}

/* A template row under 8 map elements is width + 7 bytes: whole chunks of 16, and where 8 or fewer are left, half a chunk. */
static void fit_chunks(cm_tensor_blocks *b)
{
    int32_t bytes = b->width + 7, rest = bytes % 16;
    b->half = rest > 0 && rest <= 8;
    b->chunks = bytes / 16 + (rest > 8);
    b->periods = ceil_div(b->height + CM_TENSOR_ROWS - 1, CM_TENSOR_PERIOD);
    int32_t arrays = b->chunks + b->half, slides = CM_TENSOR_PERIOD * b->periods + CM_TENSOR_ROWS - 1;
    b->toeplitz = (uint64_t)arrays * (uint64_t)slides * CM_TENSOR_CORE;
}

/* Stages of the ring that shared memory leaves room for, and whether X goes out through shared memory too. */
static int fit_shared_memory(cm_tensor_blocks *b, int64_t limit, int must_stage)
{
    uint64_t stage = (uint64_t)CM_TENSOR_PERIOD * (uint64_t)cm_tensor_row_bytes(b->chunks + b->half) + BARRIER_BYTES;
    for (int staged = 1; staged >= must_stage; staged--)
        for (int stages = MOST_STAGES; stages >= (staged ? STAGED_LEAST : LEAST_STAGES); stages--) {
            uint64_t out = staged ? CM_TENSOR_COLUMNS * CM_TENSOR_PERIOD * 4 : 0;
            uint64_t bytes = b->toeplitz + CM_TENSOR_WARPGROUPS * (stage * (uint64_t)stages + out) + BARRIER_BYTES;
            if ((int64_t)bytes <= limit) {
                b->stages = stages;
                b->staged = staged;
                b->shared_bytes = (int32_t)bytes;
                return 1;
            }
        }
    return 0;
}

/* Multiply-adds for a map element, those with zeros included. The first and the last period of a tile count half. */
static double products(const cm_tensor_blocks *b)
{
    return (double)b->across * b->down * (16.0 * b->chunks + 8.0 * b->half) * (CM_TENSOR_PERIOD * (b->periods - 1.0));
}

/* The cheapest way of cutting the template. */
static int fit_blocks(const cm_problem *p, int64_t limit, cm_tensor_blocks *best)
{
    int found = 0;
    int32_t least = ceil_div(p->width, CM_TENSOR_WIDTH);
    for (int32_t across = least; across <= least + 2 && across <= p->width; across++)
        for (int32_t down = 1; down <= p->height; down++) {
            cm_tensor_blocks b = { 0 };
            b.width = across == 1 ? p->width : (int32_t)round_up((uint64_t)ceil_div(p->width, across), 4);
            b.height = ceil_div(p->height, down);
            b.across = ceil_div(p->width, b.width);
            b.down = ceil_div(p->height, b.height);
            if (b.width > CM_TENSOR_WIDTH)
                break;
            fit_chunks(&b);
            if (!fit_shared_memory(&b, limit, b.across * b.down > 1))
                continue;
            if (!found || products(&b) < products(best))
                *best = b;
            found = 1;
            break;
        }
    return found;
}

cm_tensor_parts cm_tensor_workspace(const cm_problem *p, const cm_tensor_blocks *b, int32_t width, int32_t height)
{
    cm_tensor_parts parts = { 0 };
    uint64_t columns = (uint64_t)width + (uint64_t)p->width - 1, rows = (uint64_t)height + (uint64_t)p->height - 1;
    parts.planes = p->pixel == CM_U16 ? 2 : 1;
    parts.plane_pitch = round_up(columns, 512);
    parts.plane = parts.plane_pitch * rows;
    parts.sums_pitch = round_up((uint64_t)width, CM_TENSOR_COLUMNS);
    parts.sums = parts.sums_pitch * (round_up((uint64_t)height, CM_TENSOR_ROWS) + CM_TENSOR_SPARE_ROWS) * 4;
    parts.toeplitz = b->toeplitz * (uint64_t)b->across * (uint64_t)b->down;
    uint64_t planes = (uint64_t)parts.planes;
    parts.total = planes * (parts.plane + parts.toeplitz) + planes * planes * parts.sums;
    return parts;
}

cm_status cm_fit_tensor(const cm_problem *p, const cm_machine *m, cm_decision *fit, cm_error *error)
{
    if (p->pixel == CM_F32)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "tensor-wgmma takes pixels of 8 and 16 bits, and these are float");
    if (m->cuda.major != 9 || m->cuda.minor != 0)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "tensor-wgmma needs a device of compute capability 9.0, and this one has %d.%d",
                       m->cuda.major, m->cuda.minor);
    if ((uint64_t)p->width * (uint64_t)p->height > UINT32_MAX / (255u * 255u))
        return cm_fail(error, CM_ERROR_UNSUPPORTED,
                       "tensor-wgmma takes templates up to %u pixels, whose sums fit 32 bits, and this one has %d x %d",
                       UINT32_MAX / (255u * 255u), p->width, p->height);
    if (!fit_blocks(p, m->cuda.shared_optin, &fit->tensor))
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "tensor-wgmma needs more shared memory than the %lld bytes of a block",
                       (long long)m->cuda.shared_optin);
    const cm_tensor_blocks *b = &fit->tensor;
    int wide = p->pixel == CM_U16, same = p->mode == CM_SAME;
    double processors = m->cuda.processors > 0 ? (double)m->cuda.processors : 1.0;
    double elements = ((double)p->image_width - (same ? 0 : p->width - 1)) * ((double)p->image_height - (same ? 0 : p->height - 1));
    double product_ms = elements * products(b) / product_rate, sum_ms = elements * b->across * b->down / sum_rate;
    double x_ms = (wide ? 4.0 : 1.0) * (product_ms > sum_ms ? product_ms : sum_ms) + (wide ? elements / combine_rate : 0.0);
    fit->estimate_ms = 3.0 * launch_ms + (x_ms + elements / (cm_tensor_scores(p) ? score_rate : other_score_rate)) / processors;
    return CM_OK;
}
