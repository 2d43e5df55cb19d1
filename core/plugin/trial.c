/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two ends of a socket. The paths are arguments of the program. It sends READY when it has
 * started and then, for each file in turn, OPENED and READ after these steps, and at the end
 * SURVIVED, or REFUSED or UNOPENED with a reason as text and a NUL. The last message before silence
 * shows the step that terminated it.
 *
 * The file that is open when a process terminates need not be the cause (a thread started by an
 * earlier file may be, or memory that one corrupted), so only the first file of a child is blamed:
 * a later file that terminates a child becomes the first file of the next child.
 */
#include "trial.h"

#include "process/child.h"
#include "descriptor.h"
#include "process/library.h"

#include <omen/host/registry.h>

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBE "omen-probe-plugin"

/* UNOPENED: refused by the loader, which may find a missing dependency the next time. */
enum { READY = 'r', OPENED = 'o', READ = 'd', SURVIVED = 's', REFUSED = 'n', UNOPENED = 'u' };

/* The child has both this time and this number of polls for its next message: the clock also runs
 * while this process, and the child with it, is stopped or gets no processor. */
enum { GLANCE_MS = 10, PATIENCE_S = 5, LOOKS = 100, MOST_AT_ONCE = 32 };

/* ---- this process ---- */

typedef struct child {
    om_context *ctx;
    const om_heap *heap;
    pid_t pid;
    int socket;
    bool ready, closed; /* closed: its end is closed, or it sent an invalid message */
    int rc;             /* not OM_OK: memory ran out, or the context was stopped */
    uint64_t since;     /* time of its last message, or of its start */
    unsigned looks;     /* polls without a message since then */
    char last;          /* the last message for this file; 0: none */
    om_text text;       /* the text after REFUSED and UNOPENED */
    size_t at, n;       /* current file, and number of files */
    om_trial *results;
} child;

/* Finishes the current file. Takes ownership of the text (empty: the file passed). */
static void conclude(child *c, bool lasts)
{
    om_trial *result = &c->results[c->at++];
    if (!c->text.failed)
        *result = (om_trial){ .tried = true, .lasts = lasts, .reason = c->text.text };
    else { /* a reason that cannot be stored must not look like a pass */
        c->rc = om_fail_memory(c->ctx);
        om_text_free(&c->text);
    }
    c->text = (om_text){ .heap = c->heap };
    c->last = 0;
}

/* Returns false for a message that the protocol does not have. */
static bool handle_message(child *c, char message)
{
    if (!c->ready)
        return c->ready = message == READY;
    if (c->at == c->n)
        return false;
    if ((c->last == REFUSED || c->last == UNOPENED) && message != '\0')
        om_text_add_n(&c->text, &message, 1);
    else if (message == SURVIVED || message == '\0')
        conclude(c, c->last != UNOPENED);
    else if (message == OPENED || message == READ || message == REFUSED || message == UNOPENED)
        c->last = message;
    else
        return false;
    return true;
}

/* Reads all messages that have arrived. */
static void read_messages(child *c)
{
    char bytes[256];
    ssize_t got = 0;
    while (!c->closed && (got = recv(c->socket, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        c->looks = 0;
        c->since = om_clock_ns();
        for (ssize_t i = 0; i < got && !c->closed; i++)
            c->closed = !handle_message(c, bytes[i]);
    }
    c->closed = c->closed || got == 0;
}

/* Returns true if it has ended. It is not reaped yet, so that its process group, with the processes
 * that it started, cannot be reused. */
static bool has_ended(const child *c, siginfo_t *how)
{
    *how = (siginfo_t){ 0 };
    int rc = waitid(P_PID, (id_t) c->pid, how, WEXITED | WNOHANG | WNOWAIT);
    return rc == 0 ? how->si_pid == c->pid : errno == ECHILD;
}

/* A user or a limit may have sent the signal, which is then not the file's fault. */
static bool from_outside(int number)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL, SIGXCPU };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (number == numbers[i])
            return true;
    return false;
}

/* Blames the current file for ending the child or (`how` NULL) for not finishing. */
static void blame(child *c, const siginfo_t *how)
{
    const char *when = c->last == OPENED ? "its descriptor is read"
                       : c->last == 0    ? "it is opened"
                                         : "it is closed";
    bool killed = how != NULL && (how->si_code == CLD_KILLED || how->si_code == CLD_DUMPED);
    om_text_free(&c->text); /* it may be an incomplete reason */
    om_text_printf(&c->text, how == NULL ? "hangs when %s" : "ends the process when %s", when);
    if (killed || (how != NULL && how->si_code == CLD_EXITED))
        om_text_printf(&c->text, " (%s %d)", killed ? "signal" : "status", how->si_status);
    conclude(c, !killed || !from_outside(how->si_status));
}

static bool has_patience(const child *c)
{
    return c->looks < LOOKS || om_clock_ns() - c->since < PATIENCE_S * UINT64_C(1000000000);
}

/* Runs until the child is done, has ended, or hangs. */
static void attend(child *c)
{
    bool ended = false;
    siginfo_t how;
    c->since = om_clock_ns();
    while (c->at < c->n && !ended && c->rc == OM_OK && has_patience(c)) {
        struct pollfd look = { .fd = c->closed ? -1 : c->socket, .events = POLLIN };
        c->rc = om_context_stopped(c->ctx);
        if (poll(&look, 1, GLANCE_MS) >= 0 || errno != EINTR)
            c->looks++;
        read_messages(c);
        ended = c->at < c->n && has_ended(c, &how);
    }
    read_messages(c); /* the last messages */
    om_child__end(c->pid);
    if (c->rc == OM_OK && c->ready && c->at < c->n && (c->at == 0 || !ended))
        blame(c, ended ? &how : NULL);
    om_text_free(&c->text);
}

/* Runs one child; *done is the number of files it finished, 0 if none can be tried. */
static int try_some(om_context *ctx, const char *helper, char *const *paths, size_t n,
    om_trial *results, size_t *done)
{
    const om_heap *heap = om_context_heap(ctx);
    child c = { .ctx = ctx, .heap = heap, .n = n, .results = results, .text = { .heap = heap } };
    char name[] = PROBE;
    char **argv = om_alloc(heap, n + 2, sizeof *argv);
    *done = 0;
    if (argv == NULL)
        return om_fail_memory(ctx);
    argv[0] = name;
    memcpy(argv + 1, paths, n * sizeof *argv);
    if (om_child__launch(helper, argv, &c.pid, &c.socket) == 0) {
        attend(&c);
        (void) close(c.socket);
    }
    om_free(heap, argv);
    *done = c.at;
    return c.rc;
}

int om_trial__run(om_context *ctx, char *const *paths, size_t n, om_trial *results)
{
    om_text helper = { .heap = om_context_heap(ctx) };
    size_t done = om_library__own(&helper, PROBE) ? 1 : 0;
    int rc = helper.failed ? om_fail_memory(ctx) : OM_OK;
    memset(results, 0, n * sizeof *results);
    for (size_t i = 0; rc == OM_OK && i < n && done > 0; i += done) {
        size_t some = n - i < MOST_AT_ONCE ? n - i : MOST_AT_ONCE;
        rc = try_some(ctx, helper.text, paths + i, some, results + i, &done);
    }
    om_text_free(&helper);
    return rc;
}

/* ---- the program ---- */

static bool send_all(int socket, const char *bytes, size_t n)
{
    ssize_t done = 0;
    for (; n > 0 && (done = send(socket, bytes, n, MSG_NOSIGNAL)) > 0; n -= (size_t) done)
        bytes += done;
    return n == 0;
}

static bool say(int socket, char what)
{
    return send_all(socket, &what, 1);
}

/* Opens the file and reads its descriptor; returns the message, with a reason on failure. */
static char look_at(int socket, const char *path, void **handle, om_text *why)
{
    om_descriptor copy;
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle == NULL) {
        const char *message = dlerror();
        om_text_printf(why, "cannot be opened: %s", message == NULL ? "no reason given" : message);
        return UNOPENED;
    }
    return say(socket, OPENED) && om_descriptor__read(*handle, &copy, why) ? READ : REFUSED;
}

/* Returns false if no process listens. */
static bool try_one(int socket, const char *path)
{
    om_text why = { .heap = om_heap_default() };
    void *handle = NULL;
    char what = look_at(socket, path, &handle, &why);
    bool heard = say(socket, what);
    if (what != READ) {
        const char *text = why.failed || why.length == 0 ? "out of memory" : why.text;
        heard = heard && send_all(socket, text, strlen(text) + 1);
    }
    om_text_free(&why);
    if (handle != NULL)
        (void) dlclose(handle);
    return heard && (what != READ || say(socket, SURVIVED));
}

static char *take_addresses(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/*
 * Out-of-range indices in a file lead to whatever memory follows a table, which differs from
 * process to process. This arranges that such accesses terminate the program, so that the fault
 * shows.
 *
 * Symbol indices lead upwards from the file: files that are opened from now on are mapped below a
 * wide range of addresses without memory. The system fills gaps from above, so the gaps above that
 * range are reserved, too. This costs only addresses; if there are too few of them, detection
 * depends on luck.
 */
static void keep_apart(void)
{
    const size_t wide = (size_t) 128 << 30; /* an index has 32 bits, a symbol 24 bytes */
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    const char *stretch = take_addresses(wide);
    for (size_t gap = (size_t) 4 << 20; stretch != NULL && gap >= page;) {
        char *at = take_addresses(gap);
        if (at != NULL && at > stretch)
            continue;
        if (at != NULL)
            (void) munmap(at, gap);
        gap /= 2;
    }
}

/* Version indices lead to the heap: fills its unused memory with invalid addresses. */
static void spoil_heap(void)
{
    enum { MUCH = 64 << 10 }; /* larger blocks come from the system and return to it */
    unsigned char *bytes = malloc(MUCH);
    volatile unsigned char *each = bytes; /* volatile: the bytes are not read here */
    for (size_t i = 0; each != NULL && i < MUCH; i++)
        each[i] = 0xa5;
    free(bytes);
}

/* Limits memory, so that a file that allocates without end fails before other processes run short:
 * half of the machine's memory, above what this process has mapped (much, with sanitizers). */
static void bound_memory(void)
{
    const uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
    const uint64_t all = (uint64_t) sysconf(_SC_PHYS_PAGES);
    char line[256] = "", *at = line; /* in pages; the sixth number is used */
    struct rlimit most;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL)
        return;
    (void) !fgets(line, sizeof line, f);
    (void) fclose(f);
    for (unsigned i = 0; i < 5; i++)
        (void) strtoull(at, &at, 10);
    const uint64_t bound = (strtoull(at, NULL, 10) + all / 2) * page;
    if (getrlimit(RLIMIT_DATA, &most) != 0 || most.rlim_cur <= bound)
        return;
    most.rlim_cur = bound;
    (void) setrlimit(RLIMIT_DATA, &most);
}

void om_registry_probe_for(int socket, char *const *paths, size_t n)
{
    bool heard = say(socket, READY);
    bound_memory();
    keep_apart();
    spoil_heap();
    for (size_t i = 0; heard && i < n; i++)
        heard = try_one(socket, paths[i]);
}
