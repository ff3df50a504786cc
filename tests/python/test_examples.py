# SPDX-License-Identifier: Apache-2.0
"""The examples and the documentation's own code, as they stand."""
import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import unittest

from support import SOURCE, Case


class Examples(Case):
    def run_script(self, path, *arguments):
        done = subprocess.run([sys.executable, "-W", "error", str(SOURCE / path), *arguments], cwd=self.folder,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_bake(self):
        told = self.run_script("docs/examples/bake.py").splitlines()
        self.assertGreater(len(told), 3)
        self.assertRegex(told[0], r"^frame 1: \d+ tiles, up to 0\.\d+ m$")
        self.assertEqual(told[-1], "stopped: high enough")
        self.assertLessEqual(len((SOURCE / "docs/examples/bake.py").read_text(encoding="utf-8").splitlines()), 20)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "python3-matplotlib is missing")
    def test_sweep(self):
        told = self.run_script("hosts/python/examples/sweep.py", "--voxel", "0.08", "--frames", "10", "--values", "1",
                               "8", "--out", "plot.png")
        one, eight = (float(height) for height in re.findall(r"= [18]: ([\d.]+) m after 10 frames", told))
        self.assertGreater(eight, one + 0.05)
        self.assertEqual((self.folder / "plot.png").read_bytes()[1:4], b"PNG")

    def test_guide(self):
        """The blocks of docs/python.md, one after the other, in one namespace."""
        text = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S))
        self.assertGreater(len(blocks), 4)
        before, names = os.getcwd(), {}
        os.chdir(self.folder)
        try:
            for block in blocks:
                lines = "\n" * (text.count("\n", 0, block.start()) + 1)  # so that an error tells the guide's line
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(lines + block[1], "docs/python.md", "exec"), names)
        finally:
            os.chdir(before)
        low, _middle, high = (tops[-1] for _times, tops in names["curves"].values())
        self.assertGreater(high, low)


class Installed(Case):
    def test_moved(self):
        """Installed, moved elsewhere, and found from there."""
        build = os.environ["BILLOW_TEST_BUILD"]
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir",
                        str(self.folder / "first")], check=True, stdout=subprocess.DEVNULL)
        moved = (self.folder / "first").rename(self.folder / "second")
        package = next(moved.rglob("dist-packages"))
        environment = {**os.environ, "PYTHONPATH": str(package)}
        del environment["BILLOW_LIBRARY"]
        done = subprocess.run([sys.executable, "-c", "import billow\nprint(billow.__file__)\n"
                               "print(billow.machine()['library'], len(billow.list()['stages']))\n"
                               "billow.check('plume')"], cwd=self.folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        own, library = done.stdout.splitlines()
        self.assertTrue(own.startswith(str(moved)), own)
        self.assertTrue(library.startswith(str(moved)), library)
        self.assertGreater(int(library.split()[-1]), 20)
