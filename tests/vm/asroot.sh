#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine, as root: carries out what a test that runs as a user writes to a pipe. See asroot in guest-lib.sh.
mkdir -p /run/asroot
mkfifo /run/asroot/in /run/asroot/out
chown -R 1000:1000 /run/asroot
while read -r line </run/asroot/in; do
	{
		sh -c "$line"
		echo "asroot=$?"
	} </dev/null >/run/asroot/out 2>&1
done
