# SPDX-License-Identifier: GPL-2.0-or-later
# jail's JSON with one member of a list a line, for grep and for reading a difference. In a case: jail explain --json | lines
{
	gsub(/,"(mounts|environment|profiles|notes|settings|limits)":/, ",\n&")
	gsub(/\n,/, "\n")
	gsub(/\[\{/, "[\n {")
	gsub(/\},\{/, "},\n {")
	gsub(/\}\]/, "}\n]")
	print
}
