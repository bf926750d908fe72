# SPDX-License-Identifier: Apache-2.0
"""Where the files of this package are: Lode's libraries, headers, tools and CMake files."""
import os
from importlib import metadata


def prefix():
    """The folder above lib/ and include/: for CMAKE_PREFIX_PATH."""
    return os.path.dirname(os.path.dirname(library()))


def library():
    """The path of libdnnl.so.3."""
    for file in metadata.files("lode-dnnl"):
        if file.name == "libdnnl.so.3":
            return str(file.locate().resolve())
    raise FileNotFoundError("libdnnl.so.3 is not in this installation")


def paths():
    """Every path by its name."""
    top = prefix()
    return {"prefix": top, "library": library(), "include": os.path.join(top, "include"),
            "cmake": os.path.join(top, "lib", "cmake", "dnnl"), "pkgconfig": os.path.join(top, "lib", "pkgconfig")}
