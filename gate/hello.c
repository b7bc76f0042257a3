// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a ClientHello, in the gate. Two steps: the records are put together until the message is
 * whole (join), then the message is taken apart (read_message), each length checked against what
 * encloses it. The first error is the last: what is bad stays bad, whatever comes behind it.
 */
#include "gate/hello.h"

#include <string.h>

enum {
	RECORD_HANDSHAKE = 22,
	RECORD_HEAD = 5,
	RECORD_MAX = 16384,
	MESSAGE_HEAD = 4,
	CLIENT_HELLO = 1,
	EXT_SERVER_NAME = 0,
	EXT_ECH = 0xfe0d,
	EXT_ESNI = 0xffce, /* what it was before */
	NAME_HOST = 0,
};

/* What is left to read of a field; a failed read leaves it failed. */
struct span {
	const uint8_t *at;
	size_t left;
	bool bad;
};

static const uint8_t *take(struct span *s, size_t n)
{
	const uint8_t *p = s->at;

	if (s->bad || n > s->left) {
		s->bad = true;
		return NULL;
	}
	s->at += n;
	s->left -= n;
	return p;
}

static unsigned take_number(struct span *s, size_t bytes)
{
	const uint8_t *p = take(s, bytes);
	unsigned v = 0;

	for (size_t i = 0; p && i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* A vector whose length comes first, in this many bytes. */
static struct span take_vector(struct span *s, size_t bytes)
{
	size_t n = take_number(s, bytes);
	const uint8_t *p = take(s, n);

	return (struct span){ .at = p, .left = p ? n : 0, .bad = !p };
}

static enum hello_verdict bad(struct hello *ret, const char *why)
{
	ret->name[0] = '\0';
	ret->why = why;
	return HELLO_BAD;
}

/* The head of a record, n bytes of it: NULL, or what is wrong. One byte tells another protocol. */
static const char *check_record(const uint8_t *p, size_t n, size_t *ret_length)
{
	if (p[0] != RECORD_HANDSHAKE)
		return p[0] & 0x80 ? "an SSLv2 hello, or no TLS" : "no TLS handshake";
	if (n < RECORD_HEAD)
		return NULL;
	if (p[1] != 3 || p[2] < 1 || p[2] > 4)
		return "a TLS version that is not known";
	*ret_length = (size_t)p[3] << 8 | p[4];
	if (*ret_length == 0 || *ret_length > RECORD_MAX)
		return "a TLS record of an impossible length";
	return NULL;
}

/*
 * Append the payload of each record to msg[], which has room for all that `data` can hold, until the
 * message is whole. RFC 8446 5.1: no other record in between, and nothing behind it in its last one.
 */
static enum hello_verdict join(const uint8_t *data, size_t n, uint8_t *msg, size_t *ret_len,
			       struct hello *ret)
{
	size_t len = 0, want = MESSAGE_HEAD;

	for (size_t pos = 0; pos < n;) {
		size_t record = 0, here;
		const char *why = check_record(data + pos, n - pos, &record);

		if (why)
			return bad(ret, why);
		if (n - pos < RECORD_HEAD)
			return HELLO_MORE;
		pos += RECORD_HEAD;
		here = n - pos < record ? n - pos : record;
		memcpy(msg + len, data + pos, here);
		len += here;
		pos += here;
		if (len && msg[0] != CLIENT_HELLO)
			return bad(ret, "a handshake that does not begin with a ClientHello");
		if (len >= MESSAGE_HEAD)
			want = MESSAGE_HEAD + ((size_t)msg[1] << 16 | (size_t)msg[2] << 8 | msg[3]);
		if (want > HELLO_MAX)
			return bad(ret, "a ClientHello that is too long");
		if (len >= MESSAGE_HEAD && len + (record - here) > want)
			return bad(ret, "more than a ClientHello in its record");
		if (len >= MESSAGE_HEAD && len == want) {
			*ret_len = len;
			ret->length = pos;
			return HELLO_WHOLE;
		}
	}
	return HELLO_MORE;
}

/* Exactly one name, of the only type there is. */
static const char *read_server_name(struct span ext, char name[NAME_SIZE])
{
	struct span list = take_vector(&ext, 2), host;

	if (list.bad || ext.left)
		return "a malformed server_name";
	if (take_number(&list, 1) != NAME_HOST)
		return "a server_name that is no host name";
	host = take_vector(&list, 2);
	if (list.bad || list.left)
		return "a malformed server_name";
	if (name_canonical((const char *)host.at, host.left, name) < 0)
		return "a server_name that is no host name";
	return NULL;
}

static const char *read_extensions(struct span exts, char name[NAME_SIZE])
{
	bool named = false;

	while (exts.left) {
		unsigned type = take_number(&exts, 2);
		struct span ext = take_vector(&exts, 2);
		const char *why;

		if (exts.bad)
			return "malformed extensions";
		if (type == EXT_ECH || type == EXT_ESNI)
			return "an encrypted client hello";
		if (type != EXT_SERVER_NAME)
			continue;
		if (named)
			return "two server_name extensions";
		why = read_server_name(ext, name);
		if (why)
			return why;
		named = true;
	}
	return named ? NULL : "no server_name";
}

static const char *read_message(const uint8_t *msg, size_t len, char name[NAME_SIZE])
{
	struct span s = { .at = msg + MESSAGE_HEAD, .left = len - MESSAGE_HEAD };
	struct span session, ciphers, compression, exts;
	unsigned version = take_number(&s, 2);

	(void)take(&s, 32);
	session = take_vector(&s, 1);
	ciphers = take_vector(&s, 2);
	compression = take_vector(&s, 1);
	if (s.bad || session.left > 32 || ciphers.left < 2 || ciphers.left % 2 || !compression.left)
		return "a malformed ClientHello";
	if (version < 0x0301 || version > 0x0304)
		return "a TLS version that is not known";
	if (!s.left)
		return "no server_name";
	exts = take_vector(&s, 2);
	if (exts.bad || s.left)
		return "a malformed ClientHello";
	return read_extensions(exts, name);
}

enum hello_verdict hello_parse(const uint8_t *data, size_t n, struct hello *ret)
{
	size_t looked = n < HELLO_MAX ? n : HELLO_MAX, len = 0;
	uint8_t msg[HELLO_MAX];
	enum hello_verdict v;
	const char *why;

	ret->name[0] = '\0';
	ret->why = NULL;
	v = join(data, looked, msg, &len, ret);
	if (v == HELLO_MORE && looked == HELLO_MAX)
		return bad(ret, "a ClientHello that is too long");
	if (v != HELLO_WHOLE)
		return v;
	why = read_message(msg, len, ret->name);
	return why ? bad(ret, why) : HELLO_WHOLE;
}
