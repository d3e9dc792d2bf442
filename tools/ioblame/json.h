/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json - JSON lines: one object a line, each with its type
 */
#ifndef IOBLAME_JSON_H
#define IOBLAME_JSON_H

#include <stdint.h>

#include "cell.h"

/* Version of what --json prints: another one if the meaning of a key changes */
#define JSON_SCHEMA	2

struct json_object;

struct json_object *json_begin(const char *type);
void json_text(struct json_object *o, const char *key, const char *text);
void json_time(struct json_object *o, uint64_t ns);
void json_n(struct json_object *o, const char *key, uint64_t n);
void json_print(struct json_object *o);
void json_row(const char *type, const struct col *cols, unsigned int nr, const struct cell *cells);

/* A line in pieces, for what is no row */
void json_line(void);
void json_put(const char *bytes);
void json_put_text(const char *text);
void json_put_n(int64_t n);
void json_line_print(void);

#endif
