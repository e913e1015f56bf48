# cmake -D INCLUDE=... -D WORK=... -D COMPILER=... -D LANGUAGE=c|c++ -D STANDARD=... -P headers.cmake
#
# Every public header compiles by itself, twice in one unit, and so do all headers together, in both
# orders, with pedantic warnings as errors. A struct with an initializer (xncc_NAME with
# XNCC_NAME_INIT) is initialized in the unit that includes all headers, because a macro is compiled
# only where it is used.
cmake_minimum_required(VERSION 3.22)
file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/*.h)
if(NOT headers)
  message(FATAL_ERROR "no headers under ${INCLUDE}")
endif()
list(SORT headers)
set(warnings -pedantic-errors -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror)
if(LANGUAGE STREQUAL "c")
  list(APPEND warnings -Wstrict-prototypes)
endif()
set(failed 0)

# compile(NAME CODE HEADER...): compiles a unit that includes the headers and has the code.
function(compile name code)
  set(source ${WORK}/${name}.txt)
  list(TRANSFORM ARGN PREPEND "#include \"" OUTPUT_VARIABLE includes)
  list(TRANSFORM includes APPEND "\"\n")
  list(JOIN includes "" includes)
  file(WRITE ${source} "${includes}${code}extern int unit;\nint unit;\n")
  execute_process(
    COMMAND ${COMPILER} -x ${LANGUAGE} -std=${STANDARD} ${warnings} -fsyntax-only -I ${INCLUDE} ${source}
    RESULT_VARIABLE result ERROR_VARIABLE text OUTPUT_VARIABLE text)
  if(NOT result EQUAL 0)
    message("${name} as ${STANDARD}:\n${text}")
    set(failed 1 PARENT_SCOPE)
  endif()
endfunction()

set(use "")
set(initializers 0)
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  compile(${name} "" ${header} ${header})
  file(STRINGS ${INCLUDE}/${header} macros REGEX "^#define XNCC_[A-Z0-9_]+_INIT( |$)")
  foreach(macro IN LISTS macros)
    string(REGEX REPLACE "^#define (XNCC_([A-Z0-9_]+)_INIT).*$" "\\1" macro "${macro}")
    string(REGEX REPLACE "_INIT$" "" type "${macro}")
    string(TOLOWER ${type} type)
    string(APPEND use "void use_${type}(${type} *to);\nvoid use_${type}(${type} *to)\n{\n    const ${type} value = ${macro};\n    *to = value;\n}\n")
    math(EXPR initializers "${initializers} + 1")
  endforeach()
endforeach()
compile(all_headers "${use}" ${headers})
list(REVERSE headers)
compile(all_headers_reversed "" ${headers})
if(failed)
  message(FATAL_ERROR "the public headers do not compile as ${STANDARD}")
endif()
list(LENGTH headers count)
message("${count} headers and ${initializers} initializers compile as ${STANDARD}")
