# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM, one of our tests linked with the peer.
include(${CMAKE_CURRENT_LIST_DIR}/peer.cmake)
begin_peer("${PROGRAM}")
set(ENV{LODE_TEST_PEER} 1)
run_peer(${PROGRAM} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the test fails on the peer: ${result}")
endif()
