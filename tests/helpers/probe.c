// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds and runs one probe; runs inside a jail, as the command. */

#include "tests/helpers/probe.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

static const struct probe *const tables[] = {
	probes_mount, probes_namespace, probes_process, probes_kernel,
	probes_net,   probes_tty,	probes_file,	probes_self,
	probes_limit, probes_filter,	probes_without, probes_egress,
};

/* strerrorname_np is glibc's alone. */
static const struct {
	int code;
	const char *name;
} errors[] = {
#define E(x)          \
	{             \
		x, #x \
	}
	E(EPERM),	 E(ENOENT),	     E(ESRCH),		 E(EINTR),	E(EIO),
	E(ENXIO),	 E(E2BIG),	     E(ENOEXEC),	 E(EBADF),	E(ECHILD),
	E(EAGAIN),	 E(ENOMEM),	     E(EACCES),		 E(EFAULT),	E(ENOTBLK),
	E(EBUSY),	 E(EEXIST),	     E(EXDEV),		 E(ENODEV),	E(ENOTDIR),
	E(EISDIR),	 E(EINVAL),	     E(ENFILE),		 E(EMFILE),	E(ENOTTY),
	E(ETXTBSY),	 E(EFBIG),	     E(ENOSPC),		 E(ESPIPE),	E(EROFS),
	E(EMLINK),	 E(EPIPE),	     E(ERANGE),		 E(EDEADLK),	E(ENAMETOOLONG),
	E(ENOSYS),	 E(ENOTEMPTY),	     E(ELOOP),		 E(ENODATA),	E(EOVERFLOW),
	E(EUSERS),	 E(ENOTSOCK),	     E(EDESTADDRREQ),	 E(EMSGSIZE),	E(EPROTOTYPE),
	E(ENOPROTOOPT),	 E(EPROTONOSUPPORT), E(ESOCKTNOSUPPORT), E(EOPNOTSUPP), E(EPFNOSUPPORT),
	E(EAFNOSUPPORT), E(EADDRINUSE),	     E(EADDRNOTAVAIL),	 E(ENETDOWN),	E(ENETUNREACH),
	E(ECONNABORTED), E(ECONNRESET),	     E(ENOBUFS),	 E(EISCONN),	E(ENOTCONN),
	E(ETIMEDOUT),	 E(ECONNREFUSED),    E(EHOSTUNREACH),	 E(EALREADY),	E(EINPROGRESS),
	E(ESTALE),	 E(EDQUOT),	     E(ECANCELED),	 E(ENOKEY),	E(EKEYEXPIRED),
	E(EKEYREVOKED),	 E(EKEYREJECTED),    E(EPROTO),		 E(EBADMSG),	E(EUCLEAN),
#undef E
};

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGSYS, "SIGSYS" },	{ SIGSEGV, "SIGSEGV" }, { SIGKILL, "SIGKILL" },
	{ SIGILL, "SIGILL" },	{ SIGBUS, "SIGBUS" },	{ SIGTRAP, "SIGTRAP" },
	{ SIGTERM, "SIGTERM" }, { SIGABRT, "SIGABRT" }, { SIGXCPU, "SIGXCPU" },
};

const char *probe_errno_name(int code)
{
	static char other[16];

	if (!code)
		return "OK";
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].code == code)
			return errors[i].name;
	(void)snprintf(other, sizeof(other), "E%d", code);
	return other;
}

static const char *signal_name(int number)
{
	static char other[16];

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signals[i].number == number)
			return signals[i].name;
	(void)snprintf(other, sizeof(other), "SIG%d", number);
	return other;
}

static bool hex_number(const char *s, uint64_t max, uint64_t *ret)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t value = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		const char *d = strchr(digits, *s);

		if (!d || value > UINT64_MAX >> 4)
			return false;
		value = value << 4 | (uint64_t)(d - digits);
	}
	if (value > max)
		return false;
	*ret = value;
	return true;
}

bool probe_number(const char *s, uint64_t max, uint64_t *ret)
{
	if (str_starts(s, "0x"))
		return hex_number(s + 2, max, ret);
	return str_to_u64(s, max, ret);
}

long probe_in_child(const struct call *c, int (*attempt)(uint64_t arg), uint64_t arg)
{
	int status;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid < 0)
		return PROBE_UNREADY;
	if (!pid)
		_exit(attempt(arg));
	if (waitpid(pid, &status, 0) != pid)
		return PROBE_UNREADY;
	if (WIFSIGNALED(status)) {
		printf("%s -1 %s\n", c->name, signal_name(WTERMSIG(status)));
		return PROBE_DENIED;
	}
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static int run(const struct probe *p, char **argv)
{
	struct call c = { p->name, argv, p->data };
	long rc = p->run(&c);
	int code = errno;

	switch (rc) {
	case PROBE_SAID:
		return 0;
	case PROBE_DENIED:
		return 1;
	case PROBE_USAGE:
		fprintf(stderr, "usage: probe %s %s\n", p->name, p->usage);
		return 2;
	case PROBE_UNREADY:
		printf("%s -2 %s\n", p->name, probe_errno_name(code));
		return 3;
	default:
		printf("%s %d %s\n", p->name, rc < 0 ? -1 : 0, probe_errno_name(rc < 0 ? code : 0));
		return rc < 0;
	}
}

static int list(void)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct probe *p = tables[t]; p->name; p++)
			printf("%s%s%s\n", p->name, *p->usage ? " " : "", p->usage);
	return 0;
}

static const struct probe *find(const char *name)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct probe *p = tables[t]; p->name; p++)
			if (str_eq(p->name, name))
				return p;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct probe *p = argc > 1 ? find(argv[1]) : NULL;
	size_t n = argc > 2 ? (size_t)argc - 2 : 0;

	if (argc == 2 && str_eq(argv[1], "list"))
		return list();
	if (!p) {
		fprintf(stderr, "usage: probe NAME [ARGUMENTS], probe list\n");
		return 2;
	}
	if (n < p->least || n > p->most) {
		fprintf(stderr, "usage: probe %s %s\n", p->name, p->usage);
		return 2;
	}
	return run(p, argv + 2);
}
