/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP by libcurl. Redirections are not followed, and certificates are verified.
 *
 *  H1  The body of an answer that is not a stream has at most ANSWER_BYTES bytes.
 *  H2  An answer is not both too large and ended by its reader.
 *  H3  A request that did not end has no result.
 */
#include "remote.h"

#include <curl/curl.h>

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Maximum size of an answer that is not a stream; maximum silence of the server (omend sends a sign
 * of life every 15 s). */
enum { ANSWER_BYTES = 64 << 20, CONNECT_MS = 15000, SILENT_SECONDS = 60, TICK_MS = 250 };

struct remote_http {
    cli *c;
    const remote_address *address;
    void (*tick)(void *self);
    void *self;
    CURLM *multi;
    CURL *easy;
    int signals;
    bool interrupted;
    char said[CURL_ERROR_SIZE];
};

/* Destination of the answer to a request */
typedef struct receiving {
    remote_http *h;
    remote_answer *answer;
    remote_events *events; /* or NULL; for an answer of status 200 */
    bool too_large, ended;
} receiving;

/* ---- signals ---- */

static void take_signal(remote_http *h)
{
    struct signalfd_siginfo info;
    sigset_t set;
    if (read(h->signals, &info, sizeof info) != (ssize_t) sizeof info)
        return;
    if (!h->interrupted) {
        h->interrupted = true;
        return;
    }
    (void) signal((int) info.ssi_signo, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, (int) info.ssi_signo);
    (void) pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    (void) raise((int) info.ssi_signo);
}

bool remote_http_interrupted(const remote_http *h)
{
    return h->interrupted;
}

void remote_http_pause(remote_http *h, unsigned ms)
{
    uint64_t end = om_clock_ns() + (uint64_t) ms * 1000000;
    bool before = h->interrupted;
    for (uint64_t now = om_clock_ns(); now < end && h->interrupted == before; now = om_clock_ns()) {
        uint64_t left = (end - now) / 1000000 + 1;
        struct pollfd p = { h->signals, POLLIN, 0 };
        if (poll(&p, 1, left < TICK_MS ? (int) left : TICK_MS) > 0)
            take_signal(h);
        h->tick(h->self);
    }
}

/* ---- answers ---- */

static size_t receive(char *bytes, size_t size, size_t count, void *self)
{
    receiving *r = self;
    size_t n = size * count;
    long status = 0;
    (void) curl_easy_getinfo(r->h->easy, CURLINFO_RESPONSE_CODE, &status);
    if (r->events != NULL && status == 200) {
        int rc = remote_events_feed(r->events, bytes, n);
        r->too_large = rc == OM_ELIMIT && om_context_error(r->h->c->ctx)[0] == '\0';
        r->ended = rc != OM_OK && !r->too_large;
        return rc == OM_OK ? n : 0;
    }
    assert(r->answer->body.length <= ANSWER_BYTES); /* H1 */
    r->too_large = r->answer->body.length + n > ANSWER_BYTES;
    if (r->too_large)
        return 0;
    om_text_add_n(&r->answer->body, bytes, n);
    return r->answer->body.failed ? 0 : n;
}

static remote_outcome outcome_of(const receiving *r, CURLcode code)
{
    assert(!r->too_large || !r->ended); /* H2 */
    switch (code) {
    case CURLE_OK:
        return REMOTE_ANSWERED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        return REMOTE_UNREACHABLE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
        return REMOTE_NO_TLS;
    case CURLE_WRITE_ERROR:
        return r->too_large ? REMOTE_TOO_LARGE : r->ended ? REMOTE_ENDED_BY_READER : REMOTE_BROKEN;
    default:
        return REMOTE_BROKEN;
    }
}

/* Waits for the answer or, if until_signal, for the first signal. */
static remote_outcome perform(const receiving *r, bool until_signal)
{
    remote_http *h = r->h;
    const bool before = h->interrupted;
    CURLcode code = CURLE_OK;
    CURLMsg *message = NULL;
    int running = 1, left;
    if (curl_multi_add_handle(h->multi, h->easy) != CURLM_OK)
        return REMOTE_BROKEN;
    while (message == NULL && !(until_signal && h->interrupted && !before)) {
        struct curl_waitfd fd = { h->signals, CURL_WAIT_POLLIN, 0 };
        if (curl_multi_perform(h->multi, &running) != CURLM_OK)
            break;
        message = curl_multi_info_read(h->multi, &left);
        if (message != NULL)
            break;
        (void) curl_multi_poll(h->multi, &fd, 1, TICK_MS, NULL);
        if (fd.revents != 0)
            take_signal(h);
        h->tick(h->self);
    }
    if (message != NULL)
        code = message->data.result;
    bool done = message != NULL;
    (void) curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &r->answer->status);
    (void) curl_multi_remove_handle(h->multi, h->easy);
    assert(done || code == CURLE_OK); /* H3 */
    if (!done)
        return until_signal && h->interrupted ? REMOTE_INTERRUPTED : REMOTE_BROKEN;
    if (code != CURLE_OK && h->said[0] == '\0')
        (void) snprintf(h->said, sizeof h->said, "%s", curl_easy_strerror(code));
    return outcome_of(r, code);
}

/* ---- requests ---- */

static bool set_common(remote_http *h, const char *url, struct curl_slist *headers)
{
    CURL *e = h->easy;
    curl_easy_reset(e);
    h->said[0] = '\0';
    bool ok = curl_easy_setopt(e, CURLOPT_URL, url) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long) CONNECT_MS) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long) SILENT_SECONDS) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_ERRORBUFFER, h->said) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers) == CURLE_OK;
    if (ok && h->address->ca_file != NULL)
        ok = curl_easy_setopt(e, CURLOPT_CAINFO, h->address->ca_file) == CURLE_OK;
    if (ok && h->address->socket != NULL)
        ok = curl_easy_setopt(e, CURLOPT_UNIX_SOCKET_PATH, h->address->socket) == CURLE_OK;
    return ok;
}

/* Returns false, with the list freed, if memory runs out. */
static bool add_header(
    const remote_http *h, struct curl_slist **headers, const char *name, const char *value)
{
    om_text line = { .heap = h->c->heap };
    om_text_printf(&line, *value == '\0' ? "%s:" : "%s: %s", name, value);
    struct curl_slist *longer = line.failed ? NULL : curl_slist_append(*headers, line.text);
    if (line.text != NULL)
        memset(line.text, 0, line.length);
    om_text_free(&line);
    if (longer == NULL) {
        curl_slist_free_all(*headers);
        *headers = NULL;
        return false;
    }
    *headers = longer;
    return true;
}

/* A request */
typedef struct remote_asking {
    const char *method, *path, *body;
    size_t length;
    const char *last_id, *key; /* or NULL */
} remote_asking;

static struct curl_slist *headers_of(const remote_http *h, const remote_asking *a)
{
    struct curl_slist *headers = NULL;
    const char *token = h->address->token;
    om_text bearer = { .heap = h->c->heap };
    om_text_printf(&bearer, "Bearer %s", token == NULL ? "" : token);
    /* Sends the body at once, without waiting for "100 Continue". */
    bool ok = !bearer.failed && add_header(h, &headers, "Expect", "");
    if (ok && token != NULL)
        ok = add_header(h, &headers, "Authorization", bearer.text);
    if (ok && a->body != NULL)
        ok = add_header(h, &headers, "Content-Type", "application/json");
    if (ok && a->key != NULL)
        ok = add_header(h, &headers, "Idempotency-Key", a->key);
    if (ok && a->last_id != NULL && *a->last_id != '\0')
        (void) add_header(h, &headers, "Last-Event-ID", a->last_id);
    if (bearer.text != NULL)
        memset(bearer.text, 0, bearer.length);
    om_text_free(&bearer);
    return headers;
}

/* libcurl repeats a request if a reused connection ends. So a request with a body gets a new
 * connection: the caller decides whether to repeat it. */
static bool set_method(remote_http *h, const remote_asking *a)
{
    CURL *e = h->easy;
    if (a->body == NULL)
        return strcmp(a->method, "GET") == 0 ||
               curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, a->method) == CURLE_OK;
    return curl_easy_setopt(e, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK &&
           curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) a->length) == CURLE_OK &&
           curl_easy_setopt(e, CURLOPT_POSTFIELDS, a->body) == CURLE_OK;
}

static remote_outcome request(receiving *r, const remote_asking *a)
{
    remote_http *h = r->h;
    om_text url = { .heap = h->c->heap };
    struct curl_slist *headers = headers_of(h, a);
    r->answer->status = 0;
    om_text_free(&r->answer->body);
    r->answer->body = (om_text){ .heap = h->c->heap };
    om_text_printf(&url, "%s%s", h->address->base, a->path);
    bool ok = headers != NULL && !url.failed && set_common(h, url.text, headers) &&
              set_method(h, a) &&
              curl_easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK &&
              curl_easy_setopt(h->easy, CURLOPT_WRITEDATA, r) == CURLE_OK;
    remote_outcome outcome = REMOTE_UNREACHABLE;
    if (ok)
        outcome = perform(r, r->events != NULL);
    else
        (void) snprintf(h->said, sizeof h->said, "cannot make the request");
    curl_slist_free_all(headers);
    om_text_free(&url);
    return outcome;
}

remote_outcome remote_http_ask(
    remote_http *h, const char *method, const char *path, remote_answer *out)
{
    receiving r = { .h = h, .answer = out };
    return request(&r, &(remote_asking){ .method = method, .path = path });
}

remote_outcome remote_http_post(remote_http *h, const char *path, const char *body, size_t length,
    const char *key, remote_answer *out)
{
    receiving r = { .h = h, .answer = out };
    return request(&r, &(remote_asking){ "POST", path, body, length, NULL, key });
}

remote_outcome remote_http_follow(remote_http *h, const char *path, const char *last_id,
    remote_events *events, remote_answer *out)
{
    receiving r = { .h = h, .answer = out, .events = events };
    remote_events_reset(events);
    return request(&r, &(remote_asking){ .method = "GET", .path = path, .last_id = last_id });
}

const char *remote_http_said(const remote_http *h)
{
    return h->said[0] == '\0' ? "the connection ended" : h->said;
}

/* ---- open, close ---- */

int remote_http_open(
    remote_http **out, cli *c, const remote_address *address, void (*tick)(void *self), void *self)
{
    sigset_t set;
    remote_http *h = om_alloc(c->heap, 1, sizeof *h);
    *out = h;
    if (h == NULL)
        return om_fail_memory(c->ctx);
    *h = (remote_http){ .c = c, .address = address, .tick = tick, .self = self, .signals = -1 };
    cli_ending_signals(&set);
    (void) pthread_sigmask(SIG_BLOCK, &set, NULL);
    h->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (h->signals < 0)
        return om_fail(c->ctx, OM_EIO, NULL, "cannot read signals: %s", strerror(errno));
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return om_fail(c->ctx, OM_EINTERNAL, NULL, "cannot start libcurl");
    h->multi = curl_multi_init();
    h->easy = curl_easy_init();
    return h->multi != NULL && h->easy != NULL ? OM_OK : om_fail_memory(c->ctx);
}

void remote_http_close(remote_http *h)
{
    if (h == NULL)
        return;
    curl_easy_cleanup(h->easy);
    if (h->multi != NULL)
        (void) curl_multi_cleanup(h->multi);
    if (h->signals >= 0)
        (void) close(h->signals);
    om_free(h->c->heap, h);
}
