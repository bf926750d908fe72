# SPDX-License-Identifier: Apache-2.0
# Runs the same transcript on both libraries, OURS and PEER, and fails with the first differences.
if(NOT PEER)
  message("SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set")
  return()
endif()
execute_process(COMMAND ${OURS} OUTPUT_FILE ${NAME}.ours.txt RESULT_VARIABLE ours)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PEER_LIBRARIES} ${PEER}
  OUTPUT_FILE ${NAME}.peer.txt RESULT_VARIABLE peer)
if(NOT ours EQUAL 0 OR NOT peer EQUAL 0)
  message(FATAL_ERROR "the transcript did not finish: ${ours} with our library, ${peer} with the peer's")
endif()
execute_process(COMMAND wc -l ${NAME}.ours.txt OUTPUT_VARIABLE lines)
execute_process(COMMAND diff ${NAME}.peer.txt ${NAME}.ours.txt OUTPUT_VARIABLE differences RESULT_VARIABLE differ)
if(differ)
  string(SUBSTRING "${differences}" 0 4000 differences)
  message(FATAL_ERROR "peer (<) and ours (>) differ:\n${differences}")
endif()
message("the same: ${lines}")
