// SPDX-License-Identifier: GPL-2.0
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "metrics.h"

/* What holds where the configuration says nothing: loopback alone, below 2,000 series */
void metrics_defaults(struct metrics_conf *conf)
{
	*conf = (struct metrics_conf){
		.max_series = 2000, .max_units = 40, .listen = "127.0.0.1:9964",
	};
}

/* getaddrinfo() takes 65536 for 0 */
static bool is_port(const char *text)
{
	unsigned long port = strtoul(text, NULL, 10);

	return strlen(text) <= 5 && strspn(text, "0123456789") == strlen(text) && port &&
	       port <= 65535;
}

/**
 * metrics_address - parse where to serve
 * @text: ADDRESS:PORT or [ADDRESS]:PORT, in digits: no name is looked up
 * @to:   the address, if it is one
 *
 * Return: whether it is one.
 */
bool metrics_address(const char *text, struct sockaddr_storage *to)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	}, *found;
	char host[METRICS_PATH], *name = host, *port;

	if (strlen(text) >= sizeof(host))
		return false;
	strcpy(host, text);
	port = strrchr(host, ':');
	if (!port || port == host)
		return false;
	*port++ = '\0';
	if (*name == '[' && name[strlen(name) - 1] == ']') {
		name[strlen(name) - 1] = '\0';
		name++;
	} else if (strchr(name, ':')) {
		return false;
	}
	if (!is_port(port) || getaddrinfo(name, port, &hints, &found))
		return false;
	memcpy(to, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}
