# SPDX-License-Identifier: GPL-2.0-or-later
bin_PROGRAMS += jail
check_PROGRAMS += jail-intree
noinst_LIBRARIES += sandbox/libsandbox.a oci/libnames.a

sandbox_libsandbox_a_SOURCES = \
	sandbox/afterwards.c sandbox/afterwards.h \
	sandbox/caller.c sandbox/caller.h \
	sandbox/caps.c sandbox/caps.h \
	sandbox/cgroup.c sandbox/cgroup.h \
	sandbox/check.c sandbox/check.h \
	sandbox/doctor.c \
	sandbox/environ.c sandbox/environ.h \
	sandbox/events.c sandbox/events.h \
	sandbox/explain.c sandbox/explain.h \
	sandbox/explain_json.c \
	sandbox/explain_network.c \
	sandbox/feed.c sandbox/feed.h \
	sandbox/files.c sandbox/files.h \
	sandbox/filter.c sandbox/filter.h \
	sandbox/futex.h \
	sandbox/gateway.c sandbox/gateway.h \
	sandbox/groups.c sandbox/groups.h \
	sandbox/idmap.c sandbox/idmap.h \
	sandbox/image.c sandbox/image.h \
	sandbox/imageetc.c \
	sandbox/imagefetch.c \
	sandbox/imagerecord.c sandbox/imagerecord.h \
	sandbox/imagetree.c sandbox/imagetree.h \
	sandbox/image_verb.c \
	sandbox/init.c \
	sandbox/launch.c sandbox/launch.h \
	sandbox/machine.c sandbox/machine.h \
	sandbox/mountapi.c sandbox/mountapi.h \
	sandbox/mountinfo.c sandbox/mountinfo.h \
	sandbox/mountlist.c sandbox/mountlist.h \
	sandbox/mountold.c sandbox/mountold.h \
	sandbox/network.c sandbox/network.h \
	sandbox/mountoverlay.c \
	sandbox/nosuid.c \
	sandbox/plan.c sandbox/plan.h \
	sandbox/profile.c \
	sandbox/pump.c sandbox/pump.h \
	sandbox/refusals.c \
	sandbox/resolve.c sandbox/resolve.h \
	sandbox/root.c sandbox/root.h \
	sandbox/root_etc.c \
	sandbox/run.c sandbox/verbs.h \
	sandbox/scope.c sandbox/scope.h \
	sandbox/selftest.c \
	sandbox/session.c sandbox/session.h \
	sandbox/setup.h \
	sandbox/shown.c sandbox/shown.h \
	sandbox/sockdiag.c sandbox/sockdiag.h \
	sandbox/sockets.c sandbox/sockets.h \
	sandbox/sockwalk.c sandbox/sockwalk.h \
	sandbox/stage_beside.c \
	sandbox/stage_command.c \
	sandbox/stage_confine.c \
	sandbox/stage_mounts.c \
	sandbox/stage_net.c \
	sandbox/stage_overlay.c \
	sandbox/stage_pivot.c \
	sandbox/stages.c \
	sandbox/status.c sandbox/status.h \
	sandbox/stub.c \
	sandbox/supervise.c sandbox/supervise.h \
	sandbox/term.c sandbox/term.h \
	sandbox/ttyfilter.c sandbox/ttyfilter.h \
	sandbox/ttymodes.c \
	sandbox/ttypolicy.c sandbox/ttypolicy.h \
	sandbox/weak.h \
	sandbox/wire.c sandbox/wire.h
sandbox_libsandbox_a_CPPFLAGS = $(AM_CPPFLAGS) $(CAP_CFLAGS)

# What images are called: all that jail itself knows of oci/.
oci_libnames_a_SOURCES = oci/digest.c oci/digest.h oci/ref.c oci/ref.h

# In link order: what stands later knows nothing of what stands before it.
lower_libraries = \
	oci/libnames.a \
	landlock/liblandlock.a \
	profiles/libprofiles.a \
	net/libnet.a \
	base/libbase.a
jail_libraries = sandbox/libsandbox.a $(lower_libraries)

jail_SOURCES = sandbox/main.c
jail_LDFLAGS = $(AM_LDFLAGS) $(JAIL_STATIC)
jail_LDADD = $(jail_libraries) base/libpaths.a $(CAP_LIBS) $(INIH_LIBS)

# The hardening suite's: every defence can be switched off (weak.h). Never installed.
check_LIBRARIES += sandbox/libsandbox-weak.a
check_PROGRAMS += jail-weak
sandbox_libsandbox_weak_a_SOURCES = $(sandbox_libsandbox_a_SOURCES) sandbox/weak.c
sandbox_libsandbox_weak_a_CPPFLAGS = $(AM_CPPFLAGS) $(CAP_CFLAGS) -DJAIL_WEAK
jail_weak_SOURCES = sandbox/main.c
jail_weak_LDFLAGS = $(AM_LDFLAGS) $(JAIL_STATIC)
jail_weak_LDADD = sandbox/libsandbox-weak.a $(lower_libraries) base/libpaths-intree.a $(CAP_LIBS) $(INIH_LIBS)

# The binary that the tests run: the same objects, with the paths of the build tree.
jail_intree_SOURCES = sandbox/main.c
jail_intree_LDFLAGS = $(AM_LDFLAGS) $(JAIL_STATIC)
jail_intree_LDADD = $(jail_libraries) base/libpaths-intree.a $(CAP_LIBS) $(INIH_LIBS)
