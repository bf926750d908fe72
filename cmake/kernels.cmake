# SPDX-License-Identifier: Apache-2.0
# Builds the three forms of kernels: a SPIR-V module of each (version 1.0, which every device with SPIR-V takes), native
# code of each family (one .cl file) in several forms, and the sources. The lists of families, kernels and native forms
# are those of kernels.def and forms.def, and nowhere else. Each command tells the build which headers it read (DEPFILE).
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
if(LODE_KERNELS_FROM)
  set(kernels_out ${LODE_KERNELS_FROM}/kernels)
else()
  set(kernels_out ${PROJECT_BINARY_DIR}/kernels)
endif()
# SPIR-V and sources are the same in every build of the same sources: LODE_SPIRV_FROM names one that has made them.
set(modules_out ${kernels_out})
if(LODE_SPIRV_FROM)
  set(modules_out ${LODE_SPIRV_FROM}/kernels)
endif()
file(MAKE_DIRECTORY ${kernels_out})

# The native forms of this architecture and their flags: rows of forms.def.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernels}/kernels.def ${kernels}/forms.def)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(architecture X86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(architecture AARCH64)
endif()
set(native_forms "")
file(STRINGS ${kernels}/forms.def form_rows REGEX "^FORM\\(")
foreach(row ${form_rows})
  string(REGEX MATCH "^FORM\\(([a-z0-9_]+), ([A-Z0-9_]+), [^,]+, [0-9]+, [0-9]+(, (.*))?\\)$" match "${row}")
  set(form ${CMAKE_MATCH_1})
  separate_arguments(form_flags_${form} UNIX_COMMAND "${CMAKE_MATCH_4}")
  if(CMAKE_MATCH_2 MATCHES "^(ANY|${architecture})$")
    list(APPEND native_forms ${form})
  endif()
endforeach()

# What SPIR-V needs of the compiler, by what a kernel needs of the device.
set(spirv_flags_HAS_INTEL_SUB_GROUPS -Dcl_intel_subgroups -Dcl_intel_required_subgroup_size -cl-no-stdinc
  -include opencl-c.h -mllvm --spirv-ext=+SPV_INTEL_subgroups)
set(spirv_flags_HAS_INTEL_SUB_GROUPS_SHORT -Dcl_intel_subgroups_short)

set(native_flags -x c -std=gnu17 -O3 -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno
  -fno-trapping-math -Wall -Wextra -Wno-unused-function -Wno-unused-parameter -Werror -I${PROJECT_SOURCE_DIR}/src)
# One sanitizer serves a process: kernels are compiled with clang's, so the rest must be, too.
if(LODE_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
  # Lines are all that reports name; the rest of -g takes a fifth of the time to compile.
  list(APPEND native_flags ${sanitize_flags} -gline-tables-only)
elseif(LODE_SANITIZE)
  message(STATUS "Native kernels are not sanitized: that needs clang as the C compiler, too (CMAKE_C_COMPILER)")
endif()
set(opencl_flags -x cl -I${PROJECT_SOURCE_DIR}/src)

# The commands that make one of them, unless another build folder has done so.
macro(lode_kernel_command)
  if(NOT LODE_KERNELS_FROM)
    add_custom_command(${ARGN})
  endif()
endmacro()
macro(lode_module_command)
  if(NOT LODE_SPIRV_FROM)
    lode_kernel_command(${ARGN})
  endif()
endmacro()

set(KERNEL_OBJECTS "")
set(KERNEL_BLOBS "")
set(built_forms "")
file(STRINGS ${kernels}/kernels.def family_rows REGEX "^FAMILY\\(")
foreach(row ${family_rows})
  string(REGEX MATCH "^FAMILY\\(([a-z0-9_]+), ([a-z0-9_ ]+)\\)" match "${row}")
  set(family ${CMAKE_MATCH_1})
  separate_arguments(forms UNIX_COMMAND "${CMAKE_MATCH_2}")
  set(cl ${kernels}/${family}.cl)
  string(APPEND built_forms "#define NATIVE_FORMS_OF_${family}(X)")
  foreach(form ${forms})
    if(NOT form IN_LIST native_forms)
      continue()
    endif()
    string(APPEND built_forms " X(${family}, ${form})")
    set(object ${kernels_out}/${family}_${form}.o)
    lode_kernel_command(OUTPUT ${object}
      COMMAND ${LODE_CLANG} -c ${native_flags} ${form_flags_${form}} -DKERNELS_${family} -DMODULE=lode_native_${family}_${form}
              -DMODULE_SOURCE="kernels/${family}.cl" -MD -MF ${object}.d -o ${object} ${kernels}/native.c
      DEPENDS ${kernels}/native.c ${cl} DEPFILE ${object}.d COMMENT "Kernel ${family}: native, ${form}" VERBATIM)
    list(APPEND KERNEL_OBJECTS ${object})
  endforeach()
  string(APPEND built_forms "\n")
endforeach()
file(CONFIGURE OUTPUT ${kernels_out}/built_forms.h CONTENT "${built_forms}")

file(STRINGS ${kernels}/kernels.def kernel_rows REGEX "^KERNEL\\(")
add_executable(lode_shrink ${kernels}/shrink.c ${kernels}/shrunk.c)
target_include_directories(lode_shrink PRIVATE ${PROJECT_SOURCE_DIR}/src)
add_executable(lode_strip ${kernels}/strip.c)
foreach(row ${kernel_rows})
  string(REGEX MATCH "^KERNEL\\(([a-z0-9_]+), ([a-z0-9_]+), ([A-Z]+), ([^,]+), ([A-Z_]+)," match "${row}")
  if(CMAKE_MATCH_5 STREQUAL "NATIVE_FORM")
    continue()
  endif()
  set(cl ${kernels}/${CMAKE_MATCH_1}.cl)
  set(kernel ${CMAKE_MATCH_2})
  list(APPEND kernels_of_class_${CMAKE_MATCH_3} ${kernel})
  string(REGEX MATCHALL "HAS_[A-Z0-9_]+" kernel_needs_${kernel} "${CMAKE_MATCH_4}")
  set(spirv_version 1.0)
  if(kernel_needs_${kernel} MATCHES "HAS_SUB_GROUP_")
    set(spirv_version 1.1) # 1.0 cannot say which size of sub-groups a kernel requires
  endif()
  set(needs_flags "")
  foreach(need ${kernel_needs_${kernel}})
    list(APPEND needs_flags ${spirv_flags_${need}})
  endforeach()
  set(module ${modules_out}/${kernel})
  lode_module_command(OUTPUT ${module}.spirv
    COMMAND ${LODE_CLANG} -c --target=spirv64v${spirv_version} ${opencl_flags} -cl-std=CL3.0 -O2 -ffp-contract=off ${needs_flags}
            -DONE_KERNEL -DWANTED_${kernel}=1 -MD -MF ${module}.d -MT ${module}.spirv -o ${module}.full.spv ${cl}
    COMMAND lode_strip ${module}.full.spv ${module}.spv
    COMMAND lode_shrink spirv ${module}.spv ${module}.spirv
    DEPENDS ${cl} lode_strip lode_shrink DEPFILE ${module}.d COMMENT "Kernel ${kernel}: SPIR-V" VERBATIM)
  list(APPEND KERNEL_BLOBS ${module}.spirv)
endforeach()

# What cmake/sources.cmake puts together.
file(GLOB kernel_files CONFIGURE_DEPENDS ${kernels}/*.cl ${kernels}/lib/*.h ${kernels}/params*.h)
set(shorten ${PROJECT_SOURCE_DIR}/cmake/shorten_source.sed)
lode_module_command(OUTPUT ${modules_out}/sources.shrunk
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/src -DOUTPUT=${modules_out}/sources.full.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/sources.cmake
  COMMAND sed -E -f ${shorten} ${modules_out}/sources.full.txt > ${modules_out}/sources.txt
  COMMAND lode_shrink text ${modules_out}/sources.txt ${modules_out}/sources.shrunk
  DEPENDS ${kernel_files} ${PROJECT_SOURCE_DIR}/cmake/sources.cmake ${shorten} lode_shrink
  COMMENT "Kernels: sources" VERBATIM)
list(APPEND KERNEL_BLOBS ${modules_out}/sources.shrunk)
