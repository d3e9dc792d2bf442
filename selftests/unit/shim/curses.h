/* SPDX-License-Identifier: GPL-2.0 */
/* What of ncurses live.c has, for a test without a terminal */
#ifndef SHIM_CURSES_H
#define SHIM_CURSES_H

#include <stdbool.h>
#include <stdio.h>

enum {
	LINES = 24,
	OK = 0,
	ERR = -1,
	TRUE = 1,
	COLOR_YELLOW = 3, COLOR_RED = 1,
	KEY_DOWN = 0402, KEY_UP, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_BACKSPACE,
	KEY_NPAGE = 0522, KEY_PPAGE, KEY_ENTER = 0527, KEY_END = 0550,
};

typedef struct screen SCREEN;

static inline SCREEN *newterm(const char *type, FILE *out, FILE *in)
{
	(void)type;
	(void)out;
	(void)in;
	return NULL;
}

static inline int getch(void)
{
	return ERR;
}

static inline bool has_colors(void)
{
	return false;
}

#define endwin()			((void)0)
#define set_term(screen)		((void)(screen))
#define cbreak()			((void)0)
#define noecho()			((void)0)
#define nonl()				((void)0)
#define keypad(window, on)		((void)0)
#define nodelay(window, on)		((void)0)
#define set_escdelay(ms)		((void)0)
#define curs_set(how)			((void)0)
#define start_color()			OK
#define use_default_colors()		OK
#define init_pair(pair, front, back)	((void)0)

#endif
