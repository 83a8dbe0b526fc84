# SPDX-License-Identifier: BSD-3-Clause
"""The profiles in config/ are what the program reads."""

import os
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

PROGRAM = Path(os.environ.get("PMDPERF", ROOT / "build" / "app" / "pmdperf"))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("profile", sorted((ROOT / "config").glob("*.ini")), ids=lambda p: p.name)
def test_profile_is_accepted(profile):
    done = subprocess.run(
        [PROGRAM, "--config", profile, "--plan"], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert "queues 0-3" in done.stdout
