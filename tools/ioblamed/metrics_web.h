/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics_web - who may read /metrics: a file as web.config.file of Prometheus' exporters
 *
 *	tls_server_config:
 *	  cert_file: /etc/ioblame/metrics.crt
 *	  key_file: /etc/ioblame/metrics.key
 *	basic_auth_users:
 *	  prometheus: $2y$10$...		# htpasswd -nBC 10 prometheus
 *
 * Parsing is pure.  A key that is not known is an error, never skipped: it may be one that
 * closes a door.
 */
#ifndef IOBLAMED_METRICS_WEB_H
#define IOBLAMED_METRICS_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	METRICS_WEB_USERS = 32,
	METRICS_WEB_TEXT = 256,
	METRICS_WEB_PASSWORD = 128,
};

struct metrics_web {
	char cert_file[METRICS_WEB_TEXT], key_file[METRICS_WEB_TEXT];	/* "": no TLS */
	bool tls13;			/* TLS 1.3 at least, else 1.2 */
	unsigned int nr_users;		/* 0: everyone may read */
	struct metrics_web_user {
		char name[METRICS_WEB_TEXT];
		char hash[64];		/* bcrypt */
		/* the last password that was right; "" before */
		char password[METRICS_WEB_PASSWORD];
	} users[METRICS_WEB_USERS];
	uint64_t refuse_until_ns;
};

bool metrics_web_parse(struct metrics_web *web, const char *text, size_t len, char *wrong,
		       size_t size);
bool metrics_web_user(struct metrics_web *web, const char *name, const char *password,
		      uint64_t (*time_ns)(void));

#endif
