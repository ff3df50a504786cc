#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""incremental.py BILLOW: a preset that is tuned: a change that begins late is baked from the last checkpoint before it, to the
bytes of a bake from the first frame; all others from the first.

Prints "N passed, N failed"."""
import glob
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import HERE, Served, check, verdict, wait # noqa: E402

KEYS = "density: {keys: {1: 1, 12: 0.4, 30: 1}, ease: smooth}"
BALL = "center: [0, 0, 0.12]"
ADVECT = "  - mac.advect\n"
WIND = "  - force: {id: wind, frames: %s, kind: {wind: {velocity: [%s, 0, 0]}}}\n"
MOVES = "center: {keys: {1: [0, 0, 0.12], 14: [0.1, 0, 0.12], 30: [%s, 0, 0.12]}}"


def tries(served, text):
    """Bake it to its end: the state then, and the folder with its files."""
    before = served.get("state")
    last = json.loads(before[1])["id"] if before[0] == 200 else 0
    said = json.loads(served.get("try", "POST", text.encode())[1])
    if not said["good"]:
        return said, ""

    def over():
        code, state = served.get("state")
        state = json.loads(state) if code == 200 else {"id": last, "ended": None}
        return state["id"] > last and state["ended"] is not None and state

    state = wait(over, 120)
    return state or {}, state and glob.glob("%s/billow-tune-*/%d" % (served.folder, state["id"]))[0]


def begun(billow, work, name):
    folder = os.path.join(work, name)
    os.makedirs(folder)
    shutil.copy(os.path.join(HERE, "tuned.yaml"), folder)
    served = Served(billow, "tune", "tuned", folder=folder)
    served.folder = folder
    return served, json.loads(served.get("preset")[1])["text"]


def bytes_of(folder):
    out = {}
    for path in glob.glob(folder + "/vdb/*.vdb"):
        with open(path, "rb") as file:
            out[os.path.basename(path)] = file.read()
    return out


def main():
    billow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="billow-since-") as work:
        served, text = begun(billow, work, "tuned")
        state, base = tries(served, text)
        check("the first try is baked from its first frame", state.get("ended") == "" and state["baked_from"] is None, state)
        whole = bytes_of(base)
        check("… all of it", len(whole) == 30, len(whole))
        moves = text.replace(BALL, MOVES % "0.1")
        changes = (("a key that comes late", text.replace(KEYS, KEYS.replace("30: 1", "30: 0.2")), 12),
                   ("a new key", text.replace(KEYS, KEYS.replace("30: 1", "20: 0.9, 30: 1")), 12),
                   ("a stage that ends earlier", text.replace("frames: 1-30\n      #", "frames: 1-21\n      #"), 21),
                   ("another curve", moves, None), ("where something goes late", moves.replace(MOVES % "0.1", MOVES % "-0.1"), 14),
                   ("more frames", text.replace("time: {frames: 1-30", "time: {frames: 1-34"), 30),
                   ("a new stage with frames", text.replace(ADVECT, ADVECT + WIND % ("16-24", "1")), 16),
                   ("another value of it", text.replace(ADVECT, ADVECT + WIND % ("16-24", "2")), 16),
                   ("a new stage without", text.replace(ADVECT, ADVECT + WIND.replace("frames: %s, ", "") % "1"), None),
                   ("another ease", text.replace(KEYS, KEYS.replace("smooth", "linear")), None),
                   ("the first key", text.replace(KEYS, KEYS.replace("{1: 1", "{1: 0.9")), None),
                   ("a plain value", text.replace("buoyancy: 1", "buoyancy: 2"), None))
        made = []
        for what, changed, since in changes:
            state, folder = tries(served, changed)
            if what == "a stage that ends earlier": # none has gone yet
                check("what was there before is as it was", bytes_of(base) == whole)
            if since is None:
                check(what + ": from the first frame", state.get("ended") == "" and state["baked_from"] is None, state)
            else:
                check(what + ": from a checkpoint soon before frame %d" % since,
                      state.get("ended") == "" and state["baked_from"] is not None and since - 4 <= state["baked_from"] <= since, state)
                made.append((what, changed, bytes_of(folder), state["baked_from"]))
        check("it ends", served.end() == 0, served.words_said)
        for i, (what, changed, there, since) in enumerate(made):
            fresh, _ = begun(billow, work, "fresh_%d" % i)
            state, folder = tries(fresh, changed)
            all_ = bytes_of(folder)
            late = [n for n in all_ if n >= "tuned_%04d" % since]
            check(what + ": from there on the bytes of a bake from the first frame", state.get("baked_from", 0) is None and
                  len(late) > 5 and sorted(there) == sorted(all_) and all(there[n] == all_[n] for n in late), (state, late))
            fresh.end()
    verdict()


if __name__ == "__main__":
    main()
