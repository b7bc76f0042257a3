// SPDX-License-Identifier: GPL-2.0-or-later
/* The status descriptor; P0. */
#include "sandbox/status.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/own.h"

static void line_begin(struct json *j, struct text *t, char *buf, size_t size, const char *event)
{
	text_init(t, buf, size);
	json_init(j, t);
	json_open(j, NULL, '{');
	json_str(j, "event", event);
}

static void line_end(struct json *j, int fd)
{
	json_close(j, '}');
	text_add(j->out, "\n");
	(void)fs_write_all(fd, j->out->buf, j->out->len);
}

void status_started(int fd, pid_t pid)
{
	char buf[256];
	struct json j;
	struct text t;

	if (fd < 0)
		return;
	line_begin(&j, &t, buf, sizeof(buf), "started");
	json_int(&j, "pid", pid);
	line_end(&j, fd);
}

void status_ended(int fd, const struct outcome *o, const struct err *e)
{
	char buf[4096], message[1200];
	struct json j;
	struct text t;

	if (fd < 0)
		return;
	line_begin(&j, &t, buf, sizeof(buf), "ended");
	json_int(&j, "code", o->code);
	if (o->timed_out)
		json_str(&j, "reason", "time-limit");
	else if (!o->started || e->stage)
		json_str(&j, "reason", "error");
	else
		json_str(&j, "reason", WIFSIGNALED(o->wait) ? "signal" : "exit");
	if (o->started && WIFEXITED(o->wait))
		json_int(&j, "status", WEXITSTATUS(o->wait));
	if (o->started && WIFSIGNALED(o->wait))
		json_int(&j, "signal", WTERMSIG(o->wait));
	if (e->stage) {
		err_format(e, message, sizeof(message));
		json_str(&j, "stage", stage_name(e->stage));
		json_str(&j, "message", message);
	}
	line_end(&j, fd);
}
