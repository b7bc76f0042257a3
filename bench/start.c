// SPDX-License-Identifier: GPL-2.0-or-later
/* Measures start and exit of a command in jail beside the same command alone and in its peers. */

/*
 * Each round runs every peer once, and the next round begins with another, so that a machine that
 * slows down or speeds up does so for all of them: the ratios are the result, the times are not. A
 * run that fails ends the measurement; a sandbox that refuses would otherwise be the fastest.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "bench/report.h"

#define ARGV_MAX  24
#define ROUNDS	  300
#define WARMUP	  10
#define REFERENCE "bwrap"

#define IMAGE_HERE "IMAGE" /* stands for what --image says */

/* The command is followed by the payload; one without words is the payload alone. */
static const struct peer {
	const char *name;
	const char *package; /* where to get it */
	const char *command[ARGV_MAX - 2];
} peers[] = {
	{ "floor", NULL, { NULL } },
	{ "jail", NULL, { "jail", "--" } },
	{ "bwrap",
	  "bubblewrap",
	  { "bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
	    "--tmpfs", "/tmp" } },
	/* the last one, and only when there is an image to start */
	{ "image", NULL, { "jail", "--pull=never", "--image", IMAGE_HERE, "--" } },
};

_Static_assert(ARRAY_SIZE(peers) <= PEERS_MAX, "a report has room for every peer");

/* A peer ready to run. */
struct runner {
	char path[4096];
	char *argv[ARGV_MAX];
	char line[1024];
	char version[128];
};

struct options {
	const char *jail, *payload, *json, *dir, *image;
	uint64_t rounds;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Find a program as execvp would, once and before the clock runs. */
static bool find_program(const char *name, char *ret, size_t size)
{
	const char *dir = getenv("PATH");
	const char *slash = strchr(name, '/');

	if (slash) {
		own_str full = realpath(name, NULL);

		return full && !access(full, X_OK) && snprintf(ret, size, "%s", full) < (int)size;
	}
	while (dir && *dir) {
		size_t len = strcspn(dir, ":");
		struct stat st;
		int n = snprintf(ret, size, "%.*s/%s", (int)len, dir, name);

		if (n < (int)size && !access(ret, X_OK) && !stat(ret, &st) && S_ISREG(st.st_mode))
			return true;
		dir += len + (dir[len] == ':');
	}
	return false;
}

/* Spawn to reaped. The exit status, or -errno; out is where both its outputs go. */
static int run_once(const char *path, char *const *argv, int out, uint64_t *ret_ns)
{
	posix_spawn_file_actions_t actions;
	uint64_t start;
	int r, status = 0;
	pid_t pid;

	r = posix_spawn_file_actions_init(&actions);
	if (r)
		return -r;
	r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!r)
		r = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!r)
		r = posix_spawn_file_actions_adddup2(&actions, out, 2);
	start = now_ns();
	if (!r)
		r = posix_spawn(&pid, path, &actions, NULL, argv, environ);
	if (!r && waitpid(pid, &status, 0) < 0)
		r = errno;
	*ret_ns = now_ns() - start;
	(void)posix_spawn_file_actions_destroy(&actions);
	if (r)
		return -r;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The first line that a run has written. */
static void first_line(int out, char *buf, size_t size)
{
	ssize_t n = pread(out, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
		buf[0] = '\0';
}

static void ask_version(struct runner *r, int out)
{
	char flag[] = "--version";
	char *argv[] = { r->path, flag, NULL };
	uint64_t ns;
	int status = run_once(r->path, argv, out, &ns);

	first_line(out, r->version, sizeof(r->version));
	if (status)
		(void)snprintf(r->version, sizeof(r->version), "unknown version");
}

/* jail is the binary that was asked for, the others are looked up. */
static bool prepare(struct runner *r, const struct peer *p, const struct options *o)
{
	const char *program = p->command[0];
	struct text line;
	size_t n = 0;

	if (program && !strcmp(program, "jail"))
		program = o->jail;
	if (!find_program(program ? program : o->payload, r->path, sizeof(r->path))) {
		fprintf(stderr, "bench: '%s' was not found%s%s\n", program ? program : o->payload,
			p->package ? "; install the package " : "", p->package ? p->package : "");
		return false;
	}
	for (; p->command[n]; n++)
		r->argv[n] = (char *)(uintptr_t)(strcmp(p->command[n], IMAGE_HERE) ? p->command[n]
										   : o->image);
	r->argv[n++] = (char *)(uintptr_t)o->payload;
	text_init(&line, r->line, sizeof(r->line));
	for (size_t i = 0; i < n; i++) {
		text_add(&line, i ? " " : "");
		text_add(&line, i ? r->argv[i] : r->path);
	}
	return true;
}

static bool measure_one(struct runner *r, const char *name, int out, uint64_t *ret_ns)
{
	int status = run_once(r->path, r->argv, out, ret_ns);
	char said[512];

	if (!status)
		return true;
	if (status < 0) {
		fprintf(stderr, "bench: run '%s': %s\n", r->path, strerror(-status));
		return false;
	}
	first_line(out, said, sizeof(said));
	fprintf(stderr, "bench: %s failed with status %d: %s\nbench: the command was: %s\n", name,
		status, *said ? said : "it said nothing", r->line);
	return false;
}

static bool measure(struct report *rep, struct runner *runners, int out)
{
	size_t total = rep->warmup + rep->n;
	uint64_t ns;

	for (size_t round = 0; round < total; round++)
		for (size_t k = 0; k < rep->peers; k++) {
			size_t i = (round + k) % rep->peers;

			if (!measure_one(&runners[i], peers[i].name, out, &ns))
				return false;
			if (round >= rep->warmup)
				rep->series[i].ns[round - rep->warmup] = ns;
		}
	return true;
}

static double load_now(void)
{
	double load = 0;

	return getloadavg(&load, 1) == 1 ? load : 0;
}

static int complain(const char *what, const char *operand, int code)
{
	fprintf(stderr, "bench: %s '%s': %s\n", what, operand, strerror(code));
	return 1;
}

static int bench(const struct options *o)
{
	static struct runner runners[ARRAY_SIZE(peers)];
	static struct report rep;
	own_fd out = memfd_create("output", MFD_CLOEXEC), json = FD_NONE;
	int r = 0;

	if (o->json) {
		json = open(o->json, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (json < 0)
			return complain("open", o->json, errno);
	}
	rep = (struct report){ .payload = o->payload, .n = o->rounds, .warmup = WARMUP };
	rep.reference = rep.peers = ARRAY_SIZE(peers) - !o->image;
	for (size_t i = 0; i < rep.peers; i++) {
		struct series *s = &rep.series[i];

		if (!prepare(&runners[i], &peers[i], o))
			return 1;
		if (peers[i].command[0])
			ask_version(&runners[i], out);
		s->ns = calloc(rep.n, sizeof(*s->ns));
		if (!s->ns)
			return 1;
		s->name = peers[i].name;
		s->argv = runners[i].line;
		s->version = runners[i].version;
		if (str_eq(s->name, REFERENCE))
			rep.reference = i;
	}
	rep.load_before = load_now();
	if (o->dir && chdir(o->dir) < 0)
		return complain("chdir", o->dir, errno);
	if (!measure(&rep, runners, out))
		return 1;
	rep.load_after = load_now();
	report_compute(&rep);
	report_print(&rep);
	r = o->json ? report_write_json(&rep, json) : 0;
	return r < 0 ? complain("write", o->json, -r) : 0;
}

static const char usage[] =
	"usage: start [-n ROUNDS] [--jail PATH] [--payload PATH] [--dir DIR] [--image IMAGE] [--json FILE]\n";

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "rounds", required_argument, NULL, 'n' },
		{ "jail", required_argument, NULL, 'j' },
		{ "payload", required_argument, NULL, 'p' },
		{ "json", required_argument, NULL, 'J' },
		{ "dir", required_argument, NULL, 'd' },
		{ "image", required_argument, NULL, 'i' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "n:", longs, NULL)) != -1) {
		if (c == 'n') {
			if (!str_to_u64(optarg, 1000000, &o->rounds) || o->rounds < THIRDS)
				return false;
		} else if (c == 'j') {
			o->jail = optarg;
		} else if (c == 'p') {
			o->payload = optarg;
		} else if (c == 'J') {
			o->json = optarg;
		} else if (c == 'd') {
			o->dir = optarg;
		} else if (c == 'i') {
			o->image = optarg;
		} else {
			return false;
		}
	}
	return optind == argc;
}

int main(int argc, char **argv)
{
	struct options o = { .jail = "jail", .payload = "/bin/true", .rounds = ROUNDS };

	if (!parse(argc, argv, &o)) {
		fputs(usage, stderr);
		return 2;
	}
	if (o.payload[0] != '/' || str_starts(o.payload, "/tmp/")) {
		fprintf(stderr,
			"bench: payload '%s': an absolute path that is not in /tmp, which every peer hides\n",
			o.payload);
		return 2;
	}
	return bench(&o);
}
