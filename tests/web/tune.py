#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tune.py BILLOW FOLDER: `billow tune` in a real browser: form and text, what is baked of them, saving. Screenshots go
to FOLDER. Needs what page.py needs.

Prints "N passed, N failed"."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import apart, begin
from served import HERE, Served, check, verdict, wait

try:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select
except ImportError:
    pass

STILL = "return !billow.tune.busy && billow.tune.text === billow.tune.validText"

SEEING = """const { viewport: v, sceneKey, sceneLoading, frame, mode } = billow;
return [sceneKey, sceneLoading, frame, mode, v.isSharp, v.shownRequest, v.lastRequest, v.requests.quick.busy, v.requests.sharp.busy, billow.source.ranges,
  document.getElementById('message').textContent]"""


class Tuned:
    """The page of a preset that is tuned."""

    def __init__(self, page):
        self.page = page

    def row(self, path, what=""):
        """As the form stands when nothing is on its way to it: an answer of the server draws it anew."""
        wait(lambda: self.page.run("return !billow.tune.busy"))
        return self.page.driver.find_element(By.CSS_SELECTOR, "#form .row[data-path='%s'] %s" % (path, what))

    def text(self):
        return self.page.run("return billow.tune.text")

    def sources(self):
        """Numbers and words of what was tried, the oldest first."""
        return self.page.run("return billow.serverState.sources.map((s) => [s.id, s.changes])")

    def read(self):
        return wait(lambda: self.page.run(STILL), 10)

    def tries(self, what, act, words):
        """An act bakes anew, and says so; its picture comes."""
        newest = self.sources()[-1][0]
        act()
        good = wait(lambda: self.sources()[-1][0] > newest, 10)
        check(what + ": it is baked anew", good, self.sources())
        check("… and told", wait(lambda: words in self.sources()[-1][1], 10), self.sources()[-1])
        newest = lambda: "%d:" % self.sources()[-1][0] # the try before may come late
        seen = wait(lambda: self.page.run("return billow.sceneKey").startswith(newest()) and self.page.settled())
        check("… and seen", seen, [newest(), seen, self.sources(), self.page.run(SEEING)])

    def type(self, element, words):
        self.page.run("document.activeElement.blur()")
        element.click()
        element.send_keys(Keys.CONTROL + "a")
        element.send_keys(words + Keys.TAB)


def form(page, t):
    """Each kind of row, by hand."""
    check("what every stage takes is no amount", t.row("stages.source.frames", "input.plain"))
    check("what differs is marked", "differs" in t.row("stages.mac.forces.confinement").get_attribute("class") and
          "differs" not in t.row("stages.mac.forces.buoyancy").get_attribute("class"))
    check("its meaning is told", "Default: 0" in t.row("stages.mac.forces.confinement").get_attribute("title") and
          "1/s" in t.row("stages.mac.forces.confinement").get_attribute("title"))
    t.tries("a number", lambda: t.type(t.row("stages.mac.forces.buoyancy", "input.number"), "3"), "buoyancy 1 → 3")
    check("the text follows", "{buoyancy: 3, confinement: 0.3}" in t.text(), t.text())
    number = t.sources()[-1][0]
    slider = "input[type=range]"
    t.tries("a slider", lambda: t.row("stages.source.shape.sphere.radius", slider).send_keys(Keys.HOME),
            "radius 9 cm → 0 cm")
    page.click("undo")
    check("undo", wait(lambda: "radius: 9 cm" in t.text()) and t.read())
    check("… gives back what was tried, and goes on with it", wait(lambda: page.run("return billow.serverState.current") == number) and
          wait(lambda: page.run("return billow.timeline.frames().length") == 30), t.sources())
    page.click("redo")
    check("redo", wait(lambda: "radius: 0 cm" in t.text()) and t.read())
    page.click("undo")
    t.read()
    wrong, other = "stages.source.shape.sphere.radius", "stages.mac.forces.buoyancy"
    t.type(t.row(wrong, "input.number"), "5 mmm")
    check("a mistake in a row is told", wait(lambda: "mmm" in page.at("mistake").text), page.at("mistake").text)
    check("the row stays open, others rest", page.run("return ['%s', '%s'].map(p => [...document.querySelectorAll('#form .row')]"
                                                      ".find(r => r.dataset.path === p).inert)" % (wrong, other)) == [False, True])
    t.tries("mended in its row", lambda: t.type(t.row(wrong, "input.number"), "5 cm"), "radius 9 cm → 5 cm")
    check("all rows are open again", not page.run("return [...document.querySelectorAll('#form .row')].some(r => r.inert)"))
    page.click("undo")
    check("undo goes before the mistake", wait(lambda: "radius: 9 cm" in t.text()) and t.read())
    page.click("redo")
    check("redo of it", wait(lambda: "radius: 5 cm" in t.text()) and t.read())
    page.click("undo")
    t.read()
    page.at("viewport").click()
    page.actions().key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    check("… by key", wait(lambda: "buoyancy: 1" in t.text()) and t.read())
    cancelled_preview(page, t)
    page.run("document.querySelectorAll('#form details').forEach((d) => d.open = true)")
    t.tries("a choice", lambda: Select(t.row("stages.mac.advect.scheme", "select")).select_by_visible_text("semi-lagrangian"),
            "mac.advect.scheme")
    check("a bare stage has a map now", "- mac.advect: {scheme: semi-lagrangian}" in t.text(), t.text())
    t.tries("a box to tick", lambda: t.row("stages.mac.project.warm_start", "input").click(), "warm_start true → false")
    t.row("stages.mac.project.warm_start", ".back").click()
    check("the default again", wait(lambda: "warm_start" not in t.text()) and t.read(), t.text())
    t.tries("an expression", lambda: t.type(t.row("stages.source.temperature", "input.plain"), "=200 + 20*t"),
            "source.temperature")
    check("… is written in quotes", 'temperature: "=200 + 20*t"' in t.text(), t.text())
    check("comments stay", "# a ball" in t.text() and "# more than a second" in t.text())
    page.shot("tune_form")


def stages(page, t):
    """A stage more, and one less."""
    before = t.text()
    tool = lambda id, what: page.driver.find_element(By.CSS_SELECTOR, "#form details[data-path='stages.%s'] > summary %s" % (id, what))
    t.tries("a stage is added", lambda: Select(tool("source", ".add")).select_by_visible_text("force"), "force is new")
    check("… after the one, with what it needs", t.text().index("- emit:") < t.text().index("- force: {kind: {") < t.text().index("- mac.forces"), t.text())
    check("… and has its rows", t.row("stages.force.kind").is_displayed())
    t.tries("another of its type", lambda: Select(tool("force", ".add")).select_by_visible_text("force"), "force_2 is new")
    page.shot("tune_stages")
    t.tries("one is removed", lambda: tool("force", ".remove").click(), "force")
    check("… from the text", "- force: {id: force_2" in t.text() and "- force: {kind" not in t.text(), t.text())
    tool("force_2", ".remove").click()
    check("so is the other; all else stays as it was", t.read() and t.text() == before, t.text())
    for _ in range(4):
        page.click("undo")
        t.read()
    check("undo knows of stages", t.text() == before, t.text())


def cancelled_preview(page, t):
    """A try that takes minutes ends when another change comes."""
    newest = t.sources()[-1][0]
    page.run("billow.tune.edit(billow.tune.text.replace('frames: 1-30, seed', 'frames: 1-50000, seed'))")
    check("a long try begins", wait(lambda: t.sources()[-1][0] > newest), t.sources())
    ended = "return billow.serverState.sources[billow.serverState.sources.length - 1].ended"
    check("… and runs", not page.run(ended), page.run(ended))
    page.click("undo")
    check("it is given up when another change comes", wait(lambda: page.run(ended) == "another change came"), page.run(ended))
    t.read()


def looks(page, t):
    """What the flow does not feel shows at once."""
    page.at("viewport").click()
    page.keys(Keys.HOME)
    wait(lambda: page.run("return billow.timeline.frames().length") >= 24)
    page.keys(Keys.ARROW_RIGHT * 14)
    number = t.sources()[-1][0]
    page.run("document.querySelectorAll('#form details').forEach((d) => d.open = true)")
    check("exposure shows at once", page.changes(lambda: (
        t.type(t.row("export.mp4.exposure", "input.number"), "3"), t.read(),
        wait(lambda: page.run("return billow.sceneKey === `${billow.source.id}:${billow.source.generation}`")))))
    check("… where exporters share it", "look: {exposure: 3}" in t.text(), t.text())
    colour = """const e = document.querySelector("#form .row[data-path='export.mp4.smoke'] input[type=color]");
        e.value = '#c02010'; e.dispatchEvent(new Event('change'));"""
    check("so does a colour", page.changes(lambda: (page.run(colour), t.read())))
    check("… and a camera", page.changes(lambda: (
        t.type(t.row("export.mp4.camera.azimuth", "input.number"), "80 deg"), t.read())))
    page.at("viewport").click()
    page.keys("0" + Keys.HOME)
    page.run("billow.tune.change(['export', 'mp4', 'camera', 'orbit'], '1', 'mp4')")
    t.read()
    wait(lambda: page.run("return billow.sceneKey === `${billow.source.id}:${billow.source.generation}`"))
    page.settled()
    first = page.camera()["azimuth"]
    page.keys(Keys.ARROW_RIGHT * 7)
    check("a camera that goes round is followed", page.settled() and abs(page.camera()["azimuth"] - first) > 0.5,
          (first, page.camera()["azimuth"]))
    page.click("undo")
    t.read()
    check("nothing was baked for it", t.sources()[-1][0] == number, t.sources())
    page.shot("tune_look")


def curve(page, t):
    svg = t.row("stages.source.density", "svg")
    page.run("document.querySelector('.curve svg').scrollIntoView({block: 'center'})")
    circles = lambda: page.run("return document.querySelectorAll('.curve circle').length")
    check("keyframes are drawn", circles() == 3)
    t.tries("a key is dragged", lambda: page.actions().click_and_hold(svg.find_elements(By.CSS_SELECTOR, "circle")[1])
            .move_by_offset(20, 10).move_by_offset(20, 10).release().perform(), "source.density")
    check("… in time and value", "12: 0.4" not in t.text() and "keys: {1: 1, " in t.text(), t.text())
    t.read()
    page.actions().move_to_element_with_offset(t.row("stages.source.density", "svg"), 90, -20).double_click().perform()
    check("a double click makes one", wait(lambda: circles() == 4), circles())
    t.read()
    t.row("stages.source.density", "svg").send_keys(Keys.DELETE)
    check("Delete takes it away", wait(lambda: circles() == 3), circles())
    t.read()
    newest = "return document.querySelector('.card').textContent"
    t.tries("a key that comes late", lambda: page.run("billow.tune.edit(billow.tune.text.replace(/30: 1(?=[,}])/, '30: 0.3'))"),
            "source.density")
    check("… from its frame on, and that is told", wait(lambda: "baked from frame" in page.run(newest)), page.run(newest))
    page.shot("tune_curve")
    how = lambda kind: Select(t.row("stages.source.density", "select.how")).select_by_value(kind)
    t.tries("a value instead", lambda: how("1"), "source.density")
    check("… is written", "density: 1\n" in t.text(), t.text())
    t.tries("an expression instead", lambda: how("="), "source.density")
    check("… is written", 'density: "=1"' in t.text(), t.text())


def text(page, t):
    """Typed, with mistakes."""
    page.click("tune-text")
    area = page.at("text")
    before = t.text()
    page.run("const a = document.getElementById('text'); a.focus(); const i = a.value.indexOf('buoyancy'); a.setSelectionRange(i, i + 8);")
    area.send_keys("bouyancy")
    line = before[:before.index("buoyancy")].count("\n") + 1
    check("a mistake is told as one types", wait(lambda: "did you mean \"buoyancy\"" in page.at("mistake").text),
          page.at("mistake").text)
    check("… at its line", page.run("return document.querySelector('#lines .bad')?.textContent") == str(line))
    page.shot("tune_mistake")
    page.click("tune-form")
    check("the form rests meanwhile", page.run("return document.getElementById('form').inert"))
    page.click("tune-text")
    page.run("const a = document.getElementById('text'); a.focus(); const i = a.value.indexOf('bouyancy: 1'); a.setSelectionRange(i, i + 11);")
    t.tries("a text that is good again", lambda: area.send_keys("buoyancy: 2"), "buoyancy 1 → 2")
    check("the form follows", not page.run("return document.getElementById('form').inert") and
          t.row("stages.mac.forces.buoyancy", "input.number").get_attribute("value") == "2")
    page.click("tune-form")


def source_cards(page, t):
    """Going back, comparing."""
    bare = """return [...document.querySelectorAll('.card')].map((c) => [c.textContent, c.querySelector('img')])
        .filter(([, i]) => i.src && !i.naturalWidth).map(([t]) => t)"""
    check("each try that has frames has a picture", wait(lambda: not page.run(bare)), page.run(bare))
    number = page.run("return billow.serverState.current")
    whole = wait(lambda: page.run("return billow.serverState.sources.find((s) => s.id === billow.serverState.current).ended === ''"), 60)
    check("a bake comes to its end", whole)
    first = page.run("""const card = document.querySelector('.card:last-child'); card.querySelector('.compare').click();
        return card.querySelector('.changes').textContent""")
    check("a wiper compares", wait(lambda: page.at("wiper").is_displayed() and page.at("compare-left").text.startswith(first)),
          [page.at("compare-left").text, first])
    page.settled()
    before = page.seen()
    page.actions().click_and_hold(page.at("wiper")).move_by_offset(150, 0).release().perform()
    check("… and is dragged", wait(lambda: apart(before, page.seen()) > 0.02 and page.run("return billow.viewport.split > 0.6")))
    page.shot("tune_compare")
    different_voxels(page)
    page.at("viewport").click()
    page.keys("c")
    check("C ends it", wait(lambda: not page.at("wiper").is_displayed()))
    page.run("document.querySelector('.card:last-child .back-to').click()")
    check("a click goes back", wait(lambda: "buoyancy: 2" not in t.text()) and t.read(), t.text())
    page.click("undo")
    check("… and undo forth, to what is there already", wait(lambda: page.run("return billow.source.id") == number) and
          len({i for i, _ in t.sources()}) == len(t.sources()), (number, t.sources()))


def failing_preview(page, t):
    """A value that a stage does not take: the slider ends before it, and a try that fails says why."""
    number = page.run("return billow.serverState.current")
    page.run("billow.tune.edit(billow.tune.text.replace('      density:', '      fuel: 0.5\\n      density:').replace('  - mac.forces', '  - fire\\n  - mac.forces'))")
    t.read()
    fuel = "stages.source.fuel"
    check("a slider ends where a stage's field does", wait(lambda: t.row(fuel, "input[type=range]").get_attribute("max")) == "1")
    check("… which tells what it is", "mass fraction" in t.row(fuel).get_attribute("title"), t.row(fuel).get_attribute("title"))
    t.type(t.row(fuel, "input.number"), "2")
    card = "return document.querySelector('.card small.bad')?.textContent ?? ''"
    check("a try that fails says why on its card", wait(lambda: "mass fraction" in page.run(card)), page.run(card))
    page.shot("tune_fails")
    page.click("undo")
    page.click("undo")
    check("undo gives back the one before", wait(lambda: page.run("return billow.serverState.current") == number) and page.settled(), t.sources())


def different_voxels(page):
    """Tries in other voxels are told apart."""
    page.run("billow.serverState.sources.forEach((s) => s.coarse = s.id === billow.compareId ? 2 : 1); billow.viewport.updateCompare(); billow.sourceCards.update(billow.serverState)")
    check("a comparison of unlike voxels says so", page.at("voxel-warning").is_displayed() and "×2 at the left, ×1" in page.at("voxel-warning").text)
    check("… and so does the card", page.run("return [...document.querySelectorAll('.card small')].some((e) => e.textContent.includes('not as shown'))"))
    page.shot("tune_unlike")


def saves(page, t, folder):
    preset = os.path.join(folder, "tuned.yaml")
    own = open(preset, encoding="utf-8").read()
    t.read()
    page.at("viewport").click()
    page.actions().key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
    check("Ctrl S asks for a name", wait(lambda: page.at("save-dialog").is_displayed()))
    check("… and says where it goes", folder in page.at("save-where").text, page.at("save-where").text)
    t.type(page.at("save-name"), "evil/x")
    page.click("save-submit")
    check("a path is no name", wait(lambda: "letters, digits" in page.at("save-error").text))
    t.type(page.at("save-name"), "tuned")
    page.click("save-submit")
    check("nothing is written over", wait(lambda: "there already" in page.at("save-error").text) and
          open(preset, encoding="utf-8").read() == own)
    page.shot("tune_save")
    t.type(page.at("save-name"), "livelier")
    page.click("save-submit")
    made = os.path.join(folder, "livelier.yaml")
    check("it is saved", wait(lambda: os.path.exists(made) and not page.at("save-dialog").is_displayed()))
    said = open(made, encoding="utf-8").read()
    check("… under its name, with all else", said == t.text().replace("name: tuned", "name: livelier"), said)


def full_bake(page, t, folder):
    page.click("bake-full")
    check("at full size", wait(lambda: os.path.exists(os.path.join(folder, "out/tuned/tuned.mp4")), 60))
    check("… and seen", wait(lambda: page.run("return billow.source.kind") == "full"))
    check("what was tried is still there", len(t.sources()) > 3)


def small_screen(page, t):
    page.size(390, 844, touch=True)
    check("a phone: nothing sticks out", wait(lambda: page.run("return document.documentElement.scrollWidth <= innerWidth + 1")),
          page.run("return [document.documentElement.scrollWidth, innerWidth]"))
    page.settled()
    page.shot("tune_phone")
    page.size(1280, 720)


def malformed_preset(billow, page, folder):
    """A preset with a mistake in it can be mended on the page."""
    with open(os.path.join(folder, "broken.yaml"), "w", encoding="utf-8") as file:
        file.write(open(os.path.join(folder, "tuned.yaml"), encoding="utf-8").read().replace("voxel", "vowel"))
    served = Served(billow, "tune", "broken.yaml", folder=folder)
    t = Tuned(page)
    page.driver.get(served.address)
    check("a preset with a mistake: the sentence", wait(lambda: "did you mean \"voxel\"" in page.at("mistake").text),
          page.at("mistake").text)
    page.shot("tune_broken")
    page.click("tune-text")
    page.run("const a = document.getElementById('text'); a.focus(); const i = a.value.indexOf('vowel'); a.setSelectionRange(i, i + 5);")
    page.at("text").send_keys("voxel")
    check("mended, it is baked", wait(lambda: page.shown().endswith("sharp")), page.words())
    page.run("const a = document.getElementById('text'); a.focus(); a.setSelectionRange(a.value.length, a.value.length);")
    page.at("text").send_keys("extends: /etc/passwd")
    check("files elsewhere are not read", wait(lambda: "leads out" in page.at("mistake").text), page.at("mistake").text)
    page.driver.get("about:blank")
    check("the program ends", served.end() == 0, served.words_said)


def main():
    billow, pictures = map(os.path.abspath, sys.argv[1:3])
    page = begin(pictures)
    try:
        with tempfile.TemporaryDirectory(prefix="billow-tune-test-") as folder:
            shutil.copy(os.path.join(HERE, "tuned.yaml"), folder)
            served = Served(billow, "tune", "tuned", folder=folder)
            t = Tuned(page)
            check("the first picture comes", page.open(served.address), page.words())
            check("all of the preset is a form", page.run("return document.querySelectorAll('#form .row').length") > 40)
            for part in (form, stages, curve, looks, text, failing_preview, source_cards):
                part(page, t)
            saves(page, t, folder)
            full_bake(page, t, folder)
            small_screen(page, t)
            page.clean("a preset that is tuned", "409") # names that are refused
            page.driver.get("about:blank")
            check("the program ends", served.end() == 0, served.words_said)
            check("coarse bakes go with it", not [n for n in os.listdir(folder) if n.startswith("billow-tune-")],
                  os.listdir(folder))
            malformed_preset(billow, page, folder)
    finally:
        page.driver.quit()
    verdict()


if __name__ == "__main__":
    main()
