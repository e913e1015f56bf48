# SPDX-License-Identifier: BSD-2-Clause
# exactncc_hardening: compiler and linker options that make a memory error harder to exploit, as Linux distributions build their packages.
# scripts/hardening.sh looks for them in the built files.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
add_library(exactncc_hardening INTERFACE)

# Programs can be loaded at any address.
check_pie_supported(LANGUAGES C)

# Canaries, frames that touch each of their pages, and marks at the targets of indirect jumps.
set(wanted -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64|i.86")
  list(APPEND wanted -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND wanted -mbranch-protection=standard)
endif()
foreach(flag IN LISTS wanted)
  string(MAKE_C_IDENTIFIER "EXACTNCC_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(exactncc_hardening INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:${flag}>)
  endif()
endforeach()

# The C library checks the sizes that the compiler knows. That needs optimization; some compilers define the macro themselves.
target_compile_options(exactncc_hardening INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)

# The tables of the linker are read-only once a program has started, and no stack can be executed.
foreach(flag relro now noexecstack)
  check_linker_flag(C LINKER:-z,${flag} EXACTNCC_HAS_z_${flag})
  if(EXACTNCC_HAS_z_${flag})
    target_link_options(exactncc_hardening INTERFACE LINKER:-z,${flag})
  endif()
endforeach()
