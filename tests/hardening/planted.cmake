# SPDX-License-Identifier: BSD-2-Clause
# cmake -D COMPILER=<C compiler> -D BASH=<bash> -D SCRIPT=<hardening.sh> -D WORK=<scratch> -D PROCESSOR=<name> -P planted.cmake: hardening.sh accepts
# a program, a library and an archive that have all options, and names the one that is missing.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/part.c "#include <string.h>
void part_fill(char *to, const char *from, unsigned long size);
int part_sum(const char *from);
int part_sum(const char *from)
{
    char page[20000];
    part_fill(page, from, sizeof page);
    memcpy(page + 19990, from, strlen(from));
    return page[strlen(from)];
}
")
file(WRITE ${WORK}/main.c "#include <string.h>
void part_fill(char *to, const char *from, unsigned long size);
int part_sum(const char *from);
void part_fill(char *to, const char *from, unsigned long size) { memset(to, from[0], size); }
int main(int argc, char **argv) { return part_sum(argv[argc - 1]); }
")
set(x86 OFF)
if(PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(x86 ON)
endif()

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said WORKING_DIRECTORY ${WORK})
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " shown)
    message(FATAL_ERROR "${shown}: ${said}")
  endif()
endfunction()

# expect(NAME WORD FILE): the script says WORD of the file and nothing else; an empty word: nothing at all.
function(expect name word file)
  execute_process(COMMAND ${BASH} ${SCRIPT} ${file} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said WORKING_DIRECTORY ${WORK})
  if(word STREQUAL "" AND NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: a file with all options is refused:\n${said}")
  elseif(NOT word STREQUAL "" AND (NOT result EQUAL 1 OR NOT said MATCHES "^${file}: ${word}: [^\n]*\n1 files, 1 problems\n$"))
    message(FATAL_ERROR "${name}: '${word}' is not seen, or more than that:\n${said}")
  endif()
endfunction()

set(all_c -O2 -fPIC -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection)
if(x86)
  list(APPEND all_c -fcf-protection)
endif()
set(all_link -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# program(NAME WORD LEFT-OUT PUT-IN): builds a program, and a library where that is another thing, with some options exchanged.
function(program name word without with)
  set(compile ${all_c})
  set(link ${all_link})
  if(without)
    list(REMOVE_ITEM compile ${without})
    list(REMOVE_ITEM link ${without})
  endif()
  set(pie -pie)
  set(kinds program library)
  if(word STREQUAL "pie")
    set(pie "")
    set(kinds program)
  endif()
  must(${COMPILER} ${compile} ${with} -c part.c -o part.o)
  must(${COMPILER} ${compile} ${with} -c main.c -o main.o)
  foreach(kind IN LISTS kinds)
    if(kind STREQUAL "program")
      must(${COMPILER} main.o part.o ${pie} ${link} ${with} -o ${name})
      expect(${name} "${word}" ${name})
    else()
      must(${COMPILER} main.o part.o -shared ${link} ${with} -o ${name}.so)
      expect(${name}.so "${word}" ${name}.so)
    endif()
  endforeach()
endfunction()
program(good "" "" "")
program(pie pie "" "-no-pie")
program(relro relro "-Wl,-z,relro" "-Wl,-z,norelro")
program(now now "-Wl,-z,now" "-Wl,-z,lazy")
program(stack stack "-Wl,-z,noexecstack" "-Wl,-z,execstack")
program(canary canary "-fstack-protector-strong" "-fno-stack-protector")
program(fortify fortify "-D_FORTIFY_SOURCE=2" "")
if(x86)
  program(clash clash "-fstack-clash-protection" "-fno-stack-clash-protection")
  foreach(case good none)
    set(compile ${all_c})
    set(word "")
    if(case STREQUAL "none")
      list(REMOVE_ITEM compile -fcf-protection)
      list(APPEND compile -fcf-protection=none)
      set(word branch)
    endif()
    must(${COMPILER} ${compile} -c part.c -o part.o)
    must(${COMPILER} ${all_c} -c main.c -o main.o)
    find_program(AR ar REQUIRED)
    file(REMOVE ${WORK}/${case}.a)
    must(${AR} rcs ${case}.a part.o main.o)
    expect(${case}.a "${word}" ${case}.a)
  endforeach()
endif()
execute_process(COMMAND ${BASH} ${SCRIPT} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(NOT result EQUAL 2)
  message(FATAL_ERROR "no files are accepted")
endif()
execute_process(COMMAND ${BASH} ${SCRIPT} ${WORK}/none RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "a file that is not there is accepted")
endif()
message("one program or library for each missing option, all seen")
