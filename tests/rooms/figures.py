#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of source trees, side by side: what lies where, and how long functions are.

    figures.py TREE [TREE…]        e.g. of an older state: git worktree add --detach /tmp/old REVISION"""
import sys

from source import Tree, circles

AREAS = ("core", "plugins", "picture", "exporters", "library", "cli", "hosts", "tests")


def share(values, part):
    """The value that `part` of all do not exceed."""
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else 0


def lengths(files):
    return [function.lines for file in files for function in file.functions]


def circles_text(edges):
    found = [len(group) for group in circles(edges) if not group[0].startswith("tests/")]
    return "%d, the longest of %d" % (len(found), max(found, default=0))


def figures(tree):
    """[(what, value)]."""
    folders, out = {}, []
    for file in tree.files.values():
        folders.setdefault(file.folder, []).append(file)
    product = {folder: files for folder, files in folders.items() if not folder.startswith("tests")}
    folder = max(product, key=lambda f: len(product[f]))
    out.append(("source files", str(len(tree.files))))
    out.append(("largest folder, tests apart", "%d in %s" % (len(product[folder]), folder)))
    out.append(("folders with more than 13", str(sum(1 for files in product.values() if len(files) > 13))))
    longest = max(tree.files.values(), key=lambda f: f.text.count("\n"))
    out.append(("longest file", "%d in %s" % (longest.text.count("\n"), longest.path)))
    for area in AREAS:
        files = [f for f in tree.files.values() if f.path.startswith(area + "/")]
        out.append(("lines of %s" % area, str(sum(f.text.count("\n") for f in files))))
    for area in AREAS:
        long = lengths(f for f in tree.files.values() if f.path.startswith(area + "/"))
        out.append(("functions of %s: median, p90, longest" % area, "%d, %d, %d of %d" % (
            share(long, 0.5), share(long, 0.9), max(long, default=0), len(long))))
    long = lengths(file for files in product.values() for file in files)
    out.append(("functions, tests apart: median, p90", "%d, %d of %d" % (
        share(long, 0.5), share(long, 0.9), len(long))))
    out.append(("functions over 80 lines", str(sum(1 for n in long if n > 80))))
    out.append(("circles of files by includes", circles_text(tree.include_edges())))
    out.append(("circles of files by use", circles_text(tree.use_edges())))
    out.append(("source lines over 120 characters", str(sum(
        1 for file in tree.files.values() for line in file.text.split("\n") if len(line) > 120))))
    return out


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    columns = [dict(figures(Tree(path))) for path in sys.argv[1:]]
    for what in columns[0]:
        print("%-40s %s" % (what, "".join("%-34s" % column[what] for column in columns).rstrip()))


if __name__ == "__main__":
    main()
