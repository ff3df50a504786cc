# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page share: counted checks, a baked wisp, and the program that serves a page."""
import contextlib
import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
WISP = os.path.join(HERE, "wisp.yaml")
SLOW = float(os.environ.get("BILLOW_TEST_SLOW") or 1) # finds a test that takes speed for granted: 4
passed = failed = 0


def check(what, good, said=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    print(("ok   " if good else "FAIL ") + what + ("" if good or not said else ": " + str(said)[:400]), flush=True)
    return good


def verdict():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


def wait(what, seconds=30):
    """The first true answer of `what`, or its last."""
    end = time.time() + seconds * SLOW
    while True:
        answer = what()
        if answer or time.time() > end:
            return answer
        time.sleep(0.05)


def dies_with_us():
    """A test that is killed leaves no bake behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Served:
    """A program that serves a page, and its address. A bake that is `held` waits for its events to be read after so many
    bytes of them, some 400 a frame and a page of memory at most, and takes no processor time until `reads` is set."""

    def __init__(self, billow, *words, folder=None, held=0):
        self.words = words
        self.bakes = words[0] == "bake"
        self.words_said = ""
        self.told = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        said, says = os.pipe()
        if held: # what is free of a page is written to; it is free again when all of it has been read
            fcntl.fcntl(says, fcntl.F_SETPIPE_SZ, 4096)
            os.write(says, b"\n" * (4096 - held))
        self.said = os.fdopen(said, "rb", buffering=0)
        self.process = subprocess.Popen([billow, *words, *(["--json"] if self.bakes else [])], stdout=says,
                                        stderr=self.told, preexec_fn=dies_with_us, cwd=folder,
                                        env={**os.environ, **({"TMPDIR": folder} if folder else {})})
        os.close(says)
        if SLOW > 1:
            threading.Thread(target=self.doze, daemon=True).start()
        self.address = self.address_read()
        self.reads = threading.Event()
        if not held:
            self.reads.set()
        self.reader = threading.Thread(target=self.rest_read, daemon=True)
        self.reader.start()

    def doze(self):
        """It runs a part of the time, as on a busy machine."""
        with contextlib.suppress(ProcessLookupError):
            while self.process.returncode is None:
                for word, seconds in ((signal.SIGSTOP, 0.1 * (SLOW - 1)), (signal.SIGCONT, 0.1)):
                    os.kill(self.process.pid, word)
                    time.sleep(seconds)

    def address_read(self):
        for line in self.said:
            if not self.bakes:
                return line.decode().strip()
            event = json.loads(line.strip() or "{}")
            if event.get("event") == "page":
                return event["address"]
        return None

    def rest_read(self):
        """A bake whose events nobody reads waits for room in the pipe."""
        self.reads.wait()
        while self.said.read(65536):
            pass

    def get(self, path, method="GET", body=None):
        """(code, bytes)"""
        try:
            request = urllib.request.Request(self.address + path, method=method, data=body)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def stream(self):
        """What a page hears, line by line."""
        return urllib.request.urlopen(self.address + "events", timeout=60)

    def state(self):
        return json.loads(self.get("state")[1])

    def memory(self):
        """Resident MiB."""
        with open("/proc/%d/status" % self.process.pid, encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def end(self):
        """Its exit code, after a SIGTERM where it still runs."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self):
        self.reads.set()
        code = self.process.wait(timeout=120)
        self.reader.join()
        self.told.seek(0)
        self.words_said = self.told.read()
        return code


def movie_frames(path):
    """How many pictures an MP4 holds; None: it is none."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.find(b"stsz")
    return int.from_bytes(data[at + 12:at + 16], "big") if data[4:8] == b"ftyp" and at > 0 else None


def bake(billow, out, *words, preset=WISP):
    subprocess.run([billow, "bake", preset, "--out", out, "--threads", "2", *words], check=True, capture_output=True)
