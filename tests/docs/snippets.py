# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the C of a guide: snippets.py PAGE COMPILER FLAG...

A block of C that has a main function is a program. The other blocks of a page are one program, in their order, between
the lines of PRELUDE. It must end with status 0 and, if the page has blocks of ```text, print exactly those.
"""
import re
import subprocess
import sys
import tempfile

PRELUDE = """
#include "oneapi/dnnl/dnnl.h"
#ifdef HAVE_LEVEL_ZERO
#include "oneapi/dnnl/dnnl_ze.h"
#define ZE_CHECK(call) check((int)(call), #call, __LINE__)
#endif
#ifdef HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include "oneapi/dnnl/dnnl_ocl.h"
#define CL_CHECK(call) check_cl((int)(call), #call, __LINE__)
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status, const char *call, int line) {
    if (status == 0) return;
    fprintf(stderr, "line %d of the page: %s: %d\\n", line, call, status);
    exit(1);
}
#define CHECK(call) check((int)(call), #call, __LINE__)
#ifdef HAVE_OPENCL
static void check_cl(int status, const char *call, int line) {
    if (status == -1001) puts("SKIP: there is no OpenCL platform"), exit(77);
    check(status, call, line);
}
#endif

int main(void) {
"""


def blocks(page, language):
    """The blocks of a language, each with the number of its first line."""
    text = open(page).read()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        if match.group(1) == language:
            yield text.count("\n", 0, match.start(2)) + 1, match.group(2)


def programs(page):
    pieces = list(blocks(page, "c"))
    wholes = [code for _, code in pieces if "int main(" in code]
    if wholes:
        return wholes
    return [PRELUDE + "".join(f'#line {line} "{page}"\n{code}' for line, code in pieces) + "return 0;\n}\n"]


def run(code, compiler, flags):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/page.c", "w") as file:
            file.write(code)
        built = subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-o", folder + "/page",
                                folder + "/page.c", *flags])
        if built.returncode:
            sys.exit("it cannot be built")
        ran = subprocess.run([folder + "/page"], stdout=subprocess.PIPE, text=True)
        if ran.returncode == 77:
            print(ran.stdout, end="")
            sys.exit(77)
        if ran.returncode:
            sys.exit(f"it ends with status {ran.returncode}")
        return ran.stdout


def main():
    page, compiler, *flags = sys.argv[1:]
    printed = "".join(run(code, compiler, flags) for code in programs(page))
    expected = "".join(text for _, text in blocks(page, "text"))
    if expected and printed != expected:
        sys.exit(f"{page} says that it prints\n{expected}but it prints\n{printed}")
    print(f"the C of {page} is right")


main()
