#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""caches.py BILLOW FOLDER: one tour of the page on caches of presets that differ in kind: smoke, fire, particles, flat,
two domains. What they have is clicked, dragged and typed; what they lack is told. Screenshots go to FOLDER. Needs what
page.py needs.

Prints "N passed, N failed"."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import begin
from served import Served, bake, check, verdict, wait

try:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select
except ImportError:
    pass


class Tour:
    """The page, as it goes through a cache."""

    def __init__(self, page, name):
        self.page, self.name = page, name
        self.flat = page.run("return !billow.scene.renders")

    def check(self, what, good, said=""):
        return check("%s: %s" % (self.name, what), good, said)

    def facts(self):
        return self.page.at("facts").text

    def press(self, *keys):
        self.page.at("viewport").click()
        self.page.keys(*keys)
        self.page.settled()

    def cameras(self):
        page = self.page
        self.check("it turns", page.changes(lambda: page.drag(140, 30)))
        self.check("its smoke fills the picture", page.changes(lambda: self.press("1f")), page.camera())
        self.press("0")
        self.check("the movie's camera is back", page.camera()["target"] == page.run("return billow.scene.camera.target"))

    def marks(self, said):
        """Marks are drawn where they are, else the page says what is missing."""
        for key, name, words in (("o", "outlines", said.get("o", " outline")), ("t", "tiles", said.get("t", " tile")), ("v", "particles", said.get("v", "no particles"))):
            self.press(key)
            self.check(name, words is None or wait(lambda w=words: w in self.facts()), self.facts())
        self.page.shot("cache_%s" % self.name)
        box = said.get("d", not self.flat)
        if box:
            self.check("its domains", self.page.changes(lambda: self.press("d")), self.facts())
        self.press("otvd" if box else "otv")
        self.check("… and none any more", wait(lambda: self.facts().endswith("ms")), self.facts())

    def slices(self, fields):
        page = self.page
        if not self.flat:
            self.press("s")
        select = Select(page.at("slice-field"))
        names = {o.get_attribute("value") for o in select.options}
        self.check("its fields", fields <= names, names)
        seen = []
        for field in sorted(fields):
            select.select_by_value(field)
            page.settled()
            seen.append(tuple(page.seen()))
            self.check("a slice of " + field, not page.words() and max(seen[-1]) - min(seen[-1]) > 20, page.words())
        self.check("… which differ", len(set(seen)) == len(seen))
        flow = any(f.split("@")[0] in ("vel", "velocity") for f in names)
        ways = [o.is_enabled() for o in Select(page.at("slice-vectors")).options]
        self.check("arrows where there is a flow, and no others", ways[1:] == [flow, flow], ways)
        self.press("i")
        page.actions().move_to_element_with_offset(page.at("viewport"), 0, 40).perform()
        told = lambda: page.at("probe-values").text
        self.check("the probe tells all of them", wait(lambda: all(n.split("@")[0] in told() for n in names if n)), told())
        self.check("… of each domain", all(n.split("@")[1] in told() for n in names if "@" in n), told())
        page.shot("cache_%s_slice" % self.name)
        self.press("i")
        if not self.flat:
            self.press("r")

    def timeline(self, last):
        page = self.page
        self.press(Keys.END)
        self.check("its last frame", page.frame() == last, page.frame())
        page.actions().click_and_hold(page.at("timeline")).move_by_offset(-150, 0).move_by_offset(-150, 0).release().perform()
        self.check("it is scrubbed", page.frame() < last, page.frame())
        self.press(Keys.HOME)
        page.keys(" ")
        self.check("it plays", wait(lambda: page.frame() > 1) and page.run("return billow.timeline.playing"))
        self.press(" ")
        self.check("small pictures along the time", wait(lambda: page.run("const t = billow.timeline.thumbnails;"
                   "return t.frames.some((f) => f !== undefined && t.images.get(t.key(f))?.width > 0)")))

    def numbers(self):
        plot = Select(self.page.at("plot-what"))
        for what in ("seconds by stage", "memory, GiB"):
            plot.select_by_visible_text(what)
            self.check("a plot of " + what, wait(lambda: self.page.run("return billow.plots.data?.length > 1")))

    def saves(self):
        self.press("g")
        said = lambda: self.page.at("save-result").text
        self.check("its picture is saved", wait(lambda: said().endswith(".png")) and os.path.getsize(said()) > 1000, said())


def tour(page, name, fields, said=None, last=3, ours=True):
    """All of it; `said`: by key, words of the marks."""
    t = Tour(page, name)
    if not t.flat:
        t.cameras()
    t.marks(said or {})
    t.slices(fields)
    t.timeline(last)
    if ours:
        t.numbers()
    t.saves()
    page.clean(name)


SCALARS = {"density", "temperature"}
# a tenth of the tracers
FEWER = [w for of in ("core", "disc", "bonnet", "curtain") for w in ("--set", "stages.%s.count=10000" % of)]
CACHES = (("plume", SCALARS, {}),
          ("campfire", SCALARS | {"flame"}, {}),
          ("vortex_ring", {"density"}, {"v": " vortons"}),
          ("ink_2d", {"dye"}, {"o": None}),
          ("plume_nested", SCALARS | {"density@near", "temperature@near", "vel@near"}, {}))


def main():
    billow, pictures = map(os.path.abspath, sys.argv[1:3])
    page = begin(pictures)
    page.size(720, 480) # its pictures are a quarter of those at 1280 × 720
    try:
        with tempfile.TemporaryDirectory(prefix="billow-caches-") as work:
            for name, fields, said in CACHES:
                folder = os.path.join(work, name)
                bake(billow, folder, "--quick", "--set", "time.frames=1-3", "--set", "time.warmup=2",
                     "--set", "export.mp4.width=320", *(FEWER if name == "vortex_ring" else ()), preset=name)
                served = Served(billow, "view", folder)
                check(name + ": the first picture", page.open(served.address), page.words())
                tour(page, name, fields, said)
                page.driver.get("about:blank")
                page.driver.get_log("browser")
                check(name + ": the program ends", served.end() == 0)
    finally:
        page.driver.quit()
    verdict()


if __name__ == "__main__":
    main()
