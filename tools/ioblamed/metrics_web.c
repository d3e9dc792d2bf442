// SPDX-License-Identifier: GPL-2.0
#include <crypt.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "metrics_web.h"
#include "msg.h"

enum {
	HASH_LENGTH = 60,
	COST_MOST = 14,			/* a second of a processor */
};

/* After a wrong password no other is tried for so long, and for so many times what its hash took */
#define REFUSE_NS	1000000000ULL
#define REFUSE_TIMES	10

struct web_parse {
	struct metrics_web *web;
	yaml_document_t doc;
	char *wrong;
	size_t size;
};

static bool say_wrong(struct web_parse *p, const yaml_node_t *node, const char *what)
{
	snprintf(p->wrong, p->size, "line %zu: %s", node ? node->start_mark.line + 1 : 1, what);
	return false;
}

/* The text of a scalar; NULL if it is none, or has a NUL in it */
static const char *node_text(const yaml_node_t *node)
{
	const char *text;

	if (!node || node->type != YAML_SCALAR_NODE)
		return NULL;
	text = (const char *)node->data.scalar.value;
	return strlen(text) == node->data.scalar.length ? text : NULL;
}

static bool take_text(struct web_parse *p, const yaml_node_t *node, char to[METRICS_WEB_TEXT])
{
	const char *text = node_text(node);

	if (!text || !*text || strlen(text) >= METRICS_WEB_TEXT)
		return say_wrong(p, node, "not the path of a file");
	strcpy(to, text);
	return true;
}

static bool take_tls(struct web_parse *p, const char *key, const yaml_node_t *value)
{
	const char *text = node_text(value);

	if (!strcmp(key, "cert_file"))
		return take_text(p, value, p->web->cert_file);
	if (!strcmp(key, "key_file"))
		return take_text(p, value, p->web->key_file);
	if (strcmp(key, "min_version"))
		return say_wrong(p, value,
				 "tls_server_config knows cert_file, key_file and min_version alone");
	p->web->tls13 = text && !strcmp(text, "TLS13");
	if (!p->web->tls13 && (!text || strcmp(text, "TLS12")))
		return say_wrong(p, value, "min_version is TLS12 or TLS13");
	return true;
}

/* Whether it is a hash of bcrypt: $2y$10$ and 53 characters */
static bool is_bcrypt(const char *hash)
{
	static const char digits[] =
		"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	int cost;

	if (strlen(hash) != HASH_LENGTH || strncmp(hash, "$2", 2) || !strchr("aby", hash[2]) ||
	    hash[3] != '$' || !isdigit((unsigned char)hash[4]) ||
	    !isdigit((unsigned char)hash[5]) || hash[6] != '$')
		return false;
	cost = atoi(hash + 4);
	return cost >= 4 && cost <= COST_MOST && strspn(hash + 7, digits) == HASH_LENGTH - 7;
}

static bool take_user(struct web_parse *p, const char *key, const yaml_node_t *value)
{
	struct metrics_web_user *user = &p->web->users[p->web->nr_users];
	const char *hash = node_text(value);
	unsigned int i;

	if (p->web->nr_users == METRICS_WEB_USERS)
		return say_wrong(p, value, "more than 32 users");
	if (!*key || strlen(key) >= sizeof(user->name) || strchr(key, ':'))
		return say_wrong(p, value, "not the name of a user");
	for (i = 0; i < p->web->nr_users; i++) {
		if (!strcmp(p->web->users[i].name, key))
			return say_wrong(p, value, "this user was there already");
	}
	if (!hash || !is_bcrypt(hash))
		return say_wrong(p, value, "not a hash of bcrypt of a cost of at most 14; "
				 "try: htpasswd -nBC 10 USER");
	strcpy(user->name, key);
	strcpy(user->hash, hash);
	p->web->nr_users++;
	return true;
}

typedef bool (*take_fn)(struct web_parse *p, const char *key, const yaml_node_t *value);

/* Call @take for each pair of a mapping.  An empty value is an empty mapping. */
static bool each_pair(struct web_parse *p, const yaml_node_t *node, take_fn take)
{
	yaml_node_pair_t *pair;
	const char *text = node_text(node);

	if (text && !*text)
		return true;
	if (node->type != YAML_MAPPING_NODE)
		return say_wrong(p, node, "KEY: VALUE was expected");
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(&p->doc, pair->key);

		text = node_text(key);
		if (!text)
			return say_wrong(p, key, "not a key");
		if (!take(p, text, yaml_document_get_node(&p->doc, pair->value)))
			return false;
	}
	return true;
}

static bool take_section(struct web_parse *p, const char *key, const yaml_node_t *value)
{
	if (!strcmp(key, "tls_server_config"))
		return each_pair(p, value, take_tls);
	if (!strcmp(key, "basic_auth_users"))
		return each_pair(p, value, take_user);
	return say_wrong(p, value, "only tls_server_config and basic_auth_users are known");
}

static bool take_document(struct web_parse *p)
{
	const yaml_node_t *root = yaml_document_get_root_node(&p->doc);

	if (root && !each_pair(p, root, take_section))
		return false;
	if (!*p->web->cert_file != !*p->web->key_file)
		return say_wrong(p, root, "cert_file and key_file belong together");
	return true;
}

/**
 * metrics_web_parse - read the configuration of who may read
 * @web:   the result; nothing of it counts if this fails
 * @text:  of the file
 * @len:   its bytes
 * @wrong: what is wrong with it, without a newline
 * @size:  bytes of @wrong
 *
 * Paths stay as they are written.
 * Return: whether it is right.
 */
bool metrics_web_parse(struct metrics_web *web, const char *text, size_t len, char *wrong,
		       size_t size)
{
	struct web_parse p = { .web = web, .wrong = wrong, .size = size };
	yaml_parser_t parser;
	bool good;

	memset(web, 0, sizeof(*web));
	if (!yaml_parser_initialize(&parser))
		must(NULL);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &p.doc)) {
		snprintf(wrong, size, "line %zu: %s", parser.problem_mark.line + 1,
			 parser.problem ? parser.problem : "not YAML");
		yaml_parser_delete(&parser);
		return false;
	}
	good = take_document(&p);
	yaml_document_delete(&p.doc);
	yaml_parser_delete(&parser);
	return good;
}

/* As strcmp(), but as long for each text of the same length */
static bool is_same(const char *a, const char *b)
{
	size_t len = strlen(a), i;
	unsigned char differ = 0;

	if (len != strlen(b))
		return false;
	for (i = 0; i < len; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static bool password_is(const struct metrics_web_user *user, const char *password)
{
	struct crypt_data *data = must(calloc(1, sizeof(*data)));
	const char *hash = crypt_r(password, user->hash, data);
	bool same = hash && is_same(hash, user->hash);

	explicit_bzero(data, sizeof(*data));
	free(data);
	return same;
}

/**
 * metrics_web_user - may this user read?
 * @web:      the configuration
 * @name:     of the user
 * @password: of the user
 * @time_ns:  of any clock that is not set
 *
 * A hash takes a tenth of a second, with the highest cost more than a second, so a password that
 * was right is kept.  After a wrong one no other is tried for a second, or for ten times as long as
 * its hash took: wrong ones get a tenth of the daemon's time.  A user that does not exist takes as
 * long as one that does.
 * Return: whether the password is right.
 */
bool metrics_web_user(struct metrics_web *web, const char *name, const char *password,
		      uint64_t (*time_ns)(void))
{
	struct metrics_web_user *user = NULL;
	uint64_t began_ns, ended_ns, rest;
	unsigned int i;

	if (!web->nr_users)
		return true;
	if (strlen(password) >= METRICS_WEB_PASSWORD)
		return false;
	for (i = 0; i < web->nr_users; i++) {
		if (!strcmp(web->users[i].name, name))
			user = &web->users[i];
	}
	if (user && *user->password && is_same(user->password, password))
		return true;
	began_ns = time_ns();
	if (began_ns < web->refuse_until_ns)
		return false;
	if (password_is(user ? user : &web->users[0], password) && user) {
		strcpy(user->password, password);
		return true;
	}
	ended_ns = time_ns();
	rest = (ended_ns - began_ns) * REFUSE_TIMES;
	web->refuse_until_ns = ended_ns + (rest > REFUSE_NS ? rest : REFUSE_NS);
	return false;
}
