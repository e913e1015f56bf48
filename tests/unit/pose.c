/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses: angles, grids, the overlap of frames and the fit, each against what geometry says; and the
 * parts in pose_resample.c and pose_search.c. */
#include "unit/pose.h"

#include "base/memory.h"
#include "cpu/cpu.h"
#include "pose/fit.h"
#include "pose/frames.h"
#include "pose/probe.h"
#include "pose/turn.h"

#include <math.h>
#include <string.h>

static int near(double got, double want, double bound)
{
    if (fabs(got - want) <= bound)
        return CHECK(1);
    kit_fail(__FILE__, __LINE__, "%.12g, not %.12g within %g", got, want, bound);
    return 0;
}

static void check_turns(void)
{
    static const int right[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    kit_random r = kit_stream(1);
    for (int i = -8; i <= 8; i++) {
        const xncc_turn t = xncc_turn_of(90.0 * i);
        CHECK_INT(t.cos, right[i & 3][0] * (INT64_C(1) << XNCC_TURN_BITS));
        CHECK_INT(t.sin, right[i & 3][1] * (INT64_C(1) << XNCC_TURN_BITS));
    }
    for (int i = 0; i < 20000; i++) {
        /* an angle that is a whole number of units, so that it is not rounded */
        const double degrees = (double)kit_below(&r, UINT64_C(1) << 33) * (360.0 / 4294967296.0) -
                               360.0;
        const xncc_turn t = xncc_turn_of(degrees);
        const long double radians = (long double)degrees * 3.14159265358979323846264338328L /
                                    180.0L;
        near((double)t.cos, (double)(cosl(radians) * 0x1p30L), 0.5001);
        near((double)t.sin, (double)(sinl(radians) * 0x1p30L), 0.5001);
    }
}

static xncc_pose_grid grid_of(double first, double last, double step, int width, int height)
{
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    xncc_pose_grid grid;
    const xncc_pose_source source = { .width = width, .height = height };
    o.angles = (xncc_pose_range){ first, last, step };
    CHECK_STATUS(xncc_pose_ranges_check(&o, NULL), XNCC_OK);
    CHECK_STATUS(xncc_pose_grid_make(&o, &source, &grid, NULL), XNCC_OK);
    return grid;
}

static void check_grids(void)
{
    /* The default step turns no corner by more than a pixel, and no narrower one is needed. */
    for (int side = 4; side < 200; side += 7) {
        const xncc_pose_grid g = grid_of(0, 360, XNCC_AUTO, side, 2 * side);
        const double corner = 0.5 * hypot(side, 2 * side),
                     arc = corner * g.angle.step * 3.14159265358979 / 180.0;
        CHECK(arc <= 1.0 && arc > 1.0 - 4.0 / (g.angle.count - 4));
        CHECK(g.angle.circular && g.angle.count % 4 == 0);
        near(g.angle.count * g.angle.step, 360.0, 1e-9);
    }
    xncc_pose_axis a = grid_of(-30, 30, 5, 20, 20).angle;
    CHECK(a.count == 13 && !a.circular && xncc_pose_value(&a, 12) == 30.0);
    CHECK(xncc_pose_index(&a, 13) == -1 && xncc_pose_index(&a, -1) == -1);
    a = grid_of(0, 360, 90, 20, 20).angle;
    CHECK(a.count == 4 && a.circular && xncc_pose_index(&a, -1) == 3);
    a = grid_of(0, 360, 100, 20, 20).angle;
    CHECK(a.count == 4 && !a.circular && xncc_pose_value(&a, 3) == 300.0);
    a = grid_of(12, 12, XNCC_AUTO, 20, 20).angle;
    CHECK(a.count == 1 && a.first == 12.0);
    a = grid_of(0, 0.9, 0.1, 20, 20).angle; /* 0.9 / 0.1 is a little below 9 */
    CHECK_INT(a.count, 10);
}

static xncc_pose_frame frame(double x, double y, double degrees, double width, double height)
{
    const xncc_turn t = xncc_turn_of(degrees);
    return (xncc_pose_frame){
        x, y, (double)t.cos * 0x1p-30, (double)t.sin * 0x1p-30, 0.5 * width, 0.5 * height
    };
}

/* The overlap by counting points, some 4e4 of them. */
static double counted(const xncc_pose_frame *a, const xncc_pose_frame *b)
{
    const xncc_pose_frame *both[2] = { a, b };
    long shared = 0, any = 0;
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++) {
            int in[2];
            for (int k = 0; k < 2; k++) {
                const double dx = -20.0 + 0.1 * i + 0.05 - both[k]->x,
                             dy = -20.0 + 0.1 * j + 0.05 - both[k]->y;
                in[k] = fabs(both[k]->cos * dx - both[k]->sin * dy) <= both[k]->half_width &&
                        fabs(both[k]->sin * dx + both[k]->cos * dy) <= both[k]->half_height;
            }
            shared += in[0] && in[1];
            any += in[0] || in[1];
        }
    return any ? (double)shared / (double)any : 0.0;
}

static void check_overlaps(void)
{
    const xncc_pose_frame unit = frame(3, -2, 0, 2, 2);
    const xncc_pose_frame other[] = { frame(3, -2, 0, 2, 2),   frame(3, -2, 90, 2, 2),
                                      frame(3, -2, 45, 2, 2),  frame(4, -2, 0, 2, 2),
                                      frame(5, -2, 0, 2, 2),   frame(50, -2, 33, 2, 2),
                                      frame(3, -2, 180, 8, 2), frame(3, -2, 77, 20, 20) };
    const double want[] = { 1,    1,   2 * (sqrt(2) - 1) / (2 - 2 * (sqrt(2) - 1)), 1 / 3.0, 0, 0,
                            0.25, 0.01 };
    for (int i = 0; i < 8; i++) {
        near(xncc_pose_overlap(&unit, &other[i]), want[i], 1e-7);
        near(xncc_pose_overlap(&other[i], &unit), want[i], 1e-7);
    }
    kit_random r = kit_stream(2);
    for (int i = 0; i < 40; i++) {
        const xncc_pose_frame a = frame(kit_between(&r, -3, 3), kit_between(&r, -3, 3),
                                        kit_between(&r, 0, 359), kit_between(&r, 2, 14),
                                        kit_between(&r, 2, 14)),
                              b = frame(kit_between(&r, -5, 5), kit_between(&r, -5, 5),
                                        kit_between(&r, 0, 359), kit_between(&r, 2, 14),
                                        kit_between(&r, 2, 14));
        near(xncc_pose_overlap(&a, &b), counted(&a, &b), 0.03);
    }
}

/* A quadratic with its peak at `at` must be found exactly. */
static void check_fits(void)
{
    static const double bend[4][4] = {
        { -2, 0.5, 0.25, 0 }, { 0.5, -1, 0, 0.25 }, { 0.25, 0, -3, 0.5 }, { 0, 0.25, 0.5, -1.5 }
    };
    static const double at[4] = { 0.25, -0.5, 0.375, 0.125 };
    for (int axes = 2; axes <= 4; axes++) {
        double score[XNCC_FIT_POINTS], far[2][2];
        int points = 1;
        for (int k = 0; k < axes; k++)
            points *= 3;
        for (int p = 0; p < points; p++) {
            double d[4], sum = 0.0;
            for (int k = 0, rest = p; k < axes; k++, rest /= 3)
                d[k] = rest % 3 - 1 - at[k];
            for (int i = 0; i < axes; i++)
                for (int j = 0; j < axes; j++)
                    sum += 0.5 * d[i] * bend[i][j] * d[j];
            score[p] = 7.0 + sum;
        }
        for (int p = 0; p < 4; p++) { /* two steps away, and none */
            double sum = 0.0, d[4];
            for (int k = 0; k < axes; k++)
                d[k] = (k == p / 2 ? 4 * (p % 2) - 2 : 0) - at[k];
            for (int i = 0; i < axes; i++)
                for (int j = 0; j < axes; j++)
                    sum += 0.5 * d[i] * bend[i][j] * d[j];
            far[p / 2][p % 2] = 7.0 + sum;
        }
        for (int with = 1; with >= 0; with--) {
            const xncc_pose_fit fit = xncc_pose_fit_peak(score, (const double(*)[2])far, axes);
            CHECK(fit.found);
            near(fit.score, 7.0, 1e-12);
            for (int k = 0; k < axes; k++)
                near(fit.at[k], at[k], 1e-12);
            far[1][0] = far[0][1] = NAN;
        }
        for (int p = 0; p < points; p++) /* a valley has no peak */
            score[p] = -score[p];
        CHECK(!xncc_pose_fit_peak(score, (const double(*)[2])far, axes).found);
        score[0] = score[points / 2 + 1] = NAN;
        CHECK(!xncc_pose_fit_peak(score, (const double(*)[2])far, axes).found);
    }
}

/* Rows of every length, aligned and not, by each instruction set, against a plain loop. */
static void check_rows(void)
{
    static uint8_t image[600], templ[600], mask[600];
    kit_random r = kit_stream(3);
    const xncc_probe_row row[] = { xncc_probe_row_of(0), xncc_probe_row_of(xncc_cpu_features()) };
    for (int n = 0; n < 500; n++) {
        for (int i = 0; i < 600; i++) {
            image[i] = n % 3 ? (uint8_t)kit_next(&r) : 255;
            templ[i] = n % 3 ? (uint8_t)kit_next(&r) : 255;
            mask[i] = n % 5 == 4 && kit_below(&r, 2) ? 0 : 255;
        }
        const int32_t windows = 1 + n % 5, first = (int32_t)kit_below(&r, 32);
        xncc_probe_sums want[5] = { { 1, 2, 3 } };
        for (int w = 0; w < windows; w++)
            for (int i = 0; i < n; i++) {
                const uint64_t v = mask[i] ? image[first + w + i] : 0;
                want[w].S += v;
                want[w].Q += v * v;
                want[w].X += v * templ[i];
            }
        for (int k = 0; k < 2; k++) {
            xncc_probe_sums got[5] = { { 1, 2, 3 } };
            row[k](image + first, templ, mask, n, windows, got);
            CHECK(memcmp(got, want, sizeof got) == 0);
        }
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    const xncc_device device = kit_device_option(argc, argv);
    xncc_context *context = kit_context(device, 3);
    check_turns();
    check_grids();
    check_overlaps();
    check_fits();
    check_rows();
    check_resampling(context);
    check_searches(context, device);
    xncc_context_destroy(context);
    return kit_finish("poses");
}
