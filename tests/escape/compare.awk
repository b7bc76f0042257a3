# SPDX-License-Identifier: GPL-2.0-or-later
# Results of one sandbox a file (run --tsv) to one table: a line for each row, a column for each sandbox.

FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	all[++nall] = name
}
$1 == "missing" { missing[name] = $2 }
$1 == "sandbox" { shown[++nshown] = name; version[name] = $2; options[name] = $3 }
# id, class, verdict, seen by the host, twins that do not work, title, why
$1 == "row" {
	if (!($2 in title)) {
		row[++nrows] = $2
		title[$2] = $7
	}
	got[$2, name] = word($4, $5, $6)
	why[$2, name] = $8
	total[name, got[$2, name]]++
}

function word(verdict, seen, broken) {
	if (verdict == "CONTAINED")
		return broken > 0 ? "contained*" : "contained"
	if (verdict == "ESCAPED")
		return seen > 0 ? "ESCAPED" : "open"
	return verdict == "N/A" ? "n/a" : "-"
}

function head(i) {
	for (i = 1; i <= nall; i++)
		if (all[i] in missing)
			printf "%s%s: %s\n", bullet, all[i], missing[all[i]]
		else
			printf "%s%s: %s; %s%s%s\n", bullet, all[i], version[all[i]], tick, options[all[i]], tick
	print ""
}

# One line of the table.
function line(first, cells, last, i, out) {
	if (style == "markdown") {
		out = "| " first " |"
		for (i = 1; i <= nshown; i++)
			out = out " " cells[i] " |"
		print out " " last " |"
		return
	}
	out = sprintf("%-14s", first)
	for (i = 1; i <= nshown; i++)
		out = out sprintf("%-12s", cells[i])
	print out last
}

function table(i, k, cells) {
	for (k = 1; k <= nshown; k++)
		cells[k] = shown[k]
	line("row", cells, "what")
	if (style == "markdown") {
		for (k = 1; k <= nshown; k++)
			cells[k] = "---"
		line("---", cells, "---")
	}
	for (i = 1; i <= nrows; i++) {
		for (k = 1; k <= nshown; k++)
			cells[k] = got[row[i], shown[k]]
		line(row[i], cells, title[row[i]])
	}
}

function totals(i, k, cells, label) {
	split("contained contained* open ESCAPED - n/a", label, " ")
	for (i = 1; i <= 6; i++) {
		for (k = 1; k <= nshown; k++)
			cells[k] = total[shown[k], label[i]] + 0
		line(label[i], cells, "")
	}
}

function reasons(i, k) {
	for (i = 1; i <= nrows; i++)
		for (k = 1; k <= nshown; k++)
			if (got[row[i], shown[k]] != "n/a" && why[row[i], shown[k]] != "")
				printf "%s%s, %s, %s: %s\n", bullet, row[i], shown[k], got[row[i], shown[k]], why[row[i], shown[k]]
}

END {
	bullet = style == "markdown" ? "- " : ""
	tick = style == "markdown" ? "`" : ""
	head()
	table()
	totals()
	print ""
	print bullet "ESCAPED: the host saw it: a canary that changed, a connection, a signal, a process, a descriptor."
	print bullet "open: a try of the row got through that jail refuses: a defence that the sandbox does not have or does not want, and no way out by itself."
	print bullet "contained*: and something that must go on working does not."
	print bullet "-: nothing was learnt here. n/a: a question about jail's own launcher or options."
	print ""
	if (style != "markdown")
		reasons()
}
