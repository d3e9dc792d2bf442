// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "color.h"
#include "opts.h"

static bool on;

void color_init(const struct opts *o)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	on = o->color == COLOR_ALWAYS ||
	     (o->color == COLOR_AUTO && isatty(STDOUT_FILENO) && !(no && *no) &&
	      term && strcmp(term, "dumb"));
}

bool color_is_on(void)
{
	return on;
}

/* What goes before a text with this mark. */
const char *color_begin(enum mark mark)
{
	static const char *const codes[] = {
		[MARK_NONE] = "", [MARK_SLOW] = "\033[33m", [MARK_BAD] = "\033[1;31m",
	};

	return on ? codes[mark] : "";
}

const char *color_end(enum mark mark)
{
	return on && mark ? "\033[0m" : "";
}
