#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks libdnnl.so.3: it exports every function of the headers, nothing else, and no versions. Also its soname."""

import argparse
import os
import re
import subprocess
import sys

SONAME = "libdnnl.so.3"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(path):
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"^DNNL_API [\w\s*]+?\b(dnnl_\w+)\(", file.read(), flags=re.M))


def headers(include):
    folder = os.path.join(include, "oneapi", "dnnl")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".h")]


def exported(library):
    """Names of the dynamic symbols that the library defines, with nm's letter for their kind."""
    lines = output("nm", "-D", "--defined-only", "--format=posix", library).splitlines()
    return {line.split()[0]: line.split()[1] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="path of the shared library")
    parser.add_argument("--include", required=True, help="folder of the public headers")
    parser.add_argument("--header", action="append", default=[], help="another header, of exported functions")
    options = parser.parse_args()

    expected = set().union(*(declared(path) for path in headers(options.include) + options.header))
    symbols = exported(options.library)
    soname = re.search(r"\(SONAME\).*\[(.*)\]", output("readelf", "-dW", options.library))

    errors = [f"declared but not exported: {name}" for name in sorted(expected - symbols.keys())]
    errors += [f"exported but not declared: {name}" for name in sorted(symbols.keys() - expected)]
    errors += [f"not a function: {name}" for name, kind in sorted(symbols.items()) if kind not in "TWi"]
    if not soname or soname[1] != SONAME:
        errors.append(f"soname is {soname[1] if soname else 'absent'}, not {SONAME}")
    for error in errors:
        print(error)
    print(f"{len(expected)} functions declared, {len(symbols)} symbols exported, {len(errors)} errors")
    return 1 if errors or not expected else 0


if __name__ == "__main__":
    sys.exit(main())
