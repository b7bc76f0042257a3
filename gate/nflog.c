// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets that nftables refused: out of netlink, into events. */
#include "gate/nflog.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/event.h"
#include "gate/names.h"

enum {
	SEEN_MAX = 64,	  /* destinations within a second */
	DATAGRAM = 65536, /* the kernel's own limit for nflog is 128 KiB, in use about 4 */
	PERIOD_MS = 1000,
	FLUSH_MAX = 1000, /* datagrams that are still read at the end */
};

/* One destination of this second. */
struct seen {
	struct packet packet;
	uint64_t more; /* after the first, which was an event at once */
};

static struct {
	struct watch watch;
	struct loop *loop;
	struct timer_list second;
	struct timer timer;
	size_t n;
	uint64_t others; /* packets to yet other destinations, or lost by the kernel */
	struct seen seen[SEEN_MAX];
	uint8_t data[DATAGRAM];
} log_;

/* Where the next attribute or message begins. */
static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static uint16_t word(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static bool has_ports(uint8_t protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		return true;
	default:
		return false;
	}
}

/* IPv6 may have headers of options in between: then its protocol is theirs, and there is no port. */
bool packet_parse(const uint8_t *data, size_t n, struct packet *ret)
{
	struct packet p = { 0 };
	size_t head;

	if (n >= 20 && data[0] >> 4 == 4) {
		head = (size_t)(data[0] & 15) * 4;
		p.protocol = data[9];
		p.to.family = 4;
		memcpy(p.to.bytes, data + 16, 4);
		if (head < 20 || word(data + 6) & 0x1fff)
			head = n; /* no first fragment: no port */
	} else if (n >= 40 && data[0] >> 4 == 6) {
		head = 40;
		p.protocol = data[6];
		p.to.family = 6;
		memcpy(p.to.bytes, data + 24, 16);
	} else {
		return false;
	}
	if (has_ports(p.protocol) && head + 4 <= n)
		p.port = word(data + head + 2);
	*ret = p;
	return true;
}

/* The payload among a message's attributes, and the packet in it. */
static bool message_parse(const uint8_t *at, size_t n, struct packet *ret)
{
	struct nlattr a;

	while (n >= sizeof(a)) {
		memcpy(&a, at, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > n)
			return false;
		if ((a.nla_type & NLA_TYPE_MASK) == NFULA_PAYLOAD)
			return packet_parse(at + sizeof(a), a.nla_len - sizeof(a), ret);
		if (aligned(a.nla_len) > n)
			return false;
		at += aligned(a.nla_len);
		n -= aligned(a.nla_len);
	}
	return false;
}

size_t nflog_parse(const uint8_t *data, size_t n, void (*each)(void *arg, const struct packet *p),
		   void *arg)
{
	const size_t head = aligned(sizeof(struct nlmsghdr)) + aligned(sizeof(struct nfgenmsg));
	size_t found = 0;
	struct nlmsghdr h;

	while (n >= sizeof(h)) {
		struct packet p;

		memcpy(&h, data, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > n)
			break;
		if (h.nlmsg_type == (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET) &&
		    h.nlmsg_len >= head && message_parse(data + head, h.nlmsg_len - head, &p)) {
			each(arg, &p);
			found++;
		}
		if (aligned(h.nlmsg_len) > n)
			break;
		data += aligned(h.nlmsg_len);
		n -= aligned(h.nlmsg_len);
	}
	return found;
}

static const char *protocol_name(uint8_t protocol, char buf[8])
{
	struct text t;

	switch (protocol) {
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return "icmp";
	case IPPROTO_SCTP:
		return "sctp";
	case IPPROTO_UDPLITE:
		return "udplite";
	default:
		text_init(&t, buf, 8);
		text_addf(&t, "ip-%u", protocol);
		return buf;
	}
}

/* The name that the address stands for, if it is one of ours. */
static const char *name_of(const struct packet *p)
{
	return names_behind(names_get(), &p->to);
}

static void report(const struct packet *p, uint64_t count)
{
	const char *name = name_of(p);
	char buf[8];

	event_write(&(struct event){ .event = "packet",
				     .verdict = "deny",
				     .name = name,
				     .addr = p->to,
				     .port = p->port,
				     .protocol = protocol_name(p->protocol, buf),
				     .why = name ? "no rule has this port"
						 : "no rule has this address and port",
				     .ms = -1,
				     .count = count });
}

static void score(const struct packet *p)
{
	const struct event ev = { .name = name_of(p), .addr = p->to, .port = p->port };

	if (p->protocol != IPPROTO_TCP)
		event_score(SCORE_PROTOCOL, &ev);
	else
		event_score(ev.name ? SCORE_PORT : SCORE_ADDRESS, &ev);
}

static void end_second(struct timer *timer)
{
	(void)timer;
	for (size_t i = 0; i < log_.n; i++)
		if (log_.seen[i].more)
			report(&log_.seen[i].packet, log_.seen[i].more);
	if (log_.others)
		event_write(&(struct event){ .event = "packet",
					     .verdict = "deny",
					     .why = "more destinations than are told apart",
					     .ms = -1,
					     .count = log_.others });
	log_.n = 0;
	log_.others = 0;
}

static void take(void *arg, const struct packet *p)
{
	(void)arg;
	if (!log_.timer.armed)
		timer_arm(log_.loop, &log_.second, &log_.timer);
	for (size_t i = 0; i < log_.n; i++) {
		const struct packet *q = &log_.seen[i].packet;

		if (q->port == p->port && q->protocol == p->protocol && addr_eq(&q->to, &p->to)) {
			log_.seen[i].more++;
			score(p);
			return;
		}
	}
	if (log_.n == SEEN_MAX) {
		log_.others++;
		return;
	}
	log_.seen[log_.n++] = (struct seen){ .packet = *p };
	report(p, 1);
	score(p);
}

/* One datagram; false when there is none. */
static bool receive(void)
{
	ssize_t n = recv(log_.watch.fd, log_.data, sizeof(log_.data), MSG_DONTWAIT);

	if (n > 0) {
		(void)nflog_parse(log_.data, (size_t)n, take, NULL);
		return true;
	}
	if (n == 0 || errno != ENOBUFS)
		return false;
	if (!log_.timer.armed)
		timer_arm(log_.loop, &log_.second, &log_.timer);
	log_.others++; /* at least: the kernel does not tell how many */
	return true;
}

static void on_packets(struct watch *w, uint32_t events)
{
	(void)w;
	(void)events;
	(void)receive();
}

int nflog_open(struct loop *l, int fd)
{
	log_.loop = l;
	log_.watch = (struct watch){ .ready = on_packets, .fd = fd };
	log_.timer.fire = end_second;
	loop_add_timers(l, &log_.second, PERIOD_MS);
	return loop_watch(l, &log_.watch, EPOLLIN);
}

void nflog_flush(void)
{
	if (!log_.loop)
		return;
	for (int i = 0; i < FLUSH_MAX && receive(); i++)
		;
	if (log_.timer.armed) {
		timer_disarm(&log_.second, &log_.timer);
		end_second(&log_.timer);
	}
}
