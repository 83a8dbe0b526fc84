# SPDX-License-Identifier: BSD-3-Clause
"""A machine's only NIC is taken and comes back: by restore, by the switch, by a reboot, from
wherever the plug was pulled."""

import re

import pytest

from guests import hub, nic, user_net

ONE_NIC = [*user_net(), *nic("virtio-net-pci", "user0", 0)]

# A NIC with an address of its own, a gateway that answers, more routes, a rule, a neighbour.
STATIC = """
modprobe virtio_net
hugepages 96
IF=$(interface_of $A)
busybox getty 115200 tty1 &
ip addr add 10.0.2.15/24 dev $IF
ip addr add 10.0.2.77/24 dev $IF label $IF:1
ip -6 addr add fec0::15/64 dev $IF nodad
ip link set $IF mtu 1400 txqueuelen 500
ip link set $IF up
ip route add default via 10.0.2.2 dev $IF metric 7
ip route add 10.99.0.0/16 via 10.0.2.2 dev $IF table 100
ip rule add from 10.0.2.77 table 100 pref 1000
ip neigh add 10.0.2.9 lladdr 02:00:00:00:00:09 dev $IF nud permanent
echo 2 >/proc/sys/net/ipv4/conf/$IF/rp_filter
wait_until 10 answers 10.0.2.2
picture $IF $A >/out/before
modprobe igb_uio
"""

# It got its address by DHCP, from a real client.
DHCP = """
modprobe virtio_net
hugepages 96
IF=$(interface_of $A)
busybox getty 115200 tty1 &
ip link set $IF up
dhclient -pf /run/dhclient.pid -lf /var/lib/dhcp/leases $IF || fail "no lease"
wait_until 10 answers 10.0.2.2
modprobe igb_uio
has_lease() {
	ip -o -4 addr show dev $IF | grep -q 'inet 10.0.2.15/24.*dynamic' &&
		ip route | grep -q "^default via 10.0.2.2 dev $IF" &&
		pidof dhclient >/dev/null
}
"""


def test_only_nic_with_everything_on_it(boot):
    """A1, A4: refused without --console. Then bind, pmdperf, restore leave no difference."""
    log = boot(STATIC + """
expect 1 $NIC bind $A
has_driver $A virtio-pci
same_picture $IF $A /out/before
expect 0 $NIC bind $A --console --driver igb_uio
has_driver $A igb_uio
expect 1 $NIC bind $A --console
expect 0 $NIC status
echo 0 >/proc/sys/vm/nr_hugepages
expect 0 bash /src/scripts/hugepages.sh reserve --mem 130
start_pmdperf rx 1 $A rxonly --duration=3
ended_well_or_nothing() { local s=0; wait $PID_rx || s=$?; [ $s = 3 ] || [ $s = 0 ] || fail "pmdperf: $s"; }
ended_well_or_nothing
expect 0 $NIC restore $A
same_picture $IF $A /out/before
wait_until 10 answers 10.0.2.2
expect 0 $NIC restore $A
same_picture $IF $A /out/before
expect 0 bash /src/scripts/hugepages.sh release
[ $(cat /proc/sys/vm/nr_hugepages) = 0 ] || fail "hugepages stay"
""", ONE_NIC).wait()
    assert "NOT bound" in log
    assert "default route" in log
    assert "armed, " in log


def test_lease_is_a_lease_again(boot):
    """The client is stopped without releasing, and started again with its own words."""
    log = boot(DHCP + """
has_lease || fail "no lease before"
tr '\\0' ' ' </proc/$(pidof dhclient)/cmdline >/out/words.before
expect 0 $NIC bind $IF --console --driver igb_uio
has_driver $A igb_uio
! pidof dhclient || fail "dhclient still runs"
expect 0 $NIC restore 52:54:00:00:00:01
wait_until 20 has_lease
tr '\\0' ' ' </proc/$(pidof dhclient)/cmdline | diff /out/words.before - || fail "other words"
[ $(ip -o -4 addr show dev $IF | wc -l) = 1 ] || fail "a static copy was left"
wait_until 10 answers 10.0.2.2
""", ONE_NIC).wait()
    assert "Restored" in log


def test_switch_fires_while_pmdperf_runs_and_the_shell_is_dead(boot):
    """With nobody there, at --max-bound: pmdperf is ended, the NIC given back."""
    boot(STATIC + """
setsid bash -c "$NIC bind $A --console --driver igb_uio --max-bound 60" >/out/bind.log 2>&1
cat /out/bind.log
has_driver $A igb_uio
start_pmdperf rx 1 $A rxonly
wait_until 60 is_running rx $PID_rx
wait_until 90 has_interface $A
! kill -0 $PID_rx 2>/dev/null || wait_until 10 eval "! kill -0 $PID_rx 2>/dev/null"
same_soon() { picture $IF $A | cmp -s - /out/before; }
wait_until 60 same_soon
wait_until 10 answers 10.0.2.2
cat /var/lib/pmdperf/nic-$A.log
gone() { [ ! -e /var/lib/pmdperf/nic/$A ]; }
wait_until 30 gone
""", ONE_NIC).wait(240)


def test_switch_fires_without_progress_and_after_kill_9(boot):
    """pmdperf renews the lease; killed, it does not, and the NIC comes back after --idle."""
    log = boot(STATIC + """
expect 0 $NIC bind $A --console --driver igb_uio --idle 15
start_pmdperf rx 1 $A rxonly
wait_until 60 is_running rx $PID_rx
sleep 20
has_driver $A igb_uio
kill -KILL $PID_rx
wait_until 90 has_interface $A
same_soon() { picture $IF $A | cmp -s - /out/before; }
wait_until 60 same_soon
gone() { [ ! -e /var/lib/pmdperf/nic/$A ]; }
wait_until 30 gone
cat /var/lib/pmdperf/nic-$A.log
""", ONE_NIC).wait(240)
    assert "no pmdperf made progress for 15 s" in log


def test_confirm_disarms(boot):
    log = boot(STATIC + """
expect 0 $NIC bind $A --console --driver igb_uio --max-bound 60
expect 0 $NIC confirm
disarmed() { grep -q disarmed /var/lib/pmdperf/nic-$A.log; }
wait_until 20 disarmed
has_driver $A igb_uio
expect 0 $NIC restore
same_picture $IF $A /out/before
""", ONE_NIC).wait(240)
    assert "Confirmed" in log


def test_reboot_gives_the_nic_back(boot):
    """If all else fails, reboot: the sentence that bind prints. The saved state is stale, then."""
    log = boot("""
if [ -e /out/second ]; then
	modprobe virtio_net
	wait_until 10 has_interface $A
	has_driver $A virtio-pci
	expect 0 $NIC status
	expect 0 $NIC restore $A
	expect 0 $NIC restore $A
	IF=$(interface_of $A)
	ip addr add 10.0.2.15/24 dev $IF
	ip link set $IF up
	wait_until 10 answers 10.0.2.2
	exit 0
fi
""" + STATIC + """
expect 0 $NIC bind $A --console --driver igb_uio
has_driver $A igb_uio
touch /out/second
sync
echo b >/proc/sysrq-trigger
sleep 60
""", ONE_NIC, reboots=True).wait()
    assert "If all else fails, reboot from the cloud's console: the NIC comes back." in log
    assert "rebooted since" in log


@pytest.mark.parametrize("where, every", [("bind", 1), ("restore", 7)])
def test_killed_between_each_pair_of_steps_then_restored(boot, where, every):
    """SIGKILL before each step in turn (of restore, some: all are tried in tests/scripts); then
    restore puts all right."""
    log = boot(STATIC + f"""
where={where}
for at in $(seq 1 {every} 40); do
	if [ $where = restore ]; then
		$NIC bind $A --console --driver igb_uio >/out/step.log 2>&1 || fail "$(cat /out/step.log)"
		PMDPERF_KILL_AT=$at $NIC restore $A >/out/step.log 2>&1
	else
		PMDPERF_KILL_AT=$at $NIC bind $A --console --driver igb_uio >/out/step.log 2>&1
	fi
	status=$?
	at "killed at step $at: status $status, after:$(grep '^  - ' /out/step.log | tail -n 1)"
	$NIC restore $A >/out/step.log 2>&1 || fail "$(cat /out/step.log)"
	has_driver $A virtio-pci
	same_picture $IF $A /out/before
	wait_until 10 answers 10.0.2.2
	[ $status = 137 ] || break
done
at "steps: $((at - 1))"
[ $status = 0 ] || fail "status $status"
""", ONE_NIC).wait(600)
    assert int(re.findall(r"steps: (\d+)", log)[-1]) >= 4


BEHAVIOUR = """
modprobe virtio_net
hugepages 128
ip addr add 10.9.0.1/24 dev $(interface_of $A)
ip link set $(interface_of $A) up
IF_A=$(interface_of $A)
wait_until 20 has_carrier $A
picture $IF_A $A >/out/before
"""


def test_what_cannot_be_bound_keeps_its_driver(boot):
    """A5, B4: vfio-pci without IOMMU, unknown devices, no headers, a bind that fails half way."""
    log = boot(BEHAVIOUR + """
expect 1 $NIC bind $A --driver vfio-pci
has_driver $A virtio-pci
expect 2 $NIC bind 0000:00:1e.7
expect 2 $NIC bind eth77
expect 1 $NIC bind 0000:00:1f.0
expect 2 $NIC bind $A --driver nosuch
expect 2 $NIC bind lo
same_picture $IF_A $A /out/before
mv /lib/modules/$(uname -r)/updates/igb_uio.ko /root/
expect 1 $NIC bind $A --driver igb_uio
has_driver $A virtio-pci
insmod /lib/modules/$(uname -r)/kernel/drivers/uio/uio.ko 2>/dev/null
insmod /root/igb_uio.ko
expect 0 $NIC bind $A
has_driver $A igb_uio
rmmod igb_uio
has_driver $A ''
expect 0 $NIC restore $A
has_driver $A virtio-pci
same_picture $IF_A $A /out/before
""", hub("virtio-net-pci")).wait(200)
    assert "no IOMMU here, and this kernel is built without vfio's no-IOMMU mode" in log
    assert "headers" in log
    assert "is no network device" in log


def test_in_use_and_killed(boot):
    """A second taker is refused, another program is named and left alone, kill -9 is no obstacle."""
    log = boot(BEHAVIOUR + """
expect 0 $NIC bind $A --driver igb_uio
start_pmdperf rx 1 $A rxonly
wait_until 60 is_running rx $PID_rx
expect 0 $NIC status
kill -KILL $PID_rx
wait $PID_rx
expect 0 $NIC restore $A
same_picture $IF_A $A /out/before
expect 0 $NIC bind $A --driver igb_uio
tail -f /dev/null 9</dev/uio0 &
other=$!
expect 1 $NIC restore $A
has_driver $A igb_uio
kill $other
wait $other
start_pmdperf rx 1 $A rxonly
wait_until 60 is_running rx $PID_rx
expect 0 $NIC restore $A
! kill -0 $PID_rx 2>/dev/null || fail "pmdperf still runs"
same_picture $IF_A $A /out/before
""", hub("virtio-net-pci"), memory=768).wait(240)
    assert re.search(r"process \d+ \((tail|busybox)\) is using", log)


def test_vfio_in_use_does_not_hang(boot):
    """An unbind from vfio waits for the program that has the device: it is ended before."""
    from guests import VIRTIO_IOMMU

    boot(BEHAVIOUR + """
expect 0 $NIC bind $A
has_driver $A vfio-pci
start_pmdperf rx 1 $A rxonly
wait_until 60 is_running rx $PID_rx
expect 0 $NIC restore $A
has_driver $A virtio-pci
same_picture $IF_A $A /out/before
expect 0 $NIC bind $A --max-bound 60
start_pmdperf rx 1 $A rxonly
wait_until 120 has_interface $A
same_soon() { picture $IF_A $A | cmp -s - /out/before; }
wait_until 60 same_soon
""", hub("virtio-net-pci", **VIRTIO_IOMMU), memory=1024, iommu=True).wait(300)
