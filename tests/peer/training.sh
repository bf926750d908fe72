#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# training.sh PROGRAM OURS PEER: a training example with our library and with the peer's (folders), same binary. The first
# loss must be the same up to the last printed digit, and the loss after ten steps up to 1%: rounding decides on which side
# of 0 some inputs of ReLUs are.
set -eu
program=$1 ours=$2 peer=$3
[ -e "$peer/libdnnl.so.3" ] || { echo "SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set"; exit 77; }
if [ -e "$peer/libintelocl.so" ]; then
    OCL_ICD_VENDORS=$(mktemp -d)
    export OCL_ICD_VENDORS
    trap 'rm -rf "$OCL_ICD_VENDORS"' EXIT
    echo "$peer/libintelocl.so" >"$OCL_ICD_VENDORS/peer.icd"
fi

# The losses of steps 0 and 10. In so few steps the network does not learn enough for an exit status of 0.
losses() { { LD_LIBRARY_PATH=$1 "$program" cpu 11 2>/dev/null || true; } | sed -n 's/^step .*: loss //p' | tr '\n' ' '; }
a=$(losses "$ours")
b=$(losses "$peer")
echo "ours: $a"
echo "peer: $b"
awk -v a="$a" -v b="$b" 'BEGIN {
    if (split(a, x, " ") != 2 || split(b, y, " ") != 2) { print "no result"; exit 1 }
    for (i = 1; i <= 2; i++) error[i] = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i]
    exit !(error[1] < 0.00011 && error[2] < 0.01 * y[2])
}'
