# SPDX-License-Identifier: BSD-2-Clause
# cmake -D PLAIN=<program> -D FAST=<program> -P hosts.cmake: a program that was compiled and linked with -Ofast gets the bits of one that was
# not.
cmake_minimum_required(VERSION 3.22)
foreach(name PLAIN FAST)
  execute_process(COMMAND ${${name}} OUTPUT_VARIABLE ${name}_said RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${${name}}: status ${result}")
  endif()
endforeach()
if(NOT FAST_said MATCHES "\nsubnormal numbers are flushed\n$")
  message("skipped: -Ofast does not change the float environment here")
  return()
endif()
string(REPLACE "are flushed" "are kept" FAST_said "${FAST_said}")
if(NOT FAST_said STREQUAL PLAIN_said)
  message(FATAL_ERROR "different bits:\n${PLAIN_said}\n${FAST_said}")
endif()
message("the same bits:\n${PLAIN_said}")
