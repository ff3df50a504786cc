#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""foreign.py BILLOW FOLDER: caches of other programs in a real browser: Blender's Mantaflow, where Blender is there;
files with gaps, half floats and large voxels; files that are torn, empty, or none at all: what can be seen is seen, the
rest is told. Screenshots go to FOLDER. Needs what page.py needs, and python3-openvdb.

Prints "N passed, N failed"."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import begin
from caches import tour
from served import HERE, Served, check, verdict, wait

try:
    import numpy
    import pyopenvdb as vdb
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select
except ImportError:
    print("skipped: python3-openvdb or python3-selenium is not installed")
    sys.exit(77)

MANTAFLOW = os.path.join(HERE, "..", "bench", "peers", "mantaflow.py")

# Nothing is asked for any more, and the last wish was answered, or refused.
IDLE = """const v = billow.viewport, { quick, sharp } = v.requests, said = !document.getElementById('message').hidden;
return !quick.busy && !sharp.busy && !billow.sceneLoading && (said || (v.isSharp && v.shownRequest === v.lastRequest))"""


def ball(n, middle, radius):
    x = numpy.indices((n, n, n)).astype(numpy.float32)
    return numpy.clip(radius - numpy.sqrt(sum((x[i] - middle[i]) ** 2 for i in range(3))), 0, 1).astype(numpy.float32)


def grid(name, values, voxel, at=0, half=False, kind=vdb.FloatGrid):
    g = kind()
    g.copyFromArray(values)
    g.name = name
    g.saveFloatAsHalf = half
    g.transform = vdb.createLinearTransform([[voxel, 0, 0, 0], [0, voxel, 0, 0], [0, 0, voxel, 0], [at, 0, 0, 1]])
    return g


def write(folder, frame, *grids):
    os.makedirs(folder, exist_ok=True)
    vdb.write("%s/fog_%04d.vdb" % (folder, frame), grids=list(grids))


class Viewed:
    """A page on a cache."""

    def __init__(self, billow, page, folder):
        self.page = page
        self.served = Served(billow, "view", folder)
        page.driver.get(self.served.address)
        wait(lambda: page.shown().endswith("sharp") or page.words())

    def bright(self):
        """The brightest of what is seen, apart from the stage's own light."""
        wait(lambda: self.page.run(IDLE))
        seen = self.page.seen()
        return max(seen) - sorted(seen)[len(seen) // 2]

    def fields(self):
        return [o.get_attribute("value") for o in Select(self.page.at("slice-field")).options]

    def key(self, key):
        self.page.at("viewport").click()
        self.page.keys(key)
        wait(lambda: self.page.run(IDLE))

    def end(self, what):
        self.page.driver.get("about:blank")
        self.page.driver.get_log("browser") # answers that refuse are told there
        check(what + ": the program ends", self.served.end() == 0, self.served.words_said)


def mantaflow(billow, page, work):
    folder = os.path.join(work, "fluid")
    subprocess.run([shutil.which("blender"), "-b", "--factory-startup", "--python", MANTAFLOW, "--", "cube", "32", "8", folder],
                   check=True, capture_output=True, timeout=120)
    v = Viewed(billow, page, folder)
    v.key(Keys.END)
    check("Mantaflow: its folder is enough, and shows its last frame", page.shown() == "8 sharp" and v.bright() > 40,
          (page.shown(), page.words()))
    check("… from frame 1 on", page.run("return billow.timeline.frames()[0]") == 1)
    page.shot("mantaflow")
    v.key("s")
    check("… with its fields", {"density", "temperature", "velocity"} <= set(v.fields()), v.fields())
    check("… and its flow", page.changes(lambda: Select(page.at("slice-vectors")).select_by_visible_text("arrows")), page.words())
    Select(page.at("slice-vectors")).select_by_visible_text("none")
    v.key("r")
    tour(page, "mantaflow", {"density", "temperature"}, {"o": "no preset", "d": False}, 8, False)
    shutil.rmtree(folder)
    check("a cache that is deleted is told", wait(lambda: "bad" in page.at("status").get_attribute("class")), page.at("status").text)
    check("… while what was seen stays", v.bright() > 40)
    v.end("Mantaflow")


def gaps(billow, page, work):
    """Frames that are not there, half floats, voxels of 50 units far from the origin, names of another program."""
    folder = os.path.join(work, "gaps")
    for f in (1, 2, 3, 7, 8):
        flow = numpy.zeros((32, 32, 32, 3), numpy.float32)
        flow[..., 2] = ball(32, (16, 16, 8 + f), 6)
        write(folder, f, grid("density", flow[..., 2], 50, 1e5, True), grid("heat", 2 * flow[..., 2], 50, 1e5),
              grid("velocity", flow, 50, 1e5, kind=vdb.Vec3SGrid))
    v = Viewed(billow, page, folder)
    check("gaps: the first frame is seen", v.bright() > 60, page.words())
    for _ in range(3):
        v.key(Keys.ARROW_RIGHT)
    check("… and what comes after a gap", page.shown() == "7 sharp" and v.bright() > 60, page.shown())
    page.shot("gaps")
    v.end("gaps")


def torn(billow, page, work):
    """Two files of five are broken: the others are seen all the same."""
    folder = os.path.join(work, "torn")
    for f in range(1, 6):
        write(folder, f, grid("density", ball(16, (8, 8, 8), 2 + f), 0.1))
    with open(folder + "/fog_0003.vdb", "w", encoding="utf-8") as file:
        file.write("no VDB")
    os.truncate(folder + "/fog_0004.vdb", os.path.getsize(folder + "/fog_0004.vdb") // 2)
    v = Viewed(billow, page, folder)
    check("torn: a frame before is seen", v.bright() > 30, page.words())
    v.key(Keys.ARROW_RIGHT * 2)
    check("a file that is torn is named", wait(lambda: "fog_0003.vdb" in page.words()), page.words())
    page.shot("torn")
    v.key(Keys.ARROW_RIGHT)
    check("… and the next", wait(lambda: "fog_0004.vdb" in page.words()), page.words())
    v.key(Keys.ARROW_RIGHT)
    check("a frame after is seen", wait(lambda: page.shown() == "5 sharp" and not page.words()), (page.shown(), page.words()))
    v.end("torn")


def nothing(billow, page, work):
    """Files in which there is nothing to be seen: each says why."""
    holed = ball(8, (4, 4, 4), 3)
    holed[4, 4, 4] = numpy.inf
    for name, grids, words in (("bare", [], "none at all"), ("endless", [grid("density", holed, 0.1)], "no finite")):
        folder = os.path.join(work, name)
        for f in range(1, 3):
            write(folder, f, *grids)
        v = Viewed(billow, page, folder)
        check(name + ": why nothing is seen", words in page.words() and "fog_0001.vdb" in page.words(), page.words())
        v.end(name)
    folder = os.path.join(work, "masks")
    for f in range(1, 3):
        write(folder, f, grid("mask", ball(8, (4, 4, 4), 3) > 0, 0.1, kind=vdb.BoolGrid))
    v = Viewed(billow, page, folder)
    check("masks: they are fields like any", not page.words(), page.words())
    v.end("masks")
    folder = os.path.join(work, "fake")
    os.makedirs(folder)
    for f in range(3):
        with open("%s/fog_%04d.vdb" % (folder, f), "w", encoding="utf-8") as file:
            file.write("no VDB " * 99)
    v = Viewed(billow, page, folder)
    check("files that are none are named", "fog_0000.vdb" in page.words() and "not a VDB file" in page.words(), page.words())
    page.shot("no_vdb")
    v.key("s")
    check("… in a slice, too", "not a VDB file" in page.words(), page.words())
    v.end("fake")
    folder = os.path.join(work, "void")
    for f in range(1, 3):
        write(folder, f, vdb.FloatGrid())
    v = Viewed(billow, page, folder)
    check("an empty frame says so", "nothing in it" in page.at("facts").text, page.at("facts").text)
    v.end("void")


def main():
    billow, pictures = map(os.path.abspath, sys.argv[1:3])
    page = begin(pictures)
    page.size(720, 480)
    try:
        with tempfile.TemporaryDirectory(prefix="billow-foreign-") as work:
            if shutil.which("blender"):
                mantaflow(billow, page, work)
            else:
                print("not tried: Blender is not installed")
            for part in (gaps, torn, nothing):
                part(billow, page, work)
    finally:
        page.driver.quit()
    verdict()


if __name__ == "__main__":
    main()
