#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# distributed.sh same MPIRUN PROGRAM ENGINE [PERCENT]: 1, 2 and 4 ranks on this machine train on the same batches and must
# have the same losses. PERCENT of the gradients must be summed in place, not in copies.
# distributed.sh death MPIRUN PROGRAM: if a rank dies, the run must end with an error.
# distributed.sh mixed MPIRUN PROGRAM: ranks with different instruction sets must train together, or refuse to.
#
# Different numbers of ranks sum gradients in different orders, so their losses differ by rounding. In the first step it is
# that of the loss alone: no more than 1e-6 of it, 17 units in the last place of a float. Later, rounding decides on which
# side of 0 an input of a ReLU is, and with it a whole term of a gradient: no more than 2e-3 of the loss in 24 steps.
# Gradients that are twice or four times as large make it 0.2.
set -eu
what=$1 mpirun=$2 program=$3 engine=${4:-cpu} percent=${5:-0}
folder=$(mktemp -d)
limit=500 # seconds
trap 'rm -rf "$folder"' EXIT

# As root, with more ranks than cores, on this machine alone, in a container. Names of Open MPI 4, then of 5.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_plm=isolated OMPI_MCA_btl=^tcp,openib OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
# Open MPI frees less than it allocates.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

# run RANKS argument...: the output goes to a file of that number.
run() {
    local ranks=$1 status=0
    shift
    timeout "$limit" "$mpirun" -n "$ranks" "$program" "$@" >"$folder/$ranks" 2>"$folder/errors" || status=$?
    [ $status != 77 ] || { grep -m1 SKIP "$folder/$ranks"; exit 77; }
    [ $status != 124 ] || { echo "$ranks ranks hang"; exit 1; }
    tail -n 1 "$folder/$ranks"
    [ $status = 0 ] || cat "$folder/errors"
    return $status
}

compare() {
    awk -v steps=24 '
        /^step/ { loss[FILENAME, $2 + 0] = $4; if ($2 + 0 >= count) count = $2 + 1 }
        END {
            for (i = 0; i < count; i++) {
                a = loss[ARGV[1], i]; b = loss[ARGV[2], i]
                error = a > b ? (a - b) / a : (b - a) / a
                if (i == 0) first = error
                if (error > late) late = error
            }
            printf "%d steps: relative difference %.2g, in the first %.2g\n", count, late, first
            exit !(count == steps && first < 1e-6 && late < 2e-3)
        }' "$folder/$1" "$folder/$2"
}

case $what in
same)
    for ranks in 1 2 4; do
        run $ranks "$engine" 24
        share=$(sed -nE 's/.*, ([0-9]+)% in place/\1/p' "$folder/$ranks")
        [ "$share" -ge "$percent" ] || { echo "only $share% of the gradients were summed in place"; exit 1; }
    done
    compare 1 2
    compare 1 4
    ;;
death)
    status=0
    limit=120
    run 4 cpu 1000 16 --die-at 3 || status=$?
    [ $status != 0 ] || { echo "the run succeeded although a rank died"; exit 1; }
    grep -q '^step   2' "$folder/4" || { echo "the run ended too early"; exit 1; }
    echo "the run ended with status $status"
    ;;
mixed)
    status=0
    timeout "$limit" "$mpirun" -n 1 -x ONEDNN_MAX_CPU_ISA=SSE41 "$program" cpu 2 : -n 1 "$program" cpu 2 \
        >"$folder/mixed" 2>&1 || status=$?
    cat "$folder/mixed"
    [ $status = 0 ] || grep -q "the ranks chose different layouts" "$folder/mixed"
    ;;
esac
