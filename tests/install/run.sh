#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD: installs a build, moves the tree, checks that it does not know where it came from, and builds and
# runs a program against it in each way that users do.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH
. "$here/consume.sh"

echo "-- the build folder is a prefix"
consume "$build"

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; fail "cmake --install"; }
mv "$work/first" "$work/moved"
prefix=$work/moved

echo "-- the tree names neither its first place nor ours"
for place in "$work/first" "$build" "$source"; do
    ! grep -rlF --binary-files=text "$place" "$prefix" || fail "these files name $place"
done

echo "-- tables of addresses are read-only once a file is loaded"
files=0
while IFS= read -r file; do
    [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
    files=$((files + 1))
    readelf -lW "$file" | grep -q GNU_RELRO || fail "$file is not linked with -z relro"
    readelf -dW "$file" | grep -qE '\(FLAGS_1\).*NOW' || fail "$file is not linked with -z now"
done < <(find "$prefix" -type f)
[ $files -gt 0 ] || fail "nothing is installed that runs"

archive=$(find "$prefix" -name libdnnl.a)
if [ -n "$archive" ]; then
    echo "-- the static library defines no name that a program could have, too"
    names=$(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }')
    grep -q '^dnnl_engine_create$' <<<"$names" || fail "$archive has no API"
    ! grep -vE '^(dnnl|lode)_' <<<"$names" || fail "these names are not ours"
fi

echo "-- every public header compiles alone"
have() { echo "#include <$1>" | cc -E -xc - >/dev/null 2>&1; }
(cd "$prefix/include" && find . -name '*.h' -o -name '*.hpp') | while read -r header; do
    # Headers of runtimes whose own headers are not on this machine cannot be tried.
    case $header in
    *_ocl*) have CL/cl.h || continue ;;
    *_ze*) have level_zero/ze_api.h || continue ;;
    *_sycl.*) have sycl/sycl.hpp || continue ;;
    esac
    case $header in
    *.hpp) compiler="c++ -std=c++11 -xc++" ;;
    *) compiler="cc -std=c99 -xc" ;;
    esac
    echo "#include \"$header\"" |
        $compiler -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=300 -I"$prefix/include" -fsyntax-only - || fail "$header"
done

echo "-- the installed tree"
consume "$prefix"

echo "-- installed programs find the library"
"$prefix/bin/lode-info" >/dev/null || fail "lode-info"
for tool in lode-info lode-bench; do
    [ -e "$prefix/share/man/man1/$tool.1" ] || fail "no man page of $tool"
    [ -e "$prefix/share/bash-completion/completions/$tool" ] || fail "no completion of $tool"
done
if [ -z "$archive" ]; then
    "$prefix/bin/lode-bench" --time 1 eltwise f32 4x4 >"$work/bench.log" || { cat "$work/bench.log"; fail "lode-bench"; }
    grep -q "$prefix" "$work/bench.log" || fail "lode-bench does not load the library that it was installed with"
fi
echo "installed tree is good"
