# SPDX-License-Identifier: BSD-2-Clause
# Makes a target opencv_core of OpenCV's module core, if it is here. Debian's libopencv-core-dev has the module without OpenCV's own CMake
# package, which is in libopencv-dev.
find_package(OpenCV QUIET COMPONENTS core)
if(NOT TARGET opencv_core)
  find_path(OPENCV_CORE_INCLUDE opencv2/core/cuda.hpp PATH_SUFFIXES opencv4)
  find_library(OPENCV_CORE_LIBRARY opencv_core)
  if(OPENCV_CORE_INCLUDE AND OPENCV_CORE_LIBRARY)
    add_library(opencv_core UNKNOWN IMPORTED)
    set_target_properties(opencv_core PROPERTIES IMPORTED_LOCATION ${OPENCV_CORE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OPENCV_CORE_INCLUDE})
  endif()
endif()
