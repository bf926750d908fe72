# SPDX-License-Identifier: Apache-2.0
# ./lode install and ./lode package. Packages are built apart, in build-package: by zig, against glibc 2.28, with the
# kernels of build/. What is made is in build-package/packages.

package_zig='ziglang==0.17.0'
package_home=$LODE_HOME/package

install_tree() {
    [ -n "${1:-}" ] || die "install where? --prefix DIR"
    # A relative folder is relative to where the user was before ./lode changed to the checkout.
    [[ $1 == /* ]] || set -- "$OLDPWD/$1"
    setup_build
    build_default
    step "Installing into $1" install cmake --install build --prefix "$1" || die "installation failed"
}

# Prints what keeps zig from being here and returns 1; silent if it is here already.
package_install() {
    ! grep -qsxF "$package_zig" "$package_home/.ready" || return 0
    [ -z "$LODE_NO_INSTALL" ] || { echo "$package_zig is not installed (--no-install)"; return 1; }
    need wheels
    python3 -m venv "$package_home/env" &&
        "$package_home/env/bin/python" -m pip install --disable-pip-version-check --no-cache-dir "$package_zig" ||
        { echo "$package_zig cannot be installed by pip here"; return 1; }
    echo "$package_zig" >"$package_home/.ready"
}

# The headers that are not ours and not glibc's, in a folder without any others.
package_headers() {
    local header folder
    mkdir -p "$package_home/include"
    for header in CL/cl.h level_zero/ze_api.h; do
        folder=$(echo "#include <$header>" | gcc -E -x c - | sed -nE "s|^# [0-9]+ \"(.*)/${header#*/}\".*|\1|p" | head -n 1)
        [ -n "$folder" ] || { echo "no header $header"; return 1; }
        ln -sfn "$folder" "$package_home/include/${header%/*}"
    done
}

# package_configure FOLDER LIBDIR
package_configure() {
    configure "$1" -DCMAKE_TOOLCHAIN_FILE="$LODE_ROOT/cmake/zig.cmake" -DCMAKE_INSTALL_PREFIX=/usr \
        -DCMAKE_INSTALL_LIBDIR="$2" -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DONEDNN_BUILD_TESTS=OFF -DONEDNN_BUILD_EXAMPLES=OFF \
        -DLODE_KERNELS_FROM="$LODE_ROOT/build" -DLODE_FOREIGN="$package_home/include" \
        -DLODE_ZIG="$(echo "$package_home"/env/lib/python*/site-packages/ziglang/zig)"
}

# package_make FOLDER: compiles, then packs for Debian, whose libraries have a folder per architecture, then an archive
# and the wheel, whose libraries are in lib/. A subshell: what it exports ends with it.
package_make() (
    local folder=$1 out=$LODE_ROOT/$1/packages version machine
    machine=$(uname -m)
    export ZIG_GLOBAL_CACHE_DIR=$package_home/cache ZIG_LOCAL_CACHE_DIR=$package_home/cache
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
    rm -rf "$out" "$folder/stage"
    mkdir -p "$out"
    package_headers && package_configure "$folder" "lib/$machine-linux-gnu" && compile "$folder" || return 1
    (cd "$folder" && cpack -G DEB -B "$out") || return 1
    package_configure "$folder" lib && compile "$folder" || return 1
    DESTDIR=$LODE_ROOT/$folder/stage cmake --install "$folder" --strip >/dev/null || return 1
    version=$(sed -nE 's/^project\(dnnl VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
    tar -C "$folder/stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --transform "s,^usr,lode-$version," -cf - usr | gzip -9n >"$out/lode-$version-linux-$machine.tar.gz" || return 1
    python3 tools/package/wheel.py "$folder/stage/usr" "$version" "manylinux_2_28_$machine" "$out" || return 1
    rm -rf "$out/_CPack_Packages"
)

# package TWICE: with true, builds everything twice, in different folders, and compares the bytes.
package() {
    local twice=$1
    setup_build
    build_default
    step "Installing $package_zig" zig package_install || die "zig is needed: see above"
    step "Making packages" package package_make build-package || die "packages could not be made"
    ls -l build-package/packages
    [ "$twice" = true ] || return 0
    step "Making them again" package-again package_make build-package-again || die "packages could not be made again"
    diff -r build-package/packages build-package-again/packages || die "two builds differ"
    say "Two builds gave the same bytes."
}

# For ./lode check: status 77 where there is no zig; the last line says why.
check_packages() {
    package_install || return 77
    package_make build-package && tests/install/packages.sh build-package/packages
}
