// SPDX-License-Identifier: GPL-2.0
/*
 * /metrics by libmicrohttpd, in the loop of the daemon: no thread.  The answer is made whole, so
 * that a slow reader keeps a buffer and nothing else.  Those buffers are bounded together: who has
 * no room is told to come again, and the one that is sent longest gives way, as below.
 *
 * There are 16 places, and nobody keeps one by doing nothing.  When another connection comes, the
 * one gives way that waits longest: since it came or had its last answer, whatever bytes of a
 * request it has sent.  If all others are being sent an answer, the one that is sent longest gives
 * way when it has taken 10 seconds; until then the new one has a place beside the 16.  Also where
 * nobody comes, a connection is closed that does nothing for 10 seconds, that has sent no whole
 * request in 10, or has not taken its answer in a minute.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libgen.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "file.h"
#include "metrics_sum.h"
#include "metrics_web.h"
#include "msg.h"

enum {
	CONNECTIONS = 16,
	SECONDS = 10,			/* to do nothing; for a request; see above */
	ANSWER_SECONDS = 60,
	CONNECTION_BYTES = 16 << 10,
	WAITING_BYTES = 16 << 20,	/* of answers that are not taken; one may be larger */
	STEPS = 64,			/* of libmicrohttpd for one event */
};

#define SECOND	1000000000ULL

struct place {
	bool used;
	bool shut;			/* libmicrohttpd sees its end soon */
	bool sending;			/* its request is complete; else it waits */
	int fd;
	uint64_t since_ns;		/* when it began to do that */
	size_t bytes;			/* of metrics that it is being sent */
};

struct metrics_http {
	struct metrics *metrics;
	struct MHD_Daemon *daemon;
	struct metrics_web web;
	char *cert, *key;
	struct place place[CONNECTIONS + 1];	/* the last one to come may be beside the others */
	struct place *newest;
	size_t last_bytes;		/* of the last answer: the next one is about as large */
	bool all_read;			/* whoever can connect */
	bool went_on;			/* who is connected, or how far a request is, has changed */
};

static const char page[] =
"<!DOCTYPE html><html lang=en><title>ioblamed</title><h1>ioblamed</h1>"
"<p><a href=/metrics>Metrics</a></html>\n";

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static struct place *place_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void begin_doing(struct place *p, bool sending)
{
	if (!p)
		return;
	p->sending = sending;
	p->since_ns = monotonic_ns();
	p->bytes = 0;
}

/*
 * After how many seconds in which nothing is taken libmicrohttpd closes a connection; 0: never.  It
 * looks at the time before it reads what has come, so end_slow() closes the connections that wait.
 */
static void set_timeout(struct MHD_Connection *c, unsigned int seconds)
{
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/* libmicrohttpd finds that it has ended. */
static void shut_place(struct place *p)
{
	p->shut = true;
	shutdown(p->fd, SHUT_RDWR);
}

/* Who does it longest, but for the one that came last; NULL if nobody does. */
static struct place *find_longest(struct metrics_http *h, bool sending)
{
	struct place *p, *longest = NULL;

	for (p = h->place; p < h->place + CONNECTIONS + 1; p++) {
		if (p->used && !p->shut && p != h->newest && p->sending == sending &&
		    (!longest || p->since_ns < longest->since_ns))
			longest = p;
	}
	return longest;
}

static bool is_slow(const struct place *p)
{
	return monotonic_ns() - p->since_ns >= SECONDS * SECOND;
}

/* If there is one more than there are places, another one gives way. */
static void give_way(struct metrics_http *h)
{
	struct place *p;
	unsigned int nr = 0;

	for (p = h->place; p < h->place + CONNECTIONS + 1; p++)
		nr += p->used && !p->shut;
	if (nr <= CONNECTIONS)
		return;
	p = find_longest(h, false);
	if (!p) {
		p = find_longest(h, true);
		if (p && !is_slow(p))
			p = NULL;
	}
	if (p)
		shut_place(p);
}

/*
 * Whether another answer may be made.  If not, who is sent metrics longest gives way if he is slow:
 * there is room when libmicrohttpd has found that.
 */
static bool has_room(struct metrics_http *h)
{
	struct place *p, *longest = NULL;
	size_t waiting = 0;

	for (p = h->place; p < h->place + CONNECTIONS + 1; p++) {
		if (!p->used || !p->bytes)
			continue;
		waiting += p->bytes;
		if (!p->shut && (!longest || p->since_ns < longest->since_ns))
			longest = p;
	}
	if (!waiting || waiting + h->last_bytes <= WAITING_BYTES)
		return true;
	if (longest && is_slow(longest))
		shut_place(longest);
	return false;
}

static void end_slow(struct metrics_http *h)
{
	uint64_t now = monotonic_ns();
	struct place *p;

	for (p = h->place; p < h->place + CONNECTIONS + 1; p++) {
		if (p->used && !p->shut &&
		    now - p->since_ns > (p->sending ? ANSWER_SECONDS : SECONDS) * SECOND)
			shut_place(p);
	}
}

static void on_connection(void *arg, struct MHD_Connection *c, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct metrics_http *h = arg;
	struct place *p = *context;

	h->went_on = true;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (p)
			p->used = false;
		return;
	}
	for (p = h->place; p < h->place + CONNECTIONS && p->used; p++)
		;
	*p = (struct place){
		.used = true, .since_ns = monotonic_ns(),
		.fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
	};
	*context = p;
	h->newest = p;
	give_way(h);
}

/* The answer is sent, or will not be. */
static void on_completed(void *arg, struct MHD_Connection *c, void **state,
			 enum MHD_RequestTerminationCode why)
{
	struct metrics_http *h = arg;

	(void)state;
	h->went_on = true;
	begin_doing(place_of(c), false);
	/* one that was closed keeps it: libmicrohttpd finds it by that */
	if (why == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		set_timeout(c, 0);
}

static enum MHD_Result answer_text(struct MHD_Connection *c, unsigned int status, const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)text,
								 MHD_RESPMEM_PERSISTENT);
	enum MHD_Result done;

	if (!r)
		return MHD_NO;
	if (status == MHD_HTTP_OK)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/html; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		MHD_add_response_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "10");
	if (status == MHD_HTTP_UNAUTHORIZED)
		done = MHD_queue_basic_auth_fail_response(c, "ioblamed", r);
	else
		done = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return done;
}

/* A reader who has no room is not shown any series, so he is still to see them as 0. */
static enum MHD_Result refuse(struct metrics *m, struct MHD_Connection *c)
{
	m->refused++;
	return answer_text(c, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "Others have not taken their answers; come again\n");
}

static enum MHD_Result answer_metrics(struct metrics_http *h, struct MHD_Connection *c)
{
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);
	bool open = accept && strstr(accept, "application/openmetrics-text");
	struct place *p = place_of(c);
	struct metrics *m = h->metrics;
	struct MHD_Response *r;
	enum MHD_Result done;
	char *text = NULL;
	size_t len;
	FILE *f;

	if (!has_room(h))
		return refuse(m, c);
	f = must(open_memstream(&text, &len));
	metrics_measure(m);
	metrics_write(m, f, open, METRICS_HTTP);
	if (fclose(f)) {
		free(text);
		return MHD_NO;
	}
	h->last_bytes = len;
	r = MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE);
	if (!r) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, open ?
				"application/openmetrics-text; version=1.0.0; charset=utf-8" :
				"text/plain; version=0.0.4; charset=utf-8");
	done = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	if (p && done == MHD_YES)
		p->bytes = len;
	return done;
}

static bool may_read(struct metrics_http *h, struct MHD_Connection *c)
{
	char *password = NULL, *name;
	bool may;

	if (!h->web.nr_users)
		return true;
	name = MHD_basic_auth_get_username_password(c, &password);
	may = name && password && metrics_web_user(&h->web, name, password, monotonic_ns);
	if (password)
		explicit_bzero(password, strlen(password));
	MHD_free(password);
	MHD_free(name);
	return may;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct metrics_http *h = arg;

	(void)version;
	(void)upload;
	h->went_on = true;
	/* first the header alone: the body of a request, if it has one, is dropped */
	if (!*state) {
		*state = h;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	begin_doing(place_of(c), true);
	set_timeout(c, SECONDS);
	if (!may_read(h, c))
		return answer_text(c, MHD_HTTP_UNAUTHORIZED, "Unauthorized\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD alone\n");
	if (!strcmp(url, "/metrics"))
		return answer_metrics(h, c);
	if (!strcmp(url, "/"))
		return answer_text(c, MHD_HTTP_OK, page);
	return answer_text(c, MHD_HTTP_NOT_FOUND, "Not found; try /metrics\n");
}

static bool is_loopback(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)addr;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)addr;

	return addr->ss_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) :
					     ntohl(four->sin_addr.s_addr) >> 24 == 127;
}

/* The text of a file that is named in the file @conf: relative to the folder of that */
static char *read_beside(const char *conf, const char *path)
{
	char folder[METRICS_PATH], whole[METRICS_PATH + METRICS_WEB_TEXT];
	char *text;

	snprintf(folder, sizeof(folder), "%s", conf);
	snprintf(whole, sizeof(whole), "%s/%s", dirname(folder), path);
	text = file_read(*path == '/' ? path : whole);
	if (!text)
		msg("metrics: cannot read %s: %s", *path == '/' ? path : whole, strerror(errno));
	return text;
}

/* Read who may read.  Return: false if that is not known: then nothing is served. */
static bool load_web(struct metrics_http *h, const char *path)
{
	char wrong[256], *text;
	bool good;

	if (!*path)
		return true;
	text = file_read(path);
	if (!text) {
		msg("metrics: cannot read %s: %s", path, strerror(errno));
		return false;
	}
	good = metrics_web_parse(&h->web, text, strlen(text), wrong, sizeof(wrong));
	free(text);
	if (!good) {
		msg("metrics: %s, %s", path, wrong);
		return false;
	}
	if (!*h->web.cert_file)
		return true;
	h->cert = read_beside(path, h->web.cert_file);
	h->key = read_beside(path, h->web.key_file);
	return h->cert && h->key;
}

static bool start_at(struct metrics_http *h, const struct sockaddr_storage *addr)
{
	unsigned int flags = MHD_USE_EPOLL;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, h->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, h->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, h->web.tls13 ?
		  "SECURE128:-VERS-ALL:+VERS-TLS1.3" :
		  "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
		{ MHD_OPTION_END, 0, NULL },
	};

	if (addr->ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	if (h->cert)
		flags |= MHD_USE_TLS;
	h->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, h,
				     MHD_OPTION_SOCK_ADDR, addr,
				     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS + 1,
				     MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
				     MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				     MHD_OPTION_ARRAY, h->cert ? tls : tls + 3, MHD_OPTION_END);
	return h->daemon;
}

static bool start_server(struct metrics_http *h, const char *where)
{
	struct sockaddr_storage addr = { 0 };

	if (!metrics_address(where, &addr)) {
		msg("metrics: %s is no address of a socket; an example: 127.0.0.1:9964", where);
		return false;
	}
	if (!start_at(h, &addr)) {
		msg("metrics: cannot serve at %s: another program has that port, or the address is not there yet%s; it is tried again each interval",
		    where, h->cert ? ", or certificate and key are wrong" : "");
		return false;
	}
	h->all_read = !is_loopback(&addr) && !h->web.nr_users;
	return true;
}

static void free_http(struct metrics_http *h)
{
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	if (h->key)
		explicit_bzero(h->key, strlen(h->key));
	free(h->key);
	free(h->cert);
	explicit_bzero(&h->web, sizeof(h->web));
	free(h);
}

/**
 * metrics_listen - serve /metrics
 * @m: the metrics; its configuration says where and to whom
 *
 * What is wrong is said, and then nothing is served.  It may be tried again, in silence until it
 * is served.
 * Return: a file descriptor to poll for reading, on which metrics_ready() is called; it is closed
 * by metrics_close().  -1: not served.
 */
int metrics_listen(struct metrics *m)
{
	const char *where = m->conf.listen;
	struct metrics_http *h;
	bool good;

	if (!*where)
		return -1;
	h = must(calloc(1, sizeof(*h)));
	h->metrics = m;
	m->http = h;
	msg_quiet(m->kept_away);
	good = load_web(h, m->conf.web_config) && start_server(h, where);
	msg_quiet(false);
	if (!good) {
		m->kept_away = true;
		metrics_close(m);
		return -1;
	}
	if (m->kept_away)
		msg("metrics: serving at %s now", where);
	m->kept_away = false;
	if (h->all_read)
		msg("metrics: everyone who reaches %s can read them; WebConfigFile= sets users",
		    where);
	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* Return: true if there is more to do */
static bool do_step(struct metrics_http *h)
{
	unsigned long long timeout;

	h->went_on = false;
	MHD_run(h->daemon);
	/* who comes is looked at again when a place is free as a step begins */
	return h->went_on || (MHD_get_timeout(h->daemon, &timeout) == MHD_YES && !timeout);
}

/* Where a socket is full, the file descriptor says when it is not. */
static bool can_send(const struct metrics_http *h)
{
	const struct place *p;

	for (p = h->place; p < h->place + CONNECTIONS + 1; p++) {
		struct pollfd room = { .fd = p->fd, .events = POLLOUT };

		if (p->used && !p->shut && p->sending && poll(&room, 1, 0) > 0)
			return true;
	}
	return false;
}

/**
 * metrics_ready - serve what waits
 * @m: the metrics
 *
 * Also to be called once an interval: connections that are idle or slow are closed, when what they
 * have sent until then is read.
 *
 * Return: true if more can be done at once.  The file descriptor does not say so: with TLS a step
 * sends one record, and the socket may take more without having been full.  libmicrohttpd says so
 * too often: also of who has begun a TLS handshake and is silent.
 */
bool metrics_ready(struct metrics *m)
{
	struct metrics_http *h = m->http;
	unsigned int i;

	if (!h)
		return false;
	for (i = 0; i < STEPS && do_step(h); i++)
		;
	end_slow(h);
	give_way(h);
	return i == STEPS && (h->went_on || can_send(h));
}

void metrics_close(struct metrics *m)
{
	if (m->http)
		free_http(m->http);
	m->http = NULL;
}

/**
 * metrics_test - whether it is known who may read
 * @conf: the configuration, which is good by itself
 *
 * What is wrong is said.  A certificate and its key are tried at a port that is free: the daemon
 * may have that of Listen=.
 * Return: false if metrics_listen() would serve nothing.
 */
bool metrics_test(const struct metrics_conf *conf)
{
	struct sockaddr_storage any = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&any;
	struct metrics_http *h;
	bool good;

	if (!*conf->listen)
		return true;
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	h = must(calloc(1, sizeof(*h)));
	good = load_web(h, conf->web_config);
	if (good && h->cert && !start_at(h, &any)) {
		msg("metrics: cannot serve with this certificate and key");
		good = false;
	}
	free_http(h);
	return good;
}
