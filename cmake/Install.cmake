# Headers, library, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)
set(CORRMATCH_CONFIG_NEEDS_CUDA OFF)
if(CORRMATCH_HAVE_CUDA AND corrmatch_type STREQUAL "STATIC_LIBRARY")
  set(CORRMATCH_CONFIG_NEEDS_CUDA ON)
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/corrmatch)
install(DIRECTORY include/corrmatch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS corrmatch EXPORT corrmatchTargets)
install(EXPORT corrmatchTargets NAMESPACE corrmatch:: DESTINATION ${package_dir})
configure_package_config_file(cmake/corrmatchConfig.cmake.in ${PROJECT_BINARY_DIR}/corrmatchConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/corrmatchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/corrmatchConfig.cmake ${PROJECT_BINARY_DIR}/corrmatchConfigVersion.cmake
        DESTINATION ${package_dir})

# For build systems that ask pkg-config. A static library's own needs stand under Libs.private (pkg-config --static).
set(CORRMATCH_PRIVATE_LIBS "-lm -lpthread")
if(CORRMATCH_CONFIG_NEEDS_CUDA)
  string(APPEND CORRMATCH_PRIVATE_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
endif()
set(CORRMATCH_SHARED_FLAG "")
if(corrmatch_type STREQUAL "SHARED_LIBRARY")
  set(CORRMATCH_SHARED_FLAG "-DCM_SHARED")
endif()
# relative, so that the tree may be installed or moved anywhere
file(RELATIVE_PATH CORRMATCH_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/corrmatch.pc.in ${PROJECT_BINARY_DIR}/corrmatch.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/corrmatch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
