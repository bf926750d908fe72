#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# alexnet.sh PROGRAM OURS PEER: the AlexNet example with our library and with the peer's (folders), same binary, must
# recognise the same class with the same probability, up to the rounding of f32 sums in another order.
set -eu
program=$1 ours=$2 peer=$3
[ -e "$peer/libdnnl.so.3" ] || { echo "SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set"; exit 77; }
if [ -e "$peer/libintelocl.so" ]; then
    OCL_ICD_VENDORS=$(mktemp -d)
    export OCL_ICD_VENDORS
    trap 'rm -rf "$OCL_ICD_VENDORS"' EXIT
    echo "$peer/libintelocl.so" >"$OCL_ICD_VENDORS/peer.icd"
fi
for options in "" "--fused"; do
    # shellcheck disable=SC2086
    a=$(LD_LIBRARY_PATH=$ours "$program" $options cpu 2 1 | sed 's/.*first image: //')
    # shellcheck disable=SC2086
    b=$(LD_LIBRARY_PATH=$peer "$program" $options cpu 2 1 | sed 's/.*first image: //')
    echo "ours: $a"
    echo "peer: $b"
    awk -v a="$a" -v b="$b" 'BEGIN {
        if (split(a, x, /[ ,]+/) != 4 || split(b, y, /[ ,]+/) != 4) { print "no result"; exit 1 }
        error = (x[4] - y[4]) / y[4]
        printf "relative difference %g\n", error
        exit !(x[2] == y[2] && error < 1e-4 && error > -1e-4)
    }'
done
