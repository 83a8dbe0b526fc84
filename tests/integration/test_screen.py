# SPDX-License-Identifier: BSD-3-Clause
"""What people see on a console of 25 lines of 80 columns, drawn by a real terminal."""
import re
import subprocess

import pytest

import harness
from hosts import B, ROOT, SCRIPTS, default_signals, prepare

pytestmark = pytest.mark.usefixtures("hugepages")

PROMPT = "host# "


class Screen:
    """A shell on a host, in a terminal that nobody has attached."""

    def __init__(self, host, box):
        rc = host.path / "rc"
        rc.write_text(f"PS1='{PROMPT}'\nPATH={SCRIPTS}:$PATH\n")
        self.tmux = ["tmux", "-u", "-f", "/dev/null", "-S", f"{box.path}/tmux"]
        environment = {k: v for k, v in host.environment.items() if k not in ("TMUX", "SSH_CONNECTION")}
        subprocess.run([*host.prefix, *self.tmux, "new-session", "-d", "-x", "80", "-y", "25",
                        f"bash --rcfile {rc} -i"], env=dict(environment, LC_ALL="C.UTF-8"),
                       check=True, start_new_session=True, preexec_fn=default_signals)
        self.wait_for_prompt()

    def call(self, *words):
        return subprocess.run([*self.tmux, *words], check=True, capture_output=True, text=True,
                              timeout=30).stdout

    def shown(self):
        return self.call("capture-pane", "-p").rstrip("\n").split("\n")

    def wait_for_prompt(self, limit=60):
        harness.wait_for(lambda: self.shown()[-1] == PROMPT.rstrip(), "the prompt", limit)

    def type(self, line, limit=120):
        """Returns the screen once the command has ended."""
        self.call("send-keys", "clear", "Enter")
        self.call("clear-history")
        harness.wait_for(lambda: self.shown() == [PROMPT.rstrip()], "an empty screen")
        self.call("send-keys", "-l", line)
        self.call("send-keys", "Enter")
        harness.wait_for(lambda: len(self.shown()) > 1 and self.shown()[-1] == PROMPT.rstrip(), line, limit)
        return self.shown()

    def wrapped(self):
        """Lines that were too long for the screen, of all that was shown, but for what was typed and
        what has the name of a file to copy."""
        apart = self.call("capture-pane", "-p", "-S", "-").split("\n")
        joined = self.call("capture-pane", "-p", "-J", "-S", "-").split("\n")
        long = [line for line in joined if len(line.rstrip()) > 80 and not line.startswith(PROMPT)
                and str(ROOT) not in line]
        return [] if len(apart) == len(joined) else long

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def screen(hosts, box):
    s = Screen(hosts[0], box)
    yield s
    s.close()


def check_card(lines):
    """Whole, with the prompt below it."""
    rule = next(i for i, line in enumerate(lines) if line.startswith("===="))
    assert lines[rule - 1].startswith("pmdperf "), lines
    assert any(re.match(r"pps +64 ", line) for line in lines[rule:]), lines
    assert lines[-2].startswith("Again "), lines


def test_the_card_stays_last(hosts, screen):
    prepare(hosts)
    shown = screen.type("send --io af_packet --duration 3s")
    check_card(shown)
    assert screen.wrapped() == []
    screen.type("cd /")
    check_card(screen.type("show"))


def test_a_code_fits_whole(hosts, screen):
    prepare(hosts)
    hosts[0].run("send", "pps", "--io", "af_packet", "--duration", "1s")
    lines = screen.type("show --qr")
    code = [line for line in lines if set(line) & set("▀▄█")]
    assert set(code[0]) == set(code[-1]) == {"█"}
    assert len(set(map(len, code))) == 1 and len(code) == (len(code[0]) + 1) // 2
    assert screen.wrapped() == []


def test_nothing_is_wider_than_the_screen(hosts, screen):
    """But for messages of errors, which are as long as what they name."""
    for line in (f"prepare {B}", "prepare --help", "send --help", "receive --help", "show --help",
                 *(f"{path.name} --help" for path in sorted(SCRIPTS.glob("*.sh"))),
                 "hugepages.sh status", "nic.sh status", "pmdperf --help"):
        screen.type(line.replace("pmdperf", str(harness.PROGRAM)))
        assert screen.wrapped() == [], line


def test_doctor_is_not_wider(screen):
    screen.type("doctor.sh")
    assert screen.wrapped() == []


def test_the_end_of_a_run_is_on_the_screen(screen):
    """pmdperf itself: after many intervals the figures are what is left."""
    words = ["--no-pci", "--vdev=net_null0", "--lcores", "0@0,1@0", "-m", "64", "--", "--forward-mode=txonly",
             "--warmup=0", "--duration=3s", "--stats-period=50ms", "--total-num-mbufs=4096"]
    lines = screen.type(f"{harness.PROGRAM} {' '.join(words)}")
    assert any("unverified" in line for line in lines), lines
    assert screen.wrapped() == []
