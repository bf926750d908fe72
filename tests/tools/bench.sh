#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench.sh LODE-BENCH [PEER-PREFIX]: runs a few small requests on our library, or on ours and the peer's, and checks
# the table and the exit status. An empty prefix: there is no peer.
set -u
bench=$1
against=()
if [ $# = 2 ]; then
    [ -n "$2" ] || { echo "SKIP: no oneDNN to compare with (LODE_PEER_PREFIX)"; exit 77; }
    against=(--against "$2/lib/libdnnl.so.3")
    export LD_LIBRARY_PATH=$2/lib
    "$bench" "${against[@]}" --time 1 eltwise f32 4x4 2>&1 | grep "no engine" &&
        { echo "SKIP: oneDNN has no CPU engine here (OCL_ICD_VENDORS)"; exit 77; }
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect STATUS PATTERN command...: the command ends with the status and prints a line that matches.
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$bench" --time 1 "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got != "$status" ] || ! cat "$work/out" "$work/err" | grep -qE "$pattern"; then
        echo "FAIL: lode-bench $*: status $got, expected $status and a line like: $pattern"
        cat "$work/out" "$work/err"
        failures=$((failures + 1))
    fi
}

cat >"$work/log" <<'LINES'
onednn_verbose,v1,primitive,exec,cpu,convolution,jit,forward_inference,src:f32:a:blocked:acdb::f0 wei:f32:a:blocked:Acdb16a::f0 bia:f32::blocked:a::f0 dst:f32:a:blocked:acdb::f0,attr-post-ops:sum+eltwise_relu,alg:convolution_direct,mb2_ic16oc32_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1,0.1
onednn_verbose,v1,primitive,exec,cpu,eltwise,jit,backward_data,data:f32::blocked:abcd::f0 diff:f32::blocked:abcd::f0,,alg:eltwise_tanh alpha:0 beta:0,2x3x4x5,0.1
onednn_verbose,v1,primitive,exec,cpu,matmul,jit,undef,src:u8::blocked:ab::f0 wei:s8:a:blocked:ab::f0 dst:s8::blocked:ab::f0,attr-scales:src0:0:f32+dst:0:f32+wei:2:f32,,8x32:32x16,0.1
onednn_verbose,v1,primitive,exec,cpu,pooling,jit,forward_training,src:f32::blocked:abcd::f0 dst:f32:a:blocked:abcd::f0 ws:u8::blocked:abcd::f0,,alg:pooling_max,mb2ic8_ih8oh4kh2sh2dh0ph0_iw8ow4kw2sw2dw0pw0,0.1
LINES

if [ ${#against[@]} -gt 0 ]; then
    expect 0 '^4 requests, 4 agree$' "${against[@]}" "$work/log"
    expect 0 'matmul .* ok ' "${against[@]}" matmul f32 16x32:32x16
    [ $failures = 0 ] && echo "lode-bench agrees with the peer"
    exit $((failures > 0))
fi

line=$(sed -n 2p "$work/log")
expect 0 '^4 requests, 4 ran$' "$work/log"
expect 0 '^4 requests, 4 ran$' - <"$work/log"
expect 0 '^4 requests, 4 agree$' "$work/log" --against "$(dirname "$bench")/../lib/libdnnl.so.3"
expect 0 '^1 requests, 1 ran$' "$work/log" --only pooling
expect 0 'convolution  *bf16  *1x8x4x4 oc8 k3 p1 ' convolution bf16 mb1_ic8oc8_ih4oh4kh3ph1_iw4ow4kw3pw1
printf '1\teltwise\tforward_inference\tdata:f32::blocked:ab::f0\t\talg:eltwise_relu\t64x64\t%s\tsmall\n' 1000 >"$work/goal"
expect 0 'ok, meets 1000.00' "$work/goal" --against "$(dirname "$bench")/../lib/libdnnl.so.3"
expect 0 '^\| small \| f32 ' --markdown /dev/stdout "$work/goal"
sed -i 's/1000/0.001/' "$work/goal"
expect 1 ', 0 of 1 goals met' "$work/goal" --against "$(dirname "$bench")/../lib/libdnnl.so.3"
sed 's/0.001/1%/; s/64x64/1024x1024/' "$work/goal" >"$work/share"
expect 0 'ran, [0-9]+% of a copy meets 1%' "$work/share"
expect 0 ', 1 of 1 goals met, a copy moves [0-9.]+ GB/s$' "$work/share"
expect 0 '\| 1% \| [0-9]+% \|$' --markdown /dev/stdout "$work/share"
sed -i 's/1%/100000%/' "$work/share"
expect 1 'of a copy MISSES 100000%' "$work/share"
# bench/page puts results into a page, between its marks, and marks goals that are missed.
mkdir "$work/results"
expect 1 '.' --markdown "$work/results/share.md" "$work/share"
expect 1 '.' --markdown "$work/results/small.md" "$work/goal" --against "$(dirname "$bench")/../lib/libdnnl.so.3"
echo '{"instructions": "AVX9 with more", "processor": "a CPU", "cores": 2, "commit": "0123456789", "other": "1"}' >"$work/results/machine.json"
printf 'before\n<!-- written by bench/page -->\nold\n<!-- end of what bench/page writes -->\nafter\n' >"$work/page.md"
"$(dirname "$0")/../../bench/page" "$work/results" "$work/page.md" >"$work/out" 2>&1
grep -qF '| [small](#small) |' "$work/page.md" && grep -qE '^\| small \| f32 \| 1024×1024 .* \*\*[0-9]+%\*\* \|$' "$work/page.md" && grep -qE '^\| small \| f32 \| 64×64 .* \*\*[0-9.]+\*\* \|$' "$work/page.md" &&
    [ "$(sed -n '1p;$p' "$work/page.md" | tr '\n' ' ')" = "before after " ] && ! grep -q old "$work/page.md" ||
    { echo "FAIL: bench/page:"; cat "$work/out" "$work/page.md"; failures=$((failures + 1)); }
expect 0 '^count,' --csv /dev/stdout eltwise f32 4x4
expect 0 '^4 requests' "$work/log" --svg "$work/bars.svg" --html "$work/page.html"
python3 - "$work" <<'CHECK' || { echo "FAIL: the charts are not well-formed"; failures=$((failures + 1)); }
import re, sys, xml.dom.minidom
page = open(sys.argv[1] + "/page.html").read()
charts = re.findall("<svg.*?</svg>", page, re.S) + [open(sys.argv[1] + "/bars.svg").read()]
parsed = [xml.dom.minidom.parseString(chart) for chart in charts]
bars = parsed[-1].getElementsByTagName("rect")
sys.exit(len(charts) != 4 or len(bars) != 4 + 1 or "http" in re.sub('xmlns="[^"]*"', "", page))
CHECK
expect 2 'cannot write' --html /nonexistent/page eltwise f32 4x4
expect 1 'REFUSED' eltwise f32 4x4 --attr attr-post-ops:sum:1:0:f64
expect 2 'no such type: f99' eltwise f99 4x4
expect 2 'no such primitive: nothing' nothing f32 4x4
expect 2 'shape' matmul f32 3x4
expect 2 'usage' --time soon eltwise f32 4x4
expect 0 'skipped: no such type: f99' - <<<"${line/data:f32/data:f99}"
expect 2 'no requests found' /dev/null
expect 2 'cannot read' /nonexistent
expect 2 'usage' --nonsense
expect 0 '^usage: lode-bench' --help
[ "$(wc -l <"$work/out")" -le 24 ] && [ "$(wc -L <"$work/out")" -le 80 ] ||
    { echo "FAIL: the help does not fit a screen"; failures=$((failures + 1)); }
expect 2 'nonexistent' --library /nonexistent/libdnnl.so.3 eltwise f32 4x4
expect 2 'no engine' --engine nothing eltwise f32 4x4
[ $failures = 0 ] && echo "lode-bench is good"
exit $((failures > 0))
