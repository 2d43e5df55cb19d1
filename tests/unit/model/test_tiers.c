/* SPDX-License-Identifier: Apache-2.0 */
/* OM_EXEC_AUTO: the vm runs while a compiler does. Compilers are shell scripts that wait for the
 * test, so nothing depends on timing. */
#include "counter.h"
#include "execute/executor.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 8, TOP = 60, LONG = 1200 };

static char base[] = "/tmp/omen-test-XXXXXX";
static char cache[64];

/* An executor, its model, and the last note. */
typedef struct session {
    om_context *ctx;
    om_model *m;
    om_executor *x;
    atomic_uint notes;     /* release/acquire: publishes `said` */
    atomic_uint takeovers; /* relaxed: only waited for */
    char said[512];
} session;

static void on_note(void *self, om_note_level level, const char *text)
{
    session *s = self;
    if (level == OM_NOTE_VERBOSE && strstr(text, "takes over") != NULL)
        atomic_fetch_add_explicit(&s->takeovers, 1, memory_order_relaxed);
    if (level == OM_NOTE_VERBOSE || strstr(text, "compiled code is not cached") != NULL)
        return;
    (void) snprintf(s->said, sizeof s->said, "%s", text);
    atomic_fetch_add_explicit(&s->notes, 1, memory_order_release);
}

static int open_session(session *s, const om_heap *heap, int32_t most)
{
    *s = (session){ 0 };
    int rc = om_context_new(&s->ctx, heap);
    if (rc != OM_OK)
        return rc;
    om_context_on_note(s->ctx, on_note, s);
    rc = (most == LONG ? long_counter : counter)(&s->m, s->ctx, most);
    if (rc == OM_OK)
        rc = om_executor_open(&s->x, s->m, OM_EXEC_AUTO, NULL, 0);
    assert_int_equal(rc == OM_OK, om_context_error(s->ctx)[0] == '\0');
    return rc;
}

static void close_session(session *s)
{
    om_executor_close(s->x);
    om_model_free(s->m);
    om_context_free(s->ctx);
}

static void nap(void)
{
    const struct timespec moment = { 0, 1000000 };
    (void) nanosleep(&moment, NULL);
}

static void in_base(const char *name, char *path, size_t size)
{
    (void) snprintf(path, size, "%s/%s", base, name);
}

static void touch(const char *name)
{
    char path[64];
    in_base(name, path, sizeof path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
}

static bool there(const char *name)
{
    char path[64];
    in_base(name, path, sizeof path);
    return access(path, F_OK) == 0;
}

static void compiler(const char *script)
{
    char path[64], whole[1024];
    (void) snprintf(whole, sizeof whole, "cd %s\n%s", base, script);
    make_compiler(base, path, sizeof path, whole);
}

static void remove_all(const char *folder)
{
    char path[512];
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        (void) snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (unlink(path) != 0) {
            remove_all(path);
            (void) rmdir(path);
        }
    }
    if (d != NULL)
        (void) closedir(d);
}

static int afresh(void **state)
{
    (void) state;
    (void) unsetenv("OMEN_CC");
    (void) setenv("XDG_CACHE_HOME", base, 1);
    remove_all(base);
    return 0;
}

static unsigned entries_of(const char *folder)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d != NULL)
        (void) closedir(d);
    return n;
}

/* Returns the number of compiler folders and finished libraries in the cache. */
static unsigned entries(void)
{
    char work[64];
    in_base("omen/work", work, sizeof work);
    return entries_of(cache) + entries_of(work);
}

/* ---- workers ---- */

typedef struct crew {
    const om_executor *x;
    atomic_uint rounds; /* relaxed: only waited for */
    atomic_bool stop;   /* relaxed, too */
} crew;

static void *work(void *self)
{
    crew *c = self;
    /* One more round after the stop, computed entirely by the final executor. */
    for (bool last = false; !last;) {
        last = atomic_load_explicit(&c->stop, memory_order_relaxed);
        assert_int_equal(counts(c->x, TOP), OM_OK);
        atomic_fetch_add_explicit(&c->rounds, 1, memory_order_relaxed);
    }
    return NULL;
}

static void start_crew(crew *c, pthread_t *threads, const om_executor *x)
{
    *c = (crew){ .x = x };
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, c), 0);
    while (atomic_load_explicit(&c->rounds, memory_order_relaxed) < 2 * WORKERS)
        nap();
}

static void stop_crew(crew *c, const pthread_t *threads)
{
    atomic_store_explicit(&c->stop, true, memory_order_relaxed);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* ---- the tests ---- */

static void test_midway(void **state)
{
    (void) state;
    session s;
    crew c;
    pthread_t threads[WORKERS];
    compiler("while [ ! -e go ]; do sleep 0.01; done\nexec cc \"$@\"");
    assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
    start_crew(&c, threads, s.x);
    assert_string_equal(om_executor__who(s.x), "vm");
    touch("go");
    while (strcmp(om_executor__who(s.x), "vm, then native") != 0)
        nap();
    stop_crew(&c, threads);
    close_session(&s);
    assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 0);
    assert_int_equal(entries(), 1);
    /* The next session finds the library in the cache. */
    assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
    assert_string_equal(om_executor__who(s.x), "native");
    assert_int_equal(counts(s.x, TOP), OM_OK);
    close_session(&s);
}

/* The compiler is killed with its children, and leaves nothing behind. */
static void test_never(void **state)
{
    (void) state;
    session s;
    crew c;
    pthread_t threads[WORKERS];
    char path[64], number[32] = "";
    compiler("sleep 1000 &\necho $! > child.new\nmv child.new child\nwait");
    assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
    start_crew(&c, threads, s.x);
    while (!there("child"))
        nap();
    stop_crew(&c, threads);
    assert_string_equal(om_executor__who(s.x), "vm");
    assert_int_equal(entries(), 1);
    close_session(&s);
    assert_int_equal(entries(), 0);
    assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 0);
    in_base("child", path, sizeof path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(number, sizeof number, f));
    assert_int_equal(fclose(f), 0);
    /* The child is dead; the process that reaps orphans may take its time. */
    (void) snprintf(path, sizeof path, "/proc/%d/stat", atoi(number));
    for (char line[512] = "";; nap()) {
        f = fopen(path, "r");
        if (f == NULL)
            break;
        const char *read = fgets(line, sizeof line, f);
        (void) fclose(f);
        if (read == NULL || strstr(line, ") Z ") != NULL || strstr(line, "(sleep)") == NULL)
            break;
    }
}

static void test_fails(void **state)
{
    (void) state;
    static const char *const scripts[] = { "echo 'model.c:1: error: no luck' >&2\nexit 1",
        "while [ \"$1\" != -o ]; do shift; done\necho nonsense > \"$2\"" };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        session s;
        crew c;
        pthread_t threads[WORKERS];
        compiler(scripts[i]);
        assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
        start_crew(&c, threads, s.x);
        while (atomic_load_explicit(&s.notes, memory_order_acquire) == 0)
            nap();
        assert_string_equal(om_executor__who(s.x), "vm");
        stop_crew(&c, threads);
        close_session(&s);
        assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 1);
        assert_non_null(strstr(s.said, i == 0 ? "no luck" : "no native code ("));
    }
}

/* A wrong library is never used, neither after its build nor from the cache. */
static void test_wrong(void **state)
{
    (void) state;
    session s;
    compiler("for f in \"$@\"; do\n"
             "  case $f in *.c) sed -i 's/\\([])]\\) + /\\1 - /' \"$f\" ;; esac\n"
             "done\n"
             "exec cc \"$@\"");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
        while (atomic_load_explicit(&s.notes, memory_order_acquire) == 0)
            nap();
        assert_non_null(strstr(s.said, "the compiler is faulty"));
        assert_string_equal(om_executor__who(s.x), "vm");
        assert_int_equal(counts(s.x, TOP), OM_OK);
        close_session(&s);
    }
}

static void test_none(void **state)
{
    (void) state;
    session s;
    (void) setenv("OMEN_CC", "/nonexistent", 1);
    assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
    assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 1);
    assert_non_null(strstr(s.said, "not found"));
    assert_string_equal(om_executor__who(s.x), "vm");
    assert_int_equal(counts(s.x, TOP), OM_OK);
    close_session(&s);
}

/* ---- stages ---- */

static const char BY_LEVEL[] = "for f in \"$@\"; do case $f in -O*) level=$f ;; esac; done\n"
                               "while [ ! -e \"go$level\" ]; do sleep 0.01; done\nexec cc \"$@\"";

static void await_takeovers(session *s, unsigned count)
{
    while (atomic_load_explicit(&s->takeovers, memory_order_relaxed) < count)
        nap();
}

/* Counts to 100 with the long model. */
static void count_long(const om_executor *x)
{
    uint32_t state = 0;
    om_successors out = { .heap = om_context_heap(om_model_context(x->model)) };
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(om_executor_successors(x, &state, &out), OM_OK);
        assert_int_equal(out.fault, 0);
        assert_int_equal(out.count, 1);
        state = out.words[0];
        assert_int_equal(state, i + 1);
    }
    om_successors_free(&out);
}

/* Quick code first, then the best, which replaces it in the cache. */
static void test_stages(void **state)
{
    (void) state;
    session s;
    om_executor_code code = { .first = NULL };
    uint64_t since_ns = om_clock_ns();
    compiler(BY_LEVEL);
    assert_int_equal(open_session(&s, NULL, LONG), OM_OK);
    count_long(s.x);
    assert_string_equal(om_executor__who(s.x), "vm");
    touch("go-Og");
    await_takeovers(&s, 1);
    assert_string_equal(om_executor__who(s.x), "vm, then native");
    count_long(s.x);
    touch("go-O1");
    await_takeovers(&s, 2);
    count_long(s.x);
    om_executor__account(s.x, since_ns, &code);
    count_long(s.x);
    close_session(&s);
    assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 0);
    assert_string_equal(code.first, "vm");
    assert_true(code.first_ns > 0 && code.quick_ns > 0 && code.native_ns > 0);
    assert_true(code.compiler_ns > 0 && !code.cached && !code.left);
    assert_int_equal(entries(), 1);
    code = (om_executor_code){ .first = NULL };
    since_ns = om_clock_ns();
    assert_int_equal(open_session(&s, NULL, LONG), OM_OK);
    assert_string_equal(om_executor__who(s.x), "native");
    om_executor__account(s.x, since_ns, &code);
    close_session(&s);
    assert_true(code.first == NULL && code.first_ns == 0 && code.quick_ns == 0);
    assert_true(code.native_ns > 0 && code.compiler_ns == 0 && code.cached);
}

/* The executor is closed before the best code is there: the next one begins with quick code. */
static void test_quick_is_cached(void **state)
{
    (void) state;
    session s;
    om_executor_code code = { .first = NULL };
    compiler(BY_LEVEL);
    touch("go-Og");
    assert_int_equal(open_session(&s, NULL, LONG), OM_OK);
    await_takeovers(&s, 1);
    close_session(&s);
    assert_int_equal(entries(), 1);
    uint64_t since_ns = om_clock_ns();
    assert_int_equal(open_session(&s, NULL, LONG), OM_OK);
    assert_string_equal(om_executor__who(s.x), "native");
    count_long(s.x);
    om_executor__account(s.x, since_ns, &code);
    close_session(&s);
    assert_true(code.first == NULL && code.first_ns == 0 && code.native_ns == 0);
    assert_true(code.quick_ns > 0 && code.cached && !code.left);
    touch("go-O1");
    assert_int_equal(open_session(&s, NULL, LONG), OM_OK);
    await_takeovers(&s, 1);
    count_long(s.x);
    close_session(&s);
    assert_int_equal(entries(), 1);
    assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 0);
}

/* A compiler without the option for quick code makes the best. */
static void test_no_quick_code(void **state)
{
    (void) state;
    session s;
    om_executor_code code = { .first = NULL };
    const uint64_t since_ns = om_clock_ns();
    compiler("for f in \"$@\"; do [ \"$f\" != -Og ] || exit 1; done\nexec cc \"$@\"");
    assert_int_equal(open_session(&s, NULL, LONG), OM_OK);
    await_takeovers(&s, 1);
    om_executor__account(s.x, since_ns, &code);
    close_session(&s);
    assert_true(code.first_ns > 0 && code.quick_ns == 0 && code.native_ns > 0);
    assert_int_equal(atomic_load_explicit(&s.notes, memory_order_acquire), 0);
}

/* Executors of other kinds have figures, too. */
static void test_figures(void **state)
{
    (void) state;
    session s;
    om_executor *vm = NULL, *native = NULL;
    om_executor_code code = { .first = NULL };
    assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
    om_executor__account(NULL, om_clock_ns(), &code);
    assert_true(code.first == NULL && code.first_ns == 0);
    uint64_t since_ns = om_clock_ns();
    assert_int_equal(om_executor_open(&vm, s.m, OM_EXEC_VM, NULL, 0), OM_OK);
    om_executor__account(vm, since_ns, &code);
    assert_string_equal(code.first, "vm");
    assert_true(code.first_ns > 0 && code.native_ns == 0);
    since_ns = om_clock_ns();
    assert_int_equal(om_executor_open(&native, s.m, OM_EXEC_NATIVE, NULL, 0), OM_OK);
    om_executor__account(native, since_ns, &code);
    assert_true(code.native_ns > 0 && code.compiler_ns > 0 && !code.cached);
    om_executor_close(native);
    om_executor_close(vm);
    close_session(&s);
}

static void test_no_cache(void **state)
{
    (void) state;
    session s;
    (void) setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
    assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
    while (strcmp(om_executor__who(s.x), "vm, then native") != 0)
        nap();
    assert_int_equal(counts(s.x, TOP), OM_OK);
    close_session(&s);
    assert_int_equal(entries(), 0);
}

/* A check that ends at once starts no compiler. The fastest of several attempts counts. */
static void test_over_at_once(void **state)
{
    (void) state;
    session s;
    bool none = false;
    compiler("touch started\nexit 1");
    for (int i = 0; i < 100 && !none; i++) {
        remove_all(cache);
        assert_int_equal(open_session(&s, NULL, TOP), OM_OK);
        assert_int_equal(counts(s.x, TOP), OM_OK);
        close_session(&s);
        none = !there("started");
        if (!none) {
            char path[64];
            in_base("started", path, sizeof path);
            assert_int_equal(unlink(path), 0);
        }
    }
    assert_true(none);
}

/* ---- memory ---- */

/* A heap for several threads whose n-th call fails. */
typedef struct bounded {
    om_heap heap;
    atomic_size_t calls; /* relaxed: counters only; threads are joined before they are read */
    atomic_long live;
    size_t fail_at;
} bounded;

static void *bounded_resize(void *self, void *p, size_t bytes)
{
    bounded *b = self;
    if (bytes == 0) {
        if (p != NULL)
            atomic_fetch_sub_explicit(&b->live, 1, memory_order_relaxed);
        free(p);
        return NULL;
    }
    if (atomic_fetch_add_explicit(&b->calls, 1, memory_order_relaxed) == b->fail_at)
        return NULL;
    void *now = realloc(p, bytes);
    if (p == NULL && now != NULL)
        atomic_fetch_add_explicit(&b->live, 1, memory_order_relaxed);
    return now;
}

/* Opens, waits until the builder ends (native code or a note), counts, closes. */
static int life(bounded *b, size_t fail_at)
{
    session s;
    *b = (bounded){ .heap = { bounded_resize, b }, .fail_at = fail_at };
    int rc = open_session(&s, &b->heap, TOP);
    while (rc == OM_OK && strcmp(om_executor__who(s.x), "vm, then native") != 0 &&
           atomic_load_explicit(&s.notes, memory_order_acquire) == 0)
        nap();
    if (rc == OM_OK)
        rc = counts(s.x, TOP);
    close_session(&s);
    assert_int_equal(atomic_load_explicit(&b->live, memory_order_relaxed), 0);
    assert_true(rc == OM_OK || rc == OM_ENOMEM);
    return rc;
}

static void test_memory(void **state)
{
    (void) state;
    bounded b;
    size_t failures = 0;
    (void) setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
    assert_int_equal(life(&b, SIZE_MAX), OM_OK);
    size_t most = atomic_load_explicit(&b.calls, memory_order_relaxed);
    for (size_t n = 0; n < most; n++)
        failures += life(&b, n) != OM_OK;
    assert_in_range(failures, 1, most - 1);
}

int main(void)
{
    if (mkdtemp(base) == NULL)
        return 1;
    (void) snprintf(cache, sizeof cache, "%s/omen/native", base);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_midway, afresh),
        cmocka_unit_test_setup(test_never, afresh),
        cmocka_unit_test_setup(test_fails, afresh),
        cmocka_unit_test_setup(test_wrong, afresh),
        cmocka_unit_test_setup(test_none, afresh),
        cmocka_unit_test_setup(test_stages, afresh),
        cmocka_unit_test_setup(test_quick_is_cached, afresh),
        cmocka_unit_test_setup(test_no_quick_code, afresh),
        cmocka_unit_test_setup(test_figures, afresh),
        cmocka_unit_test_setup(test_no_cache, afresh),
        cmocka_unit_test_setup(test_over_at_once, afresh),
        cmocka_unit_test_setup(test_memory, afresh),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void) afresh(NULL);
    (void) rmdir(base);
    return failed;
}
