# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of a manual page or of README.md, and what is expected of each.
#
# usage: awk -v out=DIR -f extract.awk FILE
# Writes DIR/NNN.want (the words behind "test:") and DIR/NNN.body; an example without a "test:" before it has none in its .want.
#
# mdoc:      .\" test: WANT      before .Dl or .Bd -literal
# markdown:  <!-- test: WANT --> before a fenced block

function begin(line) {
	n++
	name = sprintf("%s/%03d", out, n)
	print want >(name ".want")
	print FILENAME ":" line >(name ".where")
	printf "" >(name ".body")
	close(name ".want")
	close(name ".where")
	want = ""
	inside = 1
}

function add(text) { print text >(name ".body") }

function end() {
	close(name ".body")
	inside = 0
}

# What a reader sees of a line of mdoc.
function seen(s) {
	gsub(/\\&/, "", s)
	gsub(/\\-/, "-", s)
	gsub(/\\e/, "\\", s)
	return s
}

FILENAME ~ /\.md$/ {
	if (/^<!-- test: .* -->$/) {
		want = substr($0, 12, length($0) - 15)
	} else if (/^```/) {
		if (inside)
			end()
		else
			begin(FNR)
	} else if (inside) {
		add($0)
	}
	next
}

/^\.\\" test: / { want = substr($0, 11); next }
/^\.Dl / { begin(FNR); add(seen(substr($0, 5))); end(); next }
/^\.Bd .*-literal/ { begin(FNR); next }
/^\.Ed/ { if (inside) end(); next }
inside { add(seen($0)) }
