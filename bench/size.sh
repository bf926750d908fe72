#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# size.sh LIBRARY [LIMIT]: bytes of a library without its symbols; status 1 if that is LIMIT or more.
set -eu
library=$1 limit=${2:-}
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
cp -L "$library" "$copy"
strip --strip-unneeded "$copy"
size=$(stat -c %s "$copy")
echo "$library: $size bytes stripped${limit:+, budget $limit}"
[ -z "$limit" ] || [ "$size" -lt "$limit" ]
