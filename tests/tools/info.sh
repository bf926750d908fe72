#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# info.sh LODE-INFO: what it prints for people, scripts and JSON readers, and its exit status.
set -u
info=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    cat "$work/out" "$work/err"
    failures=$((failures + 1))
}

# expect STATUS PATTERN argument...: lode-info ends with the status and prints a line that matches.
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$info" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$status" ] && cat "$work/out" "$work/err" | grep -qE "$pattern" ||
        fail "lode-info $*: status $got, expected $status and a line like: $pattern"
}

# json EXPRESSION argument...: the output is JSON for which the Python expression over `data` is true.
json() {
    local expression=$1
    shift
    "$info" --json "$@" >"$work/out" 2>"$work/err"
    python3 -m json.tool "$work/out" >/dev/null 2>>"$work/err" || { fail "lode-info --json $*: not JSON"; return; }
    python3 -c 'import json, sys; data = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
        "$work/out" "$expression" 2>>"$work/err" || fail "lode-info --json $*: not true: $expression"
}

expect 0 '^library  *Lode, oneDNN API [0-9.]+ '
grep -q '^CPU  *cpu:0 ' "$work/out" || fail "no CPU engine is listed"
OCL_ICD_VENDORS=/nonexistent expect 0 '^OpenCL  *(none: |ocl:0 )'
! grep -qE '\.c:[0-9]+' "$work/out" || fail "a reason names a source file"
expect 0 '^cpu:0\|ok\|CPU\|' --engines
expect 0 '^usage: lode-info' --help
[ "$(wc -l <"$work/out")" -le 24 ] && [ "$(wc -L <"$work/out")" -le 80 ] || fail "the help does not fit a screen"
expect 2 '^usage: lode-info' --bad
expect 2 '^usage: lode-info' --request matmul f32
expect 2 '^usage: lode-info' --json --env

cpu='data["runtimes"][0]["engines"][0]'
json "($cpu['engine'] == 'cpu:0' and $cpu['compute_units'] >= 1 and 'fp64' in $cpu['features'] and
    all(r['engines'] or (r['missing'] and r['to_get_it']) for r in data['runtimes']))"
# A path that needs escapes.
XDG_CACHE_HOME="$work/a \"folder\" \\" json '"folder" in data["kernel_cache"]'
LODE_CACHE=0 json 'data["kernel_cache"] is None'

expect 0 '^  implementation [a-z0-9]+_gemm_[0-9x]+$' --request matmul f32 128x512:512x512
expect 0 '^  launch 0  *rows \([a-z0-9_]+\), [0-9x]+ groups of ' --request eltwise f32 64x64 --alg eltwise_tanh
expect 0 '^  declined  *[a-z0-9_]+: ' --request convolution bf16 mb1_ic8oc8_ih4oh4kh3ph1_iw4ow4kw3pw1
expect 1 '^  refused: ' --request matmul f32 2x3:4x5
expect 1 '^  refused: no engine ocl:99' --engine ocl:99 --request eltwise f32 4x4
expect 2 'no requests found' --request /dev/null
json 'data[0]["implementation"] and data[0]["launches"][0]["times"] == 1 and not data[0]["refused"]' \
    --request convolution f32 mb1_ic8oc8_ih4oh4kh3ph1_iw4ow4kw3pw1 --direction backward_weights
line='onednn_verbose,v1,primitive,exec,cpu,eltwise,jit,forward_inference,data:f32::blocked:ab::f0,,alg:eltwise_exp alpha:0 beta:0,8x8,0.1'
expect 0 '^eltwise forward_inference 8x8 on cpu' --request - <<<"$line"
json '[r["shape"] for r in data] == ["8x8", "9x9"]' --request - <<<"$line"$'\n'"${line/8x8/9x9}"

# With these settings, a program that uses Level Zero finds the driver for the CPU.
if [ -e "$(dirname "$info")/../lib/libze_lode_cpu.so.1" ]; then
    expect 0 '^export ZE_ENABLE_ALT_DRIVERS=' --env
    driver=$(eval "$(cat "$work/out")" && echo "$ZE_ENABLE_ALT_DRIVERS")
    [ -r "$driver" ] || fail "--env names no driver: $driver"
    (eval "$(cat "$work/out")" && "$info" --engines) >"$work/err"
    grep -q '^ze:0|ok|Level Zero|Lode CPU' "$work/err" || fail "the driver is not found with the settings of --env"
fi
[ $failures = 0 ] && echo "lode-info is good"
exit $((failures > 0))
