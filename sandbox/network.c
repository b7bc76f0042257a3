// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the lists of [network] to the policy that the gate reads; P0.
 *
 * Every rule keeps where it came from: "claude.ini:12", or "claude.ini:12 (@pypi)" when a group
 * stands between. Groups are looked up only when one is named, and only for a gate.
 */
#include "sandbox/network.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "net/gate.h"
#include "profiles/hostgroups.h"
#include "sandbox/machine.h"

struct builder {
	struct arena *arena;
	const struct draft *draft;
	struct plan *plan; /* NULL: the words are checked, and nothing is made */
	struct net_policy *policy;
	struct profile_file **files; /* what groups were taken from; NULL: they are not looked up */
	struct hostgroup *groups;
	bool groups_read;
	struct err *e;
};

/* One word of a list, and where it stands. */
struct place {
	enum opt id;
	const struct value *value;
	const char *word;
};

static void place_format(const struct place *at, struct text *t)
{
	origin_format(&at->value->origin, at->id, t);
}

int network_refuse(enum opt id, const struct value *v, const char *word, const char *reason,
		   struct err *e)
{
	char origin[200];
	struct text t;

	if (v->origin.kind == ORIGIN_FLAG)
		return err_set(e, ST_USAGE, 0, "--%s=%.100s: %s", options[id].flag, word, reason);
	text_init(&t, origin, sizeof(origin));
	origin_format(&v->origin, id, &t);
	return err_set(e, ST_PLAN, 0, "%s: %s = %.100s: %s", origin, options[id].key, word, reason);
}

static int refuse(const struct builder *b, const struct place *at, const char *reason)
{
	return network_refuse(at->id, at->value, at->word, reason, b->e);
}

/* The end of a long one tells more than its beginning. */
static void set_origin(struct rule *r, const struct place *at, const char *group)
{
	char whole[512];
	struct text t, out;

	text_init(&t, whole, sizeof(whole));
	place_format(at, &t);
	if (group)
		text_addf(&t, " (@%s)", group);
	text_init(&out, r->origin, sizeof(r->origin));
	if (t.len >= sizeof(r->origin))
		text_addf(&out, "...%s", whole + t.len - (sizeof(r->origin) - 4));
	else
		text_add(&out, whole);
}

static int add_rule(struct builder *b, const struct place *at, const struct rule *r, const char *group)
{
	struct net_policy *p = b->policy;

	if (!p)
		return 0;
	if (p->rules == POLICY_RULES_MAX)
		return refuse(b, at, "more rules than the gate can have (2048)");
	p->rule[p->rules] = *r;
	set_origin(&p->rule[p->rules++], at, group);
	return 0;
}

/* The rules of one line of groups.ini. */
static int add_group_line(struct builder *b, const struct place *at, const struct hostgroup *g)
{
	const char *s = g->words;
	int rc = 0;

	while (rc == 0 && *s) {
		size_t n = strcspn(s, " ");
		struct err why = { 0 };
		struct rule r;
		const char *word = arena_strndup(b->arena, s, n);

		if (rule_parse(word, &r, &why) < 0)
			return err_set(b->e, ST_PLAN, 0, "%.200s:%u: %s = %.100s: %s", g->file,
				       g->line, g->name, word,
				       word[0] == '@' ? "a group has no groups in it" : why.what);
		rc = add_rule(b, at, &r, g->name);
		s += n;
		s += strspn(s, " ");
	}
	return rc;
}

static int unknown_group(struct builder *b, const struct place *at, const char *name)
{
	char small[64];
	struct text t;
	const char *near;

	text_init(&t, small, sizeof(small));
	text_add(&t, name);
	for (char *s = small; *s; s++) /* as all groups are written */
		*s = *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : *s;
	near = machine_knows(small) ? small : hostgroups_nearest(b->groups, small);
	if (near)
		return refuse(b, at,
			      arena_printf(b->arena, "no such group; did you mean '@%s'?", near));
	return refuse(b, at,
		      "no such group; jail-profile(5) says which there are and where to add one");
}

/* What this machine's configuration says. */
static int add_machine(struct builder *b, const struct place *at, const char *name)
{
	struct sources *s = arena_new(b->arena, struct sources);
	int rc = machine_hosts(b->arena, b->plan->caller, name, s, b->files, b->e);

	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		struct err why = { 0 };
		struct rule r;

		if (rule_parse(s->word[i], &r, &why) < 0)
			return refuse(b, at, why.what);
		rc = add_rule(b, at, &r, name);
	}
	if (rc == 0 && str_eq(name, "npm") && !s->registry)
		return refuse(
			b, at,
			"npm has no registry configured here; run: npm config set registry $(npm config get registry)");
	if (rc == 0 && !s->n)
		return refuse(b, at, "this machine's configuration names no host for it");
	return rc;
}

static int read_groups(struct builder *b)
{
	if (b->groups_read)
		return 0;
	b->groups_read = true;
	return hostgroups_read(b->arena, b->draft->expand, &b->groups, b->files, b->e);
}

static int add_group(struct builder *b, const struct place *at, const char *name)
{
	bool found = false;
	int rc;

	if (!b->files)
		return 0;
	rc = read_groups(b);
	for (const struct hostgroup *g = b->groups; rc == 0 && g; g = g->next) {
		if (!str_eq(g->name, name))
			continue;
		found = true;
		rc = add_group_line(b, at, g);
	}
	if (rc == 0 && !found && machine_knows(name))
		return b->plan ? add_machine(b, at, name) : 0;
	return rc == 0 && !found ? unknown_group(b, at, name) : rc;
}

static bool is_group(const struct builder *b, const char *name)
{
	const struct hostgroup *g = b->groups;

	while (g && !str_eq(g->name, name))
		g = g->next;
	return g || machine_knows(name);
}

/* What is a rule, and may be meant otherwise. */
static int note_rule(struct builder *b, const struct place *at, const struct rule *r)
{
	const bool one_label = !r->addr.family && !strchr(r->name, '.');
	int rc = 0;

	if (!b->policy)
		return 0;
	if (one_label && str_eq(at->word, r->name)) {
		rc = read_groups(b);
		if (rc == 0 && is_group(b, r->name))
			plan_note(b->arena, b->plan, false, "network-group",
				  "allow = %s is a host of that name; the group is @%s", r->name,
				  r->name)
				->said = true;
	}
	if (one_label && r->wildcard)
		plan_note(b->arena, b->plan, false, "network-wide",
			  "allow = %s is a whole top-level domain: whoever has a name there",
			  r->text);
	if (r->first <= GATE_DNS_PORT && r->last >= GATE_DNS_PORT)
		plan_note(b->arena, b->plan, false, "network-port",
			  "allow = %s: port 53 stays jail's own resolver", r->text);
	return rc;
}

static int take_allow(struct builder *b, const struct place *at)
{
	struct err why = { 0 };
	struct rule r;
	int rc;

	if (at->word[0] == '@')
		return at->word[1] ? add_group(b, at, at->word + 1)
				   : refuse(b, at, "'@' and the name of a group, as in @pypi");
	if (rule_parse(at->word, &r, &why) < 0)
		return refuse(b, at, why.what);
	rc = note_rule(b, at, &r);
	return rc < 0 ? rc : add_rule(b, at, &r, NULL);
}

static int take_resolve(struct builder *b, const struct place *at)
{
	struct net_policy *p = b->policy;
	struct err why = { 0 };
	struct pin pin;

	if (pin_parse(at->word, &pin, &why) < 0)
		return refuse(b, at, why.what);
	if (!p)
		return 0;
	if (policy_find_pin(p, pin.name))
		return refuse(b, at, "the name has an address already: remove one");
	if (!policy_find(p, pin.name, 0))
		return refuse(b, at, "no rule of allow is for that name");
	if (p->pins == POLICY_PINS_MAX)
		return refuse(b, at, "more than 256 names");
	p->pin[p->pins++] = pin;
	return 0;
}

static bool inside_taken(const struct port_pair *p, uint32_t n, uint16_t port)
{
	for (uint32_t i = 0; i < n; i++) {
		if (p[i].inside == port)
			return true;
	}
	return false;
}

static bool outside_taken(const struct port_pair *p, uint32_t n, uint16_t port)
{
	for (uint32_t i = 0; i < n; i++) {
		if (p[i].outside == port)
			return true;
	}
	return false;
}

/* A network namespace begins with this limit, and the command has no right to pass it. */
enum { PORTS_LOW = 1024 };

static const char *low_inside(struct arena *a, const struct port_pair *p)
{
	const unsigned high = p->inside + 8000u;

	if (p->inside == p->outside)
		return arena_printf(a, "nothing inside can listen at a port below 1024: use %u", high);
	return arena_printf(a, "nothing inside can listen at a port below 1024: use %u:%u", high,
			    p->outside);
}

static int take_port(struct builder *b, const struct place *at)
{
	const bool publish = at->id == OPT_PUBLISH;
	struct net_policy *p = b->policy;
	struct err why = { 0 };
	struct port_pair pair;
	uint32_t *n;

	if (port_pair_parse(at->word, &pair, &why) < 0)
		return refuse(b, at, why.what);
	if (pair.inside == GATE_PORT || pair.inside == GATE_DNS_PORT)
		return refuse(b, at, "ports 2 and 53 inside are jail's own");
	if (publish && pair.inside < PORTS_LOW)
		return refuse(b, at, low_inside(b->arena, &pair));
	if (!p)
		return 0;
	n = publish ? &p->publish : &p->host_ports;
	if (inside_taken(p->host_port, p->host_ports, pair.inside) ||
	    inside_taken(p->published, p->publish, pair.inside))
		return refuse(b, at, "the port inside is in use by another line");
	if (publish && outside_taken(p->published, p->publish, pair.outside))
		return refuse(b, at, "the port outside is in use by another line");
	if (*n == POLICY_PORTS_MAX)
		return refuse(b, at, "more than 64 ports");
	(publish ? p->published : p->host_port)[(*n)++] = pair;
	return 0;
}

/* In this order: a name is pinned that a rule is for. */
static const struct {
	enum opt id;
	int (*take)(struct builder *b, const struct place *at);
} lists[] = {
	{ OPT_ALLOW, take_allow },
	{ OPT_HOST_PORT, take_port },
	{ OPT_PUBLISH, take_port },
	{ OPT_RESOLVE, take_resolve },
};

static int take_lists(struct builder *b)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (const struct value *v = draft_get(b->draft, lists[i].id); v; v = v->next) {
			const char *s = v->text;

			while (rc == 0 && *s) {
				size_t n = strcspn(s, " ");
				struct place at = { lists[i].id, v, arena_strndup(b->arena, s, n) };

				rc = lists[i].take(b, &at);
				s += n;
				s += strspn(s, " ");
			}
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int plan_proxy(struct builder *b)
{
	static const char *const names[] = { "https_proxy", "HTTPS_PROXY" };
	const struct value *v = draft_get(b->plan->draft, OPT_PROXY);
	struct place at = { OPT_PROXY, v, v->text };
	const char *url = v->text, *from = NULL;
	struct err why = { 0 };

	if (str_eq(url, "none"))
		return 0;
	if (str_eq(url, "host")) {
		url = NULL;
		for (size_t i = 0; i < ARRAY_SIZE(names) && !url; i++) {
			from = names[i];
			url = caller_getenv(b->plan->caller, from);
		}
		if (!url || !*url)
			return 0;
	}
	if (strchr(at.word, '@'))
		at.word = "..."; /* a password is not repeated */
	if (proxy_parse(url, b->policy, &why) == 0)
		return 0;
	return refuse(b, &at,
		      from ? arena_printf(b->arena, "%s of the caller: %s", from, why.what)
			   : why.what);
}

/* What only a gate uses; first what mode = host cannot stand beside. */
static const enum opt gate_only[] = { OPT_ALLOW,   OPT_HOST_PORT, OPT_PUBLISH,
				      OPT_RESOLVE, OPT_PROXY,	  OPT_EVENTS };

/* The first of these that comes from such a place; no value: none. */
static struct place find_gate_only(const struct draft *d, enum origin_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(gate_only); i++) {
		for (const struct value *v = draft_get(d, gate_only[i]); v; v = v->next) {
			if (v->origin.kind == kind)
				return (struct place){ gate_only[i], v, v->text };
		}
	}
	return (struct place){ OPT_COUNT, NULL, NULL };
}

static bool wants_gate(const struct draft *d)
{
	for (const struct value *v = draft_get(d, OPT_NETWORK); v; v = v->replaced) {
		if (v->number == NETWORK_GATE)
			return true;
	}
	return false;
}

bool network_in_vain(const struct draft *d, struct text *t)
{
	struct place at = find_gate_only(d, ORIGIN_FILE);

	if (!at.value || wants_gate(d))
		return false;
	place_format(&at, t);
	text_addf(t, ": %s has no effect without mode = gate", options[at.id].key);
	return true;
}

/* The words of all lists; and with a mode other than gate, what cannot stand beside it. */
static int check_lists(struct builder *b)
{
	enum network_mode mode = (enum network_mode)draft_get(b->draft, OPT_NETWORK)->number;
	struct place at;
	int rc = take_lists(b);

	if (rc < 0 || mode == NETWORK_GATE)
		return rc;
	at = find_gate_only(b->draft, ORIGIN_FLAG);
	if (at.value)
		return refuse(b, &at, "needs --network gate");
	at = find_gate_only(b->draft, ORIGIN_FILE);
	if (mode == NETWORK_HOST && at.value && at.id != OPT_PROXY)
		return refuse(b, &at,
			      "mode = host lets everything through: use mode = gate, or remove this");
	return 0;
}

static int check_gate(struct builder *b)
{
	const struct draft *d = b->plan->draft;
	const struct net_policy *p = b->policy;
	const struct value *mode = draft_get(d, OPT_NETWORK), *loopback = draft_get(d, OPT_LOOPBACK);

	if (!loopback->number)
		return refuse(b, &(struct place){ OPT_LOOPBACK, loopback, loopback->text },
			      "mode = gate needs localhost inside: loopback = yes");
	if (!p->rules && !p->host_ports && !p->publish)
		return refuse(
			b, &(struct place){ OPT_NETWORK, mode, mode->text },
			"allow is empty, so nothing would get through: name a host, or use mode = none");
	return 0;
}

int network_check(const struct draft *d, struct err *e)
{
	struct profile_file *files = NULL;
	struct builder b = { .arena = d->arena, .draft = d, .files = &files, .e = e };

	return check_lists(&b);
}

/* Modes other than gate: groups are not even read. */
static int plan_without(struct builder *b)
{
	char vain[400];
	struct text t;
	int rc = check_lists(b);

	text_init(&t, vain, sizeof(vain));
	if (rc == 0 && network_in_vain(b->draft, &t))
		plan_note(b->arena, b->plan, false, "network-lists", "%s", vain)->said = true;
	return rc;
}

int network_plan(struct arena *a, struct plan *p, struct err *e)
{
	struct builder b = { .arena = a, .draft = p->draft, .plan = p, .e = e };
	struct text t;
	int rc;

	if (draft_get(p->draft, OPT_NETWORK)->number != NETWORK_GATE)
		return plan_without(&b);
	b.files = &p->deciding;
	/* Room for all; pages that are not touched cost nothing. */
	b.policy = arena_alloc(a, policy_size(POLICY_RULES_MAX));
	b.policy->magic = POLICY_MAGIC;
	b.policy->redirected = true;
	text_init(&t, b.policy->jail, sizeof(b.policy->jail));
	text_addf(&t, "%.48s-%d", p->hostname, (int)getpid());
	rc = take_lists(&b);
	if (rc == 0)
		rc = plan_proxy(&b);
	if (rc == 0)
		rc = check_gate(&b);
	if (rc < 0)
		return rc;
	b.policy->size = (uint32_t)policy_size(b.policy->rules);
	p->network = b.policy;
	p->without_nft = draft_get(p->draft, OPT_WITHOUT_NFT)->number != 0;
	return 0;
}
