#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""live.py BILLOW FOLDER: `billow tune --live`: one simulation runs on and takes changed values; what can't change starts it
anew. Over HTTP, then in a real browser, where there is one. Screenshots go to FOLDER.

Prints "N passed, N failed"."""
import json
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import HERE, Served, check, verdict, wait # noqa: E402

LIFT = "buoyancy: 1"


def tries(served, text):
    return json.loads(served.get("try", "POST", text.encode())[1])


def frame(served):
    return (served.state().get("progress") or {}).get("frame", 0)


def runs_on(before, now):
    """It was not started anew between two states, unless a busy machine was too slow for its voxels."""
    at = lambda state: (state["progress"] or {}).get("frame", 0)
    return "can't change" not in now["note"] and (at(now) >= at(before) or now["coarse"] > before["coarse"])


def over_http(served):
    preset = json.loads(served.get("preset")[1])
    text = preset["text"]
    check("the page is told that it is live", preset["live"] is True, preset)
    check("nothing runs before a text has come", served.get("state")[0] == 404)
    check("the text is good", tries(served, text)["good"])
    wait(lambda: served.get("state")[0] == 200 and served.state()["running"])
    state = served.state()
    check("it is of its own kind", state["kind"] == "live" and state["running"], state)
    stream = served.stream() # an open page
    check("it runs on while a page is open", wait(lambda: frame(served) > 40), served.state())
    check("… beyond the preset's last frame, with nothing written", served.state()["running"] and served.state()["ranges"] is None)
    check("a picture of the newest frame", served.get("picture?source=%d&frame=1&w=96&h=54&coarse=1" % state["id"])[0] == 200)
    before = served.state()
    at, generation = frame(served), before["generation"]
    check("another lift is taken", tries(served, text.replace(LIFT, "buoyancy: 3"))["good"] and
          wait(lambda: "buoyancy 1 → 3" in served.state()["changes"]), served.state())
    time.sleep(0.3) # what starts anew tells of its change first
    check("… and it runs on", runs_on(before, served.state()) and wait(lambda: frame(served) > at + 3), served.state())
    check("… the same one", served.state()["id"] == state["id"])
    wrong = tries(served, text.replace(LIFT, "buoyancy: 3 kg"))
    check("a mistake is a sentence", not wrong["good"] and "kg" in wrong["sentence"], wrong)
    at = frame(served)
    check("… and nothing is lost by it", "buoyancy 1 → 3" in served.state()["changes"] and wait(lambda: frame(served) > at + 3))
    check("what can't change says so", tries(served, text.replace("- mac.advect", "- mac.advect: {scheme: semi-lagrangian}"))["good"] and
          wait(lambda: served.state()["note"] == "mac.advect.scheme can't change while it runs: it has started anew"), served.state()["note"])
    check("… and starts anew", wait(lambda: served.state()["generation"] > generation and 0 < frame(served) < at), (frame(served), at))
    check("… once", wait(lambda: frame(served) > 30) and served.state()["running"])
    check("a look is no other flow", tries(served, text.replace("- mac.advect", "- mac.advect: {scheme: semi-lagrangian}")
                                           .replace("exposure: 1", "exposure: 2"))["good"] and
          wait(lambda: "can't change" not in served.state()["note"]))
    check("… so it runs on", frame(served) > 30)
    check("it waits", served.get("live?do=pause", "POST")[0] == 200)
    stays = lambda: [frame(served), time.sleep(0.5), frame(served)]
    check("… when it is told to", wait(lambda: len(set(stays()[::2])) == 1), frame(served))
    check("it starts anew", served.get("live?do=restart", "POST")[0] == 200 and wait(lambda: 0 < frame(served) < 25), frame(served))
    check("… and does not wait any more", wait(lambda: frame(served) > 25))
    check("another word is refused", served.get("live?do=jump", "POST")[0] == 409 and served.get("live", "POST")[0] == 409)
    check("… and another method", served.get("live?do=pause")[0] == 405)
    answer = served.get("bake", "POST", text.encode())
    check("what is seen is baked at full size", answer[0] == 200 and wait(lambda: served.state()["kind"] == "full" and
                                                                         served.state()["ended"] == "", 120), served.state())
    check("… into out/", os.path.exists(os.path.join(served.folder, "out", "tuned", "vdb", "tuned_0030.vdb")))
    stream.close()


def in_browser(page, served):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    page.driver.get(served.address)
    said = lambda: page.at("status").text
    check("it runs", wait(lambda: "frames/s" in said()), said())
    check("… and is seen", wait(lambda: page.shown().endswith("quick") and int(page.shown().split()[0]) > 10), page.shown())
    slider = "#form .row[data-path='stages.mac.forces.buoyancy'] input[type=range]"
    before = page.run("return billow.source")
    page.driver.find_element(By.CSS_SELECTOR, slider).send_keys(Keys.ARROW_RIGHT * 3)
    check("a slider is followed", wait(lambda: "buoyancy 1" in page.run("return billow.source.changes")), page.run("return billow.source.changes"))
    now = page.run("return billow.source")
    check("… without starting anew", runs_on(before, now) and page.at("live-note").text == now["note"], (before, now))
    page.at("viewport").click()
    page.keys(" ")
    check("Space lets it wait, and shows a sharp picture", wait(lambda: page.shown().endswith("sharp")) and "paused" in said(), said())
    page.keys("b")
    check("B starts it anew", wait(lambda: page.run("return billow.source.progress && billow.source.progress.frame < 20") and
                                   "paused" not in said()), said())
    page.run("billow.tune.edit(billow.tune.text.replace('voxel: 2 cm', 'voxel: 2.5 cm'))")
    check("what can't change is told over the picture", wait(lambda: "can't change while it runs" in page.at("live-note").text),
          page.at("live-note").text)
    page.shot("tune_live")
    page.clean("live")


def begun(billow, work, name):
    folder = os.path.join(work, name)
    os.makedirs(folder)
    shutil.copy(os.path.join(HERE, "tuned.yaml"), folder)
    served = Served(billow, "tune", "--live", "tuned", folder=folder)
    served.folder = folder
    return served


def main():
    billow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="billow-live-") as work:
        served = begun(billow, work, "http")
        over_http(served)
        check("it ends", served.end() == 0, served.words_said)
        plain = Served(billow, "tune", os.path.join(served.folder, "tuned.yaml"), folder=served.folder)
        check("where none runs on it says so", plain.get("live?do=restart", "POST")[0] == 409)
        plain.end()
        from browser import CHROMIUM, DRIVER, begin, webdriver
        if webdriver and os.path.exists(CHROMIUM) and os.path.exists(DRIVER):
            page = begin(sys.argv[2])
            served = begun(billow, work, "browser")
            in_browser(page, served)
            page.driver.quit()
            check("it ends, seen", served.end() == 0, served.words_said)
    verdict()


if __name__ == "__main__":
    main()
