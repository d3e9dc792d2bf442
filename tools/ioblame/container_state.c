// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "container.h"
#include "file.h"
#include "msg.h"

enum {
	STATE_MOST = 16 << 20,	/* bytes of a runtime's file */
};

/* A file that is not there is no loss; one that was not read may be. */
static void say_unread(const char *path, int err)
{
	static uint64_t said_ns;
	static int said;
	uint64_t now = clock_ns();

	if (err != ETIMEDOUT && err != ECANCELED && err != EAGAIN && err != ENOMEM)
		return;
	/* the same once in a minute */
	if (err == said && now - said_ns < 60000000000ULL)
		return;
	said = err;
	said_ns = now;
	if (err == ETIMEDOUT)
		msg("a container's name is not found: %s does not answer", path);
	else if (err == ECANCELED)
		msg("no more names of containers are read until one of those who read them has ended");
	else
		msg("a container's name is not found: cannot read %s: %s", path, strerror(err));
}

static struct json_object *read_json(const char *path)
{
	char *text = file_read_timed(path, STATE_MOST, FILE_LEFT_NAMES);
	struct json_object *o = text ? json_tokener_parse(text) : NULL;

	if (!text)
		say_unread(path, errno);
	free(text);
	return o;
}

static const char *text_in(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static char *name_of_docker(const struct container *c)
{
	struct json_object *o;
	const char *name;
	char path[512], *to = NULL;

	snprintf(path, sizeof(path), "/var/lib/docker/containers/%s/config.v2.json", c->id);
	o = read_json(path);
	name = text_in(o, "Name");
	if (name)
		to = strdup(name + (*name == '/'));
	json_object_put(o);
	return to;
}

/* One file has all containers. */
static char *name_in_list(const char *path, const struct container *c)
{
	struct json_object *list = read_json(path), *names, *one;
	const char *id;
	char *to = NULL;
	size_t i;

	for (i = 0; json_object_is_type(list, json_type_array) && !to &&
	     i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		id = text_in(one, "id");
		if (!id || strcmp(id, c->id) || !json_object_object_get_ex(one, "names", &names) ||
		    !json_object_is_type(names, json_type_array) ||
		    !json_object_array_length(names))
			continue;
		one = json_object_array_get_idx(names, 0);
		if (json_object_is_type(one, json_type_string))
			to = strdup(json_object_get_string(one));
	}
	json_object_put(list);
	return to;
}

static char *name_of_podman(const struct container *c)
{
	char *to = NULL;
	glob_t g;
	size_t i;

	if (glob("/var/lib/containers/storage/*-containers/*containers.json", 0, NULL, &g))
		return NULL;
	for (i = 0; i < g.gl_pathc && !to; i++)
		to = name_in_list(g.gl_pathv[i], c);
	globfree(&g);
	return to;
}

/* A container of a pod has three names; one of nerdctl has one. */
static char *name_of_containerd(const struct container *c)
{
	struct json_object *o, *notes = NULL;
	const char *space, *pod, *name;
	char pattern[512], *to = NULL;
	glob_t g;

	snprintf(pattern, sizeof(pattern),
		 "/run/containerd/io.containerd.runtime.v2.task/*/%s/config.json", c->id);
	if (glob(pattern, 0, NULL, &g))
		return NULL;
	o = read_json(g.gl_pathv[0]);
	globfree(&g);
	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, "annotations", &notes);
	space = text_in(notes, "io.kubernetes.cri.sandbox-namespace");
	pod = text_in(notes, "io.kubernetes.cri.sandbox-name");
	name = text_in(notes, "io.kubernetes.cri.container-name");
	if (!pod)
		name = text_in(notes, "nerdctl/name");
	if (pod && asprintf(&to, "%s%s%s/%s", space ? space : "", space ? "/" : "", pod,
			    name ? name : "pause") < 0)
		to = NULL;
	else if (!pod && name)
		to = strdup(name);
	json_object_put(o);
	return to;
}

/* The name that the runtime's files have, allocated; NULL if it is not known. */
char *container_name(const struct container *c)
{
	char *name = name_of_docker(c), *label = NULL, *pod;

	if (!name)
		name = name_of_podman(c);
	if (!name)
		name = name_of_containerd(c);
	pod = name ? container_in_pod(name) : NULL;
	if (pod) {
		free(name);
		name = pod;
	}
	if (name && asprintf(&label, "%s:%.256s", c->runtime, name) < 0)
		label = NULL;
	free(name);
	return label;
}
