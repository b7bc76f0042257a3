#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154  # what is set here is read by the rows, and the other way round
# Judges one row: row.sh ROW RESULT. README.md says what a row may use; this file is its language.
#
# A row is attempted several times, each in a fresh directory with a nonce of its own: in the sandbox under test, in its control, and for
# each of its layers in a jail without that one. Every attempt writes down what it got; the verdict is made from these at the end.
#
# What runs inside is the attacker. Its words are data and its exit status is nothing; what the host saw comes before both. What it could
# reach if it got out is not relied upon: the notes are kept in variables and the files are compared with them, the probe with its original.
set -u
LC_ALL=C.UTF-8
export LC_ALL
umask 022
exec </dev/null

row_file=$1 result=$2
tab=$(printf '\t') nl='
'
: "${ESCAPE_DIR:?}" "${ESCAPE_PROBE:?}" "${ESCAPE_SANDBOX:?}" "${ESCAPE_TMP:?}"

# ---- what a row says of itself

id='' class='' title='' reference='' stops='' controls='' layers='' needs='' only=''
row() { id=$1 class=$2 title=$3; }
ref() { reference=$*; }
stops() { stops=$*; }
control() { controls=$*; }
layers() { layers=$*; }
needs() { needs="$needs $*"; }
only() { only=$1; }

setup() { :; }
witness() { :; }

if [ "$(id -u)" != 0 ]; then
	who=user
elif awk '$1 == 0 && $2 == 0 { found = 1 } END { exit !found }' /proc/self/uid_map; then
	who=root
else
	who=userns
fi

# ---- what a row may use

# A command in the sandbox, in $work, which it may write; what it prints is passed on. Never longer than $limit seconds.
# What it is started through, if anything, is in $via: words before its own.
limit=20 jailopts='' weaken='' via=''
enter() { (cd "$work" && sandbox_enter "$@"); }

# As root: from now on the launcher is started by an ordinary user, a member of GROUP too.
as_user() { # as_user [GROUP]
	chgrp 61184 "$row_tmp"
	chmod 710 "$row_tmp" # nobody else may come near a set-uid program
	mkdir -p "$run_dir/home"
	chown -R 61184:61184 "$work" "$run_dir/home"
	via="setpriv --reuid 61184 --regid 61184 $([ $# = 0 ] && echo --clear-groups || echo "--groups $1")"
	via="$via env HOME=$run_dir/home XDG_CONFIG_HOME=/nonexistent XDG_CACHE_HOME=/nonexistent XDG_DATA_HOME=/nonexistent"
	# shellcheck disable=SC2086
	(cd "$work" && $via "${ESCAPE_JAIL:-true}" explain >/dev/null 2>&1) || cannot 'the build tree is closed to other users'
}

# hold: a process that stays in the sandbox while the host looks at it; $held is its pid, as seen from here.
hold() {
	rm -f "$work/up" "$work/down"
	background enter sh -c 'until [ -e down ]; do [ -e up ] || : >up; sleep 0.02; done' "held-$nonce"
	held=''
	until_true 10 test -e "$work/up" || return 1
	# shellcheck disable=SC2013  # numbers
	for held_it in $(grep -ls "held-$nonce" /proc/[0-9]*/cmdline); do
		case $(tr '\0' ' ' <"$held_it" 2>/dev/null) in
		'sh -c '*) held=${held_it#/proc/} held=${held%/cmdline} ;;
		esac
	done
	[ -n "$held" ]
}
release() {
	: >"$work/down"
	until_true 5 test ! -e "/proc/$held"
}

# The launcher itself with arguments of the row's own, for rows about it alone.
launch() { (cd "$work" && sandbox_launch "$@"); }

# under PROGRAM [ARG...] -- COMMAND...: like enter, with a program of the host's around the sandbox.
under() {
	under_split=''
	for under_word in "$@"; do
		shift
		if [ "$under_split$under_word" = -- ]; then
			under_split=yes
			set -- "$@" sh "$ESCAPE_DIR/enter.sh" "$run_sandbox"
		else
			set -- "$@" "$under_word"
		fi
	done
	(cd "$work" && export limit jailopts weaken via && "$@")
}

# on_tty COMMAND...: enter on a terminal that is the host's. What it displayed is in $run_dir/shown; $typed is what somebody inside put into
# its input, in hexadecimal, and - for nothing.
on_tty() {
	typed=$(under "$ESCAPE_HOST" pty "$run_dir/shown" -- "$@" 2>>"$run_dir/err" | awk '$3 == "typed" { print $4 }')
}

# "name -1 EPERM" is EPERM; a step before that failed is not.
answer() { head -c 65536 | awk 'NF >= 3 && $2 == -2 { $NF = "unready:" $NF } { last = $NF } END { print NR ? last : "nothing" }'; }

# Text from anywhere as a field of one line: nothing but ASCII that can be seen, and never empty.
plain() {
	case $1 in
	'') printf nothing ;;
	*[!A-Za-z0-9:_.,/+=@\|\ -]*) printf %s "$1" | tr '\t\n' '  ' | LC_ALL=C tr -c ' -~' '?' | cut -c1-400 ;;
	*) printf %s "$1" ;;
	esac
}

# note BOOK LINE: tries, evidence, stuck or broken. In the file too, since a row may do it in a subshell.
note() {
	eval "book_$1=\$book_$1\$2\$nl"
	printf '%s\n' "$2" >>"$run_dir/$1"
}

# got WANT NAME VALUE: an answer that was had in any way. WANT is a list like EPERM|ENOSYS. $flips is what a control may answer.
flips=OK
got() {
	[ ! -e "$run_dir/not-asked" ] || return 0
	got_name=$(plain "$2")
	while :; do
		case $nl$book_tries in
		*"$nl$got_name$tab"*) got_name="$got_name, again" ;; # its own line in the control
		*) break ;;
		esac
	done
	note tries "$got_name$tab$(plain "$3")$tab${1:-nothing}$tab$flips"
}

# either YES NO COMMAND...: prints one of the words, for got.
either() {
	either_yes=$1 either_no=$2
	shift 2
	if "$@" >/dev/null 2>&1; then echo "$either_yes"; else echo "$either_no"; fi
}

# try WANT NAME ARG...: the probe, in the sandbox.
try() {
	try_want=$1 try_name=$2
	shift 2
	check_probe
	got "$try_want" "$try_name" "$(enter ./probe "$@" 2>>"$run_dir/err" | answer)"
}

# try_each WANT 'PROBE ARG...' WORD...: the probe with each word, all of them in one sandbox; the words are the names. The shell inside
# expands both: $PPID is what started the command there.
try_each() {
	each_want=$1 each_probe=$2 each_line=0
	shift 2
	check_probe
	# shellcheck disable=SC2016  # for the shell inside
	enter sh -c 'for word; do eval "./probe $0 $word" 2>&1 | tail -n 1; done' "$each_probe" "$@" >"$run_dir/each" 2>>"$run_dir/err"
	for each_word; do
		each_line=$((each_line + 1))
		got "$each_want" "$each_word" "$(sed -n "${each_line}p" "$run_dir/each" | answer)"
	done
}

# What answers is the probe, and nothing that was put in its place by a try before.
check_probe() {
	if [ -L "$work/probe" ] || ! cmp -s "$ESCAPE_PROBE" "$work/probe"; then evidence "the probe was replaced: its answers are another's"; fi
}

# works NAME COMMAND...: what must go on working inside, beside what is refused.
works() {
	works_name=$1
	shift
	[ "$run_kind" = test ] || return 0
	enter "$@" >"$run_dir/works" 2>&1 || note broken "$works_name: $(plain "$(head -c 300 "$run_dir/works")")"
}

# holds NAME COMMAND...: the same for what is looked at from outside.
holds() {
	holds_name=$1
	shift
	[ "$run_kind" = test ] || return 0
	"$@" >"$run_dir/works" 2>&1 || note broken "$holds_name: $(plain "$(head -c 300 "$run_dir/works")")"
}

# evidence TEXT: for witness(): the host saw something that must not be.
evidence() { note evidence "$(plain "$*")"; }

# guard PATH...: for setup(): a canary, or a directory of them. Contents, names, modes and owners must stay, and no call may have changed
# an inode and put it back: that its time of change (%z) shows.
state_of() {
	{
		find -H "$1" ! -type d -exec stat -c '%i %f %u %g %h %z %N' {} +
		find -H "$1" -type d -exec stat -c '%i %f %u %g %n' {} +
		find -H "$1" -type f -exec sha256sum {} +
	} 2>&1 | sort | sha256sum
}
guard() {
	for guard_file in "$@"; do guards="$guards$(state_of "$guard_file")$tab$guard_file$nl"; done
}
check_guarded() {
	while IFS=$tab read -r guard_sum guard_file; do
		[ -z "$guard_file" ] || [ "$(state_of "$guard_file")" = "$guard_sum" ] || evidence "changed: ${guard_file##*/}"
	done <<-END
		$guards
	END
}

# cannot REASON: nothing can be learnt here; ends the row. After a try it is not said before the host has looked.
cannot() {
	[ "$phase" != attempt ] || look_around
	verdict=INCONCLUSIVE why=$*
	[ "$phase" = head ] || ! got_through "$run_name" || [ "$run_kind" = control ] || verdict=ESCAPED why=$(slips "$run_name" | one_line)
	write_result
	exit 0
}

# has_landlock ABI: does the kernel have that much of it? For layers that came with one.
has_landlock() {
	has_abi=$("$ESCAPE_JAIL" explain --json --workspace "$row_tmp" 2>/dev/null | sed -n 's/.*"landlock_abi":\([0-9]*\).*/\1/p')
	[ "${has_abi:-0}" -ge "$1" ]
}

have() {
	for have_it in "$@"; do command -v "$have_it" >/dev/null 2>&1 || return 1; done
}

until_true() { # until_true SECONDS COMMAND...
	until_left=$(($1 * 50))
	shift
	while [ "$until_left" -gt 0 ]; do
		! "$@" || return 0
		until_left=$((until_left - 1))
		sleep 0.02
	done
	return 1
}

# background COMMAND...: ended when the attempt is. serve ARG...: the host's side (host.c), once it is ready.
background() {
	"$@" &
	jobs_left="$! $jobs_left"
}
serve() {
	rm -f "$run_dir/ready"
	mkfifo "$run_dir/ready"
	"$ESCAPE_HOST" "$@" >"$run_dir/ready" 2>>"$run_dir/err" &
	jobs_left="$! $jobs_left"
	[ "$1" != listen ] || listeners="$! $listeners"
	read -r serve_line <"$run_dir/ready" && [ "$serve_line" = ready ]
}
# plant SOCKET...: a host of its own for the sandbox, in a mount namespace with an empty /run, where something listens at each.
plant() {
	plant_as='' plant_to=''
	[ "$who" != user ] || plant_as=-Ur plant_to='-U --preserve-credentials'
	mkfifo "$run_dir/planted"
	# shellcheck disable=SC2016,SC2086
	unshare $plant_as -m sh -c 'umask 0; mount -t tmpfs none /run && exec "$@"' sh "$ESCAPE_HOST" sockets "$@" \
		>"$run_dir/planted" 2>>"$run_dir/err" &
	jobs_left="$! $jobs_left"
	printf 'cd "%s" && exec "$@"\n' "$work" >"$run_dir/plant"
	via="nsenter -t $! $plant_to -m sh $run_dir/plant"
	read -r plant_line <"$run_dir/planted" && [ "$plant_line" = ready ]
}
# world: a network of its own for the sandbox, in which every address is the host's side (host_world.c); its log is $outside/world.
world() {
	world_as='' world_to=''
	[ "$who" != user ] || world_as=-Ur world_to='-U --preserve-credentials'
	mkfifo "$run_dir/world"
	# shellcheck disable=SC2086
	unshare $world_as -n "$ESCAPE_HOST" world "$outside/world" >"$run_dir/world" 2>>"$run_dir/err" &
	jobs_left="$! $jobs_left" listeners="$! $listeners"
	printf 'cd "%s" && exec "$@"\n' "$work" >"$run_dir/enter-world"
	via="nsenter -t $! $world_to -n sh $run_dir/enter-world"
	read -r world_line <"$run_dir/world" && [ "$world_line" = ready ]
}
# gate RULE...: from now on jail has a gate with these rules; where it cannot, nothing is learnt.
gate() {
	jailopts='--network gate'
	for gate_rule in "$@"; do jailopts="$jailopts --allow $gate_rule"; done
	case "$run_kind $run_sandbox" in
	'test jail' | 'test weak') enter true 2>"$run_dir/no-gate" || cannot "no gate here: $(plain "$(tail -n 1 "$run_dir/no-gate")")" ;;
	esac
}
# saw ERE: for witness(): what of that the world has seen is evidence.
saw() {
	saw_line=$(grep -Em 1 -e "$1" "$outside/world") || return 0
	evidence "the world: $saw_line"
}

# ---- one attempt

end_jobs() {
	for job in $jobs_left; do kill "$job" 2>/dev/null; done
	jobs_left=''
}
jobs_left=''
trap 'end_jobs; chmod -R u+rwx "$row_tmp" 2>/dev/null; rm -rf "$row_tmp"' EXIT
trap 'exit 99' HUP INT
trap '[ "$phase" != attempt ] || cannot "the row does not end"; exit 99' TERM

fresh_nonce() { od -An -N12 -tx1 /dev/urandom | tr -d ' \n'; }

# attempt_in NAME KIND SANDBOX [WEAKNESSES]: KIND is test, control or layer; what was seen is in $row_tmp/NAME.
attempt_in() {
	run_name=$1 run_kind=$2 run_sandbox=$3 weaken=${4-${JAIL_WEAKEN-}} jailopts='' flips=OK limit=20 via=''
	run_dir=$row_tmp/$run_name
	work=$run_dir/work outside=$run_dir/outside nonce=$(fresh_nonce)
	mkdir -p "$work" "$outside"
	for book in tries stuck broken evidence; do : >"$run_dir/$book"; done
	book_tries='' book_evidence='' book_stuck='' book_broken='' guards='' listeners='' phase=setup
	cp "$ESCAPE_PROBE" "$work/probe"
	# shellcheck source=/dev/null
	. "$ESCAPE_DIR/sandboxes/$3.sh"
	if [ "$run_kind" = test ] && ! [ "$(enter printf %s "$nonce" 2>>"$run_dir/err")" = "$nonce" ]; then
		note stuck "the row's sandbox does not start: $(plain "$(tail -n 1 "$run_dir/err")")"
	elif ! setup; then
		note stuck "the row's own steps failed in $run_name: setup"
	else
		phase=attempt
		attempt || note stuck "the row's own steps failed in $run_name"
		look_around
	fi
	end_jobs
}

# A listener ends when it has logged whatever came before this.
end_listeners() {
	for listener in $listeners; do
		kill "$listener" 2>/dev/null
		wait "$listener"
	done 2>/dev/null
	listeners=''
}

# What the host sees afterwards; then the notes as they are judged.
look_around() {
	phase=judged
	end_listeners
	witness
	check_guarded
	check_probe
	settle tries "$book_tries"
	settle stuck "$book_stuck"
	settle broken "$book_broken"
	settle evidence "$book_evidence"
}

# settle BOOK LINES: the file may have more than was noted here, from a subshell, but not less.
settle() {
	if [ ! -L "$run_dir/$1" ] && printf %s "$2" | FILE=$run_dir/$1 awk '
		BEGIN { while ((more = (getline line <ENVIRON["FILE"])) > 0) seen[line]; if (more < 0) exit 1 }
		!($0 in seen) { exit 1 }'; then
		return
	fi
	evidence "somebody changed the notes: $1"
	rm -rf "${run_dir:?}/$1"
	printf %s "$2" >"$run_dir/$1"
	[ "$1" != evidence ] || printf %s "$book_evidence" >"$run_dir/$1"
}

# ---- other sandboxes

# foreign GOT FLIPS: a refusal in words of their own. Any error is one that is not getting through.
foreign() {
	case $ESCAPE_SANDBOX in jail | weak) return 1 ;; esac
	! in_set "$1" "$2" || return 1
	case $1 in
	EFAULT) return 1 ;;
	E[A-Z]* | SIG[A-Z]*) return 0 ;;
	unready:EPERM | unready:EACCES | unready:ENOSYS) return 0 ;; # it did not even get that far
	esac
	return 1
}

# They have none of jail's options, and leave a mark when $jailopts is set. From there on nothing is counted (got), and evidence alone
# does not count either: it may be of what was not asked.
judge_foreign() {
	[ -e "$row_tmp/test/not-asked" ] || return 0
	if [ ! -s "$row_tmp/test/tries" ] || { [ "$verdict" = ESCAPED ] && ! slips test | grep -qv '^host: '; }; then
		verdict=N/A why="a question about jail's options"
	fi
}

# ---- the verdict

in_set() {
	case $1 in
	*'|'*) return 1 ;;
	esac
	case "|$2|" in
	*"|$1|"* | *'|*|'*) return 0 ;;
	esac
	return 1
}

# Each try of an attempt that is not what it should be, as "NAME: GOT"; then the host's evidence.
slips() {
	while IFS=$tab read -r try_name try_got try_want try_flips; do
		in_set "$try_got" "$try_want" || foreign "$try_got" "$try_flips" || printf '%s: %s\n' "$try_name" "$try_got"
	done <"$row_tmp/$1/tries"
	[ ! -s "$row_tmp/$1/evidence" ] || sed 's/^/host: /' "$row_tmp/$1/evidence"
}

# Did anything get through? An error that nobody expected is no escape, but nothing to rely on either.
got_through() {
	[ ! -s "$row_tmp/$1/evidence" ] || return 0
	while IFS=$tab read -r try_name try_got try_want try_flips; do
		in_set "$try_got" "$try_want" || ! in_set "$try_got" "$try_flips" || return 0
	done <"$row_tmp/$1/tries"
	return 1
}

one_line() { tr '\n' ';' | sed 's/;$//; s/;/; /g' | cut -c1-400; }

# The control's answer to each try: those that are refused there too prove nothing.
unproved() {
	while IFS=$tab read -r try_name try_got try_want try_flips; do
		free=$(NAME=$try_name awk -F '\t' '$1 "" == ENVIRON["NAME"] "" { print $2; exit }' "$row_tmp/control/tries")
		{ in_set "${free:-nothing}" "$try_flips" && ! in_set "${free:-nothing}" "$try_want"; } ||
			printf '%s is refused here without a jail too (%s)\n' "$try_name" "${free:-nothing}"
	done <"$row_tmp/test/tries"
}

judge_attempt() { # judge_attempt NAME
	if got_through "$1"; then
		verdict=ESCAPED why=$(slips "$1" | one_line)
	elif [ -s "$row_tmp/$1/stuck" ]; then
		verdict=INCONCLUSIVE why=$(one_line <"$row_tmp/$1/stuck")
	elif [ -z "$(slips "$1")" ]; then
		verdict=CONTAINED why=
	else
		verdict=INCONCLUSIVE why="unexpected: $(slips "$1" | one_line)$(last_words "$1")"
	fi
}

# For the tries that gave no answer.
last_words() {
	[ ! -s "$row_tmp/$1/err" ] || printf ' (%s)' "$(plain "$(tail -n 1 "$row_tmp/$1/err")")"
}

judge_control() {
	unproved >"$row_tmp/unproved"
	tries=$(wc -l <"$row_tmp/test/tries") missed=$(wc -l <"$row_tmp/unproved")
	if [ -s "$row_tmp/control/stuck" ]; then
		verdict=INCONCLUSIVE why="its control: $(one_line <"$row_tmp/control/stuck")"
	elif [ "$tries" -gt 0 ] && ! cut -f 2 "$row_tmp/control/tries" | grep -qvx nothing; then
		verdict=INCONCLUSIVE why="its control: it did not run: $(head -n 1 "$row_tmp/control/err" 2>/dev/null | cut -c1-200)"
	elif [ "$tries" -gt 0 ] && [ "$missed" -ge "$tries" ]; then
		verdict=INCONCLUSIVE why=$(one_line <"$row_tmp/unproved")
	elif [ "$tries" -eq 0 ] && [ ! -s "$row_tmp/control/evidence" ]; then
		verdict=INCONCLUSIVE why='its control left no evidence'
	elif [ "$witnessed" = yes ] && [ ! -s "$row_tmp/control/evidence" ]; then
		verdict=INCONCLUSIVE why='the host saw nothing of its control'
	fi
}

judge_layers() {
	for layer in $layers; do
		judge_attempt "without-$layer"
		[ "$verdict" = CONTAINED ] || {
			why="with $layer off: $why"
			return
		}
	done
}

# Lines of KEY VALUE, values on one line; run makes the reports from them.
write_result() {
	{
		printf 'id\t%s\nclass\t%s\ntitle\t%s\nreference\t%s\nstops\t%s\n' "$id" "$class" "$title" "$reference" "$stops"
		printf 'verdict\t%s\nwhy\t%s\ncontrol\t%s\n' "$verdict" "$(printf %s "$why" | tr '\t\n' '  ')" "$chosen"
		[ ! -s "$row_tmp/test/evidence" ] || printf 'seen\tyes\n'
		[ ! -s "$row_tmp/unproved" ] || sed "s/^/unproved$tab/" "$row_tmp/unproved"
		[ ! -s "$row_tmp/test/broken" ] || sed "s/^/broken$tab/" "$row_tmp/test/broken"
		[ ! -d "$row_tmp/test" ] || sed "s/^/try$tab/" "$row_tmp/test/tries"
		for layer in $layers_done; do printf 'layer\t%s\n' "$layer"; done
		printf 'end\t.\n' # a file system that is full shows here
	} >"$result.tmp" && mv "$result.tmp" "$result"
}

# The first control that can be had: weak:A+B needs jail-weak, root needs root, everything else is a sandbox of that name.
choose_control() {
	chosen=none
	for c in $controls; do
		case $c in
		weak:*) [ -x "${ESCAPE_WEAK:-}" ] || continue ;;
		root) [ $who = root ] || continue ;;
		esac
		chosen=$c
		return
	done
}

row_tmp=$(mktemp -d "$ESCAPE_TMP/row.XXXXXX") || exit 99
row_tmp=$(cd "$row_tmp" && pwd -P)
[ $who != root ] || chmod 711 "$row_tmp" # the command is not root, and in some controls has to come by
phase=head chosen='' layers_done='' verdict='' why='' witnessed=no
# shellcheck source=/dev/null
. "$row_file"
! grep -q '^witness()' "$row_file" || witnessed=yes
case "${only:-any} $ESCAPE_SANDBOX" in
any* | 'jail jail' | 'jail weak') ;;
*)
	verdict=N/A why="a question about $only alone"
	write_result
	exit 0
	;;
esac
for n in $needs; do
	[ "$n" != root ] || [ $who = root ] || cannot "only root can set it up"
	[ "$n" = root ] || have "$n" || cannot "$n is not installed"
done
choose_control
attempt_in test test "$ESCAPE_SANDBOX"
judge_attempt test
judge_foreign
if [ "$verdict" = CONTAINED ]; then
	case $chosen in
	none) verdict=INCONCLUSIVE why="its control needs ${controls:-something that the row does not name}, which is not here" ;;
	weak:*) attempt_in control control weak "$(echo "${chosen#weak:}" | tr + ,)" ;;
	root) attempt_in control control host ;;
	*) attempt_in control control "$chosen" ;;
	esac
	[ "$chosen" = none ] || judge_control
fi
if [ "$verdict" = CONTAINED ] && [ "$ESCAPE_SANDBOX" = jail ] && [ -x "${ESCAPE_WEAK:-}" ]; then
	for layer in $layers; do
		attempt_in "without-$layer" layer weak "$(echo "$layer" | tr + ,)"
		layers_done="$layers_done $layer"
	done
	judge_layers
fi
write_result
