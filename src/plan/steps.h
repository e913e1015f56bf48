/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of the CUDA steps: the passes that a plan is made of. There is no other list: the
 * decision names steps, and the engine runs the steps that it names. */
#ifndef XNCC_PLAN_STEPS_H
#define XNCC_PLAN_STEPS_H

/* The stages of a match. A step covers one stage or several adjacent ones. */
typedef enum xncc_stage {
    XNCC_STAGE_IMAGE,    /* the image where the kernels can read it */
    XNCC_STAGE_PRODUCTS, /* X, and the other sums that are products of byte planes */
    XNCC_STAGE_WINDOWS,  /* sums over whole windows of the image */
    XNCC_STAGE_SCORES    /* the scores, in a map or as the best of each tile */
} xncc_stage;

/* S(identifier, name, first stage, last stage) */
#define XNCC_STEP_LIST(S)                                                                          \
    /* the pixels under a band, copied for textures */                                             \
    S(BAND, "band", IMAGE, IMAGE)                                                                  \
    /* the same with a border other than clamp, or with the bias of signed samples */              \
    S(BORDER, "border", IMAGE, IMAGE)                                                              \
    /* byte planes, or the image itself where it is one */                                         \
    S(PLANES, "planes", IMAGE, IMAGE)                                                              \
    /* X of whole pixels, by the plan's kernel */                                                  \
    S(PIXEL_PRODUCTS, "pixel-products", PRODUCTS, PRODUCTS)                                        \
    /* products of byte planes, by the plan's kernel */                                            \
    S(PLANE_PRODUCTS, "plane-products", PRODUCTS, PRODUCTS)                                        \
    /* X of floats and u32, in double with bounds of the errors, from the image itself */          \
    S(FLOAT_PRODUCTS, "float-products", IMAGE, PRODUCTS)                                           \
    /* all sums of windows of floats and u32, where masks or channels make several products */     \
    S(FLOAT_SUMS, "float-sums", IMAGE, WINDOWS)                                                    \
    /* sums along the image rows */                                                                \
    S(ROW_SUMS, "row-sums", WINDOWS, WINDOWS)                                                      \
    /* sums down the image columns, in double */                                                   \
    S(COLUMN_SUMS, "column-sums", WINDOWS, WINDOWS)                                                \
    /* a map of sums per byte plane */                                                             \
    S(WINDOW_SUMS, "window-sums", WINDOWS, WINDOWS)                                                \
    /* the score passes: column_score.cu, ... */                                                   \
    S(COLUMN_SCORE, "column-score", WINDOWS, SCORES)                                               \
    S(WINDOW_SCORE, "window-score", WINDOWS, SCORES)                                               \
    S(STRIP_SCORE, "strip-score", WINDOWS, SCORES)                                                 \
    S(CHANNEL_SCORE, "channel-score", WINDOWS, SCORES)                                             \
    S(MASKED_WINDOWS, "masked-windows", WINDOWS, SCORES)                                           \
    S(MASKED_SCORE, "masked-score", SCORES, SCORES)                                                \
    S(TERM_SCORE, "term-score", SCORES, SCORES)                                                    \
    S(FLOAT_SCORE, "float-score", SCORES, SCORES)                                                  \
    S(FLOAT_SUM_SCORE, "float-sum-score", SCORES, SCORES)                                          \
    /* kernel tensor-fused, for ccoeff_normed of one channel, for all methods and channels, and    \
       for masked problems, and kernel general */                                                  \
    S(FUSED, "fused", PRODUCTS, SCORES)                                                            \
    S(FUSED_CHANNELS, "fused-channels", PRODUCTS, SCORES)                                          \
    S(FUSED_MASKED, "fused-masked", PRODUCTS, SCORES)                                              \
    /* kernel float-fused: floats and u32 under small templates, from the image itself */          \
    S(FUSED_FLOATS, "fused-floats", IMAGE, SCORES)                                                 \
    /* kernel float-primes: floats and u32 by integers alone */                                    \
    S(PRIME_SUMS, "prime-sums", IMAGE, SCORES)                                                     \
    S(PIXELS, "pixels", IMAGE, SCORES)

/* XNCC_STEP_<identifier>, in the order of the list. */
typedef enum xncc_step {
#define XNCC_STEP_ID(id, name, first, last) XNCC_STEP_##id,
    XNCC_STEP_LIST(XNCC_STEP_ID)
#undef XNCC_STEP_ID
        XNCC_STEP_COUNT
} xncc_step;

/* A row of the list. */
typedef struct xncc_step_row {
    const char *name;
    xncc_stage first, last;
} xncc_step_row;

/* The rows, indexed by xncc_step. */
extern const xncc_step_row xncc_step_table[XNCC_STEP_COUNT];

/* The most steps of a plan: one per stage. */
enum { XNCC_MAX_STEPS = 4 };

#endif
