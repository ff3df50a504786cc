#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""during.py FRAMES SHELL COMMAND…: a bake with --json, and words for the shell, with its number in $pid, once so many
frames are told. Its events fill a pipe of one page, some ten frames, and it waits there until they are read: however
busy the machine is, it is still at it. Prints the events, and ends as it does."""
import json
import os
import subprocess
import sys


def main():
    frames, words, *command = sys.argv[1:]
    told, bake = 0, subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, bufsize=0, pipesize=4096)
    for line in bake.stdout:
        print(line.decode(), end="")
        told += json.loads(line)["event"] == "frame"
        if told == int(frames):
            subprocess.run(["bash", "-c", words], env={**os.environ, "pid": str(bake.pid)}, check=False)
            break
    sys.stdout.write(bake.stdout.read().decode())
    code = bake.wait()
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main())
