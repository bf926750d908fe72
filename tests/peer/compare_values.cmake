# SPDX-License-Identifier: Apache-2.0
# The peer's build of a program writes its results, ours checks them: PEER write FILE, OURS check FILE.
include(${CMAKE_CURRENT_LIST_DIR}/peer.cmake)
begin_peer("${PEER}")
run_peer(${PEER} write ${NAME}.values RESULT_VARIABLE peer)
if(peer EQUAL 77)
  message("SKIP: the oneDNN to compare with has no CPU engine here")
  return()
endif()
execute_process(COMMAND ${OURS} check ${NAME}.values RESULT_VARIABLE ours)
if(NOT ours EQUAL 0 OR NOT peer EQUAL 0)
  message(FATAL_ERROR "${ours} with our library, ${peer} with the peer's")
endif()
