// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/stat.h>

#include "dir.h"
#include "status.h"

/* The module's status now.  Return: false if it cannot be read; then *@st is zero, errno is set. */
bool status_now(struct status *st)
{
	char *text = dir_read("status");
	struct stat module;

	*st = (struct status){ 0 };
	if (text)
		status_parse(st, text);
	/* kernfs gives no number twice */
	if (text && !stat("/sys/module/ioblame", &module))
		st->module = module.st_ino;
	free(text);
	return text;
}

/*
 * Whether a session of ours was ended by somebody else, and the next one has begun.  Its devices
 * and counters are not ours, and it is not for us to end.  @session: the number of ours; 0: not
 * known.
 */
bool status_taken_over(uint64_t session)
{
	struct status st;

	return session && status_now(&st) && st.session != session && st.enabled;
}
