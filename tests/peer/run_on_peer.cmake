# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM, a test of ours that is linked with the peer.
if(NOT PROGRAM)
  message("SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set")
  return()
endif()
# A oneDNN whose CPU engine is a SYCL device needs to be told where the OpenCL CPU runtime beside it is.
if(EXISTS ${PEER_LIBRARIES}/libintelocl.so)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/vendors/peer.icd "${PEER_LIBRARIES}/libintelocl.so\n")
  set(ENV{OCL_ICD_VENDORS} ${CMAKE_CURRENT_BINARY_DIR}/vendors)
endif()
set(ENV{LD_LIBRARY_PATH} ${PEER_LIBRARIES})
set(ENV{LODE_TEST_PEER} 1)
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the peer gives other results: ${result}")
endif()
