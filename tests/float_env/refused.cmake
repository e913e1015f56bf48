# SPDX-License-Identifier: BSD-2-Clause
# cmake -D ROOT=<source tree> -D COMPILER=<C compiler> -P refused.cmake: compiler options that change arithmetic are refused by the header
# that every source begins with, and other options are not.
cmake_minimum_required(VERSION 3.22)
# expect(0|1 OPTIONS...): 1: refused.
function(expect refused)
  execute_process(COMMAND ${COMPILER} ${ARGN} -fsyntax-only -x c ${ROOT}/src/base/strict_floats.h RESULT_VARIABLE result ERROR_VARIABLE said)
  if((refused AND (result EQUAL 0 OR NOT said MATCHES "#error \"exactncc: ")) OR (NOT refused AND NOT result EQUAL 0))
    message(FATAL_ERROR "'${ARGN}': status ${result}\n${said}")
  endif()
endfunction()
expect(0)
expect(0 -O3)
expect(0 -O3 -fno-math-errno -fno-trapping-math)
expect(1 -ffast-math)
expect(1 -Ofast)
expect(1 -ffinite-math-only)
expect(1 -DFLT_EVAL_METHOD=2 -include float.h -UFLT_EVAL_METHOD -D__FLT_EVAL_METHOD__=2)
expect(1 -include float.h -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=1)
expect(0 -include float.h -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=16)
