#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""run.py BUILD: the Python package against the library of a build tree. The last line is "N passed, N failed".

run.py BUILD NAME …: those tests alone, test_bake or test_bake.Callbacks.test_order."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
FILES = ["test_layout", "test_words", "test_bake", "test_frames", "test_cache", "test_stop", "test_memory",
         "test_examples"]


def compiles():
    """Every file, with warnings as errors; answers failures."""
    files = [*(SOURCE / "hosts" / "python").rglob("*.py"), *HERE.glob("*.py"), SOURCE / "docs" / "examples" / "bake.py"]
    code = "import sys, pathlib\nfor f in sys.argv[1:]: compile(pathlib.Path(f).read_bytes(), f, 'exec')"
    return int(subprocess.run([sys.executable, "-W", "error", "-c", code, *map(str, files)]).returncode != 0)


def environment(build, home):
    """The test's own home, so that nobody's plugins are found."""
    package = str(SOURCE / "hosts" / "python")
    os.environ.update(BILLOW_LIBRARY=str(build / "library" / "libbillow.so.0"), BILLOW_TEST_BUILD=str(build),
                      BILLOW_PLUGIN_PATH="", XDG_DATA_HOME=home, PYTHONPATH=package, PYTHONDONTWRITEBYTECODE="1",
                      MPLBACKEND="agg")
    sys.path[:0] = [str(HERE), package]
    sys.dont_write_bytecode = True


def main(build, *names):
    with tempfile.TemporaryDirectory() as home:
        environment(pathlib.Path(build).resolve(), home)
        suite = unittest.defaultTestLoader.loadTestsFromNames(names or FILES)
        result = unittest.TextTestRunner(verbosity=1, warnings="default").run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses) + compiles()
    for test, why in result.skipped:
        print(f"skipped: {test}: {why}", file=sys.stderr)
    passed = result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)
    print(f"{passed} passed, {failed} failed")
    return failed or not passed


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
