#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spirv.sh TOOL FOLDER KERNEL...: the tool takes the SPIR-V of these kernels. The tools are spirv-val, and ocloc, which
# is Intel's compiler for GPUs: it compiles for one with double precision and for one without, and needs neither.
tool=$1 folder=$2
shift 2
[ -x "$tool" ] || { echo "SKIP: $tool is not installed"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

try() {
    "$tool" "$@" >"$out/log" 2>&1 && return
    echo "$*:"
    cat "$out/log"
    failed=1
}
compile() { try compile -q -spirv_input -file "$folder/$1.spv" -device "$2" -out_dir "$out"; }
check_spirv_val() { try --target-env opencl2.1 "$folder/$1.spv"; }
check_ocloc() {
    compile "$1" skl
    case $1 in *f64*) ;; *) compile "$1" dg2 ;; esac
}

failed=0
check=check_$(basename "$tool" | tr - _)
for kernel; do "$check" "$kernel"; done
exit $failed
