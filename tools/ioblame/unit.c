// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

/* A part of a path; len 0: there is none */
struct part {
	const char *at;
	size_t len;
};

static bool ends_in(struct part p, const char *end)
{
	size_t n = strlen(end);

	return p.len > n && !memcmp(p.at + p.len - n, end, n);
}

static bool begins_with(struct part p, const char *begin)
{
	size_t n = strlen(begin);

	return p.len > n && !memcmp(p.at, begin, n);
}

static bool is(struct part p, const char *name)
{
	return p.len == strlen(name) && !memcmp(p.at, name, p.len);
}

/* The kinds of units that have a cgroup and are no slice */
static bool is_unit(struct part p)
{
	return ends_in(p, ".service") || ends_in(p, ".scope") || ends_in(p, ".socket") ||
	       ends_in(p, ".mount") || ends_in(p, ".swap");
}

/* A container of LXC, or what holds these */
static bool is_lxc(struct part p)
{
	return begins_with(p, "lxc.") || is(p, "lxc");
}

static struct part next(struct part p)
{
	p.at += p.len;
	p.at += strspn(p.at, "/");
	p.len = strcspn(p.at, "/");
	return p;
}

/* The next part that is no slice; the last slice if there is none. */
static struct part next_in_slices(struct part p)
{
	struct part after = next(p);

	do {
		p = after;
		after = next(p);
	} while (after.len && ends_in(p, ".slice"));
	return p;
}

/* As lxc.payload.NAME, or lxc/NAME and maybe "ns" (Proxmox).  @p becomes the last part of these. */
static bool take_lxc(struct part *p, struct part *name)
{
	static const char payload[] = "lxc.payload.";
	struct part below = next(*p);

	*name = *p;
	if (begins_with(*p, payload)) {
		name->at += strlen(payload);
		name->len -= strlen(payload);
		return true;
	}
	if (!is(*p, "lxc") || !below.len)
		return false;
	*name = below;
	*p = is(next(below), "ns") ? next(below) : below;
	return true;
}

/**
 * unit_above - what a path has above a part of it
 * @path: of a cgroup
 * @end:  where the part begins
 *
 * Return: UNIT_ABOVE if one of these has, or may have, given what is below it to others.
 */
enum unit_above unit_above(const char *path, const char *end)
{
	enum unit_above above = SLICES_ABOVE;
	struct part p;

	for (p = next((struct part){ .at = path }); p.at < end; p = next(p)) {
		if (is_unit(p) || is_lxc(p))
			return UNIT_ABOVE;
		if (!ends_in(p, ".slice"))
			above = FOLDERS_ABOVE;
	}
	return above;
}

static const char *last_part(const char *path)
{
	const char *base = strrchr(path, '/');

	return base && base[1] ? base + 1 : path;
}

/* The part alone: where it is, or in @to if something is behind it. */
static const char *alone(struct part p, char *to, size_t size)
{
	if (!p.at[p.len])
		return p.at;
	snprintf(to, size, "%.*s", (int)p.len, p.at);
	return to;
}

/**
 * unit_of - the unit of a cgroup
 * @path: its path
 * @to:   room for it
 * @size: of that
 *
 * Return: @to or a part of @path; the last part if there is no unit.
 */
const char *unit_of(const char *path, char *to, size_t size)
{
	struct part p = next_in_slices((struct part){ .at = path }), name;
	static const char service[] = ".service";

	if (take_lxc(&p, &name)) {
		p = next_in_slices(p);
		snprintf(to, size, "lxc:%.*s%s%.*s", (int)name.len, name.at, p.len ? "/" : "",
			 (int)p.len, p.at);
		return to;
	}
	if (!is_unit(p))
		return last_part(path);
	if (!begins_with(p, "user@") || !ends_in(p, service))
		return alone(p, to, size);
	/* what is below belongs to the user, who gives it any name */
	name = p;
	p = next_in_slices(p);
	if (!p.len)
		return name.at;
	name.len -= strlen(service);
	snprintf(to, size, "%.*s/%.*s", (int)name.len, name.at, (int)p.len, p.at);
	return to;
}
