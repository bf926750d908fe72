#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spirv.sh TOOL FOLDER NAME:CLASS:NEEDS...: checks the SPIR-V of these kernels with a tool, spirv-val or ocloc. ocloc is
# Intel's offline compiler for GPUs and needs no GPU: it compiles every kernel for GPUs alone for each GPU that has the
# features that the kernel needs, and those for all devices for one. Kernels of class GPU must not spill registers. The
# compiler warns of some spills only, but a binary says whether its threads need memory: kernels that require a sub-group
# size and have no arrays must not.
tool=$1 folder=$2
shift 2
[ -x "$tool" ] || { echo "SKIP: $tool is not installed"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# GPU:features that it lacks
gpus="skl:HAS_INTEGER_DOT,HAS_MATRIX_ENGINE tgllp:HAS_FP64,HAS_MATRIX_ENGINE adls:HAS_FP64,HAS_MATRIX_ENGINE
      dg2:HAS_FP64 pvc:HAS_SUB_GROUP_8"

try() {
    checked=$((checked + 1))
    "$tool" "$@" >"$out/log" 2>&1 && return
    complain "$*"
}
complain() {
    echo "$1:"
    cat "$out/log"
    failed=1
}
# lacks WHAT,... NEEDS,...
lacks() {
    for need in $(echo "$2" | tr , ' '); do
        case ,$1, in *,$need,*) return 0 ;; esac
    done
    return 1
}
# Kernels of class GPU use extensions of OpenCL 2.1: sub-groups of a given size, half precision.
check_spirv_val() {
    case $2 in GPU) environment=spv1.1 ;; *) environment=opencl2.1 ;; esac
    try --target-env $environment "$folder/$1.spv"
}
# spills KERNEL NEEDS
spills() {
    case $2 in
        *HAS_SUB_GROUP_*) ! grep -aq simd_size "$out/$1"* || grep -aq per_thread_memory_buffers "$out/$1"* ;;
        *) grep -q spilled "$out/log" ;;
    esac
}
check_ocloc() {
    [ "$2" != CPU ] || return 0
    for gpu in $gpus; do
        lacks "${gpu#*:}" "$3" && continue
        rm -f "$out/$1"*
        try compile -spirv_input -file "$folder/$1.spv" -device "${gpu%%:*}" -out_dir "$out" -output_no_suffix \
            --format zebin
        [ "$2" = GPU ] || return 0 # written for no GPU in particular: one of them is enough
        ! spills "$1" "$3" || complain "$1 spills on ${gpu%%:*}"
    done
}

failed=0 checked=0
check=check_$(basename "$tool" | tr - _)
for row; do
    needs=${row#*:}
    "$check" "${row%%:*}" "${needs%%:*}" "${needs#*:}"
done
echo "$checked modules"
[ "$checked" -gt 0 ] || failed=1
exit $failed
