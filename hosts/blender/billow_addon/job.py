# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that runs beside Blender, as a process of its own."""
import json
import os
import signal
import subprocess
import tempfile
import threading

jobs = {}  # by the cache's folder
ANEW = ": Bake makes it anew, From Frame all frames from there on"


class Job:
    """`done` of `total` frames; at the end `code`, and `message` where something is wrong."""

    def __init__(self, command, folder):
        self.folder, self.done, self.total, self.left = folder, 0, 0, None
        self.code, self.message, self.written = None, "", 0
        self.words = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.words, text=True,
                                        encoding="utf-8", errors="replace")
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        """Events, a line each, until the process ends."""
        for line in self.process.stdout:
            try:
                self.take(json.loads(line))
            except (ValueError, KeyError, TypeError):
                continue
        code = self.process.wait()
        if code and not self.message:
            self.words.seek(0)
            self.message = self.words.read().strip().split("\n")[0] or f"billow ended with {code}"
        self.words.close()
        self.code = code

    def take(self, event):
        if event.get("event") == "frame":
            self.done, self.total = event["done"], event["total"]
            self.written += bool(event["written"])
            self.left = event["elapsed"] / max(self.done, 1) * (self.total - self.done)
        elif event.get("event") == "end" and not event["ok"]:
            self.message = event["message"] or ""
        elif "error" in event:
            self.message = event["error"]["message"]
        if "holds a different bake" in self.message and not self.message.endswith(ANEW):
            self.message += ANEW

    def stop(self):
        """As Ctrl-C does: it keeps a checkpoint."""
        if self.code is None:
            self.process.send_signal(signal.SIGINT)


def running(folder):
    job = jobs.get(folder)
    return job is not None and job.code is None


def start(command, folder):
    jobs[folder] = Job(command, folder)
    return jobs[folder]


def stop_all():
    for job in jobs.values():
        job.stop()


def can_resume(out):
    """Was it stopped with a checkpoint?"""
    kept = os.path.join(out, "checkpoints")
    return os.path.isdir(kept) and bool(os.listdir(kept))
