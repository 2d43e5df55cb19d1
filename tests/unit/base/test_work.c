/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for temporary files: creation, removal, and sweeping after their process has ended. */
#include "files/work_folder.h"

#include "folder.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static unsigned entries(void)
{
    unsigned n = 0;
    DIR *d = opendir(folder_base);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    (void) closedir(d);
    return n;
}

static void write_in(const char *folder, const char *name)
{
    char path[FOLDER_ROOM];
    (void) snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(close(fd), 0);
}

/* Fills a folder like a compiler or a driver. */
static void fill(const char *folder)
{
    char path[FOLDER_ROOM];
    write_in(folder, "a.c");
    (void) snprintf(path, sizeof path, "%s/inner", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_in(path, "b.o");
    assert_int_equal(symlink("/nonexistent", in_folder("link")), 0);
    assert_int_equal(rename(in_folder("link"), strcat(path, "/link")), 0);
}

static void nothing_stays(void **state)
{
    om_work_folder w, other;
    struct stat st;
    (void) state;
    assert_int_equal(om_work_folder__begin(&w, om_heap_default(), folder_base), OM_OK);
    assert_int_equal(om_work_folder__begin(&other, om_heap_default(), folder_base), OM_OK);
    assert_string_not_equal(w.path, other.path);
    assert_int_equal(stat(w.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    fill(w.path);
    om_work_folder__end(&w);
    assert_null(w.path);
    assert_int_equal(entries(), 1);
    om_work_folder__end(&w);
    om_work_folder__end(&other);
    assert_int_equal(entries(), 0);
    assert_int_equal(om_work_folder__begin(&w, om_heap_default(), in_folder("nothing")), OM_EIO);
    assert_int_equal(errno, ENOENT);
    assert_null(w.path);
}

/* Starts a process that creates a folder, signals it, and waits to be killed. */
static pid_t start_worker(void)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        om_work_folder w;
        if (om_work_folder__begin(&w, om_heap_default(), folder_base) != OM_OK)
            _exit(1);
        fill(w.path);
        (void) write(ends[1], "x", 1);
        for (;;)
            (void) pause();
    }
    assert_true(pid > 0);
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(close(ends[0]), 0);
    return pid;
}

static void what_the_dead_left_is_swept(void **state)
{
    int status;
    (void) state;
    pid_t pid = start_worker();
    om_work_folder__sweep(folder_base, false);
    assert_int_equal(entries(), 1); /* the process still works there */
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    om_work_folder__sweep(folder_base, false);
    assert_int_equal(entries(), 0);
}

static void what_is_not_ours_stays(void **state)
{
    (void) state;
    /* The right name without the mark; another name with it; an invalid mark. */
    assert_int_equal(mkdir(in_folder("omen-report"), 0700), 0);
    assert_int_equal(mkdir(in_folder("omen-empty1"), 0700), 0);
    assert_int_equal(mkdir(in_folder("omen-reports"), 0700), 0);
    assert_int_equal(mkdir(in_folder("omen-folder"), 0700), 0);
    assert_int_equal(mkdir(in_folder("omen-folder/.omen-work"), 0700), 0);
    assert_int_equal(mkdir(in_folder("omen-pipe12"), 0700), 0);
    assert_int_equal(mkfifo(in_folder("omen-pipe12/.omen-work"), 0700), 0);
    write_in(folder_base, "omen-file12");
    write_in(in_folder("omen-report"), "precious");
    write_in(in_folder("omen-reports"), ".omen-work");
    om_work_folder__sweep(folder_base, false);
    assert_int_equal(entries(), 6);
    assert_int_equal(access(in_folder("omen-report/precious"), F_OK), 0);
    /* With the mark, the folder is removed. */
    write_in(in_folder("omen-report"), ".omen-work");
    om_work_folder__sweep(folder_base, false);
    assert_int_equal(entries(), 5);
    if (geteuid() == 0) {
        assert_int_equal(mkdir(in_folder("omen-theirs"), 0700), 0);
        write_in(in_folder("omen-theirs"), ".omen-work");
        assert_int_equal(chown(in_folder("omen-theirs"), 65534, 65534), 0);
        om_work_folder__sweep(folder_base, false);
        assert_int_equal(entries(), 6);
    }
    om_work_folder__sweep(in_folder("nothing"), true);
    /* In this user's own folder, an empty one is removed. */
    const unsigned before = entries();
    om_work_folder__sweep(folder_base, true);
    assert_int_equal(entries(), before - 1);
    assert_int_not_equal(access(in_folder("omen-empty1"), F_OK), 0);
}

/* The last user removes the folder; a later one creates it again. */
static void several_in_one(void **state)
{
    om_work_folder first, second, third;
    char path[FOLDER_ROOM];
    (void) state;
    assert_int_equal(om_work_folder__begin(&first, om_heap_default(), folder_base), OM_OK);
    (void) snprintf(path, sizeof path, "%s", first.path);
    assert_int_equal(om_work_folder__join(&second, om_heap_default(), path), OM_OK);
    fill(path);
    om_work_folder__end(&first);
    om_work_folder__sweep(folder_base, false);
    assert_int_equal(entries(), 1);
    assert_int_equal(om_work_folder__join(&third, om_heap_default(), path), OM_OK);
    om_work_folder__end(&third);
    assert_int_equal(access(strcat(path, "/inner/b.o"), F_OK), 0);
    om_work_folder__end(&second);
    assert_int_equal(entries(), 0);
    path[strlen(path) - strlen("/inner/b.o")] = '\0';
    assert_int_equal(om_work_folder__join(&first, om_heap_default(), path), OM_OK);
    assert_string_equal(first.path, path);
    assert_int_equal(entries(), 1);
    om_work_folder__end(&first);
    assert_int_equal(entries(), 0);
}

/* ---- creation concurrent with sweeping ---- */

static atomic_bool ending;
static char in_folder_of_its_own[FOLDER_ROOM];

static void *sweeper(void *unused)
{
    while (!atomic_load_explicit(&ending, memory_order_relaxed))
        om_work_folder__sweep(folder_base, true);
    return unused;
}

/* Threads that all use the same folder. */
static void *sharer(void *good)
{
    for (int i = 0; i < 300; i++) {
        om_work_folder w;
        if (om_work_folder__join(&w, om_heap_default(), in_folder_of_its_own) != OM_OK)
            return NULL;
        if (access(in_folder_of_its_own, F_OK) != 0)
            good = NULL;
        om_work_folder__end(&w);
    }
    return good;
}

static void *maker(void *good)
{
    for (int i = 0; i < 300; i++) {
        om_work_folder w;
        if (om_work_folder__begin(&w, om_heap_default(), folder_base) != OM_OK)
            return NULL;
        write_in(w.path, "file");
        (void) om_yield(OM_NAP_NS);
        if (access(w.path, F_OK) != 0)
            good = NULL;
        om_work_folder__end(&w);
    }
    return good;
}

static void sweepers_do_not_harm_makers(void **state)
{
    static void *(*const what[])(void *) = { sweeper, sweeper, maker, maker, sharer, sharer };
    enum { COUNT = sizeof what / sizeof *what };
    pthread_t threads[COUNT];
    (void) state;
    atomic_store(&ending, false);
    (void) snprintf(in_folder_of_its_own, FOLDER_ROOM, "%s/omen-shared", folder_base);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, what[i], &ending), 0);
    for (int i = COUNT - 1; i >= 0; i--) {
        void *good = NULL;
        if (i == 1)
            atomic_store(&ending, true);
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    assert_int_equal(entries(), 0);
}

static void memory_that_is_out(void **state)
{
    test_heap heap;
    om_work_folder w;
    (void) state;
    for (size_t n = 0;; n++) {
        test_heap_init(&heap, n);
        int rc = om_work_folder__begin(&w, &heap.heap, folder_base);
        om_work_folder__end(&w);
        assert_int_equal(heap.live, 0);
        assert_int_equal(entries(), 0);
        if (rc == OM_OK)
            break;
        assert_int_equal(rc, OM_ENOMEM);
    }
}

int main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, folder_set_up, folder_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_stays),
        TEST(what_the_dead_left_is_swept),
        TEST(what_is_not_ours_stays),
        TEST(several_in_one),
        TEST(sweepers_do_not_harm_makers),
        TEST(memory_that_is_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
