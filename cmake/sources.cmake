# SPDX-License-Identifier: Apache-2.0
# Writes the texts of kernels and of all that they include into one file, OUTPUT, each after a line with its name. Run
# by the build; FOLDER is that of the library's sources.
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/kernels/*.cl ${FOLDER}/kernels/lib/*.h ${FOLDER}/kernels/params*.h)
set(all "")
foreach(file ${files})
  file(READ ${FOLDER}/${file} text)
  string(APPEND all "@ ${file}\n${text}")
endforeach()
file(WRITE ${OUTPUT} "${all}")
