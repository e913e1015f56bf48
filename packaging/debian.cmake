# SPDX-License-Identifier: BSD-2-Clause
# Run by cpack before it makes Debian packages: adds to the folder of each package what Debian asks for. Man pages are compressed; every
# package has its copyright and its changelog. Other generators are left alone.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND date -u -R -d ${CPACK_EXACTNCC_DATE} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(READ ${CPACK_EXACTNCC_SOURCE}/LICENSE license)
string(REGEX REPLACE "^[^\n]*\n\nCopyright [(]c[)] ([^\n]*)\n\n(.*)\n$" "\\2" terms "${license}")
string(REGEX MATCH "Copyright [(]c[)] ([^\n]*)" matched "${license}")
set(holder "${CMAKE_MATCH_1}")
string(REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REPLACE "\n" "\n " terms " ${terms}")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: exactncc

Files: *
Copyright: ${holder}
License: BSD-2-clause
${terms}
")
set(changelog "exactncc (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}. CHANGELOG.md of libexactncc-dev has its changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
foreach(part IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${part} upper)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${part}/usr)
  set(folder ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(WRITE ${folder}/copyright "${copyright}")
  file(WRITE ${folder}/changelog.Debian "${changelog}")
  file(REMOVE ${root}/share/doc/exactncc/LICENSE) # that is what copyright is for
  file(GLOB pages ${root}/share/man/man*/*.[1-9])
  execute_process(COMMAND ${GZIP} -9nf ${folder}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files ${root}/share/doc/*)
  file(CHMOD ${files} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  # cpack writes the modes of the folders as they are here.
  file(GLOB_RECURSE folders LIST_DIRECTORIES true ${root}/*)
  foreach(path IN LISTS root folders)
    if(IS_DIRECTORY ${path} AND NOT IS_SYMLINK ${path})
      file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
  endforeach()
endforeach()
