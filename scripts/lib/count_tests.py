#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts tests for test.sh: count_tests.py meson|junit FILE prints "PASSED FAILED SKIPPED".

meson: the testlog.json of meson, whose programs print TAP. The tests inside the programs are
counted; a program that ends badly without naming a failed test is one failed test. What failed is
named on stderr.
junit: the XML report of pytest. A file that is missing or broken is one failed test: the runner
ended before it could write it.
"""

import json
import re
import sys
import xml.etree.ElementTree

TAP_LINE = re.compile(r"^(not ok|ok)\b(?:.*#\s*(SKIP|TODO))?", re.IGNORECASE | re.MULTILINE)
FAILURE = re.compile(r"^(?:not ok|#).*", re.MULTILINE)
MESON_SKIP = "SKIP"
MESON_GOOD = {"OK", "EXPECTEDFAIL", MESON_SKIP}


def count_program(test):
    output = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
    passed = failed = skipped = 0
    for verdict, directive in TAP_LINE.findall(output):
        if directive.upper() == "SKIP":
            skipped += 1
        elif verdict.lower() == "ok":
            passed += 1
        else:
            failed += 1
    if test["result"] not in MESON_GOOD or failed:
        print(f"{test['name']}: {test['result']}, status {test['returncode']}", file=sys.stderr)
        print(*FAILURE.findall(output), sep="\n", file=sys.stderr)
        failed = max(failed, 1)
    elif passed + failed + skipped == 0:
        return (0, 0, 1) if test["result"] == MESON_SKIP else (1, 0, 0)
    return passed, failed, skipped


def count_meson(path):
    with open(path, encoding="utf-8") as file:
        programs = [count_program(json.loads(line)) for line in file if line.strip()]
    return [sum(column) for column in zip(*programs)] if programs else [0, 0, 0]


def count_junit(path):
    passed = failed = skipped = 0
    for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
        bad = int(suite.get("failures")) + int(suite.get("errors"))
        skips = int(suite.get("skipped"))
        passed += max(0, int(suite.get("tests")) - bad - skips)
        failed += bad
        skipped += skips
    return passed, failed, skipped


def main():
    kind, path = sys.argv[1:]
    try:
        counts = {"meson": count_meson, "junit": count_junit}[kind](path)
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        counts = 0, 1, 0
    print(*counts)


if __name__ == "__main__":
    main()
