# SPDX-License-Identifier: Apache-2.0
# Output of commands: one line per step with its time; the step's own output goes to .lode/log, and its end is shown if
# the step fails. Knows nothing of what the steps do.

say() { printf '%s\n' "$*"; }
die() { printf 'lode: %s\n' "$*" >&2; exit 1; }

step_child=
step_stop() { [ -z "$step_child" ] || kill "$step_child" 2>/dev/null || true; exit 130; }
trap step_stop INT TERM

# The progress of a running step: the last "[12/345]" of ninja or ctest or "[ 12%]" of make, else nothing.
step_progress() {
    tail -c 2000 "$1" 2>/dev/null | tr '\r' '\n' | grep -aoE '^ *\[? *[0-9]+(/[0-9]+\]?|%\])' | tail -n 1 || true
}

# step "What is done" LOG command...
# Runs the command with its output in .lode/log/LOG.log. Shows elapsed time: in place on a terminal, every half
# minute elsewhere. Returns the command's status; when that is not 0, prints the last $step_tail lines of the log.
step_tail=40
step() {
    local what=$1 log=$LODE_HOME/log/$2.log start=$SECONDS status=0 shown=0 now
    shift 2
    mkdir -p "$LODE_HOME/log"
    [ -t 1 ] || printf '  %s\n' "$what"
    "$@" >"$log" 2>&1 </dev/null &
    step_child=$!
    while kill -0 "$step_child" 2>/dev/null; do
        sleep 0.2
        now=$((SECONDS - start))
        if [ -t 1 ]; then
            printf '\r\033[K  %-44s %4d s  %s' "$what" "$now" "$(step_progress "$log")"
        elif [ $((now - shown)) -ge 30 ]; then
            shown=$now
            printf '  %-44s %4d s  %s\n' "  …" "$now" "$(step_progress "$log")"
        fi
    done
    wait "$step_child" || status=$?
    step_child=
    now=$((SECONDS - start))
    [ ! -t 1 ] || printf '\r\033[K'
    if [ $status = 0 ]; then
        [ -t 1 ] && printf '  %-44s %4d s\n' "$what" "$now" || printf '  %-44s %4d s\n' "  done" "$now"
    else
        printf '  %-44s %4d s  FAILED (%d)\n' "$what" "$now" "$status"
        [ "$step_tail" = 0 ] || say "  ---- end of ${log#"$LODE_ROOT"/} ----"
        tail -n "$step_tail" "$log" | cut -c1-240 | sed 's/^/  | /'
    fi
    return $status
}
