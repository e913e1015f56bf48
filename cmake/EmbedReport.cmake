# SPDX-License-Identifier: BSD-2-Clause
# cmake -D FOLDER=<apps/html/report> -D OUT=<file.c> -P EmbedReport.cmake: writes the style and the
# script of reports as C strings, with their digests.
cmake_minimum_required(VERSION 3.22)
set(style page.css)
set(script scenes.js viewer.js crops.js table.js page.js) # one module, in this order
set(text "/* Made from apps/html/report by cmake/EmbedReport.cmake. */\n#include \"html_files.h\"\n")

# Appends an array of the bytes, given as hexadecimal digits.
macro(append_array type name digits)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${digits}")
  string(REGEX REPLACE "((....,)(....,)(....,)(....,)(....,)(....,)(....,)(....,))" "\\1\n" bytes "${bytes}")
  string(APPEND text "const ${type} app_html_${name}[] = {\n${bytes}\n};\n")
endmacro()

foreach(part style script)
  file(WRITE ${OUT}.${part} "")
  foreach(name IN LISTS ${part})
    file(READ ${FOLDER}/${name} content)
    file(APPEND ${OUT}.${part} "${content}")
  endforeach()
  file(READ ${OUT}.${part} digits HEX)
  file(SHA256 ${OUT}.${part} digest)
  append_array("char" ${part} ${digits}00)
  append_array("unsigned char" ${part}_digest ${digest})
endforeach()
file(WRITE ${OUT} "${text}")
