# SPDX-License-Identifier: BSD-2-Clause
# Run by cpack after it has made Debian packages. It packs them again with dpkg-deb, which gives the same bytes each time, without the
# maintainer scripts that call ldconfig: Debian wants a trigger instead (packaging/triggers), and the package has it.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(DPKG_DEB dpkg-deb REQUIRED)
execute_process(COMMAND date -u +%s -d ${CPACK_EXACTNCC_DATE} OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(work ${package}.unpacked)
  execute_process(COMMAND ${DPKG_DEB} --raw-extract ${package} ${work} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${work}/DEBIAN/postinst ${work}/DEBIAN/postrm)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${epoch}
                          ${DPKG_DEB} --root-owner-group -Zxz --build ${work} ${package} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  file(REMOVE_RECURSE ${work})
endforeach()
