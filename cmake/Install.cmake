# SPDX-License-Identifier: BSD-2-Clause
# Headers, library, CMake package, pkg-config file, LICENSE and documents. Components: tool, library, development.
include(CMakePackageConfigHelpers)
set(EXACTNCC_CONFIG_NEEDS_CUDA OFF)
if(EXACTNCC_HAVE_CUDA AND (EXACTNCC_BOTH OR exactncc_type STREQUAL "STATIC_LIBRARY"))
  set(EXACTNCC_CONFIG_NEEDS_CUDA ON)
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/exactncc)
install(DIRECTORY include/exactncc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(libraries exactncc)
if(EXACTNCC_BOTH)
  list(APPEND libraries exactncc_static)
endif()
install(TARGETS ${libraries} EXPORT exactnccTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development
        RUNTIME COMPONENT library)
install(EXPORT exactnccTargets NAMESPACE exactncc:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/exactnccConfig.cmake.in ${PROJECT_BINARY_DIR}/exactnccConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/exactnccConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/exactnccConfig.cmake ${PROJECT_BINARY_DIR}/exactnccConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# For build systems that use pkg-config. A static library does not name what it needs, so where there is no shared one the plain
# `pkg-config --libs` names it; a shared library names it itself, and `pkg-config --static --libs` is for the static one beside it.
set(EXACTNCC_PC_NEEDS "-lpthread -lm")
if(EXACTNCC_CONFIG_NEEDS_CUDA)
  set(EXACTNCC_PC_NEEDS "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl ${EXACTNCC_PC_NEEDS}")
endif()
set(EXACTNCC_PC_LIBS "")
set(EXACTNCC_PC_PRIVATE "")
if(EXACTNCC_BOTH)
  set(EXACTNCC_PC_PRIVATE "\nLibs.private: ${EXACTNCC_PC_NEEDS}")
elseif(exactncc_type STREQUAL "STATIC_LIBRARY")
  set(EXACTNCC_PC_LIBS " ${EXACTNCC_PC_NEEDS}")
endif()
# Relative, so that the tree may be installed anywhere and moved.
file(RELATIVE_PATH EXACTNCC_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" EXACTNCC_PC_TO_PREFIX "${EXACTNCC_PC_TO_PREFIX}")
configure_file(cmake/exactncc.pc.in ${PROJECT_BINARY_DIR}/exactncc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/exactncc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(FILES LICENSE README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/exactncc.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

# cmake --build BUILD --target uninstall
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFESTS=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
                    VERBATIM)
endif()
