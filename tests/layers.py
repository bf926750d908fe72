# SPDX-License-Identifier: Apache-2.0
"""Layers of the library: a file may use its own layer and those below it, nothing else.

Checked twice: #include lines, and symbols (what the objects of a layer leave undefined must be defined at its height
or below). The driver is a library of its own that shares only base/ and native kernels.

usage: layers.py SRC OBJECTS    (the folder src/, and that of the library's object files, or "" to check includes only)
"""
import pathlib
import re
import subprocess
import sys

ORDER = ["base", "kernels", "program", "runtimes", "core", "primitives", "api"]
DRIVER_MAY_USE = ["driver/", "base/", "kernels/native.h", "kernels/fiber.h"]
# Interoperability functions hand the user's native objects to their runtime: the only files above runtimes/ that may
# know one of them.
RUNTIME_FOLDERS = re.compile(r"^runtimes/(level_zero|opencl|sycl|host|null)/")
MAY_KNOW_A_RUNTIME = re.compile(r"^(runtimes/|api/(ze|ocl|sycl|threadpool)_interop\.c$)")


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if match:
            yield number, match.group(1)


def height(name):
    layer = name.split("/")[0]
    return ORDER.index(layer) if layer in ORDER else None


def bad_include(name, included):
    if name.startswith("driver/"):
        own = "/" not in included or included.startswith("oneapi/")
        return not own and not any(included.startswith(p) for p in DRIVER_MAY_USE)
    if height(included) is None:
        return included.startswith("driver/")
    if height(included) > height(name):
        return True
    return bool(RUNTIME_FOLDERS.match(included)) and not MAY_KNOW_A_RUNTIME.match(name)


def check_includes(src):
    failures = []
    for path in sorted(src.rglob("*")):
        name = path.relative_to(src).as_posix()
        if path.suffix not in (".c", ".h", ".cpp", ".cl", ".def") or (height(name) is None and not name.startswith("driver/")):
            continue
        for number, included in includes(path):
            if bad_include(name, included):
                failures.append(f"src/{name}:{number}: includes {included}")
    return failures


def symbols(path):
    """Names that an object defines, and names that it needs."""
    defined, needed = set(), set()
    for line in subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
        fields = line.split()
        (needed if fields[-2] in "Uw" else defined).add(fields[-1])
    return defined, needed - defined


def objects_of(src, objects, layer):
    """Its object files, without those that an older build left behind: their sources are gone."""
    found = sorted((objects / layer).rglob("*.o"))
    return [path for path in found if (src / path.relative_to(objects)).with_suffix("").exists()]


def check_symbols(src, objects):
    layers = {layer: [symbols(p) for p in objects_of(src, objects, layer)] for layer in ORDER}
    homes = {name: layer for layer in ORDER for defined, _ in layers[layer] for name in defined}
    failures = set()
    for layer in ORDER:
        for _, needed in layers[layer]:
            for name in needed:
                if name in homes and ORDER.index(homes[name]) > ORDER.index(layer):
                    failures.add(f"{layer} uses {name}, which {homes[name]} defines")
    if not any(layers.values()):
        failures.add(f"no objects in {objects}")
    return sorted(failures)


def main():
    failures = check_includes(pathlib.Path(sys.argv[1]))
    if len(sys.argv) > 2 and sys.argv[2]:
        failures += check_symbols(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
