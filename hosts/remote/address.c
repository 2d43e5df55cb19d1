/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_BYTES = 4096 };

static int wrong_url(const cli *c, const char *url, const char *why)
{
    return om_fail(c->ctx, OM_EUSAGE, NULL,
        "--server takes http://HOST:PORT, https://HOST:PORT or unix:PATH, not '%s' (%s)", url, why);
}

/* Finds "host:1" in "http://host:1/x". */
static size_t host_of(const char *url, const char **out)
{
    *out = strstr(url, "://") + 3;
    return strcspn(*out, "/");
}

static bool is_loopback(const char *host, size_t n)
{
    static const char *const names[] = { "localhost", "127.", "[::1]" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (n >= strlen(names[i]) && strncmp(host, names[i], strlen(names[i])) == 0 &&
            (i == 1 || strspn(host + strlen(names[i]), ":0123456789") == n - strlen(names[i])))
            return true;
    return false;
}

static int read_url(remote_address *a, const cli *c, const char *url)
{
    const char *host;
    bool secure = strncmp(url, "https://", 8) == 0;
    if (!secure && strncmp(url, "http://", 7) != 0)
        return wrong_url(c, url, "unknown scheme");
    for (const char *s = url; *s != '\0'; s++)
        if ((unsigned char) *s <= ' ' || (unsigned char) *s >= 0x7f || strchr("@?#\\", *s) != NULL)
            return wrong_url(c, url, "invalid character");
    size_t n = host_of(url, &host), length = strlen(url);
    if (n == 0 || *host == ':')
        return wrong_url(c, url, "no host");
    while (length > 0 && url[length - 1] == '/')
        length--;
    a->exposed = !secure && !is_loopback(host, n);
    a->base = om_strndup(c->heap, url, length);
    return a->base == NULL ? om_fail_memory(c->ctx) : OM_OK;
}

/* For a Unix socket, the host is used only in the request's header. */
static int read_socket(remote_address *a, const cli *c, const char *url, const char *path)
{
    if (*path == '\0')
        return wrong_url(c, url, "no path");
    a->socket = om_strdup(c->heap, path);
    a->base = om_strdup(c->heap, "http://localhost");
    return a->socket == NULL || a->base == NULL ? om_fail_memory(c->ctx) : OM_OK;
}

/* Copies the token from `text`, without surrounding blanks. */
static int take_token(remote_address *a, const cli *c, const char *where, const char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t n = strlen(text);
    while (n > 0 && strchr(blanks, text[n - 1]) != NULL)
        n--;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char) text[i] < ' ' || (unsigned char) text[i] >= 0x7f)
            return om_fail(
                c->ctx, OM_EINPUT, NULL, "%s: a token must be one line of plain text", where);
    if (n == 0)
        return om_fail(c->ctx, OM_EINPUT, NULL, "%s has no token", where);
    a->token = om_strndup(c->heap, text, n);
    return a->token == NULL ? om_fail_memory(c->ctx) : OM_OK;
}

static int read_token(remote_address *a, const cli *c, const char *file)
{
    const char *given = getenv("OMEN_TOKEN");
    char *text = NULL;
    size_t length = 0;
    if (file == NULL)
        return given == NULL || *given == '\0' ? OM_OK : take_token(a, c, "OMEN_TOKEN", given);
    int rc = om_read_file(c->ctx, file, TOKEN_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = strlen(text) == length ? take_token(a, c, file, text)
                                    : om_fail(c->ctx, OM_EINPUT, NULL,
                                          "%s: a token must be one line of plain text", file);
    if (text != NULL)
        memset(text, 0, length);
    om_free(c->heap, text);
    return rc;
}

int remote_address_read(remote_address *out, const cli *c, const cli_server_settings *server)
{
    static const char *const sockets[] = { "unix:", "http+unix:" };
    const char *url = server->url, *path = NULL;
    *out = (remote_address){ .ca_file = server->ca_file };
    for (size_t i = 0; i < 2; i++)
        if (strncmp(url, sockets[i], strlen(sockets[i])) == 0)
            path = url + strlen(sockets[i]);
    if (path != NULL && strncmp(path, "//", 2) == 0)
        path += 2;
    int rc = path != NULL ? read_socket(out, c, url, path) : read_url(out, c, url);
    return rc == OM_OK ? read_token(out, c, server->token_file) : rc;
}

void remote_address_free(remote_address *a, const om_heap *heap)
{
    if (a->token != NULL)
        memset(a->token, 0, strlen(a->token));
    om_free(heap, a->token);
    om_free(heap, a->base);
    om_free(heap, a->socket);
    *a = (remote_address){ .base = NULL };
}
