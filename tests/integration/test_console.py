# SPDX-License-Identifier: BSD-3-Clause
"""What is printed, wherever it goes: a pipe, a terminal, a serial console of no size."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

import harness

TX = "--forward-mode=txonly"
RX = "--forward-mode=rxonly"
RUN = ["--duration=600ms", "--warmup=200ms", "--stats-period=100ms"]
PERIOD = re.compile(r"^ +\d+\.\d{3} +\S+", re.M)


def fits(text):
    """Every line below 80 columns, plain ASCII, no control characters, no blanks at the end."""
    assert text.isascii()
    for line in text.splitlines():
        assert len(line) < 80, f"{len(line)}: {line}"
        assert line == line.rstrip(), repr(line)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", line), repr(line)


def set_size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def on_terminal(box, own, rows, columns, resize=(), eal=("--vdev=net_null0",)):
    """Runs on a terminal, also as its stdin; resizes it meanwhile. @return status, text"""
    master, slave = pty.openpty()
    set_size(slave, rows, columns)
    p = subprocess.Popen([harness.PROGRAM, *box.lcores(), "--no-pci", *eal, "--", *own],
                         stdin=slave, stdout=slave, stderr=slave, cwd=box.path,
                         start_new_session=True,
                         preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    text, sizes, end = b"", list(resize), time.monotonic() + harness.LIMIT_S
    try:
        while time.monotonic() < end:
            if select.select([master], [], [], 0.05)[0]:
                try:
                    got = os.read(master, 65536)
                except OSError:
                    break
                if not got:
                    break
                text += got
            if sizes:
                set_size(master, *sizes.pop(0))
        return p.wait(10), text.decode("ascii").replace("\r\n", "\n")
    finally:
        if p.poll() is None:
            p.kill()
            p.wait()
        os.close(master)


@pytest.mark.parametrize("rows,columns", [(0, 0), (1, 1), (24, 80), (50, 200), (65535, 65535)])
def test_D6_terminal_sizes(box, rows, columns):
    status, text = on_terminal(box, [TX, *RUN], rows, columns)
    assert status == 0, text
    fits(text)
    assert len(PERIOD.findall(text)) >= 6
    assert "VERDICT unverified" in text


def test_D5_the_terminal_is_resized(box):
    """SIGWINCH at every turn; it is nobody's business here."""
    sizes = [(24, 80), (1, 1), (0, 0), (60, 300)] * 5
    status, text = on_terminal(box, [TX, *RUN], 24, 80, resize=sizes)
    assert status == 0, text
    fits(text)
    assert len(PERIOD.findall(text)) >= 6


def test_D5_no_stdin_and_no_terminal(box):
    p = box.start(["--vdev=net_null0"], [TX, *RUN], stdin=None,
                  prefix=["setsid", "sh", "-c", 'exec "$@" <&-', "sh"])
    r = p.wait()
    assert (r.status, r.err) == (0, "")
    fits(r.out)


@pytest.mark.parametrize("term", ["dumb", "xterm-256color", ""])
def test_D6_whatever_the_terminal_is_called(box, term):
    env = dict(os.environ, TERM=term, COLUMNS="20", LINES="0")
    r = box.run(["--vdev=net_null0"], [TX, *RUN], env=env)
    assert (r.status, r.err) == (0, "")
    fits(r.out)


def test_other_locale(box):
    """The decimal point stays one, in the text and in the result."""
    env = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
    r = box.run(["--vdev=net_null0"], [TX, *RUN], env=env)
    assert (r.status, r.err) == (0, "")
    fits(r.out)
    assert PERIOD.search(r.out)


@pytest.mark.parametrize("own", [
    [TX, "--txq=48", "--txd=128", *RUN],
    [RX, "--rxq=48", "--rxd=128", *RUN],
    [TX, "--txpkts=9000", *RUN],
    [TX, "--src-ip=192.168.100.100", "--dst-ip=192.168.200.200", "--tx-udp=65000",
     "--dst-mac=02:aa:bb:cc:dd:ee", *RUN],
], ids=["many_tx", "many_rx", "jumbo", "addresses"])
def test_reports_fit(box, own):
    r = box.run(["--vdev=net_null0"], own)
    assert r.status == 0, r.err
    fits(r.out)


def test_long_names_fit(box):
    """A device's name may be long, and so may a path."""
    name = "net_null_" + "x" * 50
    r = box.run([f"--vdev={name}"], [TX, *RUN])
    assert r.status == 0, r.err
    fits(r.out)
    assert name in r.out.replace("\n  ", "")


def test_several_ports_fit(box):
    r = box.run([f"--vdev=net_null{i}" for i in range(6)],
                [TX, "--port-mode=1=rxonly", "--port-mode=3=rxonly", *RUN], workers=2)
    assert r.status == 0, r.err
    fits(r.out)
    for i in range(6):
        assert f"port {i}: {'rxonly' if i in (1, 3) else 'txonly'}" in r.out


def test_receiver_that_got_nothing_fits(box):
    r = box.run(["--vdev=net_ring0"], [RX, *RUN])
    assert r.status == 3
    fits(r.out)
    assert "VERDICT fail" in r.out and r.out.count("check:") >= 4


def test_defaults_are_said_to_be_defaults(box):
    r = box.run(["--vdev=net_null0"], [TX, *RUN])
    assert "198.18.0.1 to 198.18.0.2 (default)" in r.out
    r = box.run(["--vdev=net_null0"], [TX, "--src-ip=192.0.2.1", "--dst-ip=192.0.2.2",
                                       "--dst-mac=02:00:00:00:00:07", *RUN])
    assert "default" not in r.out, r.out


def test_quiet(box):
    """Only the final report: what ran, no lines of periods."""
    r = box.run(["--vdev=net_null0"], [TX, "--quiet", *RUN])
    assert (r.status, r.err) == (0, "")
    assert PERIOD.search(r.out[:r.out.index("RESULT")]) is None
    assert len(r.out[:r.out.index("RESULT")].splitlines()) <= 3
    assert "VERDICT" in r.out
    assert len(r.report["samples"]) >= 5


def test_stats_period_0(box):
    """No lines, but the result has samples of a second each; and min and max where there are."""
    r = box.run(["--vdev=net_null0"], [TX, "--stats-period=0", "--duration=2200ms", "--warmup=0"])
    assert (r.status, r.err) == (0, "")
    assert PERIOD.search(r.out[:r.out.index("RESULT")]) is None
    assert len(r.report["samples"]) >= 2
    assert r.summary["tx"]["pps_median"] > 0


@pytest.mark.parametrize("period,least", [("10ms", 30), ("0.1", 4), ("250ms", 2)])
def test_stats_period(box, period, least):
    r = box.run(["--vdev=net_null0"], [TX, "--duration=600ms", "--warmup=0",
                                       f"--stats-period={period}"])
    assert (r.status, r.err) == (0, "")
    times = [float(line.split()[0]) for line in PERIOD.findall(r.out[:r.out.index("RESULT")])]
    assert len(times) >= least and times == sorted(set(times))
    assert len(times) <= 0.6 / {"10ms": 0.01, "0.1": 0.1, "250ms": 0.25}[period] + 1.5


def test_layers_are_labelled(box):
    r = box.run(["--vdev=net_null0"], [TX, *RUN])
    for label in ("L2", "L1", "PPS x 64 B x 8", "without CRC", "Mpps", "ACCEPTED"):
        assert label in r.out, label
    assert "delivered" not in r.out.lower()


def test_K6_a_sender_alone_claims_nothing(box):
    r = box.run(["--vdev=net_null0"], [TX, *RUN])
    assert "RECEIVED" not in r.out
    assert r.summary["rx"] is None or r.summary["rx"]["pps"] is None
    assert "unverified" in r.out


def test_I_unknown_figures_are_not_zero(box):
    """net_ring counts no misses and knows no link speed worth a percentage."""
    r = box.run(["--vdev=net_ring0"], [RX, *RUN])
    assert r.summary["rx"]["missed"] is None
    assert re.search(r"missed n/a", r.out)
    assert "%" not in r.out[r.out.index("RECEIVED"):r.out.index("WHOLE RUN")]


def test_the_report_agrees_with_the_result_file(box):
    r = box.run(["--vdev=net_null0"], [TX, *RUN])
    mean = float(re.search(r"mean +(\d+\.\d+) Mpps", r.out)[1])
    assert abs(mean * 1e6 - r.summary["tx"]["pps"]) <= 1e3
    assert f"{r.summary['tx']['packets']} packets" in r.out
    assert r.report["verdict"]["status"] in r.out
    assert r.report["run"]["id"] in r.out
