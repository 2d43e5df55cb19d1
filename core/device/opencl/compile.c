/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling kernels in a separate process (omen-build-opencl, kernel_builder.c), for devices whose
 * compiler would otherwise count as this process's memory: pocl's loads LLVM, and keeps more than
 * 100 MB for the life of the process.
 *
 * A compiler's first program takes half a second more than the next, because pocl reads its library
 * of built-in functions. So the process then waits a little for another question, and ends without
 * one.
 */
#include "opencl.h"

#include "process/child.h"
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUILDER "omen-build-opencl"
enum { NOT_STARTED = 127 };

/* A process that waits for a question, or is about to end. */
struct om_kernel_compiler {
    om_kernel_compiler *next;
    pid_t pid;
    int socket;
};

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
    om_question q = { .device = (uint32_t) (d - all->items),
        .local = local,
        .shapes = (uint32_t) recipe->count,
        .bytes = text.length };
    memcpy(q.magic, om_wire__magic, sizeof q.magic);
    int rc = text.failed ? om_fail_memory(ctx)
             : om_wire__send(fd, &q, sizeof q) && om_wire__send(fd, text.text, text.length)
                 ? OM_OK
                 : OM_EIO;
    om_text_free(&text);
    return rc;
}

static int listen_to(int fd, om_context *ctx, unsigned char **binary, size_t *length)
{
    om_answer a;
    unsigned char *bytes = NULL;
    int rc = om_wire__receive(fd, ctx, &a, sizeof a);
    if (rc == OM_OK &&
        (memcmp(a.magic, om_wire__magic, sizeof a.magic) != 0 || a.bytes > OM_WIRE_MOST_BYTES))
        rc = OM_EIO;
    if (rc != OM_OK)
        return rc;
    if ((bytes = om_alloc(om_context_heap(ctx), (size_t) a.bytes + 1, 1)) == NULL)
        return om_fail_memory(ctx);
    rc = om_wire__receive(fd, ctx, bytes, (size_t) a.bytes);
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

/* Ends the process, if it has not ended, and frees its resources. */
static void dismiss(const om_heap *heap, om_kernel_compiler *c)
{
    if (c->pid > 0)
        om_child__end(c->pid);
    (void) close(c->socket);
    om_free(heap, c);
}

void om_kernel_compilers__close(om_opencl *cl)
{
    while (cl->compilers != NULL) {
        om_kernel_compiler *next = cl->compilers->next;
        dismiss(cl->all->heap, cl->compilers);
        cl->compilers = next;
    }
}

static om_kernel_compiler *take_waiting(om_opencl *cl)
{
    pthread_mutex_lock(&cl->all->lock);
    om_kernel_compiler *c = cl->compilers;
    if (c != NULL)
        cl->compilers = c->next;
    pthread_mutex_unlock(&cl->all->lock);
    return c;
}

static void let_wait(om_opencl *cl, om_kernel_compiler *c)
{
    pthread_mutex_lock(&cl->all->lock);
    c->next = cl->compilers;
    cl->compilers = c;
    pthread_mutex_unlock(&cl->all->lock);
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

/* Handles a process that did not answer. Returns OM_EIO, without a message, if it could not begin,
 * or (*tired) had waited for a question long enough. */
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
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: its compiler ended with %s %d",
        d->info.name, WIFSIGNALED(status) ? "signal" : "status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Returns false for a compiler in a graphics driver, which is not worth a second start of the
 * driver. The same holds for a simulator, which counts what one process does. */
static bool worth_it(const om_device *d)
{
    return strcmp(d->info.kind, "cpu") == 0 && !d->simulated;
}

/* Waits until fewer processes compile than there are processors: each takes much memory. Returns
 * false if the context was stopped. *contended: it is not the only one. */
static bool wait_for_turn(om_opencl *cl, om_context *ctx, bool *contended)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned most = processors < 1 ? 1 : (unsigned) processors;
    bool wanted = true;
    pthread_mutex_lock(&cl->all->lock);
    while (cl->compiling >= (cl->one_by_one ? 1 : most) && wanted) {
        struct timespec until;
        (void) clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long) OM_WIRE_GLANCE_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void) pthread_cond_timedwait(&cl->all->built, &cl->all->lock, &until);
        pthread_mutex_unlock(&cl->all->lock);
        wanted = om_context_stopped(ctx) == OM_OK;
        pthread_mutex_lock(&cl->all->lock);
    }
    cl->compiling += wanted;
    *contended = cl->compiling > 1;
    pthread_mutex_unlock(&cl->all->lock);
    return wanted;
}

static void end_turn(om_opencl *cl, bool *contended)
{
    pthread_mutex_lock(&cl->all->lock);
    cl->compiling--;
    *contended = *contended || cl->compiling > 0 || cl->compilers != NULL;
    pthread_cond_broadcast(&cl->all->built);
    pthread_mutex_unlock(&cl->all->lock);
}

/* Lets `c` do the work; consumes it. *again: another process should be asked. */
static int delegate(om_kernel_compiler *c, om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length, bool *again)
{
    om_opencl *cl = om_opencl__of(d)->opencl;
    *again = false;
    int rc = ask(c->socket, d, ctx, recipe, options);
    if (rc == OM_OK)
        rc = listen_to(c->socket, ctx, binary, length);
    if (rc == OM_OK || rc == OM_EUNSUPPORTED) {
        let_wait(cl, c); /* its answer is complete */
        return rc;
    }
    if (rc == OM_EIO)
        rc = post_mortem(d, ctx, c, again);
    dismiss(cl->all->heap, c);
    return rc;
}

/* Several processes at once may have exceeded the system's processes, threads or memory: from now
 * on, only one runs at a time. */
static void take_turns(om_opencl *cl)
{
    om_kernel_compiler *c = NULL;
    pthread_mutex_lock(&cl->all->lock);
    cl->one_by_one = true;
    pthread_mutex_unlock(&cl->all->lock);
    while ((c = take_waiting(cl)) != NULL)
        dismiss(cl->all->heap, c);
}

/* A compilation, and the program that does it. */
typedef struct request {
    om_device *d;
    om_context *ctx;
    const om_recipe *recipe;
    const char *options, *path;
} request;

static int run_request(const request *e, unsigned char **binary, size_t *length, bool *contended)
{
    om_opencl *cl = om_opencl__of(e->d)->opencl;
    om_kernel_compiler *c = NULL;
    bool again = true;
    int rc = OM_EIO;
    if (!wait_for_turn(cl, e->ctx, contended))
        return OM_ESTOP;
    while (again && (c = take_waiting(cl)) != NULL)
        rc = delegate(c, e->d, e->ctx, e->recipe, e->options, binary, length, &again);
    if (again && (rc = start_compiler(e->d, e->ctx, e->path, &c)) == OM_OK)
        rc = delegate(c, e->d, e->ctx, e->recipe, e->options, binary, length, &again);
    end_turn(cl, contended);
    return rc;
}

int om_opencl__compile_apart(om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length)
{
    char *path = worth_it(d) ? om_child__find(om_context_heap(ctx), BUILDER) : NULL;
    const request e = { d, ctx, recipe, options, path };
    bool contended = false;
    if (path == NULL)
        return OM_EIO;
    int rc = run_request(&e, binary, length, &contended);
    if (rc == OM_EUNSUPPORTED && contended) {
        om_context_clear(ctx);
        take_turns(om_opencl__of(d)->opencl);
        rc = run_request(&e, binary, length, &contended);
    }
    om_free(om_context_heap(ctx), path);
    return rc;
}
