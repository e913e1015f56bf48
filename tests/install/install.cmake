# SPDX-License-Identifier: BSD-2-Clause
# cmake -D BUILD=... | -D SOURCE=... -D SHARED=ON|OFF, -D CONFIG=... -D WORK=... -D EXAMPLES=...
#       -D README=... -D COMPILER=... -D GENERATOR=... -D VERSION=... -P install.cmake
#
# Installs a build (BUILD), or builds the library without CUDA from SOURCE and installs that. Then it
# builds and runs, against what was installed,
# - the examples, which use find_package, with warnings as errors;
# - the programs of README.md with the page's own shell lines, which use pkg-config;
# - the page's own CMakeLists.txt with its C program and the page's own cmake line.
# The library is installed into $HOME/exactncc as the page says, with HOME in the working folder.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
set(home ${WORK}/home)
set(prefix ${home}/exactncc)

# Runs a command, which must succeed; its text is in `output`.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfails with ${result}:\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# Writes the page's one code block in a language into a file.
function(write_block language file)
  string(FIND "${page}" "\n```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "README.md has no block of ${language}")
  endif()
  string(LENGTH "\n```${language}\n" head)
  math(EXPR begin "${begin} + ${head}")
  string(SUBSTRING "${page}" ${begin} -1 rest)
  string(FIND "${rest}" "\n```" end)
  string(SUBSTRING "${rest}" 0 ${end} block)
  file(WRITE ${file} "${block}\n")
endfunction()

# Finds the first text of the page that a regular expression matches; its group is the result.
function(find_line expression result)
  string(REGEX MATCH "${expression}" matched "${page}")
  if(NOT matched)
    message(FATAL_ERROR "README.md has no line that matches '${expression}'")
  endif()
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# Runs lines in the folder with the page's programs, as a user's shell does.
function(run_lines)
  list(JOIN ARGN "\n" lines)
  file(WRITE ${WORK}/page/lines.sh "set -e\ncd '${WORK}/page'\n${lines}\n")
  run(${CMAKE_COMMAND} -E env HOME=${home} CC=${COMPILER} sh ${WORK}/page/lines.sh)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Runs the page's indented line that begins with a compiler, as it is written, and its program.
function(run_compiler compiler)
  find_line("\n    (export PKG_CONFIG_PATH=[^\n]*)" export)
  string(REPLACE "/lib/" "/${libdir}/" export "${export}") # the page: "on some systems `lib` is `lib64`"
  find_line("\n    (${compiler} [^\n]*)" line)
  string(REGEX MATCH " -o ([^ ]+)$" matched "${line}")
  run_lines("${export}" "${line}" ./${CMAKE_MATCH_1})
  expect("${output}" "70 30 1\n" "${line}")
endfunction()

function(expect text lines what)
  if(NOT text MATCHES "(^|\n)${lines}$")
    message(FATAL_ERROR "${what}\nprints:\n${text}\nand not:\n${lines}")
  endif()
  message("works: ${what}")
endfunction()

if(SOURCE)
  set(BUILD ${WORK}/library)
  string(TOUPPER "${CONFIG}" upper)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -D CMAKE_C_COMPILER=${COMPILER}
      -D CMAKE_BUILD_TYPE=${CONFIG} -D BUILD_SHARED_LIBS=${SHARED} -D EXACTNCC_CUDA=OFF
      -D EXACTNCC_APPS=OFF -D EXACTNCC_TESTS=OFF -D EXACTNCC_VNNI=OFF
      -D CMAKE_C_FLAGS=-g # for abi.libabigail
      "-D CMAKE_C_FLAGS_${upper}=-O1 -DNDEBUG") # compiles in half the time, and nothing here is about speed
  run(${CMAKE_COMMAND} --build ${BUILD} --config ${CONFIG} -j 2)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config "${CONFIG}")

# A package of another major version is not taken.
foreach(version 0.1 2.0)
  file(WRITE ${WORK}/version/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)
project(version LANGUAGES C)
find_package(exactncc ${version} QUIET)
if(exactncc_FOUND)
  message(FATAL_ERROR \"find_package(exactncc ${version}) takes version \${exactncc_VERSION}\")
endif()
find_package(exactncc ${VERSION} REQUIRED)\n")
  run(${CMAKE_COMMAND} -S ${WORK}/version -B ${WORK}/version/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
      -D CMAKE_C_COMPILER=${COMPILER})
endforeach()

set(warnings "-Wall -Wextra -Wpedantic -Werror")
run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK}/examples -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release -D "CMAKE_C_FLAGS=${warnings}"
    -D "CMAKE_CXX_FLAGS=${warnings}")
run(${CMAKE_COMMAND} --build ${WORK}/examples --config Release)
find_program(GXX NAMES c++ g++)
foreach(example find_c11 find_cpp17 find_cpp20)
  unset(program CACHE)
  find_program(program ${example} PATHS ${WORK}/examples ${WORK}/examples/Release NO_DEFAULT_PATH)
  if(program)
    run(${program})
    expect("${output}" "exactncc ${VERSION}\n30 20 1\n90 60 1\n" "examples/${example}")
  elseif(GXX OR example STREQUAL "find_c11")
    message(FATAL_ERROR "the example ${example} was not built")
  else()
    message("not run, for lack of a C++ compiler: examples/${example}")
  endif()
endforeach()

unset(program CACHE)
find_program(program poses PATHS ${WORK}/examples ${WORK}/examples/Release NO_DEFAULT_PATH REQUIRED)
run(${program})
expect("${output}" "centre 96.0, 64.0, angle 30.0, scale 1.20\n" "examples/poses")

file(READ ${README} page)
write_block(c ${WORK}/page/find.c)
write_block(cpp ${WORK}/page/find.cpp)
write_block(cmake ${WORK}/page/CMakeLists.txt)
find_line("[(]`(cmake -S . -B build [^`]*)`[)]" line)
run_lines("${line}" ./build/find)
expect("${output}" "70 30 1\n" "${line}")

find_program(PKG_CONFIG pkg-config)
file(GLOB_RECURSE pc RELATIVE ${prefix} ${prefix}/*/exactncc.pc)
if(NOT pc MATCHES "^(.+)/pkgconfig/exactncc[.]pc$")
  message(FATAL_ERROR "no pkgconfig/exactncc.pc is installed: '${pc}'")
endif()
set(libdir ${CMAKE_MATCH_1})
file(READ ${prefix}/${pc} text)
if(text MATCHES "-D" OR NOT text MATCHES "\nVersion: ${VERSION}\n")
  message(FATAL_ERROR "exactncc.pc has a definition, or not the version ${VERSION}:\n${text}")
endif()
foreach(compiler gcc g[+][+])
  string(REPLACE "[+]" "+" command ${compiler})
  find_program(found_${command} ${command})
  if(PKG_CONFIG AND found_${command})
    run_compiler(${compiler})
  else()
    message("not run, for lack of pkg-config or the compiler: the line of ${command}")
  endif()
endforeach()
