# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake on Slurm, where there is one: submitted, followed and cancelled by billow."""
import json
import os
import shutil
import subprocess
import threading

from . import job, program, scene

EVERY = 5.0  # s between two looks into the queue


def there():
    return shutil.which("sbatch") is not None


def submitted(out):
    return os.path.isfile(os.path.join(out, "farm", "job.json"))


class FarmJob:
    """What job.Job is to a bake on this machine."""

    def __init__(self, out):
        self.folder, self.done, self.total, self.written = out, 0, 0, 0
        self.left, self.code, self.message, self.where = None, None, "", "queued"
        self.ended = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while self.code is None:
            try:
                self.take(program.ask("status", self.folder))
            except program.Missing as why:
                self.message, self.code = str(why), 1
            self.ended.wait(EVERY)

    def take(self, answer):
        if not isinstance(answer, list) or not answer:
            raise program.Missing(answer["error"]["message"] if "error" in answer else "the job has no status")
        row = answer[0]
        self.done = self.written = row["frames"]
        self.total, self.where = row["of"], f"{row['state']} {row.get('where') or ''}".strip()
        if row["state"] not in ("queued", "running"):
            self.code, self.message = int(row["state"] != "done"), row.get("message") or ""

    def stop(self):
        """It keeps a checkpoint."""
        subprocess.run([program.find(), "cancel", self.folder], capture_output=True, timeout=60, check=False)
        self.ended.set()


def submit(command, out):
    """Into the queue, and followed."""
    done = subprocess.run(command + ["--on", "slurm"], capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise scene.Wrong((done.stderr.strip() or done.stdout.strip()).split("\n")[0].removeprefix("billow: "))
    return follow(out)


def follow(out):
    job.jobs[out] = FarmJob(out)
    return job.jobs[out]
