# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page in a real browser share: Debian's Chromium with one page."""
import os
import sys

from served import check, wait

CHROMIUM, DRIVER, SKIP = "/usr/bin/chromium", "/usr/bin/chromedriver", 77
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.by import By
except ImportError:
    webdriver = None

# A coarse copy of the picture that is seen, to be compared.
SEEN = """const c = document.getElementById('picture'), s = new OffscreenCanvas(64, 36), g = s.getContext('2d');
g.drawImage(c, 0, 0, 64, 36); return Array.from(g.getImageData(0, 0, 64, 36).data).filter((x, i) => i % 4 < 3);"""
FOREIGN = """return performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith(location.origin))"""


class Page:
    """A browser with one page."""

    def __init__(self, pictures):
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--force-device-scale-factor=1", "--disable-background-networking", "--disable-component-update"):
            options.add_argument(word)
        options.binary_location = CHROMIUM
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.pictures = pictures
        self.size(1280, 720)

    def size(self, width, height, touch=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": touch})

    def open(self, address):
        self.driver.get(address)
        return wait(lambda: self.shown().endswith("sharp"))

    def run(self, script):
        return self.driver.execute_script(script)

    def at(self, name):
        return self.driver.find_element(By.ID, name)

    def click(self, name):
        self.at(name).click()

    def shown(self):
        """"FRAME quick" or "FRAME sharp"."""
        return self.run("return document.body.dataset.shown || ''")

    def frame(self):
        return self.run("return billow.frame")

    def camera(self):
        return self.run("return billow.camera && {...billow.camera}")

    def seen(self):
        return self.run(SEEN)

    def words(self):
        return self.run("const w = document.getElementById('message'); return w.hidden ? '' : w.textContent")

    def settled(self):
        """The picture at rest, when all that was asked for has come."""
        return wait(lambda: self.run("const w = billow.viewport.requests; return billow.viewport.isSharp && !w.quick.busy && "
                                     "!w.sharp.busy && billow.viewport.shownRequest === billow.viewport.lastRequest"))

    def changes(self, act):
        """Does the settled picture change by it?"""
        self.settled()
        before = self.seen()
        act()
        self.settled()
        return wait(lambda: apart(before, self.seen()) > 0.1)

    def actions(self):
        return ActionChains(self.driver, duration=20)

    def drag(self, dx, dy, key=None):
        a = self.actions()
        if key:
            a.key_down(key)
        a.click_and_hold(self.at("viewport")).move_by_offset(dx // 2, dy // 2).move_by_offset(dx - dx // 2, dy - dy // 2)
        a.release()
        if key:
            a.key_up(key)
        a.perform()

    def keys(self, *keys):
        self.actions().send_keys(*keys).perform()

    def wheel(self, dy):
        self.actions().scroll_from_origin(ScrollOrigin.from_element(self.at("viewport")), 0, dy).perform()

    def touch(self, kind, *points):
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})

    def shot(self, name):
        path = os.path.join(self.pictures, name + ".png")
        self.driver.save_screenshot(path)
        return path

    def clean(self, what, *allowed):
        """Nothing was said in the console, nothing was asked of others."""
        said = [e["message"] for e in self.driver.get_log("browser") if not any(a in e["message"] for a in allowed)]
        check(what + ": nothing in the console", not said, said)
        check(what + ": nothing from elsewhere", not self.run(FOREIGN), self.run(FOREIGN))


def apart(a, b):
    return sum(abs(x - y) for x, y in zip(a, b)) / len(a)


def begin(pictures):
    """A page, whose screenshots go to that folder. The test is skipped where there is no browser."""
    if not webdriver or not all(os.path.exists(p) for p in (CHROMIUM, DRIVER)):
        print("skipped: chromium, chromium-driver or python3-selenium is not installed")
        sys.exit(SKIP)
    os.makedirs(pictures, exist_ok=True)
    return Page(pictures)
