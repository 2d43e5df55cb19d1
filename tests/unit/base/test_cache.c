/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: kept files, rejected files, and removal when there are too many. */
#include "files/cache.h"

#include "files/cache_lock.h"
#include "folder.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static om_context *ctx;
static char said[1024];
static unsigned notes;

static void on_note(void *self, om_note_level level, const char *text)
{
    (void) self;
    notes += level == OM_NOTE_NOTICE;
    (void) snprintf(said, sizeof said, "%s", text);
}

/* In a new session, a notice may be repeated. */
static int new_session(void)
{
    om_context_free(ctx);
    ctx = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK)
        return -1;
    om_context_on_note(ctx, on_note, NULL);
    notes = 0;
    said[0] = '\0';
    return 0;
}

static int set_up(void **state)
{
    if (folder_set_up(state) != 0 || new_session() != 0)
        return -1;
    (void) unsetenv("OMEN_CACHE_SIZE");
    (void) unsetenv("OMEN_CACHE");
    (void) setenv("TMPDIR", folder_base, 1);
    return setenv("XDG_CACHE_HOME", folder_base, 1);
}

static int tear_down(void **state)
{
    om_context_free(ctx);
    ctx = NULL;
    return folder_tear_down(state);
}

static om_text key_of(const char *text)
{
    om_text key = { .heap = om_heap_default() };
    om_text_add(&key, text);
    assert_false(key.failed);
    return key;
}

static bool store(const char *kind, const char *key_text, const void *body, size_t length)
{
    om_cache c;
    om_text key = key_of(key_text);
    bool open = om_cache__open(&c, ctx, kind) == OM_OK;
    if (open)
        om_cache__store(&c, &key, body, length);
    om_cache__close(&c);
    om_text_free(&key);
    return open;
}

static bool kept(const char *kind, const char *key_text, const void *body, size_t length)
{
    om_cache c;
    om_text key = key_of(key_text);
    unsigned char *got = NULL;
    size_t n = 0;
    bool good = om_cache__open(&c, ctx, kind) == OM_OK && om_cache__load(&c, &key, &got, &n);
    if (good) {
        assert_int_equal(n, length);
        assert_memory_equal(got, body, n);
    }
    om_free(om_context_heap(ctx), got);
    om_cache__close(&c);
    om_text_free(&key);
    return good;
}

static bool kept_x(const char *key)
{
    return kept(om_cache__native, key, "x", 1);
}

/* Gets the path of the file of a key. */
static void path_of(const char *key_text, char path[FOLDER_ROOM])
{
    om_cache c;
    om_text key = key_of(key_text);
    assert_int_equal(om_cache__open(&c, ctx, om_cache__native), OM_OK);
    char *file = om_cache__file(&c, &key);
    assert_non_null(file);
    (void) snprintf(path, FOLDER_ROOM, "%s", file);
    om_free(c.heap, file);
    om_cache__close(&c);
    om_text_free(&key);
}

static unsigned entries(const char *name)
{
    unsigned n = 0;
    DIR *d = opendir(in_folder(name));
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d != NULL)
        (void) closedir(d);
    return n;
}

static void kept_and_dropped(void **state)
{
    om_cache c;
    struct stat st;
    char path[FOLDER_ROOM];
    om_text key = key_of("b");
    (void) state;
    assert_false(kept_x("a"));
    assert_true(store(om_cache__native, "a", "x", 1));
    assert_true(store(om_cache__native, "b", "yy", 2));
    assert_true(store(om_cache__native, "b", "zzz", 3));
    assert_true(store(om_cache__native, "empty", "", 0));
    assert_true(kept_x("a"));
    assert_true(kept(om_cache__native, "b", "zzz", 3));
    assert_true(kept(om_cache__native, "empty", "", 0));
    assert_false(kept(om_cache__opencl, "a", "x", 1));
    assert_int_equal(entries("omen/native"), 3);
    assert_int_equal(entries("omen/work"), 0);
    path_of("a", path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(stat(in_folder("omen"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(om_cache__open(&c, ctx, om_cache__native), OM_OK);
    om_cache__drop(&c, &key);
    om_cache__drop(&c, &key);
    om_cache__close(&c);
    om_text_free(&key);
    assert_false(kept(om_cache__native, "b", "zzz", 3));
    assert_true(kept_x("a"));
    assert_int_equal(notes, 0);
}

/* Every changed byte and every missing one is detected. */
static void verified_to_the_last_byte(void **state)
{
    char path[FOLDER_ROOM];
    struct stat st;
    (void) state;
    assert_true(store(om_cache__native, "key", "body", 4));
    path_of("key", path);
    assert_int_equal(stat(path, &st), 0);
    for (off_t at = 0; at < st.st_size; at++) {
        char byte;
        int fd = open(path, O_RDWR);
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte = (char) (byte ^ 1);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        assert_false(kept(om_cache__native, "key", "body", 4));
        byte = (char) (byte ^ 1);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        assert_int_equal(close(fd), 0);
    }
    assert_true(kept(om_cache__native, "key", "body", 4));
    for (off_t size = st.st_size - 1; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(kept(om_cache__native, "key", "body", 4));
    }
    assert_true(store(om_cache__native, "key", "body", 4));
    assert_true(kept(om_cache__native, "key", "body", 4));
}

/* A file that is not regular does not block, is not read, and is replaced. */
static void something_else_in_its_place(void **state)
{
    char path[FOLDER_ROOM];
    (void) state;
    assert_true(store(om_cache__native, "key", "x", 1));
    path_of("key", path);
    for (int kind = 0; kind < 4; kind++) {
        const bool refused = kind == 3;
        notes = 0;
        if (kind == 0) {
            assert_int_equal(unlink(path), 0);
            assert_int_equal(mkfifo(path, 0600), 0);
        } else if (kind == 1) {
            assert_int_equal(unlink(path), 0);
            assert_int_equal(symlink("/dev/zero", path), 0);
        } else if (kind == 2) {
            assert_int_equal(rename(path, in_folder("elsewhere")), 0);
            assert_int_equal(symlink(in_folder("elsewhere"), path), 0);
        } else
            assert_int_equal(chmod(path, 0666), 0);
        assert_false(kept_x("key"));
        assert_int_equal(notes, refused);
        assert_true(store(om_cache__native, "key", "x", 1));
        assert_true(kept_x("key"));
    }
    assert_non_null(strstr(said, "can be written by other users"));
}

static void a_place_of_others(void **state)
{
    char path[FOLDER_ROOM];
    (void) state;
    assert_true(store(om_cache__native, "key", "x", 1));
    path_of("key", path);
    assert_int_equal(chmod(in_folder("omen"), 0777), 0);
    assert_false(kept_x("key"));
    assert_int_equal(notes, 1);
    assert_non_null(strstr(said, "compiled code is not cached: "));
    assert_non_null(strstr(said, "/omen can be written by other users"));
    assert_false(store(om_cache__native, "other", "x", 1));
    assert_int_equal(notes, 1); /* one notice is enough */
    assert_int_equal(chmod(in_folder("omen"), 0700), 0);
    assert_true(kept_x("key"));
    assert_false(kept_x("other"));
    if (geteuid() != 0) {
        print_message("only root can make files of another user\n");
        return;
    }
    notes = 0;
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_false(kept_x("key"));
    assert_int_equal(notes, 1);
    assert_non_null(strstr(said, "belongs to another user"));
    assert_int_equal(chown(path, 0, 0), 0);
    assert_true(kept_x("key"));
    assert_int_equal(chown(in_folder("omen/native"), 65534, 65534), 0);
    assert_int_equal(new_session(), 0);
    assert_false(kept_x("key"));
    assert_non_null(strstr(said, "/omen/native belongs to another user"));
}

static void places(void **state)
{
    static const struct {
        const char *cache, *home, *place;
    } cases[] = { { "/c", "/h", "/c/omen" }, { "", "/h", "/h/.cache/omen" },
        { "relative", "/h", "/h/.cache/omen" }, { NULL, "/h", "/h/.cache/omen" },
        { NULL, "relative", NULL }, { NULL, "", "/tmp/omen-" }, { NULL, NULL, "/tmp/omen-" } };
    (void) state;
    const char *home = getenv("HOME");
    char *before = home == NULL ? NULL : strdup(home);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_text place = { .heap = om_heap_default() };
        (void) (cases[i].cache == NULL ? unsetenv("XDG_CACHE_HOME")
                                       : setenv("XDG_CACHE_HOME", cases[i].cache, 1));
        (void) (cases[i].home == NULL ? unsetenv("HOME") : setenv("HOME", cases[i].home, 1));
        assert_int_equal(om_cache__place(&place), cases[i].place != NULL);
        if (cases[i].place != NULL)
            assert_int_equal(strncmp(place.text, cases[i].place, strlen(cases[i].place)), 0);
        om_text_free(&place);
    }
    if (before != NULL)
        (void) setenv("HOME", before, 1);
    free(before);
}

static void no_place(void **state)
{
    (void) state;
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0);
    assert_false(store(om_cache__native, "a", "x", 1));
    assert_int_equal(notes, 1);
    assert_non_null(strstr(said, "compiled code is not cached: /dev/null is not a folder"));
}

/* A limit on file sizes does not end the process and leaves no partial file. */
static void files_that_may_not_grow(void **state)
{
    struct rlimit old, little = { 16, 0 };
    (void) state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    little.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    bool open = store(om_cache__native, "a", "x", 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_true(open);
    assert_false(kept_x("a"));
    assert_int_equal(entries("omen/native"), 0);
    assert_int_equal(entries("omen/work"), 0);
}

/* ---- removal ---- */

static void limits(void **state)
{
    (void) state;
    assert_int_equal(om_cache__limit(NULL), 1000000000);
    assert_int_equal(om_cache__limit("0"), 0);
    assert_int_equal(om_cache__limit("1234"), 1234);
    assert_int_equal(om_cache__limit("5k"), 5000);
    assert_int_equal(om_cache__limit("100M"), 100000000);
    assert_int_equal(om_cache__limit("2G"), 2000000000);
    assert_true(om_cache__limit("99999999999G") == UINT64_MAX);
    static const char *const none[] = { "", "x", "-1", "5 M", "5MM", "M", "99999999999999999999" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(om_cache__limit(none[i]), 1000000000);
}

/* Sets the last use of a file to this number of hours ago. */
static void age(const char *key, long hours)
{
    char path[FOLDER_ROOM];
    struct timespec times[2];
    path_of(key, path);
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
    times[0].tv_sec -= hours * 3600;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_oldest_goes(void **state)
{
    char body[1000] = { 'x' };
    (void) state;
    /* A file takes 1000 bytes of body, one of key, and less than a hundred of overhead. */
    assert_int_equal(setenv("OMEN_CACHE_SIZE", "3500", 1), 0);
    assert_true(store(om_cache__native, "a", body, sizeof body));
    assert_true(store(om_cache__opencl, "b", body, sizeof body));
    assert_true(store(om_cache__native, "c", body, sizeof body));
    age("a", 30);
    age("c", 20);
    assert_true(kept(om_cache__native, "a", body, sizeof body)); /* counts as its last use */
    assert_true(store(om_cache__native, "d", body, sizeof body));
    assert_true(kept(om_cache__native, "a", body, sizeof body));
    assert_true(kept(om_cache__opencl, "b", body, sizeof body));
    assert_false(kept(om_cache__native, "c", body, sizeof body));
    assert_true(kept(om_cache__native, "d", body, sizeof body));
    /* All kinds share one limit. */
    assert_int_equal(setenv("OMEN_CACHE_SIZE", "1k", 1), 0);
    assert_true(store(om_cache__opencl, "e", body, sizeof body));
    assert_int_equal(entries("omen/native") + entries("omen/opencl"), 0);
    assert_true(store(om_cache__opencl, "f", body, 100));
    assert_true(kept(om_cache__opencl, "f", body, 100));
}

/* ---- no cache, and locks ---- */

/* Nothing is kept, and nothing is said. */
static void switched_off(void **state)
{
    (void) state;
    om_work_folder work;
    om_cache_lock lock;
    char why[512];
    assert_true(store(om_cache__native, "key", "x", 1));
    assert_int_equal(setenv("OMEN_CACHE", "off", 1), 0);
    assert_false(store(om_cache__native, "other", "x", 1));
    assert_false(kept_x("key"));
    assert_int_equal(om_cache_lock__open(&lock, om_heap_default()), OM_EIO);
    assert_false(om_cache_lock__take(&lock, 1));
    assert_int_equal(notes, 0);
    assert_int_equal(om_cache__work(om_heap_default(), 0, &work, why), OM_OK);
    assert_null(strstr(work.path, "/omen/work/"));
    om_work_folder__end(&work);
    assert_int_equal(setenv("OMEN_CACHE", "on", 1), 0);
    assert_true(kept_x("key"));
}

static om_cache_lock open_lock(void)
{
    om_cache_lock lock;
    assert_int_equal(om_cache_lock__open(&lock, om_heap_default()), OM_OK);
    return lock;
}

static void a_right_has_one_owner(void **state)
{
    (void) state;
    om_cache_lock a = open_lock(), b = open_lock();
    const uint64_t right = om_cache_lock__right_of("text", 4);
    const uint64_t other = om_cache_lock__right_of("texts", 5);
    assert_true(right != other && right > 1000 && right < INT64_MAX);
    assert_true(om_cache_lock__take(&a, right));
    assert_true(om_cache_lock__take(&a, right));
    assert_false(om_cache_lock__is_taken(&a, right));
    assert_true(om_cache_lock__is_taken(&b, right));
    assert_false(om_cache_lock__is_taken(&b, right + 1));
    assert_false(om_cache_lock__take(&b, right));
    assert_true(om_cache_lock__take(&b, other));
    om_cache_lock__close(&a);
    assert_false(om_cache_lock__is_taken(&b, right));
    assert_true(om_cache_lock__take(&b, right));
    om_cache_lock__close(&b);
}

static void a_right_is_wanted(void **state)
{
    (void) state;
    om_cache_lock owner = open_lock(), a = open_lock(), b = open_lock();
    const uint64_t right = om_cache_lock__right_of("text", 4);
    assert_true(om_cache_lock__take(&owner, right));
    assert_false(om_cache_lock__is_wanted(&owner, right));
    om_cache_lock__want(&a, right);
    om_cache_lock__want(&b, right);
    assert_true(om_cache_lock__is_wanted(&owner, right));
    assert_false(om_cache_lock__is_wanted(&owner, right + 1));
    om_cache_lock__close(&a);
    assert_true(om_cache_lock__is_wanted(&owner, right));
    om_cache_lock__close(&b);
    assert_false(om_cache_lock__is_wanted(&owner, right));
    om_cache_lock__close(&owner);
}

static void only_some_rights(void **state)
{
    (void) state;
    om_cache_lock a = open_lock(), b = open_lock(), c = open_lock();
    assert_false(om_cache_lock__take_any(&a, 0));
    assert_true(om_cache_lock__take_any(&a, 2));
    assert_true(om_cache_lock__take_any(&b, 2));
    assert_false(om_cache_lock__take_any(&c, 2));
    om_cache_lock__close(&a);
    assert_true(om_cache_lock__take_any(&c, 2));
    om_cache_lock__close(&b);
    om_cache_lock__close(&c);
}

/* A child that is forked has the rights, too, and keeps them until it is killed. */
static void a_right_ends_with_its_process(void **state)
{
    (void) state;
    int ends[2], status = 0;
    char byte;
    om_cache_lock a = open_lock(), b = open_lock();
    assert_int_equal(pipe(ends), 0);
    assert_true(om_cache_lock__take(&a, 5));
    const pid_t child = fork();
    if (child == 0) {
        (void) close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 1);
    }
    assert_true(child > 0);
    om_cache_lock__close(&a);
    assert_true(om_cache_lock__is_taken(&b, 5));
    assert_false(om_cache_lock__take(&b, 5));
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(om_cache_lock__take(&b, 5));
    assert_int_equal(close(ends[0]), 0);
    om_cache_lock__close(&b);
}

/* ---- memory and threads ---- */

static void memory_that_is_out(void **state)
{
    (void) state;
    om_text key = key_of("key");
    assert_true(store(om_cache__native, "key", "x", 1));
    for (size_t n = 0;; n++) {
        test_heap heap;
        om_context *own = NULL;
        om_cache c;
        unsigned char *body = NULL;
        size_t length;
        test_heap_init(&heap, n);
        int rc = om_context_new(&own, &heap.heap);
        if (rc == OM_OK && (rc = om_cache__open(&c, own, om_cache__native)) == OM_OK) {
            bool loaded = om_cache__load(&c, &key, &body, &length);
            om_free(&heap.heap, body);
            om_cache__store(&c, &key, "x", 1);
            om_cache__close(&c);
            assert_true(loaded || heap.calls > n);
        }
        om_context_free(own);
        assert_int_equal(heap.live, 0);
        assert_int_equal(entries("omen/work"), 0);
        if (heap.calls <= n)
            break;
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
    }
    assert_true(kept_x("key"));
    om_text_free(&key);
}

static void *keep_some(void *good)
{
    char body[1 << 12];
    for (int i = 0; i < 50; i++) {
        char key[8];
        (void) snprintf(key, sizeof key, "%d", i % 4);
        memset(body, i % 4, sizeof body);
        if (!store(om_cache__native, key, body, sizeof body))
            good = NULL;
        (void) kept(om_cache__native, key, body, sizeof body);
    }
    return good;
}

static void several_at_once(void **state)
{
    pthread_t threads[4];
    (void) state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_some, ctx), 0);
    for (int i = 0; i < 4; i++) {
        void *good = NULL;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    assert_int_equal(entries("omen/native"), 4);
    assert_int_equal(entries("omen/work"), 0);
    assert_int_equal(notes, 0);
}

int main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(kept_and_dropped),
        TEST(verified_to_the_last_byte),
        TEST(something_else_in_its_place),
        TEST(a_place_of_others),
        TEST(places),
        TEST(no_place),
        TEST(files_that_may_not_grow),
        TEST(limits),
        TEST(the_oldest_goes),
        TEST(switched_off),
        TEST(a_right_has_one_owner),
        TEST(a_right_is_wanted),
        TEST(only_some_rights),
        TEST(a_right_ends_with_its_process),
        TEST(memory_that_is_out),
        TEST(several_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
