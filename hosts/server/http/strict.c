/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP as strict as RFC 9110 and 9112 allow. A request that two programs on its way could interpret
 * differently (two lengths, two hosts, a zero byte) is refused: a proxy in front of omend must not
 * see another request than omend does.
 */
#include "server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* MHD's memory for a connection holds this many arguments besides usual headers; with more, MHD
 * closes the connection without an answer, or forgets it. */
enum { TARGET_BYTES = 4096, MOST_ARGUMENTS = 64 };

/* ---- the target ---- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static bool check_target(omend_request *r, const char *target)
{
    const size_t n = strlen(target);
    if (n > TARGET_BYTES)
        return problem_set(&r->problem, OMEND_TOO_LONG, "",
            "the request target has %zu bytes: "
            "at most %d are allowed",
            n, TARGET_BYTES);
    for (size_t i = 0; i < n; i++) {
        if (target[i] <= ' ' || target[i] > '~' || target[i] == '#')
            return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
                "byte 0x%02x is not allowed in the request target",
                (unsigned) (unsigned char) target[i]);
        if (target[i] == '%' && (!is_hex(target[i + 1]) || !is_hex(target[i + 2])))
            return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
                "'%%' in the request target is not followed by two hexadecimal digits");
        if (strncmp(target + i, "%00", 3) == 0)
            return problem_set(
                &r->problem, OMEND_BAD_REQUEST, "", "the request target has a zero byte");
    }
    return true;
}

/* Joins the arguments beyond the limit into one, in the buffer that MHD parses when this returns:
 * otherwise MHD would run out of memory before an answer is possible. The buffer is MHD's own, and
 * not const. */
static bool join_arguments(const char *target)
{
    size_t count = 1;
    for (char *at = strchr(target, '?'); at != NULL && (at = strchr(at, '&')) != NULL; at++)
        if (++count > MOST_ARGUMENTS)
            *at = '+';
    return count <= MOST_ARGUMENTS;
}

void *strict_take_target(void *server, const char *target, struct MHD_Connection *connection)
{
    omend_request *r = request_new(server, connection);
    if (r == NULL)
        return NULL;
    if (target == NULL || *target == '\0') {
        (void) problem_set(&r->problem, OMEND_BAD_REQUEST, "", "the request has no target");
        return r;
    }
    (void) check_target(r, target);
    if (!join_arguments(target))
        (void) problem_set(
            &r->problem, OMEND_TOO_LONG, "", "more than %d parameters after '?'", MOST_ARGUMENTS);
    return r;
}

/* ---- hosts ---- */

/* True if the text after a name is empty or ":PORT". */
static bool is_port(const char *s)
{
    unsigned long port = 0;
    if (*s == '\0')
        return true;
    if (*s++ != ':')
        return false;
    for (; *s >= '0' && *s <= '9' && port <= 65535; s++)
        port = port * 10 + (unsigned long) (*s - '0');
    return *s == '\0' && port <= 65535;
}

/* Copies the name without brackets and port. Returns false if it is invalid or too long. */
static bool take_name(const char *host, char *name, size_t size, bool *bracketed)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    *bracketed = *host == '[';
    const char *begin = *bracketed ? host + 1 : host;
    const size_t n = *bracketed ? strcspn(begin, "]") : strspn(begin, plain);
    if (n == 0 || n >= size || (*bracketed && begin[n] != ']'))
        return false;
    memcpy(name, begin, n);
    name[n] = '\0';
    return is_port(begin + n + (*bracketed ? 1 : 0));
}

bool strict_is_host(const char *host)
{
    char name[256];
    struct in6_addr six;
    bool bracketed;
    return take_name(host, name, sizeof name, &bracketed) &&
           (!bracketed || inet_pton(AF_INET6, name, &six) == 1);
}

bool strict_is_address(const char *host)
{
    char name[256];
    struct in6_addr six;
    struct in_addr four;
    bool bracketed;
    if (!take_name(host, name, sizeof name, &bracketed))
        return false;
    return bracketed ? inet_pton(AF_INET6, name, &six) == 1
                     : inet_pton(AF_INET, name, &four) == 1 || strcasecmp(name, "localhost") == 0;
}

/* ---- headers ---- */

/* Headers that have one meaning, and may occur only once. */
static const char *const single[] = { MHD_HTTP_HEADER_HOST, MHD_HTTP_HEADER_CONTENT_LENGTH,
    MHD_HTTP_HEADER_TRANSFER_ENCODING, MHD_HTTP_HEADER_CONTENT_TYPE,
    MHD_HTTP_HEADER_CONTENT_ENCODING, MHD_HTTP_HEADER_AUTHORIZATION, MHD_HTTP_HEADER_ORIGIN,
    MHD_HTTP_HEADER_EXPECT, "Sec-Fetch-Site", "Last-Event-ID", OMEND_KEY_HEADER };

enum { SINGLE = sizeof single / sizeof *single };

typedef struct header_check {
    omend_request *request;
    bool seen[SINGLE];
} header_check;

static bool is_token(const char *s)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    const char *c = s;
    while ((*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z') ||
           (*c != '\0' && strchr(others, *c) != NULL))
        c++;
    return c != s && *c == '\0';
}

static bool is_value(const char *s)
{
    while (*s == '\t' || ((unsigned char) *s >= ' ' && *s != 0x7f))
        s++;
    return *s == '\0';
}

static enum MHD_Result check_header(
    void *self, enum MHD_ValueKind kind, const char *name, const char *value)
{
    header_check *c = self;
    omend_problem *p = &c->request->problem;
    (void) kind;
    if (!is_token(name) || (value != NULL && !is_value(value))) {
        (void) problem_set(p, OMEND_BAD_REQUEST, "", "a header of the request is invalid");
        return MHD_NO;
    }
    for (size_t i = 0; i < SINGLE; i++) {
        if (strcasecmp(name, single[i]) != 0)
            continue;
        if (c->seen[i])
            (void) problem_set(p, OMEND_BAD_REQUEST, "", "header %s is given twice", single[i]);
        c->seen[i] = true;
    }
    return p->kind == OMEND_NO_PROBLEM ? MHD_YES : MHD_NO;
}

static const char *header(const omend_request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

/* The end of the body must be unambiguous. */
static bool check_framing(omend_request *r)
{
    const char *encoding = header(r, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (encoding == NULL)
        return true;
    if (strcasecmp(encoding, "chunked") != 0)
        return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
            "Transfer-Encoding must be chunked, not '%.64s'", encoding);
    if (header(r, MHD_HTTP_HEADER_CONTENT_LENGTH) != NULL ||
        strcmp(r->version, MHD_HTTP_VERSION_1_0) == 0)
        return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
            "Transfer-Encoding must not be used with Content-Length or HTTP/1.0");
    return true;
}

static bool check_host(omend_request *r)
{
    const char *host = header(r, MHD_HTTP_HEADER_HOST);
    if (host == NULL)
        return strcmp(r->version, MHD_HTTP_VERSION_1_0) == 0 ||
               problem_set(&r->problem, OMEND_BAD_REQUEST, "", "the request has no header Host");
    return strict_is_host(host) ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "", "'%.64s' is not a valid Host", host);
}

static bool check_coding(omend_request *r)
{
    const char *coding = header(r, MHD_HTTP_HEADER_CONTENT_ENCODING);
    return coding == NULL || strcasecmp(coding, "identity") == 0 ||
           problem_set(&r->problem, OMEND_BAD_TYPE, "", "Content-Encoding '%.64s' is not supported",
               coding);
}

bool strict_headers(omend_request *r)
{
    header_check c = { .request = r };
    (void) MHD_get_connection_values(r->connection, MHD_HEADER_KIND, check_header, &c);
    /* Data after a request that is not understood may be a part of it. */
    r->last = r->problem.kind != OMEND_NO_PROBLEM || !check_framing(r) || !check_host(r);
    return !r->last && check_coding(r);
}

bool strict_is_type(const char *value, const char *type)
{
    const size_t n = strlen(type);
    return strncasecmp(value, type, n) == 0 && strchr("; \t", value[n]) != NULL;
}

/* ---- the query ---- */

typedef struct query_check {
    omend_request *request;
    const char *names;
    uint32_t seen; /* bits, by the positions in `names` */
} query_check;

/* Returns the position of a word in `names`, from 0 on; -1 if it is not there. */
static int place_of(const char *names, const char *word)
{
    int place = 0;
    for (const char *at = names; *at != '\0'; place++) {
        const size_t n = strcspn(at, " ");
        if (n == strlen(word) && strncmp(at, word, n) == 0)
            return place;
        at += n + (at[n] == ' ');
    }
    return -1;
}

static enum MHD_Result check_argument(
    void *self, enum MHD_ValueKind kind, const char *name, const char *value)
{
    query_check *q = self;
    omend_problem *p = &q->request->problem;
    const int place = place_of(q->names, name);
    (void) kind;
    if (place < 0)
        (void) problem_set(p, OMEND_BAD_REQUEST, "", "no parameter '%.64s'%s%s%s", name,
            *q->names == '\0' ? "" : " (only ", q->names, *q->names == '\0' ? "" : ")");
    else if (value == NULL)
        (void) problem_set(p, OMEND_BAD_REQUEST, "", "%s has no value", name);
    else if ((q->seen >> place & 1) != 0)
        (void) problem_set(p, OMEND_BAD_REQUEST, "", "%s is given twice", name);
    else
        q->seen |= UINT32_C(1) << place;
    return p->kind == OMEND_NO_PROBLEM ? MHD_YES : MHD_NO;
}

bool strict_query(omend_request *r, const char *names)
{
    query_check q = { .request = r, .names = names };
    (void) MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, check_argument, &q);
    return r->problem.kind == OMEND_NO_PROBLEM;
}
