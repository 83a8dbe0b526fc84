# SPDX-License-Identifier: BSD-3-Clause
"""What joins a sender and a receiver: virtio rings and shared memory between two processes, veth
pairs into a network namespace of their own, and DPDK's own tool to look at what arrives."""
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import harness

# Of 2 MB; what two runs with large frames take.
PAGES = 256
_numbers = itertools.count()


def free_pages():
    node = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    return int(node.read_text()) if node.exists() else 0


def need_pages(pages=PAGES):
    """Skips a test that would fail for want of memory; others may be about to give some back."""
    try:
        harness.wait_for(lambda: free_pages() >= pages, "free hugepages", 15.0)
    except AssertionError:
        pytest.skip(f"needs {pages} free hugepages of 2 MB, there are {free_pages()}")


def need_root():
    if os.geteuid() != 0:
        pytest.skip("needs root: it makes network interfaces")


def sh(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=30).stdout


class Veth:
    """A veth pair: one end here for the program, the other in a namespace. Nothing but what a test
    sends passes: no addresses, no IPv6."""

    def __init__(self):
        unique = f"{os.getpid() % 100000}x{next(_numbers)}"
        self.namespace = f"pmdperf-{unique}"
        self.here, self.there = f"pa{unique}", f"pb{unique}"
        try:
            sh("ip", "netns", "add", self.namespace)
            sh("ip", "link", "add", self.here, "type", "veth", "peer", "name", self.there,
               "netns", self.namespace)
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{self.here}/disable_ipv6").write_text("1")
            self.inside("sysctl", "-qw", f"net.ipv6.conf.{self.there}.disable_ipv6=1")
            sh("ip", "link", "set", self.here, "up")
            sh("ip", "-n", self.namespace, "link", "set", self.there, "up")
        except BaseException:
            self.close()
            raise

    def close(self):
        for words in (["ip", "link", "del", self.here], ["ip", "netns", "del", self.namespace]):
            subprocess.run(words, check=False, capture_output=True, timeout=30)

    def inside(self, *words):
        return sh("ip", "netns", "exec", self.namespace, *words)

    def set_mtu(self, mtu):
        """Of the end here only."""
        sh("ip", "link", "set", self.here, "mtu", str(mtu))

    def mtu(self):
        return int(self._attribute("mtu"))

    def mac(self):
        return self._attribute("address")

    def peer_received(self):
        return int(self.inside("cat", f"/sys/class/net/{self.there}/statistics/rx_packets"))

    def peer_received_bytes(self):
        return int(self.inside("cat", f"/sys/class/net/{self.there}/statistics/rx_bytes"))

    def peer_down(self):
        sh("ip", "-n", self.namespace, "link", "set", self.there, "down")

    def _attribute(self, name):
        return pathlib.Path(f"/sys/class/net/{self.here}/{name}").read_text().strip()

    def vdev(self, more=""):
        return f"--vdev=net_af_packet0,iface={self.here}{more}"

    def send(self, frames):
        """Sends frames from the namespace, each once, in order."""
        program = ("import socket, sys\n"
                   "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
                   "s.bind((sys.argv[1], 0))\n"
                   "for line in sys.stdin: s.send(bytes.fromhex(line))\n")
        subprocess.run(["ip", "netns", "exec", self.namespace, "/usr/bin/python3", "-c", program,
                        self.there], input="".join(f.hex() + "\n" for f in frames), text=True,
                       check=True, capture_output=True, timeout=60)


class Pair:
    """A socket between two processes, by a name in the test's directory."""

    def __init__(self, box):
        self.path = pathlib.Path(box.path) / f"s{next(_numbers)}"

    def listening(self):
        """Waits until somebody accepts connections; the file is there a moment earlier."""
        harness.wait_for(self._accepts, f"a listener on {self.path.name}")

    def _accepts(self):
        rows = [line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines()]
        return any(r[-1] == str(self.path) and r[3] == "00010000" for r in rows)

    def vhost(self, queues=1, more=""):
        return f"--vdev=net_vhost0,iface={self.path},queues={queues}{more}"

    def virtio(self, queues=1, packed=0, more=""):
        return f"--vdev=net_virtio_user0,path={self.path},queues={queues},packed_vq={packed}{more}"

    def memif(self, role, number=0):
        return (f"--vdev=net_memif{number},role={role},socket={self.path},"
                "socket-abstract=no")


def excuse_memif(popen):
    """net_memif gives its rings back on EAL's interrupt thread when the peer goes, while a worker
    may be reading them: whoever stays can crash, testpmd too. Nothing above the driver can help."""
    if popen.poll() == -signal.SIGSEGV and any("net_memif" in str(w) for w in popen.args):
        pytest.xfail("net_memif frees its rings under the feet of the one that stays")


class Live:
    """A run whose interval lines are looked at while it runs."""

    def __init__(self, box, eal, own, **kw):
        self.path = pathlib.Path(box.path) / f"out{next(_numbers)}"
        with self.path.open("w") as f:
            self.process = box.start(eal, ["--stats-period=50ms", *own], stdout=f, **kw)

    def rates(self):
        """Mpps by interval: the first column after the time."""
        found = re.findall(r"^ +\d+\.\d{3} +(\d+\.\d+) .*\n", self.path.read_text(), re.M)
        return [float(x) for x in found]

    def wait_moving(self):
        harness.wait_for(lambda: self._ended() or any(self.rates()[-3:]), "frames moved")
        assert not self._ended(), "ended before a frame moved"

    def wait_running(self):
        harness.wait_for(lambda: self._ended() or self.rates(), "an interval")
        assert not self._ended(), "ended before its first interval"

    def wait_still(self):
        """All that was on its way has come."""
        seen = len(self.rates())
        harness.wait_for(lambda: self._ended() or (len(self.rates()) >= seen + 3 and
                                                   not any(self.rates()[-2:])),
                         "frames stopped coming")
        assert not self._ended(), "ended by itself"

    def wait(self):
        r = self.process.wait()
        excuse_memif(self.process.popen)
        r.out = self.path.read_text()
        return r

    def stop(self):
        self.process.signal()
        return self.wait()

    def _ended(self):
        excuse_memif(self.process.popen)
        return self.process.popen.poll() is not None


def across(box, workers=1):
    """Lcores for the second of two processes: workers on the CPUs that the first uses last."""
    cpus = [f"{i + 1}@{box.cpus[i % len(box.cpus)]}" for i in range(workers)]
    return ["--lcores", ",".join([f"0@{box.cpus[0]}", *cpus])]


def exchange(box, sender, receiver, tx_words=(), rx_words=(), ready=None, duration="300ms",
             workers=1):
    """Starts a receiver, then a sender that ends by itself, then ends the receiver.
    @return both results"""
    rx = Live(box, [receiver], ["--forward-mode=rxonly", "--warmup=0", *rx_words], workers=workers,
              lcores=across(box, workers))
    if ready is not None:
        ready()
    rx.wait_running()
    tx = box.run([sender], ["--forward-mode=txonly", "--warmup=50ms", f"--duration={duration}",
                            *tx_words], workers=workers)
    rx.wait_still()
    return tx, rx.stop()


def check_lossless(tx, rx, length):
    """Every frame that the sender's device took is in the receiver's count, to the byte."""
    assert tx.status == 0, tx.err
    assert rx.status == 0, rx.err
    sent, got = tx.summary["tx"], rx.summary["rx"]
    assert sent["total_packets"] > 0
    assert got["total_packets"] == sent["total_packets"]
    assert got["total_bytes"] == sent["total_bytes"] == length * sent["total_packets"]
    check_sums(tx, "tx")
    check_sums(rx, "rx")
    check_account(tx, rx)


def check_account(tx, rx):
    """The receiver knows each frame by its tag: all came, once and in order."""
    account = rx.report["account"]
    if int(str(tx.report["config"]["txpkts"]["value"]).split(",")[0]) < 60:
        assert account["untagged"] == rx.summary["rx"]["total_packets"] and not account["senders"]
        return
    assert account["untagged"] + account["corrupt"] + account["crowded"] == 0
    sender, = account["senders"]
    flows = tx.report["config"]["flows-per-core"]["value"] * len(
        [w for w in tx.report["lcores"] if w["streams"] > 0])
    if tx is rx:  # a process knows what it sent itself, and half of its lcores sent it
        sent = tx.summary["tx"]["total_packets"]
        assert rx.report["loss"] == {"sent": sent, "received": sent, "packets": 0, "ratio": 0,
                                     "duplicated": 0, "reordered": 0}
        assert sender["sent"] == sent and sender["lost_exact"]
        flows //= 2
    else:
        check_peers(tx, rx, sender)
    assert sender["flows"] == min(flows, sender["received"])
    assert sender["received"] == tx.summary["tx"]["total_packets"]
    assert sender["bytes"] == tx.summary["tx"]["total_bytes"]
    for name in ("lost", "duplicated", "reordered", "unsure", "untold", "moved"):
        assert sender[name] == 0, sender


def check_peers(tx, rx, sender):
    """Each side's report has the other's counts, and both say the same of loss."""
    if any(r.report["config"]["no-control"]["value"] for r in (tx, rx)):
        assert rx.report["loss"] is None and tx.report["loss"] is None
        assert sender["sent"] is None and not sender["lost_exact"]
        assert not tx.report["peers"] and not rx.report["peers"]
        return
    sent = tx.summary["tx"]
    assert rx.report["loss"] == tx.report["loss"] == {
        "sent": sent["total_packets"], "received": sent["total_packets"], "packets": 0, "ratio": 0,
        "duplicated": 0, "reordered": 0}
    assert sender["sent"] == sent["total_packets"] and sender["lost_exact"]
    there, = tx.report["peers"]
    here, = rx.report["peers"]
    assert (there["role"], here["role"]) == ("receiver", "sender")
    assert there["state"] == here["state"] == "complete" and there["exact"] and here["exact"]
    assert there["tx"] is None and here["rx"] is None
    assert there["rx"]["packets"] == sent["total_packets"]
    assert there["rx"]["bytes"] == sent["total_bytes"]
    assert there["rx"]["queues"] == [q["packets"] for q in rx.queues("rx")]
    assert here["tx"]["packets"] == sent["total_packets"]
    assert here["tx"]["offered"] == sent["total_offered"]
    assert here["tx"]["bytes"] == sent["total_bytes"]
    assert tx.report["verdict"]["status"] == "pass"


def device_sent(port):
    """What a device counts of the test alone, None if it doesn't say."""
    return None if port["opackets"] is None else port["opackets"] - port["control_tx"]


def device_received(port):
    return None if port["ipackets"] is None else port["ipackets"] - port["control_rx"]


def check_sums(result, direction):
    """Totals are the sums of queues and lcores, and the device counts the same."""
    summary = result.summary[direction]
    queues = result.queues(direction)
    assert sum(q["packets"] for q in queues) == summary["total_packets"]
    assert sum(q["bytes"] for q in queues) == summary["total_bytes"]
    if direction == "tx":
        assert summary["total_offered"] == summary["total_packets"] + summary["total_unsent"]
        assert summary["offered"] == summary["packets"] + summary["unsent"]
        assert summary["unsent"] >= 0


class Watcher:
    """dpdk-testpmd, which forwards what arrives on a port into a pcap file: what a receiver sees,
    byte for byte."""

    def __init__(self, box, vdev, pcap, queues=1):
        program = shutil.which("dpdk-testpmd")
        if program is None:
            pytest.skip("needs dpdk-testpmd to write what arrives into a file")
        self.prefix = f"pmdperf-watch-{os.getpid()}-{next(_numbers)}"
        files = [f"tx_pcap={pcap}"] + [f"tx_pcap={pcap}.{i}" for i in range(1, queues)]
        self.popen = subprocess.Popen(
            [program, *box.lcores(), "--no-pci", "--in-memory", "--single-file-segments",
             f"--file-prefix={self.prefix}", "--no-telemetry", vdev,
             f"--vdev=net_pcap9,{','.join(files)}", "--", "--auto-start",
             "--forward-mode=io", "--total-num-mbufs=4096", "--no-mlockall",
             f"--rxq={queues}", f"--txq={queues}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=box.path)
        box.processes.append(self)

    def stop(self):
        out, _ = self.popen.communicate("\n", timeout=60)
        self._tidy()
        excuse_memif(self.popen)
        assert self.popen.returncode == 0, out
        return out

    def kill(self):
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.communicate(timeout=10)
        self._tidy()

    def _tidy(self):
        """What testpmd leaves behind, which is no matter of the tests."""
        shutil.rmtree(f"/var/run/dpdk/{self.prefix}", ignore_errors=True)
