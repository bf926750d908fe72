# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM with several instruction sets and numbers of threads; its output, of at least LINES lines, must always
# be the same.
set(expected "")
foreach(isa DEFAULT AVX512_CORE AVX2 SSE41)
  foreach(threads 1 2 3)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env ONEDNN_MAX_CPU_ISA=${isa} OMP_NUM_THREADS=${threads} ${PROGRAM}
      OUTPUT_VARIABLE output RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "${PROGRAM} failed with ${isa}, ${threads} threads: ${failed}\n${output}")
    endif()
    if(expected STREQUAL "")
      set(expected "${output}")
    elseif(NOT output STREQUAL expected)
      message(FATAL_ERROR "${isa}, ${threads} threads gives\n${output}\nbut at first it was\n${expected}")
    endif()
  endforeach()
endforeach()
string(REGEX MATCHALL "\n" lines "${expected}")
list(LENGTH lines count)
if(count LESS LINES)
  message(FATAL_ERROR "only ${count} problems ran")
endif()
message(STATUS "${count} problems: the same bits in 12 runs")
