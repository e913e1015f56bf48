# SPDX-License-Identifier: BSD-2-Clause
# cmake -D WORK=... -P entries_planted.cmake: entries.cmake takes public functions that begin with XNCC_ENTER, and sees those that do not.
cmake_minimum_required(VERSION 3.22)
# expect(0|1 BODY): 1: the function xncc_two of this body is refused.
function(expect refused body)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/include/exactncc/two.h "XNCC_API xncc_status xncc_one(int a);\nXNCC_API xncc_status xncc_two(int a,\n  int b);\n")
  file(WRITE ${WORK}/src/api/one.c "xncc_status xncc_one(int a)\n{\n    XNCC_ENTER;\n    return a;\n}\n")
  file(WRITE ${WORK}/src/api/two.c "static int f(void)\n{\n    return 0;\n}\n${body}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/entries.cmake RESULT_VARIABLE result OUTPUT_VARIABLE said
                  ERROR_VARIABLE said)
  if((refused AND (result EQUAL 0 OR NOT said MATCHES "XNCC_ENTER: xncc_two")) OR (NOT refused AND NOT result EQUAL 0))
    message(FATAL_ERROR "'${body}': status ${result}, and it says:\n${said}")
  endif()
endfunction()
expect(0 "xncc_status xncc_two(int a,\n  int b)\n{\n    XNCC_ENTER;\n    return a + b;\n}\n")
expect(1 "xncc_status xncc_two(int a,\n  int b)\n{\n    return a + b;\n}\n")
expect(1 "xncc_status xncc_two(int a,\n  int b)\n{\n    int c = a + b;\n    XNCC_ENTER;\n    return c;\n}\n")
expect(1 "")
message("functions without it are seen")
