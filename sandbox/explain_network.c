// SPDX-License-Identifier: GPL-2.0-or-later
/* The network's policy in words and as JSON; P0, pure. */
#include "sandbox/network.h"

static const char *const kinds[] = { [RULE_TLS] = "tls", [RULE_HTTP] = "http", [RULE_TCP] = "tcp" };

static void add_ports(struct text *t, const char *what, const struct port_pair *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		text_addf(t, "  %-8s 127.0.0.1:%u inside, 127.0.0.1:%u outside\n", what,
			  p[i].inside, p[i].outside);
}

static void add_proxy(const struct net_policy *p, struct text *t)
{
	if (p->proxy_addr.family == 6)
		text_add(t, "[");
	if (p->proxy_addr.family)
		addr_format(&p->proxy_addr, t);
	else
		text_add(t, p->proxy_name);
	text_addf(t, "%s:%u", p->proxy_addr.family == 6 ? "]" : "", p->proxy_port);
}

void explain_network_text(const struct plan *p, struct text *t)
{
	const struct net_policy *n = p->network;

	if (!n)
		return;
	text_add(t, "\nNetwork (what is not listed is refused)\n");
	for (uint32_t i = 0; i < n->rules; i++) {
		const struct rule *r = &n->rule[i], *by = policy_shadow(n, r);

		text_addf(t, "  %-8s ", kinds[r->kind]);
		text_add_clean(t, r->text);
		if (r->first != r->last)
			text_addf(t, "  (ports %u to %u; ", r->first, r->last);
		else
			text_addf(t, "  (port %u; ", r->first);
		text_add_clean(t, r->origin);
		if (by) {
			text_addf(t, "; shadowed by %s, ", by->text);
			text_add_clean(t, by->origin);
		}
		text_add(t, ")\n");
	}
	add_ports(t, "host", n->host_port, n->host_ports);
	add_ports(t, "publish", n->published, n->publish);
	for (uint32_t i = 0; i < n->pins; i++) {
		text_addf(t, "  %-8s %s is at ", "resolve", n->pin[i].name);
		addr_format(&n->pin[i].addr, t);
		if (n->pin[i].port)
			text_addf(t, " port %u", n->pin[i].port);
		text_add(t, "\n");
	}
	if (n->use_proxy) {
		text_addf(t, "  %-8s ", "proxy");
		add_proxy(n, t);
		text_add(t, "\n");
	}
}

static void json_addr(struct json *j, const char *key, const struct addr *a)
{
	char buf[64];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	addr_format(a, &t);
	json_str(j, key, buf);
}

static void json_rules(struct json *j, const struct net_policy *n)
{
	json_open(j, "rules", '[');
	for (uint32_t i = 0; i < n->rules; i++) {
		const struct rule *r = &n->rule[i], *by = policy_shadow(n, r);

		json_open(j, NULL, '{');
		json_str(j, "rule", r->text);
		json_str(j, "kind", kinds[r->kind]);
		if (r->addr.family) {
			json_addr(j, "address", &r->addr);
			json_int(j, "bits", r->bits);
		} else {
			json_str(j, "name", r->name);
			json_bool(j, "wildcard", r->wildcard);
		}
		json_int(j, "first", r->first);
		json_int(j, "last", r->last);
		json_str(j, "origin", r->origin);
		if (by)
			json_int(j, "shadowed_by", by - n->rule);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_ports(struct json *j, const char *key, const struct port_pair *p, uint32_t n)
{
	json_open(j, key, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		json_int(j, "inside", p[i].inside);
		json_int(j, "outside", p[i].outside);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void explain_network_json(const struct plan *p, struct json *j)
{
	const struct net_policy *n = p->network;
	char proxy[NAME_SIZE + 16];
	struct text t;

	if (!n)
		return;
	json_open(j, "gate", '{');
	json_rules(j, n);
	json_ports(j, "host_ports", n->host_port, n->host_ports);
	json_ports(j, "publish", n->published, n->publish);
	json_open(j, "resolve", '[');
	for (uint32_t i = 0; i < n->pins; i++) {
		json_open(j, NULL, '{');
		json_str(j, "name", n->pin[i].name);
		json_addr(j, "address", &n->pin[i].addr);
		if (n->pin[i].port)
			json_int(j, "port", n->pin[i].port);
		json_close(j, '}');
	}
	json_close(j, ']');
	text_init(&t, proxy, sizeof(proxy));
	if (n->use_proxy)
		add_proxy(n, &t);
	json_str(j, "proxy", n->use_proxy ? proxy : NULL);
	json_bool(j, "without_nft", p->without_nft);
	json_close(j, '}');
}
