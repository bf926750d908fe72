# SPDX-License-Identifier: Apache-2.0
"""Turns a public header into what Doxygen reads: filter.py HEADER

Headers have plain comments, once for several declarations, and say nothing that a name says. The reference is complete:
this adds to every function what functions.txt says of it, and to every argument what arguments.txt says.

filter.py --check HEADER... ends with status 1 if a function or an argument is in neither table, or a row fits none.
(Doxygen does not mind that a filter fails.)
"""
import fnmatch
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def table(name):
    """The rows of a table as pairs."""
    for line in open(os.path.join(HERE, name)):
        if line.strip() and not line.startswith("#"):
            key, text = line.rstrip("\n").split(": ", 1)
            yield key, text


FUNCTIONS = list(table("functions.txt"))
ARGUMENTS = list(table("arguments.txt"))
used = set()


def describe(function):
    for pattern, text in FUNCTIONS:
        if fnmatch.fnmatchcase(function, pattern):
            used.add(pattern)
            return text
    sys.exit(f"functions.txt does not know {function}")


def explain(function, argument):
    for key, text in ARGUMENTS:
        pattern, _, name = key.rpartition(".")
        if name == argument and fnmatch.fnmatchcase(function, pattern or "*"):
            used.add(key)
            return text
    sys.exit(f"arguments.txt does not know {argument} of {function}")


def comment_text(comment):
    """The text of a comment, without its stars."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment[2:-2].strip().split("\n")]
    return "\n".join(lines).strip()


def block(*parts):
    return "/**\n * " + "\n\n".join(part for part in parts if part).replace("\n", "\n * ").replace(" \n", "\n") + "\n */\n"


def document_function(declaration, notes):
    returned, name, arguments = re.match(r"DNNL_API\s+(.*?)(dnnl_\w+)\((.*)\);$", declaration, re.S).groups()
    brief, _, result = describe(name).partition(" => ")
    parts = []
    for argument in [] if arguments.strip() == "void" else arguments.split(","):
        word = re.search(r"(\w+)\s*$", argument).group(1)
        way = "[out]" if re.search(r"^\s*(const_)?dnnl_\w+_t \*\w+\s*$", argument) else ""
        parts.append(f"@param{way} {word} {explain(name, word)}")
    status = returned.strip() == "dnnl_status_t"
    parts.append("@return " + ("dnnl_success, or why it failed" if status else result or sys.exit(f"{name}: no result")))
    return block(f"@brief {brief}", notes, "\n".join(parts))


PIECES = re.compile(r"""
    (?P<comment>/\*.*?\*/)
  | (?P<function>DNNL_API\s[^;]*;)
  | (?P<enum>typedef\s+(enum|struct)\s*\{.*?\}\s*\w+;)
  | (?P<define>^\#define\s+DNNL_(?:\\\n|[^\n])*)
  | (?P<handle>^typedef\s[^{;]*;)
  | (?P<blank>\n[ \t]*\n)
""", re.S | re.X | re.M)


def document_values(declaration):
    """Comments of values and members stand behind them; one on a line of its own is a title, and stays as it is."""
    return re.sub(r"(\S[^\n]*?)/\*(.*?)\*/", r"\1/**<\2*/", declaration, flags=re.S)


def rewrite(text):
    """Yields the header with documentation. A comment is about all functions up to the next empty line, and about all
    macros and handles up to the next comment; one with an empty line behind it is a title."""
    notes, at, titled, first = "", 0, False, True
    for match in PIECES.finditer(text):
        kind = next(name for name in PIECES.groupindex if match.group(name) is not None)
        piece = match.group(0)
        yield text[at:match.start()]
        at = match.end()
        if kind == "comment":
            words = comment_text(piece)
            title = text[at:at + 2] == "\n\n" and not first
            if words.startswith("SPDX") or words.startswith("clang-format"):
                yield piece
            elif first:
                first = False
                yield block("@file", words)
            elif title:
                yield ("/** @} */\n" if titled else "") + block(f"@name {words}", "@{")
                titled, notes = True, ""
            else:
                notes = words
            continue
        if kind == "blank":
            follows = re.match(r"\s*(#define|typedef (const )?struct|struct)", text[at:])
            notes = notes if follows else ""
            yield piece
        elif kind == "function":
            yield document_function(piece, notes) + piece
        elif kind == "enum":
            yield (block(notes) if notes else "") + document_values(piece)
            notes = ""
        else:
            yield (block(notes) if notes else "") + piece
    yield text[at:]
    if titled:
        yield "/** @} */\n"


def check(headers):
    for header in headers:
        "".join(rewrite(open(header).read()))
    for key, _ in FUNCTIONS + ARGUMENTS:
        if key not in used:
            sys.exit(f"nothing is called {key}")


if sys.argv[1] == "--check":
    check(sys.argv[2:])
else:
    sys.stdout.write("".join(rewrite(open(sys.argv[1]).read())))
