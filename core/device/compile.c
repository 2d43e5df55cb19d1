/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling kernels in a process of its own (omen-build-opencl, builder.c), for devices whose
 * compiler would otherwise count as this process's memory: pocl's brings LLVM along, and keeps more
 * than 100 MB for the life of the process.
 *
 * The two ends of a socket. The library sends a head and as many bytes of text, each string with
 * its NUL: the device's name and driver, the options, the source, and for each kernel its name and
 * the kinds of its arguments. The program answers with a head and the binary, or a message. Both
 * are of one build (the program is found beside the library): numbers are as the machine has them.
 *
 * A compiler's first program costs half a second more than the next (pocl reads its library of
 * built-in functions), so the process then waits a little for another question, and ends without.
 */
#include "child.h"
#include "devices.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUILDER "omen-build-opencl"
static const char MAGIC[8] = { 'o', 'm', 'b', 'u', 'i', 'l', 'd', 1 };
enum { GLANCE_MS = 10, PATIENCE_MS = 1000, MOST_BYTES = 256 << 20, NOT_STARTED = 127 };

/* A process that waits for a question, or is about to end. */
struct om_kernel_compiler {
    om_kernel_compiler *next;
    pid_t pid;
    int socket;
};

typedef struct question {
    char magic[8];
    uint32_t device, local, shapes, unused;
    uint64_t bytes;
} question;

typedef struct answer {
    char magic[8];
    int64_t rc; /* OM_OK: a binary follows, else a message */
    uint64_t bytes;
} answer;

/* ---- both ends ---- */

static bool send_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t) done;
    }
    return true;
}

/* OM_OK; OM_EIO: the other end is gone; OM_ESTOP: the context (may be NULL) does not want it any
 * more. */
static int receive_all(int fd, om_context *ctx, void *bytes, size_t n)
{
    char *p = bytes;
    while (n > 0) {
        struct pollfd end = { .fd = fd, .events = POLLIN };
        if (ctx != NULL && om_context_stopped(ctx) != OM_OK)
            return OM_ESTOP;
        int ready = poll(&end, 1, ctx == NULL ? -1 : GLANCE_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t done = ready < 0 ? -1 : recv(fd, p, n, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return OM_EIO;
        p += done;
        n -= (size_t) done;
    }
    return OM_OK;
}

/* ---- the library's ---- */

static void add_string(om_text *to, const char *text)
{
    om_text_add_n(to, text, strlen(text) + 1);
}

static int ask(int fd, om_device *d, om_context *ctx, const om_recipe *recipe, const char *options)
{
    om_text text = { .heap = om_context_heap(ctx) };
    const om_devices *all = d->owner;
    add_string(&text, d->info.name);
    add_string(&text, d->info.driver);
    add_string(&text, options);
    add_string(&text, recipe->source);
    for (size_t i = 0; i < recipe->count; i++) {
        add_string(&text, recipe->shapes[i].name);
        add_string(&text, recipe->shapes[i].args);
    }
    pthread_mutex_lock(&d->owner->lock);
    const uint32_t local = d->local;
    pthread_mutex_unlock(&d->owner->lock);
    question q = { .device = (uint32_t) (d - all->items),
        .local = local,
        .shapes = (uint32_t) recipe->count,
        .bytes = text.length };
    memcpy(q.magic, MAGIC, sizeof q.magic);
    int rc = text.failed ? om_fail_memory(ctx)
             : send_all(fd, &q, sizeof q) && send_all(fd, text.text, text.length) ? OM_OK
                                                                                  : OM_EIO;
    om_text_free(&text);
    return rc;
}

static int listen_to(int fd, om_context *ctx, unsigned char **binary, size_t *length)
{
    answer a;
    unsigned char *bytes = NULL;
    int rc = receive_all(fd, ctx, &a, sizeof a);
    if (rc == OM_OK && (memcmp(a.magic, MAGIC, sizeof a.magic) != 0 || a.bytes > MOST_BYTES))
        rc = OM_EIO;
    if (rc != OM_OK)
        return rc;
    if ((bytes = om_alloc(om_context_heap(ctx), (size_t) a.bytes + 1, 1)) == NULL)
        return om_fail_memory(ctx);
    rc = receive_all(fd, ctx, bytes, (size_t) a.bytes);
    if (rc == OM_OK && a.rc != OM_OK) {
        bytes[a.bytes] = '\0';
        rc = om_fail(ctx, OM_EUNSUPPORTED, NULL, "%s", (const char *) bytes);
    }
    if (rc == OM_OK) {
        *binary = bytes;
        *length = (size_t) a.bytes;
        bytes = NULL;
    }
    om_free(om_context_heap(ctx), bytes);
    return rc;
}

/* Ends it, if it has not ended, and frees what it is to this process. */
static void dismiss(const om_heap *heap, om_kernel_compiler *c)
{
    if (c->pid > 0)
        om_child__end(c->pid);
    (void) close(c->socket);
    om_free(heap, c);
}

void om_kernel_compilers__close(om_devices *all)
{
    while (all->compilers != NULL) {
        om_kernel_compiler *next = all->compilers->next;
        dismiss(all->heap, all->compilers);
        all->compilers = next;
    }
}

static om_kernel_compiler *take_waiting(om_devices *all)
{
    pthread_mutex_lock(&all->lock);
    om_kernel_compiler *c = all->compilers;
    if (c != NULL)
        all->compilers = c->next;
    pthread_mutex_unlock(&all->lock);
    return c;
}

static void let_wait(om_devices *all, om_kernel_compiler *c)
{
    pthread_mutex_lock(&all->lock);
    c->next = all->compilers;
    all->compilers = c;
    pthread_mutex_unlock(&all->lock);
}

static int start_compiler(
    const om_device *d, om_context *ctx, const char *path, om_kernel_compiler **out)
{
    const om_heap *heap = d->owner->heap;
    char name[] = BUILDER, *argv[] = { name, NULL };
    om_kernel_compiler *c = om_alloc(heap, 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(ctx);
    int error = om_child__launch(path, argv, &c->pid, &c->socket);
    if (error != 0) {
        om_free(heap, c);
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: its compiler cannot be started: %s",
            d->info.name, strerror(error));
    }
    *out = c;
    return OM_OK;
}

/* It did not answer. OM_EIO, and no message: it could not begin, or (*tired) had waited for a
 * question long enough. */
static int post_mortem(const om_device *d, om_context *ctx, om_kernel_compiler *c, bool *tired)
{
    int status = 0;
    pid_t pid = c->pid;
    c->pid = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return OM_EIO;
    *tired = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFEXITED(status) && (*tired || WEXITSTATUS(status) == NOT_STARTED))
        return OM_EIO;
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: its compiler ended by %s %d",
        d->info.name, WIFSIGNALED(status) ? "signal" : "itself with status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* A compiler that lives in a graphics driver is not worth a second start of that driver; and a
 * simulator counts what one process does. */
static bool worth_it(const om_device *d)
{
    return strcmp(d->info.kind, "cpu") == 0 && !d->simulated;
}

/* No more at once than there are processors: each takes much memory. False: not wanted any more.
 * *contended: it is not the only one. */
static bool wait_for_turn(om_devices *all, om_context *ctx, bool *contended)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned most = processors < 1 ? 1 : (unsigned) processors;
    bool wanted = true;
    pthread_mutex_lock(&all->lock);
    while (all->compiling >= (all->one_by_one ? 1 : most) && wanted) {
        struct timespec until;
        (void) clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long) GLANCE_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void) pthread_cond_timedwait(&all->built, &all->lock, &until);
        pthread_mutex_unlock(&all->lock);
        wanted = om_context_stopped(ctx) == OM_OK;
        pthread_mutex_lock(&all->lock);
    }
    all->compiling += wanted;
    *contended = all->compiling > 1;
    pthread_mutex_unlock(&all->lock);
    return wanted;
}

static void end_turn(om_devices *all, bool *contended)
{
    pthread_mutex_lock(&all->lock);
    all->compiling--;
    *contended = *contended || all->compiling > 0 || all->compilers != NULL;
    pthread_cond_broadcast(&all->built);
    pthread_mutex_unlock(&all->lock);
}

/* Lets it do the work; takes it over. *again: somebody else should be asked. */
static int delegate(om_kernel_compiler *c, om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length, bool *again)
{
    om_devices *all = d->owner;
    *again = false;
    int rc = ask(c->socket, d, ctx, recipe, options);
    if (rc == OM_OK)
        rc = listen_to(c->socket, ctx, binary, length);
    if (rc == OM_OK || rc == OM_EUNSUPPORTED) {
        let_wait(all, c); /* it has said all that it had to say */
        return rc;
    }
    if (rc == OM_EIO)
        rc = post_mortem(d, ctx, c, again);
    dismiss(all->heap, c);
    return rc;
}

/* Where several at once may have been more than the system has processes, threads or memory for,
 * one after the other may do. */
static void make_capacity(om_devices *all)
{
    om_kernel_compiler *c = NULL;
    pthread_mutex_lock(&all->lock);
    all->one_by_one = true;
    pthread_mutex_unlock(&all->lock);
    while ((c = take_waiting(all)) != NULL)
        dismiss(all->heap, c);
}

/* What is to be done, by whom. */
typedef struct errand {
    om_device *d;
    om_context *ctx;
    const om_recipe *recipe;
    const char *options, *path;
} errand;

static int run_errand(const errand *e, unsigned char **binary, size_t *length, bool *contended)
{
    om_devices *all = e->d->owner;
    om_kernel_compiler *c = NULL;
    bool again = true;
    int rc = OM_EIO;
    if (!wait_for_turn(all, e->ctx, contended))
        return OM_ESTOP;
    while (again && (c = take_waiting(all)) != NULL)
        rc = delegate(c, e->d, e->ctx, e->recipe, e->options, binary, length, &again);
    if (again && (rc = start_compiler(e->d, e->ctx, e->path, &c)) == OM_OK)
        rc = delegate(c, e->d, e->ctx, e->recipe, e->options, binary, length, &again);
    end_turn(all, contended);
    return rc;
}

int om_device__compile_apart(om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length)
{
    char *path = worth_it(d) ? om_child__find(om_context_heap(ctx), BUILDER) : NULL;
    const errand e = { d, ctx, recipe, options, path };
    bool contended = false;
    if (path == NULL)
        return OM_EIO;
    int rc = run_errand(&e, binary, length, &contended);
    if (rc == OM_EUNSUPPORTED && contended) {
        om_context_clear(ctx);
        make_capacity(d->owner);
        rc = run_errand(&e, binary, length, &contended);
    }
    om_free(om_context_heap(ctx), path);
    return rc;
}

/* ---- the program's ---- */

/* What was asked: `text` holds all strings. */
typedef struct order {
    question head;
    char *text;
    const char *name, *driver, *options;
    om_recipe recipe;
    om_shape shapes[OM_MOST_KERNELS];
} order;

/* The string at *at, which becomes the next one's place; NULL where there is none. */
static const char *next_string(const order *o, size_t *at)
{
    const char *text = o->text + *at;
    if (*at >= o->head.bytes)
        return NULL;
    *at += strlen(text) + 1; /* there is a NUL behind the last byte */
    return text;
}

static bool read_order(int fd, const om_heap *heap, order *o)
{
    size_t at = 0;
    if (receive_all(fd, NULL, &o->head, sizeof o->head) != OM_OK ||
        memcmp(o->head.magic, MAGIC, sizeof MAGIC) != 0 || o->head.bytes > MOST_BYTES ||
        o->head.shapes > OM_MOST_KERNELS ||
        (o->text = om_alloc(heap, (size_t) o->head.bytes + 1, 1)) == NULL ||
        receive_all(fd, NULL, o->text, (size_t) o->head.bytes) != OM_OK)
        return false;
    o->text[o->head.bytes] = '\0';
    o->name = next_string(o, &at);
    o->driver = next_string(o, &at);
    o->options = next_string(o, &at);
    o->recipe = (om_recipe){ .source = next_string(o, &at),
        .options = o->options,
        .shapes = o->shapes,
        .count = o->head.shapes };
    bool whole = o->recipe.source != NULL;
    for (uint32_t i = 0; whole && i < o->head.shapes; i++) {
        o->shapes[i].name = next_string(o, &at);
        o->shapes[i].args = next_string(o, &at);
        whole = o->shapes[i].args != NULL;
    }
    return whole;
}

/* Opens the devices at the first question. */
static int open_device(om_context *ctx, om_devices **all, const order *o, om_device **out)
{
    const char *why = "no reason given";
    int rc = *all != NULL ? OM_OK : om_devices__open(all, ctx, false, &why);
    if (rc != OM_OK)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "no OpenCL in a second process: %s", why);
    om_device *d = o->head.device < (*all)->count ? &(*all)->items[o->head.device] : NULL;
    if (d == NULL || strcmp(d->info.name, o->name) != 0 || strcmp(d->info.driver, o->driver) != 0)
        return om_fail(
            ctx, OM_EUNSUPPORTED, NULL, "device %s: it is not there in a second process", o->name);
    d->local = o->head.local;
    *out = d;
    return om_device__start(d, ctx);
}

/* Reads a question and answers it; false: nobody asks so. */
static bool serve(int socket, om_context *ctx, om_devices **all)
{
    const om_heap *heap = om_context_heap(ctx);
    order o = { 0 };
    om_device *d = NULL;
    om_built built = { 0 };
    unsigned char *binary = NULL;
    answer a = { 0 };
    size_t length = 0;
    bool good = read_order(socket, heap, &o);
    if (good) {
        memcpy(a.magic, MAGIC, sizeof a.magic);
        a.rc = open_device(ctx, all, &o, &d);
        if (a.rc == OM_OK)
            a.rc = om_device__compile(d, ctx, &o.recipe, o.options, &built, &binary, &length);
        const void *bytes = a.rc == OM_OK ? (const void *) binary : om_context_error(ctx);
        a.bytes = a.rc == OM_OK ? length : strlen(om_context_error(ctx));
        good = send_all(socket, &a, sizeof a) && send_all(socket, bytes, (size_t) a.bytes);
    }
    if (*all != NULL)
        om_cl__release(&(*all)->cl, &built);
    om_free(heap, binary);
    om_free(heap, o.text);
    return good;
}

/* Is there another question? Not where nobody is left who could ask, or it takes too long. */
static bool is_asked(int socket)
{
    struct pollfd end = { .fd = socket, .events = POLLIN };
    char first;
    int ready;
    do
        ready = poll(&end, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && recv(socket, &first, 1, MSG_PEEK) == 1;
}

bool om_devices_build_for(int socket)
{
    om_context *ctx = NULL;
    om_devices *all = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK)
        return false;
    bool good = true;
    while (good && is_asked(socket))
        good = serve(socket, ctx, &all);
    om_devices_close(all);
    om_context_free(ctx);
    return good;
}
