# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the C or C++ of a guide: snippets.py PAGE c|cpp COMPILER FLAG...

A block that has a main function is a program. The other blocks of a page are one program, in their order, after the
prelude of the language. It must end with status 0 and, if the page has blocks of ```text, print exactly those.
"""
import re
import subprocess
import sys
import tempfile

PRELUDE_C = """
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

PRELUDE_CPP = """
#include "oneapi/dnnl/dnnl_sycl.hpp"
#include <cstdio>

using namespace dnnl;
static int page();

int main() {
    if (sycl::device::get_devices().empty()) return std::puts("SKIP: there is no SYCL device"), 77;
    return page();
}

static int page() {
"""

# language: what comes before the blocks, and the standard
LANGUAGES = {"c": (PRELUDE_C, "-std=c17"), "cpp": (PRELUDE_CPP, "-std=c++17")}



def blocks(page, language):
    """The blocks of a language, each with the number of its first line."""
    text = open(page).read()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        if match.group(1) == language:
            yield text.count("\n", 0, match.start(2)) + 1, match.group(2)


def programs(page, language):
    pieces = list(blocks(page, language))
    wholes = [code for _, code in pieces if "int main(" in code]
    if wholes:
        return wholes
    return [LANGUAGES[language][0] + "".join(f'#line {line} "{page}"\n{code}' for line, code in pieces) + "return 0;\n}\n"]


def run(code, language, compiler, flags):
    with tempfile.TemporaryDirectory() as folder:
        source = f"{folder}/page.{language}"
        with open(source, "w") as file:
            file.write(code)
        built = subprocess.run([compiler, LANGUAGES[language][1], "-Wall", "-Wextra", "-Werror", "-o", folder + "/page",
                                source, *flags])
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
    page, language, compiler, *flags = sys.argv[1:]
    printed = "".join(run(code, language, compiler, flags) for code in programs(page, language))
    expected = "".join(text for _, text in blocks(page, "text"))
    if expected and printed != expected:
        sys.exit(f"{page} says that it prints\n{expected}but it prints\n{printed}")
    print(f"the code of {page} is right")


main()
