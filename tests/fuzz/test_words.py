# SPDX-License-Identifier: BSD-3-Clause
"""Random words, command lines and files: refused in one message or planned, never a crash.

FUZZ_RUNS and FUZZ_SEED in the environment change how many and which; a failure shows its words.
"""
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import harness  # noqa: E402 (found only now)

RUNS = int(os.environ.get("FUZZ_RUNS", "400"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
EAL = ["--no-pci", "--vdev=net_null0", "--vdev=net_ring1", "-l", "0-1", "--lcores=0@0,1@0", "-c",
       "0x3", "--main-lcore=0", "--file-prefix=x", "-m", "64", "--socket-mem=64", "-n", "4", "-a",
       "0000:00:05.0", "--in-memory", "--no-huge", "--iova-mode=va", "--log-level=8"]
VALUES = ["", "0", "1", "-1", "64", "1023", "1024", "65535", "65536", "4294967296",
          "18446744073709551616", "1e3", "0x10", "1s", "10ms", "1h", "txonly", "rxonly", "true",
          "false", "198.18.0.9", "1.2.3.4,5.6.7.8", "02:00:00:00:00:01", "0,02:00:00:00:00:01",
          "0=txonly", "31=rxonly", "64,64", "9000", "software", "none", "x" * 5000, "%s%n",
          "\u00fc", "../..", "a,b,c", " 7", "7 "]


def options():
    text = subprocess.run([harness.PROGRAM, "--help"], capture_output=True, text=True,
                          check=True).stdout
    return [o for o in re.findall(r"^[ *] --([a-z-]+)", text, re.M)
            if o not in ("help", "version", "json", "config")]


def mutate(rng, word):
    if word and rng.random() < 0.15:
        at = rng.randrange(len(word))
        word = word[:at] + rng.choice(["", "-", "=", ",", "z", word[at] * 2]) + word[at + 1:]
    return word


def own_words(rng, names):
    words = ["--forward-mode=" + rng.choice(["txonly", "rxonly"])] if rng.random() < 0.8 else []
    for _ in range(rng.randrange(5)):
        name, value = rng.choice(names), rng.choice(VALUES)
        words += rng.choice([[f"--{name}={value}"], [f"--{name}", value], [f"--{name}"]])
    return [mutate(rng, w) for w in words]


def ini(rng, names):
    lines = []
    for _ in range(rng.randrange(1, 8)):
        lines.append(rng.choice([
            "[pmdperf]", "[eal]", "[run]", "; text", "", "[",
            f"{rng.choice(names)} = {rng.choice(VALUES)}",
            rng.choice(EAL).lstrip("-"),
        ]))
    return "\n".join(mutate(rng, line) for line in lines) + "\n"


def test_random_words(tmp_path):
    rng = random.Random(SEED)
    names = options()
    planned = 0
    for i in range(RUNS):
        eal = ["--no-pci", "--vdev=net_null0"] if rng.random() < 0.7 else []
        eal += [mutate(rng, w) for w in rng.sample(EAL, rng.randrange(3))]
        own = own_words(rng, names)
        if rng.random() < 0.3:
            (tmp_path / "x.ini").write_text(ini(rng, names), encoding="utf-8")
            own.append("--config=x.ini")
        # The plan needs all that a run does, but for hugepages and devices.
        words = [*eal, "--", *own, "--plan"]
        r = harness.call(words, tmp_path, limit=20)
        shown = f"run {i} of seed {SEED}: {words}\nstatus {r.status}\n{r.out[:500]}\n{r.err}"
        if "--config=x.ini" in own:
            shown += (tmp_path / "x.ini").read_text(encoding="utf-8")
        assert r.status in (0, 1, 2), shown
        if r.status == 0:
            assert r.err == "" and r.out, shown
            planned += 1
        else:
            assert r.out == "" and r.err.startswith("pmdperf: "), shown
            assert r.err.count("\n") <= 4, shown
            assert (r.err.splitlines()[-1] == "Try pmdperf --help.") == (r.status == 2), shown
        assert harness.leftovers(r.pid, tmp_path) == []
    assert RUNS < 100 or RUNS // 20 < planned < RUNS, "the words are no test: all alike"
