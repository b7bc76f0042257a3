/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending a jail without waiting for its mounts to go. Runs in P0. */
#ifndef JAIL_SANDBOX_AFTERWARDS_H
#define JAIL_SANDBOX_AFTERWARDS_H

/*
 * Hold the mount namespace of a set-up child that was just made, or FD_NONE where the kernel does
 * not give it (before Linux 6.11).
 */
int afterwards_hold(int pidfd);

/* The jail has ended: let the kernel unmount what it held, in its own time. */
void afterwards_let_go(int *ns);

#endif
