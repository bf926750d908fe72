# SPDX-License-Identifier: Apache-2.0
"""Draws a terminal as SVG, in the reader's choice of light or dark: command | screen.py "command" >screen.svg"""
import sys
from html import escape

ROW, LETTER, MARGIN = 17, 7.25, 14
lines = ["$ " + sys.argv[1]] + [line.rstrip("\n") for line in sys.stdin]
width = round(max(map(len, lines)) * LETTER) + 2 * MARGIN
height = len(lines) * ROW + 2 * MARGIN
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">')
print("<style>:root{color-scheme:light dark;--ink:#1b1f24;--paper:#f6f8fa;--command:#0969da}"
      "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#161b22;--command:#58a6ff}}"
      "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}"
      "rect{fill:var(--paper)}.command{fill:var(--command)}</style>")
print(f'<rect width="{width}" height="{height}" rx="8"/>')
for i, line in enumerate(lines):
    kind = ' class="command"' if i == 0 else ""
    print(f'<text x="{MARGIN}" y="{MARGIN + ROW * i + 12}"{kind} xml:space="preserve" '
          f'textLength="{round(len(line) * LETTER)}" lengthAdjust="spacingAndGlyphs">{escape(line)}</text>'
          if line else "", end="\n" if line else "")
print("</svg>")
