# SPDX-License-Identifier: BSD-3-Clause
"""The profiles in config/ are what the program reads."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

PROGRAM = Path(os.environ.get("PMDPERF", ROOT / "build" / "app" / "pmdperf"))


WHOLE = [ROOT / "config" / name for name in ("receiver.ini", "sender.ini")]
STEPS = sorted(set((ROOT / "config").glob("*.ini")) - set(WHOLE))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("profile", STEPS, ids=lambda p: p.name)
@pytest.mark.parametrize("mode", ["txonly", "rxonly"])
def test_step_is_accepted_in_both_directions(profile, mode):
    """As scripts/send and scripts/receive use it."""
    done = subprocess.run([PROGRAM, "--no-pci", "--vdev=net_null0", "--", f"--config={profile}",
                           f"--forward-mode={mode}", "--plan"], capture_output=True, text=True,
                          timeout=30)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("profile", WHOLE, ids=lambda p: p.name)
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
