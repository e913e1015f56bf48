# SPDX-License-Identifier: BSD-2-Clause
# CPack: a .tar.gz of the whole installation, and Debian packages of its parts: tool, library, development and, with MPI, exactncc-mpi. scripts/release.sh makes both.
set(CPACK_PACKAGE_NAME exactncc)
set(CPACK_PACKAGE_VENDOR "the exactncc authors")
set(CPACK_PACKAGE_CONTACT "the exactncc authors <exactncc@packages.invalid>" CACHE STRING "Maintainer of the packages, with an address")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact template matching by normalized cross-correlation")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ CACHE STRING "What cpack makes")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL tool library development)
set(CPACK_PACKAGE_FILE_NAME exactncc-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(runtime_package libexactncc${PROJECT_VERSION_MAJOR})
set(depends_on_library "${runtime_package} (= ${PROJECT_VERSION}-1)")
set(about "Finds templates in images by normalized cross-correlation. Scores are
exact, for integers and floats, and every processor and every GPU
returns the same bits.
.
")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME exactncc)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_COMPONENT_TOOL_DESCRIPTION "${about}This package has the command-line tool exactncc, which searches image
files, and exactncc-bench, which measures.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${runtime_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${about}This package has the shared library.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libexactncc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${about}This package has the headers of C and C++, the static library, the
files for CMake and pkg-config, and the documents.")
if(exactncc_type STREQUAL "SHARED_LIBRARY")
  set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${depends_on_library}")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${depends_on_library}")
endif()
# A package of its own, so that the tool does not need MPI.
if(TARGET exactncc_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS exactncc-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME exactncc-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS exactncc)
  set(CPACK_COMPONENT_MPI_DESCRIPTION "${about}This package has exactncc-mpi, which shares searches of large images
and of many images between the ranks of an MPI job.")
  # The libraries come from the program itself; this is what starts it.
  set(mpi_depends "${EXACTNCC_MPI_STARTER}")
  if(exactncc_type STREQUAL "SHARED_LIBRARY")
    list(PREPEND mpi_depends "${depends_on_library}")
  endif()
  list(JOIN mpi_depends ", " CPACK_DEBIAN_MPI_PACKAGE_DEPENDS)
endif()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
# What Debian asks of a package beside its files, and does not want in it.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian_close.cmake)
set(CPACK_EXACTNCC_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_EXACTNCC_DATE ${EXACTNCC_RELEASE_DATE})
include(CPack)
