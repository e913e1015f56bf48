/* Problems on both sides of every limit of the CUDA kernels, and the kernels that take over beyond
 * it. */
#include "unit/machines.h"

#include "plan/cost_cuda.h"

#include <string.h>

/* Finds the widest template of a given height that a forced kernel takes, by bisection. One pixel
 * wider is refused. */
static int32_t widest(const xncc_machine *m, const char *kernel, xncc_pixel pixel, int32_t height)
{
    int32_t low = 0, high = 140000;
    xncc_decision d;
    xncc_error error;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        xncc_problem p = matching(pixel, 200000, 2000, middle, height);
        if (decide(&p, m, kernel, &d, &error) == XNCC_OK)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Both sides of the limits of `shared` and `tex-constant`: the last template accepted fits by plain
 * arithmetic, the first one refused does not, and the error text names the limit. */
void check_limits(void)
{
    for (int which = 2; which < MACHINES; which++)
        for (int p = XNCC_U8; p <= XNCC_F32; p++)
            for (int32_t height = 1; height <= 301; height += 75) {
                xncc_machine m = machine(which);
                int64_t size = pixel_size((xncc_pixel)p),
                        limit = m.cuda.shared_optin > m.cuda.shared_memory ? m.cuda.shared_optin
                                                                           : m.cuda.shared_memory;
                xncc_decision d;
                xncc_error error;
                int32_t last = widest(&m, "tex-constant", (xncc_pixel)p, height);
                xncc_problem next = matching((xncc_pixel)p, 200000, 2000, last + 1, height);
                CHECK_STATUS(decide(&next, &m, "tex-constant", &d, &error), XNCC_ERROR_UNSUPPORTED);
                CHECK(last * size <= m.cuda.constant_bytes);
                CHECK((last + 1) * size > m.cuda.constant_bytes ||
                      last == XNCC_CUDA_TEMPLATE_SIDE || strstr(error.text, "texture") ||
                      strstr(error.text, "memory"));
                CHECK(strstr(error.text, "tex-constant") == NULL ||
                      mentions(&error, m.cuda.constant_bytes));
                last = widest(&m, "shared", (xncc_pixel)p, height);
                next = matching((xncc_pixel)p, 200000, 2000, last + 1, height);
                CHECK_STATUS(decide(&next, &m, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
                CHECK(mentions(&error, m.cuda.constant_bytes) || mentions(&error, limit) ||
                      mentions(&error, m.cuda.workspace) || strstr(error.text, "texture"));
                CHECK_STATUS(decide(&next, &m, NULL, &d, &error), XNCC_OK);
                CHECK(d.kernel != XNCC_KERNEL_SHARED);
                if (last == 0)
                    continue;
                next.width = last;
                CHECK_STATUS(decide(&next, &m, "shared", &d, &error), XNCC_OK);
                check_cuda(&next, &m, &d);
                /* Each time constant memory is filled, image rows are read once more. So a filling
                 * must be worth it: the whole template if it is low, or at least 16 rows. */
                CHECK(d.constant_rows >= (height < 16 ? height : 16));
            }
}

/* The fallback that users expect: if the tile of `shared` exceeds the block's shared memory,
 * tex-tex (or tex-constant) takes over. */
void check_fallback(void)
{
    xncc_machine m = machine(2);
    m.cpu.absent = 1;
    xncc_decision d;
    xncc_error error;
    xncc_problem small = matching(XNCC_U8, 4096, 4096, 64, 64);
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.kernel, XNCC_KERNEL_SHARED);
    m.cuda.shared_memory = m.cuda.shared_optin = d.shared_bytes;
    CHECK_STATUS(decide(&small, &m, "shared", &d, &error), XNCC_OK);
    m.cuda.shared_memory = m.cuda.shared_optin = 1024;
    CHECK_STATUS(decide(&small, &m, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "shared") && strstr(error.text, "1024"));
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_OK);
    CHECK(d.kernel == XNCC_KERNEL_TEX_TEX || d.kernel == XNCC_KERNEL_TEX_CONSTANT);
    m.cuda.constant_bytes = 63; /* less than one row of the template */
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.kernel, XNCC_KERNEL_TEX_TEX);
    m.cuda.constant_bytes = 64;
    CHECK_STATUS(decide(&small, &m, "tex-constant", &d, &error), XNCC_OK);
    CHECK_INT(d.constant_rows, 1);
    m.cuda.workspace = 1000;
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&small, &m, "tex-tex", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, 1000));
}

void check_fft(void)
{
    xncc_machine m = machine(5);
    m.cpu.absent = 1;
    xncc_decision d;
    xncc_error error;
    xncc_problem large = matching(XNCC_U8, 8192, 8192, 1000, 1000);
    CHECK_STATUS(decide(&large, &m, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.kernel, XNCC_KERNEL_FFT_CUDA);
    CHECK(d.fft.columns == 1000 && d.fft.rows == 1000);
    large.pixel = XNCC_F32;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    large.pixel = XNCC_U8;
    m.cuda.fft = 0;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "cuFFT") != NULL);
    CHECK_STATUS(decide(&large, &m, NULL, &d, &error), XNCC_OK);
    CHECK(d.kernel != XNCC_KERNEL_FFT_CUDA);
    m.cuda.fft = 1;
    /* beyond the bound in one piece, whatever the transform */
    xncc_problem huge = matching(XNCC_U16, 10000, 10000, 7000, 7000);
    CHECK_STATUS(decide(&huge, &m, "fft", &d, &error), XNCC_OK);
    CHECK(d.fft.columns < 7000 || d.fft.rows < 7000);
    check_cuda(&huge, &m, &d);
    m.cuda.workspace = INT64_C(1) << 20;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, m.cuda.workspace));
}
