# SPDX-License-Identifier: GPL-2.0-or-later
# Result files of row.sh to a table, TAP, JSON, or lines for compare. The exit status is 1 when something escaped or does not work,
# 2 when a row failed on its own account.

function json(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	gsub(/[\001-\037\177]/, "?", s)
	return "\"" s "\""
}

# What a program printed is data: nothing of it may reach a terminal as it is.
function clean(s) {
	gsub(/[\001-\037\177]/, "?", s)
	return s
}

FNR == 1 { n++; ntries[n] = nlayers[n] = nunproved[n] = nbroken[n] = 0 }
$1 == "try" { tries[n, ++ntries[n]] = $2 "\t" $3 "\t" $4; next }
$1 == "layer" { layer[n, ++nlayers[n]] = $2; next }
$1 == "unproved" { unproved[n, ++nunproved[n]] = $2; next }
$1 == "broken" { broken[n, ++nbroken[n]] = $2; next }
!((n, $1) in value) { value[n, $1] = $2 }

# The suite's own failure, or an answer that it does not know: nothing that may pass for a skipped row.
function failed(i,   v) {
	v = value[i, "verdict"]
	return v !~ /^(CONTAINED|ESCAPED|INCONCLUSIVE|N\/A)$/ ||
		(v == "INCONCLUSIVE" && value[i, "why"] ~ /^(unexpected: |the row(.s)? |its control: )/)
}

function row_json(i,   k, t, out, sep) {
	out = "{\"id\":" json(value[i, "id"]) ",\"class\":" json(value[i, "class"]) ",\"title\":" json(value[i, "title"])
	out = out ",\"verdict\":" json(value[i, "verdict"]) ",\"why\":" json(value[i, "why"])
	out = out ",\"stops\":" json(value[i, "stops"]) ",\"reference\":" json(value[i, "reference"]) ",\"control\":" json(value[i, "control"])
	out = out ",\"layers\":["
	for (k = 1; k <= nlayers[i]; k++)
		out = out (k > 1 ? "," : "") json(layer[i, k])
	out = out "],\"inconclusive\":["
	for (k = 1; k <= nunproved[i]; k++)
		out = out (k > 1 ? "," : "") json(unproved[i, k])
	out = out "],\"broken\":["
	for (k = 1; k <= nbroken[i]; k++)
		out = out (k > 1 ? "," : "") json(broken[i, k])
	out = out "],\"tries\":["
	for (k = 1; k <= ntries[i]; k++) {
		split(tries[i, k], t, "\t")
		out = out (k > 1 ? "," : "") "{\"name\":" json(t[1]) ",\"got\":" json(t[2]) ",\"want\":" json(t[3]) "}"
	}
	return out "]}"
}

function layers_of(i,   k, s) {
	for (k = 1; k <= nlayers[i]; k++)
		s = s (k > 1 ? ", " : "") layer[i, k]
	return s
}

# A hash would begin a directive, and "not ok # TODO" is a failure that was expected.
function tap_text(s) {
	gsub(/[#\\]/, "?", s)
	return clean(s)
}

function tap(ok, name, skip) {
	cases++
	printf "%s %d - %s%s\n", ok ? "ok" : "not ok", cases, tap_text(name), skip ? " # SKIP inconclusive: " tap_text(skip) : ""
}

function row_tap(i,   k, v, name) {
	v = value[i, "verdict"]
	name = value[i, "id"] " " value[i, "title"]
	if (failed(i))
		tap(0, name ": " value[i, "why"])
	else if (v == "INCONCLUSIVE" || v == "N/A")
		tap(1, name, value[i, "why"])
	else
		tap(v == "CONTAINED", name ": " v (ntries[i] ? ", " ntries[i] " tries" : "") (nlayers[i] ? ", also without " layers_of(i) : "") \
			(v == "ESCAPED" ? ": " value[i, "why"] : ""))
	for (k = 1; v == "CONTAINED" && k <= nunproved[i]; k++)
		tap(1, value[i, "id"] " in part", unproved[i, k])
	for (k = 1; k <= nbroken[i]; k++)
		tap(0, value[i, "id"] " does not work inside: " broken[i, k])
}

function row_table(i,   k) {
	printf "%-7s %-13s %s\n", value[i, "id"], value[i, "verdict"], clean(value[i, "title"])
	if (value[i, "why"] != "")
		printf "%22s%s\n", "", clean(value[i, "why"])
	if (value[i, "verdict"] == "CONTAINED" && nunproved[i])
		printf "%22s%d of %d tries prove nothing here: %s\n", "", nunproved[i], ntries[i], (clean(unproved[i, 1]) (nunproved[i] > 1 ? "; ..." : ""))
	for (k = 1; k <= nbroken[i]; k++)
		printf "%22sdoes not work inside: %s\n", "", clean(broken[i, k])
}

END {
	for (i = 1; i <= n; i++) {
		count[value[i, "verdict"]]++
		bad += nbroken[i] > 0
		failures += failed(i)
	}
	if (format == "json") {
		printf "{\"sandbox\":%s,\"contained\":%d,\"escaped\":%d,\"inconclusive\":%d,\"rows\":[\n", json(sandbox),
			count["CONTAINED"], count["ESCAPED"], count["INCONCLUSIVE"]
		for (i = 1; i <= n; i++)
			print row_json(i) (i < n ? "," : "")
		print "]}"
	} else if (format == "tsv") {
		for (i = 1; i <= n; i++)
			printf "row\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", value[i, "id"], value[i, "class"], value[i, "verdict"],
				value[i, "seen"] == "yes", nbroken[i], clean(value[i, "title"]), clean(nbroken[i] ? value[i, "why"] " does not work inside: " broken[i, 1] : value[i, "why"])
	} else if (format == "tap") {
		for (i = 1; i <= n; i++)
			row_tap(i)
		print "1.." cases
	} else {
		for (i = 1; i <= n; i++) {
			if (value[i, "class"] != last)
				printf "%s%s\n", (i > 1 ? "\n" : ""), value[i, "class"]
			last = value[i, "class"]
			row_table(i)
		}
		printf "\n%d contained, %d escaped, %d inconclusive%s\n", count["CONTAINED"], count["ESCAPED"], count["INCONCLUSIVE"],
			(bad ? ", " bad " where something does not work inside" : "")
	}
	if (n != ARGC - 1)
		print "selftest: " ARGC - 1 - n " rows left no result" >"/dev/stderr"
	exit (count["ESCAPED"] > 0 || bad > 0 ? 1 : failures > 0 || n != ARGC - 1 ? 2 : 0)
}
