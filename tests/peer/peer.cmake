# SPDX-License-Identifier: Apache-2.0
# What the scripts beside share. PEER_LIBRARIES is the folder of the peer's libraries.

# begin_peer(PROGRAM): ends the script where there is no such program, because there is no peer.
macro(begin_peer program)
  if("${program}" STREQUAL "")
    message("SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set")
    return()
  endif()
  # A oneDNN whose CPU engine is a SYCL device needs to be told where the OpenCL CPU runtime beside it is.
  if(EXISTS ${PEER_LIBRARIES}/libintelocl.so)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/vendors/peer.icd "${PEER_LIBRARIES}/libintelocl.so\n")
    set(ENV{OCL_ICD_VENDORS} ${CMAKE_CURRENT_BINARY_DIR}/vendors)
  endif()
endmacro()

# run_peer(COMMAND...): like execute_process, with the peer's libraries.
macro(run_peer)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PEER_LIBRARIES} ${ARGN})
endmacro()
