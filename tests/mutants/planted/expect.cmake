# SPDX-License-Identifier: BSD-2-Clause
# Runs the driver of the mutants. Its exit status and output must be as expected.
#
#   cmake -D MUTANTS=<program> -D "ARGUMENTS=<arguments, separated by |>" -D STATUS=<number>
#         -D "TEXT=<text in the output>" -P expect.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" ARGUMENTS "${ARGUMENTS}")
execute_process(COMMAND ${MUTANTS} ${ARGUMENTS}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(FIND "${output}" "${TEXT}" found)
if(NOT status EQUAL STATUS OR found EQUAL -1)
  message(FATAL_ERROR
          "the driver ended with ${status}, not with ${STATUS} and `${TEXT}`:\n${output}")
endif()
