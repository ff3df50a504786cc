#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rest.py BUILD OTHER COMPILER…: what BUILD compiles and OTHER does not, looked at by another C and another C++ compiler
as warnings are errors; nothing is made of it. Prints what they say; 1 where they say anything, or nothing was compiled."""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def files(build):
    """{source, as it is called in there: its command} of a build folder."""
    return {e["file"]: e["command"] for e in json.loads(pathlib.Path(build, "compile_commands.json").read_text())}


def look(build, source, command, c, cxx):
    """What the compiler says of a file."""
    words = shlex.split(command)
    words = words[next(i for i, w in enumerate(words) if w.startswith("-")):]  # after the compiler, or a cache and it
    for name in ("-MQ", "-MF", "-o"):
        at = words.index(name)
        del words[at:at + 2]
    words = [w for w in words if w not in ("-MD", "-c")]
    done = subprocess.run([cxx if source.endswith(".cpp") else c, "-fsyntax-only", "-Werror", *words], cwd=build,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout or (done.returncode and f"{source}: exit {done.returncode}\n") or ""


def main():
    build, other, c, cxx = sys.argv[1:]
    known = files(other)
    rest = {source: command for source, command in files(build).items() if source not in known}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda item: look(build, *item, c, cxx), rest.items()))
    print("".join(said) + f"{len(rest)} files: " + " ".join(sorted(os.path.basename(name) for name in rest)))
    return 1 if any(said) or not rest else 0


if __name__ == "__main__":
    sys.exit(main())
