# SPDX-License-Identifier: BSD-3-Clause
"""Two machines with one NIC each. Two people type prepare, receive and send at their consoles, and
read the figures there; afterwards the network is as it was."""

import re

import pytest

from consoles import SHELL, Console, screen
from guests import nic, user_net
from image import ROOT

NETWORK = """
modprobe virtio_net
IF=$(interface_of $A)
busybox getty 115200 tty1 &
ip addr add %(own)s/24 dev $IF
ip link set $IF up
ip route add default via %(peer)s dev $IF
settled() { has_carrier $A && ip -6 route show table local | grep -q ^multicast; }
wait_until 30 settled
modprobe igb_uio
picture $IF $A >/out/before
"""
AS_BEFORE = """
same_picture $IF $A /out/before
[ $(cat /proc/sys/vm/nr_hugepages) = 0 ] || fail "hugepages stay"
has_driver $A virtio-pci
"""


class Machine:
    def __init__(self, boot, sockets, number):
        self.peer = f"10.9.0.{3 - number}"
        own, other = f"c{number}", f"c{3 - number}"
        self.console = Console(sockets, f"tty{number}")
        cable = ["-netdev", f"dgram,id=cable,local.type=unix,local.path={sockets}/{own},"
                 f"remote.type=unix,remote.path={sockets}/{other}"]
        # Both at one place on the bus, each with an address of its own.
        device = [w.replace("00:00:01,", f"00:00:{number:02x},")
                  for w in nic("virtio-net-pci", "cable", 0)]
        (ROOT / "results").mkdir(exist_ok=True)
        self.guest = boot(NETWORK % {"own": f"10.9.0.{number}", "peer": self.peer} + SHELL + AS_BEFORE,
                          [*cable, *device, *self.console.device()],
                          name=f"-{number}", memory=768, append="iomem=relaxed")
        self.console.connect()

    def end(self):
        self.console.type("exit")
        self.console.close()
        return self.guest.wait(300)


@pytest.fixture
def machines(boot, sockets):
    both = [Machine(boot, sockets, number) for number in (1, 2)]
    for m in both:
        m.console.wait_for("guest# ", 240)
    yield both
    for m in both:
        m.console.close()


def prepare(machines):
    for m in machines:
        text = m.console.command(f"/src/scripts/prepare {m.peer}", 240)
        assert "Ready." in text and "answers ping" in text, text
        assert re.search(r"nic +0000:00:10.0 +sysfs", text), text
        assert re.search(r"next-hop +52:54:00:00:00:", text), text
        assert "driver igb_uio" in text, text


def check_card(shown, kind, steps):
    """On the screen, whole, at the end."""
    lines = screen(shown + "guest# ")
    text = "\n".join(lines)
    assert any(line.startswith("=====") for line in lines), text
    assert any(line.startswith(kind) for line in lines), text
    assert "Given back  the NIC 0000:00:10.0, with all it had; the hugepages" in lines, text
    for step, length in steps:
        row = next(line for line in lines if line.startswith(f"{step} "))
        assert row.split()[1] == str(length) and float(row.split()[2]) > 0, text
    return text


def test_receive_then_send(machines):
    """Nothing else is typed; the guides' two steps are run. The send is short for the test's sake."""
    sender, receiver = machines
    prepare(machines)
    receiver.console.type("/src/scripts/receive")
    receiver.console.wait_for("Waiting up to 300 s", 240)
    shown = sender.console.command("/src/scripts/send --duration 5s", 400)
    check_card(shown, "SENT", [("bandwidth", 1430), ("pps", 64)])
    got = receiver.console.wait_for("guest# ", 240)
    check_card(got[:-7], "RECEIVED", [("bandwidth", 1430), ("pps", 64)])
    assert check_card(sender.console.command("/src/scripts/show"), "SENT", [("pps", 64)])
    for m in machines:
        ping = m.console.command(f"ping -c 1 -W 5 {m.peer}")
        assert " 0% packet loss" in ping, ping
    for m in machines:
        m.end()


HANG_UP = """
PERSON=$!
wait_until 300 test -e /out/hang-up
kill -KILL $PERSON
is_back() {
	[ "$(cat /proc/sys/vm/nr_hugepages)" = 0 ] && picture $IF $A | cmp -s - /out/before
}
wait_until 120 is_back
"""


def test_hang_up(boot, sockets):
    """The log-in ends while the NIC is away: what hangs on the terminal is told, and loses it."""
    console = Console(sockets, "tty")
    guest = boot(NETWORK % {"own": "10.0.2.15", "peer": "10.0.2.2"} + SHELL.rstrip() + " &\n" + HANG_UP +
                 AS_BEFORE, [*user_net(), *nic("virtio-net-pci", "user0", 0), *console.device()],
                 memory=768, append="iomem=relaxed")
    console.connect()
    console.wait_for("guest# ", 240)
    text = console.command("/src/scripts/prepare 10.0.2.2", 240)
    assert "Ready." in text, text
    console.type("/src/scripts/send pps --duration 200s")
    console.wait_for("Sending for 200 s", 240)
    console.wait_for(r"\n +\d+\.\d{3} ", 120)
    (guest.folder / "hang-up").touch()
    guest.wait(300)
    console.close()
    folder, = (guest.folder / "results").glob("send-*")
    card = (folder / "card.txt").read_text()
    assert "Given back  the NIC 0000:00:10.0, with all it had; the hugepages" in card, card
    assert (folder / "1-pps.json").exists(), sorted(folder.iterdir())


def test_send_first_and_ctrl_c(machines):
    """The sender is there first; the receiver ends by Ctrl-C while it waits for a second step."""
    sender, receiver = machines
    prepare(machines)
    sender.console.type("/src/scripts/send pps --duration 90s")
    sender.console.wait_for("Sending for 90 s", 240)
    receiver.console.type("/src/scripts/receive pps bandwidth")
    receiver.console.wait_for("Step 2 of 2", 400)
    receiver.console.wait_for("Waiting up to 300 s", 60)
    receiver.console.wait_for("time s", 120)
    receiver.console.key(b"\x03")
    got = receiver.console.wait_for("guest# ", 240)[:-7]
    text = check_card(got, "RECEIVED", [("pps", 64)])
    assert "got no frame" in text
    check_card(sender.console.wait_for("guest# ", 240)[:-7], "SENT", [("pps", 64)])
    for m in machines:
        m.end()
