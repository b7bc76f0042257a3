#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# network.sh, where the kernel has no nftables and a profile accepts that; `make check-no-nft` runs it alone.
JAIL_NO_NFT=1
export JAIL_NO_NFT
. "${top_srcdir:?run by make check}/tests/integration/network.sh"
