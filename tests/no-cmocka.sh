#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stands in for the unit tests where they could not be built, so that they are missed.
echo "1..0 # SKIP cmocka was not found by configure: no unit tests"
