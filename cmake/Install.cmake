# Headers, library, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)
set(EXACTNCC_CONFIG_NEEDS_CUDA OFF)
if(EXACTNCC_HAVE_CUDA AND exactncc_type STREQUAL "STATIC_LIBRARY")
  set(EXACTNCC_CONFIG_NEEDS_CUDA ON)
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/exactncc)
install(DIRECTORY include/exactncc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS exactncc EXPORT exactnccTargets)
install(EXPORT exactnccTargets NAMESPACE exactncc:: DESTINATION ${package_dir})
configure_package_config_file(cmake/exactnccConfig.cmake.in ${PROJECT_BINARY_DIR}/exactnccConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/exactnccConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/exactnccConfig.cmake ${PROJECT_BINARY_DIR}/exactnccConfigVersion.cmake
        DESTINATION ${package_dir})

# For build systems that use pkg-config. A static library does not name what it needs, so the plain
# `pkg-config --libs` names it; a shared library names it itself.
set(EXACTNCC_PC_LIBS "")
if(exactncc_type STREQUAL "STATIC_LIBRARY")
  if(EXACTNCC_CONFIG_NEEDS_CUDA)
    string(APPEND EXACTNCC_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
  endif()
  string(APPEND EXACTNCC_PC_LIBS " -lpthread -lm")
endif()
# Relative, so that the tree may be installed anywhere and moved.
file(RELATIVE_PATH EXACTNCC_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" EXACTNCC_PC_TO_PREFIX "${EXACTNCC_PC_TO_PREFIX}")
configure_file(cmake/exactncc.pc.in ${PROJECT_BINARY_DIR}/exactncc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/exactncc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
