#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the strings of every dnnl_*2str function with those of an installed oneDNN, value by value."""

import argparse
import ctypes
import glob
import os
import re
import sys

SKIPPED = 77

# All enum values are below the first bound; the others are values that no enum has.
VALUES = [*range(0x31000), 0x12345678, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def functions(header):
    with open(header, encoding="utf-8") as file:
        return re.findall(r"\b(dnnl_\w+2str)\(", file.read())


def load(library, names):
    handle = ctypes.CDLL(library)
    table = {name: getattr(handle, name) for name in names}
    for function in table.values():
        function.restype = ctypes.c_char_p
        function.argtypes = [ctypes.c_uint]
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="Lode's shared library")
    parser.add_argument("--header", required=True, help="Lode's dnnl_debug.h")
    parser.add_argument("--peer", default="", help="prefix of an installed oneDNN, with lib/libdnnl.so.3")
    options = parser.parse_args()
    found = glob.glob(os.path.join(options.peer, "lib*", "libdnnl.so.3")) if options.peer else []
    if not found:
        print("SKIP: no oneDNN to compare with; set LODE_PEER_PREFIX to the prefix of one")
        return SKIPPED

    names = functions(options.header)
    ours, peers = load(options.library, names), load(found[0], names)
    errors = 0
    for name in names:
        for value in VALUES:
            mine, theirs = ours[name](value), peers[name](value)
            if mine != theirs:
                errors += 1
                print(f"{name}({value:#x}): here {mine}, oneDNN {theirs}")
    print(f"{len(names)} functions, {len(VALUES)} values each, {errors} differences")
    return 1 if errors or not names else 0


if __name__ == "__main__":
    sys.exit(main())
