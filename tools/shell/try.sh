# SPDX-License-Identifier: Apache-2.0
# ./lode try paddle: PaddlePaddle's networks on its own libdnnl and on Lode's, in one table (docs/paddle.md).
# The environment is .lode/paddle; the wheel in it stays as it is, the copy with Lode's library is beside it.

paddle_wheel='paddlepaddle==3.3.1'
paddle_home=$LODE_HOME/paddle

# Prints what keeps PaddlePaddle's wheel from being here and returns 1; silent if it is here already.
paddle_install() {
    ! grep -qsxF "$paddle_wheel" "$paddle_home/.ready" || return 0
    [ "$(uname -m)" = x86_64 ] || { echo "PaddlePaddle has no oneDNN on $(uname -m)"; return 1; }
    [ -z "$LODE_NO_INSTALL" ] || { echo "$paddle_wheel is not installed (--no-install)"; return 1; }
    need wheels
    python3 -m venv "$paddle_home/env" &&
        "$paddle_home/env/bin/python" -m pip install --disable-pip-version-check --no-cache-dir "$paddle_wheel" ||
        { echo "$paddle_wheel cannot be installed by pip here"; return 1; }
    echo "$paddle_wheel" >"$paddle_home/.ready"
}

# A copy of the package, in which only the one library takes space: the rest are hard links.
paddle_copy() {
    local original
    original=$(echo "$paddle_home"/env/lib/python*/site-packages/paddle)
    rm -rf "$paddle_home/on-lode"
    mkdir -p "$paddle_home/on-lode"
    cp -al "$original" "$paddle_home/on-lode/paddle"
    rm "$paddle_home/on-lode/paddle/libs/libdnnl.so.3"
    cp build/lib/libdnnl.so.3 "$paddle_home/on-lode/paddle/libs/"
}

# paddle_compare [--short] [NAME...]
paddle_compare() {
    "$paddle_home/env/bin/python" -W ignore tools/paddle/compare.py "$paddle_home/on-lode" "$paddle_home/work" "$@"
}

try_paddle() {
    setup_build
    build_default
    step "Installing $paddle_wheel" paddle paddle_install || die "PaddlePaddle's wheel is needed: see above"
    paddle_copy
    say
    say "PaddlePaddle ${paddle_wheel#*==} through paddle.inference with oneDNN, one thread; ratio: Lode's time over the original's"
    say
    paddle_compare "$@"
}

# The short form, for ./lode check: status 77 where there is no wheel; the last line says why.
check_paddle() {
    paddle_install || return 77
    paddle_copy
    paddle_compare --short
}
