# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts in this folder. PEER_LIBRARIES is the folder of the peer's libraries.

# begin_peer(PROGRAM): ends the script if the program was not built because there is no peer.
macro(begin_peer program)
  if("${program}" STREQUAL "")
    message("SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set")
    return()
  endif()
  # A oneDNN whose CPU engine is a SYCL device needs the path of the OpenCL CPU runtime installed with it.
  if(EXISTS ${PEER_LIBRARIES}/libintelocl.so)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/vendors/peer.icd "${PEER_LIBRARIES}/libintelocl.so\n")
    set(ENV{OCL_ICD_VENDORS} ${CMAKE_CURRENT_BINARY_DIR}/vendors)
  endif()
endmacro()

# run_peer(COMMAND...): like execute_process, with the peer's libraries.
macro(run_peer)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PEER_LIBRARIES} ${ARGN})
endmacro()

# The peer is held to what it can do everywhere: oneDNN 3.13 with AMX crashes on virtual machines that hide the leaf of
# cpuid that describes tiles, and with AVX512_FP16 its reorders of f16 and f8 to four bits are not what they are without.
if(NOT DEFINED ENV{ONEDNN_MAX_CPU_ISA})
  set(peer_isa ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16)
endif()
