# cmake -D BUILD=... | -D SOURCE=... -D SHARED=ON|OFF, -D CONFIG=... -D WORK=... -D CONSUMER=...
#       -D README=... -D COMPILER=... -D GENERATOR=... -P install.cmake
#
# Installs a build (BUILD), or builds the library without CUDA from SOURCE and installs that. Then it
# builds and runs, against what was installed,
# - the consumer project, which uses find_package;
# - the programs of README.md with the page's own gcc and g++ lines, which use pkg-config;
# - the page's own CMakeLists.txt with its C program.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)

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

# Runs the page's one indented shell line that begins with a word, as it is written, in the folder
# with the page's programs.
function(run_line word)
  string(REGEX MATCH "\n    (${word} [^\n]*)" matched "${page}")
  if(NOT matched)
    message(FATAL_ERROR "README.md has no line that begins with '${word}'")
  endif()
  set(line "${CMAKE_MATCH_1}")
  string(REGEX MATCH " -o ([^ ]+)$" matched "${line}")
  set(program ${CMAKE_MATCH_1})
  file(WRITE ${WORK}/page/line.sh "set -e\ncd '${WORK}/page'\n${line}\n./${program}\n")
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder} sh ${WORK}/page/line.sh)
  expect("${output}" "${line}")
endfunction()

function(expect text what)
  if(NOT text MATCHES "(^|\n)70 30 1\n$")
    message(FATAL_ERROR "${what}\nprints:\n${text}")
  endif()
  message("works: ${what}")
endfunction()

if(SOURCE)
  set(BUILD ${WORK}/library)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -D CMAKE_C_COMPILER=${COMPILER}
      -D CMAKE_BUILD_TYPE=${CONFIG} -D BUILD_SHARED_LIBS=${SHARED} -D EXACTNCC_CUDA=OFF
      -D EXACTNCC_APPS=OFF -D EXACTNCC_TESTS=OFF)
  run(${CMAKE_COMMAND} --build ${BUILD} --config ${CONFIG} -j 2)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config "${CONFIG}")

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build --config Release)
find_program(consumer consumer PATHS ${WORK}/build ${WORK}/build/Release NO_DEFAULT_PATH REQUIRED)
run(${consumer})
message("with find_package: ${output}")

file(READ ${README} page)
write_block(c ${WORK}/page/find.c)
write_block(cpp ${WORK}/page/find.cpp)
write_block(cmake ${WORK}/page/CMakeLists.txt)
run(${CMAKE_COMMAND} -S ${WORK}/page -B ${WORK}/page_build -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/page_build --config Release)
find_program(page_program find PATHS ${WORK}/page_build ${WORK}/page_build/Release
             NO_DEFAULT_PATH REQUIRED)
run(${page_program})
expect("${output}" "the CMakeLists.txt of README.md")

find_program(PKG_CONFIG pkg-config)
file(GLOB_RECURSE pc ${prefix}/*/exactncc.pc)
if(NOT pc)
  message(FATAL_ERROR "no exactncc.pc is installed")
endif()
get_filename_component(pc_folder ${pc} DIRECTORY)
foreach(compiler gcc g[+][+])
  string(REPLACE "[+]" "+" command ${compiler})
  find_program(found_${command} ${command})
  if(PKG_CONFIG AND found_${command})
    run_line(${compiler})
  else()
    message("not run, for lack of pkg-config or the compiler: the line of ${command}")
  endif()
endforeach()
