/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html - a report as one page for a browser
 */
#ifndef IOBLAME_HTML_H
#define IOBLAME_HTML_H

#include "opts.h"

int html_report(const struct opts *o);

#endif
