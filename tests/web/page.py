#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""page.py BILLOW FOLDER: the page in a real browser, each thing of it clicked, dragged and typed; screenshots go to
FOLDER. Debian's Chromium, its driver and python3-selenium; without them the test is skipped.

Prints "N passed, N failed"."""
import math
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import apart, begin
from served import WISP, Served, bake, check, movie_frames, verdict, wait

try:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select
except ImportError:
    pass

UNNAMED = """return [...document.querySelectorAll('button, select, input, [role=slider], [role=application]')].filter((e) =>
  e.offsetParent && !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML);"""
# Words whose contrast with their ground is below 4.5 to 1 (WCAG AA), but for what is disabled.
PALE = """const lin = (x) => x <= 10 ? x / 3294 : ((x / 255 + 0.055) / 1.055) ** 2.4;
const light = (c) => 0.2126 * lin(c[0]) + 0.7152 * lin(c[1]) + 0.0722 * lin(c[2]);
const rgb = (s) => (s.match(/[\\d.]+/g) ?? []).map(Number);
const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.9) return c; } return [0, 0, 0]; };
return [...document.querySelectorAll('body *')].filter((e) => e.offsetParent && !e.disabled && !e.closest('canvas, #plot, #viewport') &&
  [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())).map((e) => {
  const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e));
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.textContent.trim().slice(0, 30)]; }).filter(([k]) => k < 4.5);"""
# Pixels from the middle of the label "5" to frame 5 of the plot.
TICK = """const label = [...document.querySelectorAll('.dygraph-axis-label-x')].find((e) => e.textContent === '5');
const range = document.createRange(), box = document.getElementById('plot').getBoundingClientRect();
if (!label) return null;
range.selectNodeContents(label);
const at = range.getBoundingClientRect();
return (at.left + at.right) / 2 - box.left - billow.plots.graph.toDomXCoord(5);"""

# What the small pictures show: brightness in columns of each; and what was asked for them.
THUMBS = """const t = billow.timeline, n = t.thumbnails.frames.length, h = Math.round(t.canvas.height * 0.56);
const s = new OffscreenCanvas(8 * n, 4), g = s.getContext('2d');
g.drawImage(t.canvas, 0, 0, t.canvas.width, h, 0, 0, 8 * n, 4);
const seen = g.getImageData(0, 0, 8 * n, 4).data;
return Array.from({ length: n }, (_, i) => Array.from({ length: 32 }, (_, k) => seen[4 * (i * 8 + k % 8 + 8 * n * (k >> 3)) + 1]));"""
ASKED = """return performance.getEntriesByType('resource').map((e) => e.name).filter((n) => n.includes('h=54&q=80&independent=1&priority=2'))"""


# Where the picture differs from what it was at KEEP: left, top, right, bottom.
PIXELS = """const c = document.getElementById('picture'), g = new OffscreenCanvas(c.width, c.height).getContext('2d');
g.drawImage(c, 0, 0);
const d = g.getImageData(0, 0, c.width, c.height).data;
"""
KEEP = PIXELS + "window.kept = d;"
CHANGED = PIXELS + """
const box = [1e9, 1e9, -1, -1];
for (let i = 0; i < d.length; i += 4) {
  if (Math.abs(d[i] - window.kept[i]) + Math.abs(d[i + 1] - window.kept[i + 1]) < 60) continue;
  const x = i / 4 % c.width, y = Math.floor(i / 4 / c.width);
  box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y); box[2] = Math.max(box[2], x); box[3] = Math.max(box[3], y);
}
return box;"""


def camera_moves(page):
    """Mouse, wheel and keys, one by one."""
    def moves(what, act, *changed):
        before = page.camera()
        good = page.changes(act)
        after = page.camera()
        differ = [k for k in before if before[k] != after[k]]
        check(what, good and set(changed) <= set(differ), differ)

    moves("drag turns", lambda: page.drag(120, 40), "azimuth", "elevation")
    page.shot("turned")
    moves("Shift and drag moves", lambda: page.drag(80, -30, Keys.SHIFT), "target")
    moves("Ctrl and drag comes nearer", lambda: page.drag(0, -60, Keys.CONTROL), "distance")
    moves("Alt and drag rolls", lambda: page.drag(80, 0, Keys.ALT), "roll")
    moves("the wheel goes away", lambda: page.wheel(300), "distance")
    moves("Q rolls", lambda: page.keys("qq"), "roll")
    moves("+ comes nearer", lambda: page.keys("++"), "distance")
    moves("Shift and an arrow turns", lambda: page.actions().key_down(Keys.SHIFT).send_keys(Keys.ARROW_LEFT * 3)
          .key_up(Keys.SHIFT).perform(), "azimuth")
    moves("Ctrl and an arrow moves", lambda: page.actions().key_down(Keys.CONTROL).send_keys(Keys.ARROW_UP * 3)
          .key_up(Keys.CONTROL).perform(), "target")
    own = page.run("return billow.scene.camera.target")
    moves("0 is the movie's camera", lambda: page.keys("0"), "azimuth", "roll")
    check("… at its target", page.camera()["target"] == own)
    for key, button, azimuth, elevation in (("1", "front", 0, 0), ("3", "right", 1.5708, 0), ("7", "top", 0, 1.5708)):
        moves(key + " looks from the " + button, lambda k=key: page.keys(k), "azimuth" if key != "7" else "elevation")
        c = page.camera()
        check("… there", abs(c["azimuth"] - azimuth) < 1e-3 and abs(c["elevation"] - elevation) < 1e-3 and c["parallel"], c)
        page.click("camera-movie")
        moves("… as its button does", lambda b=button: page.click("camera-" + b), "parallel")
        if key == "1":
            page.click("camera-front")
            check("… and its other side", abs(page.camera()["azimuth"] - 3.1416) < 1e-3, page.camera())
        page.click("camera-movie")
    page.shot("top")
    for key, azimuth, elevation in (("1", 3.1416, 0), ("3", -1.5708, 0), ("7", 0, -1.5708)):
        page.actions().key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()
        c = page.camera()
        check("Ctrl %s looks from the other side" % key, abs(c["azimuth"] - azimuth) < 1e-3 and abs(c["elevation"] - elevation) < 1e-3, c)
    page.click("camera-movie")
    moves("5 takes perspective away", lambda: page.keys("15"), "azimuth")
    check("… and brings it back", not page.camera()["parallel"])
    page.click("camera-movie")
    page.wheel(900)
    moves("F frames what is seen", lambda: (page.keys("f"), wait(lambda: page.camera()["distance"] < 3)), "distance")
    page.shot("framed")
    page.click("camera-movie")


def slices(page):
    check("S shows a slice", page.changes(lambda: page.keys("s")) and page.at("slice-panel").is_displayed())
    page.shot("slice")
    names = [o.get_attribute("value") for o in Select(page.at("slice-field")).options]
    check("its fields", {"density", "temperature", "vel"} <= set(names), names)
    for what, act in (("another field", lambda: Select(page.at("slice-field")).select_by_value("temperature")),
                      ("other colours", lambda: Select(page.at("slice-map")).select_by_visible_text("viridis")),
                      ("arrows", lambda: Select(page.at("slice-vectors")).select_by_visible_text("arrows")),
                      ("streamlines", lambda: Select(page.at("slice-vectors")).select_by_visible_text("streamlines")),
                      ("another axis", lambda: Select(page.at("slice-axis")).select_by_visible_text("z")),
                      ("the axis by key", lambda: (page.at("viewport").click(), page.keys("x"))),
                      ("the wheel moves it", lambda: page.wheel(-600)), ("[ moves it", lambda: page.keys("[[[")),
                      ("a range by hand", lambda: page.at("slice-hi").send_keys("0.2" + Keys.TAB)),
                      ("its lower end", lambda: page.at("slice-lo").send_keys("0.05" + Keys.TAB))):
        check("slice: " + what, page.changes(act), page.words())
    page.shot("slice_temperature")
    check("slice: its slider", page.changes(lambda: page.at("slice-pos").send_keys(Keys.HOME)), page.words())
    page.at("viewport").click()
    for end in ("lo", "hi"):
        page.at("slice-" + end).clear()
    page.at("viewport").click()
    page.keys("y") # through the middle again
    page.settled()
    page.keys("h")
    held = page.run("return ['lo', 'hi'].map((e) => document.getElementById('slice-' + e).value)")
    check("its unit is told", page.at("slice-info").text == "Colours in K above ambient." and float(held[1]) > 100, (held, page.at("slice-info").text))
    check("H holds the range that is shown", all(held) and float(held[0]) < float(held[1]), held)
    page.keys("h")
    check("… or finds it by itself again", page.run("return document.getElementById('slice-hi').value") == "")
    check("R renders again", page.changes(lambda: (page.at("viewport").click(), page.keys("r"))) and
          not page.at("slice-panel").is_displayed())


def looks(page):
    """The form of a cache's look: what is changed is seen, told, and taken home."""
    def row(key, css):
        return page.driver.find_element("css selector", "#look-form .row[data-path='look.%s'] %s" % (key, css))

    def typed(key, text):
        row(key, "input.number").send_keys(Keys.CONTROL + "a" + Keys.NULL, text + Keys.TAB)

    page.at("viewport").click()
    page.keys("a")
    check("A opens the look, as it was baked", wait(lambda: page.at("look-form").text) and not page.at("look-home").is_displayed())
    before = page.settled() and page.seen()
    check("brighter", page.changes(lambda: typed("exposure", "3")) and sum(page.seen()) > 1.2 * sum(before), page.words())
    check("thicker, by its slider", page.changes(lambda: row("thickness", "input[type=range]").send_keys(Keys.END)), page.words())
    check("under a sky", page.changes(lambda: Select(row("sky", "select")).select_by_visible_text("sun")), page.words())
    lines = page.at("look-text").text.split("\n")
    check("what is changed stands there as a preset has it", lines == ["look:", "  exposure: 3", "  thickness: 2", "  sky: sun"], lines)
    page.shot("look")
    page.click("look-command")
    told = wait(lambda: page.run("const e = document.getElementById('look-copied'); return !e.hidden && e.textContent"))
    command = page.run("return billow.lookPanel.command()")
    check("… and as a command", told and command.endswith(" --set look.exposure=3 --set look.thickness=2 --set look.sky=sun"), command)
    check("as it was baked, to compare", page.changes(lambda: page.click("look-own")) and apart(page.seen(), before) < 1)
    check("… and back", page.changes(lambda: page.click("look-own")))
    typed("exposure", "-1")
    check("what is out of range is told, and changes nothing", wait(lambda: "out of range" in page.at("look-mistake").text) and
          "exposure: 3" in page.at("look-text").text, page.at("look-mistake").text)
    page.driver.find_element("css selector", "#look-form .row[data-path='look.exposure'] .back").click()
    check("× takes one back", wait(lambda: "exposure" not in page.at("look-text").text and page.at("look-mistake").text == ""), page.at("look-text").text)
    check("Reset takes all back", page.changes(lambda: page.click("look-reset")) and page.settled() and apart(page.seen(), before) < 1 and
          not page.at("look-home").is_displayed())
    page.at("viewport").click()
    page.keys("a")
    check("A closes it", not page.at("look").is_displayed() and page.settled())


def overlays(page):
    """What is drawn over the picture, and the values under the cursor."""
    facts = lambda: page.at("facts").text
    page.at("viewport").click()
    page.settled()
    bare = page.seen()
    for key, button, said in (("o", "outlines", "2 outlines"), ("d", "domain", "ms"), ("t", "tiles", " tiles"),
                              ("v", "particles", "no particles")):
        check("%s draws %s" % (key.upper(), button), page.changes(lambda k=key: page.keys(k)) and said in facts() if key != "v"
              else (page.keys(key), page.settled()) and wait(lambda: said in facts()), facts())
        if key == "t":
            page.shot("marks")
        page.click("overlay-" + button)
    page.settled()
    check("they go again", apart(bare, page.seen()) < 0.1)
    page.keys("1")
    page.settled()
    page.run(KEEP)
    check("D again", page.changes(lambda: page.keys("d")))
    box, c = page.run(CHANGED), page.camera()
    across = page.run("return [billow.viewport.canvas.width, billow.viewport.canvas.height]")
    metre = across[1] / (2 * c["distance"] * math.tan(c["angle"] / 2)) # wisp's box is 0.64 m wide and 0.96 m high
    want = [across[0] / 2 - 0.32 * metre, across[1] / 2 + (c["target"][2] - 0.96) * metre,
            across[0] / 2 + 0.32 * metre, across[1] / 2 + c["target"][2] * metre]
    check("… where the camera has it", max(abs(a - b) for a, b in zip(box, want)) < 4, (box, want))
    page.keys("d0")
    page.settled()
    page.keys("i")
    page.actions().move_to_element_with_offset(page.at("viewport"), 0, 100).perform()
    where = lambda: page.at("probe-where").text
    check("I tells values where smoke is met", wait(lambda: "m · first smoke" in where() or "obstacle" in where()), where())
    said = page.at("probe-values").text
    check("… of all fields, in units", all(x in said for x in ("density", "temperature", " K", "vel", " m/s")), said)
    page.shot("probe")
    page.actions().move_to_element_with_offset(page.at("viewport"), -500, -200).perform()
    check("… and nothing where nothing is", wait(lambda: where() == "nothing there"), where())
    page.keys("s")
    page.actions().move_to_element_with_offset(page.at("viewport"), 0, 100).perform()
    check("of a slice the cell", wait(lambda: "this cell" in where()), where())
    page.keys("ri")
    check("I ends it", not page.at("probe").is_displayed())


def saves(page):
    """A picture, cameras by keys, a movie along them."""
    said = lambda: page.at("save-result").text
    page.at("viewport").click()
    page.keys(Keys.HOME)
    page.settled()
    page.keys("g")
    check("G saves a picture", wait(lambda: said().endswith("views/wisp_001.png")) and os.path.exists(said()), said())
    first = said()
    for n in ("2", "3"): # with the domain over it, and without it again
        page.keys("d")
        page.settled()
        page.keys("g")
        wait(lambda k=n: said().endswith("00%s.png" % k))
        with open(first, "rb") as a, open(said(), "rb") as b:
            check("… as it is seen, " + n, (a.read() == b.read()) == (n == "3"), said())
    page.keys("k")
    page.keys(Keys.END)
    page.drag(200, 0)
    page.keys("k")
    check("K keys the camera", page.at("path-keyframe").text == "Drop keyframe (2)", page.at("path-keyframe").text)
    turned = page.camera()["azimuth"]
    page.click("path-follow")
    page.at("viewport").click()
    page.keys(Keys.HOME)
    check("along its keys it goes back", wait(lambda: abs(page.camera()["azimuth"] - turned) > 0.5), page.camera())
    page.run("billow.seek(7)")
    middle = page.camera()["azimuth"]
    check("… and stands between them between them", abs(middle - turned) > 0.2 and
          abs(middle - page.run("return billow.cameraPath.keyframes[0].azimuth")) > 0.2, (middle, turned))
    page.keys("m")
    check("M asks which movie", wait(lambda: page.at("movie").is_displayed()) and
          page.run("return document.getElementById('movie-camera').value") == "keys")
    Select(page.at("movie-height")).select_by_value("360")
    page.shot("movie")
    page.at("movie-from").clear()
    page.at("movie-from").send_keys("9" + Keys.ENTER)
    check("it is made, and told", wait(lambda: said().endswith("views/wisp_001.mp4")) and movie_frames(said()) == 4, said())
    page.shot("saved")
    page.click("path-clear")
    check("keys are taken away", page.at("path-keyframe").text == "Add keyframe" and not page.at("path-follow").is_enabled())
    page.click("camera-movie")


DRAFTS = """const v = billow.viewport, fetched = v.fetchPicture;
window.asked = [];
Object.defineProperty(v, 'cpuMs', { get: () => 1e6, set() {}, configurable: true });
v.fetchPicture = function (query, ...more) { asked.push(query); return fetched.call(this, query, ...more); };"""
LOST = """const asks = window.fetch;
window.fetch = (what, ...how) => {
  if (!what.includes('priority=1')) return asks(what, ...how);
  window.fetch = asks;
  window.lost = true;
  return Promise.resolve(new Response(null, { status: 204 }));
};"""


# The scene, once, as of a frame that has nothing to render.
EMPTY = """const asks = window.fetch;
window.fetch = async (what, ...how) => {
  const answer = await asks(what, ...how);
  if (!what.startsWith('scene?')) return answer;
  window.fetch = asks;
  return new Response(JSON.stringify({ ...await answer.json(), renders: false }));
};
billow.loadScene();"""


def nothing_to_render(page):
    """A frame without smoke is shown as a slice, and only it."""
    page.run(EMPTY)
    check("what has nothing to render is a slice", wait(lambda: page.run("return billow.mode") == "slice"))
    page.run("billow.loadScene()")
    check("what comes after it is rendered", wait(lambda: page.run("return billow.mode") == "render"))
    page.click("camera-movie")
    page.settled()


def superseded_request(page):
    """A sharp picture that the server drops for the quick one before it, which came to it later, is asked for again."""
    page.run(LOST)
    page.at("viewport").click()
    page.drag(40, 0)
    check("a sharp picture that is dropped comes all the same", wait(lambda: page.run("return !!window.lost")) and page.settled())
    page.click("camera-movie")


def draft_before_sharp(page):
    """A picture at rest that takes long comes as a draft of its size first."""
    def drafts():
        asked = page.run("return asked")
        return [a for i, a in enumerate(asked) if "coarse=0" in a and a.replace("coarse=0", "coarse=1") in asked[:i]]
    page.run(DRAFTS)
    page.at("viewport").click()
    page.drag(70, 0) # elsewhere: pictures are kept
    check("before a sharp picture that takes long a draft of its size comes", wait(drafts), page.run("return asked"))
    page.run("const v = billow.viewport; delete v.fetchPicture; delete v.cpuMs; v.cpuMs = 0;")
    page.click("camera-movie")


def timeline(page):
    page.at("viewport").click()
    page.keys(Keys.HOME)
    check("Home is the first frame", page.frame() == 1)
    page.keys(Keys.ARROW_RIGHT * 3)
    check("an arrow is a frame", page.frame() == 4)
    page.click("previous")
    check("so is a button", page.frame() == 3)
    page.click("next")
    page.click("last")
    check("the last frame", page.frame() == 12)
    box = page.at("timeline")
    page.actions().click_and_hold(box).move_by_offset(-60, 0).move_by_offset(-100, 0).release().perform()
    middle = page.frame()
    check("the timeline is dragged", 1 <= middle < 8, middle)
    number = page.at("frame")
    number.clear()
    number.send_keys("9" + Keys.ENTER)
    check("a number is typed", page.frame() == 9)
    check("its picture comes", wait(lambda: page.shown() == "9 sharp"), page.shown())
    page.click("loop")
    page.at("viewport").click()
    page.keys(" ")
    check("Space plays to the end", wait(lambda: page.frame() == 12 and not page.run("return billow.timeline.playing")))
    page.keys("l")
    Select(page.at("speed")).select_by_visible_text("2")
    page.click("play")
    check("… and begins again, looped", wait(lambda: page.frame() < 12))
    check("it goes on", wait(lambda: page.frame() > 5))
    page.click("play")
    check("until it is stopped", not page.run("return billow.timeline.playing"))
    thumbnails(page)


def thumbnails(page):
    """Small pictures above the bar: all that fit, of different frames, and no more is asked for then."""
    there = """const t = billow.timeline.thumbnails;
        return t.frames.map((f) => f === undefined ? -1 : t.images.get(t.key(f))?.width ?? 0)"""
    wide = page.run("return billow.timeline.box.clientWidth")
    check("small pictures fill the timeline", wait(lambda: min(page.run(there)) > 0) and
          len(page.run(there)) >= min(12, wide // 100), page.run(there))
    rows = page.run(THUMBS)
    check("… of what is in each frame", len(set(map(tuple, rows))) > len(rows) // 2 and max(max(r) for r in rows) > 60, rows)
    asked = page.run(ASKED)
    page.keys(Keys.ARROW_LEFT)
    page.settled()
    check("… once each", len(asked) == len(set(asked)) == len(rows) and page.run(ASKED) == asked, asked)
    page.click("viewport")


def plots(page):
    plot = Select(page.at("plot-what"))
    labels = [o.text for o in plot.options]
    check("plots of stages and metrics", {"seconds by stage", "memory, GiB", "cells", "mac.project.divergence"} <= set(labels), labels)
    check("a plot is drawn", wait(lambda: page.run("return !!document.querySelector('#plot canvas')")))
    check("… with its lines", len(page.run("return billow.plots.graph.getLabels()")) > 5)
    plot.select_by_visible_text("cells")
    check("another one", page.run("return billow.plots.graph.getLabels().join()") == "frame,cells")
    page.run("const p = billow.plots; p.tables.timings.names.push('ranks.bytes'); p.updateChoices();")  # of a bake by several
    check("one of what processes sent", "ranks.bytes" in [o.text for o in plot.options])
    off = page.run(TICK)
    check("ticks stand where they say", off is not None and abs(off) < 3, off)
    before = page.frame()

    def goes():
        page.actions().move_to_element_with_offset(page.at("plot"), -200, 0).click().perform()
        return wait(lambda: page.frame() != before, 10)

    check("a click goes to its frame", goes() or goes(), (before, page.frame()))  # a plot that is drawn anew drops a click
    check("the legend tells its value", page.at("plot-legend").text.startswith("cells"), page.at("plot-legend").text)


def accessibility(page):
    """Names, focus, help, other sizes, fingers."""
    check("everything has a name", not page.run(UNNAMED), page.run(UNNAMED))
    page.at("viewport").click()
    page.keys("?")
    check("? tells the keys", page.at("help").is_displayed())
    page.shot("help")
    page.keys(Keys.ESCAPE)
    page.run("document.activeElement.blur()")
    ways = []
    for _ in range(40):
        page.keys(Keys.TAB)
        ways.append(page.run("return document.activeElement.id"))
    check("Tab leads everywhere", {"viewport", "mode-slice", "camera-top", "play", "timeline", "frame"} <= set(ways), ways)
    check("words can be read against what is behind them", not page.run(PALE), page.run(PALE))
    page.click("camera-movie")
    page.size(390, 844, touch=True)
    check("a phone: nothing sticks out", wait(lambda: page.run(
        "return document.documentElement.scrollWidth <= innerWidth + 1")))
    wait(lambda: page.run("return billow.viewport.canvas.width === 390"))
    before = page.camera()
    page.touch("touchStart", (150, 250))
    page.touch("touchMove", (190, 250))
    page.touch("touchMove", (230, 260))
    page.touch("touchEnd")
    check("a finger turns", page.camera()["azimuth"] != before["azimuth"])
    before = page.camera()
    page.touch("touchStart", (150, 250), (220, 250))
    page.touch("touchMove", (120, 250), (250, 270))
    page.touch("touchMove", (100, 240), (270, 290))
    page.touch("touchEnd")
    after = page.camera()
    check("two fingers come nearer and roll", after["distance"] < before["distance"] and after["roll"] != before["roll"],
          (before, after))
    check("… and move", math.dist(before["target"], after["target"]) > 1e-3, (before, after))
    page.settled()
    page.shot("phone")
    page.size(1280, 720)


def finished_bake(billow, page, work):
    folder = os.path.join(work, "wisp")
    bake(billow, folder)
    served = Served(billow, "view", folder)
    check("the first picture comes", page.open(served.address), page.words())
    check("… and shows something", max(page.seen()) - min(page.seen()) > 20)
    page.driver.get(served.address[:-2] + ("0/" if served.address[-2] != "0" else "1/"))
    check("a token that is wrong is told in words", "token" in page.run("return document.body.textContent"))
    refused = lambda: any("favicon" in e["message"] for e in page.driver.get_log("browser"))
    check("… and in the console, the last of it for its icon", wait(refused))
    page.open(served.address)
    page.keys(Keys.END)
    wait(lambda: page.shown() == "12 sharp")
    page.shot("cache")
    for part in (camera_moves, nothing_to_render, superseded_request, draft_before_sharp, slices, looks, overlays, saves, timeline, plots, accessibility):
        part(page)
    page.clean("a cache")
    shutil.rmtree(folder + "/vdb")
    check("a cache that is deleted is told", wait(lambda: "bad" in page.at("status").get_attribute("class")))
    page.keys("s")
    page.at("viewport").click()
    page.keys(Keys.HOME + "[[")
    check("… and so is a picture that can't be made", wait(page.words), page.words())
    page.shot("deleted")
    check("the program ends", served.end() == 0)
    check("the page tells that nobody answers", wait(lambda: "does not answer" in page.at("status").text))
    page.driver.get("about:blank")
    page.driver.get_log("browser") # of course it complains


FLAT = """billow: 1
name: flat
domain: {size: [0.32, 0.01, 0.32], voxel: 1 cm}
time: {frames: 1-2}
fields: {dye: {kind: vector, advect: true}}
stages:
  - mac.advect: {}
  - emit: {density: 1, dye: [0.1, 0.2, 0.5], shape: {sphere: {center: [0, 0, 0.16], radius: 8 cm}}}
  - mac.project: {}
export:
  - vdb: {fields: [density, dye]}
  - mp4: {view: slice, field: dye, map: ink, size: 120}
"""


def flat_cache(billow, page, work):
    """One cell thick: slices, as the movie has them."""
    with open(os.path.join(work, "flat.yaml"), "w", encoding="utf-8") as file:
        file.write(FLAT)
    bake(billow, os.path.join(work, "flat"), preset=os.path.join(work, "flat.yaml"))
    served = Served(billow, "view", os.path.join(work, "flat"))
    check("what is flat is shown as a slice", page.open(served.address) and page.at("slice-panel").is_displayed() and
          not page.at("look-show").is_displayed(), page.words())
    check("… as its movie is: ink on white", sum(page.seen()[3 * (64 * 3 + 24):][:3]) > 700, page.seen()[3 * (64 * 3 + 24):][:3])
    check("… or another field", page.changes(lambda: Select(page.at("slice-field")).select_by_value("density")))
    check("arrows without a flow are not offered, and why", "No flow" in page.at("slice-info").text and
          not any(o.is_enabled() for o in Select(page.at("slice-vectors")).options[1:]), page.at("slice-info").text)
    page.click("fullscreen")
    check("full screen", wait(lambda: page.run("return document.fullscreenElement && document.fullscreenElement.id") == "viewport"))
    page.keys(Keys.ENTER)
    check("… and back", wait(lambda: not page.run("return document.fullscreenElement")))
    page.clean("a flat one")
    page.driver.get("about:blank")
    check("the program ends", served.end() == 0)


def comparison(billow, page, work):
    """Two caches beside each other, by one camera."""
    for name, buoyancy in (("calm", "1"), ("hot", "5")):
        bake(billow, os.path.join(work, name), "--set", "stages.mac.forces.buoyancy=" + buoyancy)
    served = Served(billow, "view", os.path.join(work, "calm"), os.path.join(work, "hot"))
    check("two caches: one is shown", page.open(served.address), page.words())
    page.at("viewport").click()
    page.keys(Keys.END)
    page.settled()
    alone = page.seen()
    page.keys("c")
    check("C puts the other one beside it", page.at("compare-left").text.endswith("/calm") and wait(lambda: apart(alone, page.seen()) > 0.2))
    check("… by one camera", page.changes(lambda: page.drag(100, 20)))
    page.shot("two")
    shown = page.run("return billow.source.id")
    page.run("document.querySelector('.card:not(.shown) .back-to').click()")
    check("a click shows the other", wait(lambda: page.run("return billow.source.id") != shown) and page.settled())
    page.clean("two caches")
    page.driver.get("about:blank")
    check("the program ends", served.end() == 0)


def running_bake(billow, page, work):
    out = os.path.join(work, "running")
    served = Served(billow, "bake", WISP, "--view", "--out", out, "--set", "time.frames=1-4000", "--threads", "1", "--set",
                    "time.warmup=10", "--set", "stages.mac.project.max_iterations=2", held=1000)
    page.driver.get(served.address)
    check("that it works is told until there is a frame", wait(lambda: page.at("busy").is_displayed() and
          "first frame" in page.at("busy").text), page.at("busy").text)
    served.reads.set()
    check("a bake is seen while it runs", wait(lambda: page.shown().endswith("sharp")), page.words())
    first = page.frame()
    check("new frames come by themselves", wait(lambda: page.frame() > first + 2))
    check("… and no longer", wait(lambda: not page.at("busy").is_displayed()))
    check("progress is told, and the time left", "/4000" in page.at("status").text and "ETA" in page.at("status").text, page.at("status").text)
    check("so is what the machine does", " core" in page.at("machine").text and "GiB" in page.at("machine").text, page.at("machine").text)
    check("a warning stands in the log, with the stage that gave it", wait(lambda: page.run(
        "return document.querySelector('#log .warning')?.textContent ?? ''").startswith("mac.project: ")), page.at("log").text)
    page.shot("bake")
    check("its files are seen", wait(lambda: page.run("return Math.min(...billow.timeline.frames())") == 1))
    page.at("viewport").click()
    page.keys(Keys.HOME)
    wait(lambda: page.shown() == "1 sharp")
    newest = page.run("return Math.max(...billow.timeline.frames())")
    check("who looks back stays there", wait(lambda: page.run("return Math.max(...billow.timeline.frames())") > newest + 1)
          and page.frame() == 1, page.frame())
    page.click("live")
    check("until the newest is wanted again", wait(lambda: page.frame() > newest))
    check("plots grow", wait(lambda: page.run("return billow.plots.graph && billow.plots.data.length > 3")))
    page.click("checkpoint")
    check("a checkpoint is kept", wait(lambda: os.path.isdir(out + "/checkpoints") and os.listdir(out + "/checkpoints")))
    page.click("stop")
    check("it is stopped", wait(lambda: page.run("return billow.source.ended !== null")), page.at("status").text)
    check("the page stays", page.changes(lambda: page.drag(150, 30)))
    page.shot("stopped")
    page.clean("a bake")
    page.driver.get("about:blank")
    check("it ends when the page is closed, to be gone on with", served.wait() == 75, served.words_said)


def main():
    billow, pictures = sys.argv[1:3]
    page = begin(pictures)
    try:
        with tempfile.TemporaryDirectory(prefix="billow-page-") as work:
            finished_bake(billow, page, work)
            flat_cache(billow, page, work)
            comparison(billow, page, work)
            running_bake(billow, page, work)
    finally:
        page.driver.quit()
    verdict()


if __name__ == "__main__":
    main()
