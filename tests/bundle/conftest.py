# SPDX-License-Identifier: BSD-3-Clause
"""The bundle, made once for all tests, and unpacked in a system of another release."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import foreign

ROOT = foreign.ROOT
BUILD = ROOT / "build-bundle"
TIMEOUT = 120


def make(out):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PMDPERF")}
    done = subprocess.run([ROOT / "scripts/bundle.sh", "--out", out], env=clean,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """(the tarball, what the script said)"""
    if os.getuid() != 0:
        pytest.skip("needs root: the bundle is tried with another root folder")
    out = tmp_path_factory.mktemp("bundle") / "bundle.tar.gz"
    return out, make(out)


class System:
    """The bundle in another system. top is its folder there, here is the same as we see it."""

    def __init__(self, root, release, top):
        self.root, self.release = root, release
        self.top = Path("/opt") / top
        self.here = root / "opt" / top
        self.program = self.top / "build/app/pmdperf"

    def run(self, *command, **options):
        return subprocess.run(foreign.words(self.root, *command, **options), capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)

    def start(self, *command):
        return subprocess.Popen(foreign.words(self.root, *command), stdout=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, text=True)


@pytest.fixture(scope="session")
def system(bundle):
    root, release = foreign.system()
    for folder in ("opt", "tmp", "run"):
        shutil.rmtree(root / folder)
        (root / folder).mkdir()
    with tarfile.open(bundle[0]) as tar:
        top = tar.getnames()[0]
        tar.extractall(root / "opt")
    yield System(root, release, top)
    shutil.rmtree(root / "opt")
    (root / "opt").mkdir()
