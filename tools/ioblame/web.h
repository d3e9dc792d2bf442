/* SPDX-License-Identifier: GPL-2.0 */
/*
 * web - the files of web/, as texts in the program
 *
 * The Makefile makes web.inc of them, so the command needs no file when it runs.
 */
#ifndef IOBLAME_WEB_H
#define IOBLAME_WEB_H

extern const char web_flame[];		/* the script of a flame graph */
extern const char web_style[];
extern const char web_body[];
extern const char web_script[];		/* web_flame is a part of it */
extern const char web_licence[];	/* of the library in web_script and web_style */

#endif
