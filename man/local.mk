# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += \
	man/jail.1 \
	man/jail-gate.8 \
	man/jail-image.1 \
	man/jail-profile.5 \
	man/jail-security.7

EXTRA_DIST += README.md NEWS.md SECURITY.md
