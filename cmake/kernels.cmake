# SPDX-License-Identifier: Apache-2.0
# Builds the three forms of kernels: a SPIR-V module of each (version 1.0, which every device with SPIR-V takes), native
# code of each family (one .cl file) for several instruction sets, and the sources. The lists of families and kernels
# are those of kernels.def, and nowhere else. Each command tells the build which headers it read (DEPFILE).
#
# Sets KERNEL_OBJECTS (native code to link) and KERNEL_BLOBS (files that table.c embeds).

# Distributions build some clangs without the SPIR-V target: take the first that has it.
function(lode_writes_spirv result clang)
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/probe)
  file(WRITE ${probe}.cl "kernel void k(global int *x) { *x = 1; }\n")
  execute_process(COMMAND ${clang} -c --target=spirv64v1.0 -x cl -o ${probe}.spv ${probe}.cl
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(LODE_CLANG NAMES clang-23 clang-22 clang-21 clang VALIDATOR lode_writes_spirv REQUIRED
  DOC "A clang that writes SPIR-V, such as clang 22: compiles kernels")
set(kernels ${PROJECT_SOURCE_DIR}/src/kernels)
set(kernels_out ${PROJECT_BINARY_DIR}/kernels)
file(MAKE_DIRECTORY ${kernels_out})

# The native forms of a family: what the second word of its FAMILY row means.
set(isa_flags_base "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(kernel_isas base avx2 avx512)
  set(isas_COMMON ${kernel_isas})
  set(isas_VNNI ${kernel_isas} avx512_vnni)
  set(isa_flags_base -march=x86-64)
  set(isa_flags_avx2 -march=x86-64-v3)
  set(isa_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  set(isa_flags_avx512_vnni ${isa_flags_avx512} -mavx512vnni)
else()
  set(kernel_isas base)
  set(isas_COMMON base)
  set(isas_VNNI base)
endif()

set(native_flags -x c -std=gnu17 -O3 -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno
  -fno-trapping-math -Wall -Wextra -Wno-unused-function -Wno-unused-parameter -Werror -I${PROJECT_SOURCE_DIR}/src)
set(opencl_flags -x cl -I${PROJECT_SOURCE_DIR}/src)

set(KERNEL_OBJECTS "")
set(KERNEL_BLOBS "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernels}/kernels.def)
file(STRINGS ${kernels}/kernels.def family_rows REGEX "^FAMILY\\(")
foreach(row ${family_rows})
  string(REGEX REPLACE "^FAMILY\\(([a-z0-9_]+), ([A-Z]+)\\).*" "\\1;\\2" row ${row})
  list(GET row 0 family)
  list(GET row 1 forms)
  set(cl ${kernels}/${family}.cl)

  foreach(isa ${isas_${forms}})
    set(object ${kernels_out}/${family}_${isa}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${LODE_CLANG} -c ${native_flags} ${isa_flags_${isa}} -DKERNELS_${family} -DMODULE=lode_native_${family}_${isa}
              -DMODULE_SOURCE="kernels/${family}.cl" -MD -MF ${object}.d -o ${object} ${kernels}/native.c
      DEPENDS ${kernels}/native.c ${cl} DEPFILE ${object}.d COMMENT "Kernel ${family}: native, ${isa}" VERBATIM)
    list(APPEND KERNEL_OBJECTS ${object})
  endforeach()
endforeach()

file(STRINGS ${kernels}/kernels.def kernel_rows REGEX "^KERNEL\\(")
add_executable(lode_shrink ${kernels}/shrink.c)
foreach(row ${kernel_rows})
  string(REGEX MATCH "^KERNEL\\(([a-z0-9_]+), ([a-z0-9_]+)" match ${row})
  set(cl ${kernels}/${CMAKE_MATCH_1}.cl)
  set(kernel ${CMAKE_MATCH_2})
  set(module ${kernels_out}/${kernel})
  add_custom_command(OUTPUT ${module}.spirv
    COMMAND ${LODE_CLANG} -c --target=spirv64v1.0 ${opencl_flags} -cl-std=CL3.0 -O2 -ffp-contract=off
            -DONE_KERNEL -DWANTED_${kernel}=1 -MD -MF ${module}.d -MT ${module}.spirv -o ${module}.spv ${cl}
    COMMAND lode_shrink ${module}.spv ${module}.spirv
    DEPENDS ${cl} DEPFILE ${module}.d COMMENT "Kernel ${kernel}: SPIR-V" VERBATIM)
  list(APPEND KERNEL_BLOBS ${module}.spirv)
endforeach()

# What cmake/sources.cmake puts together.
file(GLOB kernel_files CONFIGURE_DEPENDS ${kernels}/*.cl ${kernels}/lib/*.h ${kernels}/params*.h)
set(shorten ${PROJECT_SOURCE_DIR}/cmake/shorten_source.sed)
add_custom_command(OUTPUT ${kernels_out}/sources.txt
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/src -DOUTPUT=${kernels_out}/sources.full.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/sources.cmake
  COMMAND sed -E -f ${shorten} ${kernels_out}/sources.full.txt > ${kernels_out}/sources.txt
  DEPENDS ${kernel_files} ${PROJECT_SOURCE_DIR}/cmake/sources.cmake ${shorten}
  COMMENT "Kernels: sources" VERBATIM)
list(APPEND KERNEL_BLOBS ${kernels_out}/sources.txt)
