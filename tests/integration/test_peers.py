# SPDX-License-Identifier: BSD-3-Clause
"""What the two sides say to each other, and whether it is true: held against the log of a wire that
loses, doubles, delays and damages what it carries."""
import json
import pathlib
import signal
import subprocess

import pytest

import harness
import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

TX = ["--forward-mode=txonly", "--warmup=0", "--rate=4kpps", "--src-ip=10.9.0.1",
      "--dst-ip=10.9.0.2", "--dst-mac=02:00:00:00:00:09"]
RX = ["--forward-mode=rxonly", "--warmup=0"]


class Between:
    """Two interfaces and the wire between them."""

    def __init__(self, box):
        links.need_root()
        self.box = box
        self.log_path = pathlib.Path(box.path) / "wire.json"
        self.a, self.b, self.process = links.Veth(), links.Veth(), None

    def start(self, **rules):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", pathlib.Path(__file__).with_name("wire.py"), self.a.namespace,
             self.a.there, self.b.namespace, self.b.there, json.dumps(rules), self.log_path],
            stdout=subprocess.PIPE, text=True)
        self.box.helpers.append(self.process)
        assert self.process.stdout.readline() == "ready\n"

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        return {"dropped": 0, "corrupted": 0, "doubled": 0, "reordered": 0, "extent": 0,
                "again": 0, "unheard": 0, **json.loads(self.log_path.read_text())}

    def close(self):
        self.a.close()
        self.b.close()

    def receiver(self, *words):
        rx = links.Live(self.box, [self.b.vdev()], [*RX, *words], lcores=links.across(self.box))
        rx.wait_running()
        return rx

    def send(self, *words, duration="1s"):
        return self.box.run([self.a.vdev()], [*TX, f"--duration={duration}", *words])


@pytest.fixture
def between(box):
    b = Between(box)
    yield b
    b.close()


HARM = {
    "nothing": {},
    "drop": {"drop": 0.02},
    "double": {"double": 0.03},
    "delay": {"delay": 0.03},
    "corrupt": {"corrupt": 0.02},
    "all": {"drop": 0.02, "double": 0.02, "delay": 0.02, "corrupt": 0.02},
    "all_and_deaf": {"drop": 0.02, "double": 0.02, "delay": 0.02, "corrupt": 0.02,
                     "talk_loss": 0.2},
}


@pytest.mark.parametrize("harm", HARM)
def test_K2_both_reports_are_the_wires_log(between, harm):
    """To the packet, on both consoles, whatever the wire did, to the conversation as well."""
    between.start(seed=len(harm), **HARM[harm])
    rx = between.receiver()
    tx = between.send()
    rx.wait_still()
    got = rx.stop()
    log = between.stop()
    assert tx.status == 0, tx.err
    sent = tx.summary["tx"]["total_packets"]
    assert log["seen"] == sent > 500
    lost = log["dropped"] + log["corrupted"]
    loss = {"sent": sent, "received": sent - lost, "packets": lost,
            "ratio": pytest.approx(lost / sent), "duplicated": log["again"],
            "reordered": log["reordered"]}
    assert got.report["loss"] == loss
    assert tx.report["loss"] == loss
    sender, = got.report["account"]["senders"]
    assert sender["lost_exact"] and sender["lost"] == lost
    assert sender["reorder_extent"] == log["extent"]
    assert got.report["account"]["corrupt"] == log["corrupted"]
    there, = tx.report["peers"]
    assert there["exact"] and there["rx"]["packets"] == sent - lost
    assert there["rx"]["corrupt"] == log["corrupted"]
    assert f"{sent - lost} packets of {sent} sent: {lost} lost" in " ".join(tx.out.split())
    assert f"{lost} lost of {sent} sent" in " ".join(got.out.split())
    if "talk_loss" in HARM[harm]:
        assert log["unheard"] > 0
    assert log["longest"] == 280


@pytest.mark.parametrize("allowed, status", [("5%", 0), ("0.1%", 3), ("0", 3)])
def test_more_loss_than_let_pass_is_a_negative_verdict(between, allowed, status):
    between.start(seed=3, drop=0.02)
    rx = between.receiver(f"--max-loss={allowed}")
    tx = between.send(f"--max-loss={allowed}")
    got = rx.stop()
    between.stop()
    assert (tx.status, got.status) == (status, status), tx.out
    assert "--max-loss lets" in " ".join(tx.out.split())


def test_loss_that_is_not_known_is_not_judged(between):
    between.start()
    tx = between.send("--max-loss=0", duration="200ms")
    assert tx.status == 0
    assert tx.report["verdict"]["status"] == "unverified"
    text = " ".join(tx.out.split())
    assert "--max-loss could not be judged" in text and "no receiver answered" in text
    assert tx.report["peers"][0]["rx"] is None and tx.report["loss"] is None


@pytest.mark.parametrize("prime", [0, 3])
def test_K3_the_first_frame_of_each_flow_is_lost(between, prime):
    """On a path that learns flows: with priming frames nothing of the test is lost."""
    between.start(first=1)
    rx = between.receiver()
    tx = between.send("--txpkts=512", f"--prime={prime}")
    rx.wait_still()
    got = rx.stop()
    log = between.stop()
    assert tx.report["loss"] == got.report["loss"]
    assert tx.report["loss"]["packets"] == log["dropped"] == (0 if prime else 15)
    assert log["first"] == 16  # that of the conversation's flow was the conversation's own
    account = got.report["account"]
    assert account["untagged"] + account["corrupt"] == 0
    port, = tx.report["ports"]
    assert port["control_tx"] >= 16 * prime
    assert (f"{16 * prime} priming frames" in " ".join(tx.out.split())) == (prime > 0)
    assert got.summary["rx"]["total_packets"] == log["seen"] - log["dropped"]


def test_G6_a_filter_lets_nothing_through_but_talk(between):
    """The receiver is there and says that nothing came: that is a result, and a bad one."""
    between.start(drop=1)
    rx = between.receiver()
    tx = between.send(duration="300ms")
    got = rx.stop()
    between.stop()
    assert (tx.status, got.status) == (3, 3)
    assert "nothing of what was sent came" in " ".join(tx.out.split())
    assert tx.report["loss"]["received"] == 0 < tx.report["loss"]["packets"]
    assert "check: do security groups" in " ".join(got.out.split())


def test_no_control_on_either_side(between):
    between.start()
    rx = between.receiver("--no-control")
    tx = between.send(duration="300ms")
    got = rx.stop()
    assert got.report["peers"] == [] and got.report["loss"] is None
    assert "no receiver answered" in " ".join(tx.out.split())
    rx = between.receiver()
    tx = between.send("--no-control", duration="300ms")
    got = rx.stop()
    assert tx.report["peers"] == got.report["peers"] == []
    assert between.stop()["said"] > 0
    assert tx.report["ports"][0]["control_tx"] == 0


def test_a_receiver_that_is_killed(between):
    """The sender ends in time and says why it knows no more."""
    rx = between.receiver()
    between.start(kill_after=1000, pid=rx.process.popen.pid)
    tx = between.send()
    rx.process.wait()
    assert tx.status == 0, tx.err
    assert tx.report["verdict"]["status"] == "unverified"
    assert "answered at first, and not at the end" in " ".join(tx.out.split())
    assert tx.report["loss"] is None


def test_a_receiver_that_is_started_again(between):
    """It tells what it saw; nobody calls the rest lost."""
    between.start()
    rx = between.receiver()
    tx = between.box.start([between.a.vdev()], [*TX, "--duration=3s"])
    rx.wait_moving()
    rx.process.kill()
    rx.process.wait()
    again = between.receiver()
    sent = tx.wait()
    got = again.stop()
    assert sent.report["loss"] is None and got.report["loss"] is None
    there, = sent.report["peers"]
    assert not there["exact"] and "started again" in there["state"]
    assert 0 < there["rx"]["packets"] < sent.summary["tx"]["total_packets"]
    assert sent.report["verdict"]["status"] == "unverified"


def test_a_sender_that_is_killed(between):
    """The receiver has what it last said, and no end of it."""
    between.start()
    rx = between.receiver()
    tx = between.box.start([between.a.vdev()], [*TX, "--duration=60s"])
    rx.wait_moving()
    harness.wait_for(lambda: len(rx.rates()) > 4, "some time")
    tx.kill()
    rx.wait_still()
    got = rx.stop()
    assert got.status == 0, got.err
    here, = got.report["peers"]
    assert not here["exact"] and "not ended" in here["state"]
    sender, = got.report["account"]["senders"]
    assert sender["sent"] is None and not sender["lost_exact"]
    assert got.report["loss"] is None


def test_a_receiver_waits_for_the_end_of_a_sender_that_ends_soon(between):
    """Both were given the same time, and one started later."""
    between.start(seed=1, drop=0.01)
    rx = between.receiver("--duration=1500ms")
    tx = between.send(duration="1500ms")
    got = rx.wait()
    log = between.stop()
    assert got.report["loss"] == tx.report["loss"]
    assert tx.report["loss"]["packets"] == log["dropped"]


def test_a_receiver_ends_while_a_sender_goes_on(between):
    """Ten seconds of one are not waited for by the other."""
    between.start()
    rx = between.receiver("--duration=1s")
    tx = between.box.start([between.a.vdev()], [*TX, "--duration=60s"])
    got = rx.wait()
    assert got.status == 0, got.err
    assert "not ended" in got.report["peers"][0]["state"]
    tx.signal(signal.SIGINT)
    sent = tx.wait()
    assert sent.report["verdict"]["status"] == "unverified"


def test_runs_one_after_another_to_one_receiver(between):
    """Each is told apart, whatever number it drew."""
    between.start(seed=2, drop=0.01)
    rx = between.receiver()
    sent = [between.send(duration="200ms") for _ in range(3)]
    got = rx.stop()
    between.stop()
    assert got.report["loss"]["sent"] == sum(t.report["loss"]["sent"] for t in sent)
    assert got.report["loss"]["packets"] == sum(t.report["loss"]["packets"] for t in sent)
    assert [p["tx"]["packets"] for p in got.report["peers"]] == [
        t.summary["tx"]["total_packets"] for t in sent]


@pytest.mark.parametrize("workers", [1, 2])
def test_both_directions_at_once(box, workers):
    """Two that send and receive on one port each: four counts, and both reports have all."""
    pair = links.Pair(box)
    both = ["--forward-mode=txrx", "--warmup=0", "--rate=500kpps"]
    a = links.Live(box, [pair.vhost()], [*both, "--duration=2s", "--src-ip=10.9.0.1",
                                         "--dst-ip=10.9.0.2", "--dst-mac=02:00:00:00:00:02"],
                   workers=workers)
    pair.listening()
    b = box.run([pair.virtio()], [*both, "--duration=1s", "--src-ip=10.9.0.2",
                                  "--dst-ip=10.9.0.1", "--dst-mac=02:00:00:00:00:01"],
                workers=workers)
    a = a.wait()
    assert (a.status, b.status) == (0, 0), a.err + b.err
    for here, there in ((a, b), (b, a)):
        sender, = here.report["account"]["senders"]
        sent = there.summary["tx"]["total_packets"]
        assert sender["received"] == sender["sent"] == sent > 0
        assert sender["lost"] == 0 and sender["lost_exact"]
        roles = {p["role"]: p for p in here.report["peers"]}
        assert roles["sender"]["tx"]["packets"] == sent
        assert roles["receiver"]["rx"]["packets"] == here.summary["tx"]["total_packets"]
        assert roles["receiver"]["exact"] and roles["sender"]["exact"]
    sent = a.summary["tx"]["total_packets"] + b.summary["tx"]["total_packets"]
    for r in (a, b):
        assert (r.report["loss"]["sent"], r.report["loss"]["packets"]) == (sent, 0)
    assert a.report["account"]["untagged"] + b.report["account"]["untagged"] == 0


def test_answers_left_over_at_the_end(box):
    """A flood of questions: some lie between main and the worker that sends when the run ends."""
    path = pathlib.Path(box.path) / "ask.pcap"
    ask = packets.arp_frame("ff:ff:ff:ff:ff:ff", "02:00:00:00:00:09")
    packets.write_pcap(path, [ask] * 32 + [packets.ipv6_frame("02:00:00:00:00:02", ask[6:12].hex(":"))])
    r = box.run([f"--vdev=net_pcap0,rx_pcap={path},infinite_rx=1,tx_pcap={box.path}/out.pcap"],
                ["--forward-mode=txrx", "--warmup=0", "--rate=1kpps", "--duration=200ms",
                 "--src-ip=198.19.7.2", "--dst-ip=198.19.7.1", "--dst-mac=02:00:00:00:00:09"],
                workers=2)
    assert r.status == 0, r.err
    assert r.report["ports"][0]["control_tx"] > 1000
