# SPDX-License-Identifier: Apache-2.0
# The promise about bits: on each instruction set, the output of PROGRAM, of at least LINES lines, is the same in every
# run and for any of these numbers of THREADS. Instruction sets need not agree with each other: each is held to an error bound,
# in the first of its runs; the others only print (PRINT_ONLY).
foreach(isa DEFAULT AVX512_CORE AVX2 SSE41)
  set(expected "")
  set(print_only "--unset=PRINT_ONLY")
  foreach(threads ${THREADS})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env ${print_only} ONEDNN_MAX_CPU_ISA=${isa} OMP_NUM_THREADS=${threads} ${PROGRAM}
      OUTPUT_VARIABLE output RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "${PROGRAM} failed with ${isa}, ${threads} threads: ${failed}\n${output}")
    endif()
    if(expected STREQUAL "")
      set(expected "${output}")
      set(print_only "PRINT_ONLY=1")
    elseif(NOT output STREQUAL expected)
      message(FATAL_ERROR "${isa}, ${threads} threads gives\n${output}\nbut one thread gave\n${expected}")
    endif()
  endforeach()
  string(REGEX MATCHALL "\n" lines "${expected}")
  list(LENGTH lines count)
  if(count LESS LINES)
    message(FATAL_ERROR "${isa}: only ${count} problems ran")
  endif()
  message(STATUS "${isa}: ${count} problems, the same bits with each of ${THREADS} threads")
endforeach()
