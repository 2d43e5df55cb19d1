/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include "http/assets.h"
#include "borrowed.h"
#include "clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MS = 120000, MOST_ANSWER = 16 << 20 };

/* Number of states of a model of counters that are explored. */
static const char states_wanted[] = "1000000";

struct omend_machine {
    om_context *ctx;
    const omend_settings *settings;
    omend_writer *writer;
    omend_pool *pool;
    pthread_t thread;
    bool measuring;
    _Atomic bool ending;
    pthread_mutex_t lock;
    /* Protected by the lock: */
    json_t *devices, *plugins;
    double thread_rate;
    pid_t child;
};

/* ---- asking omen ---- */

/* Reads until the end of the pipe. Returns false if that is too much, or takes too long. */
static bool read_all(int fd, om_text *out)
{
    char piece[16384];
    const int64_t end = clock_ms(CLOCK_MONOTONIC) + ANSWER_MS;
    while (!out->failed && out->length <= MOST_ANSWER) {
        struct pollfd p = { fd, POLLIN, 0 };
        int64_t left = end - clock_ms(CLOCK_MONOTONIC);
        if (left <= 0 || poll(&p, 1, (int) left) == 0)
            return false;
        ssize_t got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        om_text_add_n(out, piece, (size_t) got);
    }
    return false;
}

static int spawn(char *const *argv, int in, int out, pid_t *pid)
{
    extern char **environ;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE); /* ignored by omend */
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    int rc = posix_spawnattr_init(&how);
    if (rc == 0) {
        (void) posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        (void) posix_spawnattr_setsigmask(&how, &none);
        (void) posix_spawnattr_setsigdefault(&how, &ignored);
        rc = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
        if (rc == 0)
            rc = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (rc == 0)
            rc = posix_spawn_file_actions_addclosefrom_np(&files, 3);
        if (rc == 0)
            rc = posix_spawn(pid, argv[0], &files, &how, argv, environ);
        (void) posix_spawnattr_destroy(&how);
    }
    (void) posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Returns a file that contains the text, positioned at its start. */
static int open_text(const char *text, size_t length)
{
    int fd = memfd_create("omend", MFD_CLOEXEC);
    if (fd >= 0 && (write(fd, text, length) != (ssize_t) length || lseek(fd, 0, SEEK_SET) != 0)) {
        (void) close(fd);
        fd = -1;
    }
    return fd;
}

static void set_child(omend_machine *m, pid_t child)
{
    pthread_mutex_lock(&m->lock);
    assert(child == 0 || m->child == 0); /* one at a time */
    m->child = child;
    if (child > 0 && atomic_load(&m->ending))
        (void) kill(child, SIGKILL);
    pthread_mutex_unlock(&m->lock);
}

/* Returns the JSON that omen prints for these arguments; NULL if there is none. */
static json_t *ask(omend_machine *m, const char *const *arguments, const char *input, size_t length)
{
    char *argv[16] = { settings_now(m->settings)->omen };
    int out[2], in = open_text(input, length), i = 1;
    pid_t child = 0;
    om_text said = { .heap = om_context_heap(m->ctx) };
    for (; arguments[i - 1] != NULL && i < 15; i++)
        argv[i] = borrowed(arguments[i - 1]);
    assert(arguments[i - 1] == NULL); /* all of them fit, and argv ends with NULL */
    if (in < 0 || pipe2(out, O_CLOEXEC) != 0) {
        if (in >= 0)
            (void) close(in);
        return NULL;
    }
    int rc = spawn(argv, in, out[1], &child);
    (void) close(in);
    (void) close(out[1]);
    if (rc != 0) {
        (void) close(out[0]);
        return NULL;
    }
    set_child(m, child);
    const bool whole = read_all(out[0], &said);
    (void) close(out[0]);
    if (!whole)
        (void) kill(child, SIGKILL);
    set_child(m, 0);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    json_t *value = whole && said.length != 0 ? json_loadb(said.text, said.length, 0, NULL) : NULL;
    om_text_free(&said);
    return value;
}

int machine_new(
    omend_machine **out, om_context *ctx, const omend_settings *settings, omend_writer *writer)
{
    static const char *const plugins[] = { "plugins", "--json", NULL };
    static const char *const devices[] = { "devices", "--json", NULL };
    omend_machine *m = om_alloc(om_context_heap(ctx), 1, sizeof *m);
    if (m == NULL)
        return om_fail_memory(ctx);
    m->ctx = ctx;
    m->settings = settings;
    m->writer = writer;
    pthread_mutex_init(&m->lock, NULL);
    m->plugins = ask(m, plugins, "", 0);
    m->devices =
        settings_now(settings)->devices ? ask(m, devices, "", 0) : json_pack("{s:[]}", "devices");
    *out = m;
    if (json_object_get(m->plugins, "plugins") != NULL &&
        json_object_get(m->devices, "devices") != NULL)
        return OM_OK;
    return om_fail(ctx, OM_EIO, NULL, "cannot get the lists of plug-ins and devices from %s",
        settings_now(settings)->omen);
}

/* ---- measuring ---- */

/* A fact of the database. */
typedef struct fact {
    om_write write;
    const char *name;
    double value;
} fact;

static bool apply_fact(om_write *w, omend_connection *c)
{
    const fact *self = (const fact *) (const void *) w;
    char text[32];
    (void) snprintf(text, sizeof text, "%.0f", self->value);
    return connection_do(connection_bind(c, SQL_SET_FACT, "tt", self->name, text));
}

static double known_rate(omend_connection *c, const char *name)
{
    sqlite3_stmt *s = connection_bind(c, SQL_FACT, "t", name);
    const double rate = connection_row(s) ? sqlite3_column_double(s, 0) : 0;
    (void) sqlite3_reset(s);
    return rate;
}

/* Returns states per second; 0 if omen did not finish. */
static double explore(omend_machine *m, const char *device)
{
    const omend_asset *model = asset_find("/calibration.dve");
    const char *const arguments[] = { "explore", "-", "--frontend", "dve", "--threads", "1",
        "--device", device, "--max-states", states_wanted, "--json", NULL };
    json_t *said = ask(m, arguments, model->text, model->length);
    double states = json_number_value(json_object_get(said, "states"));
    double seconds = json_number_value(json_object_get(said, "seconds"));
    json_decref(said);
    return seconds > 0 ? states / seconds : 0;
}

/* Returns the known rate, or measures it. */
static double rate_of(omend_machine *m, omend_connection *c, const char *name, const char *device)
{
    double rate = known_rate(c, name);
    if (rate > 0 || atomic_load(&m->ending))
        return rate;
    rate = explore(m, device);
    if (rate > 0) {
        fact f = { .write = { apply_fact, NULL, NULL }, .name = name, .value = rate };
        (void) writer_wait(m->writer, &f.write);
    }
    return rate;
}

static void tell_pool(omend_machine *m)
{
    pthread_mutex_lock(&m->lock);
    pool_set_devices(m->pool, json_object_get(m->devices, "devices"), m->thread_rate);
    pthread_mutex_unlock(&m->lock);
}

static void measure_device(omend_machine *m, omend_connection *c, json_t *device)
{
    char name[512], number[24];
    json_t *n = json_object_get(device, "number");
    if (!json_is_integer(n) || json_is_string(json_object_get(device, "reason")))
        return;
    (void) snprintf(name, sizeof name, "rate of %s, driver %s",
        json_string_value(json_object_get(device, "name")),
        json_string_value(json_object_get(device, "driver")));
    (void) snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(n));
    double rate = rate_of(m, c, name, number);
    pthread_mutex_lock(&m->lock);
    (void) json_object_set_new(
        device, "states_per_second", rate > 0 ? json_real(rate) : json_null());
    pthread_mutex_unlock(&m->lock);
}

static void *measure(void *self)
{
    omend_machine *m = self;
    omend_connection c;
    json_t *devices = json_object_get(m->devices, "devices"), *device;
    size_t i;
    if (connection_open(&c, m->ctx, settings_now(m->settings)->data, false) != OM_OK)
        return NULL;
    double rate = rate_of(m, &c, "rate of a thread", "none");
    pthread_mutex_lock(&m->lock);
    m->thread_rate = rate;
    pthread_mutex_unlock(&m->lock);
    json_array_foreach(devices, i, device) measure_device(m, &c, device);
    connection_close(&c);
    tell_pool(m);
    return NULL;
}

int machine_measure(omend_machine *m, omend_pool *pool)
{
    m->pool = pool;
    tell_pool(m);
    if (!settings_now(m->settings)->calibrate)
        return OM_OK;
    if (pthread_create(&m->thread, NULL, measure, m) != 0)
        return om_fail(m->ctx, OM_EIO, NULL, "cannot create a thread");
    m->measuring = true;
    return OM_OK;
}

void machine_end(omend_machine *m)
{
    if (m == NULL)
        return;
    atomic_store(&m->ending, true);
    pthread_mutex_lock(&m->lock);
    if (m->child > 0)
        (void) kill(m->child, SIGKILL);
    pthread_mutex_unlock(&m->lock);
    if (m->measuring)
        (void) pthread_join(m->thread, NULL);
    m->measuring = false;
}

void machine_free(omend_machine *m)
{
    if (m == NULL)
        return;
    assert(!m->measuring && m->child == 0); /* machine_end() */
    json_decref(m->devices);
    json_decref(m->plugins);
    pthread_mutex_destroy(&m->lock);
    om_free(om_context_heap(m->ctx), m);
}

/* ---- answers ---- */

json_t *machine_devices(omend_machine *m)
{
    pthread_mutex_lock(&m->lock);
    json_t *copy = json_deep_copy(m->devices);
    if (copy != NULL)
        (void) json_object_set_new(copy, "thread_states_per_second",
            m->thread_rate > 0 ? json_real(m->thread_rate) : json_null());
    pthread_mutex_unlock(&m->lock);
    return copy;
}

json_t *machine_plugins(omend_machine *m)
{
    return json_deep_copy(m->plugins);
}

bool machine_reads(omend_machine *m, const char *language)
{
    size_t i;
    json_t *plugin;
    json_array_foreach(json_object_get(m->plugins, "plugins"), i, plugin)
    {
        const char *kind = json_string_value(json_object_get(plugin, "kind"));
        const char *name = json_string_value(json_object_get(plugin, "name"));
        if (kind != NULL && name != NULL && strcmp(kind, "frontend") == 0 &&
            strcmp(name, language) == 0)
            return true;
    }
    return false;
}
