// SPDX-License-Identifier: GPL-2.0-or-later
/* Completion scripts for three shells, written from the option table; pure, in P0. */
#include "profiles/options.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"

static const struct {
	const char *name, *help;
} verbs[] = {
	{ "run", "run the command that a profile names" },
	{ "explain", "show the resolved plan and run nothing" },
	{ "doctor", "show what this machine can do" },
	{ "profile", "list, show or check profiles" },
	{ "selftest", "try to get out, in every way that is known" },
	{ "image", "take in, list and remove images" },
	{ "completion", "write a completion script" },
};

/* What a flag's value is, as far as a shell can help with it. */
enum kind { KIND_NONE, KIND_WORDS, KIND_DIR, KIND_FILE, KIND_PROFILE, KIND_OTHER };

static enum kind kind_of(enum opt id)
{
	const struct option_def *o = &options[id];

	if (id == OPT_PROFILE)
		return KIND_PROFILE;
	if (o->type == TYPE_BOOL)
		return o->arg ? KIND_WORDS : KIND_NONE;
	if (o->type == TYPE_CHOICE)
		return KIND_WORDS;
	if (o->type == TYPE_PATH)
		return str_eq(o->arg, "DIR") ? KIND_DIR : KIND_FILE;
	return KIND_OTHER;
}

static const char *words_of(enum opt id)
{
	return options[id].type == TYPE_BOOL ? "yes no" : options[id].choices;
}

/* "--a|--b": the flags of a kind, or all. */
static void add_flags(struct text *out, enum kind kind, bool any, const char *between)
{
	bool first = true;

	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (!options[i].flag || (!any && kind_of((enum opt)i) != kind))
			continue;
		text_addf(out, "%s--%s", first ? "" : between, options[i].flag);
		first = false;
	}
}

static void add_verbs(struct text *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		text_addf(out, "%s%s", i ? " " : "", verbs[i].name);
}

/* Between single quotes: `quote` is how the shell writes one there; `also` is escaped too. */
static void add_quoted(struct text *out, const char *s, const char *quote, const char *also)
{
	for (; *s; s++) {
		if (*s == '\'')
			text_add(out, quote);
		else if (strchr(also, *s))
			text_addf(out, "\\%c", *s);
		else
			text_addn(out, s, 1);
	}
}

/* The flags whose value stands in the next word: everything but booleans. */
static void bash_takes_word(struct text *out)
{
	text_add(out, "-p");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].flag && options[i].type != TYPE_BOOL)
			text_addf(out, "|--%s", options[i].flag);
	}
}

static void bash_values(struct text *out)
{
	text_add(out, "\tcase $prev in\n");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (!options[i].flag || kind_of((enum opt)i) != KIND_WORDS)
			continue;
		/* A boolean's value stands only behind '='. */
		text_addf(out, "\t--%s)\n", options[i].flag);
		if (options[i].type == TYPE_BOOL)
			text_add(out, "\t\tif [[ $joined ]]; then\n\t");
		text_addf(out, "\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n",
			  words_of((enum opt)i));
		text_add(out, options[i].type == TYPE_BOOL ? "\t\t\treturn\n\t\tfi\n\t\t;;\n"
							   : "\t\treturn\n\t\t;;\n");
	}
	text_add(out, "\t");
	add_flags(out, KIND_DIR, false, "|");
	text_add(out, ")\n\t\tcompopt -o filenames 2>/dev/null\n"
		      "\t\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n\t\treturn\n\t\t;;\n\t");
	add_flags(out, KIND_FILE, false, "|");
	text_add(out, ")\n\t\tcompopt -o filenames 2>/dev/null\n"
		      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\treturn\n\t\t;;\n\t-p|");
	add_flags(out, KIND_PROFILE, false, "|");
	text_add(out, ")\n\t\tcompopt -o filenames 2>/dev/null\n"
		      "\t\tCOMPREPLY=($(compgen -W \"$(_jail_profiles)\" -- \"$cur\")"
		      " $(compgen -f -X '!*.ini' -- \"$cur\"))\n\t\treturn\n\t\t;;\n\t");
	add_flags(out, KIND_OTHER, false, "|");
	text_add(out, ")\n\t\treturn\n\t\t;;\n\tesac\n");
}

static void bash_script(struct text *out)
{
	text_add(out, "# bash completion for jail, made by `jail completion bash`\n"
		      "_jail_profiles()\n{\n"
		      "\tlocal name rest\n"
		      "\tjail profile ls 2>/dev/null | while read -r name rest; do\n"
		      "\t\techo \"$name\"\n\tdone\n}\n\n"
		      "_jail()\n{\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		      "\tlocal verb= joined= i\n"
		      "\tCOMPREPLY=()\n"
		      "\tif [[ $cur == = ]]; then\n\t\tcur= joined=1\n"
		      "\telif [[ $prev == = ]]; then\n"
		      "\t\tprev=${COMP_WORDS[COMP_CWORD-2]} joined=1\n\tfi\n"
		      "\t# the first word that is no flag and no flag's value\n"
		      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		      "\t\tcase ${COMP_WORDS[i]} in\n"
		      "\t\t--) verb=--; break ;;\n\t\t");
	bash_takes_word(out);
	text_add(out, ")\n\t\t\t[[ ${COMP_WORDS[i+1]} == = ]] && ((i++))\n\t\t\t((i++)) ;;\n"
		      "\t\t=) ((i++)) ;;\n\t\t-*) ;;\n"
		      "\t\t*)\n\t\t\t[[ $verb ]] && break\n"
		      "\t\t\tverb=${COMP_WORDS[i]}\n"
		      "\t\t\t[[ $verb == explain ]] || break ;;\n\t\tesac\n\tdone\n"
		      "\tcase $verb in\n"
		      "\trun)\n\t\tif ((i == COMP_CWORD - 1)); then\n"
		      "\t\t\tCOMPREPLY=($(compgen -W \"$(_jail_profiles)\" -- \"$cur\"))\n"
		      "\t\telse\n\t\t\tcompopt -o filenames 2>/dev/null\n"
		      "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\tfi\n"
		      "\t\treturn\n\t\t;;\n"
		      "\tprofile)\n\t\tif ((i == COMP_CWORD - 1)); then\n"
		      "\t\t\tCOMPREPLY=($(compgen -W 'ls show check' -- \"$cur\"))\n\t\telse\n"
		      "\t\t\tCOMPREPLY=($(compgen -W \"$(_jail_profiles)\" -- \"$cur\"))\n\t\tfi\n"
		      "\t\treturn\n\t\t;;\n"
		      "\tcompletion)\n\t\tCOMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\"))\n"
		      "\t\treturn\n\t\t;;\n"
		      "\tdoctor)\n\t\tCOMPREPLY=($(compgen -W '--json' -- \"$cur\"))\n"
		      "\t\treturn\n\t\t;;\n"
		      "\t''|explain) ;;\n"
		      "\t*)\n\t\tcompopt -o filenames 2>/dev/null\n"
		      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\treturn\n\t\t;;\n\tesac\n");
	bash_values(out);
	text_add(out, "\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '");
	add_flags(out, KIND_NONE, true, " ");
	text_add(out, "' -- \"$cur\"))\n\telse\n\t\tCOMPREPLY=($(compgen -W '");
	add_verbs(out);
	text_add(out, "' -- \"$cur\") $(compgen -c -- \"$cur\"))\n\tfi\n}\n\n"
		      "complete -F _jail jail\n");
}

static void zsh_flag(struct text *out, enum opt id)
{
	static const char *const actions[] = {
		[KIND_NONE] = "",
		[KIND_WORDS] = "",
		[KIND_DIR] = "_files -/",
		[KIND_FILE] = "_files",
		[KIND_PROFILE] = "_jail_profiles",
		[KIND_OTHER] = " ",
	};
	const struct option_def *o = &options[id];
	enum kind kind = kind_of(id);

	text_add(out, "\t\t");
	if (o->bits & OPT_BIT_LIST)
		text_add(out, "'*'");
	if (id == OPT_PROFILE)
		text_add(out, "{-p+,--profile=}'");
	else if (id == OPT_HELP)
		text_add(out, "{-h,--help}'");
	else if (kind == KIND_NONE)
		text_addf(out, "'--%s", o->flag);
	else
		text_addf(out, "'--%s=%s", o->flag, o->type == TYPE_BOOL ? "-" : "");
	text_add(out, "[");
	add_quoted(out, o->help, "'\\''", "[]\\");
	text_add(out, "]");
	if (kind != KIND_NONE) {
		text_add(out, o->type == TYPE_BOOL ? "::" : ":");
		add_quoted(out, o->arg, "'\\''", ":\\");
		if (kind == KIND_WORDS)
			text_addf(out, ":(%s)", words_of(id));
		else
			text_addf(out, ":%s", actions[kind]);
	}
	text_add(out, "' \\\n");
}

static void zsh_script(struct text *out)
{
	text_add(out, "#compdef jail\n"
		      "# zsh completion for jail, made by `jail completion zsh`\n\n"
		      "_jail_profiles() {\n"
		      "\tlocal -a names\n"
		      "\tnames=(${(f)\"$(_call_program profiles jail profile ls 2>/dev/null)\"})\n"
		      "\tnames=(${names%%[[:space:]]*})\n"
		      "\t_alternative 'profiles:profile:compadd -a names' "
		      "'files:file:_files -g \"*.ini\"'\n}\n\n"
		      "_jail_verbs() {\n\tlocal -a verbs\n\tverbs=(\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		text_addf(out, "\t\t'%s:%s'\n", verbs[i].name, verbs[i].help);
	text_add(out, "\t)\n\t_describe -t verbs verb verbs\n"
		      "\t_command_names -e\n}\n\n"
		      "_jail_rest() {\n\tcase $words[1] in\n"
		      "\trun) _arguments '1:profile:_jail_profiles' '*:argument:_files' ;;\n"
		      "\tprofile) _arguments '1:action:(ls show check)' "
		      "'*:profile:_jail_profiles' ;;\n"
		      "\tcompletion) _arguments '1:shell:(bash zsh fish)' ;;\n"
		      "\tdoctor) _arguments '--json[print JSON]' ;;\n"
		      "\texplain) _jail ;;\n"
		      "\t*) _normal ;;\n\tesac\n}\n\n"
		      "_jail() {\n\t_arguments -S -A '-*' \\\n");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].flag)
			zsh_flag(out, (enum opt)i);
	}
	text_add(out, "\t\t'1:command:_jail_verbs' \\\n"
		      "\t\t'*::argument:_jail_rest'\n}\n\n"
		      "_jail \"$@\"\n");
}

static void fish_flag(struct text *out, enum opt id)
{
	static const char *const how[] = {
		[KIND_NONE] = "",
		[KIND_WORDS] = " -x",
		[KIND_DIR] = " -x -a '(__fish_complete_directories)'",
		[KIND_FILE] = " -r -F",
		[KIND_PROFILE] = " -r -F -a '(__jail_profiles)'",
		[KIND_OTHER] = " -x",
	};
	const struct option_def *o = &options[id];
	enum kind kind = kind_of(id);

	text_add(out, "complete -c jail -n __jail_flags");
	if (id == OPT_PROFILE)
		text_add(out, " -s p");
	if (id == OPT_HELP)
		text_add(out, " -s h");
	/* Without -x a boolean still completes behind '=' and takes no word of its own. */
	text_addf(out, " -l %s%s", o->flag, o->type == TYPE_BOOL ? "" : how[kind]);
	if (kind == KIND_WORDS)
		text_addf(out, " -a '%s'", words_of(id));
	text_add(out, " -d '");
	add_quoted(out, o->help, "\\'", "\\");
	text_add(out, "'\n");
}

static void fish_script(struct text *out)
{
	text_add(out, "# fish completion for jail, made by `jail completion fish`\n"
		      "function __jail_profiles\n"
		      "\tjail profile ls 2>/dev/null | string replace -r '\\s.*' ''\n"
		      "end\n\n"
		      "function __jail_flags\n"
		      "\tnot __fish_seen_subcommand_from run doctor selftest profile completion\n"
		      "end\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		text_addf(out, "complete -c jail -n __fish_use_subcommand -a %s -d '%s'\n",
			  verbs[i].name, verbs[i].help);
	text_add(out, "complete -c jail -n __fish_use_subcommand "
		      "-a '(__fish_complete_command)'\n"
		      "complete -c jail -n '__fish_seen_subcommand_from run' "
		      "-a '(__jail_profiles)'\n"
		      "complete -c jail -n '__fish_seen_subcommand_from profile' "
		      "-a 'ls show check (__jail_profiles)'\n"
		      "complete -c jail -n '__fish_seen_subcommand_from completion' "
		      "-f -a 'bash zsh fish'\n"
		      "complete -c jail -n '__fish_seen_subcommand_from doctor' -f -l json\n\n");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].flag)
			fish_flag(out, (enum opt)i);
	}
}

bool options_completion(const char *shell, struct text *out)
{
	if (str_eq(shell, "bash"))
		bash_script(out);
	else if (str_eq(shell, "zsh"))
		zsh_script(out);
	else if (str_eq(shell, "fish"))
		fish_script(out);
	else
		return false;
	return true;
}
