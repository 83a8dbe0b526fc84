# SPDX-License-Identifier: BSD-3-Clause
"""The shared parts: hugepages, children, CPUs, packages, and bench.sh's wrong usage."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, TIMEOUT

NODE = Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB")
root_only = pytest.mark.skipif(os.getuid() != 0, reason="needs root")
pages_only = pytest.mark.skipif(not NODE.exists(), reason="no 2 MB hugepages here")

# Three pages more than are free, so that there is something to give back.
BORROW = f"""
make_tmp_dir
hugepages_reserve $(($(cat {NODE}/free_hugepages) + 3)) 0 || die "$HUGE_WHY"
[ "$HUGE_ADDED" -eq 3 ]
echo "total $(cat {NODE}/nr_hugepages)"
"""
PARTS = ("common", "process", "hugepages")


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, **options)


def total():
    return int((NODE / "nr_hugepages").read_text())


@root_only
@pages_only
@pytest.mark.parametrize("end, status", [("", 0), ("exit 7", 7), ("false", 1), ("die oh", 1)])
def test_hugepages_are_given_back(clone, nothing_left, end, status):
    before = total()
    done = run(clone.library(BORROW + end, *PARTS))
    assert f"total {before + 3}" in done.stdout
    assert done.returncode == status
    assert total() == before


@root_only
@pages_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE])
def test_hugepages_are_given_back_after_a_signal(clone, nothing_left, number):
    done = run(clone.library(BORROW + f"kill -{int(number)} $$; run sleep 60", *PARTS))
    assert "total" in done.stdout
    assert done.returncode == 128 + number


@root_only
@pages_only
def test_only_what_was_added_is_given_back(clone):
    before = total()
    other = f"echo $(($(cat {NODE}/nr_hugepages) + 2)) > {NODE}/nr_hugepages"
    run(clone.library(BORROW + other, *PARTS))
    after = total()
    (NODE / "nr_hugepages").write_text(str(after - 2))
    assert after == before + 2


@pages_only
def test_too_many_hugepages_are_refused_with_the_reason(clone, nothing_left):
    text = 'hugepages_reserve 900000000 0 || echo "$HUGE_ADDED: $HUGE_WHY"'
    done = run(clone.library(text, *PARTS))
    assert done.stdout.startswith("0: 900000000 hugepages of 2 MB are needed on node 0")


def test_child_that_ignores_sigterm_is_killed_with_its_group(clone, nothing_left):
    stubborn = f"trap '' TERM; echo up >{clone.folder}/up; sleep 60; sleep 60"
    text = f"""
start_child bash -c "{stubborn}"
while [ ! -e {clone.folder}/up ]; do sleep 0.1; done
status=0; stop_child "$CHILD" || status=$?
echo "status $status, ${{#CHILDREN[@]}} left"
"""
    done = run(clone.library(text, *PARTS))
    assert done.stdout == "status 137, 0 left\n"


def test_one_allowed_cpu_is_used_twice(clone):
    cpu = max(os.sched_getaffinity(0))
    words = clone.library('choose_cpus; echo "$CPU_A $CPU_B"', *PARTS)
    assert run(["taskset", "-c", str(cpu), *words]).stdout == f"{cpu} {cpu}\n"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_two_cpus_differ(clone):
    a, b = run(clone.library('choose_cpus; echo "$CPU_A $CPU_B"', *PARTS)).stdout.split()
    assert a != b
    assert {int(a), int(b)} <= os.sched_getaffinity(0)


MISSING = "PACKAGES='build cmd:no-such-command-here apt-name-x dnf-name-x'\nneed_packages build"


@root_only
@pytest.mark.skipif(not Path("/usr/bin/apt-get").exists(), reason="needs apt")
def test_missing_package_without_root_says_the_command(clone):
    words = clone.library(MISSING, "common", "process", "packages")
    for folder in (clone.folder, *clone.folder.parents[:3]):
        folder.chmod(0o755)
    done = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words])
    assert done.returncode == 1
    assert "no-such-command-here" in done.stderr
    assert "    sudo apt-get install -y apt-name-x" in done.stderr


def test_nothing_is_installed_when_nothing_is_missing(clone):
    words = clone.library("need_packages build; echo fine", "common", "process", "packages")
    assert run(words).stdout == "fine\n"


def test_a_bundle_needs_and_builds_nothing(clone):
    (clone.folder / "BUNDLE").write_text("")
    text = f"""{MISSING}
build_program "$ROOT/build" "$ROOT/log"
missing 2 build unit
PACKAGES='other cmd:no-such-command-either apt-name-y dnf-name-y'
missing 2 build other"""
    done = run(clone.library(text, "common", "process", "packages", "build"))
    assert (done.returncode, done.stdout) == (0, "no-such-command-either\n")
    assert not (clone.folder / "build").exists()


@pytest.mark.parametrize("words", [["--case", "nul-tx"], ["--rounds", "0"], ["--sekonds", "1"]])
def test_bench_wrong_usage_is_status_2(clone, nothing_left, words):
    bench = Path(__file__).parents[1] / "bench"
    (clone.folder / "tests").mkdir()
    (clone.folder / "tests" / "bench").symlink_to(bench)
    done = clone.run("bench.sh", *words)
    assert done.returncode == 2
    assert words[0] in done.stderr or words[1] in done.stderr


def test_return_has_a_value():
    """Without one a function that is called in a trap returns the status from before the trap."""
    bare = re.compile(r"^(?!\s*#).*(?<![\w-])return[ \t]*($|;|\}|#)")
    found = []
    for path in (ROOT / "scripts").rglob("*"):
        if path.is_file() and path.suffix in ("", ".sh"):
            lines = path.read_text(errors="replace").splitlines()
            found += [f"{path}:{i}" for i, line in enumerate(lines, 1) if bare.match(line)]
    assert found == []
