#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/: a page a stage and exporter, and one a section of presets, made from the program's own tables. The
manual page, which the build makes from the program's help. And the step that docs/architecture.md walks: is it the one
that the program makes?

    reference.py ROOT BUILD BILLOW            are the pages what the program says? "N passed, N failed"
    reference.py ROOT BUILD BILLOW --write    write them: ./dev reference"""
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

SECTIONS = ("preset", "domain", "time", "fields", "limits", "checkpoints", "look", "camera")
SKIPPED = ("unruly",)        # the tests' own plugins


def ask(billow, *words):
    return json.loads(subprocess.run([billow, *words, "--json"], check=True, capture_output=True, text=True).stdout)


def range_of(row):
    low, high = row.get("min"), row.get("max")
    if low is None or row["type"] in ("list", "map"):
        return ""
    above = "above " if row.get("above_min") else ""
    if high >= 1e18 or (above and high <= low):
        return "%s%g%s" % (above, low, "" if above else " or more")
    return "%g or less" % high if low <= -1e30 else "%s%g to %g" % (above, low, high)


def words_of(row):
    """Type, choices or range, unit."""
    kind = row["type"] + (" of %ss" % row["items"] if row.get("items") else "")
    parts = [kind, ", ".join(row.get("choices", [])) or range_of(row), row.get("unit", "")]
    if row.get("or"):
        parts.append("or " + row["or"])
    if row.get("required"):
        parts.append("must be given")
    return "; ".join(part for part in parts if part)


def wrapped(text, indent):
    return textwrap.fill(text, 120, initial_indent=indent + "- ", subsequent_indent=indent + "  ",
                         break_long_words=False, break_on_hyphens=False)


def keys_of(rows):
    return [row.get("key") for row in rows]


def rows_text(rows, shared, indent=""):
    """`shared`: tables that have a page of their own, by name, with their keys."""
    out = []
    for row in rows:
        key = "FIELD" if row["type"] == "amounts" else row.get("key") or "each"
        value = ": " + row["default"] if row.get("default") else ""
        text = "`%s%s` (%s): %s" % (key, value, words_of(row), row["doc"])
        inner = row.get("rows", [])
        if key in shared and keys_of(inner) == shared[key]:
            text += " See [%s](%s.md)." % (key, key)
            inner = []
        elif row.get("rows_as"):
            text += " As in `%s`." % row["rows_as"]
        out.append(wrapped(text, indent))
        out += rows_text(inner, shared, indent + "  ")
    return out


def entry_page(e, what, shared, look):
    out = ["# %s" % e["id"], "", textwrap.fill("%s, %s. %s" % (what, e["version"], e["brief"]), 120), ""]
    if e.get("references"):
        out += [textwrap.fill("References: " + e["references"], 120), ""]
    own = [row for row in e["parameters"] if row not in look]
    if len(own) + 10 > len(e["parameters"]): # it shows no pictures
        own = e["parameters"]
    elif own:
        out += ["All of [look](look.md), which a preset may give once for all, and:", ""]
    else:
        out += ["All of [look](look.md), which a preset may give once for all.", ""]
    if own:
        out += ["## Parameters", ""] + rows_text(own, shared) + [""]
    if e.get("fields"):
        out += ["## Fields", ""]
        for f in e["fields"]:
            unit = ", " + f["unit"] if f.get("unit") else ""
            out.append(wrapped("`%s`: %s, %s%s%s. %s" % (f["name"], f["access"], f["kind"], unit, ", optional"
                                                      if f.get("optional") else "", f["doc"]), ""))
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def section_page(s, shared):
    rows = s["parameters"]
    if len(rows) == 1 and rows[0].get("key") == s["name"] and rows[0].get("rows"):
        rows = rows[0]["rows"]
    return "\n".join(["# %s" % s["name"], "", "In a preset: %s." % s["doc"], ""] + rows_text(rows, shared)) + "\n"


def rows_named(rows, key):
    return next(row["rows"] for row in rows if row.get("key") == key)


def pages_of(billow, build):
    listed = ask(billow, "list")
    names = {kind: [e["id"] for e in listed[kind + "s"] if e["path"].startswith(build + os.sep) and
                    not e["id"].startswith(SKIPPED)] for kind in ("stage", "exporter")}
    look = ask(billow, "info", "look")["section"]["parameters"]
    shape = rows_named(ask(billow, "info", "emit")["stage"]["parameters"], "shape")
    shared = {"shape": keys_of(shape), "camera": keys_of(rows_named(look, "camera"))}
    pages = {"shape.md": "\n".join(["# shape", "", "What `emit`, `collide` and many others take: one of these.", ""] +
                                   rows_text(shape, {})) + "\n"}
    for kind, what in (("stage", "A stage"), ("exporter", "An exporter")):
        for name in names[kind]:
            page = entry_page(ask(billow, "info", name)[kind], what, shared, look)
            pages[name + ".md"] = pages.get(name + ".md", "") + page
    for name in SECTIONS:
        section = ask(billow, "info", name)["section"]
        pages[name + ".md"] = section_page(section, {} if name == "camera" else shared)
    index = ["# Reference", "", "Made from the program's tables: `billow info NAME` prints the same.", ""]
    for title, entries in (("Stages", names["stage"]), ("Exporters", names["exporter"]),
                           ("Sections of a preset, and what many share", list(SECTIONS) + ["shape"])):
        links = ", ".join("[%s](%s.md)" % (name, name) for name in sorted(entries))
        index += ["## " + title, "", textwrap.fill(links, 120, break_long_words=False, break_on_hyphens=False), ""]
    pages["README.md"] = "\n".join(index).rstrip() + "\n"
    return pages


def manual_wrong(build, billow):
    """What is wrong with billow.1: a command that is not in it, an option, or what a formatter warns of."""
    with open(os.path.join(build, "cli", "billow.1"), encoding="utf-8") as file:
        plain = file.read().replace("\\-", "-")
    ask_help = lambda *words: subprocess.check_output([billow, "help", *words], text=True)
    bad = []
    for command in re.findall(r"^  ([a-z]+)  +[A-Z]", ask_help(), re.M):
        part = (plain + '.SH "BILLOW HELP"\n').partition('.SH "BILLOW %s"\n' % command.upper())
        own = part[2].split(".SH ")[0]
        missing = {o for o in re.findall(r"^  (--\S+)", ask_help(command), re.M) if ".B " + o not in own}
        if missing or not part[1]:
            bad.append("billow.1 lacks %s %s" % (command, " ".join(sorted(missing))))
    if shutil.which("groff"):
        said = subprocess.run(["groff", "-k", "-man", "-ww", "-z", "-Tutf8", os.path.join(build, "cli", "billow.1")],
                              capture_output=True, text=True, check=False).stderr
        bad += said.splitlines()
    return bad


def step_made(billow, preset):
    """Of each stage, in order: what it reads and what it changes."""
    text = subprocess.run([billow, "bake", preset, "--dry-run"], check=True, capture_output=True, text=True).stdout
    out = []
    for line in text.splitlines():
        stage, port = re.match(r" *\d+\. (\S+)", line), re.match(r" {6}(\w+) +(\S+) +(.*:.*)", line)
        if stage:
            out.append((stage.group(1), set(), set()))
        elif port and out:
            out[-1][1 if port.group(1) == "reads" else 2].update(re.findall(r":([\w.]+)", port.group(3)))
    return [(name, reads - changes, changes) for name, reads, changes in out]


def step_told(text):
    part = text.split("## A step, stage by stage")[1].split("\n## ")[0]
    rows = [[re.findall(r"`([\w.]+)`", cell) for cell in line.split("|")[1:4]] for line in part.splitlines()
            if line.startswith("| `")]
    return [(cells[0][0], set(cells[1]), set(cells[2])) for cells in rows]


def step_wrong(root, billow):
    with open(os.path.join(root, "docs", "architecture.md"), encoding="utf-8") as file:
        told = step_told(file.read())
    made = step_made(billow, os.path.join(root, "presets", "plume.yaml"))
    bad = ["docs/architecture.md, a step: %s reads %s and changes %s in the %s alone" % (
        row[0], sorted(row[1]), sorted(row[2]), "program" if row in made else "table")
        for row in made + told if (row in told) != (row in made)]
    return bad if bad or told == made and len(made) > 5 else ["docs/architecture.md, a step: in another order"]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    root, build, billow = map(os.path.abspath, sys.argv[1:4])
    folder, pages = os.path.join(root, "docs", "reference"), pages_of(billow, build)
    there = {name: open(os.path.join(folder, name), encoding="utf-8").read() for name in os.listdir(folder)} \
        if os.path.isdir(folder) else {}
    bad = sorted(name for name in {**pages, **there} if pages.get(name) != there.get(name))
    if "--write" in sys.argv:
        os.makedirs(folder, exist_ok=True)
        for name in bad:
            path = os.path.join(folder, name)
            if name not in pages:
                os.remove(path)
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(pages[name])
        print("%d pages, %d of them anew" % (len(pages), len(bad)))
        return 0
    for name in bad:
        print("docs/reference/%s is not what the program says: ./dev reference" % name)
    wrong = manual_wrong(build, billow) + step_wrong(root, billow)
    for line in wrong:
        print(line)
    print("%d passed, %d failed" % (len(pages) - len(bad) + (not wrong), len(bad) + len(wrong)))
    return 1 if bad or wrong or len(pages) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
