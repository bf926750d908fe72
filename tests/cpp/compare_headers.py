#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Lode's C++ headers with those of a oneDNN installation, using clang's syntax tree.

Lode's headers must have every public name of the reference: classes with their public bases,
constructors (explicit or not), methods, conversions and data members, enumerators with their values, aliases,
functions, templates, macros. A function must be callable with each number of arguments that the reference
allows, with exactly the same parameter types and the same default values. Where Lode declares something does
not matter: in the class itself, in a base, or inherited with `using`. Differences that DELIBERATE does not explain
are errors, and so are rows of DELIBERATE that no longer explain anything.

Types are compared as the linker sees them, by mangled names, so that no alias or spelling matters.
"""

import argparse
import ctypes
import functools
import json
import os
import re
import subprocess
import sys

SKIPPED = 77

# Headers to read, and the system header that each needs.
HEADERS = {
    "dnnl_common.hpp": None,
    "dnnl.hpp": None,
    "dnnl_threadpool_iface.hpp": None,
    "dnnl_threadpool.hpp": None,
    "dnnl_ze.hpp": "level_zero/ze_api.h",
    "dnnl_ocl.hpp": "CL/cl.h",
    "dnnl_sycl.hpp": "sycl/sycl.hpp",
}

# Facts of the reference that Lode declares differently: a pattern, and why programs cannot tell.
DELIBERATE = [
    (r"function dnnl::set_jit_profiling_jitdumpdir\(std::.*basic_string.*",
     "takes const char * and, by a template, anything with c_str(): the header does without <string>"),
    (r"function dnnl::get_profiling_data\(dnnl::stream&, dnnl::profiling_data_kind\)",
     "a template whose parameter has a default: called the same way, compiled only when it is"),
]

# Experimental in oneDNN, always present in Lode: compared, too.
PEER_DEFINES = ["-DDNNL_EXPERIMENTAL_PROFILING="]
DEFINES = ["-DCL_TARGET_OPENCL_VERSION=300", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING"]

cxxabi = ctypes.CDLL("libstdc++.so.6")
cxxabi.__cxa_demangle.restype = ctypes.c_void_p
cxxabi.__cxa_demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
libc = ctypes.CDLL(None)
libc.free.argtypes = [ctypes.c_void_p]


@functools.lru_cache(maxsize=None)
def demangle(name):
    status = ctypes.c_int()
    text = cxxabi.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return None
    result = ctypes.string_at(text).decode()
    libc.free(text)
    return result


def split_signature(text):
    """'a::b<c(d)>::f(int, e<g, h>) const' -> ('a::b<c(d)>::f', ('int', 'e<g, h>'))."""
    text = text.removesuffix(" const")
    depth, start = 0, len(text) - 1
    for start in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[start], 0)
        if depth == 0:
            break
    params, depth, current = [], 0, ""
    for c in text[start + 1:-1]:
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            params.append(current.strip())
            current = ""
        else:
            current += c
    if current.strip():
        params.append(current.strip())
    return text[:start], tuple(params)


def nodes(node, kind):
    return [n for n in node.get("inner", []) if n.get("kind") == kind]


def summary(node):
    """A default argument as one word: its literal, or the name it refers to."""
    kind = node.get("kind", "")
    if kind in ("FloatingLiteral", "IntegerLiteral", "CXXBoolLiteralExpr"):
        return str(node["value"]).lower().removesuffix(".0")
    if kind == "DeclRefExpr":
        return node["referencedDecl"]["name"]
    if kind in ("CXXTemporaryObjectExpr", "CXXConstructExpr", "CXXBindTemporaryExpr", "InitListExpr"):
        return node["type"]["qualType"].split("::")[-1]
    for inner in node.get("inner", []):
        word = summary(inner)
        if word:
            return word
    return ""


class Function:
    """One overload. `required` is the number of mandatory arguments, `defaults` the words for the others."""

    def __init__(self, node, defaults_at):
        self.node = node
        self.name = node["name"]
        self.mangled = node.get("mangledName", "")
        params = nodes(node, "ParmVarDecl")
        self.path, self.params = split_signature(demangle(self.mangled) or f"{self.name}()")
        if len(self.params) != len(params):  # extern "C" and dependent functions have no types in their names
            self.params = tuple(p["type"]["qualType"] for p in params)
        optional = [p for p in params if "init" in p or place(p) in defaults_at]
        self.required = len(params) - len(optional)
        self.defaults = [defaults_at.get(place(p), "") for p in optional]
        self.result = simple_type(re.split(r" ?\(", node["type"]["qualType"])[0])
        self.const = node["type"]["qualType"].endswith(" const")
        self.static = node.get("storageClass") == "static"
        self.explicit = begins_with_explicit(node)

    def takes(self, params, const):
        """Can it be called with exactly these arguments, on a const object if asked?"""
        return self.required <= len(params) <= len(self.params) and self.params[:len(params)] == params \
            and (self.const or self.static or not const)

    def default(self, index):
        return self.defaults[index - self.required]


def begins_with_explicit(node):
    """The tree does not say it, but shows where a declaration begins and how long its first word is."""
    begin = node["range"]["begin"]
    return begin.get("offset") != node["loc"].get("offset") and begin.get("tokLen") == len("explicit")


def place(node):
    """Where a declaration is written: the same for a template and what is instantiated from it."""
    return node.get("name"), node["loc"].get("offset"), node["loc"].get("col")


class Class:
    def __init__(self, node, path):
        self.node, self.path = node, path
        self.bases = []      # [Class], public ones
        self.functions = []  # public methods, constructors among them
        self.inherited = []  # functions added by `using`
        self.uses = set()    # names that `using` adds to those declared here
        self.members = {}    # public fields, aliases and enumerators: name -> word

    def own_constructors(self):
        return [f for f in self.functions if f.node["kind"] == "CXXConstructorDecl"]

    def constructors(self):
        return self.own_constructors() + self.inherited

    def lookup(self, name):
        """The functions that a call of `name` on this class considers."""
        found = [f for f in self.functions if f.name == name]
        if found and name not in self.uses:
            return found
        return found + [f for b in self.bases for f in b.lookup(name)]

    def member(self, name):
        return self.members.get(name) or next(filter(None, (b.member(name) for b in self.bases)), None)

    def derives_from(self, path):
        return self.path == path or any(b.derives_from(path) for b in self.bases)


class Headers:
    """What one set of headers declares in namespace dnnl."""

    def __init__(self, clang, dirs, defines, headers):
        self.command = [clang, "-w", "-x", "c++", "-std=c++17", *DEFINES, *defines, *(f"-I{d}" for d in dirs)]
        self.source = "".join(f'#include "oneapi/dnnl/{h}"\n' for h in headers)
        self.classes = {}    # path -> Class
        self.by_id = {}      # id of a function's node -> Function
        self.records = {}    # id of a class's node -> Class
        self.enums = {}      # path -> {name: value}
        self.functions = {}  # path -> [Function] at namespace scope
        self.templates = {}  # path -> what the templates look like
        self.aliases = {}    # path -> type
        self.defaults_at = {}
        self.read()
        self.macros = self.read_macros()

    def run(self, *options, source=None):
        done = subprocess.run([*self.command, *options, "-"], input=source or self.source, capture_output=True,
                              text=True)
        if done.returncode:
            sys.exit("the headers do not compile:\n" + done.stderr[:2000])
        return done.stdout

    def read(self):
        text = self.run("-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=dnnl")
        decoder, position, tops = json.JSONDecoder(), 0, []
        while position < len(text):
            top, position = decoder.raw_decode(text, position)
            if top["kind"] == "NamespaceDecl" and top.get("name") == "dnnl":
                tops.append(top)
            while position < len(text) and text[position].isspace():
                position += 1
        for top in tops:
            self.find_defaults(top)
        for top in tops:
            self.namespace(top, "dnnl")
        for cls in list(self.classes.values()):
            self.resolve(cls)

    def find_defaults(self, node):
        if node.get("kind") == "ParmVarDecl" and "init" in node:
            self.defaults_at[place(node)] = summary(node) or self.defaults_at.get(place(node), "")
        for inner in node.get("inner", []):
            self.find_defaults(inner)

    def namespace(self, node, path):
        for n in node.get("inner", []):
            name = f"{path}::{n.get('name')}"
            if n["kind"] == "NamespaceDecl":
                self.namespace(n, name)
            elif n["kind"] == "FunctionDecl":
                self.functions.setdefault(name, []).append(Function(n, self.defaults_at))
            else:
                self.declaration(n, path, None)

    def declaration(self, n, path, owner):
        """What can be declared both in a namespace and in a class."""
        name = f"{path}::{n.get('name')}"
        if n["kind"] == "CXXRecordDecl" and n.get("completeDefinition"):
            self.record(n, name)
        elif n["kind"] == "ClassTemplateSpecializationDecl" and n.get("completeDefinition"):
            self.record(n, self.specialization_path(n, name))
        elif n["kind"] == "EnumDecl":
            self.enums[name] = {c["name"]: summary_value(c) for c in nodes(n, "EnumConstantDecl")}
        elif n["kind"] == "ClassTemplateDecl":
            for inner in nodes(n, "ClassTemplateSpecializationDecl"):
                self.declaration(inner, path, None)
            self.templates.setdefault(name, set()).add(template_shape(n))
        elif n["kind"] == "FunctionTemplateDecl":
            self.templates.setdefault(name, set()).add(template_shape(n))
            if owner:  # the tree also has instantiations
                return
        elif n["kind"] in ("TypeAliasDecl", "TypedefDecl"):
            self.aliases[name] = n["type"].get("desugaredQualType", n["type"]["qualType"])

    @staticmethod
    def specialization_path(n, name):
        for m in n.get("inner", []):
            if m.get("mangledName"):
                return split_signature(demangle(m["mangledName"]))[0].rpartition("::")[0]
        arguments = [a.get("type", {}).get("qualType", "?") for a in nodes(n, "TemplateArgument")]
        return f"{name}<{', '.join(arguments)}>".replace(" *", "*")

    def record(self, node, path):
        cls = self.classes[path] = self.records[node["id"]] = Class(node, path)
        access = "private" if node.get("tagUsed") == "class" else "public"
        for n in node.get("inner", []):
            if n["kind"] == "AccessSpecDecl":
                access = n["access"]
            elif n["kind"] in ("CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl"):
                function = self.by_id[n["id"]] = Function(n, self.defaults_at)
                function.owner, function.public = cls, access == "public"
                if access == "public" and not n.get("isImplicit") and not n.get("explicitlyDeleted"):
                    cls.functions.append(function)
            elif n["kind"] == "UsingDecl":
                cls.uses.add(n["name"].split("::")[-1])
            elif access != "public":
                if n["kind"] in ("CXXRecordDecl", "EnumDecl"):
                    continue
            elif n["kind"] in ("FieldDecl", "VarDecl"):
                cls.members[n["name"]] = n["type"]["qualType"].removeprefix("const ")
            elif not n.get("isImplicit"):
                self.declaration(n, path, cls)

    def resolve(self, cls):
        """Links bases and `using` declarations, once all classes are known."""
        for shadow in nodes(cls.node, "ConstructorUsingShadowDecl"):
            target = self.by_id.get(shadow["target"]["id"])
            if not target:
                continue
            if target.public and not target.node.get("isImplicit"):
                cls.inherited.append(target)
            if target.owner not in cls.bases:
                cls.bases.append(target.owner)
        for base in cls.node.get("bases", []):
            name = base["type"].get("desugaredQualType", base["type"]["qualType"])
            found = self.by_name(name, cls.path)
            if base["access"] == "public" and found and found not in cls.bases:
                cls.bases.append(found)

    def by_name(self, name, context):
        """The class that `name` means inside `context`; for specializations any with the same arguments."""
        plain = name.split("<")[0]
        for scope in scopes(context):
            if scope + plain in self.classes:
                return self.classes[scope + plain]
        if "<" not in name:
            return None
        tail = plain.split("::")[-1] + "<"
        first = re.sub(r"\b(struct|enum|const) |\s", "", name.split("<", 1)[1].split(",")[0].split(">")[0])
        for path, cls in self.classes.items():
            own = path.split("::")[-1] if "<" not in path else path
            if f"::{tail}" in own.split("(")[0] + "<" and first in re.sub(r"\s", "", path):
                return cls
        return None

    def read_macros(self):
        """The macros that the C++ headers add to those of the C headers."""
        def defined(source):
            return set(re.findall(r"^#define (DNNL\w*|ONEAPI_DNNL\w*)", self.run("-dM", "-E", source=source), re.M))
        return defined(self.source) - defined(self.source.replace(".hpp", ".h").replace("_iface", ""))


def scopes(context):
    yield ""
    parts = context.split("::")
    for n in range(len(parts), 0, -1):
        yield "::".join(parts[:n]) + "::"


def summary_value(constant):
    for n in constant.get("inner", []):
        if n["kind"] == "ConstantExpr":
            return n["value"]
    return None


def template_shape(node):
    """Parameters of a template, and the type of a function template, in a form that is comparable between both sets of headers."""
    params = []
    for n in node.get("inner", []):
        if n["kind"] in ("TemplateTypeParmDecl", "NonTypeTemplateParmDecl"):
            params.append(("..." if n.get("isParameterPack") else "")
                          + (n["kind"][:3] if "defaultArg" not in n else n["kind"][:3] + "=")
                          + (n.get("name") or ""))
    function = next((n for n in node.get("inner", [])
                     if n["kind"] in ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl")), None)
    defaults = ""
    if function:
        defaults = ",".join(summary(p) for p in nodes(function, "ParmVarDecl") if "init" in p)
    return tuple(params), simple_type(function["type"]["qualType"]) if function else "", defaults


def simple_type(text):
    text = re.sub(r"handle<(\w+ \*), [^>]*>>", r"handle<\1>", text)
    return re.sub(r"\b(dnnl|memory)::", "", text).replace("std::vector<dim>", "dims") \
        .replace("std::vector<dnnl_dim_t>", "dims").replace("dnnl_dim_t", "dim")


class Comparison:
    def __init__(self, peer, ours):
        self.peer, self.ours = peer, ours
        self.missing = []  # (fact, what)
        self.compared = 0

    def check(self, good, fact, what="is missing"):
        self.compared += 1
        if not good:
            self.missing.append((fact, what))

    def overload(self, kind, f, candidates, is_const=False, hiding=()):
        """Every call of f that the reference allows has its exact overload among the candidates. Functions in
        `hiding` take calls before f does."""
        fact = f"{kind} {f.path}({', '.join(f.params)})"
        for n in range(f.required, len(f.params) + 1):
            if any(h.takes(f.params[:n], is_const) for h in hiding):
                continue
            matching = [c for c in candidates if c.takes(f.params[:n], is_const)]
            self.check(matching, fact, f"cannot be called with {n} arguments of these types")
            if not matching:
                return
            best = matching[0]
            if f.node["kind"] in ("CXXConstructorDecl", "CXXConversionDecl"):
                self.check(best.explicit == f.explicit, fact, f"explicit: {best.explicit}, not {f.explicit}")
            else:
                self.check(best.result == f.result, fact, f"returns {best.result}, not {f.result}")
            for i in range(n, len(f.params)):
                if i >= len(best.params):
                    break  # an overload with fewer parameters takes this call
                self.check(best.default(i) == f.default(i), fact,
                           f"has default {best.default(i)!r}, not {f.default(i)!r}, for argument {i + 1}")

    def functions(self):
        for path, overloads in self.peer.functions.items():
            if path.startswith("dnnl::impl"):
                continue
            for f in overloads:
                self.overload("function", f, self.ours.functions.get(path, []))

    def classes(self):
        for path, cls in self.peer.classes.items():
            own = self.ours.classes.get(path)
            self.check(own, f"class {path}")
            if not own:
                continue
            for f in cls.functions:
                if f.node["kind"] == "CXXConstructorDecl":
                    self.overload("constructor", f, own.constructors())
                else:
                    self.overload("method", f, own.lookup(f.name), f.const)
            for f in cls.inherited:
                self.overload("constructor", f, own.constructors(), hiding=cls.own_constructors())
            for name, word in cls.members.items():
                self.check(own.member(name) == word, f"member {path}::{name}", f"is {own.member(name)}, not {word}")
            for base in cls.bases:
                self.check(own.derives_from(base.path), f"base {base.path} of {path}")

    def rest(self):
        for path, values in self.peer.enums.items():
            own = self.ours.enums.get(path, {})
            for name, value in values.items():
                self.check(own.get(name) == value, f"enumerator {path}::{name}", f"is {own.get(name)}, not {value}")
        for path, shapes in self.peer.templates.items():
            own = self.ours.templates.get(path, set())
            for shape in shapes:
                self.check(shape in own, f"template {path} {shape}", f"only {sorted(own)} there")
        for path in self.peer.aliases:
            self.check(path in self.ours.aliases, f"alias {path}")
        for name in sorted(self.peer.macros):
            self.check(name in self.ours.macros, f"macro {name}")


def report(missing, compared):
    used = set()
    unexplained = []
    for fact, what in missing:
        row = next((r for r in DELIBERATE if re.fullmatch(r[0], fact)), None)
        if row:
            used.add(row)
        else:
            unexplained.append(f"{fact}: {what}")
    for row in DELIBERATE:
        if row in used:
            print(f"explained: {row[0]}: {row[1]}")
        else:
            unexplained.append(f"unused row of DELIBERATE: {row[0]}")
    for line in unexplained:
        print(line)
    print(f"{compared} facts of the reference, {len(used)} deliberate differences, {len(unexplained)} unexplained")
    return 1 if unexplained else 0


def available(header, dirs, clang):
    if header is None:
        return True
    probe = subprocess.run([clang, "-x", "c++", *(f"-I{d}" for d in dirs), "-E", "-"], input=f"#include <{header}>\n",
                           capture_output=True, text=True)
    return probe.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", required=True, help="prefix of the reference installation")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--include", action="append", required=True, help="folders of Lode's headers")
    args = parser.parse_args()
    peer = os.path.join(args.peer, "include") if args.peer else ""
    if not os.path.exists(os.path.join(peer, "oneapi/dnnl/dnnl.hpp")):
        print("SKIP: no oneDNN headers to compare with, LODE_PEER_PREFIX is not set")
        return SKIPPED
    headers = []
    for name, needed in HEADERS.items():
        if available(needed, [peer], args.clang):
            headers.append(name)
        else:
            print(f"SKIP: {name} needs {needed}, which is not installed")
    comparison = Comparison(Headers(args.clang, [peer], PEER_DEFINES, headers),
                            Headers(args.clang, [*args.include, peer], [], headers))
    comparison.functions()
    comparison.classes()
    comparison.rest()
    return report(comparison.missing, comparison.compared)


if __name__ == "__main__":
    sys.exit(main())
