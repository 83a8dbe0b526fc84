# SPDX-License-Identifier: BSD-3-Clause
"""Two machines with one NIC each, and a third that reaches them by SSH over the very NICs that are
taken: --detach, and pair.sh."""

import os
import re
import shlex
import subprocess
import time

import pytest

from guests import Namespace
from image import ROOT

HERE, ADDRESSES = "10.9.0.9", {"alpha": "10.9.0.1", "beta": "10.9.0.2"}

# The server ends with the guest. Whoever logs in has the program that is built for guests.
SERVED = """
modprobe virtio_net
IF=$(interface_of $A)
busybox getty 115200 tty1 &
ip addr add %s/24 dev $IF
ip link set $IF up
settled() { has_carrier $A && ip -6 route show table local | grep -q ^multicast; }
wait_until 30 settled
modprobe igb_uio
mkdir -p /out/results
mount --bind /out/results /src/results
picture $IF $A >/out/before
wait_until 60 test -e /out/key
mkdir -p -m 700 /root/.ssh
printf '#!/bin/bash\\nexport PMDPERF=%%s\\nexec bash -c "$SSH_ORIGINAL_COMMAND"\\n' "$PROGRAM" >/root/log-in
chmod +x /root/log-in
printf 'command="/root/log-in" %%s\\n' "$(cat /out/key)" >/root/.ssh/authorized_keys
chmod go-w /root /root/.ssh/authorized_keys
dropbear -R -E -F 2>/out/dropbear.log &
wait_until 900 test -e /out/finish
same_picture $IF $A /out/before
[ $(cat /proc/sys/vm/nr_hugepages) = 0 ] || fail "hugepages stay"
has_driver $A virtio-pci
"""


class Third:
    """The machine in the middle, in a namespace; alpha and beta are names that its ssh knows."""

    def __init__(self, namespace, home):
        self.namespace = namespace
        self.home = home
        self.guests = []
        (home / "results").mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / "id"], check=True)
        lines = [f"Host {name}\nHostName {address}" for name, address in ADDRESSES.items()]
        (home / "config").write_text("\n".join(lines) + f"""
Host *
User root
IdentityFile {home}/id
StrictHostKeyChecking no
UserKnownHostsFile {home}/known
BatchMode yes
ConnectTimeout 10
LogLevel ERROR
""")
        self.ssh = ["ssh", "-F", str(home / "config")]

    def key(self):
        return (self.home / "id.pub").read_text()

    def start(self, *words, **options):
        return subprocess.Popen([*self.namespace.prefix(), *words], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)

    def run(self, *words, seconds=120, **options):
        process = self.start(*words, **options)
        try:
            text = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{words} did not end:\n{process.communicate()[0]}") from None
        return process.returncode, text

    def on(self, name, command, seconds=120):
        """The command ends well there; what it said."""
        status, text = self.run(*self.ssh, name, command, seconds=seconds)
        assert status == 0, f"{name}: {command}\n{text}"
        return text

    def wait_for(self, name, command, seconds):
        """Until it ends well there; the machine may be away meanwhile."""
        end = time.monotonic() + seconds
        while True:
            status, text = self.run(*self.ssh, name, command)
            if status == 0:
                return text
            for guest in self.guests:
                assert guest.process.poll() is None, guest.text()
            assert time.monotonic() < end, f"{name}: {command}: in vain for {seconds} s\n{text}"
            time.sleep(1)


@pytest.fixture
def machines(boot, tmp_path):
    namespace = Namespace(2)
    try:
        namespace.inside("addr", "add", f"{HERE}/24", "dev", "bridge0")
        third = Third(namespace, tmp_path)
        (ROOT / "results").mkdir(exist_ok=True)
        for i, (name, address) in enumerate(ADDRESSES.items()):
            # Both at one place on the bus, each with an address of its own.
            device = [w.replace("00:00:01,", f"00:00:0{i + 1},") for w in namespace.device(i, 0)]
            guest = boot(SERVED % address, device, name=f"-{name}", memory=768,
                         append="iomem=relaxed", prefix=namespace.prefix())
            (guest.folder / "key.new").write_text(third.key())
            (guest.folder / "key.new").rename(guest.folder / "key")
            third.guests.append(guest)
        for name in ADDRESSES:
            third.wait_for(name, "true", 240)
        for name, peer in zip(ADDRESSES, reversed(ADDRESSES.values())):
            text = third.on(name, f"/src/scripts/prepare {peer}", 240)
            assert "Ready." in text, text
        yield third
    finally:
        namespace.close()


def end(third):
    for guest in third.guests:
        (guest.folder / "finish").touch()
    for guest in third.guests:
        guest.wait(120)


def test_detach(machines):
    """A session over the taken NIC pauses and goes on; what is measured is there afterwards."""
    refused, text = machines.run(*machines.ssh, "alpha", "/src/scripts/send pps")
    assert refused == 1 and "--detach" in text, text
    session = machines.start(*machines.ssh, "alpha", "i=0; while [ ! -e /run/over ]; do "
                             "echo $((i += 1)) $(cut -d' ' -f1 /proc/uptime); sleep 1; done; echo over")
    text = machines.on("beta", "/src/scripts/receive pps --detach")
    assert "Detached. This session pauses" in text, text
    machines.on("alpha", "/src/scripts/send pps --duration 5s --detach")
    for name, role in (("alpha", "send"), ("beta", "receive")):
        status = machines.wait_for(name, f"cat /src/results/{role}-detached.status", 300)
        assert status.split()[0] == "0", status + machines.on(name, f"cat /src/results/{role}-detached.log")
    card = machines.on("alpha", "/src/scripts/show")
    assert "SENT" in card and "Given back  the NIC 0000:00:10.0" in card, card
    card = machines.on("beta", "/src/scripts/show")
    row = next(line for line in card.splitlines() if line.startswith("pps "))
    assert "RECEIVED" in card and float(row.split()[2]) > 0, card
    machines.on("alpha", "touch /run/over")
    lines = session.communicate(timeout=120)[0].split("\n")
    assert session.returncode == 0 and "over" in lines, lines
    # The same shell all the time: its count has no gap, whatever the connection did.
    counts = [int(line.split()[0]) for line in lines if re.fullmatch(r"\d+ [\d.]+", line)]
    assert counts == list(range(1, len(counts) + 1)), lines
    end(machines)


def test_pair(machines):
    """One command on the third machine, and both results are there."""
    home = machines.home
    words = ["unshare", "-m", "sh", "-c", f'mount --bind {home}/results {ROOT}/results && exec "$@"',
             "sh", ROOT / "scripts/pair.sh", "--dir", "/src", "alpha", "beta", "--", "pps",
             "--duration", "5s"]
    status, text = machines.run(*words, seconds=400,
                                env=dict(os.environ, PMDPERF_SSH=shlex.join(machines.ssh)))
    assert status == 0, text
    assert "alpha:" in text and "beta:" in text and "SENT" in text and "RECEIVED" in text, text
    folder, = (home / "results").glob("pair-*")
    for role in ("send", "receive"):
        assert (folder / role / "result/1-pps.json").exists(), sorted(folder.rglob("*"))
    end(machines)
