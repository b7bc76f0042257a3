// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The supervisor's loop; P0.
 *
 * Everything it waits for is a descriptor: the wire, its signals, pid 1's end, and the two ends of
 * each relay. It opens no path, starts nothing, and parses nothing from inside but fixed records.
 * It ends when pid 1 has ended and the last byte of output is written.
 */
#include "sandbox/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/feed.h"
#include "sandbox/image.h"
#include "sandbox/pump.h"
#include "sandbox/term.h"
#include "sandbox/wire.h"

/* Passed on to the command's process group as they come. */
static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP };

/* Ours alone: handled here, or kept from stopping us. */
static const int kept[] = { SIGWINCH, SIGCONT, SIGTTIN, SIGTTOU, SIGPIPE, SIGCHLD };

enum { PUMP_IN, PUMP_OUT, PUMP_ERR, PUMP_TTY_IN, PUMP_TTY_OUT, PUMPS };
enum {
	POLL_WIRE,
	POLL_SIGNALS,
	POLL_CHILD,
	POLL_GATE,
	POLL_FEED,
	POLL_PUMPS,
	POLLS = POLL_PUMPS + PUMPS
};

struct watch {
	const struct plan *plan;
	struct session *session;
	struct gateway *gateway;
	struct jail *jail;
	int signals, status_fd, master;
	bool raw;	  /* we hold the user's terminal */
	bool child_gone;  /* pid 1 has ended */
	bool exited;	  /* the command has, and told us how */
	bool interrupted; /* a signal while only output is left: stop waiting for its reader */
	bool stop_asked;  /* SIGTSTP came from outside, and was passed on */
	int64_t deadline; /* ms; 0: none */
	struct outcome *out;
	struct err *e;
	struct ttyfilter filter;
	struct feed feed;
	struct pump pumps[PUMPS];
};

int supervise_prepare(struct session *s, int *ret_signals, struct err *e)
{
	sigset_t set;
	int fd;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		(void)sigaddset(&set, forwarded[i]);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		(void)sigaddset(&set, kept[i]);
	if (sigprocmask(SIG_BLOCK, &set, &s->mask) < 0)
		return err_set(e, ST_SUPERVISE, errno, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return err_set(e, ST_SUPERVISE, errno, "open a descriptor for signals");
	*ret_signals = fd;
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell(struct watch *w, enum record_type type, int number)
{
	struct record r = { .type = type, .number = number };

	(void)wire_send(w->session->wire[0], &r, FD_NONE); /* its end is seen elsewhere */
}

static void take_terminal(struct watch *w)
{
	w->raw = w->raw || term_take(w->session);
	w->pumps[PUMP_TTY_IN].paused = !w->raw;
}

static void give_terminal(struct watch *w, bool flush)
{
	if (w->raw)
		term_give(w->session, flush);
	w->raw = false;
	w->pumps[PUMP_TTY_IN].paused = true;
}

/*
 * The command stopped: so do we, and the user's shell takes over until it continues us. Only when
 * the key went to the jail's terminal has the user's own not stopped our group already, or nobody
 * wanted it to. When neither a key nor a signal to us was the cause, the command did it by itself
 * and we go on: it must not be able to stop the clock that limits its time.
 */
static void on_stopped(struct watch *w)
{
	const bool by_key = w->raw;

	if (!by_key && !w->stop_asked)
		return;
	w->stop_asked = false;
	tell(w, REC_ALL, SIGSTOP); /* nothing inside runs on while nobody keeps the time */
	give_terminal(w, false);
	term_stop_self(by_key);
	take_terminal(w);
	term_resize(w->session, w->master);
	tell(w, REC_ALL, SIGCONT);
}

/* Without this the run cannot go on, and must not seem to. */
static void give_up(struct watch *w, enum stage stage, int code, const char *what)
{
	(void)err_set(w->e, stage, code, "%s", what);
	(void)k_pidfd_send_signal(w->jail->pidfd, SIGKILL);
}

static void on_signal(struct watch *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGWINCH)
			term_resize(w->session, w->master);
		if (sig == SIGCONT)
			tell(w, REC_SIGNAL, SIGCONT);
		w->stop_asked = sig == SIGTSTP || (w->stop_asked && sig != SIGCONT);
		for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++) {
			if (sig != forwarded[i])
				continue;
			tell(w, REC_SIGNAL, sig);
			w->interrupted |= w->child_gone;
		}
	}
}

/*
 * Only now is there somebody at the jail's terminal: a key that it had turned into a signal before
 * would have found nobody, or a process that cannot stop. Until now the user's own terminal turned
 * keys into signals to us, which wait on the wire until pid 1 can pass them on. After Ctrl-Z it
 * is left alone: the user's shell may have it already, because others of our group have stopped.
 */
static void on_started(struct watch *w)
{
	w->out->started = true;
	on_signal(w);
	if (!w->stop_asked)
		take_terminal(w);
	w->pumps[PUMP_TTY_OUT].paused = false;
	status_started(w->status_fd, w->jail->pid);
	gateway_mourn(w->gateway);
}

static void on_record(struct watch *w, const struct record *r, int fd)
{
	switch (r->type) {
	case REC_ERROR:
		/* The gate's process knows better than pid 1, who only saw it die. */
		*w->e = w->gateway->err.stage ? w->gateway->err : r->err;
		break;
	case REC_TERMINAL:
		fd_release(&w->master);
		w->master = fd;
		w->pumps[PUMP_TTY_IN].to = fd;
		w->pumps[PUMP_TTY_OUT].from = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (w->pumps[PUMP_TTY_OUT].from < 0)
			give_up(w, ST_TTY, errno, "read from the command's terminal");
		term_resize(w->session, w->master); /* it may have changed since it was read */
		break;
	case REC_STARTED:
		on_started(w);
		break;
	case REC_STOPPED:
		on_stopped(w);
		break;
	case REC_EXIT:
		w->out->wait = r->number;
		w->out->started = true;
		w->exited = true;
		gateway_end(w->gateway); /* so that nobody has to wait for it later */
		break;
	default:
		break;
	}
}

static void on_wire(struct watch *w)
{
	struct record r;
	int fd = FD_NONE;
	int rc = wire_receive(w->session->wire[0], &r, &fd, false);

	if (rc > 0)
		on_record(w, &r, fd);
	else if (rc != -EAGAIN)
		/* end of file, or nonsense: pid 1's end says the rest */
		fd_release(&w->session->wire[0]);
	if (rc == -EBADMSG)
		give_up(w, ST_WIRE, EBADMSG, "a record from inside the jail");
}

static void on_child(struct watch *w)
{
	siginfo_t info = { 0 };

	while (waitid(P_PIDFD, (id_t)w->jail->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	/* What it said last may still be on the wire. */
	while (w->session->wire[0] >= 0) {
		struct record r;
		int fd = FD_NONE;

		if (wire_receive(w->session->wire[0], &r, &fd, false) <= 0)
			break;
		on_record(w, &r, fd);
	}
	w->child_gone = true;
	fd_release(&w->jail->pidfd);
	fd_release(&w->session->wire[0]);
	/* Input has no reader any more. */
	feed_close(&w->feed);
	fd_release(&w->pumps[PUMP_IN].from);
	w->pumps[PUMP_TTY_IN].paused = true;
	/* Output ends, if it ever began. */
	w->pumps[PUMP_TTY_OUT].paused = false;
}

/* Before there is a command pid 1 may find out by itself, and the run fails of it. */
static void on_gate(struct watch *w)
{
	gateway_reap(w->gateway);
	if (w->out->started)
		gateway_mourn(w->gateway);
}

/*
 * SIGTERM, or what the image asks for, to everything; then after the grace SIGKILL to pid 1, which
 * takes the rest with it.
 */
static void on_deadline(struct watch *w)
{
	if (w->out->timed_out) {
		(void)k_pidfd_send_signal(w->jail->pidfd, SIGKILL);
		w->deadline = 0;
		return;
	}
	w->out->timed_out = true;
	tell(w, REC_ALL, w->plan->image ? w->plan->image->stop_signal : SIGTERM);
	tell(w, REC_ALL, SIGCONT);
	w->deadline = now_ms() + (int64_t)w->plan->limits.grace_ms;
}

static bool output_left(const struct watch *w)
{
	return pump_alive(&w->pumps[PUMP_OUT]) || pump_alive(&w->pumps[PUMP_ERR]) ||
	       pump_alive(&w->pumps[PUMP_TTY_OUT]);
}

/*
 * In the background: a shell that brings us to the front while we run sends no signal, so now and
 * then we look.
 */
static bool awaits_terminal(const struct watch *w)
{
	return w->session->tty_input && w->out->started && !w->raw && !w->child_gone;
}

static int timeout_ms(const struct watch *w)
{
	const int longest = awaits_terminal(w) ? 200 : 3600000;
	int64_t left;

	if (!w->deadline || w->child_gone)
		return awaits_terminal(w) ? longest : -1;
	left = w->deadline - now_ms();
	return left < 0 ? 0 : left > longest ? longest : (int)left;
}

static void turn(struct watch *w)
{
	struct pollfd fds[POLLS] = {
		[POLL_WIRE] = { .fd = w->session->wire[0], .events = POLLIN },
		[POLL_SIGNALS] = { .fd = w->signals, .events = POLLIN },
		[POLL_CHILD] = { .fd = w->jail->pidfd, .events = POLLIN },
		[POLL_GATE] = { .fd = w->gateway->pidfd, .events = POLLIN },
	};
	int ready;

	fds[POLL_FEED] = feed_wants(&w->feed);
	for (size_t i = 0; i < PUMPS; i++)
		fds[POLL_PUMPS + i] = pump_wants(&w->pumps[i]);
	ready = poll(fds, POLLS, timeout_ms(w));
	if (ready < 0)
		return; /* EINTR: signals are read from their descriptor */
	if (w->deadline && !w->child_gone && now_ms() >= w->deadline)
		on_deadline(w);
	if (awaits_terminal(w) && (!w->stop_asked || !ready)) /* it may never stop */
		take_terminal(w);
	feed_run(&w->feed, fds[POLL_FEED].revents);
	for (size_t i = 0; i < PUMPS; i++)
		pump_run(&w->pumps[i], fds[POLL_PUMPS + i].revents);
	if (fds[POLL_SIGNALS].revents)
		on_signal(w);
	if (fds[POLL_GATE].revents)
		on_gate(w);
	if (fds[POLL_WIRE].revents && w->session->wire[0] >= 0)
		on_wire(w);
	if (fds[POLL_CHILD].revents)
		on_child(w);
}

static void wire_pumps(struct watch *w)
{
	struct session *s = w->session;

	w->feed.from = w->feed.to = w->feed.watch = FD_NONE;
	for (size_t i = 0; i < PUMPS; i++)
		w->pumps[i].from = w->pumps[i].to = FD_NONE;
	if (s->io[0].kind == STDIO_RELAY) {
		if (!feed_open(&w->feed, &s->io[0].host, &s->io[0].parent, &s->io[0].child)) {
			w->pumps[PUMP_IN].from = fd_take(&s->io[0].host);
			w->pumps[PUMP_IN].to = fd_take(&s->io[0].parent);
			w->pumps[PUMP_IN].close_to = true;
		}
		fd_release(&s->io[0].child);
	}
	for (int i = 1; i < 3; i++) {
		if (s->io[i].kind != STDIO_RELAY)
			continue;
		w->pumps[i].from = fd_take(&s->io[i].parent);
		w->pumps[i].to = s->io[i].host;
	}
	if (s->tty) {
		/* may end before the session does */
		w->pumps[PUMP_TTY_IN].from = fcntl(s->tty_in, F_DUPFD_CLOEXEC, 3);
		if (s->tty_input && w->pumps[PUMP_TTY_IN].from < 0)
			give_up(w, ST_TTY, errno, "read from the terminal");
		w->pumps[PUMP_TTY_IN].paused = true;
		w->pumps[PUMP_TTY_OUT].paused = true; /* its bytes are for a raw terminal */
		w->pumps[PUMP_TTY_OUT].to = s->tty_out;
		w->pumps[PUMP_TTY_OUT].filter = w->plan->raw_escapes ? NULL : &w->filter;
	}
}

/*
 * The command's last word to the terminal is ours: undo the modes it left on, then give the
 * terminal back.
 */
static void finish_terminal(struct watch *w)
{
	char undo[TTYFILTER_FINISH_MAX];

	if (w->session->tty && !w->plan->raw_escapes && w->master >= 0) {
		size_t n = ttyfilter_finish(&w->filter, undo);

		(void)fs_write_all(w->session->tty_out, undo, n);
	}
	give_terminal(w, true);
}

/*
 * A full disk behind a relay: the command was told that its bytes are written, so we are the one to
 * say that they are not.
 */
static void judge_relays(struct watch *w)
{
	static const char *const names[] = {
		[PUMP_IN] = "read stdin", [PUMP_OUT] = "write stdout", [PUMP_ERR] = "write stderr"
	};

	if (w->feed.error)
		w->pumps[PUMP_IN].error = w->feed.error;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!w->pumps[i].error)
			continue;
		(void)err_set(w->e, ST_SUPERVISE, w->pumps[i].error, "%s", names[i]);
		if (!w->out->code)
			w->out->code = 125;
	}
}

static void judge(struct watch *w)
{
	struct outcome *o = w->out;

	if (o->started && !w->exited)
		/* pid 1 was killed, and everything with it: by us, or from outside */
		o->wait = SIGKILL;
	if (w->e->stage && !o->started) {
		o->code = 125;
		if (w->e->stage == ST_EXEC)
			o->code = w->e->code == ENOENT ? 127 : 126;
	} else if (!o->started) {
		(void)err_set(w->e, ST_SUPERVISE, 0,
			      "the set-up process died before it could say why");
		o->code = 125;
	} else if (o->timed_out) {
		o->code = 124;
	} else {
		o->code = WIFSIGNALED(o->wait) ? 128 + WTERMSIG(o->wait) : WEXITSTATUS(o->wait);
	}
}

void supervise(const struct plan *p, struct session *s, struct gateway *g, struct jail *j,
	       int signals, int status_fd, struct outcome *ret, struct err *e)
{
	/* zeroed, and large: the pages of relays that are not used are never touched */
	static struct watch watch;
	struct watch *w = &watch;

	w->plan = p;
	w->session = s;
	w->gateway = g;
	w->jail = j;
	w->signals = signals;
	w->status_fd = status_fd;
	w->master = FD_NONE;
	w->out = ret;
	w->e = e;
	*ret = (struct outcome){ 0 };
	ttyfilter_init(&w->filter);
	wire_pumps(w);
	if (p->limits.time_ms)
		w->deadline = now_ms() + (int64_t)p->limits.time_ms;
	while (!w->child_gone || (output_left(w) && !w->interrupted))
		turn(w);
	finish_terminal(w);
	fd_release(&w->master);
	judge(w);
	judge_relays(w);
}
