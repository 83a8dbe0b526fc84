# SPDX-License-Identifier: BSD-3-Clause
"""A small clone for the scripts to work in, and the checks that they leave nothing behind."""

import glob
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAKE = Path(__file__).with_name("fake_pmdperf.py")
TIMEOUT = 120

MESON_BUILD = """
project('pmdperf', 'c')
cmocka = dependency('cmocka')
subdir('app')
foreach name : {tests}
    test(name, executable(name, name + '.c', dependencies: cmocka), suite: 'unit')
endforeach
"""
MESON_OPTIONS = "option('tests', type: 'feature', value: 'auto')\n"
PROGRAM = "int main(void) { return 0; }\n"


class Clone:
    """A copy of scripts/ around a program of one line."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        (folder / "meson_options.txt").write_text(MESON_OPTIONS)
        (folder / "app").mkdir()
        (folder / "app" / "main.c").write_text(PROGRAM)
        (folder / "app" / "meson.build").write_text("executable('pmdperf', 'main.c')\n")
        self.unit_tests({})

    def unit_tests(self, sources):
        for name, source in sources.items():
            (self.folder / f"{name}.c").write_text(source)
        text = MESON_BUILD.replace("{tests}", repr(list(sources)))
        (self.folder / "meson.build").write_text(text)

    def start(self, script, *arguments, **environment):
        # Ctrl-C is ignored in what a script starts in the background: not what is tested here.
        return subprocess.Popen(
            [self.folder / "scripts" / script, *arguments],
            env={**os.environ, "CI": "", "PMDPERF": "", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
            and signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, script, *arguments, **environment):
        child = self.start(script, *arguments, **environment)
        out, err = child.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def library(self, text, *files):
        """Runs shell text with files of scripts/lib/ sourced."""
        sourced = "".join(f'. "{self.folder}/scripts/lib/{name}.sh"\n' for name in files)
        path = self.folder / "library.sh"
        path.write_text(f"set -eu\n{sourced}{text}\n")
        return ["bash", str(path)]

    def processes(self):
        """Command lines of what still runs with this clone's path in it."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                words = Path(path).read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(self.folder) in words:
                found.append(words)
        return found


def traces():
    """What the scripts may change outside the clone: hugepages by node, and files."""
    pages = glob.glob("/sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages")
    names = glob.glob("/tmp/pmdperf.*")
    for name in ("sender", "receiver", "bench*"):
        names += glob.glob(f"/var/run/dpdk/{name}")
    return {path: Path(path).read_text() for path in pages}, set(names)


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


@pytest.fixture
def nothing_left(clone):
    """Fails the test when it ends with processes, files or hugepages that were not there before."""
    pages, files = traces()
    yield
    assert clone.processes() == []
    pages_now, files_now = traces()
    assert pages_now == pages
    assert files_now - files == set()


@pytest.fixture
def fake():
    return {"PMDPERF": str(FAKE)}
