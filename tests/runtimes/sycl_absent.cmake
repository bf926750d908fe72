# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM with LIBRARY (libdnnl) alone in FOLDER, then, if LAYER is given, with a SYCL layer that finds no libsycl.
# Checks that the output names the missing library.
foreach(missing libdnnl_sycl libsycl)
  if(missing STREQUAL libsycl AND NOT LAYER)
    continue()
  endif()
  file(REMOVE_RECURSE ${FOLDER})
  file(MAKE_DIRECTORY ${FOLDER})
  file(COPY_FILE ${LIBRARY} ${FOLDER}/libdnnl.so.3)
  if(missing STREQUAL libsycl)
    file(COPY_FILE ${LAYER} ${FOLDER}/libdnnl_sycl.so.3)
    file(RPATH_REMOVE FILE ${FOLDER}/libdnnl_sycl.so.3)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${FOLDER} ONEDNN_GPU_RUNTIME=SYCL ${PROGRAM}
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(failed EQUAL 77)
    return() # the output has the reason, which the test's SKIP property matches
  endif()
  string(REGEX MATCHALL "error,engine,[^\n]*${missing}\\.so" lines "${output}")
  list(LENGTH lines count)
  if(failed OR count LESS 3)
    message(FATAL_ERROR "without ${missing}: status ${failed}, ${count} lines name it")
  endif()
endforeach()
