#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""resume.py BILLOW FOLDER: a bake that was killed, one that was stopped, one that is whole: gone on with from the page,
to the bytes of one that ran through. Screenshots go to FOLDER. Needs what page.py needs.

Prints "N passed, N failed"."""
import filecmp
import glob
import os
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import begin
from served import WISP, Served, bake, check, verdict, wait

FRAMES = 30


def same(a, b):
    """Are the VDB files of two folders of equal bytes, and how many?"""
    names = sorted(os.path.basename(p) for p in glob.glob(a + "/vdb/*.vdb"))
    there = sorted(os.path.basename(p) for p in glob.glob(b + "/vdb/*.vdb"))
    return len(names) if names == there and all(filecmp.cmp("%s/vdb/%s" % (a, n), "%s/vdb/%s" % (b, n), shallow=False) for n in names) else 0


def status(page):
    return page.at("status").text


def shown(page, *names):
    """Which of these buttons are there to be clicked?"""
    return [n for n in names if page.at(n).is_displayed()]


def killed(billow, page, work, through):
    """It lost its process after some frames."""
    out = os.path.join(work, "killed")
    served = Served(billow, "bake", WISP, "--view", "--out", out, "--threads", "1", "--set", "checkpoints.frames=3",
                    "--set", "time.frames=1-%d" % FRAMES, held=4096)
    wait(lambda: len(glob.glob(out + "/vdb/*.vdb")) > 4 and glob.glob(out + "/checkpoints/*.bwck"))
    served.process.send_signal(signal.SIGKILL)
    served.wait()
    there = len(glob.glob(out + "/vdb/*.vdb"))
    check("it was killed before its end", there < FRAMES, there)
    served = Served(billow, "view", out)
    check("a bake that was killed is seen", page.open(served.address), page.words())
    check("… and told", "of %d frames" % FRAMES in status(page) and "not complete" in status(page), status(page))
    check("… with the frames to come", page.run("return billow.timeline.span()[1]") == FRAMES)
    check("it can be gone on with", shown(page, "resume", "extend", "stop") == ["resume"], shown(page, "resume", "extend", "stop"))
    page.shot("resume_killed")
    page.click("resume")
    check("it goes on", wait(lambda: page.frame() > there, 60), page.frame())
    check("… to its end", wait(lambda: page.run("return billow.source.record?.complete"), 60), status(page))
    check("… with the bytes of one that ran through", same(out, through) == FRAMES, same(out, through))
    check("then it can be made longer", wait(lambda: shown(page, "resume", "extend", "stop") == ["extend"]))
    return served, out


def longer(page, out, work, billow):
    """More frames, typed."""
    more = os.path.join(work, "more")
    bake(billow, more, "--set", "time.frames=1-%d" % (FRAMES + 6))
    page.click("extend")
    check("it asks for the last frame", page.at("extend-dialog").is_displayed() and
          page.at("extend-last").get_attribute("value") == str(FRAMES + 24))
    last = page.at("extend-last")
    last.clear()
    last.send_keys(str(FRAMES - 2))
    page.click("extend-submit")
    check("fewer frames are none", page.at("extend-dialog").is_displayed() and not page.run("return billow.source.running"))
    last.clear()
    last.send_keys(str(FRAMES + 6))
    check("… and says what that is", page.at("extend-info").text == "6 frames more, 0.25 s of film.", page.at("extend-info").text)
    page.shot("resume_longer")
    page.click("extend-submit")
    check("it is made longer", wait(lambda: page.run("return billow.source.record?.last") == FRAMES + 6 and
                                    page.run("return billow.source.record.complete"), 60), status(page))
    check("… and seen to its end", wait(lambda: page.frame() == FRAMES + 6) and page.settled(), page.frame())
    check("… with the bytes of one that was so long", same(out, more) == FRAMES + 6, same(out, more))


def stopped(billow, page, work, through):
    """A running bake is stopped by the page, and gone on with there; a program that ends meanwhile leaves a checkpoint."""
    out = os.path.join(work, "stopped")
    served = Served(billow, "bake", WISP, "--view", "--out", out, "--threads", "1", "--set", "time.frames=1-%d" % FRAMES,
                    held=4096)
    page.open(served.address)
    check("a bake that runs elsewhere is not gone on with", wait(lambda: not shown(page, "resume", "extend")))
    page.click("stop")
    served.reads.set()
    check("it is stopped", wait(lambda: shown(page, "resume")), status(page))
    there = len(glob.glob(out + "/vdb/*.vdb"))
    page.click("resume")
    check("and goes on", there < FRAMES and wait(lambda: len(glob.glob(out + "/vdb/*.vdb")) > there), status(page))
    page.driver.get("about:blank")
    check("it goes on to its end while nobody looks, then the program ends well", served.wait() == 0, served.words_said)
    check("… with the bytes of one that ran through", same(out, through) == FRAMES, same(out, through))


def ended(billow, page, work):
    """A program that is ended while it goes on with a bake."""
    out = os.path.join(work, "ended")
    bake(billow, out)
    served = Served(billow, "view", out)
    page.open(served.address)
    check("very many more", served.get("resume?last=4000", "POST")[0] == 200 and
          wait(lambda: len(glob.glob(out + "/vdb/*.vdb")) > 14))
    check("a second wish is refused in words", served.get("resume", "POST")[0] == 409)
    check("it can be stopped", wait(lambda: shown(page, "stop")) and not page.click("stop") and
          wait(lambda: shown(page, "resume")), status(page))
    page.click("resume")
    check("… and gone on with", wait(lambda: page.run("return billow.source.running")), status(page))
    other = Served(billow, "view", out)
    check("another program's wish is refused in words", other.get("resume", "POST")[0] == 200 and
          wait(lambda: "another bake is writing" in (other.state()["ended"] or "")), other.state())
    other.end()
    page.driver.get("about:blank")
    check("SIGTERM ends it", served.end() == 0)
    there = len(glob.glob(out + "/vdb/*.vdb"))
    made = glob.glob(out + "/checkpoints/wisp_%04d*" % there) + glob.glob(out + "/checkpoints/wisp_%04d*" % (there + 1))
    check("… with a checkpoint", made, (there, os.listdir(out + "/checkpoints")))


def main():
    billow, pictures = map(os.path.abspath, sys.argv[1:3])
    page = begin(pictures)
    page.size(720, 480)
    try:
        with tempfile.TemporaryDirectory(prefix="billow-resume-") as work:
            through = os.path.join(work, "through")
            bake(billow, through, "--set", "time.frames=1-%d" % FRAMES)
            served, out = killed(billow, page, work, through)
            longer(page, out, work, billow)
            page.clean("a bake that is gone on with")
            page.driver.get("about:blank")
            check("the program ends", served.end() == 0, served.words_said)
            stopped(billow, page, work, through)
            ended(billow, page, work)
    finally:
        page.driver.quit()
    verdict()


if __name__ == "__main__":
    main()
