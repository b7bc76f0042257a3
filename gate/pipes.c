// SPDX-License-Identifier: GPL-2.0-or-later
/* The pool of pipes: made when they are needed, kept when they are empty. */
#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"
#include "gate/slot.h"

static struct pipe *unused_pipe(struct pipes *p)
{
	struct pipe *q = p->unmade;

	if (q)
		p->unmade = q->next;
	else if (p->touched < ARRAY_SIZE(p->all))
		q = &p->all[p->touched++];
	return q;
}

struct pipe *pipe_borrow(struct pipes *p)
{
	struct pipe *q = p->kept;
	int fd[2];

	if (q) {
		p->kept = q->next;
		p->n_kept--;
		return q;
	}
	q = unused_pipe(p);
	if (!q)
		return NULL;
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0) {
		q->next = p->unmade;
		p->unmade = q;
		return NULL;
	}
	q->r = fd[0];
	q->w = fd[1];
	return q;
}

void way_release(struct pipes *p, struct way *w)
{
	struct pipe *q = w->pipe;

	if (!q)
		return;
	if (!w->held && p->n_kept < PIPES_KEPT) {
		q->next = p->kept;
		p->kept = q;
		p->n_kept++;
	} else {
		fd_release(&q->r);
		fd_release(&q->w);
		q->next = p->unmade;
		p->unmade = q;
	}
	w->pipe = NULL;
	w->held = 0;
}
