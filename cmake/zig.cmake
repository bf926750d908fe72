# SPDX-License-Identifier: Apache-2.0
# Toolchain of the packages: zig's clang, headers and link stubs of glibc 2.28, so that what is built here also runs on
# older systems. LODE_ZIG is the program; LODE_FOREIGN a folder with the headers CL/ and level_zero/ and nothing else:
# this machine's own /usr/include must not be read. Nothing in the packages is C++.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LODE_ZIG LODE_FOREIGN)
set(CMAKE_C_COMPILER ${LODE_ZIG} cc -target ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu.2.28)
set(OPENCL_INCLUDE ${LODE_FOREIGN})
set(LEVEL_ZERO_INCLUDE_DIR ${LODE_FOREIGN})
