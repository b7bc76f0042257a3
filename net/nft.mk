# SPDX-License-Identifier: GPL-2.0-or-later
# jail-nft writes the nftables rules as bytes (ruleset.inc) when jail is built; nobody needs it later.

# A cross build cannot run its own: make JAIL_NFT_FOR_BUILD=/path/to/jail-nft, from a native build of the same version.
if CROSS
JAIL_NFT_FOR_BUILD = jail-nft
jail_nft_built =
else
noinst_PROGRAMS += net/jail-nft
JAIL_NFT_FOR_BUILD = net/jail-nft$(EXEEXT)
jail_nft_built = net/jail-nft$(EXEEXT)
endif

net_jail_nft_SOURCES = net/jail-nft.c net/gate.h net/ruleset.h
net_jail_nft_CFLAGS = $(AM_CFLAGS) $(MNL_CFLAGS) $(NFTNL_CFLAGS)
net_jail_nft_LDADD = $(NFTNL_LIBS) $(MNL_LIBS)

net/ruleset.inc: $(jail_nft_built)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(JAIL_NFT_FOR_BUILD) >$@.tmp && mv $@.tmp $@

$(net_libnet_a_OBJECTS): net/ruleset.inc

BUILT_SOURCES += net/ruleset.inc
CLEANFILES += net/ruleset.inc net/ruleset.inc.tmp
