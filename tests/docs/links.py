# SPDX-License-Identifier: Apache-2.0
"""Every link of a page leads to a file or heading that is there: links.py ROOT"""
import os
import re
import sys


def headings(page):
    """Anchors as GitHub makes them."""
    for line in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", open(page).read(), flags=re.S | re.M), re.M):
        yield re.sub(r"[^\w\- ]", "", line.replace("`", "").lower()).strip().replace(" ", "-")


def broken(root, page):
    text = re.sub(r"^```.*?^```$", "", open(page).read(), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(file) or not (file + os.sep).startswith(root + os.sep):
            yield f"{page}: no file {target}"
        elif anchor and file.endswith(".md") and anchor not in headings(file):
            yield f"{page}: no heading {target}"


root = os.path.abspath(sys.argv[1])
pages = [os.path.join(folder, name) for part in ("docs", "examples", "")
         for folder in [os.path.join(root, part)] for name in os.listdir(folder) if name.endswith(".md")]
problems = [problem for page in sorted(pages) for problem in broken(root, page)]
print("\n".join(problems) or f"the links of {len(pages)} pages are good")
sys.exit(bool(problems) or len(pages) < 10)
