#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# on_library.sh FOLDER PROGRAM ARGUMENTS...: runs a program with the libdnnl.so.3 of FOLDER, whichever one it was linked with.
set -eu
folder=$1 program=$2
shift 2
[ -e "$folder/libdnnl.so.3" ] || { echo "SKIP: no oneDNN to run on, LODE_PEER_PREFIX is not set"; exit 77; }
export LD_LIBRARY_PATH=$folder
# A oneDNN whose CPU engine is a SYCL device needs the path of the OpenCL CPU runtime installed with it.
if [ -e "$folder/libintelocl.so" ]; then
    OCL_ICD_VENDORS=$(mktemp -d)
    export OCL_ICD_VENDORS
    trap 'rm -rf "$OCL_ICD_VENDORS"' EXIT
    echo "$folder/libintelocl.so" >"$OCL_ICD_VENDORS/peer.icd"
fi
ldd "$program" | grep -qF "=> $folder/libdnnl.so.3" || { echo "$program does not take $folder/libdnnl.so.3"; exit 1; }
"$program" "$@"
