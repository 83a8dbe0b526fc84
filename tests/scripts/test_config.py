# SPDX-License-Identifier: BSD-3-Clause
"""The profiles in config/ are what the program reads."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

PROGRAM = Path(os.environ.get("PMDPERF", ROOT / "build" / "app" / "pmdperf"))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("profile", sorted((ROOT / "config").glob("*.ini")), ids=lambda p: p.name)
def test_profile_is_accepted(profile, tmp_path):
    """With a device that is on any machine in place of the user's NIC."""
    text, count = re.subn(r"(?m)^a = .*$", "no-pci =\nvdev = net_null0", profile.read_text())
    assert count == 1
    copy = tmp_path / profile.name
    copy.write_text(text)
    done = subprocess.run(
        [PROGRAM, "--config", copy, "--plan"], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert "queues 0-3" in done.stdout
