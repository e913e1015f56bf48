# SPDX-License-Identifier: BSD-2-Clause
# cmake -D SOAK=<program> -P planted.cmake: the soak test sees memory and descriptors that leak, and one wrong digest.
cmake_minimum_required(VERSION 3.22)
set(expect_leak "memory in use grows by [0-9]+ bytes")
set(expect_file "m.i..descriptors")
set(expect_digest "another digest than the first")
foreach(plant leak file digest)
  execute_process(COMMAND ${SOAK} --calls 1000 --plant ${plant} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL 1 OR NOT said MATCHES "${expect_${plant}}")
    message(FATAL_ERROR "'${plant}' is not seen: status ${result}\n${said}")
  endif()
endforeach()
