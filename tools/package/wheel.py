# SPDX-License-Identifier: Apache-2.0
"""wheel.py PREFIX VERSION TAG FOLDER: packs an installed tree into a Python wheel in FOLDER and prints its path.

The tree goes below the environment's own prefix, like that of oneDNN's wheels: lib/, include/, bin/, share/. Wheels
have no symbolic links: a library keeps the one name that programs load, and libdnnl.so is a linker script that names it.
The time of every file is SOURCE_DATE_EPOCH: the same tree gives the same bytes.
"""
import base64
import hashlib
import os
import re
import sys
import time
import zipfile

NAME = "lode_dnnl"
HERE = os.path.dirname(os.path.abspath(__file__))


def soname(path):
    """The name that programs load: libx.so.3 of libx.so.3.13."""
    return re.sub(r"(\.so\.\d+)[.\d]*$", r"\1", path)


def tree(prefix):
    """(path in the wheel's data, content, executable) of every file of the tree."""
    for folder, folders, files in os.walk(prefix):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(folder, file)
            name = os.path.relpath(path, prefix)
            if os.path.islink(path):
                if name.endswith(".so"):
                    yield name, f"INPUT({soname(os.path.basename(os.readlink(path)))})\n".encode(), False
                continue
            with open(path, "rb") as content:
                data = content.read()
            if name.endswith(".cmake"):
                data = re.sub(rb"(\.so\.\d+)\.[\d.]*\d", rb"\1", data)
            yield soname(name), data, os.access(path, os.X_OK)


def metadata(version, tag):
    yield "METADATA", (f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version}\n"
                       "Summary: Deep-learning primitives with oneDNN's API and ABI\nLicense: Apache-2.0\n"
                       "Requires-Python: >=3.8\n").encode()
    yield "WHEEL", f"Wheel-Version: 1.0\nGenerator: lode\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode()


def entries(prefix, version, tag):
    for file in ("__init__.py", "__main__.py"):
        with open(os.path.join(HERE, "python", file), "rb") as content:
            yield f"{NAME}/{file}", content.read(), False
    for name, data, executable in tree(prefix):
        yield f"{NAME}-{version}.data/data/{name}", data, executable
    for name, data in metadata(version, tag):
        yield f"{NAME}-{version}.dist-info/{name}", data, False


def main(prefix, version, tag, folder):
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), 315532800))[:6]
    path = os.path.join(folder, f"{NAME}-{version}-py3-none-{tag}.whl")
    record = f"{NAME}-{version}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, executable):
            info = zipfile.ZipInfo(name, moment)
            info.external_attr = (0o100755 if executable else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, data)

        for name, data, executable in entries(prefix, version, tag):
            add(name, data, executable)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}")
        add(record, ("\n".join(rows) + f"\n{record},,\n").encode(), False)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
