/* SPDX-License-Identifier: Apache-2.0 */
/* omend: the server. */
#include "http/listen.h"
#include "server.h"

#include "jobs/renderer.h"

#include <omen/host/omen.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CONNECTION_BYTES = 24576,
    IDLE_SECONDS = 60,
    PATIENCE_MS = 24 * 3600 * 1000,
    OWN_FILES = 1536,
    KEPT_CONNECTIONS = 32 /* for /healthz and /metrics */
};

static int replace(om_context *ctx, char **text, const char *by)
{
    char *copy = by == NULL ? *text : om_strdup(om_context_heap(ctx), by);
    if (copy == NULL)
        return om_fail_memory(ctx);
    if (by != NULL)
        om_free(om_context_heap(ctx), *text);
    *text = copy;
    return OM_OK;
}

/* Makes the data folder's path absolute: jobs run in folders of their own. */
static int settle_data(om_context *ctx, omend_config *c)
{
    char path[PATH_MAX];
    if (mkdir(c->data, 0711) != 0 && errno != EEXIST)
        return om_fail(ctx, OM_EIO, NULL, "%s: %s", c->data, strerror(errno));
    if (realpath(c->data, path) == NULL)
        return om_fail(ctx, OM_EIO, NULL, "%s: %s", c->data, strerror(errno));
    if (strlen(path) > 3500)
        return om_fail(ctx, OM_EUSAGE, NULL, "%s: the name is too long", path);
    return replace(ctx, &c->data, path);
}

/* Finds the program omen beside this one, or the first of that name in PATH. */
static bool find_omen(char *out, size_t size)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        (void) snprintf(out, size, "%.4000s/omen", dirname(self));
        if (access(out, X_OK) == 0)
            return true;
    }
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        (void) snprintf(out, size, "%.*s/omen", (int) length, path);
        if (length > 0 && access(out, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static int settle_omen(om_context *ctx, omend_config *c)
{
    char found[PATH_MAX];
    if (*c->omen != '\0')
        return access(c->omen, X_OK) == 0
                   ? OM_OK
                   : om_fail(ctx, OM_EUSAGE, NULL, "%s: %s", c->omen, strerror(errno));
    if (!find_omen(found, sizeof found))
        return om_fail(ctx, OM_EUSAGE, NULL, "no program 'omen' next to omend or in PATH");
    return replace(ctx, &c->omen, found);
}

/* Reads the configuration from the file and the options as they are now. */
static int configure(const omend_server *s, omend_config **out)
{
    const omend_arguments *a = s->arguments;
    omend_config *c = om_alloc(om_context_heap(s->ctx), 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(s->ctx);
    *out = c;
    int rc = settings_defaults(c, s->ctx);
    if (rc == OM_OK && a->config != NULL)
        rc = settings_read(c, s->ctx, a->config);
    if (rc == OM_OK)
        rc = replace(s->ctx, &c->listen, a->listen);
    if (rc == OM_OK)
        rc = replace(s->ctx, &c->data, a->data);
    return rc == OM_OK ? settings_check(c, s->ctx) : rc;
}

/* Handles SIGHUP. If the new configuration is wrong, reports that and changes nothing. */
static void reload(omend_server *s)
{
    omend_config *c = NULL;
    int rc = configure(s, &c);
    if (rc == OM_OK)
        rc = settle_data(s->ctx, c);
    if (rc == OM_OK)
        rc = settle_omen(s->ctx, c);
    if (rc == OM_OK && c->token_count == 0 && !s->local)
        rc = om_fail(s->ctx, OM_EINPUT, NULL,
            "omend can be reached from other machines, and the configuration has no tokens");
    if (rc == OM_OK) {
        (void) settings_replace(&s->settings, s->ctx, c);
        om_note(s->ctx, OM_NOTE_NOTICE, NULL, "configuration reloaded");
        return;
    }
    om_note(
        s->ctx, OM_NOTE_WARNING, NULL, "configuration not reloaded: %s", om_context_error(s->ctx));
    om_context_clear(s->ctx);
    if (c != NULL) {
        settings_free(c, s->ctx);
        om_free(om_context_heap(s->ctx), c);
    }
}

/* ---- serving ---- */

/* Locks the folder: two omends would run the same jobs. The lock belongs to this process alone, and
 * ends with it. */
static int take_folder(om_context *ctx, const omend_config *c)
{
    char path[PATH_MAX];
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    (void) snprintf(path, sizeof path, "%.4000s/omend.lock", c->data);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return om_fail(ctx, OM_EIO, NULL, "%s: %s", path, strerror(errno));
    if (fcntl(fd, F_SETLK, &whole) == 0)
        return OM_OK; /* it stays open */
    int problem = errno;
    (void) close(fd);
    return problem == EACCES || problem == EAGAIN
               ? om_fail(ctx, OM_EUSAGE, NULL, "another omend uses %s", c->data)
               : om_fail(ctx, OM_EIO, NULL, "%s: %s", path, strerror(problem));
}

/* Returns as many connections as there are descriptors for, besides the files of omend itself,
 * which must not lack them for a job. *kept is the number of these connections on which only health
 * and metrics are served. */
static unsigned allowed_connections(om_context *ctx, const omend_config *c, unsigned *kept)
{
    struct rlimit limit;
    const unsigned wanted = (unsigned) c->connections + KEPT_CONNECTIONS;
    *kept = KEPT_CONNECTIONS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        (void) getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted + (rlim_t) OWN_FILES)
        return wanted;
    const rlim_t some =
        limit.rlim_cur > 2 * (rlim_t) OWN_FILES ? limit.rlim_cur - OWN_FILES : limit.rlim_cur / 2;
    if (some < 4 * (rlim_t) KEPT_CONNECTIONS)
        *kept = (unsigned) some / 4;
    om_note(ctx, OM_NOTE_WARNING, NULL,
        "the limit of open files is %llu (ulimit -n, LimitNOFILE): connections is %llu, not %u",
        (unsigned long long) limit.rlim_cur, (unsigned long long) some - *kept,
        (unsigned) c->connections);
    return (unsigned) some;
}

/* Divides the connections; *all is the limit for MHD. */
static int share_connections(omend_server *s, unsigned *all)
{
    const omend_config *c = settings_now(&s->settings);
    unsigned kept;
    *all = allowed_connections(s->ctx, c, &kept);
    const unsigned most = *all - kept;
    s->most_streams = c->event_streams > 0 ? (uint64_t) c->event_streams : most / 2;
    if (s->most_streams > most)
        s->most_streams = most;
    return connections_start(&s->connections, s->ctx, most);
}

static int start_http(omend_server *s, const omend_listener *l, unsigned connections)
{
    const omend_config *c = settings_now(&s->settings);
    char *certificate = NULL, *key = NULL;
    size_t n;
    int rc = OM_OK;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = { { MHD_OPTION_END, 0, NULL }, { MHD_OPTION_END, 0, NULL },
        { MHD_OPTION_END, 0, NULL } };
    if (*c->certificate != '\0') {
        rc = om_read_file(s->ctx, c->certificate, 1 << 20, &certificate, &n);
        if (rc == OM_OK)
            rc = om_read_file(s->ctx, c->key, 1 << 20, &key, &n);
        tls[0] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0, certificate };
        tls[1] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, key };
        flags |= MHD_USE_TLS;
    }
    if (rc == OM_OK) {
        s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, request_handle, s,
            MHD_OPTION_LISTEN_SOCKET, l->socket, MHD_OPTION_NOTIFY_COMPLETED, request_completed, s,
            MHD_OPTION_NOTIFY_CONNECTION, connections_notify, s->connections,
            MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_URI_LOG_CALLBACK,
            strict_take_target, s, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
            (unsigned) c->connections_per_address, MHD_OPTION_THREAD_POOL_SIZE,
            (unsigned) (c->http_threads > 1 ? c->http_threads : 0), MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned) IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_BYTES,
            MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
        if (s->daemon == NULL)
            rc = om_fail(s->ctx, OM_EIO, NULL, "the HTTP library cannot serve %s%s", l->address,
                *c->certificate == '\0' ? "" : " (check the certificate and the key)");
    }
    OM_FREE_ALL(om_context_heap(s->ctx), certificate, key);
    return rc;
}

static int check_access(const omend_server *s, const omend_listener *l)
{
    if (settings_now(&s->settings)->token_count > 0 || l->local)
        return OM_OK;
    return om_fail(s->ctx, OM_EUSAGE, NULL,
        "%s can be reached from other machines: the configuration must have tokens", l->address);
}

/* Waits until a signal tells omend to end. */
static void wait_for_end(omend_server *s, const sigset_t *set)
{
    int number;
    while (sigwait(set, &number) == 0 && number == SIGHUP) {
        listen_notify("RELOADING=1");
        reload(s);
        listen_notify("READY=1");
    }
    atomic_store(&s->draining, true);
    listen_notify("STOPPING=1");
}

/* Waits for the second signal. */
static void *hurry(void *self)
{
    omend_server *s = self;
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    (void) pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    if (sigwait(&set, &number) == 0)
        pool_hurry(s->pool);
    return NULL;
}

static void drain(omend_server *s)
{
    pthread_t waiter;
    bool waits = pthread_create(&waiter, NULL, hurry, s) == 0;
    pool_stop(s->pool, PATIENCE_MS);
    if (waits) {
        (void) pthread_cancel(waiter);
        (void) pthread_join(waiter, NULL);
    }
}

static void say_where(omend_server *s, const omend_listener *l)
{
    (void) snprintf(s->address, sizeof s->address, "%s%s",
        strncmp(l->address, "unix:", 5) == 0               ? ""
        : *settings_now(&s->settings)->certificate == '\0' ? "http://"
                                                           : "https://",
        l->address);
    (void) printf("omend listens on %s\n", s->address);
    (void) fflush(stdout);
    listen_notify("READY=1");
}

static int serve(omend_server *s)
{
    omend_listener l = { .socket = -1 };
    sigset_t set;
    unsigned connections = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    /* Before there are threads: only this thread receives the signals. */
    (void) pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void) signal(SIGPIPE, SIG_IGN);
    (void) umask(0022);
    omend_config *c = atomic_load(&s->settings.now);
    int rc = settle_data(s->ctx, c);
    if (rc == OM_OK)
        rc = settle_omen(s->ctx, c);
    if (rc == OM_OK)
        rc = take_folder(s->ctx, c);
    if (rc == OM_OK)
        rc = listen_open(&l, s->ctx, c->listen);
    s->local = l.local;
    if (rc == OM_OK)
        rc = check_access(s, &l);
    if (rc == OM_OK)
        rc = rates_new(&s->rates, s->ctx, (uint32_t) c->requests_per_second);
    if (rc == OM_OK)
        rc = writer_start(&s->writer, s->ctx, c->data);
    if (rc == OM_OK)
        rc = pool_start(&s->pool, s->ctx, &s->settings, s->writer);
    if (rc == OM_OK)
        rc = renderer_start(&s->renderer, s->ctx, &s->settings);
    if (rc == OM_OK)
        rc = machine_new(&s->machine, s->ctx, &s->settings, s->writer);
    if (rc == OM_OK)
        rc = machine_measure(s->machine, s->pool);
    if (rc == OM_OK)
        rc = share_connections(s, &connections);
    if (rc == OM_OK)
        rc = start_http(s, &l, connections);
    if (rc == OM_OK) {
        say_where(s, &l);
        wait_for_end(s, &set);
        drain(s);
    } else {
        pool_stop(s->pool, 0);
    }
    machine_end(s->machine);
    renderer_stop(s->renderer);
    writer_stop(s->writer);
    /* Requests that waited for the writer have been answered; streams end with the pool's jobs. */
    pool_end_waiting(s->pool);
    listen_remove(&l); /* while omend still holds its folder: no other one can have made the file */
    if (s->daemon != NULL)
        MHD_stop_daemon(s->daemon);
    else
        listen_close(&l);
    connections_stop(s->connections);
    /* No thread uses these any more. */
    pool_free(s->pool);
    writer_free(s->writer);
    renderer_free(s->renderer);
    machine_free(s->machine);
    rates_free(s->rates);
    return rc;
}

/* ---- other commands ---- */

static int hash_token(om_context *ctx)
{
    char word[1024], hex[2 * OMEND_HASH_BYTES + 1];
    if (fgets(word, sizeof word, stdin) == NULL)
        return om_fail(ctx, OM_EUSAGE, NULL, "no token on standard input");
    size_t n = strcspn(word, "\r\n");
    if (n == sizeof word - 1)
        return om_fail(ctx, OM_EUSAGE, NULL, "a token has at most %zu characters", n - 1);
    if (n < 16)
        return om_fail(ctx, OM_EUSAGE, NULL,
            "a token has at least 16 characters (head -c 32 /dev/urandom | base64)");
    if (!settings_hash(word, n, hex))
        return om_fail(ctx, OM_EINTERNAL, NULL, "SHA-256 is not available");
    (void) printf("sha256:%s\n", hex);
    return OM_OK;
}

static void describe_keys(om_text *out)
{
    settings_describe(out, "");
}

static int print(om_context *ctx, void (*describe)(om_text *out))
{
    om_text out = { .heap = om_context_heap(ctx) };
    describe(&out);
    if (!out.failed)
        (void) fputs(out.text, stdout);
    int rc = out.failed ? om_fail_memory(ctx) : OM_OK;
    om_text_free(&out);
    return rc;
}

static int run(omend_server *s, int argc, char **argv)
{
    omend_arguments a = { 0 };
    int rc = options_read(&a, s->ctx, argc, argv);
    if (rc != OM_OK)
        return rc;
    if (a.help)
        return print(s->ctx, options_help);
    if (a.version) {
        (void) printf("omend %s\n", om_version());
        return OM_OK;
    }
    if (a.keys)
        return print(s->ctx, describe_keys);
    if (a.hash)
        return hash_token(s->ctx);
    omend_config *c = NULL;
    s->arguments = &a;
    rc = configure(s, &c);
    atomic_store(&s->settings.now, c);
    return rc == OM_OK && !a.check ? serve(s) : rc;
}

static void say_note(void *self, om_note_level level, const char *text)
{
    (void) self;
    if (level != OM_NOTE_VERBOSE)
        (void) fprintf(stderr, "omend: %s%s\n", level == OM_NOTE_WARNING ? "warning: " : "", text);
}

int main(int argc, char **argv)
{
    static omend_server s;
    if (om_context_new(&s.ctx, NULL) != OM_OK) {
        (void) fputs("omend: out of memory\n", stderr);
        return om_exit_status(OM_ENOMEM);
    }
    om_context_on_note(s.ctx, say_note, NULL);
    int rc = run(&s, argc, argv);
    if (rc != OM_OK)
        (void) fprintf(stderr, "omend: %s\n", om_context_error(s.ctx));
    settings_end(&s.settings, s.ctx);
    om_context_free(s.ctx);
    if (fflush(stdout) != 0)
        rc = OM_EIO;
    return rc == OM_OK ? 0 : om_exit_status(rc);
}
