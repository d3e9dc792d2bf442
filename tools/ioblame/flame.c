// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "flame.h"
#include "msg.h"

enum {
	WIDTH = 1200,
	MARGIN = 10,
	ROW = 17,
	HEAD = 44,
	FOOT = 26,
	CHAR = 7,		/* approximate width of a character */
};

struct node {
	char *name;
	uint64_t weight;	/* of this node and its children */
	uint64_t own;		/* of the stacks that end here */
	struct node *child, *next;
};

struct flame {
	struct node root;
};

struct flame *flame_new(void)
{
	struct flame *f = must(calloc(1, sizeof(*f)));

	f->root.name = must(strdup("all"));
	return f;
}

/*
 * Make a name safe for flame graph programs: a semicolon separates frames, and a
 * control character may end the line.
 */
static char *frame_name(const char *name)
{
	char *copy = must(strdup(*name ? name : "-")), *p;

	for (p = copy; *p; p++) {
		if (*p == ';')
			*p = ':';
		else if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
	return copy;
}

/* Find or add a child; children are sorted by name. */
static struct node *node_child(struct node *parent, const char *frame)
{
	char *name = frame_name(frame);
	struct node **at = &parent->child, *node;
	int d = 1;

	while (*at && (d = strcmp((*at)->name, name)) < 0)
		at = &(*at)->next;
	if (*at && !d) {
		free(name);
		return *at;
	}
	node = must(calloc(1, sizeof(*node)));
	node->name = name;
	node->next = *at;
	*at = node;
	return node;
}

/* A recording may have any times: what they come to has an end. */
static uint64_t weight_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Add a stack, the outermost frame first. */
void flame_add(struct flame *f, const char *const *frame, unsigned int nr, uint64_t weight)
{
	struct node *node = &f->root;
	unsigned int i;

	node->weight = weight_sum(node->weight, weight);
	for (i = 0; i < nr; i++) {
		node = node_child(node, frame[i]);
		node->weight = weight_sum(node->weight, weight);
	}
	node->own = weight_sum(node->own, weight);
}

static void free_nodes(struct node *node)
{
	struct node *next;

	for (; node; node = next) {
		next = node->next;
		free_nodes(node->child);
		free(node->name);
		free(node);
	}
}

void flame_free(struct flame *f)
{
	free_nodes(f->root.child);
	free(f->root.name);
	free(f);
}

static void fold_nodes(const struct node *node, const char *before, void (*line)(const char *text))
{
	char *path;

	for (; node; node = node->next) {
		path = must(malloc(strlen(before) + strlen(node->name) + 32));
		sprintf(path, "%s%s%s", before, *before ? ";" : "", node->name);
		fold_nodes(node->child, path, line);
		if (node->own) {
			sprintf(path + strlen(path), " %llu\n",
				(unsigned long long)node->own);
			line(path);
		}
		free(path);
	}
}

/* Print lines "outermost;...;innermost WEIGHT", as stackcollapse scripts do. */
void flame_folded(const struct flame *f, void (*line)(const char *text))
{
	fold_nodes(f->root.child, "", line);
}

static void walk_nodes(const struct node *node, unsigned int level, uint64_t least,
		       void (*one)(const char *name, unsigned int level, uint64_t weight,
				   void *arg), void *arg)
{
	for (; node; node = node->next) {
		if (node->weight < least)
			continue;
		one(node->name, level, node->weight, arg);
		walk_nodes(node->child, level + 1, least, one, arg);
	}
}

/**
 * flame_walk - go through the tree, each node before its children
 * @f:     the stacks
 * @least: nodes with less weight are left out
 * @one:   called for each node; the root has level 0
 * @arg:   passed to @one
 */
void flame_walk(const struct flame *f, uint64_t least,
		void (*one)(const char *name, unsigned int level, uint64_t weight, void *arg),
		void *arg)
{
	walk_nodes(&f->root, 0, least, one, arg);
}

static void count_node(const char *name, unsigned int level, uint64_t weight, void *arg)
{
	(void)name;
	(void)level;
	(void)weight;
	++*(unsigned int *)arg;
}

/**
 * flame_least - how much weight the nodes need have of which there are at most so many
 * @f:    the stacks
 * @most: so many, the root included
 *
 * Return: a power of 2 for flame_walk().  Where more nodes have all that a number can say, there
 * are more with the last one, too.
 */
uint64_t flame_least(const struct flame *f, unsigned int most)
{
	uint64_t least = 1;
	unsigned int nr;

	for (;; least *= 2) {
		nr = 0;
		flame_walk(f, least, count_node, &nr);
		if (nr <= most || least > UINT64_MAX / 2)
			return least;
	}
}

static unsigned int node_depth(const struct node *node)
{
	unsigned int deepest = 0, d;

	for (; node; node = node->next) {
		d = 1 + node_depth(node->child);
		if (d > deepest)
			deepest = d;
	}
	return deepest;
}

/* A warm colour that depends on the name only. */
static void node_color(const char *name, unsigned int *rgb)
{
	unsigned int h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	rgb[0] = 205 + h % 50;
	rgb[1] = (h >> 8) % 200;
	rgb[2] = (h >> 16) % 55;
}

struct drawing {
	double scale;
	unsigned int height;
	const char *unit;
	uint64_t all;
	void (*line)(const char *text);
};

/* What fits into a box of @chars characters */
static void draw_name(char *to, size_t size, const char *name, int chars)
{
	char cut[256];

	*to = '\0';
	if (chars < 3)
		return;
	snprintf(cut, sizeof(cut) - 2, "%s", name);
	if ((int)strlen(name) > chars) {
		cut[chars - 2 < 250 ? chars - 2 : 250] = '\0';
		strcat(escape_cut(cut), "..");
	}
	escape_xml(to, size, escape_cut(cut));
}

/* @before: the weight of what is left of these nodes.  The script draws by data-at. */
static void draw_nodes(const struct drawing *d, const struct node *node, uint64_t before,
		       unsigned int level)
{
	unsigned int rgb[3], y = d->height - FOOT - (level + 1) * ROW;
	char name[1024], shown[512], text[4096];

	for (; node; before += node->weight, node = node->next) {
		double width = (double)node->weight * d->scale;
		double x = MARGIN + (double)before * d->scale;

		if (width < 0.3)
			continue;
		escape_xml(name, sizeof(name), node->name);
		draw_name(shown, sizeof(shown), node->name, (int)((width - 6) / CHAR));
		node_color(node->name, rgb);
		snprintf(text, sizeof(text),
			 "<g data-at=\"%u %llu %llu\"><title>%s (%llu %s, %.2f %%)</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\" fill=\"rgb(%u,%u,%u)\" rx=\"2\"/><text x=\"%.1f\" y=\"%u\">%s</text></g>\n",
			 level, (unsigned long long)before, (unsigned long long)node->weight,
			 name, (unsigned long long)node->weight, d->unit,
			 d->all ? 100.0 * (double)node->weight / (double)d->all : 0,
			 x, y, width, ROW - 1, rgb[0], rgb[1], rgb[2],
			 x + 3, y + 12, shown);
		d->line(text);
		draw_nodes(d, node->child, before, level + 1);
	}
}

/**
 * flame_svg - draw a flame graph
 * @f:     the stacks
 * @title: its title
 * @unit:  unit of the weights
 * @script: makes it zoom and search; NULL for a picture that does not move
 * @line:  called for each piece of the SVG
 */
void flame_svg(const struct flame *f, const char *title, const char *unit, const char *script,
	       void (*line)(const char *text))
{
	struct drawing d = {
		.height = HEAD + FOOT + (node_depth(f->root.child) + 1) * ROW,
		.scale = f->root.weight ? (double)(WIDTH - 2 * MARGIN) /
			 (double)f->root.weight : 0,
		.unit = unit, .all = f->root.weight, .line = line,
	};
	struct node all = f->root;
	char text[1024], safe[512];

	escape_xml(safe, sizeof(safe), title);
	snprintf(text, sizeof(text),
		 "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" font-family=\"monospace\" font-size=\"12\">\n",
		 WIDTH, d.height, WIDTH, d.height);
	line(text);
	snprintf(text, sizeof(text),
		 "<rect width=\"100%%\" height=\"100%%\" fill=\"#f8f4e8\"/>\n<text x=\"%d\" y=\"24\" text-anchor=\"middle\" font-size=\"17\">%s</text>\n",
		 WIDTH / 2, safe);
	line(text);
	all.next = NULL;
	if (all.weight)
		draw_nodes(&d, &all, 0, 0);
	if (script) {
		line("<script><![CDATA[\n");
		line(script);
		line("flameGraph(document.documentElement);\n]]></script>\n");
	}
	line("</svg>\n");
}
