# SPDX-License-Identifier: Apache-2.0
"""python -m lode_dnnl prints the paths; python -m lode_dnnl NAME prints one of them."""
import sys

from lode_dnnl import paths

print(paths()[sys.argv[1]] if len(sys.argv) > 1 else "\n".join(f"{name}={path}" for name, path in paths().items()))
