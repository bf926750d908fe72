# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of trees and packages, which set $here (this folder) and $work (theirs).

fail() { echo "FAIL: $*"; exit 1; }

# consume PREFIX: builds and runs a user's program, found by CMake and by pkg-config, with the library of that tree.
consume() {
    local prefix=$1 folder=$work/consume pkgconfig
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "-- find_package(dnnl)"
    cmake -G Ninja -S "$here/consumer" -B "$folder/cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" &&
        cmake --build "$folder/cmake" >>"$folder/log" || { cat "$folder/log"; fail "building with find_package"; }
    loads "$folder/cmake/consumer" "$prefix"
    "$folder/cmake/consumer"

    echo "-- pkg-config dnnl"
    pkgconfig=$(dirname "$(find "$prefix" -path "*/pkgconfig/dnnl.pc" | head -n 1)")
    # shellcheck disable=SC2046
    cc -o "$folder/consumer" "$here/consumer/main.c" $(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs dnnl)
    LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$pkgconfig pkg-config --variable=libdir dnnl)
    export LD_LIBRARY_PATH
    loads "$folder/consumer" "$prefix"
    "$folder/consumer"
    unset LD_LIBRARY_PATH
}

# loads PROGRAM PREFIX: the libdnnl that the program loads, if any, is that of the tree.
loads() {
    local path
    path=$(ldd "$1" | sed -nE 's/.*libdnnl.* => ([^ ]+).*/\1/p')
    [ -z "$path" ] || [[ $(realpath "$path") == "$(realpath "$2")"/* ]] || fail "$1 loads $path"
}
