# SPDX-License-Identifier: GPL-2.0-or-later
# Pages are listed here as they are written: dist_man_MANS += man/jail.1
