/* SPDX-License-Identifier: Apache-2.0 */
/* Native code under failures of caches, disks, compilers and memory. */
#include "counter.h"
#include "heap.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char base[] = "/tmp/omen-test-XXXXXX";
static char cache[64]; /* folder of cached files */

typedef struct notes {
    unsigned count;
    char last[512], error[512];
} notes;

static void on_note(void *self, om_note_level level, const char *text)
{
    notes *n = self;
    if (level == OM_NOTE_NOTICE)
        n->count++;
    (void) snprintf(n->last, sizeof n->last, "%s", text);
}

/* Opens an executor, counts, closes it. *name (room for 16) and *said get the executor's name and
 * the notes. */
static int life(const om_heap *heap, om_exec_kind kind, int32_t most, char *name, notes *said)
{
    om_context *ctx = NULL;
    om_model *m = NULL;
    om_executor *x = NULL;
    int rc = om_context_new(&ctx, heap);
    if (rc != OM_OK)
        return rc;
    om_context_on_note(ctx, on_note, said);
    if ((rc = counter(&m, ctx, most)) != OM_OK)
        goto done;
    rc = om_executor_open(&x, m, kind, NULL, 0);
    assert_int_equal(rc == OM_OK, om_context_error(ctx)[0] == '\0');
    (void) snprintf(said->error, sizeof said->error, "%s", om_context_error(ctx));
    if (rc != OM_OK)
        goto done;
    (void) snprintf(name, 16, "%s", x->name);
    rc = counts(x, most);
done:
    om_executor_close(x);
    om_model_free(m);
    om_context_free(ctx);
    return rc;
}

/* Expects native code and this number of notices. */
static void expect_native_noted(int32_t most, unsigned count)
{
    notes said = { 0 };
    char name[16];
    assert_int_equal(life(NULL, OM_EXEC_NATIVE, most, name, &said), OM_OK);
    assert_string_equal(name, "native");
    assert_int_equal(said.count, count);
}

static void expect_native(int32_t most)
{
    expect_native_noted(most, 0);
}

static void expect_none(int32_t most)
{
    notes said = { 0 };
    char name[16];
    assert_int_equal(life(NULL, OM_EXEC_NATIVE, most, name, &said), OM_EUNSUPPORTED);
    assert_int_equal(said.count, 0);
    assert_non_null(strstr(said.error, "no native code: "));
}

/* ---- the cache ---- */

/* Returns the number of entries of the cache folder; path gets that of the last one. */
static unsigned cached(char *path, size_t size)
{
    unsigned n = 0;
    DIR *d = opendir(cache);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') {
            n++;
            (void) snprintf(path, size, "%s/%s", cache, e->d_name);
        }
    if (d != NULL)
        (void) closedir(d);
    return n;
}

static int empty_cache(void **state)
{
    char path[512];
    (void) state;
    (void) unsetenv("OMEN_CC");
    (void) setenv("XDG_CACHE_HOME", base, 1);
    while (cached(path, sizeof path) > 0)
        if (unlink(path) != 0 && rmdir(path) != 0)
            return -1;
    return 0;
}

static ino_t inode(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

static void test_cache(void **state)
{
    (void) state;
    char path[512], other[512];
    expect_native(9);
    assert_int_equal(cached(path, sizeof path), 1);
    ino_t first = inode(path);
    expect_native(9);
    assert_int_equal(cached(other, sizeof other), 1);
    assert_string_equal(path, other);
    assert_int_equal(inode(path), first);
    expect_native(10);
    assert_int_equal(cached(path, sizeof path), 2);
}

/* A damaged file is rebuilt, whatever the damage, and the result is right. */
static void test_corrupted(void **state)
{
    (void) state;
    char path[512];
    expect_native(9);
    assert_int_equal(cached(path, sizeof path), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    long size = (long) st.st_size;
    /* Offsets in the code, the text and the trailer. */
    const long places[] = { 0, 24, size / 8, size / 2, size - 300, size - 70, size - 40, size - 1 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        FILE *f = fopen(path, "r+b");
        assert_non_null(f);
        assert_int_equal(fseek(f, places[i], SEEK_SET), 0);
        int c = fgetc(f);
        assert_int_equal(fseek(f, places[i], SEEK_SET), 0);
        assert_int_not_equal(fputc(c ^ 0x10, f), EOF);
        assert_int_equal(fclose(f), 0);
        ino_t broken = inode(path);
        expect_native(9);
        assert_int_equal(cached(path, sizeof path), 1);
        assert_int_not_equal(inode(path), broken);
    }
    for (long cut = 0; cut < size; cut += size / 7 + 1) {
        assert_int_equal(truncate(path, cut), 0);
        expect_native(9);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, size);
    }
}

static void test_no_cache(void **state)
{
    (void) state;
    char path[512];
    (void) setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
    expect_native_noted(9, 1);
    assert_int_equal(cached(path, sizeof path), 0);
}

/* If others may write to the folder, its files are not used and none is stored. */
static void test_open_to_others(void **state)
{
    (void) state;
    char path[512];
    expect_native(9);
    assert_int_equal(cached(path, sizeof path), 1);
    ino_t first = inode(path);
    assert_int_equal(chmod(cache, 0777), 0);
    expect_native_noted(9, 1);
    assert_int_equal(chmod(cache, 0700), 0);
    assert_int_equal(inode(path), first);
    assert_int_equal(chmod(path, 0666), 0);
    expect_native_noted(9, 1);
    assert_int_not_equal(inode(path), first); /* replaced */
    expect_native(9);
}

/* A file that is not regular is not opened and does not block. */
static void test_other_kinds(void **state)
{
    (void) state;
    char path[512];
    expect_native(9);
    assert_int_equal(cached(path, sizeof path), 1);
    for (int kind = 0; kind < 2; kind++) {
        assert_int_equal(unlink(path), 0);
        assert_int_equal(kind == 0 ? mkfifo(path, 0600) : symlink("/dev/zero", path), 0);
        expect_native(9);
        struct stat st;
        assert_int_equal(lstat(path, &st), 0);
        assert_true(S_ISREG(st.st_mode));
    }
}

/* A folder that is not writable. (root can write to it anyway.) */
static void test_read_only(void **state)
{
    (void) state;
    expect_native(10);
    assert_int_equal(chmod(cache, 0500), 0);
    expect_native(9);
    assert_int_equal(chmod(cache, 0700), 0);
}

/* No file may grow: as on a full disk, compilation fails. */
static void test_full_disk(void **state)
{
    (void) state;
    struct rlimit old, none = { 0, 0 };
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none.rlim_max = old.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    notes said = { 0 };
    char name[16], path[512];
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int rc = life(NULL, OM_EXEC_NATIVE, 9, name, &said);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void) signal(SIGXFSZ, handler);
    assert_int_equal(rc, OM_EUNSUPPORTED);
    assert_int_equal(cached(path, sizeof path), 0);
}

/* ---- the compiler ---- */

static void test_no_compiler(void **state)
{
    (void) state;
    static const char *const names[] = { "/nonexistent", "no-such-compiler", "/", "/bin/false",
        "/dev/null" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        notes said = { 0 };
        char name[16];
        (void) setenv("OMEN_CC", names[i], 1);
        expect_none(9);
        assert_int_equal(life(NULL, OM_EXEC_VM, 9, name, &said), OM_OK);
        assert_int_equal(said.count, 0);
    }
}

/* A compiler that "succeeds" with output that is not a library. */
static void test_bad_compiler(void **state)
{
    (void) state;
    char path[512];
    (void) setenv("OMEN_CC", "/bin/true", 1);
    expect_none(9);
    make_compiler(
        base, path, sizeof path, "while [ \"$1\" != -o ]; do shift; done\necho nonsense > \"$2\"");
    expect_none(9);
    assert_int_equal(unlink(path), 0);
}

/* A compiler that "succeeds" although its disk was full: its output is neither opened nor
 * cached. */
static void test_half_a_file(void **state)
{
    (void) state;
    static const unsigned parts[] = { 1, 10, 50, 90, 99 };
    char path[512], script[256], other[512];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        (void) snprintf(script, sizeof script,
            "cc \"$@\"\nwhile [ \"$1\" != -o ]; do shift; done\n"
            "truncate -s $(($(stat -c %%s \"$2\") * %u / 100)) \"$2\"",
            parts[i]);
        make_compiler(base, path, sizeof path, script);
        expect_none(9);
        assert_int_equal(cached(other, sizeof other), 0);
        assert_int_equal(unlink(path), 0);
    }
}

/* A compiler that makes a working library of the wrong code: the audit detects it every time. */
static void test_wrong_compiler(void **state)
{
    (void) state;
    char path[512];
    make_compiler(base, path, sizeof path,
        "for f in \"$@\"; do\n"
        "  case $f in *.c) sed -i 's/) + /) - /' \"$f\" ;; esac\n"
        "done\n"
        "exec cc \"$@\"");
    for (int i = 0; i < 2; i++) {
        notes said = { 0 };
        char name[16], other[512];
        assert_int_equal(life(NULL, OM_EXEC_NATIVE, 9, name, &said), OM_EUNSUPPORTED);
        assert_non_null(strstr(said.error, "the compiler is faulty"));
        assert_int_equal(cached(other, sizeof other), 0);
    }
    assert_int_equal(unlink(path), 0);
}

/* Temporary files of the compiler go to the folder of its output, not to /tmp, which may be
 * full. */
static void test_temporary(void **state)
{
    (void) state;
    char path[512], script[512], text[512] = "";
    (void) snprintf(script, sizeof script, "echo \"$TMPDIR\" > %s/tmpdir\nexec cc \"$@\"", base);
    make_compiler(base, path, sizeof path, script);
    expect_native(9);
    assert_int_equal(unlink(path), 0);
    (void) snprintf(path, sizeof path, "%s/tmpdir", base);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(unlink(path), 0);
    char work[64];
    (void) snprintf(work, sizeof work, "%s/omen/work/omen-", base);
    assert_int_equal(strncmp(text, work, strlen(work)), 0);
}

static void test_other_compiler(void **state)
{
    (void) state;
    if (system("clang --version >/dev/null 2>&1") != 0)
        skip();
    (void) setenv("OMEN_CC", "clang", 1);
    expect_native(9);
}

/* ---- memory and threads ---- */

/* With a cached file, and without one. */
static void test_memory(void **state)
{
    (void) state;
    for (int round = 0; round < 2; round++) {
        int rc = OM_ENOMEM;
        if (round == 0)
            expect_native(9);
        else
            (void) setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
        for (size_t n = 0; rc != OM_OK; n++) {
            notes said = { 0 };
            char name[16];
            test_heap heap;
            test_heap_init(&heap, n);
            rc = life(&heap.heap, OM_EXEC_NATIVE, 9, name, &said);
            assert_true(rc == OM_OK || rc == OM_ENOMEM);
            assert_int_equal(heap.live, 0);
        }
    }
}

static void *in_thread(void *most)
{
    notes said = { 0 };
    char name[16];
    return life(NULL, OM_EXEC_NATIVE, *(int32_t *) most, name, &said) == OM_OK ? most : NULL;
}

/* Several processes or threads may build the same object at once. */
static void test_threads(void **state)
{
    (void) state;
    pthread_t threads[4];
    int32_t most[4] = { 20, 20, 20, 21 };
    char path[512];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, in_thread, &most[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(cached(path, sizeof path), 2);
}

int main(void)
{
    if (mkdtemp(base) == NULL)
        return 1;
    (void) snprintf(cache, sizeof cache, "%s/omen/native", base);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_cache, empty_cache),
        cmocka_unit_test_setup(test_corrupted, empty_cache),
        cmocka_unit_test_setup(test_no_cache, empty_cache),
        cmocka_unit_test_setup(test_open_to_others, empty_cache),
        cmocka_unit_test_setup(test_other_kinds, empty_cache),
        cmocka_unit_test_setup(test_read_only, empty_cache),
        cmocka_unit_test_setup(test_full_disk, empty_cache),
        cmocka_unit_test_setup(test_no_compiler, empty_cache),
        cmocka_unit_test_setup(test_bad_compiler, empty_cache),
        cmocka_unit_test_setup(test_half_a_file, empty_cache),
        cmocka_unit_test_setup(test_wrong_compiler, empty_cache),
        cmocka_unit_test_setup(test_temporary, empty_cache),
        cmocka_unit_test_setup(test_other_compiler, empty_cache),
        cmocka_unit_test_setup(test_memory, empty_cache),
        cmocka_unit_test_setup(test_threads, empty_cache),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void) empty_cache(NULL);
    (void) rmdir(cache);
    (void) snprintf(cache, sizeof cache, "%s/omen/work", base);
    (void) rmdir(cache); /* must be empty */
    (void) snprintf(cache, sizeof cache, "%s/omen", base);
    (void) rmdir(cache);
    return rmdir(base) == 0 ? failed : 1;
}
