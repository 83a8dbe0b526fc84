# SPDX-License-Identifier: BSD-3-Clause
"""Frames between two guests, and over several queues."""

import json

from guests import Namespace, nic


def result(guest, name):
    return json.loads((guest.folder / f"{name}.json").read_text())


def test_every_queue_receives(boot):
    """Two queues on kernel taps: the flows of the sender reach both."""
    namespace = Namespace(2)
    try:
        guest = boot("""
modprobe virtio_net
hugepages 160
for device in $A $B; do
	ethtool -L $(interface_of $device) combined 2
	expect 0 $NIC bind $device --driver igb_uio
done
PMDPERF_MB=96 exchange $A $B 5 --rxq=2 --txq=2 --flows-per-core=64
for device in $A $B; do
	expect 0 $NIC restore $device
	[ $(ethtool -l $(interface_of $device) | awk '/Combined/ { n = $2 } END { print n }') = 2 ] ||
		fail "not two queues any more"
done
""", namespace.devices(), memory=1024, prefix=namespace.prefix())
        guest.wait(200)
    finally:
        namespace.close()
    queues = [q for q in result(guest, "rx")["queues"] if q["dir"] == "rx"]
    assert len(queues) == 2
    assert all(q["packets"] > 0 for q in queues), queues


GUEST = """
modprobe virtio_net
hugepages 96
expect 0 $NIC bind $A --driver igb_uio
"""


def test_two_guests(boot, sockets):
    """One sends, the other receives; both give their NIC back."""

    def cable(own, other):
        return ["-netdev", f"dgram,id=cable,local.type=unix,local.path={sockets}/{own},"
                f"remote.type=unix,remote.path={sockets}/{other}"]

    receiver = boot(GUEST + """
start_pmdperf rx 0 $A rxonly
wait_until 60 is_running rx $PID_rx
got_some() { tail -n 1 /out/rx.log | awk '{ exit !($2 > 0) }'; }
wait_until 100 got_some
wait_until 100 eval "! got_some"
kill -INT $PID_rx
ended_well $PID_rx rx
expect 0 $NIC restore $A
has_driver $A virtio-pci
""", [*cable("a", "b"), *nic("virtio-net-pci", "cable", 0)], name="-receiver", cpus=1)
    sender = boot("A=$B\n" + GUEST + """
start_pmdperf tx 0 $A txonly --duration=20
ended_well $PID_tx tx
expect 0 $NIC restore $A
has_driver $A virtio-pci
""", [*cable("b", "a"), *nic("virtio-net-pci", "cable", 1)], name="-sender", cpus=1)
    sender.wait(200)
    receiver.wait(200)
    received = result(receiver, "rx")["summary"]["rx"]["total_packets"]
    sent = result(sender, "tx")["summary"]["tx"]["total_packets"]
    assert 0 < received <= sent
