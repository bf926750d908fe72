#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Lode's public C headers with those of a oneDNN installation.

Clang reads both sets of headers. Their declarations become a table from names to facts: the value of each
enumerator, the expansion of each macro, the size and fields of each struct, the type, linkage and visibility
of each function. Every difference that DELIBERATE does not explain is an error. Header by header, so that
including one gives the same names with both libraries; then all together, in C, in C++, for a shared library.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77

OWN_MACROS = r"DNNL|ONEDNN|ONEAPI|BUILD_"

# Headers of oneDNN that Lode does not have.
ABSENT = [
    (r"oneapi/dnnl/dnnl_graph.*\.h", "the graph API is not part of Lode"),
    (r"oneapi/dnnl/dnnl_ukernel.*\.h", "an experimental API of oneDNN's own code generator"),
]

# Facts that differ on purpose: a pattern for the fact's name, and why.
DELIBERATE = [
    (r"macro DNNL_CPU_(THREADING_)?RUNTIME", "our own thread pool, which behaves like OpenMP"),
    (r"macro DNNL_GPU_(RUNTIME|VENDOR)", "the build chooses the runtime of plain GPU engines"),
    (r"macro DNNL_EXPERIMENTAL_PROFILING", "always present; oneDNN's headers are read with it defined"),
    (r"macro DNNL_WITH_SYCL", "follows DNNL_GPU_RUNTIME"),
    (r"macro ONEDNN_BUILD_GRAPH", "the graph API is not part of Lode"),
    (r"macro DNNL_VERSION_PATCH", "a patch release of oneDNN, with no interface change"),
    (r"macro DNNL_VERSION_HASH", "the commit of each project's own sources"),
    (r"function dnnl_ze_interop_memory_[gs]et_mem_object", "for Level Zero what OpenCL has in oneDNN"),
    (r"function dnnl_ocl_interop_stream_create_recording|struct _cl_command_buffer_khr",
     "recording for OpenCL, as for Level Zero and SYCL"),
    (r"function dnnl_ze_interop_stream_update", "updates of mutable command lists, which oneDNN does not support"),
]

# Experimental in oneDNN, always present in Lode: compared, too.
PEER_DEFINES = ["-DDNNL_EXPERIMENTAL_PROFILING="]

LANGUAGES = {
    "C17": ["-x", "c", "-std=c17"],
    "C17, importing": ["-x", "c", "-std=c17", "-DDNNL_DLL"],
    "C17, exporting": ["-x", "c", "-std=c17", "-DDNNL_DLL", "-DDNNL_DLL_EXPORTS"],
    "C++11": ["-x", "c++", "-std=c++11"],
}


class DoesNotCompile(Exception):
    """str() is the compiler's first error."""

    def lacks_package(self):
        """Whether a header of Level Zero or OpenCL is not installed."""
        return re.search(r"'(level_zero|CL)/.*' file not found", str(self)) is not None


class Headers:
    """One set of public headers, as clang sees it."""

    def __init__(self, clang, dirs, defines):
        self.clang = clang
        self.dirs = dirs
        self.flags = [f"-I{d}" for d in dirs] + defines + ["-DCL_TARGET_OPENCL_VERSION=300"]

    def names(self):
        """Paths of the headers, relative to the folder they are included from."""
        found = set()
        for top in self.dirs:
            for sub in ("", "oneapi/dnnl"):
                folder = os.path.join(top, sub)
                files = os.listdir(folder) if os.path.isdir(folder) else []
                found |= {os.path.join(sub, f) for f in files if re.fullmatch(r"dnnl\w*\.h", f)}
        return found

    def run(self, language, mode, source):
        command = [self.clang, "-w", *LANGUAGES[language], *self.flags, *mode, "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        if done.returncode != 0:
            raise DoesNotCompile(next(line for line in done.stderr.splitlines() if "error:" in line))
        return done.stdout

    def tree(self, language, source):
        """The declarations of the source. It is preprocessed first, since comments would be most of the tree."""
        plain = self.run(language, ["-E"], source)
        return json.loads(self.run(language, ["-fsyntax-only", "-Xclang", "-ast-dump=json"], plain))

    def facts(self, language, names):
        source = "".join(f"#include <{name}>\n" for name in names)
        return self.declarations(language, source) | self.macros(language, source)

    def declarations(self, language, source):
        tree = self.tree(language, source)
        facts = field_facts(tree)
        facts.update(fact for decl in top_level(tree) for fact in FACTS.get(decl["kind"], nothing)(decl))
        probes = {f"probe{i}": probe for i, probe in enumerate(probes_of(tree))}
        if not probes:
            return facts
        rows = [f"{name} = (int)({expression})" for name, (_, expression) in probes.items()]
        source += "#include <stddef.h>\nenum { " + ", ".join(rows) + " };\n"
        values = dict(fact for decl in top_level(self.tree(language, source)) if decl["kind"] == "EnumDecl"
                      for fact in enum_facts(decl))
        return facts | {what: values[f"enumerator {name}"] for name, (what, _) in probes.items()}

    def macros(self, language, source):
        """Macros of the API with their expansion, macros of other headers with their definition."""
        defined = set(self.run(language, ["-E", "-dM"], source).splitlines())
        defined -= set(self.run(language, ["-E", "-dM"], "").splitlines())
        facts, uses = {}, []
        for line in sorted(defined):
            name, parameters, text = re.match(r"#define (\w+)(\([^)]*\))?(.*)", line).groups()
            if re.match(OWN_MACROS, name):
                uses += [(f"macro {name}", name + sample) for sample in samples(parameters)]
            else:
                facts[f"foreign macro {name}"] = [parameters, text]
        source += "".join(f"<<<{i}>>> {use}\n" for i, (_, use) in enumerate(uses))
        expanded = self.run(language, ["-E", "-P"], source)
        for i, text in re.findall(r"^<<<(\d+)>>>(.*)$", expanded, flags=re.M):
            facts.setdefault(uses[int(i)][0], []).append(" ".join(re.findall(r"\w+|[^\w\s]", text)))
        return facts


def samples(parameters):
    """Arguments to expand a macro with: none for an object-like one, else some that reveal missing parentheses."""
    if parameters is None:
        return [""]
    count = len([p for p in parameters.strip("()").split(",") if p.strip()])
    return ["(" + ", ".join([argument] * count) + ")" for argument in ("0", "7", "x + y")]


def top_level(tree):
    for decl in tree.get("inner", []):
        if decl["kind"] == "LinkageSpecDecl":
            yield from top_level(decl)
        else:
            yield decl


def spelled(decl):
    """The type of a declaration, without the paths that clang prints for unnamed types."""
    return re.sub(r"\((?:unnamed|anonymous)[^)]* at [^)]*\)", "(unnamed)", decl["type"]["qualType"])


def attributes(decl):
    inner = decl.get("inner", [])
    return sorted(i["kind"] + i.get("visibility", "") for i in inner if i["kind"].endswith("Attr"))


def nothing(_):
    return []


def function_facts(decl):
    if decl.get("isImplicit"):
        return
    parameters = [spelled(p) for p in decl.get("inner", []) if p["kind"] == "ParmVarDecl"]
    # const on a parameter itself is not part of the function's type
    parameters = [p if "*" in p else re.sub(r"^const ", "", p) for p in parameters]
    result = spelled(decl).split("(")[0].strip()
    linkage = [decl.get("storageClass", "extern"), decl["mangledName"], attributes(decl)]
    yield f"function {decl['name']}", [result, parameters, decl.get("variadic", False), linkage]


def enum_facts(decl):
    value = -1
    for constant in decl.get("inner", []):
        if constant["kind"] != "EnumConstantDecl":
            continue
        value = int(next(constant_values(constant), value + 1))
        yield f"enumerator {constant['name']}", value


def constant_values(node):
    """The value of the constant expression below `node`, if there is one."""
    for inner in node.get("inner", []):
        if inner["kind"] == "ConstantExpr":
            yield inner["value"]
        else:
            yield from constant_values(inner)


def fields(record):
    return [(f.get("name"), spelled(f)) for f in record.get("inner", []) if f["kind"] == "FieldDecl"]


def record_facts(decl):
    if decl.get("name"):
        yield f"{decl['tagUsed']} {decl['name']}", fields(decl)


def typedef_facts(decl):
    if not decl.get("isImplicit"):
        yield f"type {decl['name']}", spelled(decl)


def variable_facts(decl):
    def literals(node):
        yield from ([node["kind"], node[key]] for key in ("value", "opcode") if key in node)
        for inner in node.get("inner", []):
            yield from literals(inner)

    yield f"variable {decl['name']}", [spelled(decl), decl.get("storageClass"), list(literals(decl))]


FACTS = {
    "FunctionDecl": function_facts,
    "EnumDecl": enum_facts,
    "RecordDecl": record_facts,
    "CXXRecordDecl": record_facts,
    "TypedefDecl": typedef_facts,
    "VarDecl": variable_facts,
}


def owned_types(tree):
    """The API's typedefs: name, kind of type, record or None."""
    records = {}
    for decl in top_level(tree):
        if decl["kind"] in ("RecordDecl", "CXXRecordDecl") and decl.get("completeDefinition"):
            records[decl["id"]] = decl
        elif decl["kind"] == "TypedefDecl" and "dnnl" in decl["name"]:
            named = decl["inner"][0]
            yield decl["name"], named["kind"], records.get(named.get("decl", {}).get("id"))


def field_facts(tree):
    return {f"fields of {name}": fields(record) for name, _, record in owned_types(tree) if record}


def probes_of(tree):
    """Constant expressions for the compiler to evaluate, about the types of the API: name, expression."""
    for name, kind, record in owned_types(tree):
        yield f"size of {name}", f"sizeof({name})"
        if kind == "EnumType":
            yield f"signedness of {name}", f"({name})-1 < ({name})0"
        for field, _ in fields(record) if record else []:
            yield f"offset of {name}.{field}", f"offsetof({name}, {field})"


def explanation(table, name):
    return next((why for pattern, why in table if re.fullmatch(pattern, name)), None)


class Report:
    def __init__(self):
        self.facts = 0
        self.errors = {}
        self.explained = {}
        self.skipped = []

    def difference(self, where, what, ours, peers):
        why = explanation(DELIBERATE, what)
        if why:
            self.explained[what] = why
        else:
            self.errors.setdefault((what, str(ours), str(peers)), []).append(where)

    def compare(self, where, ours, peers):
        self.facts += len(ours)
        missing = "(absent)"
        for what in sorted(ours.keys() | peers.keys()):
            if ours.get(what, missing) != peers.get(what, missing):
                self.difference(where, what, ours.get(what, missing), peers.get(what, missing))

    def close(self):
        for what, why in sorted(self.explained.items()):
            print(f"deliberate: {what}: {why}")
        for where, error in self.skipped:
            print(f"skipped: {where}: {error}")
        for (what, ours, peers), where in self.errors.items():
            print(f"DIFFERS: {what}\n    here:   {ours}\n    oneDNN: {peers}\n    in {', '.join(where)}")
        print(f"{self.facts} facts compared, {len(self.explained)} deliberate differences, "
              f"{len(self.skipped)} headers skipped, {len(self.errors)} unexplained differences")
        return 1 if self.errors else 0


def try_facts(headers, language, names):
    try:
        return headers.facts(language, names), None
    except DoesNotCompile as error:
        return {}, error


def compare_one(report, ours, peer, language, where, names):
    """True if the headers of both sides compile."""
    mine, my_error = try_facts(ours, language, names)
    theirs, their_error = try_facts(peer, language, names)
    if my_error and my_error.lacks_package() and their_error:
        report.skipped.append((where, my_error))
    elif my_error or their_error:
        report.difference(where, "compiles", my_error or "yes", their_error or "yes")
    else:
        report.compare(where, mine, theirs)
    return not (my_error or their_error)


def shared_names(report, ours, peer):
    """The headers that both have; every other one must be explained."""
    mine, theirs = ours.names(), peer.names()
    for name in sorted(theirs - mine):
        why = explanation(ABSENT, name)
        if why:
            report.explained[f"no {name}"] = why
        else:
            report.difference("include", f"header {name}", "(absent)", "present")
    for name in sorted(mine - theirs):
        report.difference("include", f"header {name}", "present", "(absent)")
    return sorted(mine & theirs)


def only_dnnl(prefix, folder):
    """Links the peer's own headers into `folder`: a prefix may hold other headers that hide the system's."""
    include = os.path.join(prefix, "include")
    for name in os.listdir(include):
        if name == "oneapi" or re.fullmatch(r"dnnl\w*\.h", name):
            os.symlink(os.path.join(include, name), os.path.join(folder, name))
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", default="", help="prefix of an installed oneDNN, with include/oneapi/dnnl")
    parser.add_argument("--include", action="append", required=True, help="a folder of Lode's headers")
    parser.add_argument("--clang", default="clang")
    options = parser.parse_args()
    if not options.peer:
        print("SKIP: no oneDNN to compare with; set LODE_PEER_PREFIX to the prefix of one")
        return SKIPPED

    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        ours = Headers(options.clang, [os.path.abspath(d) for d in options.include], [])
        peer = Headers(options.clang, [only_dnnl(os.path.abspath(options.peer), folder)], PEER_DEFINES)
        names = shared_names(report, ours, peer)
        usable = [name for name in names if compare_one(report, ours, peer, "C17", name, [name])]
        for language in LANGUAGES:
            compare_one(report, ours, peer, language, f"all headers, {language}", usable)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
