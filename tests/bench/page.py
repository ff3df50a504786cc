#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""page.py BILLOW FOLDER [ROUNDS]: what the live page takes, and what it costs a bake. Prints a line a figure; about
three minutes on two quiet cores. FOLDER keeps two caches for the next time.

Somebody who looks asks as the page does: the newest frame at rest, 960×540, the tables, the small pictures of the
timeline; once more in Chromium, where there is one, which takes its own time on the same cores. Runs alternate."""
import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "web"))
from browser import CHROMIUM, DRIVER, Page, webdriver # noqa: E402
from served import Served, wait # noqa: E402

SMOKE = os.path.join(HERE, "page.yaml")
RUN_FRAMES = 12


def say(what, value, wanted=""):
    print("%-58s %s%s" % (what, value, " (%s)" % wanted if wanted else ""), flush=True)


def baked(billow, preset, out, *words):
    """A cache that is there already is taken as it is, unless another build made it."""
    command = [billow, "bake", preset, "--out", out, *words]
    if subprocess.run([*command, "--resume"], check=False, capture_output=True).returncode:
        subprocess.run([*command, "--force"], check=True, capture_output=True)
    return out


def seconds_of(out):
    """Of all frames, as the bake itself counts them."""
    with open(out + "/timings.csv", encoding="utf-8") as file:
        return sum(float(row["seconds"]) for row in csv.DictReader(file))


def frames_of(state):
    return [f for a, b in state["ranges"] or [] for f in range(a, b + 1)] + state["unwritten"]


# ---- who looks ----

class Looker(threading.Thread):
    """A page at rest, without a browser."""

    def __init__(self, served):
        super().__init__(daemon=True)
        self.served, self.over, self.seen = served, False, 0
        self.start()

    def run(self):
        news, newest, thumbs, rest = self.listen(), None, set(), 0
        while not self.over:
            state = next(news, None)
            if state is None or state["ended"] is not None:
                break
            frames = frames_of(state)
            if frames and max(frames) != newest and time.monotonic() > rest:
                newest, asked = max(frames), time.monotonic()
                self.seen += self.served.get("picture?frame=%d&w=960&h=540&q=92&priority=1&client=looker" % newest)[0] == 200
                rest = asked + 10 * (time.monotonic() - asked)  # as a page does that follows
                for name in ("metrics", "timings"):
                    self.served.get(name + ".csv")
                if newest not in thumbs:
                    thumbs.add(newest)
                    threading.Thread(target=self.served.get, daemon=True,
                                     args=("picture?frame=%d&w=54&h=54&q=80&coarse=1&independent=1&priority=2" % newest,)).start()

    def listen(self):
        """The newest state, over and over."""
        latest, fresh = [None], threading.Event()

        def read():
            try:
                with self.served.stream() as stream:
                    for line in stream:
                        if line.startswith(b"data: "):
                            all_ = json.loads(line[6:])
                            latest[0] = all_["sources"][-1]
                            fresh.set()
                        if self.over:
                            break
            except OSError:
                pass
            latest[0] = None
            fresh.set()

        threading.Thread(target=read, daemon=True).start()
        while True:
            fresh.wait()
            fresh.clear()
            yield latest[0]


def run_bake(billow, out, how, page):
    """Seconds of a bake that is looked at in that way."""
    shutil.rmtree(out, ignore_errors=True)
    words = ["--frames", "1-%d" % RUN_FRAMES, "--out", out]
    if how == "alone":
        subprocess.run([billow, "bake", SMOKE, *words], check=True, capture_output=True)
        return seconds_of(out), 0
    served = Served(billow, "bake", SMOKE, "--view=gentle" if how == "gentle" else "--view", *words)
    if how == "Chromium":
        page.driver.get(served.address)
        wait(lambda: served.state()["ended"] is not None, 300)
        page.driver.get("about:blank")
        seen = 1
    else:
        looker = Looker(served)
        looker.join(300)
        looker.over, seen = True, looker.seen
    served.end()
    return seconds_of(out), seen


def cost(billow, folder, rounds, page):
    kinds = ["alone", "at rest", "gentle"] + (["Chromium"] if page else [])
    took = {k: [] for k in kinds}
    pictures = {k: 0 for k in kinds}
    for r in range(rounds):
        for k in kinds[r % len(kinds):] + kinds[:r % len(kinds)]:
            seconds, seen = run_bake(billow, folder + "/run", k, page)
            took[k].append(seconds)
            pictures[k] += seen
    alone = statistics.median(took["alone"])
    say("a bake of %d frames of 128³, alone, s" % RUN_FRAMES, " ".join("%.2f" % t for t in took["alone"]))
    for k in kinds[1:]:
        what = {"at rest": "… one viewer at rest", "gentle": "… --view=gentle", "Chromium": "… Chromium on the same cores"}[k]
        more = 100 * (statistics.median(took[k]) / alone - 1)
        say(what + ", s", "%s: %+.1f %%, pictures %d" % (" ".join("%.2f" % t for t in took[k]), more, pictures[k]),
            "at most 10 %" if k == "at rest" else "")


# ---- a finished cache ----

def eye_of(scene, turn):
    """The movie's camera, turned round what it looks at."""
    at, target = scene["camera"]["at"], scene["camera"]["target"]
    x, y = at[0] - target[0], at[1] - target[1]
    c, s = math.cos(turn), math.sin(turn)
    numbers = {"ex": target[0] + c * x - s * y, "ey": target[1] + s * x + c * y, "ez": at[2], "angle": scene["camera"]["angle"],
               "tx": target[0], "ty": target[1], "tz": target[2], "ux": 0, "uy": 0, "uz": 1}
    return "&".join("%s=%.10g" % pair for pair in numbers.items())


def first_picture(billow, cache, frame):
    start = time.time()
    served = Served(billow, "view", cache)
    served.get("scene?frame=%d" % frame)
    served.get("picture?frame=%d&w=640&h=360&coarse=1&q=78" % frame)
    took = time.time() - start
    served.end()
    return took


def in_chromium(billow, cache, page):
    start = time.time()
    served = Served(billow, "view", cache)
    page.driver.get(served.address)
    wait(page.shown)
    took = time.time() - start
    page.driver.get("about:blank")
    served.end()
    return took


def pictures_of(billow, caches, frame):
    served = {name: Served(billow, "view", out) for name, out in caches.items()}
    scene = {name: json.loads(s.get("scene?frame=%d" % frame)[1]) for name, s in served.items()}
    rates, sharp = {name: [] for name in caches}, {name: [] for name in caches}
    turn = 0.0
    for _ in range(3):
        for name, s in served.items():
            start = time.time()
            for _ in range(30):
                turn += 0.03
                s.get("picture?frame=%d&w=480&h=270&coarse=1&q=78&client=a&%s" % (frame, eye_of(scene[name], turn)))
            rates[name].append(30 / (time.time() - start))
            for _ in range(2):
                turn += 0.03
                start = time.time()
                s.get("picture?frame=%d&w=960&h=540&q=92&priority=1&client=a&%s" % (frame, eye_of(scene[name], turn)))
                sharp[name].append(time.time() - start)
    for name, wanted in (("smoke", "at least 12"), ("fire", "at least 8")):
        say("turning at 480×270, %s, pictures a second" % name, " ".join("%.1f" % r for r in rates[name]), wanted)
    for name in caches:
        say("960×540 at rest, %s, s" % name, "%.2f (%.2f to %.2f)" % (statistics.median(sharp[name]), min(sharp[name]), max(sharp[name])),
            "at most 0.5")
    for s in served.values():
        s.end()


# ---- a preset that is tuned ----

def tried(served, text):
    """Seconds to the first picture, and until a second of film is there; how much wider the voxels are."""
    before, start = served.state()["id"], time.time()
    served.get("try", "POST", text.encode())
    first = None
    while True:
        state = served.state()
        frames = frames_of(state)
        if state["id"] == before or not frames:
            time.sleep(0.02)
            continue
        if first is None:
            served.get("picture?source=%d&frame=%d&w=480&h=270&coarse=1&q=78" % (state["id"], min(frames)))
            first = time.time() - start
        if max(frames) >= 24 or state["ended"]:
            return first, time.time() - start, state["coarse"]
        time.sleep(0.02)


def tuned(billow, folder, preset, buoyancy):
    served = Served(billow, "tune", preset, folder=folder)
    text = json.loads(served.get("preset")[1])["text"]
    served.get("try", "POST", text.encode())
    wait(lambda: served.get("state")[0] == 200)
    wait(lambda: max(frames_of(served.state()) + [0]) >= 24, 300)
    took = [tried(served, text.replace("buoyancy: %g," % buoyancy, "buoyancy: %g," % (k * buoyancy))) for k in (1.5, 0.7, 2)]
    say(preset + ", from a changed knob to the first picture, s", " ".join("%.1f" % t[0] for t in took), "at most 1")
    say("… to one second of film, s", " ".join("%.1f" % t[1] for t in took), "at most 3")
    say("… in voxels so many times as wide", " ".join("%g" % t[2] for t in took))
    served.end()


def main():
    billow, folder = map(os.path.abspath, sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    start = time.time()
    os.makedirs(folder, exist_ok=True)
    caches = {"smoke": baked(billow, SMOKE, folder + "/smoke"),
              "fire": baked(billow, "campfire", folder + "/fire", "--mute", "mp4", "--set", "time.warmup=0", "--set", "time.frames=1-24")}
    say("two caches of 24 frames are there after, s", "%.0f" % (time.time() - start))
    page = Page(folder) if webdriver and os.path.exists(CHROMIUM) and os.path.exists(DRIVER) else None
    for name, out in caches.items():
        took = [first_picture(billow, out, 24) for _ in range(3)]
        say("first picture after the start, %s, s" % name, " ".join("%.2f" % t for t in took), "at most 1")
    if page:
        say("… in Chromium, its own start apart, smoke, s", " ".join("%.2f" % in_chromium(billow, caches["smoke"], page) for _ in range(3)))
        page.driver.quit()
    pictures_of(billow, caches, 24)
    tuned(billow, folder, "plume", 1)
    tuned(billow, folder, "campfire", 0.85)
    page = Page(folder) if page else None
    cost(billow, folder, rounds, page)
    if page:
        page.driver.quit()
    say("all that took, s", "%.0f" % (time.time() - start))


if __name__ == "__main__":
    main()
