# SPDX-License-Identifier: BSD-2-Clause
# A toolchain file: Debian's cross compiler, a folder with the target's libraries and, unless this machine runs the target's programs, an
# emulator that every program is started with. scripts/port.sh uses it, as
#   cmake --toolchain cmake/DebianCross.cmake -DCROSS_TARGET=s390x-linux-gnu -DCROSS_PROCESSOR=s390x -DCROSS_ROOT=/folder
#         -DCROSS_EMULATOR="qemu-s390x-static -L /folder"
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CROSS_PROCESSOR})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CROSS_TARGET CROSS_PROCESSOR CROSS_ROOT CROSS_EMULATOR)
set(CMAKE_C_COMPILER ${CROSS_TARGET}-gcc)
set(CMAKE_CXX_COMPILER ${CROSS_TARGET}-g++)
set(CMAKE_SYSROOT ${CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# CMake reads its own first programs instead of running them.
get_property(is_trial GLOBAL PROPERTY IN_TRY_COMPILE)
if(CROSS_EMULATOR AND NOT is_trial)
  set(CMAKE_C_LINKER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/../scripts/emulated_link.sh ${CROSS_EMULATOR})
  set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_C_LINKER_LAUNCHER})
endif()
