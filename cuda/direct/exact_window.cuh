// SPDX-License-Identifier: BSD-2-Clause
// The sums of the windows of a tile, and the scores, for small_exact.cu. X of two limbs l and m
// takes three products, not four: with sums over the pixels,
//
//     sum v_l t_m + v_m t_l = sum (v_l + v_m) (t_l + t_m) - sum v_l t_l - sum v_m t_m
//
// modulo 2^64, and what is wanted has fewer bits.
#ifndef XNCC_CUDA_DIRECT_EXACT_WINDOW_CUH
#define XNCC_CUDA_DIRECT_EXACT_WINDOW_CUH

#include "cuda/direct/exact_tile.cuh"
#include "cuda/direct/general.h"

#include "math/exact_score.h"

namespace xncc {

// The sums over the pixels of the thread's windows of a number that each sample has, which is
// of(index of the sample). All threads of the block take part.
template <class Form, class Function>
__device__ __forceinline__ void add_boxes(const PixelsJob &job, ExactTile<Form> *tile,
                                          const Function &of, int64_t (&to)[Form::EACH])
{
    const int own = static_cast<int>(threadIdx.x),
              count = TILE_WIDTH * (Form::HEIGHT + job.templ_height - 1);
    __syncthreads(); // the sums before have been read
    for (int i = own; i < count; i += TILE_THREADS) {
        const int at = i / TILE_WIDTH * TILE_PITCH + i % TILE_WIDTH;
        int64_t sum = 0;
        for (int k = 0; k < job.templ_width; k++)
            sum += of(at + k);
        tile->along[i] = sum;
    }
    __syncthreads();
    const int64_t *from = tile->along + own / TILE_WIDTH * Form::EACH * TILE_WIDTH +
                          own % TILE_WIDTH;
    int64_t sum = 0;
    for (int k = 0; k < job.templ_height; k++)
        sum += from[k * TILE_WIDTH];
    to[0] = sum;
#pragma unroll
    for (int e = 1; e < Form::EACH; e++) {
        sum += from[(e - 1 + job.templ_height) * TILE_WIDTH] - from[(e - 1) * TILE_WIDTH];
        to[e] = sum;
    }
}

// S and Q of the thread's windows, if all pixels count.
template <class Form>
__device__ __forceinline__ void sum_boxes(const PixelsJob &job, ExactTile<Form> *tile,
                                          ExactSums<Form> (&to)[Form::EACH])
{
    int64_t sum[Form::EACH];
#pragma unroll
    for (int l = 0; l < Form::LIMBS; l++) {
        const int32_t *limb = tile->image[l];
        add_boxes<Form>(
            job, tile, [&](int at) { return limb[at]; }, sum);
#pragma unroll
        for (int e = 0; e < Form::EACH; e++)
            to[e].S[l] = sum[e];
    }
    Form::each_pair([&](int l, int m, int pair) {
        const int32_t *one = tile->image[l], *other = tile->image[m];
        const int32_t times = l < m ? 2 : 1;
        add_boxes<Form>(
            job, tile, [&](int at) { return static_cast<int64_t>(one[at]) * (times * other[at]); },
            sum);
#pragma unroll
        for (int e = 0; e < Form::EACH; e++)
            to[e].Q[pair] = sum[e];
    });
}

// A pixel of the template.
template <class Form> struct TemplPixel {
    int32_t part[ExactTile<Form>::PARTS];

    __device__ __forceinline__ explicit TemplPixel(const int32_t *from)
    {
#pragma unroll
        for (int i = 0; i < ExactTile<Form>::PARTS; i += 4)
            *reinterpret_cast<int4 *>(part + i) = *reinterpret_cast<const int4 *>(from + i);
    }
    __device__ __forceinline__ bool counts() const
    {
        return part[ExactTile<Form>::COUNT] != 0;
    }
    __device__ __forceinline__ int32_t limb(int l) const
    {
        return part[Form::pair(l, l)];
    }
};

// Adds the product of two integers.
static __device__ __forceinline__ void add_product(uint64_t *to, int32_t a, int32_t b)
{
    *to += static_cast<uint64_t>(static_cast<int64_t>(a) * b);
}

// The sums of the thread's windows, which begin at sample `first` of the tile: X and, if not all
// pixels count, the others.
template <class Form>
__device__ __forceinline__ void sum_windows(const PixelsJob &job, const ExactTile<Form> &tile,
                                            int first, ExactSums<Form> (&to)[Form::EACH])
{
    constexpr int EACH = Form::EACH, LIMBS = Form::LIMBS, PAIRS = Form::PAIRS,
                  ROWS = EACH + Form::GROUP - 1;
    constexpr bool WHOLE = Form::COUNTS == Counts::WHOLE, OWN = Form::COUNTS == Counts::OWN;
    uint64_t X[EACH][PAIRS] = {}, Q[EACH][PAIRS] = {}, T2[EACH][PAIRS] = {};
    int64_t S[EACH][LIMBS] = {}, T[EACH][LIMBS] = {};
    uint32_t n[EACH] = {};
    for (int x = 0; x < job.templ_width; x++)
        for (int y = 0; y < job.templ_height; y += Form::GROUP) {
            const int at = first + y * TILE_PITCH + x;
            int32_t v[ROWS][PAIRS], counts[ROWS];
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                Form::each_pair([&](int l, int m, int pair) {
                    if (l == m)
                        v[k][pair] = tile.image[l][at + k * TILE_PITCH];
                });
                Form::each_pair([&](int l, int m, int pair) {
                    if (l < m)
                        v[k][pair] = v[k][Form::pair(l, l)] + v[k][Form::pair(m, m)];
                });
                counts[k] = OWN ? tile.image[ExactTile<Form>::PLANES - 1][at + k * TILE_PITCH] : 0;
            }
#pragma unroll
            for (int j = 0; j < Form::GROUP; j++) {
                const TemplPixel<Form> t(tile.templ[x * TILE_TEMPL + y + j]);
                if (!WHOLE && !t.counts())
                    continue;
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    const int32_t(&own)[PAIRS] = v[e + j];
#pragma unroll
                    for (int pair = 0; pair < PAIRS; pair++)
                        add_product(&X[e][pair], own[pair], t.part[pair]);
                    if (WHOLE)
                        continue;
                    const bool counted = counts[e + j] != 0;
                    n[e] += OWN && counted;
#pragma unroll
                    for (int l = 0; l < LIMBS; l++) {
                        S[e][l] += own[Form::pair(l, l)];
                        T[e][l] += OWN && counted ? t.limb(l) : 0;
                    }
                    Form::each_pair([&](int l, int m, int pair) {
                        const int32_t times = l < m ? 2 : 1;
                        add_product(&Q[e][pair], own[Form::pair(l, l)],
                                    times * own[Form::pair(m, m)]);
                        if (OWN)
                            add_product(&T2[e][pair], counted ? t.limb(l) : 0, times * t.limb(m));
                    });
                }
            }
        }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        Form::each_pair([&](int l, int m, int pair) {
            const uint64_t less = l < m ? X[e][Form::pair(l, l)] + X[e][Form::pair(m, m)] : 0;
            to[e].X[pair] = static_cast<int64_t>(X[e][pair] - less);
            if (!WHOLE) {
                to[e].Q[pair] = static_cast<int64_t>(Q[e][pair]);
                to[e].T2[pair] = static_cast<int64_t>(T2[e][pair]);
            }
        });
#pragma unroll
        for (int l = 0; l < LIMBS && !WHOLE; l++) {
            to[e].S[l] = S[e][l];
            to[e].T[l] = T[e][l];
        }
        to[e].n = n[e];
    }
}

// A long integer. A function that is called reads and writes it in local memory.
template <class Form> struct Long {
    uint32_t word[Form::WORDS];
};

// What a channel of the template has of the formula, of n pixels.
template <class Form> struct TemplSums {
    Long<Form> minus_T, T2;
    uint32_t n;

    template <class Number>
    __device__ __forceinline__ void make(const ExactCut &cut, const Number (&T)[Form::LIMBS],
                                         const Number (&squares)[Form::PAIRS], uint32_t pixels)
    {
        int64_t sum[Form::LIMBS], of_pair[Form::PAIRS];
#pragma unroll
        for (int l = 0; l < Form::LIMBS; l++)
            sum[l] = -static_cast<int64_t>(T[l]);
#pragma unroll
        for (int pair = 0; pair < Form::PAIRS; pair++)
            of_pair[pair] = static_cast<int64_t>(squares[pair]);
        cut.words_of<Form>(sum, minus_T.word);
        cut.words_of_pairs<Form>(of_pair, T2.word);
        n = pixels;
    }
};

// to += n * squares - sum * sum, or the squares for methods that are not centred. The sum may have
// the other sign.
template <class Form>
__device__ __forceinline__ void add_term(xncc_method method, uint32_t n, const Long<Form> &sum,
                                         const Long<Form> &squares, Long<Form> *to)
{
    uint32_t scratch[Form::WORDS];
    const bool centred = xncc_method_is_centred(method);
    xncc_long_add_multiple(to->word, Form::WORDS, centred ? n : 1, squares.word);
    if (centred)
        xncc_long_subtract_product(to->word, Form::WORDS, sum.word, sum.word, scratch);
}

// Adds a channel of a window to the arguments of the formula.
template <class Form>
__device__ __noinline__ void add_channel(xncc_method method, const ExactCut &cut,
                                         const ExactSums<Form> &sums, const TemplSums<Form> &templ,
                                         Long<Form> *numerator, Long<Form> *image)
{
    constexpr int WORDS = Form::WORDS;
    Long<Form> to = *numerator, S, Q;
    uint32_t X[WORDS];
    cut.words_of_pairs<Form>(sums.X, X);
    cut.words_of_pairs<Form>(sums.Q, Q.word);
    cut.words_of<Form>(sums.S, S.word);
    xncc_long_add_X(method, templ.n, X, to.word, WORDS);
    if (xncc_method_of_difference(method)) {
        xncc_long_add_multiple(to.word, WORDS, 1, Q.word);
        xncc_long_add_multiple(to.word, WORDS, 1, templ.T2.word);
    }
    if (xncc_method_is_centred(method))
        xncc_long_add_product(to.word, WORDS, S.word, WORDS, templ.minus_T.word, WORDS);
    *numerator = to;
    Long<Form> of_image = *image;
    add_term(method, templ.n, S, Q, &of_image);
    *image = of_image;
}

// The formula.
template <class Form>
__device__ __noinline__ float score_of(const PixelsJob &job, uint32_t n, int32_t unit,
                                       const Long<Form> &numerator, const Long<Form> &image,
                                       const Long<Form> &templ)
{
    float score;
    if (xncc_general_score_from_count(job.method, &job.rule, n, &score))
        return score;
    Long<Form> a = numerator, b = image, c = templ;
    const xncc_real of_numerator = xncc_long_round(a.word, Form::WORDS, unit),
                    of_image = xncc_long_round(b.word, Form::WORDS, unit),
                    of_templ = xncc_long_round(c.word, Form::WORDS, unit);
    return xncc_score_of_terms(job.method, &job.rule, n, of_numerator, of_image, of_templ);
}

} // namespace xncc

#endif
