# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle on its own libdnnl and on Lode's, network by network, in one table.

    compare.py COPY WORK [--short] [NAME...]

Run it with the Python that has PaddlePaddle. COPY is a folder with a paddle/ whose libs/libdnnl.so.3 is Lode's; WORK
gets networks, results and logs. Both libraries take turns, one thread each, and the best time counts. Status 1 if a
network fails, differs, or if Lode did not run it.
"""
import json
import math
import os
import signal
import subprocess
import sys

import numpy

from networks import NETWORKS, SHORT

# What one primitive may differ by, relative to its largest result: sums of a few thousand f32 products; one rounding
# to bf16; one step of int8. Errors of independent primitives add up like a random walk.
UNIT = {"f32": 2.0**-18, "bf16": 2.0**-8, "int8": 2.0**-7}
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "networks.py")


def call(log, environment, *arguments):
    """Runs networks.py; a failure is an exception that names the log."""
    with open(log, "w") as file:
        status = subprocess.run([sys.executable, "-W", "ignore", SCRIPT, *arguments], stdout=file,
                                stderr=subprocess.STDOUT, env={**os.environ, **environment}).returncode
    if status:
        raise RuntimeError(f"status {status}, see {log}")


def once(work, name, side, environment):
    """One run on one library: its outputs and what it says of itself."""
    result = os.path.join(work, f"{name}.{side}")
    call(result + ".log", environment, "run", work, result, name)
    with numpy.load(result + ".npz") as arrays, open(result + ".json") as file:
        return [arrays[key] for key in arrays], json.load(file)


def once_on_original(work, name):
    """oneDNN with AMX dies on virtual machines that hide the leaf of cpuid that describes tiles: there it does without."""
    try:
        return once(work, name, "original", {})
    except RuntimeError as error:
        if f"status {-signal.SIGILL}," not in str(error):
            raise
        return once(work, name, "original", {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"})


def largest_difference(ours, theirs):
    """Relative to the largest output; infinite if shapes differ or something is not a number."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if a.shape != b.shape or not numpy.isfinite(a).all():
            return math.inf
        worst = max(worst, float(numpy.abs(a - b).max() / numpy.abs(b).max()))
    return worst


def row(copy, work, name, rounds):
    """The cells of one network and whether it is good."""
    call(os.path.join(work, name + ".export.log"), {}, "export", work, name)
    ours_ms = theirs_ms = math.inf
    for _ in range(rounds):
        theirs, original = once_on_original(work, name)
        ours, lode = once(work, name, "lode", {"PYTHONPATH": copy})
        theirs_ms = min(theirs_ms, original["milliseconds"])
        ours_ms = min(ours_ms, lode["milliseconds"])
    count = len(lode["executed"])
    difference = largest_difference(ours, theirs)
    bound = UNIT[NETWORKS[name][2]] * math.sqrt(max(count, 1))
    words = "works" if difference <= bound else f"DIFFERS (bound {bound:.1e})"
    if count == 0 or not os.path.realpath(lode["library"]).startswith(os.path.realpath(copy)):
        words = "NOT ON LODE"
    return (words, str(count), f"{difference:.1e}", f"{theirs_ms:.2f}", f"{ours_ms:.2f}",
            f"{ours_ms / theirs_ms:.2f}"), words == "works"


def main(copy, work, *arguments):
    short = "--short" in arguments
    names = [name for name in arguments if name != "--short"] or list(NETWORKS)[: SHORT if short else None]
    unknown = [name for name in names if name not in NETWORKS]
    if unknown:
        sys.exit(f"unknown: {' '.join(unknown)}; there are: {' '.join(NETWORKS)}")
    os.makedirs(work, exist_ok=True)
    line = "| {:<17} | {:<7} | {:>10} | {:>10} | {:>11} | {:>9} | {:>5} |".format
    print(line("network", "on Lode", "primitives", "difference", "original ms", "Lode ms", "ratio"))
    print(line("-" * 17, "-" * 7, "-" * 10, "-" * 10, "-" * 11, "-" * 9, "-" * 5), flush=True)
    bad = 0
    for name in names:
        try:
            cells, good = row(copy, work, name, 1 if short else 2)
        except (RuntimeError, ValueError) as error:
            cells, good = ("FAILS", "", "", "", "", ""), False
            print(f"{name}: {error}")
        print(line(name, *cells), flush=True)
        bad += not good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
