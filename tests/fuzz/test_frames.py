# SPDX-License-Identifier: BSD-3-Clause
"""Frames and conversations by libFuzzer, for a short and fixed time: no crash, no bound broken.

FUZZ_SECONDS in the environment is how long; a failure leaves its input in the output.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))
import packets  # noqa: E402 (found only now)

SECONDS = int(os.environ.get("FUZZ_SECONDS", "20"))


def corpus(folder):
    """What comes in real life: our frames, ARP, echo, and conversations."""
    rng = random.Random(1)
    tag = struct.pack(">HBBIIQ", 0x9d17, 0x10, 1, 3, 4, 5)
    udp = packets.udp_frame("02:00:00:00:00:02", "02:00:00:00:00:01", 280)
    arp = bytes(12) + bytes.fromhex("08060001080006040001") + bytes(20)
    echo = bytes(12) + bytes.fromhex("080045000054000040004001") + bytes(66)
    words = [b"\0" + udp, b"\0" + udp[:42] + tag + udp[62:], b"\0" + arp, b"\0" + echo]
    words += [b"\1" + rng.randbytes(32 * n) for n in (1, 5, 30)]
    for i, w in enumerate(words):
        (folder / f"seed{i}").write_bytes(w)


def test_frames(tmp_path):
    build = ROOT / "build-fuzz"
    env = {**os.environ, "CC": "clang"}
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", "-Dfuzz=true", "-Dtests=disabled", build, ROOT], env=env,
                       check=True, capture_output=True)
    subprocess.run(["ninja", "-C", build, "tests/fuzz/fuzz_frames"], check=True,
                   capture_output=True)
    folder = tmp_path / "corpus"
    folder.mkdir()
    corpus(folder)
    r = subprocess.run([build / "tests/fuzz/fuzz_frames", f"-max_total_time={SECONDS}",
                        "-max_len=1500", "-seed=1", folder], cwd=tmp_path, capture_output=True,
                       text=True)
    assert r.returncode == 0, r.stderr[-3000:]
    assert "Done " in r.stderr
