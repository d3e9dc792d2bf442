// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "dir.h"
#include "msg.h"
#include "status.h"

/*
 * The text of the module's status, and which module that is: a line "module N".  Allocated; NULL
 * if it cannot be read; then errno is set.
 */
char *status_read(void)
{
	char *text = dir_read("status"), *longer;
	struct stat module;

	/* kernfs gives no number twice */
	if (!text || stat("/sys/module/ioblame", &module))
		return text;
	if (asprintf(&longer, "%smodule %llu\n", text, (unsigned long long)module.st_ino) < 0)
		must(NULL);
	free(text);
	return longer;
}

/* The module's status now.  Return: false if it cannot be read; then *@st is zero, errno is set. */
bool status_now(struct status *st)
{
	char *text = status_read();

	*st = (struct status){ 0 };
	if (text)
		status_parse(st, text);
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
