# SPDX-License-Identifier: BSD-2-Clause
# cmake -D WORK=... -P tags_planted.cmake: tags.cmake takes a tree in which every source has its tag, and sees a file without one, with
# another licence, and with a tag that comes too late.
cmake_minimum_required(VERSION 3.22)
set(tag "SPDX-License-Identifier: BSD-2-Clause")

# expect(STATUS NAME TEXT): lints a tree with good files and one file of this text.
function(expect status name text)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/include/good.c "/* ${tag} */\nint good;\n")
  file(WRITE ${WORK}/CMakeLists.txt "# ${tag}\n")
  file(WRITE ${WORK}/notes.md "no source\n")
  file(WRITE ${WORK}/${name} "${text}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/tags.cmake RESULT_VARIABLE result OUTPUT_VARIABLE said
                  ERROR_VARIABLE said)
  if((status EQUAL 0 AND NOT result EQUAL 0) OR (status EQUAL 1 AND (result EQUAL 0 OR NOT said MATCHES "${name}")))
    message(FATAL_ERROR "${name} with '${text}': status ${result}, and it says:\n${said}")
  endif()
endfunction()
expect(0 scripts/tool.py "#!/usr/bin/env python3\n# ${tag}\nx = [1; 2]\n")
expect(0 include/kernel.cu "// [what; it does]\n//\n// ${tag}\n")
expect(1 scripts/bad.c "int bad;\n")
expect(1 scripts/empty.sh "")
expect(1 scripts/other.py "# SPDX-License-Identifier: MIT\n")
expect(1 scripts/late.h "\n\n\n\n\n/* ${tag} */\n")
message("missing, foreign and late tags are seen")
