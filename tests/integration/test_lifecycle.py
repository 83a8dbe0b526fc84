# SPDX-License-Identifier: BSD-3-Clause
"""Start-up that fails, memory that is short, files that cannot be written, and two at a time."""
import fcntl
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import time

import pytest

import harness
import links
from harness import (call, fake_hugepages, in_private_mounts, leftovers, refused, wait_for)

TX = "--forward-mode=txonly"
RX = "--forward-mode=rxonly"
NULL = ["--no-pci", "--vdev=net_null0"]
SHORT = ["--duration=100ms", "--warmup=0", "--quiet"]


def case(name, *rest):
    return pytest.param(*rest, id=name)


# Devices that cannot be had; DIR stands for the test's own directory.
BAD_DEVICES = [
    case("no_such_driver", ["--vdev=net_bogus0"], ["net_bogus0"]),
    case("unknown_argument", ["--vdev=net_null0,foo=1"], ["net_null0,foo=1"]),
    case("memif_role", ["--vdev=net_memif0,role=zebra"], ["net_memif0,role=zebra"]),
    case("memif_server_in_no_directory",
         ["--vdev=net_memif0,role=server,socket=DIR/no/m.sock,socket-abstract=no"], ["DIR/no"]),
    case("vhost_in_no_directory", ["--vdev=net_vhost0,iface=DIR/no/v.sock"], ["DIR/no"]),
    case("virtio_user_without_listener", ["--vdev=net_virtio_user0,path=DIR/v.sock"],
         ["DIR/v.sock"]),
    case("memif_client_without_listener",
         ["--vdev=net_memif0,role=client,socket=DIR/m.sock,socket-abstract=no"], ["DIR/m.sock"]),
    case("pcap_without_file", ["--vdev=net_pcap0,rx_pcap=DIR/no.pcap"], ["DIR/no.pcap"]),
    case("af_packet_without_interface", ["--vdev=net_af_packet0,iface=nope0"], ["nope0"]),
]


@pytest.mark.parametrize("first", [[], ["--vdev=net_null9"]], ids=["only", "second"])
@pytest.mark.parametrize("vdev,texts", BAD_DEVICES)
def test_device_that_cannot_be_had(box, vdev, texts, first):
    """Alone or after one that is fine: the run doesn't start, the device is named."""
    own = [v.replace("DIR", box.path) for v in vdev]
    mode = RX if "vhost" in own[0] or "server" in own[0] else TX
    refused([*box.lcores(), "--no-pci", *first, *own, "--", mode, "--json=x.json"], box.path, 1,
            *[t.replace("DIR", box.path) for t in texts])
    assert os.listdir(box.path) == []


def test_first_port_is_given_back_when_the_second_fails(box):
    """The first port's socket is there by then, and gone after."""
    sock = f"{box.path}/v.sock"
    refused([*box.lcores(), "--no-pci", f"--vdev=net_vhost0,iface={sock}",
             "--vdev=net_null0", "--", RX, "--port-mode=1=txonly", "--txpkts=64,64"], box.path, 2,
            "--txpkts", "port 1", "segments")
    assert os.listdir(box.path) == []


def test_a_socket_that_is_a_file(box):
    path = f"{box.path}/file"
    with open(path, "w", encoding="ascii") as f:
        f.write("precious")
    refused([*NULL, f"--vdev=net_vhost0,iface={path}", "--", RX], box.path, 1, path,
            "not a socket")
    with open(path, encoding="ascii") as f:
        assert f.read() == "precious"


@pytest.mark.parametrize("vdev", ["net_vhost0,iface=SOCK",
                                  "net_memif0,role=server,socket=SOCK,socket-abstract=no"],
                         ids=["vhost", "memif"])
def test_somebody_elses_live_socket_stays(box, vdev):
    path = f"{box.path}/s"
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        with socket.socket(socket.AF_UNIX, kind) as s:
            s.bind(path)
            s.listen(1)
            before = os.stat(path).st_ino
            refused(["--no-pci", "--vdev=" + vdev.replace("SOCK", path), "--", RX], box.path, 1,
                    path, "listens")
            assert os.stat(path).st_ino == before
        os.unlink(path)


def test_stale_socket_at_a_path_too_long_for_an_address(box):
    """It can be made through a relative path; connecting by the absolute one cannot work."""
    deep = f"{box.path}/{'d' * 100}"
    os.mkdir(deep)
    subprocess.run(["/usr/bin/python3", "-c", "import socket\n"
                    "s = socket.socket(socket.AF_UNIX); s.bind('stale'); s.listen(1)"],
                   cwd=deep, check=True)
    refused([*NULL, f"--vdev=net_vhost0,iface={deep}/stale", "--", RX], box.path, 2, "107")


@pytest.mark.parametrize("length,status", [(107, 0), (108, 2), (200, 2)])
def test_socket_paths_at_the_limit(box, length, status):
    """107 bytes fit a socket's address."""
    path = box.path + "/" + "s" * (length - len(box.path) - 1)
    words = [*box.lcores(), "--no-pci", f"--vdev=net_vhost0,iface={path}", "--", RX]
    if status == 0:
        assert call([*words, *SHORT], box.path).status == 3
    else:
        refused(words, box.path, status, "107")


# Hugepages.


def test_no_hugepages(box):
    refused([*NULL, "--", TX], box.path, 1, "no free hugepages", "echo ", "nr_hugepages",
            prefix=in_private_mounts(fake_hugepages(box.path, 0)))


def test_no_kernel_support_for_hugepages(box):
    refused([*NULL, "--", TX], box.path, 1, "hugepages", prefix=in_private_mounts(
        "mount -t tmpfs none /sys/kernel/mm; mount -t tmpfs none /sys/devices/system/node"))


def test_no_huge_needs_none(box):
    r = call([*NULL, *box.lcores(), "--no-huge", "-m", "512", "--", TX, *SHORT], box.path,
             prefix=in_private_mounts(fake_hugepages(box.path, 0)))
    assert (r.status, r.err) == (0, "")


def test_no_huge_with_too_little_says_how_much(box):
    words = [TX, *SHORT, "--txq=16", "--txd=4096"]
    r = refused([*NULL, *box.lcores(), "--no-huge", "-m", "16", "--", *words], box.path, 1,
                "--no-huge", "need", "16 MB", "-m")
    enough = re.search(r"give -m (\d+)", r.err)[1]
    r = call([*NULL, *box.lcores(), "--no-huge", "-m", enough, "--", *words], box.path)
    assert (r.status, r.err) == (0, "")


NEED = r"need (\d+) pages of 2048 kB on node 0 \((\d+) MB\), (\d+) free of (\d+)"
COMMAND = r"echo (\d+) > (/sys/\S+/hugepages-2048kB/nr_hugepages)"


@pytest.mark.parametrize("words", [
    case("one_queue", []),
    case("16_queues", ["--txq=16", "--txd=4096"]),
    case("16_queues_rx", ["--rxq=16", "--rxd=2048", RX]),
    case("jumbo", ["--txpkts=9000", "--txd=4096"]),
    case("burst", ["--burst=512", "--mbcache=512"]),
    case("no_cache", ["--mbcache=0", "--txd=8192"]),
    case("mbufs_given", ["--total-num-mbufs=100000"]),
])
def test_C7_what_is_said_to_be_needed_is_enough(box, words):
    """Refused with too few pages; and with exactly as many as the message says it runs, on a file
    system that gives no page more."""
    own = [*words, *([] if RX in words else [TX])]
    eal = [*NULL, *box.lcores()]
    r = refused([*eal, "--", *own], box.path, 1, "not enough hugepages",
                prefix=in_private_mounts(fake_hugepages(box.path, 1, 3)))
    need, mb, free, total = map(int, re.search(NEED, r.err).groups())
    assert (free, total, mb) == (1, 3, 2 * need)
    command = re.search(COMMAND, r.err)
    # What is in use by others stays: as many more as are lacking, but for the one that EAL took.
    assert int(command[1]) == total + need - free - 1
    assert os.path.exists(command[2])

    # The free pages of the machine are shared with other runs: only if there are as many.
    with open("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", encoding="ascii") as f:
        if int(f.read()) < need:
            pytest.skip(f"needs {need} free hugepages")
    huge = f"{box.path}/huge"
    os.mkdir(huge)
    r = call([*eal, f"--huge-dir={huge}", "--single-file-segments", "--", *own, *SHORT], box.path,
             prefix=in_private_mounts(fake_hugepages(box.path, need) +
                                      f"\nmount -t hugetlbfs -o size={need * 2}M none {huge}"))
    assert (r.status, r.err) == (0, ""), r.out


def test_C7_sixteen_queues_of_4096_with_64_mb(box):
    """The case as reported: no failed pool creation, but the pages needed against those free."""
    refused([*NULL, "--", RX, "--rxq=16", "--rxd=4096"], box.path, 1, "not enough hugepages",
            "32 free of 32", "node 0", "echo ", prefix=in_private_mounts(fake_hugepages(box.path, 32)))


def test_C5_more_than_the_machine_has(box):
    """No command is given that cannot succeed."""
    r = refused([*NULL, "--", TX, "--txq=1024", "--txd=32768"], box.path, 1,
                "not enough hugepages", "node 0", "in all", "fewer queues")
    assert "echo" not in r.err


def test_memory_asked_of_eal_is_more_than_free(box):
    refused([*NULL, "-m", "99999", "--", TX], box.path, 1, "99999")


def test_C1_the_missing_size_of_1_gb_is_no_error(box):
    r = call([*NULL, *box.lcores(), "--", TX, *SHORT], box.path)
    assert (r.status, r.err) == (0, "") and "1048576" not in r.out


@pytest.mark.parametrize("mode", ["--legacy-mem", "--no-shconf", "--huge-unlink=existing",
                                  "--match-allocations", "--single-file-segments"])
def test_C2_no_hugetlbfs_mounted(box, mode):
    """Pages are reserved, but what was asked for needs them in a file system."""
    refused([*NULL, mode, "--", TX], box.path, 1, "hugetlbfs", "mount", mode.partition("=")[0],
            prefix=in_private_mounts("for m in $(awk '$3 == \"hugetlbfs\" {print $2}' /proc/mounts)"
                                     "; do umount -l $m; done"))


def test_huge_dir_that_is_none(box):
    refused([*NULL, "--huge-dir=/nonexistent", "--", TX], box.path, 2, "--huge-dir",
            "/nonexistent", "hugetlbfs")


def test_pair_uses_at_most_512_mb(box):
    """Both sides of the quickstart, by the plan: what is computed is what is used (C7 above)."""
    mb = 0
    for vdev, mode in (("net_vhost0,iface=x", RX), ("net_virtio_user0,path=x", TX)):
        r = call(["--no-pci", f"--vdev={vdev}", "--", mode, "--plan", "--txpkts=1430"] if mode == TX
                 else ["--no-pci", f"--vdev={vdev}", "--", mode, "--plan"], box.path)
        assert r.status == 0, r.err
        mb += int(re.search(r"(\d+) MB: \d+ pages of 2048 kB", r.out)[1])
    assert 0 < mb <= 512


# Two at a time, and what is left.


def test_D1_two_with_the_same_prefix_in_memory(box):
    """By default nothing is shared, so a prefix that is taken is no obstacle."""
    p = box.start(["--vdev=net_null0", "--file-prefix=d1-test"], [TX, "--warmup=0"])
    time.sleep(0.8)
    r = box.run(["--vdev=net_null0", "--file-prefix=d1-test"], [TX, *SHORT])
    assert (r.status, r.err) == (0, "")
    first = p.stop()
    assert (first.status, first.err) == (0, "")
    assert leftovers(p.pid, box.path, "d1-test") == []


@pytest.mark.parametrize("mode", [["--legacy-mem", "--socket-mem=32"], ["--huge-unlink=existing"]],
                         ids=["legacy", "files"])
def test_D1_prefix_in_use(box, mode):
    """With files the prefix is what keeps two runs apart: the holder is named."""
    huge = f"{box.path}/huge"
    os.mkdir(huge)
    prefix = f"d1-{os.getpid()}"
    script = f"mount -t hugetlbfs none {huge}"
    words = [*NULL, *box.lcores(), f"--file-prefix={prefix}", f"--huge-dir={huge}", *mode, "--", TX]
    live = links.Live(box, ["--vdev=net_null0", f"--file-prefix={prefix}", f"--huge-dir={huge}",
                            *mode], [TX, "--warmup=0"], prefix=in_private_mounts(script))
    p = live.process
    config = harness.RUNTIME / prefix / "config"
    wait_for(lambda: config.exists() and holder(config) == p.pid, "the lock")
    refused(words, box.path, 1, f"--file-prefix={prefix}", f"process {p.pid}",
            prefix=in_private_mounts(script))
    assert config.exists()
    # EAL takes all pages in these modes; a signal within that is another test's matter.
    live.wait_running()
    first = p.stop()
    assert (first.status, first.err) == (0, "")
    assert leftovers(p.pid, box.path, prefix) == []
    r = call([*words, *SHORT], box.path, prefix=in_private_mounts(script))
    assert (r.status, r.err) == (0, "")
    assert leftovers(r.pid, box.path, prefix) == []


def holder(path):
    with open(path, "rb+") as f:
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        answer = fcntl.fcntl(f, fcntl.F_GETLK, lock)
    kind, _, _, _, pid = struct.unpack("hhqqi4x", answer)
    return pid if kind != fcntl.F_UNLCK else 0


def test_C3_killed_and_started_again_twice(box):
    """What a killed run held is free again, and its prefix too."""
    prefix = f"c3-{os.getpid()}"
    words = ["--vdev=net_null0", f"--file-prefix={prefix}"]
    try:
        for _ in range(2):
            p = box.start(words, [TX, "--warmup=0"])
            wait_for(lambda: (harness.RUNTIME / prefix).exists(), "start of EAL")
            time.sleep(0.3)
            p.kill()
        r = box.run(words, [TX, *SHORT])
        assert (r.status, r.err) == (0, "")
        # The directory may stay: in memory nothing tells whether somebody else uses it.
        assert [f for f in leftovers(0, box.path, prefix) if "map_" in f] == []
    finally:
        shutil.rmtree(harness.RUNTIME / prefix, ignore_errors=True)


@pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])
def test_C3_files_of_hugepages(box, kill):
    """A run with files: its own end removes them, and after a kill the next run takes them over."""
    huge, prefix = f"{box.path}/huge", f"c3f-{os.getpid()}"
    os.mkdir(huge)
    inside = ["nsenter", f"--mount=/proc/{namespace(box, huge)}/ns/mnt"]
    eal = ["--vdev=net_null0", f"--file-prefix={prefix}", f"--huge-dir={huge}"]
    try:
        for _ in range(2 if kill else 1):
            p = box.start(eal, [TX, "--warmup=0"], prefix=inside)
            wait_for(lambda: listing(inside, huge), "hugepage files")
            time.sleep(0.3)
            if kill:
                p.kill()
                assert listing(inside, huge) != []
        r = box.run(eal, [TX, *SHORT], prefix=inside) if kill else p.stop()
        assert (r.status, r.err) == (0, "")
        assert listing(inside, huge) == []
        assert leftovers(0, box.path, prefix) == []
    finally:
        shutil.rmtree(harness.RUNTIME / prefix, ignore_errors=True)


def listing(inside, directory):
    return subprocess.run([*inside, "ls", directory], capture_output=True, text=True,
                          check=True).stdout.split()


def namespace(box, huge):
    """A process in a mount namespace where huge is a file system of hugepages."""
    p = subprocess.Popen(["unshare", "-m", "sh", "-ec", f"mount -t hugetlbfs none {huge}; echo; "
                          "exec sleep 60"], stdout=subprocess.PIPE)
    p.stdout.readline()
    box.helpers.append(p)
    return p.pid


def test_stale_directory_of_ours_is_used_and_removed_after(box):
    """A process id comes round again: what an old one left under it is ours to clear."""
    prefix = f"stale-{os.getpid()}"
    (harness.RUNTIME / prefix).mkdir(parents=True)
    (harness.RUNTIME / prefix / "config").write_bytes(b"\0" * 100)
    try:
        r = box.run(["--vdev=net_null0", f"--file-prefix={prefix}"], [TX, *SHORT])
        assert (r.status, r.err) == (0, "")
    finally:
        for f in (harness.RUNTIME / prefix).glob("*"):
            f.unlink()
        if (harness.RUNTIME / prefix).exists():
            (harness.RUNTIME / prefix).rmdir()


def test_others_runtime_directories_stay(box):
    other = harness.RUNTIME / f"other-{os.getpid()}"
    other.mkdir(parents=True)
    (other / "config").write_bytes(b"x")
    try:
        assert box.run(["--vdev=net_null0"], [TX, *SHORT]).status == 0
        assert (other / "config").read_bytes() == b"x"
    finally:
        (other / "config").unlink()
        other.rmdir()


def test_unprivileged_runtime_directory(box):
    """EAL's own variable moves it: what is removed is the same place."""
    env = dict(os.environ, RUNTIME_DIRECTORY=box.path)
    r = call([*NULL, *box.lcores(), "--", TX, *SHORT], box.path, env=env)
    assert (r.status, r.err) == (0, "")
    left = [f for _, _, files in os.walk(box.path) for f in files]
    assert left == [] and not os.path.exists(f"{box.path}/dpdk/pmdperf-{r.pid}")


# The result file.


def test_json_that_cannot_be_written_is_found_before_eal_starts(box):
    t = time.monotonic()
    refused([*NULL, "--", TX, "--duration=30", "--json=no/x.json"], box.path, 2, "no/x.json")
    assert time.monotonic() - t < 5


def test_json_on_a_full_device(box):
    r = call([*NULL, *box.lcores(), "--", TX, *SHORT, "--json=/dev/full"], box.path)
    assert r.status == 1
    assert r.err.startswith("pmdperf: --json=/dev/full: ") and "No space left" in r.err
    assert "RESULT" in r.out


def test_json_to_a_pipe(box):
    r = call([*NULL, *box.lcores(), "--", TX, *SHORT, "--json=/dev/stderr"], box.path)
    assert r.status == 0
    assert json.loads(r.err)["schema"] == "pmdperf/1"


def test_an_old_result_stays_until_the_new_one_is_whole(box):
    path = f"{box.path}/x.json"
    with open(path, "w", encoding="ascii") as f:
        f.write("old")
    assert call([*NULL, "-l", "0", "--", TX, "--json=x.json"], box.path).status == 2
    refused([*box.lcores(), *NULL, "--", TX, "--json=x.json", "--txpkts=64,64"], box.path, 2,
            "segments")
    with open(path, encoding="ascii") as f:
        assert f.read() == "old"
    assert os.listdir(box.path) == ["x.json"]
    r = call([*NULL, *box.lcores(), "--", TX, *SHORT, "--json=x.json"], box.path)
    assert (r.status, r.err) == (0, "")
    with open(path, encoding="ascii") as f:
        assert json.load(f)["schema"] == "pmdperf/1"
    assert os.listdir(box.path) == ["x.json"]


# The configuration file, used.


def test_ini_with_an_eal_section(box):
    with open(f"{box.path}/x.ini", "w", encoding="ascii") as f:
        f.write(f"[eal]\nno-pci = true\nvdev = net_null3\nlcores = {box.lcores()[1]}\n"
                "[pmdperf]\nforward-mode = txonly\nwarmup = 0\nduration = 100ms\n"
                "[traffic]\ntxpkts = 100\nburst = 8\n[output]\njson = r.json\nquiet = true\n")
    r = call(["--config", "x.ini"], box.path)
    assert (r.status, r.err) == (0, "")
    report = json.loads(open(f"{box.path}/r.json", encoding="ascii").read())
    assert report["ports"][0]["name"] == "net_null3"
    assert report["summary"]["frame_len"] == 100
    assert report["config"]["burst"] == {"value": 8, "source": "x.ini:11"} or \
        "x.ini:11" in json.dumps(report["config"]["burst"])


def test_the_command_line_wins_over_the_ini(box):
    with open(f"{box.path}/x.ini", "w", encoding="ascii") as f:
        f.write("[eal]\nno-pci = true\nvdev = net_null3\nvdev = net_null4\nlcores = 0\n"
                "[pmdperf]\nforward-mode = rxonly\nwarmup = 9\nduration = 9\ntxpkts = 100\n")
    r = call(["--vdev=net_null7", *box.lcores(), "--", "--config=x.ini", TX, *SHORT,
              "--json=r.json"], box.path)
    assert (r.status, r.err) == (0, "")
    report = json.loads(open(f"{box.path}/r.json", encoding="ascii").read())
    assert [p["name"] for p in report["ports"]] == ["net_null7"]
    assert report["summary"]["frame_len"] == 100
    assert report["summary"]["tx"]["packets"] > 0
