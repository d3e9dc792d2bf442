/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chart_json - charts and flame graphs as JSON for the script of a page
 *
 * It stands in a script element, so no text in it has a '<'.
 */
#ifndef IOBLAME_CHART_JSON_H
#define IOBLAME_CHART_JSON_H

#include <stdio.h>

#include "agg.h"
#include "chart.h"

void chart_json_text(FILE *f, const char *text);
void chart_json(FILE *f, const struct chart *c, const struct agg *agg);
void chart_json_flames(FILE *f, const struct agg *agg);

#endif
