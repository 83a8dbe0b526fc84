# SPDX-License-Identifier: BSD-3-Clause
"""Files that are somebody else's stay as they are; ours do not stay."""
import json
import os
import pathlib
import signal
import stat
import subprocess
import time

import pytest

from harness import PROGRAM, RUNTIME, call, in_private_mounts, leftovers, refused, wait_for

TX = "--forward-mode=txonly"
RX = "--forward-mode=rxonly"
SHORT = ["--duration=100ms", "--warmup=0", "--quiet"]
ORDINARY = ["--no-pci", "--no-huge", "-m", "256", "--vdev=net_null0"]


@pytest.mark.parametrize("prefix", ["..", ".", "*", "a/b", ".hidden", "a*", "a b"])
def test_a_prefix_that_names_other_files_is_refused(box, prefix):
    refused([*box.lcores(), *ORDINARY, "--file-prefix", prefix, "--", TX], box.path, 2,
            "--file-prefix", "letters, digits")


def test_only_eals_own_files_go_from_a_shared_directory(box):
    """In a runtime directory of the user's, with a file that is none of EAL's."""
    directory = pathlib.Path(box.path) / "dpdk" / "mine"
    directory.mkdir(parents=True)
    (directory / "precious").write_text("x")
    r = call([*box.lcores(), *ORDINARY, "--file-prefix=mine", "--", TX, *SHORT], box.path,
             env={**os.environ, "RUNTIME_DIRECTORY": box.path})
    assert r.status == 0, r.err
    assert [p.name for p in directory.iterdir()] == ["precious"]


def test_nothing_stays_of_a_prefix_without_hugepages(box):
    prefix = f"left-{os.getpid()}"
    r = call([*box.lcores(), *ORDINARY, f"--file-prefix={prefix}", "--", TX, *SHORT], box.path)
    assert r.status == 0, r.err
    assert not (RUNTIME / prefix).exists()


def test_a_prefix_in_use_without_hugepages_names_the_process(box):
    prefix = f"used-{os.getpid()}"
    words = [*box.lcores(), *ORDINARY, f"--file-prefix={prefix}", "--", TX]
    first = subprocess.Popen([PROGRAM, *words], cwd=box.path, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: (RUNTIME / prefix / "config").exists(), "the first to start")
        time.sleep(0.2)  # it takes its lock a moment after it makes the file
        refused(words, box.path, 1, f"in use by process {first.pid}")
    finally:
        first.terminate()
        first.wait()
    assert not (RUNTIME / prefix).exists()


def test_a_link_to_the_result_stays_a_link(box):
    folder = pathlib.Path(box.path)
    (folder / "real.json").write_text("old")
    (folder / "real.json").chmod(0o600)
    (folder / "link.json").symlink_to("real.json")
    r = call([*box.lcores(), *ORDINARY, "--", TX, *SHORT, "--json=link.json"], box.path)
    assert r.status == 0, r.err
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text())["schema"] == "pmdperf/1"
    assert stat.S_IMODE((folder / "real.json").stat().st_mode) == 0o600
    assert sorted(os.listdir(box.path)) == ["link.json", "real.json"]


def test_the_result_can_go_to_standard_output(box):
    """Through links as /dev/stdout is one, and into a file that stdout already is."""
    folder = pathlib.Path(box.path)
    (folder / "stdout").symlink_to("/proc/self/fd/1")
    with open(folder / "out", "w", encoding="ascii") as out:
        status = subprocess.run([PROGRAM, *box.lcores(), *ORDINARY, "--", TX, *SHORT,
                                 "--json=stdout"], cwd=box.path, stdout=out, check=False).returncode
    assert status == 0
    assert (folder / "stdout").is_symlink()
    text = (folder / "out").read_text()
    assert '"schema": "pmdperf/1"' in text


@pytest.mark.parametrize("name", ["c.ini", "./c.ini", "link.ini", "hard.ini"])
def test_the_result_does_not_overwrite_the_configuration(box, name):
    folder = pathlib.Path(box.path)
    text = "[run]\nforward-mode=txonly\nduration=100ms\nwarmup=0\n"
    (folder / "c.ini").write_text(text)
    (folder / "link.ini").symlink_to("c.ini")
    os.link(folder / "c.ini", folder / "hard.ini")
    refused([*box.lcores(), *ORDINARY, "--", "--config=c.ini", f"--json={name}"], box.path, 2,
            "--config")
    assert (folder / "c.ini").read_text() == text


def test_a_fifo_without_a_reader_is_named(box):
    os.mkfifo(f"{box.path}/fifo")
    refused([*box.lcores(), *ORDINARY, "--", TX, *SHORT, "--json=fifo"], box.path, 2,
            "--json", "nobody reads from it")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_driver_waits_for_its_peer(box, number):
    """It ends soon, and neither the socket nor the unfinished result stays."""
    sock = f"{box.path}/s"
    p = subprocess.Popen([PROGRAM, *box.lcores(), "--no-pci",
                          f"--vdev=net_virtio_user0,path={sock},server=1", "--", TX, "--json=o.json"],
                         cwd=box.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists(sock), "the driver to wait")
    p.send_signal(number)
    _, err = p.communicate(timeout=10)
    assert p.returncode == 1, err
    assert os.listdir(box.path) == []
    assert leftovers(p.pid, box.path) == []


def test_a_stale_socket_has_no_listener(box):
    import socket

    path = f"{box.path}/stale"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)
    refused([*box.lcores(), "--no-pci", "--no-huge", "-m", "256",
             f"--vdev=net_virtio_user0,path={path}", "--", TX], box.path, 1,
            "nobody listens on", path)


def test_huge_dir_and_no_huge_contradict(box):
    refused([*box.lcores(), *ORDINARY, "--huge-dir=/nonexist", "--", TX], box.path, 2,
            "--huge-dir", "--no-huge")


def test_max_pkt_len_below_the_frame_is_a_contradiction(box):
    refused([*box.lcores(), *ORDINARY, "--", TX, "--txpkts=2000", "--max-pkt-len=1518"], box.path, 2,
            "--max-pkt-len", "2000", "2004")


@pytest.mark.parametrize("word", ["0000:0B:00.0", "0B:00.0", "b:0.0", "0000:0b:00.0"])
def test_a_pci_address_in_any_spelling(box, word):
    """A NIC in a fake sysfs: the plan has it as a port, not as one that is missing."""
    fake = f"""
mkdir -p {box.path}/pci/0000:0b:00.0 {box.path}/drivers/vfio-pci
echo 0x020000 >{box.path}/pci/0000:0b:00.0/class
echo 0x1af4 >{box.path}/pci/0000:0b:00.0/vendor
echo 0x1000 >{box.path}/pci/0000:0b:00.0/device
echo 0 >{box.path}/pci/0000:0b:00.0/numa_node
ln -sfn {box.path}/drivers/vfio-pci {box.path}/pci/0000:0b:00.0/driver
mount --bind {box.path}/pci /sys/bus/pci/devices
"""
    r = call(["-a", word, "--", RX, "--plan"], box.path, prefix=in_private_mounts(fake))
    assert r.status == 0, r.err
    assert "port  0  node 0 " in r.out
    r = call(["-b", word, "--", RX, "--plan"], box.path, prefix=in_private_mounts(fake))
    assert "port  0  node 0 " not in r.out


def test_the_configuration_in_the_result_is_what_came_out(box):
    r = call([*box.lcores(), *ORDINARY, "--", TX, *SHORT, "--txq=32", "--json=o.json"], box.path)
    assert r.status == 0, r.err
    result = json.loads(pathlib.Path(box.path, "o.json").read_text())
    config = result["config"]
    assert config["flows-per-core"]["value"] == 32
    assert config["dst-mac"]["value"] == "02:00:00:00:00:00"
    assert config["dst-mac"]["from"] == "default"
    assert config["nb-cores"]["value"] == len(result["lcores"])
    assert config["mbuf-size"]["value"] >= 192
    assert config["txd"]["value"] == result["ports"][0]["used"]["txd"]
    tx = result["summary"]["tx"]
    assert abs(tx["packets"] / tx["window_s"] - tx["pps"]) < 0.01
