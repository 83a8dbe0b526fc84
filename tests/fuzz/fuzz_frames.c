/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can come in from a network: frames as bytes, to all that reads them; and, since
 * no checksum is ever guessed, conversations of messages that are well formed. The first byte of
 * the input says which. For clang's -fsanitize=fuzzer.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "neighbour.h"
#include "peer_receiver.h"
#include "peer_sender.h"

enum {
	FLOWS = 2048,
	MESSAGE = 32, /* bytes of input for each */
};

static struct account *account;

static void
came(void *arg, uint32_t src_ip, uint8_t run, struct peer_came *out)
{
	struct account_total t = {0};

	(void)arg;
	account_peek(account, src_ip, run, &t);
	*out = (struct peer_came){.received = t.received, .bytes = t.bytes};
}

static void
whole(void *arg, uint64_t *word)
{
	(void)arg;
	word[PEER_R_MISSED] = 0;
}

static uint64_t
queue(void *arg, uint32_t src_ip, uint8_t run, unsigned i)
{
	(void)arg;
	(void)src_ip;
	(void)run;
	assert(i < 40);
	return i;
}

static struct peer_receiver *
new_receiver(void)
{
	struct peer_receiver *r = calloc(1, sizeof(*r));

	r->instance = 1;
	r->view = (struct peer_view){.came = came, .whole = whole, .nb_queues = 40, .queue = queue};
	return r;
}

static void
take_frame(const uint8_t *data, size_t size)
{
	struct neighbour_self self = {.mac = {{2, 0, 0, 0, 0, 1}}, .ip = 0xc6120002};
	uint8_t *frame = malloc(size == 0 ? 1 : size); /* exactly: any byte beyond is seen */
	struct account_frame f = {.p = frame, .in_one = (uint32_t)size, .len = (uint32_t)size};
	struct peer_addr addr;
	struct peer_msg msg;
	struct mac mac;

	memcpy(frame, data, size);
	(void)peer_read(frame, size, &addr, &msg);
	(void)account_with_care(account, &f);
	(void)neighbour_learn(frame, size, &self, 0xc6120001, &mac);
	(void)neighbour_answer(frame, size, &self);
	free(frame);
}

static struct peer_msg
message(const uint8_t *p)
{
	struct peer_msg m = {
		.type = (enum peer_type)(1 + p[0] % (PEER_TYPES - 1)),
		.answer = (p[1] & 1) != 0,
		.status = (enum peer_status)(p[2] % PEER_STATUSES),
		.page = (uint16_t)(p[3] << 8 | p[4]),
		.run = p[5] & 1,
		.port = p[6] & 3,
		.number = p[7],
		.instance = 4711 + (p[8] & 1),
	};

	for (unsigned i = 0; i < PEER_WORDS; i++)
		m.word[i] = p[9 + i % 20] == 0xff ? PEER_NOT_KNOWN : p[9 + i % 20];
	return m;
}

static void
converse(const uint8_t *data, size_t size)
{
	const struct peer_addr from = {.src_ip = 0x0a000001, .dst_ip = 0x0a000002};
	struct peer_receiver *r = new_receiver();
	struct peer_sender s;
	struct peer_sent sent = {0};
	struct peer_msg question, answer;
	uint64_t now = 0, cookie = 0;

	peer_sender_init(&s, 4711, 1, 0, now);
	for (; size >= MESSAGE; data += MESSAGE, size -= MESSAGE) {
		struct peer_msg m = message(data);
		uint8_t frame[PEER_FRAME_LEN];
		struct peer_addr addr;

		now += (uint64_t)data[29] << 24;
		sent.phase = (enum peer_phase)(data[30] % 3);
		m.cookie = data[31] & 1 ? cookie : s.cookie;
		if (peer_sender_ask(&s, now, &sent, &question) && data[31] & 2)
			m = question;
		peer_write(frame, &from, &m);
		assert(!peer_read(frame, sizeof(frame), &addr, &m) || addr.src_ip == from.src_ip);
		if (peer_receiver_answer(r, &from, &m, now, &answer)) {
			cookie = answer.cookie;
			if (data[31] & 4)
				m = answer;
		}
		(void)peer_sender_take(&s, now, &m);
		peer_receiver_look(r, now);
		assert(r->nb_sessions <= PEER_SESSIONS);
		assert(s.nb_queues <= PEER_MAX_QUEUES);
	}
	free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (account == NULL) {
		void *memory = aligned_alloc(64, (account_size(FLOWS) + 63) / 64 * 64);

		memset(memory, 0, account_size(FLOWS));
		account = account_init(memory, FLOWS);
	}
	if (size == 0)
		return 0;
	if (data[0] & 1)
		converse(data + 1, size - 1);
	else
		take_frame(data + 1, size - 1);
	return 0;
}
