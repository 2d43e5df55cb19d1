/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-build-native keep NICE SUFFIX OLD SOURCE OBJECT COMPILER ARGUMENT...: compiles a model,
 * tries the object out and stores it in the cache, under the text in SOURCE with SUFFIX after it.
 * The object under the text with OLD after it is then obsolete (OLD empty: there is none). The
 * compiler runs with that niceness.
 *
 * The library's process may ask that the compiler goes on when that process ends, so this program
 * consists of two processes. The first one, the minder, is the child of the library's process and
 * watches it; the second one, the worker, does the work. Standard input is a socket whose other end
 * the library's process holds.
 *
 *   - If the minder ends, or is killed, the worker kills what it has started and ends. The minder
 *     ends if the socket is closed: no compiler outlives a process that was killed.
 *   - If the minder receives OM_NATIVE_GO_ON, it tells the worker and exits with OM_NATIVE_LEFT.
 *     The worker goes on as an orphan, so the library's process need not reap it.
 *   - If the worker ends first, the minder ends as the worker did.
 *
 * Rights (cache_lock.h). One process in the cache may work on a text after its user has ended (K1),
 * and only a few on all texts together (K2). The minder takes both rights before it exits, or ends
 * everything if they cannot be had. The worker has them until it ends, because it has the
 * descriptor. A worker takes the right of K1 from the start if it is free, so that other processes
 * know that the object will come.
 *
 * The worker is in a session without a terminal and holds no descriptor of the library's process,
 * except for the socket. It works in the folder for temporary files and removes it when it ends.
 * Without its user it gives up after LONGEST_S, or if the cache has the object. The minder, the
 * worker, the compiler and the trial lead a process group each, so a worker can stop what it
 * started.
 *
 * Priority. Without its user, the compiler runs only while a processor has nothing else to do, and
 * for 30 ms in 300 while none has: the worker stops and continues its processes. While another
 * process of the library waits for the object (om_cache_lock__want()), the compiler runs as it did
 * before. A niceness of 19 would be 0.2 % of a processor beside six other threads, and could not be
 * taken back: a check that is repeated on such a machine would never have native code. (It had none
 * in 20 repetitions of 4.5 s, with a load of 12 on two processors, for want of 0.5 s.)
 */
#define _GNU_SOURCE /* close_range(), POLLRDHUP, SCHED_BATCH */
#include "builder.h"

#include "files/cache.h"
#include "files/cache_lock.h"
#include "files/file.h"
#include "native_abi.h"
#include "process/object.h"
#include "process/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    LONGEST_S = 600,      /* of a worker without its user */
    CPU_S = 1200,         /* of one process of the compiler, should its worker have been killed */
    MOST_WORKERS = 4,     /* K2; at most one for each processor */
    GLANCE_MS = 2,        /* interval at which a worker looks after the compiler */
    CALM_MS = 30,         /* the same without its user */
    TURN = 10,            /* on a busy machine, the compiler has one interval of so many */
    MESSAGE_BYTES = 4096, /* of the compiler's messages that are passed on */
    MOST_BYTES = 1 << 28  /* of a file */
};

typedef struct job {
    const om_heap *heap;
    int nice;
    const char *suffix, *old;
    const char *source, *object;
    char **compiler; /* with its arguments */
    om_work_folder work;
    om_cache_lock locks;
    om_text text; /* in SOURCE */
    uint64_t right;
    pid_t minder;
    atomic_bool *left; /* shared by both processes: the worker may go on without the minder */
    char *path;        /* of the object in the cache */
    ino_t before;      /* of that file at the start; 0: there was none */
} job;

/* ---- the worker ---- */

static bool has_user(const job *j)
{
    return getppid() == j->minder;
}

/* Ends the worker and the group of a process that it started. */
static _Noreturn void give_up(job *j, pid_t child)
{
    (void) kill(-child, SIGKILL);
    om_work_folder__end(&j->work);
    _exit(1);
}

/* Returns the number of threads of the machine that run or could run; 0: it is not known. */
static unsigned long runnable(void)
{
    char text[128] = "";
    const int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void) close(fd);
    const char *at = n <= 0 ? NULL : strchr(text, '/'); /* 0.10 0.20 0.30 RUNNABLE/ALL LAST */
    while (at != NULL && at > text && at[-1] != ' ')
        at--;
    return at == NULL ? 0 : strtoul(at, NULL, 10);
}

/* Returns true if the machine has no processor for the compiler, which is running or stopped. */
static bool is_busy(bool stopped)
{
    const unsigned long all = runnable(), own = stopped ? 1 : 2; /* the worker and the compiler */
    return all == 0 || all >= (unsigned long) sysconf(_SC_NPROCESSORS_ONLN) + own;
}

/* Lets the compiler run, or wait, for an interval. */
static void take_turns(const job *j, pid_t child, unsigned interval, bool *stopped)
{
    const bool wait =
        interval % TURN != 0 && !om_cache_lock__is_wanted(&j->locks, j->right) && is_busy(*stopped);
    if (wait != *stopped)
        (void) kill(-child, wait ? SIGSTOP : SIGCONT);
    *stopped = wait;
}

/* Ends as another process did, without its core file. */
static _Noreturn void end_as(int status)
{
    const struct rlimit none = { 0, 0 };
    if (WIFSIGNALED(status)) {
        (void) setrlimit(RLIMIT_CORE, &none);
        (void) signal(WTERMSIG(status), SIG_DFL);
        (void) raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Returns the file of the object in the cache; 0: there is none. */
static ino_t cached(const job *j)
{
    struct stat st;
    return lstat(j->path, &st) == 0 ? st.st_ino : 0;
}

static time_t now_s(void)
{
    struct timespec t = { 0 };
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Returns true if a worker without its user must end. */
static bool must_end(const job *j, time_t since)
{
    return !atomic_load(j->left) || now_s() - since > LONGEST_S || cached(j) != j->before;
}

/* Waits for a child of the worker. Returns its status. */
static int look_after(job *j, pid_t pid)
{
    const struct timespec glance = { 0, GLANCE_MS * 1000000L }, calm = { 0, CALM_MS * 1000000L };
    time_t since = 0;
    bool stopped = false;
    for (unsigned interval = 0;; interval++) {
        int status = 0;
        const pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return got == pid ? status : -1;
        if (since == 0 && !has_user(j))
            since = now_s();
        if (since != 0 && must_end(j, since))
            give_up(j, pid);
        if (since != 0)
            take_turns(j, pid, interval, &stopped);
        (void) nanosleep(since == 0 ? &glance : &calm, NULL);
    }
}

/* Starts the compiler with its output in a file, because the socket may be closed before it ends.
 * Returns an error number. */
static int start_compiler(const job *j, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    if ((error = posix_spawnattr_init(&attr)) != 0) {
        (void) posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    (void) posix_spawnattr_setpgroup(&attr, 0);
    (void) posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(
            &actions, 1, "messages", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (error == 0)
        error = posix_spawn(pid, j->compiler[0], &actions, &attr, j->compiler, environ);
    (void) posix_spawnattr_destroy(&attr);
    (void) posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void pass_messages_on(void)
{
    char text[MESSAGE_BYTES];
    int fd = open("messages", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (n > 0)
        (void) !write(STDERR_FILENO, text, (size_t) n);
    if (fd >= 0)
        (void) close(fd);
}

static bool compile(job *j)
{
    pid_t pid = -1;
    const int error = start_compiler(j, &pid);
    if (error != 0) {
        (void) fprintf(stderr, "error: cannot run %s: %s\n", j->compiler[0], strerror(error));
        return false;
    }
    const int status = look_after(j, pid);
    if (status == 0)
        return true;
    pass_messages_on();
    return false;
}

/* Opens the object in a process of its own. Returns the status of that process. */
static int try_out(job *j)
{
    const pid_t pid = fork();
    if (pid == 0)
        (void) setpgid(0, 0);
    if (pid == 0)
        _exit(om_builder__try(j->object) == 0 ? OM_NATIVE_GOOD : 1);
    return pid < 0 ? -1 : look_after(j, pid);
}

/* Appends what follows the text in a key. */
static bool make_key(job *j, const char *suffix, om_text *key)
{
    om_text_add_n(key, j->text.text, j->text.length);
    om_text_add(key, suffix);
    return j->text.length != 0 && !key->failed;
}

/* Stores the object, if it is complete and the cache can be opened; failures are silent. */
static void store(job *j)
{
    char why[OM_TRUST_WHY_SIZE];
    om_cache cache;
    om_text key = { .heap = j->heap }, old = { .heap = j->heap };
    size_t size = 0;
    const int fd = open(j->object, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    unsigned char *bytes = fd >= 0 && om_object__fault(fd) == NULL
                               ? om_file__read(j->heap, fd, MOST_BYTES, &size)
                               : NULL;
    int rc = om_cache__open_folder(&cache, j->heap, om_cache__native, why);
    if (rc == OM_OK && bytes != NULL && make_key(j, j->suffix, &key)) {
        om_cache__store(&cache, &key, bytes, size);
        if (j->old[0] != '\0' && cached(j) != j->before && make_key(j, j->old, &old))
            om_cache__drop(&cache, &old);
    }
    om_cache__close(&cache);
    if (fd >= 0)
        (void) close(fd);
    om_free(j->heap, bytes);
    om_text_free(&key);
    om_text_free(&old);
}

/* Everything that the compiler starts inherits the priority and the limit. */
static void lower(const job *j)
{
    struct rlimit cpu;
    if (getrlimit(RLIMIT_CPU, &cpu) == 0 &&
        (cpu.rlim_cur == RLIM_INFINITY || cpu.rlim_cur > CPU_S)) {
        cpu.rlim_cur = CPU_S;
        (void) setrlimit(RLIMIT_CPU, &cpu);
    }
    if (j->nice > 0)
        (void) setpriority(PRIO_PROCESS, 0, j->nice);
}

static _Noreturn void work(job *j)
{
    int status = 1 << 8; /* as of exit(1) */
    (void) setpgid(0, 0);
    lower(j);
    if (compile(j))
        status = try_out(j);
    if (WIFEXITED(status) && WEXITSTATUS(status) == OM_NATIVE_GOOD)
        store(j);
    om_work_folder__end(&j->work);
    end_as(status);
}

/* ---- the minder ---- */

/* Lets the worker go on alone, or ends everything. */
static _Noreturn void let_go(const job *j)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned most = processors < 1              ? 1
                          : processors > MOST_WORKERS ? MOST_WORKERS
                                                      : (unsigned) processors;
    if (!om_cache_lock__take(&j->locks, j->right) || /* K1 */
        !om_cache_lock__take_any(&j->locks, most))   /* K2 */
        _exit(1);
    atomic_store(j->left, true);
    _exit(OM_NATIVE_LEFT);
}

/* Ends as the worker, whose end of the pipe is closed. */
static _Noreturn void follow(pid_t worker)
{
    int status = 0;
    pid_t got;
    do
        got = waitpid(worker, &status, 0);
    while (got < 0 && errno == EINTR);
    end_as(got == worker ? status : 1 << 8);
}

static _Noreturn void mind(const job *j, pid_t worker, int worker_end)
{
    struct pollfd ends[] = { { .fd = worker_end, .events = POLLIN },
        { .fd = STDIN_FILENO, .events = POLLIN | POLLRDHUP } };
    for (;;) {
        char said = 0;
        if (poll(ends, 2, -1) <= 0)
            continue;
        if (ends[0].revents != 0)
            follow(worker);
        if (ends[1].revents == 0)
            continue;
        if (recv(STDIN_FILENO, &said, 1, MSG_DONTWAIT) == 1 && said == OM_NATIVE_GO_ON)
            let_go(j);
        if ((ends[1].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
            _exit(1);
    }
}

/* ---- the start ---- */

/* Closes what the program that uses the library left open: a process that waits for the end of a
 * pipe must not wait for the compiler. */
static void close_others(void)
{
    if (close_range(STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
    const long most = sysconf(_SC_OPEN_MAX);
    for (int fd = STDERR_FILENO + 1; fd < (most < 0 || most > 65536 ? 65536 : (int) most); fd++)
        (void) close(fd);
}

static bool read_source(job *j)
{
    const int fd = open(j->source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    j->text = (om_text){ .heap = j->heap };
    if (fd < 0)
        return false;
    j->text.text = (char *) om_file__read(j->heap, fd, MOST_BYTES, &j->text.length);
    (void) close(fd);
    return j->text.text != NULL;
}

/* Joins the users of the folder of the source, and works there. */
static bool enter_folder(job *j)
{
    const char *slash = strrchr(j->source, '/');
    char *folder =
        slash == NULL ? NULL : om_strndup(j->heap, j->source, (size_t) (slash - j->source));
    const bool good = folder != NULL && om_work_folder__join(&j->work, j->heap, folder) == OM_OK &&
                      chdir(folder) == 0;
    om_free(j->heap, folder);
    return good;
}

/* Finds where the object will be in the cache. */
static bool find_place(job *j)
{
    char why[OM_TRUST_WHY_SIZE];
    om_cache cache = { .heap = j->heap, .folder = -1 };
    om_text key = { .heap = j->heap };
    if (make_key(j, j->suffix, &key) &&
        om_cache__open_folder(&cache, j->heap, om_cache__native, why) == OM_OK)
        j->path = om_cache__file(&cache, &key);
    om_cache__close(&cache);
    om_text_free(&key);
    if (j->path != NULL)
        j->before = cached(j);
    return j->path != NULL;
}

static bool get_ready(job *j)
{
    const struct sched_param none = { 0 };
    if (!enter_folder(j) || !read_source(j) || !find_place(j))
        return false;
    (void) sched_setscheduler(0, SCHED_BATCH, &none);
    if (om_cache_lock__open(&j->locks, j->heap) == OM_OK) {
        j->right = om_cache_lock__right_of(j->text.text, j->text.length);
        (void) om_cache_lock__take(&j->locks, j->right); /* K1 */
    }
    return true;
}

int om_builder__keep(int argc, char **argv)
{
    int ends[2];
    enum { NICE = 2, SUFFIX, OLD, SOURCE, OBJECT, COMPILER };
    if (argc <= COMPILER)
        return 1;
    job j = { .heap = om_heap_default(),
        .nice = (int) strtol(argv[NICE], NULL, 10),
        .suffix = argv[SUFFIX],
        .old = argv[OLD],
        .source = argv[SOURCE],
        .object = argv[OBJECT],
        .compiler = argv + COMPILER,
        .work = { .folder = -1, .lock = -1 },
        .locks = { .fd = -1 },
        .minder = getpid(),
        .left = mmap(
            NULL, sizeof(atomic_bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
    (void) signal(SIGPIPE, SIG_IGN);
    close_others();
    if (j.left == MAP_FAILED || !get_ready(&j) || pipe2(ends, O_CLOEXEC) != 0) {
        (void) fprintf(stderr, "error: %s is unusable\n", j.source);
        om_work_folder__end(&j.work);
        _exit(1);
    }
    const pid_t worker = fork();
    if (worker < 0)
        _exit(1);
    (void) close(ends[worker == 0 ? 0 : 1]);
    if (worker == 0)
        work(&j);
    mind(&j, worker, ends[0]);
}
