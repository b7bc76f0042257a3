// SPDX-License-Identifier: GPL-2.0-or-later
/* jail-pull: reads what is asked for, shuts itself in, fetches. The contract is oci/pull.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/pull.h"

/* ---- what the others share ---------------------------------------------------------------------- */

uint64_t pull_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool pull_may_use(const struct pull *p, const struct origin *o, bool after_https)
{
	if (str_eq(o->scheme, "https") || p->opt.plain_http)
		return true;
	/* Only a registry on this machine sends one to this machine without TLS. */
	return !after_https && host_is_loopback(o->host) && host_is_loopback(p->origin.host);
}

uint64_t pull_pause_ms(const struct pull *p, unsigned n, unsigned retry_after)
{
	uint64_t ms = p->opt.pace_ms << (n > 6 ? 6 : n - 1);
	unsigned char some = 0;

	if (ms > PULL_WAIT_MAX_S * 1000)
		ms = PULL_WAIT_MAX_S * 1000;
	/* Not all at the same moment. */
	if (getrandom(&some, sizeof(some), GRND_NONBLOCK) != sizeof(some))
		some = 0;
	ms += ms * some / 1024;
	return retry_after ? (uint64_t)retry_after * 1000 : ms;
}

void pull_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	if (fflush(stdout) != 0)
		_exit(1);
}

void pull_hand_over(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n || fflush(stdout) != 0)
		_exit(1);
}

/* ---- starting ----------------------------------------------------------------------------------- */

static const struct option options[] = {
	{ "plain-http", no_argument, NULL, 'p' },
	{ "stall", required_argument, NULL, 's' },
	{ "connect", required_argument, NULL, 'c' },
	{ "total", required_argument, NULL, 't' },
	{ "tries", required_argument, NULL, 'n' },
	{ "pace", required_argument, NULL, 'm' },
	{ NULL, 0, NULL, 0 },
};

static int take_number(const char *name, uint64_t max, uint64_t *ret, struct err *e)
{
	if (!str_to_u64(optarg, max, ret) || !*ret)
		return err_set(e, ST_USAGE, 0, "jail-pull: --%s takes a number from 1 to %llu",
			       name, (unsigned long long)max);
	return 0;
}

static int read_options(int argc, char **argv, struct pull_options *o, struct err *e)
{
	int which, index = 0, rc = 0;

	*o = (struct pull_options){
		.stall_s = 30, .connect_s = 20, .total_s = 6 * 3600ul, .tries = 5, .pace_ms = 500
	};
	opterr = 0;
	while (rc == 0 && (which = getopt_long(argc, argv, "+", options, &index)) >= 0) {
		const char *name = options[index].name;

		switch (which) {
		case 'p':
			o->plain_http = true;
			break;
		case 's':
			rc = take_number(name, 3600, &o->stall_s, e);
			break;
		case 'c':
			rc = take_number(name, 3600, &o->connect_s, e);
			break;
		case 't':
			rc = take_number(name, 7 * 86400ul, &o->total_s, e);
			break;
		case 'n':
			rc = take_number(name, 100, &o->tries, e);
			break;
		case 'm':
			rc = take_number(name, 60000, &o->pace_ms, e);
			break;
		default:
			rc = err_set(e, ST_USAGE, 0, "jail-pull: unknown option '%s'",
				     argv[optind - 1]);
			break;
		}
	}
	if (rc == 0 && argc - optind != 2)
		rc = err_set(e, ST_USAGE, 0, "usage: jail-pull [OPTION...] DIR REFERENCE");
	if (rc == 0) {
		o->dir = argv[optind];
		o->reference = argv[optind + 1];
	}
	return rc;
}

static int find_registry(struct pull *p, struct err *e)
{
	/* Where the default registry answers is not what it is called. */
	const char *host = str_eq(p->ref.registry, "docker.io") ? "registry-1.docker.io"
								: p->ref.registry;
	char url[HTTP_URL_MAX];

	(void)snprintf(p->base, sizeof(p->base), "%s://%s", p->opt.plain_http ? "http" : "https",
		       host);
	if (url_resolve(NULL, p->base, url, sizeof(url), &p->origin) < 0)
		return err_set(e, ST_USAGE, 0, "'%s' is no registry", p->ref.registry);
	return 0;
}

/* Everything of this user's and this system's that is needed later. */
static int prepare(struct pull *p, struct authfile files[AUTH_FILES], struct err *e)
{
	const struct digest some = { .text = "" };
	struct hash *h = NULL;
	int rc = ref_parse(p->opt.reference, &p->ref, e);

	if (rc == 0)
		rc = authfiles_read(files, e);
	if (rc < 0)
		return rc;
	p->dirfd = open(p->opt.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->dirfd < 0)
		return err_set(e, ST_IMAGE, errno, "open '%s'", p->opt.dir);
	p->ca = getenv("SSL_CERT_FILE");
	if (p->ca && !p->ca[0])
		p->ca = NULL;
	rc = http_load(e);
	if (rc == 0)
		rc = hash_start(&some, &h, e); /* libcrypto loads what it needs */
	hash_release(&h);
	return rc;
}

static int connect_later(struct pull *p, const struct authfile files[AUTH_FILES], struct err *e)
{
	const struct http_limits l = { .connect_s = (unsigned)p->opt.connect_s,
				       .stall_s = (unsigned)p->opt.stall_s,
				       .ca = p->ca };
	int rc = find_registry(p, e);

	for (size_t i = 0; rc == 0 && i < AUTH_FILES; i++)
		rc = authfile_find(&files[i], p->ref.registry, p->ref.repository, &p->cred, e);
	if (rc >= 0)
		rc = http_new(&l, &p->http, e);
	if (rc == 0)
		rc = http_new(&l, &p->side, e);
	return rc;
}

/* ---- asked and answered ------------------------------------------------------------------------- */

struct asked {
	struct fetch *list[PULL_ASKED_MAX];
	size_t n;
};

static void forget(struct pull *p, struct asked *a)
{
	for (size_t i = 0; i < a->n; i++)
		fetch_free(p, a->list[i]);
	a->n = 0;
}

static int bad_line(const char *line, struct err *e)
{
	return err_set(e, ST_USAGE, 0, "jail-pull: '%.160s' asks for nothing", line);
}

/* DIGEST SIZE */
static bool read_descriptor(char *s, uint64_t max, struct digest *d, uint64_t *size)
{
	char *space = strchr(s, ' ');

	if (!space)
		return false;
	*space = '\0';
	return digest_parse(s, d) && str_to_u64(space + 1, max, size);
}

static int ask(struct pull *p, struct asked *a, char *line, struct err *e)
{
	bool manifest = str_starts(line, "manifest");
	uint64_t size = 0;
	struct digest want = p->ref.digest;
	int rc;

	if (!str_eq(line, "manifest")) {
		if (!manifest && !str_starts(line, "blob "))
			return bad_line(line, e);
		if (!read_descriptor(line + (manifest ? 9 : 5),
				     manifest ? PULL_MANIFEST_MAX : PULL_BLOB_MAX, &want, &size))
			return bad_line(line, e);
	}
	if (a->n == PULL_ASKED_MAX)
		return err_set(e, ST_IMAGE, 0, "more than %u blobs in one image", PULL_ASKED_MAX);
	rc = fetch_new(p, manifest, &want, size, &a->list[a->n], e);
	a->n += rc == 0;
	return rc;
}

static int serve(struct pull *p, struct err *e)
{
	static struct asked a;
	char line[256];
	int rc = 0;

	while (rc == 0 && fgets(line, sizeof(line), stdin)) {
		size_t n = strcspn(line, "\n");

		if (!line[n])
			rc = bad_line(line, e);
		line[n] = '\0';
		if (rc == 0 && !str_eq(line, "go")) {
			rc = ask(p, &a, line, e);
		} else if (rc == 0) {
			rc = fetch_all(p, a.list, a.n, e);
			forget(p, &a);
			if (rc == 0)
				pull_say("done\n");
		}
	}
	forget(p, &a);
	return rc;
}

static int run(struct pull *p, struct authfile files[AUTH_FILES], struct err *e)
{
	int rc = prepare(p, files, e);

	if (rc == 0)
		rc = pull_confine(p->dirfd, p->ca, e);
	/* From here on, what others wrote. */
	if (rc == 0)
		rc = connect_later(p, files, e);
	authfiles_free(files);
	if (rc == 0) {
		p->deadline = pull_now() + p->opt.total_s * 1000;
		rc = serve(p, e);
	}
	http_free(p->http);
	http_free(p->side);
	return rc;
}

int main(int argc, char **argv)
{
	static struct pull p = { .dirfd = FD_NONE };
	struct authfile files[AUTH_FILES] = { { .text = NULL } };
	struct err e = { 0 };
	char line[1024];
	int rc;

	/* Nobody else reads what comes; and a killed jail-image leaves nothing running. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGPIPE, SIG_IGN);
	rc = read_options(argc, argv, &p.opt, &e);
	if (rc == 0)
		rc = run(&p, files, &e);
	fd_release(&p.dirfd);
	if (rc >= 0)
		return 0;
	err_format(&e, line, sizeof(line));
	(void)fprintf(stderr, "%s\n", line);
	return 1;
}
