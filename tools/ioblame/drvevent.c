// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drvevent.h"

#define COMM	DRVEVENT_COMM
/* What of a command's number is its tag */
#define NVME_TAG	0xfff

/* Copy up to one of @ends.  Return: what comes then; NULL if there is no such end. */
static const char *copy_word(char *to, size_t size, const char *from, const char *ends)
{
	size_t n = strcspn(from, ends);

	if (!from[n])
		return NULL;
	snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), from);
	return from + n;
}

/* The text behind a key such as " lun=", or NULL. */
static const char *value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

static uint64_t mix(uint64_t h, const char *text, size_t n)
{
	while (n--)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3ULL;
	return h;
}

/* The task, the time and the name of the event.  Return: the event's own text, or NULL. */
static const char *parse_begin(const char *line, struct drvevent *e, char *name, size_t size)
{
	const char *at = line, *comm = line;
	unsigned long long secs, usecs;
	size_t n;
	int used = 0;

	if (strnlen(line, COMM + 1) <= COMM || line[COMM] != '-')
		return NULL;
	n = strspn(comm, " ");
	if (n >= COMM)
		return NULL;
	memcpy(e->comm, comm + n, COMM - n);
	e->comm[COMM - n] = '\0';
	e->pid = strtoul(line + COMM + 1, NULL, 10);
	at = strchr(line + COMM, ']');
	if (!at || sscanf(at, "] %*s %llu.%6llu: %n", &secs, &usecs, &used) != 2 ||
	    !used)
		return NULL;
	e->ns = secs * 1000000000 + usecs * 1000;
	at = copy_word(name, size, at + used, ":");
	return at ? at + 1 : NULL;
}

static bool parse_result(const char *text, struct drvevent *e)
{
	char host[32] = "", status[40] = "", sense[40] = "";
	const char *at = value_of(text, "result=(");
	size_t n;

	if (!at)
		return false;
	if (value_of(at, "host="))
		copy_word(host, sizeof(host), value_of(at, "host="), " )");
	if (value_of(at, "status="))
		copy_word(status, sizeof(status), value_of(at, "status="), " )");
	if (value_of(at, "sense=("))
		copy_word(sense, sizeof(sense), value_of(at, "sense=("), ")");
	if (!strcmp(status, "SAM_STAT_GOOD") && !strcmp(host, "DID_OK"))
		return true;
	n = snprintf(e->result, sizeof(e->result), "%s", strcmp(host, "DID_OK") ? host :
		     strncmp(status, "SAM_STAT_", 9) ? status : status + 9);
	if (*sense && n < sizeof(e->result))
		snprintf(e->result + n, sizeof(e->result) - n, " %s", sense);
	return true;
}

static bool parse_scsi(const char *name, const char *text, struct drvevent *e)
{
	unsigned int host, channel, id, lun;
	const char *at, *raw, *end, *tag;

	e->kind = !strcmp(name, "scsi_dispatch_cmd_start") ? DRV_SENT :
		  !strcmp(name, "scsi_dispatch_cmd_timeout") ? DRV_TIMEOUT : DRV_DONE;
	if (sscanf(text, " host_no=%u channel=%u id=%u lun=%u", &host, &channel, &id, &lun) != 4)
		return false;
	snprintf(e->device, sizeof(e->device), "%u:%u:%u:%u", host, channel, id, lun);
	at = value_of(text, "cmnd=(");
	if (!at || !copy_word(e->command, sizeof(e->command), at, " "))
		return false;
	raw = value_of(at, " raw=");
	end = raw ? strchr(raw, ')') : NULL;
	if (!end)
		return false;
	e->match = mix(0xcbf29ce484222325ULL, e->device, strlen(e->device));
	e->match = mix(e->match, raw, end - raw);
	tag = value_of(text, " driver_tag=");
	if (tag)
		e->match = mix(e->match, tag, strcspn(tag, " "));
	tag = value_of(at, " lba=");
	if (tag && tag < raw) {
		e->has_block = true;
		e->block = strtoull(tag, NULL, 10);
		tag = value_of(tag, " txlen=");
		e->blocks = tag && tag < raw ? strtoull(tag, NULL, 10) : 0;
	}
	if (e->kind == DRV_TIMEOUT)
		snprintf(e->result, sizeof(e->result), "timeout");
	return e->kind != DRV_DONE || parse_result(end, e);
}

static bool parse_nvme(const char *name, const char *text, struct drvevent *e)
{
	unsigned int ctrl, queue, id, status;
	const char *disk = value_of(text, " disk="), *at = value_of(text, " qid="), *cmd;
	char number[64];

	e->nvme = true;
	e->kind = !strcmp(name, "nvme_setup_cmd") ? DRV_SENT : DRV_DONE;
	if (sscanf(text, " nvme%u:", &ctrl) != 1 || !at ||
	    sscanf(at, "%u, cmdid=%u", &queue, &id) != 2)
		return false;
	snprintf(e->device, sizeof(e->device), "nvme%u", ctrl);
	if (disk && disk < at)
		copy_word(e->device, sizeof(e->device), disk, ",");
	/* the upper bits count the uses of a tag; some kernels leave them out when it is done */
	snprintf(number, sizeof(number), "%u %u %u", ctrl, queue, id & NVME_TAG);
	e->match = mix(0xcbf29ce484222325ULL, number, strlen(number));
	if (e->kind == DRV_DONE) {
		at = value_of(at, " status=");
		status = at ? strtoul(at, NULL, 16) : 0;
		if (status)
			snprintf(e->result, sizeof(e->result), "status 0x%x", status);
		return at;
	}
	cmd = value_of(at, "cmd=(");
	if (!cmd || !copy_word(e->command, sizeof(e->command), cmd, " )"))
		return false;
	at = value_of(cmd, " slba=");
	if (at) {
		e->has_block = true;
		e->block = strtoull(at, NULL, 10);
	}
	return true;
}

/**
 * drvevent_parse - parse a line of trace_pipe
 * @line: the line, without its end
 * @e:	  the result
 *
 * Return: false if it is no such event.
 */
bool drvevent_parse(const char *line, struct drvevent *e)
{
	const char *text;
	char name[40];

	memset(e, 0, sizeof(*e));
	text = parse_begin(line, e, name, sizeof(name));
	if (!text)
		return false;
	if (!strncmp(name, "scsi_dispatch_cmd_", 18) && strcmp(name + 18, "error"))
		return parse_scsi(name, text, e);
	if (!strcmp(name, "nvme_setup_cmd") || !strcmp(name, "nvme_complete_rq"))
		return parse_nvme(name, text, e);
	return false;
}

/* True for what an empty flush, or the flush of a write, becomes. */
bool drvevent_is_flush(const struct drvevent *e)
{
	return !strncmp(e->command, "SYNCHRONIZE_CACHE", 17) ||
	       !strcmp(e->command, "nvme_cmd_flush");
}

/* True for what a discard becomes, if the line has no sectors.  (That of WRITE SAME has them.) */
bool drvevent_is_discard(const struct drvevent *e)
{
	return !strcmp(e->command, "UNMAP") || !strcmp(e->command, "nvme_cmd_dsm");
}
