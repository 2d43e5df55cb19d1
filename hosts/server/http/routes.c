/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include "assets.h"
#include "clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "#" stands for the number of a job, "*" for a name without a slash. */
typedef struct route {
    const char *method, *path;
    omend_role role;
    omend_handler *handler;
    const char *query; /* its parameters; NULL: the query is ignored */
} route;

static const route routes[] = {
    { "POST", "/v1/jobs", OMEND_ROLE_SUBMIT, handle_submit, "" },
    { "GET", "/v1/jobs", OMEND_ROLE_READ, handle_list, "state label after before order limit" },
    { "GET", "/v1/jobs/#", OMEND_ROLE_READ, handle_job, "" },
    { "DELETE", "/v1/jobs/#", OMEND_ROLE_SUBMIT, handle_delete, "remove" },
    { "POST", "/v1/jobs/#/retry", OMEND_ROLE_SUBMIT, handle_retry, "" },
    { "GET", "/v1/jobs/#/events", OMEND_ROLE_READ, handle_events, "last-event-id" },
    { "GET", "/v1/jobs/#/model", OMEND_ROLE_READ, handle_model, "" },
    { "GET", "/v1/jobs/#/*", OMEND_ROLE_READ, handle_lasso, "result" },
    { "GET", "/v1/devices", OMEND_ROLE_READ, handle_devices, "" },
    { "GET", "/v1/plugins", OMEND_ROLE_READ, handle_plugins, "" },
    { "GET", "/metrics", OMEND_ROLE_READ, handle_metrics, NULL },
};

/* Routes that are open to every client that can connect. */
static const route open_routes[] = {
    { "GET", "/healthz", OMEND_ROLE_READ, handle_health, NULL },
    { "GET", "/openapi.json", OMEND_ROLE_READ, handle_openapi, NULL },
};

static bool read_id(const char **path, int64_t *id)
{
    char *end;
    if (**path < '1' || **path > '9')
        return false;
    errno = 0;
    *id = strtoll(*path, &end, 10);
    *path = end;
    return errno == 0;
}

static bool matches(omend_request *r, const char *pattern)
{
    const char *path = r->path;
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '#') {
            if (!read_id(&path, &r->id))
                return false;
        } else if (*pattern == '*') {
            r->name = path;
            if (*path == '\0' || strchr(path, '/') != NULL)
                return false;
            path += strlen(path);
        } else if (*pattern != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

/* HEAD is a GET whose body MHD omits. */
static bool same_method(const omend_request *r, const char *method)
{
    return strcmp(r->method, method) == 0 ||
           (strcmp(method, "GET") == 0 && strcmp(r->method, "HEAD") == 0);
}

static const route *find(omend_request *r, const route *table, size_t count, bool *path_exists)
{
    for (size_t i = 0; i < count; i++) {
        if (!matches(r, table[i].path))
            continue;
        *path_exists = true;
        if (same_method(r, table[i].method))
            return &table[i];
    }
    return NULL;
}

/* Without tokens every client that can connect has access, so a page of another site could use a
 * browser on this machine. The browser sends the site of the page (Origin), and the name by which
 * it asks (Host: any domain name can be made to point here). Requests of a page without a script (a
 * picture, a frame) have no Origin, but Sec-Fetch-Site. */
static bool check_origin(omend_request *r)
{
    const char *host =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char *origin =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
    const char *site =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    const char *whose = origin == NULL ? NULL : strstr(origin, "://");
    if (host != NULL && !strict_is_address(host))
        return problem_set(&r->problem, OMEND_FORBIDDEN, "",
            "without tokens, omend only answers requests for an address or localhost, not '%.64s'",
            host);
    if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return problem_set(&r->problem, OMEND_FORBIDDEN, "",
            "a page of another site must not send this request (%.64s)", site);
    return origin == NULL || (whose != NULL && host != NULL && strcasecmp(whose + 3, host) == 0) ||
           problem_set(&r->problem, OMEND_FORBIDDEN, "",
               "a page of %.64s must not send this request", origin);
}

static bool authorize(omend_request *r, omend_role role)
{
    const omend_config *c = settings_now(&r->server->settings);
    const char *given =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
    if (c->token_count == 0)
        return check_origin(r);
    if (given == NULL || strncasecmp(given, "Bearer ", 7) != 0)
        return problem_set(
            &r->problem, OMEND_UNAUTHORIZED, "", "Authorization: Bearer TOKEN is missing");
    r->token = settings_find_token(c, given + 7);
    if (r->token == NULL)
        return problem_set(&r->problem, OMEND_UNAUTHORIZED, "", "unknown token");
    return r->token->role >= role || problem_set(&r->problem, OMEND_FORBIDDEN, "",
                                         "token '%s' does not allow this request", r->token->name);
}

static bool within_rate(omend_request *r)
{
    char address[INET6_ADDRSTRLEN] = "local";
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info == NULL ? NULL : info->client_addr;
    if (a != NULL && a->sa_family == AF_INET)
        (void) inet_ntop(AF_INET, &((const struct sockaddr_in *) (const void *) a)->sin_addr,
            address, sizeof address);
    else if (a != NULL && a->sa_family == AF_INET6)
        (void) inet_ntop(AF_INET6, &((const struct sockaddr_in6 *) (const void *) a)->sin6_addr,
            address, sizeof address);
    return rates_take(r->server->rates, r->token == NULL ? address : r->token->name,
               clock_ms(CLOCK_REALTIME)) ||
           problem_set(&r->problem, OMEND_TOO_MANY, "", "more than %lld requests a second",
               (long long) settings_now(&r->server->settings)->requests_per_second);
}

/* True for routes that are served even if all connections are in use. */
static bool is_vital(const route *found)
{
    return found->handler == handle_health || found->handler == handle_metrics;
}

/* If connections are short, those that are kept free serve vital routes only. */
static bool admit(omend_request *r, const route *found)
{
    if (is_vital(found) || !connections_crowded(r->server->connections))
        return true;
    r->last = true;
    atomic_fetch_add_explicit(&r->server->counts.turned_away, 1, memory_order_relaxed);
    return problem_set(&r->problem, OMEND_UNAVAILABLE, "", "too many connections are open");
}

bool route_find(omend_request *r)
{
    bool exists = false;
    const route *found = find(r, open_routes, sizeof open_routes / sizeof *open_routes, &exists);
    if (found == NULL && !exists && asset_find(r->path) != NULL) {
        static const route page = { "GET", "", OMEND_ROLE_READ, handle_asset, NULL };
        exists = true;
        found = same_method(r, page.method) ? &page : NULL;
    }
    if (found == NULL && !exists) {
        found = find(r, routes, sizeof routes / sizeof *routes, &exists);
        /* A client without access does not learn which paths exist. */
        if (!authorize(r, found == NULL ? OMEND_ROLE_READ : found->role) || !within_rate(r))
            return false;
    }
    if (found == NULL && exists)
        return problem_set(
            &r->problem, OMEND_BAD_METHOD, "", "%.16s is not allowed here", r->method);
    if (found == NULL)
        return problem_set(&r->problem, OMEND_NOT_FOUND, "", "no resource at %.200s", r->path);
    r->handler = found->handler;
    return admit(r, found) && (found->query == NULL || strict_query(r, found->query));
}
