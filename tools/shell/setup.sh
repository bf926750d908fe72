# SPDX-License-Identifier: Apache-2.0
# Requirements: compilers and libraries from the distribution; runtimes and the reference library as wheels in
# .lode/wheels. Installs what is missing if allowed, else prints the command that would.

LODE_JOBS=${LODE_JOBS:-$(nproc)}
LODE_NO_INSTALL=${LODE_NO_INSTALL:-}
LODE_WHEELS=${LODE_PEER_PREFIX:-$LODE_HOME/wheels}

# One row per requirement: the group, how to check that it is there, the packages that provide it (the first that the
# distribution has is used).
needs='
build    command:cmake                              cmake
build    command:ninja                              ninja-build
build    command:gcc                                gcc
build    command:g++                                g++
build    header:stdio.h                             libc6-dev
build    spirv:clang-23,clang-22,clang-21,clang     clang-22
build    command:pkg-config                         pkg-config,pkgconf
build    command:git                                git
build    header:level_zero/ze_api.h                 libze-dev
build    header:CL/cl.h                             opencl-headers
tests    header:cmocka.h                            libcmocka-dev
tests    command:make                               make
tests    sanitizer:clang-23,clang-22,clang-21,clang libclang-rt-22-dev
tests    command:python3                            python3
tests    command:spirv-val                          spirv-tools
tests    library:libze_loader.so.1                  libze1
tests    command:clang-format-22                    clang-format-22
tests    command:fakeroot                           fakeroot
tests    command:doxygen                            doxygen
tests    command:mpirun                             openmpi-bin
tests    command:mpicc                              libopenmpi-dev
gpus     command:ocloc                              intel-ocloc,intel-opencl-icd
wheels   python:venv,ensurepip                      python3-venv
opencl   library:libOpenCL.so.1                     ocl-icd-libopencl1
opencl   icd:pocl                                   pocl-opencl-icd
'

# The versions that the tests are written for: oneDNN 3.13 and the runtimes released with it.
wheels_runtimes='intel-opencl-rt==2026.2.0 intel-sycl-rt==2026.2.0'
wheels_peer='onednn==2026.1.0 onednn-devel==2026.1.0'

# Not every clang has the SPIR-V target built in.
writes_spirv() {
    command -v "$1" >/dev/null &&
        echo 'kernel void k(global int *x) { *x = 1; }' | "$1" -c --target=spirv64v1.0 -x cl -o /dev/null - 2>/dev/null
}

# Can this clang compile kernels and link sanitizers? Then one compiler sanitizes the whole build.
sanitizes() {
    writes_spirv "$1" && echo 'int main(void) { return 0; }' |
        "$1" -fsanitize=address,undefined -x c -o /dev/null - 2>/dev/null
}

need_met() {
    local kind=${1%%:*} names=${1#*:} name
    for name in ${names//,/ }; do
        case $kind in
        command) command -v "$name" >/dev/null && return 0 ;;
        spirv) writes_spirv "$name" && return 0 ;;
        sanitizer) sanitizes "$name" && return 0 ;;
        header) echo "#include <$name>" | gcc -E -x c - >/dev/null 2>&1 && return 0 ;;
        library) grep -qF "$name" <<<"$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null)" && return 0 ;;
        icd) grep -qsi "$name" /etc/OpenCL/vendors/*.icd && return 0 ;;
        python) command -v python3 >/dev/null && python3 -c "import $names" 2>/dev/null && return 0 ;;
        esac
    done
    return 1
}

# The missing packages of the given groups, one per line, alternatives separated by commas.
needs_missing() {
    local group probe packages wanted=" $* "
    while read -r group probe packages; do
        [ -n "$group" ] && [[ $wanted == *" $group "* ]] || continue
        need_met "$probe" || echo "$packages"
    done <<<"$needs"
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
may_install() {
    [ -z "$LODE_NO_INSTALL" ] && command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}
package_known() { grep -q 'Candidate: [^(]' <<<"$(apt-cache policy "$1" 2>/dev/null)"; }
package_first_known() {
    local name
    for name in ${1//,/ }; do
        if package_known "$name"; then echo "$name"; return; fi
    done
    return 1
}

# Resolves alternatives; fails if none of them is in the machine's package lists.
packages_resolve() {
    local alternatives
    for alternatives in "$@"; do package_first_known "$alternatives" || return 1; done
}

packages_install() {
    local packages
    if ! packages=$(packages_resolve "$@"); then
        as_root apt-get update
        packages=$(packages_resolve "$@") || { echo "no package for one of: $*"; return 1; }
    fi
    # A stale list names files that the mirror no longer has: refresh it once.
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages ||
        { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages; }
}

# need GROUP...: ensures that everything in these groups is installed, or exits and says what to do.
need() {
    local missing
    mapfile -t missing < <(needs_missing "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if may_install; then
        step "Installing ${#missing[@]} missing packages" "packages-$1" packages_install "${missing[@]}" ||
            die "packages could not be installed: see above"
        mapfile -t missing < <(needs_missing "$@")
        [ ${#missing[@]} -gt 0 ] || return 0
    fi
    say "Missing on this machine: ${missing[*]//,/ or }"
    say "Install them with:       apt-get update && apt-get install ${missing[*]/,*/}"
    die "may not install them (not root, no passwordless sudo, no apt-get, or --no-install)"
}

wheels_install() {
    [ -x "$LODE_WHEELS/bin/python" ] || python3 -m venv "$LODE_WHEELS"
    # shellcheck disable=SC2086
    "$LODE_WHEELS/bin/python" -m pip install --disable-pip-version-check --no-cache-dir $1
    echo "$1" >>"$LODE_WHEELS/.ready"
}

# need_wheels "package==version ...": ensures that they are in LODE_WHEELS; else returns 1.
need_wheels() {
    [ -z "${LODE_PEER_PREFIX:-}" ] || return 0
    ! grep -qsxF "$1" "$LODE_WHEELS/.ready" || return 0
    if [ -n "$LODE_NO_INSTALL" ]; then
        say "Not installed (--no-install): $1"
        return 1
    fi
    need wheels
    step "Installing wheels (gigabytes: minutes)" wheels wheels_install "$1"
}

# Makes the runtimes of the wheels visible to programs: an ICD file for OpenCL, a folder with their libraries.
# The reference libdnnl is not in that folder: tests open it by its path.
use_runtimes() {
    [ -e "$LODE_WHEELS/lib/libintelocl.so" ] || return 0
    local icd=$LODE_HOME/icd lib=$LODE_HOME/runtimes file
    if [ "$LODE_WHEELS" != "$(cat "$lib/.from" 2>/dev/null)" ]; then
        rm -rf "$icd" "$lib"
        mkdir -p "$icd" "$lib"
        for file in "$LODE_WHEELS"/lib/*.so*; do
            case $file in */libdnnl.so*) ;; *) ln -s "$file" "$lib/" ;; esac
        done
        echo "$LODE_WHEELS" >"$lib/.from"
    fi
    for file in /etc/OpenCL/vendors/*.icd; do [ ! -e "$file" ] || cp "$file" "$icd/"; done
    echo "$LODE_WHEELS/lib/libintelocl.so" >"$icd/intel-wheel.icd"
    export OCL_ICD_VENDORS=$icd
    export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# CMake options that depend on the installed wheels.
wheel_options() {
    [ ! -e "$LODE_WHEELS/include/sycl/sycl.hpp" ] || echo "-DLODE_SYCL_PREFIX=$LODE_WHEELS"
    [ ! -e "$LODE_WHEELS/lib/libdnnl.so.3" ] || echo "-DLODE_PEER_PREFIX=$LODE_WHEELS"
}

# CMake options of a sanitized build: one clang for everything, including kernels.
sanitizer_options() {
    local name
    for name in clang-23 clang-22 clang-21 clang; do
        sanitizes "$name" || continue
        printf -- '-D%s=%s\n' CMAKE_C_COMPILER "$(command -v "$name")" LODE_CLANG "$(command -v "$name")" \
            CMAKE_CXX_COMPILER "$(command -v "${name/clang/clang++}")"
        return
    done
}

# configure DIR options...: keeps the options of an existing build folder and changes only the given ones. A new folder
# uses Ninja, or the generator in CMAKE_GENERATOR.
configure() {
    local folder=$1 generator=()
    shift
    [ -e "$folder/CMakeCache.txt" ] || generator=(-G "${CMAKE_GENERATOR:-Ninja}")
    cmake -S . -B "$folder" "${generator[@]}" "$@"
}
# compile DIR [target...]
compile() { cmake --build "$1" -j "$LODE_JOBS" ${2:+--target "${@:2}"}; }

setup_build() { need build; }

build_default() {
    local options
    mapfile -t options < <(wheel_options)
    [ -e build/CMakeCache.txt ] || options+=(-DONEDNN_BUILD_TESTS=OFF)
    step "Configuring" configure configure build "${options[@]}" || die "configuration failed"
    step "Building" build compile build || die "the build failed"
}
