#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles: where they are looked for, how they add up, what a bad one gets, and which paths are refused.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

secret=$scratch/secret
mkdir "$secret"
echo canary >"$secret/key"

can_be_denied=0
: >"$scratch/probe"
chmod 000 "$scratch/probe"
cat "$scratch/probe" >/dev/null 2>&1 || can_be_denied=1 # root reads it all the same
plan $((119 + can_be_denied))

# ---- where a name leads

profile mine '[jail]' 'hostname = mine'
run --profile mine -- uname -n
is "$out" mine "a name is looked up in XDG_CONFIG_HOME"
run --profile mine.ini -- uname -n
is "$out" mine "the same with .ini"
run -p mine -- uname -n
is "$out" mine "-p is --profile"
run --profile strict -- sh -c 'touch x' # the shipped one
like "$err" "Read-only" "a shipped profile is found"
profile strict '[jail]' 'hostname = own-strict'
run --profile strict -- uname -n
is "$out" own-strict "a profile of one's own hides the shipped one"
rm "$config/strict.ini"
profile default '[jail]' 'extends = agent' 'hostname = own-default'
run -- uname -n
is "$out" own-default "the default is a profile like any other"
rm "$config/default.ini"
mkdir -p "$scratch/home/.config/jail/profiles"
printf '[jail]\nhostname = at-home\n' >"$scratch/home/.config/jail/profiles/home.ini"
out=$(unset XDG_CONFIG_HOME && HOME=$scratch/home jail --profile home -- uname -n 2>&1)
is "$out" at-home "without XDG_CONFIG_HOME it is ~/.config"

printf '[jail]\nhostname = planted\n' >planted.ini
refused "no profile 'planted'.*'\./planted\.ini'" "a name is never read from the current directory" --profile planted -- touch ran
refused "no profile 'planted\.ini'.*'\./planted\.ini'" "... neither with .ini" --profile planted.ini -- touch ran
refused "no profile 'planted'" "... neither by extends" --profile "$(profile p '[jail]' 'extends = planted' && echo p)" -- touch ran
printf '[jail]\nhostname = planted\n' >strict.ini
run --profile strict -- uname -n
is "$out" jail "... neither before the shipped one"
rm strict.ini
refused "no profile '\.\.'|no profile name" "a name cannot climb" --profile .. -- touch ran

# ---- by path, in the workspace

run --profile ./planted.ini -- uname -n
is "$out" planted "a path is read, because the user named it"
run --profile ./planted.ini -- sh -c 'cat planted.ini; echo "; x" >>planted.ini; rm -f planted.ini; mv planted.ini other; : >new && mv -f new planted.ini; echo; cat planted.ini'
is "$(cat planted.ini)" "[jail]
hostname = planted" "... and inside it cannot be written, removed or replaced"
is "$out" "[jail]
hostname = planted

[jail]
hostname = planted" "... but it can be read"
mkdir -p sub/deep
printf '[jail]\nextends = ../parent.ini\n' >sub/deep/child.ini
printf '[jail]\nhostname = parent\n' >sub/parent.ini
run --profile ./sub/deep/child.ini -- uname -n
is "$out" parent "extends with a slash is seen from the file that says it"
run --profile ./sub/deep/child.ini -- sh -c 'mkdir -p fake/deep; printf "[jail]\nhostname = evil\n" >fake/parent.ini; cp fake/parent.ini fake/deep/child.ini
	mv sub old; mv sub/deep sub/old; mv fake sub; mv fake/deep sub/deep; cp fake/parent.ini sub/parent.ini'
run --profile ./sub/deep/child.ini -- uname -n
is "$out" parent "... and neither of the two, nor a directory they are in, can be replaced from inside"

# ---- how they add up

profile base '[jail]' 'hostname = base' '[env]' 'set = A=base' 'set = B=base' '[files]' "ro = $secret"
profile child '[jail]' 'extends = base' 'hostname = child' '[env]' 'set = B=child' 'set = C=child'
profile other '[env]' 'set = C=other' '[jail]' 'hostname = other'
show='uname -n; echo $A,$B,$C; cat '$secret/key
run --profile child -- sh -c "$show"
is "$out" "child
base,child,child
canary" "a child's scalars override, its lists add"
run --profile child --profile other -- sh -c "$show"
is "$out" "other
base,child,other
canary" "later profiles come after"
run --profile other --profile child -- sh -c "$show"
is "$out" "child
base,child,child
canary" "... in the order given"
run --hostname flag --profile child --set C=flag -- sh -c "$show"
is "$out" "flag
base,child,flag
canary" "flags win, wherever they stand"

profile optional '[files]' "ro = $scratch/missing" "rw = $scratch/missing-too" '[jail]' 'hostname = fine'
run --profile optional -- sh -c "uname -n; ls -d $scratch/missing*"
like "$out" '^fine$' "a missing path is skipped"
unlike "$out" 'missing' "... and not made"
profile required '[files]' "ro = $secret" "ro! = $scratch/missing"
refused "required\.ini:3: .*'$scratch/missing'.*No such file" "ro! that is missing" --profile required -- touch ran
profile required '[files]' "rw! = $scratch/missing"
refused "required\.ini:2: .*'$scratch/missing'" "rw! that is missing" --profile required -- touch ran
profile required '[files]' "ro! = $secret"
run --profile required -- cat "$secret/key"
is "$out" canary "ro! that is there"

mkdir "$scratch/home/data"
echo homely >"$scratch/home/data/file"
profile tilde '[files]' 'ro! = ~/data' 'ro! = ${HOME}/data/file'
out=$(HOME=$scratch/home jail --profile tilde -- sh -c 'cat ~/data/file' 2>&1)
is "$out" homely "~ and \${HOME} are the caller's home, and the home inside has the same path"

# ---- bad input: exactly one line, file:line, 125, and nothing runs

bad() { # bad NAME ERE PRINTF-FORMAT: a profile of these bytes
	# shellcheck disable=SC2059  # the format is the point
	printf "$3" >"$config/bad.ini"
	refused "$2" "bad: $1" --profile bad -- touch ran
}
long=$(head -c 1100 /dev/zero | tr '\000' x)
bad "unknown key" "bad\.ini:2: unknown key 'hostnam' .*did you mean 'hostname'" '[jail]\nhostnam = x\n'
bad "unknown key like no other" "bad\.ini:2: unknown key 'zzzz'" '[jail]\nzzzz = x\n'
bad "key of another section" "bad\.ini:2: .*'workspace' belongs .*section \[files\]" '[jail]\nworkspace = .\n'
bad "unknown section" "bad\.ini:1: unknown section \[jial\]; did you mean \[jail\]" '[jial]\nhostname = x\n'
bad "key before any section" "bad\.ini:1: " 'hostname = x\n'
bad "unknown word" "bad\.ini:2: .*nonne.*none gate host" '[network]\nmode = nonne\n'
bad "bad number" "bad\.ini:2: .*many" '[limits]\npids = many\n'
bad "negative number" "bad\.ini:2: .*-1" '[limits]\npids = -1\n'
bad "zero" "bad\.ini:2: .*more than 0" '[limits]\ntmp = 0\n'
bad "number too large" "bad\.ini:2: .*too large" '[limits]\nmemory = 99999999999999999999G\n'
bad "bad size" "bad\.ini:2: .*not a size" '[limits]\nmemory = 8 Gigs\n'
bad "bad duration" "bad\.ini:2: .*not a duration" '[limits]\ntime = 4 hours\n'
bad "bad truth" "bad\.ini:2: .*not yes or no" '[network]\nloopback = maybe\n'
bad "bad variable" "bad\.ini:2: .*NAME=VALUE" '[env]\nset = NOVALUE\n'
bad "bad host name" "bad\.ini:2: .*host name" '[jail]\nhostname = a b\n'
bad "unknown \${VAR}" "bad\.ini:2: .*PATH" '[files]\nro = ${PATH}/x\n'
bad "duplicate scalar" "bad\.ini:3: 'hostname' for the second time" '[jail]\nhostname = a\nhostname = b\n'
bad "duplicate section" "bad\.ini:3: section \[jail\] for the second time" '[jail]\nhostname = a\n[jail]\n'
bad "over-long line" "bad\.ini:2: .*bytes, more than" "[jail]\n; $long\n"
bad "NUL" "bad\.ini:2: NUL byte" '[jail]\nhost\000name = a\n'
bad "control byte" "bad\.ini:2: control byte \(0x1b\)" '[jail]\nhostname = a\033[31m\n'
bad "bad UTF-8" "bad\.ini:2: .*UTF-8" '[env]\nset = A=\377\376\n'
bad "DOS line ends" "bad\.ini:1: .*DOS" '[jail]\r\nhostname = a\r\n'
bad "byte order mark" "bad\.ini:1: .*byte order mark" '\357\273\277[jail]\n'
bad "no =" "bad\.ini:2: .*missing '='" '[jail]\nhostname\n'
bad "no value" "bad\.ini:2: 'hostname' has no value" '[jail]\nhostname =\n'
bad "indented line" "bad\.ini:3: indented" '[jail]\nhostname = a\n  b\n'
bad "quoted value" "bad\.ini:2: .*not quoted" '[jail]\nhostname = "a"\n'
bad "bracket left open" "bad\.ini:1: .*missing ']'" '[jail\nhostname = a\n'
bad "! on a scalar" "bad\.ini:2: 'hostname!'" '[jail]\nhostname! = a\n'
bad "unknown parent" "bad\.ini:2: extends = agnet: .*did you mean 'agent'" '[jail]\nextends = agnet\n'
bad "its own parent" "bad\.ini:2: .*extend itself" '[jail]\nextends = bad\n'
bad "settings that do not go together" "bad\.ini:2: swap needs memory" '[limits]\nswap = 1G\n'
bad "a requirement nobody knows" "bad\.ini:2: .*landlok" '[jail]\nrequire = landlok\n'
bad "a system call nobody knows" "oepn.*did you mean 'open'" '[kernel]\ndeny-syscall = oepn\n'
profile ring1 '[jail]' 'extends = ring2'
profile ring2 '[jail]' 'extends = ring1'
refused "ring[12]\.ini:2: .*extend itself" "bad: a ring of parents" --profile ring1 -- touch ran
yes '; a comment' | head -n 30000 >"$config/bad.ini"
refused "bad\.ini:1: .*larger" "bad: a very large file" --profile bad -- touch ran
refused "no profile 'zzzzz'" "bad: no such profile" --profile zzzzz -- touch ran
refused "'\./zzzzz\.ini'" "bad: no such file" --profile ./zzzzz.ini -- touch ran
refused "not a regular file" "bad: a directory" --profile ./sub -- touch ran
mkfifo fifo.ini
refused "not a regular file" "bad: a FIFO, without waiting for it" --profile ./fifo.ini -- touch ran
ln -s loop.ini "$config/loop.ini"
refused "loop\.ini'.*symbolic links" "bad: a link to itself" --profile loop -- touch ran
ln -s /none/such "$config/dangling.ini"
refused "dangling\.ini'" "bad: a link to nowhere" --profile dangling -- touch ran
profile shared '[jail]' 'hostname = x'
chmod g+w "$config/shared.ini"
refused "other users can change" "bad: others may write it" --profile shared -- touch ran
eval "${err##*: run }"
run --profile shared -- uname -n
is "$out" x "... and good when what the message says was done"
if [ "$can_be_denied" = 1 ]; then
	profile closed '[jail]' 'hostname = x'
	chmod 000 "$config/closed.ini"
	refused "closed\.ini'.*Permission denied" "bad: may not be read" --profile closed -- touch ran
	rm -f "$config/closed.ini"
fi
rm -f "$config"/bad.ini "$config"/ring?.ini "$config"/loop.ini "$config"/dangling.ini "$config"/shared.ini

# ---- jail run, profile, explain

profile tool '[jail]' 'command = printf <%s>' 'hostname = toolbox'
run run tool 'a b' --profile c
is "$rc,$out" "0,<a b><--profile><c>" "run NAME ARG...: its command, then the arguments"
run --profile tool
is "$rc,$out" "0,<>" "--profile NAME without a command runs the profile's"
profile tool2 '[jail]' 'extends = tool' 'command = uname -n'
run run tool2
is "$out" toolbox "a child's command replaces its parent's"
run run --hostname flag tool2
is "$out" flag "options before the profile are jail's"
cp "$config/tool2.ini" here.ini
run run ./here.ini
is "$out" toolbox "run FILE"

run profile ls
like "$out" "^tool +user +$config/tool\.ini" "profile ls has the user's own"
like "$out" '^strict +shipped +/' "... and the shipped"
is "$(echo "$out" | awk '$2 == "shipped" { print $3 }' | xargs stat -c %a | sort -u)" 644 "... which nobody else can write, in a clone under umask 002 too"
run profile ls --json
ok "profile ls --json is JSON" python3 -m json.tool "$scratch/out"
run profile show child
like "$out" '^hostname = child  ; child\.ini:3$' "profile show: a value and where it came from"
like "$out" '^set = A=.*  ; base\.ini:4$' "profile show: an inherited value"
like "$out" '^shm = 512M  ; default$' "profile show: a default"
run profile check child
is "$rc,$err" "0," "profile check, a good one"
run profile check ./here.ini
is "$rc,$err" "0," "profile check FILE"
printf '[jail]\nhostnam = x\n' >broken.ini
refused "\./broken\.ini:2: unknown key" "profile check, a bad one" profile check ./broken.ini

run explain --profile child --hostname flag -- touch ran "a b"
is "$rc,$(ls ran 2>/dev/null)" "0," "explain runs nothing"
like "$out" '^hostname = flag  ; --hostname' "explain: a flag's value and its origin"
like "$out" '^set = B=.*  ; child\.ini:5' "explain: a profile's value and its origin"
like "$out" "ro +$secret +\(ro; base\.ini:7\)" "explain: a path and its origin"
unlike "$out" 'B=child' "explain does not print what variables are set to"
run explain --json --profile child --hostname flag -- touch ran
ok "explain --json is JSON" python3 -m json.tool "$scratch/out"
origin=$(python3 -c '
import json, sys
plan = json.load(open(sys.argv[1]))
print([s["origin"] for s in plan["settings"] if s["key"] == "hostname"], plan["hostname"], plan["command"])' "$scratch/out" 2>&1)
is "$origin" "['--hostname'] flag ['touch', 'ran']" "explain --json: values and origins"
run --profile child -- cat /run/jail/policy.json
ok "the policy shown inside is JSON" python3 -m json.tool "$scratch/out"
refused "bad\.ini:2: " "explain of a bad profile" explain --profile "$(profile bad '[jail]' 'nonsense = 1' && echo bad)"

# ---- workspaces that are refused

ln -s "$HOME" "$scratch/homelink"
for dir in / "$HOME" "$(dirname "$HOME")" /home /tmp /var /usr "$scratch/homelink" "$scratch" "$scratch/config" "$scratch/config/jail" "$config"; do
	refused "workspace '$dir'" "no workspace: $(echo "$dir" | sed "s|^$scratch|SCRATCH|; s|^$HOME|HOME|")" --workspace "$dir" -- touch "$work/ran"
done
(cd / && jail -- true) >"$scratch/out" 2>"$scratch/err"
is "$?,$(wc -l <"$scratch/err")" 125,1 "no workspace: / as the current directory"
run --workspace sub --chdir sub/deep -- pwd
is "$out" "$work/sub/deep" "--workspace and --chdir"

# ---- links

mkdir -p "$scratch/stow/pkg/conf" "$scratch/links"
echo stowed >"$scratch/stow/pkg/conf/file"
echo hidden >"$scratch/stow/pkg/hidden"
ln -s ../stow/pkg/conf "$scratch/links/conf"
ln -s conf "$scratch/links/again"
ln -s "$scratch/stow/pkg/conf/file" "$scratch/links/file"
run --ro "$scratch/links/conf" -- sh -c "cat $scratch/links/conf/file $scratch/stow/pkg/conf/file; ls $scratch/stow/pkg"
is "$out" "stowed
stowed
conf" "a link to a directory: link and target work, its neighbours do not"
run --ro "$scratch/links/again" -- sh -c "cat $scratch/links/again/file; readlink $scratch/links/again $scratch/links/conf"
is "$out" "stowed
conf
../stow/pkg/conf" "a link to a link"
run --rw "$scratch/links/file" -- sh -c "echo more >>$scratch/links/file"
is "$(cat "$scratch/stow/pkg/conf/file")" "stowed
more" "a link to a file, written through"
ln -s "$work/sub" "$scratch/wslink"
run --workspace "$scratch/wslink" -- sh -c "pwd; touch $scratch/wslink/through"
ok "a workspace that is named by a link" test -e sub/through

# An earlier run may have planted these.
ln -s "$secret" cache
ln -s "$secret" sub/cache
profile planted '[files]' 'rw = cache'
refused "--rw.*/work/cache' .*writable tree" "rw by a link in the workspace" --rw cache -- touch ran
refused "--ro.*/work/cache' .*writable tree" "ro beneath a link in the workspace" --ro cache/key -- touch ran
refused "planted\.ini:2.*/work/cache' .*writable tree" "... from a profile too" --profile planted -- touch ran
refused "/sub/cache' .*writable tree" "a link in another writable tree, named before the tree" --workspace sub/deep --rw "$work/sub/cache" --rw "$work/sub" -- touch "$work/ran"
run -- cat cache/key
isnt "$rc" 0 "a link in the workspace leads nowhere by itself"
