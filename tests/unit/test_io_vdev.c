/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io_vdev.h"

static const char *
vdev(const struct config *c)
{
	static char buf[IO_VDEV_LEN];

	io_vdev(c, buf, sizeof(buf));
	return buf;
}

static void
test_af_packet(void **state)
{
	struct config c = {.io = IO_AF_PACKET, .interface = "eth1", .rxq = 4, .txq = 2};

	(void)state;
	c.txpkts[0] = 1430;
	c.nb_txpkts = 1;
	assert_string_equal(
		vdev(&c), "net_af_packet0,iface=eth1,qpairs=4,framesz=2048,blocksz=4096");
	/* The kernel's header has its place in front of the frame. */
	c.txpkts[0] = 1968;
	assert_string_equal(
		vdev(&c), "net_af_packet0,iface=eth1,qpairs=4,framesz=2048,blocksz=4096");
	c.txpkts[0] = 1969;
	assert_string_equal(
		vdev(&c), "net_af_packet0,iface=eth1,qpairs=4,framesz=4096,blocksz=4096");
	c.max_pkt_len = 9018;
	assert_string_equal(
		vdev(&c), "net_af_packet0,iface=eth1,qpairs=4,framesz=12288,blocksz=12288");
}

static void
test_af_xdp(void **state)
{
	struct config c = {.io = IO_AF_XDP, .interface = "enp0s31f6.4094x", .rxq = 1, .txq = 16};

	(void)state;
	assert_string_equal(
		vdev(&c), "net_af_xdp0,iface=enp0s31f6.4094x,start_queue=0,queue_count=16");
	c.io_queue = 7;
	c.txq = 1;
	assert_string_equal(
		vdev(&c), "net_af_xdp0,iface=enp0s31f6.4094x,start_queue=7,queue_count=1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_af_packet),
		cmocka_unit_test(test_af_xdp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
