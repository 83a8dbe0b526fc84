# SPDX-License-Identifier: BSD-3-Clause
"""What send and receive work out before they start: queues, steps, the way to the peer."""
import os
import pathlib
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
LOAD = """
set -eu
HERE=$1
. "$HERE/lib/common.sh"; . "$HERE/lib/system.sh"; . "$HERE/lib/process.sh"
. "$HERE/lib/nic/switch.sh"; . "$HERE/lib/preset.sh"
. "$HERE/lib/measure/profile.sh"; . "$HERE/lib/measure/route.sh"; . "$HERE/lib/measure/steps.sh"
preset= steps=(bandwidth pps) duration= expect= node=-1 io= nic=0000:00:05.0 ROLE=send
own_ip=10.0.0.5 peer_ip=10.0.0.6 gateway= next_hop=02:00:00:00:00:06 mtu=1500
PAUSE=20 RX_WAIT=300 RX_IDLE=10 BIND_MARGIN=120 BIND_MAX=86400
"""


def run(root, text, path=None, status=0):
    env = dict(os.environ, PMDPERF_SYSROOT=str(root))
    if path:
        env["PATH"] = f"{path}:{env['PATH']}"
    p = subprocess.run(["bash", "-c", LOAD + text, "send", str(SCRIPTS)], env=env, text=True,
                       capture_output=True, timeout=30)
    assert p.returncode == status, p.stdout + p.stderr
    return p.stdout + p.stderr


def cpu(root, number, core, package, node):
    own = root / f"sys/devices/system/cpu/cpu{number}"
    (own / "topology").mkdir(parents=True)
    (own / "topology/core_id").write_text(f"{core}\n")
    (own / "topology/physical_package_id").write_text(f"{package}\n")
    here = root / f"sys/devices/system/node/node{node}"
    here.mkdir(parents=True, exist_ok=True)
    (here / f"cpu{number}").symlink_to(own)


@pytest.fixture
def machine(tmp_path):
    """Two nodes of three physical cores with two threads each; CPU 0's sibling is CPU 6."""
    for number in range(12):
        cpu(tmp_path, number, number % 6 % 3, number % 6 // 3, number % 6 // 3)
    return tmp_path


@pytest.mark.parametrize("node, count", [(0, 2), (1, 3), (-1, 5), (7, 5)])
def test_a_queue_for_each_physical_core(machine, node, count):
    """CPU 0's core is the system's."""
    assert run(machine, f"node={node}; queue_count") == f"{count}\n"


def test_one_core_has_to_do(tmp_path):
    cpu(tmp_path, 0, 0, 0, 0)
    assert run(tmp_path, "node=0; queue_count") == "1\n"
    (tmp_path / "sys/devices/system/cpu/cpu1").mkdir()  # offline: no topology
    assert run(tmp_path, "queue_count") == "1\n"


def test_the_time_a_nic_is_needed(tmp_path):
    """Both steps of 60 s, each with its pause and the receiver's waits, and a margin."""
    assert run(tmp_path, "bind_seconds") == f"{2 * (60 + 20 + 300 + 10) + 120}\n"
    assert run(tmp_path, "duration=86400; bind_seconds") == "86400\n"


@pytest.mark.parametrize("setting, step, rates", [
    ("", "pps", "12Mpps"),
    ("", "bandwidth", "50Gbps"),
    ("steps=(pps)", "pps", "12Mpps,50Gbps"),
    ("expect=50Gbps", "pps", ""),
])
def test_what_is_expected_of_a_step(tmp_path, setting, step, rates):
    text = f"expect=12Mpps,50Gbps; {setting}\nexpect_for {step}"
    assert run(tmp_path, text).strip() == rates


def words(root, text):
    return run(root, text + '\nstep_words pps w; printf "%s\\n" "${w[@]}"').split("\n")[:-1]


def test_words_of_a_sender(machine):
    config = f"--config={SCRIPTS.parent}/config/pps.ini"
    assert words(machine, "node=1") == [
        "-a", "0000:00:05.0", "--", config, "--src-ip=10.0.0.5", "--forward-mode=txonly",
        "--dst-ip=10.0.0.6", "--txq=3", "--dst-mac=02:00:00:00:00:06"]
    # Without the next hop's MAC it is asked for, behind a gateway the gateway's.
    assert words(machine, "node=1; next_hop=; gateway=10.0.0.1; duration=5")[-3:] == [
        "--txq=3", "--gateway=10.0.0.1", "--duration=5s"]


def test_a_preset_says_what_the_nic_has_at_most(machine, tmp_path):
    file = tmp_path / "x.ini"
    file.write_text("[limits]\nrx-queues = 8\ntx-queues = 2\n[use]\ndevargs = a=1\n")
    got = words(machine, f"node=1; preset={file}")
    assert got[1] == "0000:00:05.0,a=1" and "--txq=2" in got
    assert "--rxq=3" in words(machine, f"node=1; ROLE=receive; preset={file}")


def test_words_of_a_receiver(machine):
    got = words(machine, "node=1; ROLE=receive")
    assert got[5:] == ["--forward-mode=rxonly", "--rxq=3", "--rx-wait=300s", "--rx-idle=10s",
                       "--warmup=0", "--duration=0", "--rss-udp"]


def test_words_over_an_interface_of_the_kernels(machine):
    """One queue; the one that was set apart, if any was."""
    got = words(machine, "node=1; io=af_xdp; interface=eth1; STEER_QUEUE=7")
    assert got[:5] == ["--no-pci", "--", "--io=af_xdp", "--interface=eth1", "--io-queue=7"]
    assert "--txq=1" in got
    assert not any("io-queue" in w for w in words(machine, "io=af_xdp; interface=eth1; STEER_QUEUE="))


def test_frames_that_do_not_pass(tmp_path):
    text = run(tmp_path, "mtu=1400; check_length bandwidth", status=1)
    assert "frames of 1430 bytes do not pass" in text and "1414 at most" in text
    run(tmp_path, "mtu=1416; check_length bandwidth")
    run(tmp_path, "mtu=1000; ROLE=receive; check_length bandwidth")


@pytest.mark.parametrize("answer, found", [
    ("10.0.0.6 dev eth0 src 10.0.0.5 uid 0 \\n    cache", "eth0 10.0.0.5 - -"),
    ("10.9.0.6 via 10.0.0.1 dev eth0 src 10.0.0.5 uid 0\\n    cache expires 9sec mtu 1400",
     "eth0 10.0.0.5 10.0.0.1 1400"),
    ("local 10.0.0.5 dev lo src 10.0.0.5 uid 0\\n    cache <local>", "own address"),
    ("RTNETLINK answers: Network is unreachable", "no way to 10.0.0.6"),
    ("unreachable 10.0.0.6 dev lo src 10.0.0.5", "the route to 10.0.0.6 is 'unreachable'"),
])
def test_the_way_to_the_peer(tmp_path, answer, found):
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "ip").write_text(f"#!/bin/sh\nprintf '{answer}\\n'\n")
    (fake / "ip").chmod(0o755)
    text = run(tmp_path, 'if route_find 10.0.0.6; then echo "$ROUTE_IF $ROUTE_SRC '
               '${ROUTE_GATEWAY:--} ${ROUTE_MTU:--}"; else echo "$ROUTE_WHY"; fi', path=fake)
    assert found in text


@pytest.mark.parametrize("text, valid", [
    ("10.0.0.6", True), ("255.255.255.255", True), ("10.0.0", False), ("10.0.0.256", False),
    ("010.0.0.08", True), ("a.b.c.d", False), ("10.0.0.6 ", False), ("::1", False), ("", False)])
def test_addresses(tmp_path, text, valid):
    assert run(tmp_path, f'if is_ipv4 "{text}"; then echo yes; else echo no; fi') == (
        "yes\n" if valid else "no\n")


def test_a_profile_is_what_was_recorded(tmp_path):
    text = run(tmp_path, """
    profile_add peer 10.0.0.6 given
    profile_add gateway "" "ip route get 10.0.0.6"
    profile_add driver virtio_net sysfs
    profile_save
    profile_get peer; profile_get gateway; profile_get driver; profile_get none
    profile_show""")
    assert text == ("10.0.0.6\nvirtio_net\n"
                    "  peer        10.0.0.6                         given\n"
                    "  driver      virtio_net                       sysfs\n")
    assert (tmp_path / "var/lib/pmdperf/profile").stat().st_mode & 0o777 == 0o644
