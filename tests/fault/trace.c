// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracer; tests only.
 *
 * Every process that jail makes is followed from its first instruction. Each stops at the entry and the exit of its calls until the
 * fault has happened, and from then on only when it makes a process, execs or gets a signal: what comes after the fault is jail's
 * business, and the less it is disturbed the better.
 */
#include "tests/fault/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/ptrace.h> /* after sys/ptrace.h, or the two disagree */

#include "base/own.h"
#include "base/text.h"
#include "tests/fault/arch.h"

#define TRACEES_MAX 64
#define NR_MAX	    512

/* How long a run may take, and how long what P0 leaves behind may need to notice. */
#define LIMIT_MS 10000
#define GRACE_MS 2000

struct tracee {
	pid_t pid;
	enum role role;
	enum phase phase;
	bool known;   /* its parent's event has come: who it is is clear */
	bool waiting; /* stopped until then */
	int failing; /* between the entry and the exit of a call that is to fail: the errno value */
	struct arch_regs regs;
	struct seen now; /* between entry and exit: the call */
	uint16_t made[NR_MAX];
};

struct trace {
	const struct trace_job *job;
	struct trace_result *out;
	struct tracee tracees[TRACEES_MAX];
	size_t n;
	pid_t root;
	bool root_gone,
		done; /* done: the fault has happened, or there is none and nobody takes notes */
	int64_t deadline;
};

static volatile sig_atomic_t ticked;

static void on_tick(int sig)
{
	(void)sig;
	ticked = 1;
}

const char *role_name(enum role role)
{
	static const char *const names[] = { "P0", "map", "P1", "net", "stub", "P2", "other" };

	return names[role];
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the child that becomes jail */

static void become(const struct trace_job *job, int gate) __attribute__((noreturn));
static void become(const struct trace_job *job, int gate)
{
	sigset_t none;
	char byte;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGALRM, SIG_DFL);
	(void)umask(022);
	if (setsid() < 0 || (job->terminal && ioctl(job->io[0], TIOCSCTTY, 0) < 0))
		_exit(99);
	for (int i = 0; i < 3; i++) {
		if (dup2(job->io[i], i) < 0)
			_exit(99);
	}
	if (job->uid != (uid_t)-1 &&
	    (setgroups(0, NULL) < 0 || setresgid(job->uid, job->uid, job->uid) < 0 ||
	     setresuid(job->uid, job->uid, job->uid) < 0))
		_exit(99);
	if (chdir(job->cwd) < 0 || read(gate, &byte, 1) != 1)
		_exit(99);
	/* The caller's own descriptors are CLOEXEC. */
	(void)execve(job->argv[0], job->argv, job->envp);
	_exit(99);
}

static int start(struct trace *t)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	own_fd gate_out = FD_NONE, gate_in = FD_NONE;
	int gate[2];

	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	gate_out = gate[0];
	gate_in = gate[1];
	t->root = fork();
	if (t->root < 0)
		return -errno;
	if (!t->root)
		become(t->job, gate_out);
	if (ptrace(PTRACE_SEIZE, t->root, NULL, options) < 0 || write(gate_in, "", 1) != 1) {
		int code = errno;

		(void)kill(t->root, SIGKILL);
		(void)waitpid(t->root, NULL, 0);
		return -code;
	}
	return 0;
}

/* ---- who is who */

static struct tracee *find(struct trace *t, pid_t pid)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->tracees[i].pid == pid)
			return &t->tracees[i];
	}
	if (t->n == TRACEES_MAX)
		return NULL;
	t->tracees[t->n] = (struct tracee){ .pid = pid, .role = ROLE_OTHER, .phase = PHASE_SETUP };
	return &t->tracees[t->n++];
}

static void forget(struct trace *t, struct tracee *p)
{
	*p = t->tracees[--t->n];
}

static enum role child_of(const struct tracee *parent)
{
	uint64_t flags;

	if (parent->role == ROLE_P1)
		return parent->now.args[0] & CLONE_THREAD ? ROLE_NET : ROLE_P2;
	if (parent->role == ROLE_P0 && str_eq(call_name(parent->now.nr), "clone") &&
	    (parent->now.args[0] & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
		return ROLE_STUB;
	if (parent->role != ROLE_P0 || !str_eq(call_name(parent->now.nr), "clone3"))
		return ROLE_OTHER;
	flags = (uint64_t)ptrace(PTRACE_PEEKDATA, parent->pid,
				 (void *)(uintptr_t)parent->now.args[0], NULL);
	if (flags & CLONE_NEWPID)
		return ROLE_P1;
	return flags & CLONE_NEWUSER ? ROLE_MAP : ROLE_OTHER;
}

static void resume(const struct trace *t, const struct tracee *p, int sig)
{
	bool calls = !t->done && p->role != ROLE_OTHER;

	(void)ptrace(calls ? PTRACE_SYSCALL : PTRACE_CONT, p->pid, NULL, sig);
}

static void on_child(struct trace *t, const struct tracee *parent)
{
	const enum role role = child_of(parent);
	struct tracee *child;
	unsigned long pid = 0;

	(void)ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid);
	child = find(t, (pid_t)pid);
	if (!child)
		return;
	child->role = role;
	child->known = true;
	if (child->waiting) {
		child->waiting = false;
		resume(t, child, 0);
	}
}

static void note(struct trace *t, const struct seen *s)
{
	if (t->job->seen && t->out->seen_n < t->job->seen_max)
		t->job->seen[t->out->seen_n++] = *s;
}

static void on_exec(struct trace *t, struct tracee *p)
{
	if (p->pid == t->root)
		return;
	if (p->role == ROLE_P2)
		note(t, &p->now);
	p->role = ROLE_OTHER; /* the command, or a helper */
}

/* ---- system calls */

static bool is_target(const struct fault *f, const struct seen *s)
{
	return f->kind != FAULT_NONE && f->role == s->role && f->nr == s->nr && f->nth == s->nth;
}

/* main begins by opening /dev/null (session_fill_stdio), and the supervisor's loop by waiting. */
static enum phase phase_of(const struct tracee *p, const struct seen *s)
{
	const char *name = call_name(s->nr);

	if (p->phase == PHASE_LIBC && str_eq(name, "openat") && (s->args[2] & O_ACCMODE) == O_RDWR)
		return PHASE_SETUP;
	if ((p->role == ROLE_P0 || p->role == ROLE_STUB) && p->phase == PHASE_SETUP &&
	    (str_eq(name, "poll") || str_eq(name, "ppoll")))
		return PHASE_RUN;
	return p->phase;
}

/* Keep the kernel from making the call, but for two that fail in a way of their own. */
static bool divert(struct tracee *p, const char *name)
{
	if (str_eq(name, "close")) /* frees the number, and then reports the error */
		return true;
	if (str_eq(name, "brk")) /* no error: the end of the data stays where it is */
		return arch_ask_brk(p->pid, &p->regs);
	return arch_divert(p->pid, &p->regs);
}

static void on_entry(struct trace *t, struct tracee *p, const struct ptrace_syscall_info *info)
{
	const struct fault *f = &t->job->fault;
	struct seen *s = &p->now;

	*s = (struct seen){ .role = p->role, .nr = (int)info->entry.nr };
	for (int i = 0; i < 6; i++)
		s->args[i] = info->entry.args[i];
	s->nth = s->nr >= 0 && s->nr < NR_MAX ? ++p->made[s->nr] : 0;
	p->phase = phase_of(p, s);
	s->phase = p->phase;
	if (t->job->seen || call_writes(s) || is_target(f, s))
		call_describe(s, p->pid); /* call_writes looks at that too */
	if (p->role == ROLE_P0 && call_writes(s) && !t->out->wrote.text[0])
		t->out->wrote = *s;
	if (is_target(&t->job->always, s) && arch_read(p->pid, &p->regs) &&
	    divert(p, call_name(s->nr)))
		p->failing = t->job->always.code;
	if (!is_target(f, s))
		return;
	t->out->hit = *s;
	if (f->kind == FAULT_KILL) {
		t->done = true;
		(void)kill(p->pid, SIGKILL);
		return;
	}
	if (arch_read(p->pid, &p->regs) && divert(p, call_name(s->nr)))
		p->failing = f->code;
}

static void on_return(struct trace *t, struct tracee *p, const struct ptrace_syscall_info *info)
{
	struct seen *s = &p->now;

	if (!s->nth) /* the exec that made it jail */
		return;
	s->result = info->exit.rval;
	if (p->failing) {
		s->result = -p->failing;
		(void)arch_fail(p->pid, &p->regs, str_eq(call_name(s->nr), "brk") ? 0 : p->failing);
		p->failing = 0;
		t->done = is_target(&t->job->fault, s);
	}
	note(t, s);
	if (p->role == ROLE_P1 && str_eq(call_name(s->nr), "seccomp"))
		p->phase = PHASE_RUN;
	s->nth = 0;
}

static void on_call(struct trace *t, struct tracee *p)
{
	struct ptrace_syscall_info info = { 0 };

	if (p->role == ROLE_OTHER ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, p->pid, (void *)sizeof(info), &info) < 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		on_entry(t, p, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		on_return(t, p, &info);
}

/* ---- the loop */

static void on_stop(struct trace *t, struct tracee *p, int status)
{
	const int sig = WSTOPSIG(status), event = status >> 16;

	if (!p->known && event == PTRACE_EVENT_STOP) {
		p->waiting = true;
		return;
	}
	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_child(t, p);
		resume(t, p, 0);
		return;
	case PTRACE_EVENT_EXEC:
		on_exec(t, p);
		resume(t, p, 0);
		return;
	case PTRACE_EVENT_STOP:
		if (sig == SIGTRAP)
			resume(t, p, 0);
		else
			(void)ptrace(PTRACE_LISTEN, p->pid, NULL, 0);
		return;
	default:
		break;
	}
	if (sig == (SIGTRAP | 0x80)) {
		on_call(t, p);
		resume(t, p, 0);
		return;
	}
	resume(t, p, sig);
}

static void on_status(struct trace *t, pid_t pid, int status)
{
	struct tracee *p = find(t, pid);

	if (!p)
		return;
	if (WIFSTOPPED(status)) {
		on_stop(t, p, status);
		return;
	}
	if (pid == t->root) {
		t->root_gone = true;
		t->out->status = status;
		t->deadline = now_ms() + GRACE_MS;
	}
	forget(t, p);
}

/* Time is over: for P0 itself, or for what it left. */
static void on_deadline(struct trace *t)
{
	if (t->root_gone)
		t->out->left = (unsigned)t->n;
	else
		t->out->hung = true;
	for (size_t i = 0; i < t->n; i++)
		(void)kill(t->tracees[i].pid, SIGKILL);
	t->deadline = INT64_MAX;
}

int trace_run(const struct trace_job *job, struct trace_result *ret)
{
	const struct itimerval tick = { { 0, 50000 }, { 0, 50000 } }, off = { 0 };
	struct sigaction act = { .sa_handler = on_tick };
	static struct trace t;
	struct tracee *root;
	int rc;

	t = (struct trace){ .job = job, .out = ret, .deadline = now_ms() + LIMIT_MS };
	*ret = (struct trace_result){ 0 };
	(void)sigaction(SIGALRM, &act, NULL);
	rc = start(&t);
	if (rc < 0)
		return rc;
	root = find(&t, t.root);
	root->role = ROLE_P0;
	root->phase = PHASE_LIBC;
	root->known = true;
	t.done = job->fault.kind == FAULT_NONE && job->always.kind == FAULT_NONE && !job->seen;
	(void)setitimer(ITIMER_REAL, &tick, NULL);
	while (t.n) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid > 0)
			on_status(&t, pid, status);
		else if (errno == ECHILD)
			break;
		if (ticked && now_ms() >= t.deadline)
			on_deadline(&t);
		ticked = 0;
	}
	(void)setitimer(ITIMER_REAL, &off, NULL);
	return 0;
}
