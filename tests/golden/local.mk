# SPDX-License-Identifier: GPL-2.0-or-later
# Options and profiles in, `jail explain` or an error out; tests/golden/golden.sh says how.
TESTS += tests/golden/golden.sh

EXTRA_DIST += \
	tests/golden/golden.sh \
	tests/golden/normal.awk tests/golden/lines.awk \
	tests/golden/chdir.in tests/golden/chdir.out \
	tests/golden/commands.in tests/golden/commands.out \
	tests/golden/default-json.in tests/golden/default-json.out \
	tests/golden/default.in tests/golden/default.out \
	tests/golden/env.in tests/golden/env.out \
	tests/golden/extends.in tests/golden/extends.out \
	tests/golden/images.in tests/golden/images.out \
	tests/golden/kernel.in tests/golden/kernel.out \
	tests/golden/limits.in tests/golden/limits.out \
	tests/golden/network-gate.in tests/golden/network-gate.out \
	tests/golden/network-host.in tests/golden/network-host.out \
	tests/golden/paths.in tests/golden/paths.out \
	tests/golden/profile-agent.in tests/golden/profile-agent.out \
	tests/golden/profile-build.in tests/golden/profile-build.out \
	tests/golden/profile-offline.in tests/golden/profile-offline.out \
	tests/golden/profile-strict.in tests/golden/profile-strict.out \
	tests/golden/profiles.in tests/golden/profiles.out \
	tests/golden/refused-commands.in tests/golden/refused-commands.out \
	tests/golden/refused-grammar.in tests/golden/refused-grammar.out \
	tests/golden/refused-network.in tests/golden/refused-network.out \
	tests/golden/refused-options.in tests/golden/refused-options.out \
	tests/golden/refused-paths.in tests/golden/refused-paths.out \
	tests/golden/refused-profiles.in tests/golden/refused-profiles.out \
	tests/golden/refused-values.in tests/golden/refused-values.out \
	tests/golden/two-profiles.in tests/golden/two-profiles.out
