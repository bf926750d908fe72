# SPDX-License-Identifier: Apache-2.0
# ./lode demo: AlexNet on every engine of this machine, in one table.

demo_batch=${LODE_DEMO_BATCH:-1}
demo_runs=${LODE_DEMO_RUNS:-20}

# demo_row LABEL CELL...: prints one line of the table, each column as wide as its rule.
demo_row() {
    local label=$1 column=0 cell
    shift
    printf '| %-9s |' "$label"
    for cell in "$@"; do
        printf ' %*s |' ${#rules[column]} "$cell"
        column=$((column + 1))
    done
    printf '\n'
}

# SYCL's adapters need a Level Zero loader 1.20 or newer, which Debian 12 does not have. With our stand-in instead, the
# CPU driver is also a SYCL device. The stand-in knows no other driver, so it is not used if it would hide a device.
use_standin() {
    local folder=$LODE_ROOT/build/lib/lode-loader
    [ -e "$folder/libze_loader.so.1" ] || return 0
    grep -qF 'ze:0|ok|Level Zero|Lode CPU' <<<"$(build/bin/lode-info --engines)" || return 0
    export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

demo() {
    local all=$1 engine state title name output titles=() mins=() avgs=() rules=() notes=() broken=()
    setup_build
    if [ "$all" = true ]; then
        need_wheels "$wheels_runtimes" || die "the runtimes for --all are not installed"
        [ -z "$(needs_missing opencl)" ] || ! may_install || need opencl
    fi
    build_default
    use_runtimes
    use_standin

    while IFS='|' read -r engine state title name; do
        if [ "$state" != ok ]; then
            notes+=("not here: $title: $name")
            continue
        fi
        [[ " ${titles[*]} " != *" $title "* ]] || title+=" ${engine#*:}"
        if ! output=$(build/bin/cnn_inference_f32 "$engine" "$demo_batch" "$demo_runs" 2>&1); then
            broken+=("FAILED: $title ($engine): $(tail -n 1 <<<"$output")")
            continue
        fi
        [ -z "$name" ] || notes+=("$title is $name ($engine)")
        titles+=("$title")
        mins+=("$(sed -nE 's/.*min ([0-9.]+) ms.*/\1/p' <<<"$output")")
        avgs+=("$(sed -nE 's/.*avg ([0-9.]+) ms.*/\1/p' <<<"$output")")
        rules+=("$(printf '%*s' $((${#title} > 8 ? ${#title} : 8)) "" | tr ' ' -)")
    done < <(build/bin/lode-info --engines)

    say
    say "AlexNet, f32, batch $demo_batch, $demo_runs runs on each engine, $(nproc) cores"
    say
    demo_row "" "${titles[@]}"
    demo_row "---------" "${rules[@]}"
    demo_row "Min (ms):" "${mins[@]}"
    demo_row "Avg (ms):" "${avgs[@]}"
    say
    [ ${#notes[@]} = 0 ] || printf '%s\n' "${notes[@]}"
    [ "$all" = true ] || [[ "${notes[*]}" != *"not here"* ]] || say "./lode demo --all installs OpenCL and SYCL runtimes into .lode/"
    [ ${#broken[@]} = 0 ] || { printf '%s\n' "${broken[@]}"; return 1; }
}
