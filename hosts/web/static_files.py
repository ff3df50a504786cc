# SPDX-License-Identifier: Apache-2.0
"""static_files.py OUT FILE…: files as a C table, so that the module needs no folder of its own."""
import os
import sys

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

out = ['#include "http/respond.h"']
rows = []
for i, path in enumerate(sys.argv[2:]):
    with open(path, "rb") as file:
        data = file.read()
    lines = [",".join(str(b) for b in data[k:k + 32]) for k in range(0, len(data), 32)]
    out.append("static const unsigned char file_%d[] = {\n%s\n};" % (i, ",\n".join(lines)))
    name = path.replace(os.sep, "/").rsplit("/page/", 1)[1]
    rows.append('    {"%s", "%s; charset=utf-8", file_%d, sizeof file_%d},' %
                (name, TYPES[os.path.splitext(name)[1]], i, i))
out.append("const struct static_file static_files[] = {\n%s\n    {0},\n};" % "\n".join(rows))
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write("\n".join(out) + "\n")
