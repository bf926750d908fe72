# SPDX-License-Identifier: Apache-2.0
# ./lode demo: AlexNet on every engine of this machine, in one table.

demo_batch=${LODE_DEMO_BATCH:-1}
demo_runs=${LODE_DEMO_RUNS:-20}

# What a column of the table is called: "ocl:1" is the second OpenCL device.
engine_title() {
    local title
    case $1 in
    cpu*) title=CPU ;;
    ze*) title="Level Zero" ;;
    ocl*) title=OpenCL ;;
    sycl*) title=SYCL ;;
    *) title=$1 ;;
    esac
    case $1 in *:0) ;; *:*) title+=" #$((${1#*:} + 1))" ;; esac
    printf '%s' "$title"
}

# One line of the table. demo_row LABEL CELL...
demo_row() {
    local label=$1 cell
    shift
    printf '| %-9s |' "$label"
    for cell in "$@"; do printf ' %14s |' "$cell"; done
    printf '\n'
}

demo() {
    local all=$1 engine state output titles=() mins=() avgs=() rules=() absent=() broken=()
    setup_build
    if [ "$all" = true ]; then
        need_wheels "$wheels_runtimes" || die "the runtimes of --all are not there"
        [ -z "$(needs_missing opencl)" ] || ! may_install || need opencl
    fi
    build_default
    use_runtimes

    while IFS='|' read -r engine state; do
        if [ "$state" != ok ]; then
            absent+=("$(engine_title "$engine"): $state")
            continue
        fi
        if ! output=$(build/bin/cnn_inference_f32 "${engine%:0}" "$demo_batch" "$demo_runs" 2>&1); then
            broken+=("$(engine_title "$engine"): $(tail -n 1 <<<"$output")")
            continue
        fi
        titles+=("$(engine_title "$engine")")
        mins+=("$(sed -nE 's/.*min ([0-9.]+) ms.*/\1/p' <<<"$output")")
        avgs+=("$(sed -nE 's/.*avg ([0-9.]+) ms.*/\1/p' <<<"$output")")
        rules+=("--------------")
    done < <(build/bin/lode-info --engines)

    say
    say "AlexNet, f32, batch $demo_batch, $demo_runs runs an engine, $(nproc) cores"
    say
    demo_row "" "${titles[@]}"
    demo_row "---------" "${rules[@]}"
    demo_row "Min (ms):" "${mins[@]}"
    demo_row "Avg (ms):" "${avgs[@]}"
    say
    [ ${#absent[@]} = 0 ] || printf 'not here: %s\n' "${absent[@]}"
    [ ${#broken[@]} = 0 ] || printf 'FAILED: %s\n' "${broken[@]}"
    [ "$all" = true ] || [ ${#absent[@]} = 0 ] || say "./lode demo --all installs OpenCL and SYCL runtimes into .lode/"
    [ ${#broken[@]} = 0 ]
}
