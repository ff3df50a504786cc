#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""man.py BILLOW FILE: the manual page billow(1), made from what the program says of itself: `billow help`, and
`billow help COMMAND` of each."""
import os
import re
import subprocess
import sys


def said(billow, *words):
    own = {name: value for name, value in os.environ.items() if name != "BILLOW_COMMAND"} # what ./dev calls it
    return subprocess.run([billow, *words], check=True, capture_output=True, encoding="utf-8", env=own).stdout


def roff(text):
    """Text as it is: no letter of it is an instruction."""
    names = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "~": "\\(ti", "^": "\\(ha"}
    return ("\\&" if text.startswith(".") else "") + "".join(names.get(c, c) for c in text)


def options(lines):
    """`  --frames A-B            what it does`, and lines that go on below."""
    out = []
    for line in lines:
        found = re.match(r"  (\S.*?)(?:  +|$)(.*)", line)
        if found and not line.startswith("   "):
            out += [".TP", ".B " + roff(found.group(1)), roff(found.group(2))]
        else:
            out.append(roff(line.strip()))
    return out


def blocks(text):
    """Of a help's paragraphs: a table, an example as it stands, or a running text."""
    out = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        if lines[0] in ("Options", "Commands"):
            out += ([".PP"] if lines[0] == "Options" else [".SH COMMANDS"]) + options(lines[1:])
        elif lines[0].startswith("  "):
            out += [".PP", ".nf"] + [roff(line) for line in lines] + [".fi"]
        elif lines[0].startswith("Exit codes: "):
            out += [".SH EXIT STATUS"] + [roff(line.strip()) for line in lines]
        else:
            out += [".PP"] + [roff(line) for line in lines]
    return out


def page(billow):
    version, top = said(billow, "--version").split()[1], said(billow, "help")
    brief, rest = top.split("\n", 1)
    commands = re.findall(r"^  (\S+) ", top.split("\nCommands\n")[1].split("\n\n")[0], re.M)
    out = ['.TH BILLOW 1 "" "Billow %s" "Billow"' % version, ".SH NAME",
           "billow \\- " + roff(brief.replace("Billow ", "", 1).rstrip(".")), ".SH SYNOPSIS", ".B billow",
           ".I COMMAND", "[options]", ".SH DESCRIPTION"] + blocks(rest)
    for command in commands:
        usage, what = said(billow, "help", command).split("\n", 1)
        if command != "help":
            out += ['.SH "%s"' % roff("billow " + command).upper(), ".B " + roff(usage)] + [".PP"] + blocks(what)
    return "\n".join(out) + "\n"


with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(page(sys.argv[1]))
