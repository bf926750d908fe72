#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# size.sh LIBRARY [LIMIT]: bytes of a stripped library; status 1 if it has LIMIT bytes or more.
set -eu
library=$1 limit=${2:-}
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
cp -L "$library" "$copy"
strip --strip-unneeded "$copy"
size=$(stat -c %s "$copy")
echo "$library: $size bytes stripped${limit:+, budget $limit}"
[ -z "$limit" ] || [ "$size" -lt "$limit" ]
