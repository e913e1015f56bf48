# SPDX-License-Identifier: BSD-2-Clause
# The list of what a build is made of and with: an SPDX 2.3 document, exactncc.spdx.json in the build folder, from what CMake found.
# tests/packages/sbom.py checks it. The same build has the same document: no time of the day, no random number.

# exactncc_version_of(RESULT HEADERS MACRO TARGET): the text that a macro of a library has, "" if it has none.
function(exactncc_version_of result headers macro target)
  set(file ${PROJECT_BINARY_DIR}/CMakeFiles/sbom_version.c)
  set(text "")
  foreach(header IN LISTS headers)
    string(APPEND text "#include <${header}>\n")
  endforeach()
  file(WRITE ${file} "${text}sbom_version ${macro}\n")
  set(include "")
  if(TARGET ${target})
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    foreach(folder IN LISTS folders)
      list(APPEND include -I${folder})
    endforeach()
  endif()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -E -P ${include} ${file} OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX REPLACE "^.*sbom_version|[ \"\n]" "" version "${said}")
  if(NOT version MATCHES "^[0-9][0-9A-Za-z.+-]*$")
    set(version "")
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

set(sbom_packages "")
set(sbom_relations "")
set(sbom_version_of "${PROJECT_VERSION}") # of exactncc; a project that contains it says so before it writes

# exactncc_sbom_add(ID NAME VERSION LICENSE RELATION WHAT): a package, and how exactncc is related to it (SPDX 2.3, section 11): ID must be
# letters, digits, dots and hyphens. What ends in _OF is said of the package, the others of exactncc.
macro(exactncc_sbom_add id name version license relation what)
  set(sbom_version "${version}")
  set(sbom_purl "pkg:generic/${id}@${version}")
  if(sbom_version STREQUAL "")
    set(sbom_version NOASSERTION)
    set(sbom_purl "pkg:generic/${id}")
  endif()
  string(APPEND sbom_packages ",
    {
      \"SPDXID\": \"SPDXRef-${id}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${sbom_version}\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"NOASSERTION\",
      \"licenseDeclared\": \"${license}\",
      \"copyrightText\": \"NOASSERTION\",
      \"externalRefs\": [{
        \"referenceCategory\": \"PACKAGE-MANAGER\",
        \"referenceType\": \"purl\",
        \"referenceLocator\": \"${sbom_purl}\"
      }],
      \"comment\": \"${what}\"
    }")
  if("${relation}" MATCHES "_OF$")
    set(sbom_ends "SPDXRef-${id}" "SPDXRef-exactncc")
  else()
    set(sbom_ends "SPDXRef-exactncc" "SPDXRef-${id}")
  endif()
  list(GET sbom_ends 0 sbom_from)
  list(GET sbom_ends 1 sbom_to)
  string(APPEND sbom_relations ",
    {\"spdxElementId\": \"${sbom_from}\", \"relationshipType\": \"${relation}\", \"relatedSpdxElement\": \"${sbom_to}\"}")
endmacro()

# exactncc_sbom_write(FILE): the document of exactncc and what was added.
function(exactncc_sbom_write file)
  string(SHA256 digest "${sbom_version_of} ${sbom_packages} ${sbom_relations}")
  string(SUBSTRING ${digest} 0 32 digest)
  set(licenses "")
  if(sbom_packages MATCHES "LicenseRef-NVIDIA-CUDA")
    set(licenses ",
  \"hasExtractedLicensingInfos\": [{
    \"licenseId\": \"LicenseRef-NVIDIA-CUDA\",
    \"name\": \"End User License Agreement of the CUDA Toolkit\",
    \"extractedText\": \"The text is part of the CUDA Toolkit (EULA.txt) and at https://docs.nvidia.com/cuda/eula.\"
  }]")
  endif()
  file(CONFIGURE OUTPUT ${file} CONTENT "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"exactncc-${sbom_version_of}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/exactncc-${sbom_version_of}-${digest}\",
  \"creationInfo\": {
    \"created\": \"${EXACTNCC_RELEASE_DATE}T00:00:00Z\",
    \"creators\": [\"Organization: the exactncc authors\", \"Tool: cmake-${CMAKE_VERSION}\"],
    \"comment\": \"The time is the day of the release.\"
  },
  \"packages\": [
    {
      \"SPDXID\": \"SPDXRef-exactncc\",
      \"name\": \"exactncc\",
      \"versionInfo\": \"${sbom_version_of}\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"BSD-2-Clause\",
      \"licenseDeclared\": \"BSD-2-Clause\",
      \"copyrightText\": \"Copyright (c) 2026, the exactncc authors\",
      \"primaryPackagePurpose\": \"LIBRARY\",
      \"comment\": \"The library, the programs and their headers. No code of others is part of the sources.\"
    }${sbom_packages}
  ],
  \"relationships\": [
    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-exactncc\"}${sbom_relations}
  ]${licenses}
}
" @ONLY)
endfunction()

# What every build has.
macro(exactncc_sbom_toolchain)
  string(TOLOWER "${CMAKE_C_COMPILER_ID}" sbom_compiler)
  if(sbom_compiler STREQUAL "gnu")
    set(sbom_compiler gcc)
  endif()
  exactncc_sbom_add(${sbom_compiler} "${CMAKE_C_COMPILER_ID} C compiler" "${CMAKE_C_COMPILER_VERSION}" NOASSERTION BUILD_TOOL_OF
                    "Compiles the C sources.")
  exactncc_sbom_add(cmake CMake "${CMAKE_VERSION}" BSD-3-Clause BUILD_TOOL_OF "Configures the build.")
  exactncc_version_of(sbom_libc features.h "__GLIBC__.__GLIBC_MINOR__" "")
  if(sbom_libc)
    exactncc_sbom_add(glibc "GNU C Library" "${sbom_libc}" LGPL-2.1-or-later DYNAMIC_LINK "The C library: of all programs and libraries.")
  endif()
  if(EXACTNCC_HAVE_CUDA)
    exactncc_sbom_add(cuda-runtime "CUDA runtime" "${CUDAToolkit_VERSION}" LicenseRef-NVIDIA-CUDA STATIC_LINK "The CUDA engine (cudart_static).")
    exactncc_sbom_add(nvcc "CUDA compiler" "${CMAKE_CUDA_COMPILER_VERSION}" LicenseRef-NVIDIA-CUDA BUILD_TOOL_OF "Compiles the CUDA sources.")
    exactncc_sbom_add(cufft cuFFT "" LicenseRef-NVIDIA-CUDA OPTIONAL_DEPENDENCY_OF
                      "Loaded when a program runs, if it is there, by the CUDA kernels that need Fourier transforms.")
  endif()
endmacro()

# What the programs are linked with.
macro(exactncc_sbom_programs)
  if(TARGET exactncc_tool)
    find_package(PNG QUIET)
    find_package(JPEG QUIET)
    get_target_property(sbom_formats exactncc_tiff INTERFACE_COMPILE_DEFINITIONS)
    exactncc_version_of(sbom_found tiffio.h TIFFLIB_MAJOR_VERSION.TIFFLIB_MINOR_VERSION.TIFFLIB_MICRO_VERSION TIFF::TIFF)
    if(NOT sbom_found) # older than 4.5.1
      set(sbom_found "${TIFF_VERSION_STRING}")
    endif()
    exactncc_sbom_add(libtiff libtiff "${sbom_found}" libtiff DYNAMIC_LINK "The programs exactncc and exactncc-mpi: reads and writes TIFF.")
    if("APP_HAVE_PNG" IN_LIST sbom_formats)
      exactncc_version_of(sbom_found png.h PNG_LIBPNG_VER_STRING PNG::PNG)
      exactncc_sbom_add(libpng libpng "${sbom_found}" libpng-2.0 DYNAMIC_LINK "The same programs: reads and writes PNG.")
      exactncc_version_of(sbom_found zlib.h ZLIB_VERSION ZLIB::ZLIB)
      exactncc_sbom_add(zlib zlib "${sbom_found}" Zlib DYNAMIC_LINK
                        "Compresses for libpng.")
    endif()
    if("APP_HAVE_JPEG" IN_LIST sbom_formats)
      exactncc_version_of(sbom_found "stdio.h;jpeglib.h" LIBJPEG_TURBO_VERSION JPEG::JPEG)
      exactncc_sbom_add(libjpeg-turbo libjpeg-turbo "${sbom_found}" "IJG AND BSD-3-Clause AND Zlib" DYNAMIC_LINK
                        "The same programs: reads JPEG.")
    endif()
  endif()
  if(TARGET exactncc_mpi)
    exactncc_version_of(sbom_found mpi.h OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION MPI::MPI_C)
    set(sbom_mpi "Open MPI" BSD-3-Clause-Open-MPI openmpi-bin)
    if(NOT sbom_found)
      exactncc_version_of(sbom_found mpi.h MPICH_VERSION MPI::MPI_C)
      set(sbom_mpi MPICH mpich2 mpich)
      if(NOT sbom_found)
        set(sbom_mpi "MPI library" NOASSERTION mpi-default-bin)
      endif()
    endif()
    list(GET sbom_mpi 0 sbom_name)
    list(GET sbom_mpi 1 sbom_license)
    list(GET sbom_mpi 2 EXACTNCC_MPI_STARTER) # Debian's package with its mpirun
    exactncc_sbom_add(mpi "${sbom_name}" "${sbom_found}" ${sbom_license} DYNAMIC_LINK "The program exactncc-mpi.")
  endif()
endmacro()
