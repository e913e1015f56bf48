# SPDX-License-Identifier: BSD-2-Clause
# cmake -D ROOT=<source tree> -D CLANG_FORMAT=<program> -D GIT=<program> -P format.cmake: every C and CUDA file is formatted as
# .clang-format says. Only version 14 counts, since versions differ.
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE version RESULT_VARIABLE result ERROR_QUIET)
if(result OR NOT version MATCHES "version 14\\.")
  message("skipped: clang-format 14 is not here")
  return()
endif()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/src/*.[ch] ${ROOT}/include/*.h ${ROOT}/include/*.hpp ${ROOT}/cuda/*.cu ${ROOT}/cuda/*.cuh
     ${ROOT}/cuda/*.h ${ROOT}/cuda/*.cpp ${ROOT}/apps/*.[ch] ${ROOT}/apps/*.cpp ${ROOT}/tests/*.[ch] ${ROOT}/tests/*.cu
     ${ROOT}/tests/*.[ch]pp ${ROOT}/python/*.h ${ROOT}/python/*.cpp ${ROOT}/data/*.c ${ROOT}/examples/*.c ${ROOT}/examples/*.[ch]pp)
if(NOT files)
  message(FATAL_ERROR "lint: nothing to format under ${ROOT}")
endif()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${files} WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE result
                OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(result)
  string(SUBSTRING "${text}" 0 4000 text)
  message(FATAL_ERROR "not formatted (clang-format -i does it):\n${text}")
endif()
list(LENGTH files count)
message("${count} files are formatted")
