#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh FOLDER: the packages in it as their users see them: what they need of the system, the wheel, the archive,
# and the Debian packages, which are installed, upgraded and removed below a folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH
. "$here/consume.sh"

# Status 0 if a file needs symbols of no newer glibc than 2.28.
old_enough() {
    local newest
    newest=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
    [ "$(printf '%s\n' GLIBC_2.28 "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || fail "$1 needs $newest"
}

# check_files PREFIX: every program and library in it.
check_files() {
    local file files=0
    while IFS= read -r file; do
        [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
        files=$((files + 1))
        old_enough "$file"
        ! readelf -dW "$file" | grep -qE '\(NEEDED\).*(libstdc|libgcc)' || fail "$file needs a compiler's library"
        readelf -lW "$file" | grep -q GNU_RELRO || fail "$file is not linked with -z relro"
    done < <(find "$1" -type f)
    [ $files -ge 5 ] || fail "$1 has only $files programs and libraries"
    ! grep -rlF --binary-files=text "$(cd "$here/../.." && pwd)" "$1" || fail "these files name the folder of their sources"
}

echo "-- archive"
mkdir "$work/archive"
tar -C "$work/archive" --strip-components=1 -xf "$packages"/lode-*.tar.gz
check_files "$work/archive"
consume "$work/archive"
"$work/archive/bin/lode-info" >/dev/null || fail "lode-info"

echo "-- wheel"
python3 -m venv "$work/env"
"$work/env/bin/python" -m pip install --disable-pip-version-check --no-index -q "$packages"/*.whl
prefix=$("$work/env/bin/python" -m lode_dnnl prefix)
[ "$(realpath "$prefix")" = "$(realpath "$work/env")" ] || fail "python -m lode_dnnl prints $prefix"
[ -e "$("$work/env/bin/python" -c 'import lode_dnnl; print(lode_dnnl.library())')" ] || fail "no library"
consume "$prefix"
"$work/env/bin/lode-info" >/dev/null || fail "lode-info of the wheel"
"$work/env/bin/python" -m pip uninstall --disable-pip-version-check -q -y lode-dnnl
left=$(find "$work/env" -name '*dnnl*' -o -name 'lode*')
[ -z "$left" ] || fail "left behind by pip uninstall: $left"

command -v dpkg >/dev/null && command -v fakeroot >/dev/null ||
    { echo "the Debian packages were not tried: no dpkg or no fakeroot on this machine"; exit 77; }
echo "-- Debian packages"
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
# Nothing else is installed below the folder, so what they depend on is not there either.
dpkg_here() {
    PATH=$PATH:/sbin:/usr/sbin fakeroot dpkg --root="$root" --force-not-root --force-depends --log=/dev/null "$@" >"$work/dpkg.log" 2>&1 ||
        { cat "$work/dpkg.log"; fail "dpkg $*"; }
}
dpkg_here -i "$packages"/*.deb
check_files "$root/usr"
consume "$root/usr"
LD_LIBRARY_PATH=$(dirname "$(find "$root/usr" -name libdnnl.so.3)") "$root/usr/bin/lode-info" >/dev/null || fail "lode-info"

echo "-- upgrade"
mkdir "$work/next"
for file in "$packages"/*.deb; do
    fakeroot sh -c "dpkg-deb -R '$file' '$work/next/tree' && sed -i -E 's/3\.[0-9]+\.[0-9]+/&+next/' '$work/next/tree/DEBIAN/control' &&
        dpkg-deb -Zgzip -b '$work/next/tree' '$work/next/$(basename "$file")'" >/dev/null || fail "a next version of $file"
    rm -rf "$work/next/tree"
done
dpkg_here -i "$work"/next/*.deb
[ "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Version}\n' | grep -c '+next$')" = 4 ] || fail "not upgraded"

echo "-- removal"
dpkg_here -P lode-tools lode-driver liblode-dev liblode3
left=$(find "$root" -path "$root/var" -prune -o ! -type d -print)
[ -z "$left" ] || fail "left behind: $left"
echo "packages are good"
