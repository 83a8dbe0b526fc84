# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts in network namespaces, on which people type the scripts; --io takes no NIC."""
import os
import pathlib
import re
import signal
import subprocess

import harness
import links

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
A, B = "198.19.7.1", "198.19.7.2"


def default_signals():
    """A shell cannot trap what was ignored when it started, as in the background of another."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Host:
    """A namespace with a state and results of its own."""

    def __init__(self, box, name, namespace):
        self.path = pathlib.Path(box.path) / name
        self.box = box
        for folder in ("state", "results"):
            (self.path / folder).mkdir(parents=True)
        (ROOT / "results").mkdir(exist_ok=True)
        pathlib.Path("/var/lib/pmdperf").mkdir(exist_ok=True)
        mounts = (f"mount --bind {self.path}/state /var/lib/pmdperf && "
                  f"mount --bind {self.path}/results {ROOT}/results && "
                  f'exec ip netns exec {namespace} "$@"')
        self.prefix = ["unshare", "-m", "sh", "-c", mounts, "sh"]
        self.environment = dict(os.environ, PMDPERF=str(harness.PROGRAM))

    def start(self, script, *words):
        log = open(self.path / f"{script}.log", "w+", encoding="utf-8")
        p = subprocess.Popen([*self.prefix, str(SCRIPTS / script), *words], stdout=log, stderr=log,
                             stdin=subprocess.DEVNULL, env=self.environment,
                             start_new_session=True, preexec_fn=default_signals)
        p.log = log
        self.box.helpers.append(p)
        return p

    def text(self, p):
        p.log.seek(0)
        return p.log.read()

    def end(self, p, limit=120):
        try:
            p.wait(limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"did not end within {limit} s\n{self.text(p)}") from None
        return self.text(p)

    def run(self, script, *words, status=0):
        p = self.start(script, *words)
        text = self.end(p)
        assert p.returncode == status, text
        return text

    def wait_for(self, p, what, limit=30):
        harness.wait_for(lambda: what in self.text(p) or p.poll() is not None, what, limit)
        assert what in self.text(p), self.text(p)


def two(box, veth):
    """Yields both, each with its address; for a fixture."""
    links.sh("ip", "-n", veth.namespace, "addr", "add", f"{B}/24", "dev", veth.there)
    near = f"{veth.namespace}-a"
    links.sh("ip", "netns", "add", near)
    try:
        links.sh("ip", "link", "set", veth.here, "netns", near)
        for words in (["addr", "add", f"{A}/24", "dev", veth.here],
                      ["link", "set", veth.here, "up"], ["link", "set", "lo", "up"]):
            links.sh("ip", "-n", near, *words)
        links.sh("ip", "-n", veth.namespace, "link", "set", "lo", "up")
        a, b = Host(box, "a", near), Host(box, "b", veth.namespace)
        a.interface, b.interface = veth.here, veth.there
        yield a, b
    finally:
        subprocess.run(["ip", "netns", "del", near], check=False)


def free_of_codes(text):
    return re.sub(r"\x1b\[[0-9;?]*[\]a-zA-Z]", "", text)


def card(text):
    """From the rule on: what stays on the screen."""
    lines = text.splitlines()
    start = max(i for i, line in enumerate(lines) if line.startswith("====")) - 1
    return lines[start:]


def figures(lines, step):
    row = next(line for line in lines if line.startswith(f"{step} "))
    name, length, mpps, l2, l1, window, busy, verdict = row.split()
    return {"length": int(length.replace(",", "")), "mpps": float(mpps), "l2": float(l2), "verdict": verdict}


def prepare(hosts):
    texts = [host.run("prepare", peer) for host, peer in zip(hosts, (B, A))]
    for host, text in zip(hosts, texts):
        assert "answers ping" in text and "Ready." in text, text
        assert re.search(rf"interface +{host.interface} +ip route get", text), text
        assert re.search(r"next-hop +([0-9a-f]{2}:){5}[0-9a-f]{2} +ip neigh", text), text
        assert re.search(r"mtu +1500 +ping of full length", text), text
    return texts
