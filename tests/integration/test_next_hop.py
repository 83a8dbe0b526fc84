# SPDX-License-Identifier: BSD-3-Clause
"""A host without a kernel answers ARP and ping, and asks whom to send to; the other end is Linux,
with its own stack, or a router."""
import pathlib
import re
import signal
import subprocess

import pytest

import harness
import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

US, PEER, ROUTER = "198.19.7.1", "198.19.7.2", "198.19.7.254"
# What else is said on the link is another test's matter.
TX = ["--forward-mode=txonly", "--warmup=0", f"--src-ip={US}", "--no-control"]
RX = ["--forward-mode=rxonly", "--warmup=0", f"--src-ip={US}"]


def give(veth, address):
    links.sh("ip", "-n", veth.namespace, "addr", "add", address, "dev", veth.there)


def mac_of(text):
    return re.search(r"link/ether (\S+)", text).group(1)


def there_mac(veth):
    return mac_of(links.sh("ip", "-n", veth.namespace, "link", "show", veth.there))


def udp_to_us(veth):
    """Datagrams that came to the kernel in the namespace by its own MAC and address."""
    rows = [line.split() for line in veth.inside("cat", "/proc/net/snmp").splitlines()
            if line.startswith("Udp:")]
    return int(dict(zip(*rows))["NoPorts"])


def ping(veth, count, *more):
    r = subprocess.run(["ip", "netns", "exec", veth.namespace, "ping", "-n", "-c", str(count),
                        "-i", "0.2", "-W", "2", *more, US],
                       check=False, capture_output=True, text=True, timeout=60)
    return int(re.search(r"(\d+) received", r.stdout).group(1)), r.stdout


def arping(veth, count):
    r = subprocess.run(["ip", "netns", "exec", veth.namespace, "arping", "-c", str(count),
                        "-w", "10", "-I", veth.there, US],
                       check=False, capture_output=True, text=True, timeout=60)
    return re.findall(r"reply from (\S+) \[([0-9A-F:]+)\]", r.stdout), r.stdout


def control_frames(live):
    """ARP, ICMP and answers, as the report has them."""
    out = live.path.read_text()
    found = re.search(r"(\d+)\s+ARP,\s+(\d+)\s+ICMP.*?(\d+)\s+answered", out, re.S)
    assert found, out
    return [int(n) for n in found.groups()]


@pytest.mark.parametrize("role", [RX, [*TX, "--dst-mac=02:00:00:00:00:09"]], ids=["rx", "tx"])
def test_answers_the_kernel(box, veth, role):
    """In either role, while it works at full speed."""
    give(veth, f"{PEER}/24")
    live = links.Live(box, [veth.vdev()], role)
    live.wait_running()
    found, text = arping(veth, 3)
    assert found == [(US, veth.mac().upper())] * 3, text
    for more in ([], ["-s", "1400"], ["-p", "ff", "-s", "17"]):
        received, text = ping(veth, 3, *more)
        assert received == 3 and "DUP!" not in text and "wrong data" not in text, text
    assert "lladdr " + veth.mac() in links.sh("ip", "-n", veth.namespace, "neigh", "show", US)
    live.process.stop()
    arp, icmp, answered = control_frames(live)
    assert icmp == 9 and arp >= 4 and answered == arp + icmp


def test_is_silent_where_the_kernel_answers(box, veth):
    """The interface has the address: its kernel is there, and two answers would be one too many."""
    give(veth, f"{PEER}/24")
    links.sh("ip", "addr", "add", f"{US}/24", "dev", veth.here)
    live = links.Live(box, [veth.vdev()], RX)
    live.wait_running()
    found, text = arping(veth, 3)
    assert len(found) == 3, text
    received, text = ping(veth, 3)
    assert received == 3 and "DUP!" not in text, text
    live.process.stop()
    arp, icmp, answered = control_frames(live)
    # A packet socket hears what its own kernel says, too.
    assert arp >= 3 and icmp >= 3 and answered == 0


def test_is_silent_for_others(box, veth):
    give(veth, f"{PEER}/24")
    live = links.Live(box, [veth.vdev()], ["--forward-mode=rxonly", "--src-ip=198.19.7.3"])
    live.wait_running()
    found, text = arping(veth, 2)
    assert found == [], text
    assert live.process.stop().status == 3


@pytest.mark.parametrize("words", [[f"--dst-ip={PEER}"], [f"--tx-ip={US},{PEER}"]],
                         ids=["dst-ip", "tx-ip"])
def test_asks_for_the_next_hop(box, veth, words):
    """The kernel takes as many datagrams for its own as the sender's device accepted."""
    give(veth, f"{PEER}/24")
    role = [w for w in TX if not w.startswith("--src-ip") or "--tx-ip" not in words[0]]
    r = box.run([veth.vdev()], [*role, *words, "--duration=200ms"])
    assert r.status == 0, r.err
    assert f"{PEER} is at {there_mac(veth)}, as it answered by ARP" in " ".join(r.out.split())
    sent = r.summary["tx"]["total_packets"]
    assert sent > 0
    harness.wait_for(lambda: udp_to_us(veth) >= sent, "all datagrams")
    assert udp_to_us(veth) == sent
    assert "lladdr " + veth.mac() in links.sh("ip", "-n", veth.namespace, "neigh", "show", US)


@pytest.mark.parametrize("gateway", [False, True])
def test_nobody_answers(box, veth, gateway):
    asked = ROUTER if gateway else "198.19.7.77"
    give(veth, f"{PEER}/24")
    words = [*TX, "--dst-ip=198.19.7.77", *([f"--gateway={ROUTER}"] if gateway else [])]
    r = box.run([veth.vdev()], [*words, "--duration=1s"])
    assert r.status == 1
    text = " ".join(r.err.split())
    assert f"nobody answers ARP for {asked}" in text
    assert "--gateway=" in text and "--dst-mac=" in text
    assert r.report is None


def test_a_signal_ends_the_asking(box, veth):
    live = links.Live(box, [veth.vdev()], [*TX, f"--dst-ip={PEER}"])
    harness.wait_for(lambda: veth.peer_received() > 0, "a question")
    live.process.signal(signal.SIGINT)
    r = live.process.wait()
    assert r.status in (0, 3) and "nobody answers" not in r.err
    assert udp_to_us(veth) == 0


def test_a_mac_given_is_not_asked_for(box, veth):
    give(veth, f"{PEER}/24")
    r = box.run([veth.vdev()], [*TX, f"--dst-ip={PEER}", f"--gateway={ROUTER}",
                                "--dst-mac=02:00:00:00:00:09", "--duration=100ms"])
    assert r.status == 0, r.err
    assert "--gateway was not asked for its MAC" in r.out
    assert "is at" not in r.out
    assert udp_to_us(veth) == 0
    assert veth.peer_received() == r.summary["tx"]["total_packets"]


def test_nothing_known_falls_back_and_says_so(box, veth):
    r = box.run([veth.vdev()], ["--forward-mode=txonly", "--warmup=0", "--duration=100ms",
                                "--no-control"])
    assert r.status == 0, r.err
    assert "02:00:00:00:00:00" in r.out
    assert veth.peer_received() == r.summary["tx"]["total_packets"]


def test_a_group_needs_no_question(box):
    path = pathlib.Path(box.path) / "out.pcap"
    r = box.run([f"--vdev=net_pcap0,tx_pcap={path}"],
                [*TX, "--dst-ip=239.129.2.3", "--duration=50ms"])
    assert r.status == 0, r.err
    frames = packets.read_pcap(path)
    assert frames and {f[:6] for f in frames} == {packets.mac("01:00:5e:01:02:03")}


def test_two_ports_of_one_process(box, veth):
    """One asks, the other answers: both are main's until the workers run."""
    links.sh("ip", "-n", veth.namespace, "link", "set", veth.there, "netns", "1")
    try:
        links.sh("sysctl", "-qw", f"net.ipv6.conf.{veth.there}.disable_ipv6=1")
        links.sh("ip", "link", "set", veth.there, "up")
        r = box.run([veth.vdev(), f"--vdev=net_af_packet1,iface={veth.there}"],
                    ["--port-mode", "0=txonly", "--port-mode", "1=rxonly", "--warmup=0",
                     f"--src-ip={US}", f"--dst-ip={PEER}", "--duration=200ms"], workers=2)
        assert r.status == 0, r.err + r.out
        mac = mac_of(links.sh("ip", "link", "show", veth.there))
        assert f"{PEER} is at {mac}" in " ".join(r.out.split())
        assert 0 < r.summary["rx"]["total_packets"] <= r.summary["tx"]["total_packets"]
    finally:
        links.sh("ip", "link", "del", veth.there)


def test_through_a_router(box, veth):
    """Sender and receiver in two subnets, Linux between them forwards."""
    far = links.Veth()
    try:
        links.sh("ip", "link", "set", far.here, "down")
        links.sh("ip", "-n", far.namespace, "link", "set", far.there, "netns", veth.namespace)
        give(veth, f"{ROUTER}/24")
        for words in (["addr", "add", "198.19.8.254/24", "dev", far.there],
                      ["link", "set", far.there, "up"]):
            links.sh("ip", "-n", veth.namespace, *words)
        links.sh("ip", "link", "set", far.here, "up")
        veth.inside("sysctl", "-qw", "net.ipv4.ip_forward=1",
                    f"net.ipv6.conf.{far.there}.disable_ipv6=1")
        receiver = links.Live(box, [far.vdev()], ["--forward-mode=rxonly", "--warmup=0",
                                                  "--src-ip=198.19.8.2"])
        receiver.wait_running()
        sent = box.run([veth.vdev()], [*TX, "--dst-ip=198.19.8.2", f"--gateway={ROUTER}",
                                       "--duration=500ms"])
        assert sent.status == 0, sent.err
        assert f"{ROUTER} is at {there_mac(veth)}" in " ".join(sent.out.split())
        r = receiver.process.stop()
        assert r.status == 0, r.err + r.out
        assert 0 < r.summary["rx"]["total_packets"] <= sent.summary["tx"]["total_packets"]
    finally:
        far.close()
