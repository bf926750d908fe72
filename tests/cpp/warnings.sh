#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# warnings.sh FOLDER...: the C++ headers, and tests that use every part of them, compile without a warning with g++
# and clang++ in every standard from C++11 on. FOLDERs hold the public headers; warnings in other
# headers are ignored. Missing compilers and runtime headers are skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
includes=()
for folder in "$@"; do includes+=("-I$folder"); done
flags=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -DCL_TARGET_OPENCL_VERSION=300)
failed=0 done=0

compiles() { # compiles COMPILER STANDARD WHAT source
    done=$((done + 1))
    printf '%s\n' "$4" | "$1" "-std=$2" "${flags[@]}" "${includes[@]}" "-I$here" -x c++ - || {
        echo "FAILED: $1 -std=$2: $3"
        failed=$((failed + 1))
    }
}

found=0
for compiler in "${CXX:-g++}" clang++-22 clang++; do
    command -v "$compiler" >/dev/null || continue
    case " ${seen:-} " in *" $(readlink -f "$(command -v "$compiler")") "*) continue ;; esac
    seen="${seen:-} $(readlink -f "$(command -v "$compiler")")"
    found=$((found + 1))
    for standard in c++11 c++14 c++17 c++20; do
        for header in dnnl_common dnnl dnnl_ze:level_zero/ze_api.h dnnl_ocl:CL/cl.h dnnl_threadpool; do
            needs=${header#*:} header=${header%%:*}
            if [ "$needs" != "$header" ] && ! echo "#include <$needs>" | "$compiler" -E -x c++ - >/dev/null 2>&1; then
                echo "SKIP: $header.hpp needs $needs, which is not installed"
                continue
            fi
            compiles "$compiler" $standard "$header.hpp" "#include \"oneapi/dnnl/$header.hpp\""
        done
        for program in objects primitives standard_headers; do
            compiles "$compiler" $standard "$program.cpp" "#include \"$program.cpp\""
        done
        compiles "$compiler" $standard "without exceptions" "$(printf '#define DNNL_ENABLE_EXCEPTIONS 0\n#include "dnnl.hpp"')"
        compiles "$compiler" $standard "lean headers" "$(printf '#define DNNL_LEAN_HEADERS\n#include "dnnl.hpp"')"
    done
done
[ $found -gt 0 ] || { echo "SKIP: no C++ compiler"; exit 77; }
echo "$done compilations with $found compilers, $failed with warnings or errors"
[ $failed = 0 ]
