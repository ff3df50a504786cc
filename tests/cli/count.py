#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Count single test cases in a Meson test log: prints "PASSED FAILED", and what failed on stderr.

A Criterion program counts with the cases of its summary, a script with its "N passed, N failed", any other test as
one. A sanitizer's report is a failure whatever the program answered, and so is a Criterion program without a case."""
import json
import re
import sys

ANSI = re.compile(r"\x1b\[[0-9;]*m")
CRITERION = re.compile(r"Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
SCRIPT = re.compile(r"^(\d+) passed, (\d+) failed\s*$", re.M)
SANITIZER = re.compile(r"ERROR: (?:Leak|Address)Sanitizer|WARNING: ThreadSanitizer|: runtime error: ")


def count(text, good):
    """(passed, failed) of one program that wrote `text`."""
    passed, failed = 0, 0
    text = ANSI.sub("", text)
    criterion, script = CRITERION.findall(text), SCRIPT.findall(text)
    for tested, passing, failing, crashing in criterion:
        passed += int(passing)
        failed += int(failing) + int(crashing) + (tested == "0")
    for a, b in script:
        passed += int(a)
        failed += int(b)
    if not criterion and not script and good:
        passed += 1
    if not good and not failed:
        failed += 1
    reports = len(SANITIZER.findall(text))
    return passed, failed + reports


def log_count(path):
    passed, failed, tests = 0, 0, 0
    try:
        lines = open(path, encoding="utf-8", errors="replace").readlines()
    except OSError as error:
        print(error, file=sys.stderr)
        return 0, 1
    for line in lines:
        test = json.loads(line)
        if test["result"] == "SKIP":
            print("skipped:", test["name"], file=sys.stderr)
            continue
        tests += 1
        text = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
        a, b = count(text, test["result"] in ("OK", "EXPECTEDFAIL"))
        passed, failed = passed + a, failed + b
        if b:
            print("-- failed: {} ({}, {:.1f} s)\n{}".format(test["name"], test["result"], test["duration"],
                                                           text.strip()[-4000:]), file=sys.stderr)
    return passed, failed if tests else failed + 1


if sys.argv[1] == "--text":
    result = count(open(sys.argv[2], encoding="utf-8", errors="replace").read(), True)
else:
    result = log_count(sys.argv[1])
print(*result)
