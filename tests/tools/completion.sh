#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# completion.sh SOURCES BIN: sources the completions as a shell does, and completes lines with them. Also the help of
# ./lode, which lists what is completed.
set -u
sources=$1
PATH=$2:$PATH
. "$sources/tools/completion/lode-tools"
. "$sources/tools/completion/lode"
failures=0

# replies LINE: what the completion of a line's last word offers, on one line.
replies() {
    COMP_LINE=$1
    COMP_POINT=${#COMP_LINE}
    read -r -a COMP_WORDS <<<"$COMP_LINE"
    [[ $COMP_LINE != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    "$(complete -p "${COMP_WORDS[0]}" | sed -E 's/.*-F ([^ ]+) .*/\1/')" "${COMP_WORDS[0]}"
    echo "${COMPREPLY[*]}"
}

# expect LINE REPLIES...: exactly these.
expect() {
    local got line=$1
    got=$(replies "$line")
    shift
    [ "$got" = "$*" ] || { echo "FAIL: '$line' gives '$got', expected '$*'"; failures=$((failures + 1)); }
}

# has LINE WORD...: at least these.
has() {
    local got line=$1 word
    got=" $(replies "$line") "
    shift
    for word in "$@"; do
        [[ $got == *" $word "* ]] || { echo "FAIL: '$line' does not offer $word: $got"; failures=$((failures + 1)); }
    done
}

cd "$sources" || exit 1
expect "lode-bench conv" convolution
expect "lode-bench --alg eltwise_hards" eltwise_hardsigmoid eltwise_hardswish
expect "lode-bench --direction backward_" backward_data backward_weights
expect "lode-bench matmul bf" bf16
expect "lode-info --js" --json
expect "lode-info --request soft" softmax
expect "lode-info --engine cp" cpu:0
expect "lode-info --engine cpu:" 0
expect "./lode che" check
expect "./lode try " paddle
expect "./lode demo --a" --all
has "./lode " demo check build info try install package bench clean help
has "lode-info --" --json --engines --env --engine --request --help

# Nothing that the tools know is missing: options of their help, names of their tables.
for tool in lode-bench lode-info; do
    mapfile -t words < <($tool --help | grep -oE '^  --[a-z-]+' | tr -d ' ')
    has "$tool --" "${words[@]}"
done
names() { sed -n "/^const struct name $1\\[/,/^};/p" tools/bench/names.c | grep -oE 'NAME\([a-z0-9_]+' | cut -c6-; }
mapfile -t words < <(names kind_names)
has "lode-bench " "${words[@]}"
mapfile -t words < <(names alg_names | grep -vE '^(vanilla|lbr)_')
has "lode-bench --alg " "${words[@]}"
[ "$(./lode help | wc -l)" -le 24 ] && [ "$(./lode help | wc -L)" -le 80 ] ||
    { echo "FAIL: ./lode help does not fit a screen"; failures=$((failures + 1)); }
[ $failures = 0 ] && echo "completions are good"
exit $((failures > 0))
