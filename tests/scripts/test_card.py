# SPDX-License-Identifier: BSD-3-Clause
"""The card of send and receive: figures worked out by hand, on 24 lines of 80 columns, by any awk."""
import json
import pathlib
import shutil
import subprocess

import pytest

CARD = pathlib.Path(__file__).resolve().parents[2] / "scripts/lib/measure/card.awk"
AWKS = [words for words in (["mawk"], ["gawk"], ["original-awk"], ["busybox", "awk"], ["awk"])
        if shutil.which(words[0])]
RULE = "=" * 79


def result(direction="rx", shares=(25.0, 25.25, 24.75, 25.0), reasons=("all is well",), **more):
    part = {"packets": 12345678, "bytes": 12345678 * 64, "window_s": 10.0, "pps": 1234567.8,
            "bps": 632098713.6, "bps_l1": 869135731.2, "total_packets": 12345999,
            "total_bytes": 790143936, "missed": 21, "nombuf": 0, "errors": None,
            "total_unsent": 1000000}
    r = {
        "schema": "pmdperf/1",
        "tool": {"version": "0.1.0", "dpdk": "DPDK 22.11.11"},
        "host": {"hugepages": []},
        "ports": [{"port": 0, "name": "0000:00:05.0", "driver": "net_virtio", "asked": {"rxq": 4}}],
        "lcores": [{"lcore": 0, "streams": 0, "busy_pct": None},
                   {"lcore": 1, "streams": 2, "busy_pct": 61.4},
                   {"lcore": 2, "streams": 2, "busy_pct": 97.6}],
        "queues": [{"port": 0, "queue": i, "dir": direction, "packets": 1, "share_pct": s}
                   for i, s in enumerate(shares)],
        "samples": [{"t_s": 1.0, "rx_pps": 5}, {"t_s": 2.0, "rx_pps": 6}],
        "summary": {"frame_len": 64, "measure_s": 20.0, direction: part},
        "run": {"id": "x", "argv": ["pmdperf", "--", "--json=\"a\""]},
        "expect": None,
        "peers": [],
        "verdict": {"status": "pass", "reasons": list(reasons)},
    }
    r.update(more)
    return r


def card(tmp_path, awk, role, results, back="the NIC 0000:00:05.0, with all it had; the hugepages"):
    for name, content in results.items():
        if content is not None:
            (tmp_path / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
    steps = " ".join(name.split("-", 1)[1] for name in results)
    p = subprocess.run([*awk, "-v", f"role={role}", "-v", f"steps={steps}", "-v", "folder=.",
                        "-v", f"back={back}", "-v", "again=scripts/show", "-f", CARD],
                       cwd=tmp_path, capture_output=True, text=True, check=True)
    assert p.stderr == ""
    lines = p.stdout.splitlines()
    assert len(lines) <= 23 and max(map(len, lines)) < 80, p.stdout
    return lines


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_a_receiver(tmp_path, awk):
    lines = card(tmp_path, awk, "receive", {"1-bandwidth": None, "2-pps": result()})
    assert lines == [
        "pmdperf 0.1.0 - 0000:00:05.0 (net_virtio)",
        RULE,
        "RECEIVED, from the first frame to the last.",
        "step         bytes      Mpps Gbit/s L2 Gbit/s L1 window s busy %  verdict",
        "bandwidth    no result: see the log",
        "pps             64     1.235      0.63      0.87     10.0     98  pass",
        "  pps: 12,345,999 frames received, missed by the device 21; 4 queues, share",
        "    24.8-25.2 %",
        "",
        "Results     .",
        "Given back  the NIC 0000:00:05.0, with all it had; the hugepages",
        "Again       scripts/show",
    ]


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_a_sender(tmp_path, awk):
    lines = card(tmp_path, awk, "send", {"1-pps": result("tx", shares=(100.0,))}, "no NIC was taken")
    assert lines[2:7] == [
        "SENT: what the device took. What arrived, only the receiver can say.",
        "step         bytes      Mpps Gbit/s L2 Gbit/s L1 window s busy %  verdict",
        "pps             64     1.235      0.63      0.87     10.0     98  pass",
        "  pps: 12,345,999 frames taken by the device, 1,000,000 refused; 1 queue",
        "",
    ]


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_what_is_not_known(tmp_path, awk):
    r = result()
    r["summary"]["rx"].update(packets=0, bytes=0, pps=None, bps=None, bps_l1=None, missed=None)
    r["lcores"] = []
    lines = card(tmp_path, awk, "receive", {"1-pps": r})
    assert lines[4] == "pps            n/a       n/a       n/a       n/a     10.0    n/a  pass"
    assert "missed by the device n/a" in lines[5]


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_a_failure_says_why_as_far_as_there_is_room(tmp_path, awk):
    reasons = [f'reason {i}: "quoted" and \\ ' + "long " * 20 for i in range(12)]
    bad = result(verdict={"status": "fail", "reasons": reasons})
    lines = card(tmp_path, awk, "receive", {"1-bandwidth": result(), "2-pps": bad})
    assert len(lines) == 23
    why = lines.index(next(line for line in lines if "reason 0" in line))
    assert lines[why].startswith('  reason 0: "quoted" and \\ long')
    assert lines[-6:-4] == ["  more: see the logs", ""] or "  more: see the logs" in lines
    assert lines[-1] == "Again       scripts/show"


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
@pytest.mark.parametrize("exact, text", [(True, "received, 1,234 lost,"), (False, "received, 1,234 lost by gaps,")])
def test_what_is_lost(tmp_path, awk, exact, text):
    senders = [{"src_ip": "10.0.0.1", "lost": 1200, "lost_exact": exact},
               {"src_ip": "10.0.0.2", "lost": 34, "lost_exact": True}]
    lines = card(tmp_path, awk, "receive", {"1-pps": result(account={"senders": senders, "untagged": 0})})
    assert text in lines[5]


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_warnings_are_shown_once(tmp_path, awk):
    notes = ["plain", "warning: port 0: this instance reached its limit of packets a second"]
    lines = card(tmp_path, awk, "receive", {"1-bandwidth": result(notes=notes), "2-pps": result(notes=notes)})
    assert lines.count(f"  {notes[1]}") == 1 and not any("plain" in line for line in lines)


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_expectations_are_shown(tmp_path, awk):
    r = result(expect={"pps": 12000000, "bps": None, "reached": 0.99},
               reasons=["99.0 % of the expected packets a second"])
    lines = card(tmp_path, awk, "receive", {"1-pps": r})
    assert "  99.0 % of the expected packets a second" in lines
