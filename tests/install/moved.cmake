# SPDX-License-Identifier: BSD-2-Clause
# cmake -D BUILD=... -D CONFIG=... -D WORK=... -D SOURCE=... -D COMPILER=... -D GENERATOR=... -D WITH_TOOL=0|1 -D WITH_MANUAL=0|1
#       -P moved.cmake
#
# What `cmake --install` gives is complete and can be moved, and `uninstall` takes all of it away again:
# - every file that a user looks for is there;
# - the tree is copied elsewhere and the target uninstall leaves nothing of the original;
# - the programs of the copy run, and C programs are built with the copy by CMake and by pkg-config and run.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
set(moved ${WORK}/moved)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfails with ${result}:\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config "${CONFIG}")
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
set(wanted include/exactncc/exactncc[.]h include/exactncc/exactncc[.]hpp include/exactncc/cpp/plan[.]hpp
    "lib[^/]*/(.*/)?libexactncc[.](a|so)" "lib[^/]*/(.*/)?cmake/exactncc/exactnccConfig[.]cmake" "lib[^/]*/(.*/)?pkgconfig/exactncc[.]pc"
    share/doc/exactncc/LICENSE share/doc/exactncc/README[.]md share/doc/exactncc/docs/guide[.]md share/doc/exactncc/examples/find_c11[.]c)
if(WITH_MANUAL)
  list(APPEND wanted share/man/man3/exactncc[.]3 share/man/man1/exactncc-bench[.]1
       share/bash-completion/completions/exactncc-bench share/zsh/site-functions/_exactncc-bench
       share/fish/vendor_completions[.]d/exactncc-bench[.]fish)
endif()
if(WITH_TOOL)
  list(APPEND wanted bin/exactncc)
endif()
if(WITH_TOOL AND WITH_MANUAL)
  run(${prefix}/bin/exactncc --help-json)
  string(JSON commands LENGTH "${output}" commands)
  math(EXPR last "${commands} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${output}" commands ${i} name)
    list(APPEND wanted share/man/man1/exactncc-${name}[.]1)
  endforeach()
  list(APPEND wanted share/man/man1/exactncc[.]1 share/bash-completion/completions/exactncc share/zsh/site-functions/_exactncc
       share/fish/vendor_completions[.]d/exactncc[.]fish)
endif()
foreach(pattern IN LISTS wanted)
  set(found ${installed})
  list(FILTER found INCLUDE REGEX "^${pattern}$")
  if(NOT found)
    message(FATAL_ERROR "not installed: ${pattern}")
  endif()
endforeach()

# Files of another program in the same prefix stay.
file(WRITE ${prefix}/bin/other "")
file(WRITE ${prefix}/include/other.h "")
file(COPY ${prefix}/ DESTINATION ${moved})
run(${CMAKE_COMMAND} --build ${BUILD} --config "${CONFIG}" --target uninstall)
file(GLOB_RECURSE left RELATIVE ${prefix} ${prefix}/*)
file(GLOB_RECURSE folders LIST_DIRECTORIES true RELATIVE ${prefix} ${prefix}/*)
list(FILTER folders INCLUDE REGEX "exactncc")
if(NOT left STREQUAL "bin/other;include/other.h" OR folders)
  message(FATAL_ERROR "uninstall leaves, or takes what is not ours: ${left} ${folders}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --config "${CONFIG}" --target uninstall RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "uninstall succeeds where nothing is installed")
endif()

file(GLOB programs ${moved}/bin/exactncc*)
if(NOT programs AND WITH_TOOL)
  message(FATAL_ERROR "no program in ${moved}/bin")
endif()
foreach(program IN LISTS programs)
  run(${program} --version)
endforeach()
file(GLOB_RECURSE pc ${moved}/*/exactncc.pc)
get_filename_component(pc_folder ${pc} DIRECTORY)
get_filename_component(libdir ${pc_folder} DIRECTORY)
set(main ${SOURCE}/examples/find_c11.c)
file(WRITE ${WORK}/project/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)
project(moved LANGUAGES C)
find_package(exactncc 1.0 REQUIRED)
add_executable(moved ${main})
target_link_libraries(moved PRIVATE exactncc::exactncc)
if(TARGET exactncc::exactncc_static)
  add_executable(moved_static ${main})
  target_link_libraries(moved_static PRIVATE exactncc::exactncc_static)
endif()\n")
run(${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/project/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${moved} -D CMAKE_C_COMPILER=${COMPILER}
    -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/project/build --config Release)
run(${WORK}/project/build/moved)
if(EXISTS ${WORK}/project/build/moved_static)
  run(${WORK}/project/build/moved_static)
endif()
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(WRITE ${WORK}/lines.sh "set -e
flags=$(PKG_CONFIG_PATH=${pc_folder} ${PKG_CONFIG} --cflags --libs exactncc)
case $flags in *${prefix}*) echo \"$flags\"; exit 1;; esac
${COMPILER} ${main} $flags -Wl,-rpath,${libdir} -o ${WORK}/by_pkg_config\n")
  run(sh ${WORK}/lines.sh)
  run(${WORK}/by_pkg_config)
endif()
list(LENGTH installed count)
message("${count} files are installed, moved, used and removed")
