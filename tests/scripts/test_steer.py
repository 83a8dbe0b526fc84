# SPDX-License-Identifier: BSD-3-Clause
"""A queue set apart for AF_XDP: what ethtool is asked, and that all of it is set back. The ethtool
is one that keeps a NIC's state in a folder."""
import os
import pathlib
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"

ETHTOOL = r"""#!/bin/bash
cd "$NIC_STATE" || exit 1
echo "$*" >>asked
queues=$(<queues)
case $1 in
-l) printf 'Channel parameters for %s:\nPre-set maximums:\nRX:\t\tn/a\nCombined:\t64\n' "$2"
	printf 'Current hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\nCombined:\t%s\n' "$queues" ;;
-x) printf 'RX flow hash indirection table for %s with %s RX ring(s):\n' "$2" "$queues"
	for ((i = 0; i < 16; i++)); do
		((i % 8)) || printf '%5d: ' "$i"
		printf ' %5d' "$((i % $(<spread)))"
		((i % 8 != 7)) || echo
	done
	printf 'RSS hash key:\nOperation not supported\n' ;;
-X) [ ! -e no-rss ] || exit 1
	[ "$3" = default ] && echo "$queues" >spread || echo "$4" >spread ;;
-k) printf 'Features for %s:\nntuple-filters: %s\n' "$2" "$(<ntuple)" ;;
-K) echo "$4" >ntuple ;;
-N) if [ "$3" = delete ]; then
		rm "rule-$4"
	elif [ -e no-rules ]; then
		echo 'rmgr: Cannot insert RX class rule: Operation not supported' >&2
		exit 1
	else
		echo "$*" >rule-1023
		echo 'Added rule with ID 1023'
	fi ;;
esac
"""

TEXT = """
set -eu
HERE=$1
. "$HERE/lib/common.sh"; . "$HERE/lib/system.sh"; . "$HERE/lib/measure/steer.sh"
io=af_xdp interface=eth1 own_ip=10.0.0.5 peer_ip=10.0.0.6 ROLE=$2 results=$3
steer_begin
echo "queue: ${STEER_QUEUE:-none}"
cp -r "$NIC_STATE" "$results/meanwhile"
steer_end
"""


@pytest.fixture
def nic(tmp_path):
    """state(name) is a file of the NIC's; run(role) steers and sets back."""
    state = tmp_path / "nic"
    state.mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ethtool").write_text(ETHTOOL)
    (tmp_path / "bin/ethtool").chmod(0o755)
    for name, value in (("queues", 8), ("spread", 8), ("ntuple", "off")):
        (state / name).write_text(f"{value}\n")
    return state


def snapshot(folder):
    return {p.name: p.read_text() for p in folder.iterdir() if p.name != "asked"}


def steer(nic, role):
    """Returns what was said, and the NIC's state meanwhile; afterwards it is as before."""
    results = nic.parent / "results"
    results.mkdir()
    before = snapshot(nic)
    env = dict(os.environ, PATH=f"{nic.parent}/bin:{os.environ['PATH']}", NIC_STATE=str(nic))
    p = subprocess.run(["bash", "-c", TEXT, role, str(SCRIPTS), role, str(results)], env=env, text=True,
                       capture_output=True, timeout=30)
    assert p.returncode == 0, p.stdout + p.stderr
    assert snapshot(nic) == before
    return p.stdout, snapshot(results / "meanwhile")


def test_a_receiver_gets_the_peers_udp_on_a_queue_of_its_own(nic):
    said, state = steer(nic, "receive")
    assert "Queue 7 of eth1 is set apart" in said and "queue: 7" in said
    assert state["spread"] == "7\n" and state["ntuple"] == "on\n"
    assert state["rule-1023"] == "-N eth1 flow-type udp4 src-ip 10.0.0.6 dst-ip 10.0.0.5 action 7\n"


def test_a_sender_needs_no_filter(nic):
    said, state = steer(nic, "send")
    assert "queue: 7" in said
    assert state["spread"] == "7\n" and state["ntuple"] == "off\n" and "rule-1023" not in state


def test_filters_that_were_on_stay_on(nic):
    (nic / "ntuple").write_text("on\n")
    assert "queue: 7" in steer(nic, "receive")[0]


@pytest.mark.parametrize("prepare, why", [
    (lambda nic: (nic / "ntuple").write_text("off [fixed]\n"), "no ntuple filters"),
    (lambda nic: (nic / "no-rules").touch(), "takes no such ntuple filter"),
    (lambda nic: (nic / "no-rss").touch(), "cannot be set"),
    (lambda nic: (nic / "spread").write_text("3\n"), "not the default one"),
])
def test_what_cannot_be_steered_is_used_as_it_is(nic, prepare, why):
    prepare(nic)
    said, state = steer(nic, "receive")
    assert why in said and "what goes to the others is not seen" in said and "queue: none" in said
    assert "rule-1023" not in state


def test_one_queue_is_not_shared(nic):
    (nic / "queues").write_text("1\n")
    said, _ = steer(nic, "receive")
    assert said == "queue: none\n"
