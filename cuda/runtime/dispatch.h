// SPDX-License-Identifier: BSD-2-Clause
// Makes constants and types for templates of what is known at run time.
#ifndef XNCC_CUDA_RUNTIME_DISPATCH_H
#define XNCC_CUDA_RUNTIME_DISPATCH_H

#include "cuda/runtime/handles.h"

#include "math/method.h"

#include <type_traits>

namespace xncc {

// Calls function with `value` as a constant, if it is one of FIRST and REST, and returns what that
// returns; otherwise returns an empty value.
template <int FIRST, int... REST, class Function>
auto with_one_of(int value, const Function &function)
{
    using Constant = std::integral_constant<int, FIRST>;
    if (value == FIRST)
        return function(Constant());
    if constexpr (sizeof...(REST) > 0)
        return with_one_of<REST...>(value, function);
    else
        return decltype(function(Constant()))();
}

// Calls function with a pixel of the type that u8 or u16 pixels have. Signed samples are stored
// biased, so they use the unsigned types.
template <class Function> void with_integer(xncc_pixel pixel, const Function &function)
{
    if (pixel == XNCC_U8)
        function(uint8_t());
    else
        function(uint16_t());
}

// The same for u8, u16 and f32.
template <class Function> void with_pixel(xncc_pixel pixel, const Function &function)
{
    if (pixel == XNCC_F32)
        function(0.0f);
    else
        with_integer(pixel, function);
}

// Calls function with the pixel type as a constant.
template <class Function> void with_any_pixel(xncc_pixel pixel, const Function &function)
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel: function(std::integral_constant<xncc_pixel, pixel>()); break;
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
}

// Calls function, which launches a kernel, with the method as a constant. Only general problems
// have XNCC_COVERAGE.
template <class Function>
cudaError_t with_score_method(xncc_method method, const Function &function)
{
    switch (method) {
#define CASE(method, name)                                                                         \
    case method: function(std::integral_constant<xncc_method, method>()); break;
        XNCC_EACH_SCORE_METHOD(CASE)
#undef CASE
    case XNCC_COVERAGE: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}

} // namespace xncc

#endif
