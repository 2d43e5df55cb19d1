/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are not plug-ins, or broken ones: each is rejected with its reason, without effect on
 * the calling process. flawed.c has the flaws.
 */
#include <omen/host/omen.h>

#include "folder.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SOMEBODY = 65534 };
#define FLAWED OMEN_BINARY_DIR "/tests/unit/plugin/flawed.so"
#define REACH OMEN_BINARY_DIR "/tests/unit/plugin/copied-reach.so"
static const char NO_CACHE[] = "/proc/nonexistent";

typedef struct place {
    unsigned descriptors;
    om_context *ctx;
} place;

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d) != NULL)
        count++;
    (void) closedir(d);
    return count;
}

static int set_up(void **state)
{
    static place p;
    if (folder_set_up(state) != 0 || setenv("XDG_CACHE_HOME", NO_CACHE, 1) != 0 ||
        setenv("OMEN_PLUGIN_PATH", "", 1) != 0 || unsetenv("FLAW") != 0 ||
        unsetenv("FLAW_NOTES") != 0 || om_context_new(&p.ctx, NULL) != OM_OK)
        return -1;
    p.descriptors = open_descriptors();
    *state = &p;
    return 0;
}

/* Returns true if no child processes remain. Orphans become children of this process; killed ones
 * may need a moment. */
static bool is_alone(void)
{
    for (unsigned i = 0; i < 200; i++) {
        if (waitpid(-1, NULL, WNOHANG) == -1)
            return errno == ECHILD;
        (void) nanosleep(&(struct timespec){ 0, 10 * 1000 * 1000 }, NULL);
    }
    return false;
}

static int tear_down(void **state)
{
    place *p = *state;
    bool clean = is_alone() && open_descriptors() == p->descriptors;
    om_context_free(p->ctx);
    return folder_tear_down(state) == 0 && clean ? 0 : -1;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Reads all bytes of a file. The caller frees them. */
static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 22);
    assert_non_null(f);
    assert_non_null(bytes);
    *n = fread(bytes, 1, 1 << 22, f);
    assert_int_equal(fclose(f), 0);
    return bytes;
}

static void copy_file(const char *from, const char *to)
{
    size_t n = 0;
    char *bytes = read_file(from, &n);
    write_file(to, bytes, n);
    free(bytes);
}

/* Returns a registry with this file as its last entry. */
static om_registry *look_at(const place *p, const char *path)
{
    om_registry *r = NULL;
    assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
    size_t own = om_registry_count(r);
    assert_int_equal(om_registry_add(r, path), OM_OK);
    assert_int_equal(om_registry_count(r), own + 1);
    assert_string_equal(om_registry_entry(r, own)->path, path);
    return r;
}

static const om_plugin_entry *last(const om_registry *r)
{
    return om_registry_entry(r, om_registry_count(r) - 1);
}

/* Checks that the file is rejected with `reason` in the message (NULL: accepted). */
static void expect(const place *p, const char *path, const char *what, const char *reason)
{
    om_registry *r = look_at(p, path);
    const om_plugin_entry *e = last(r);
    if ((reason == NULL) != (e->plugin != NULL))
        fail_msg("%s: %s: %s", path, what, e->reason == NULL ? "taken" : e->reason);
    if (reason != NULL && strstr(e->reason, reason) == NULL)
        fail_msg("%s: %s: no '%s' in '%s'", path, what, reason, e->reason);
    om_registry_free(r);
}

/* ---- contents ---- */

static void every_flaw_is_found(void **state)
{
    static const char OPENED[] = "ends the process when it is opened (";
    static const char READ[] = "ends the process when its descriptor is read (";
    static const struct {
        const char *flaw, *reason;
    } cases[] = {
        { "none", NULL },
        { "crash", OPENED },
        { "leave", "ends the process when it is opened (status 0)" },
        { "leave quickly", "ends the process when it is opened (status 7)" },
        { "abort", OPENED },
        { "hang", "hangs when it is opened" },
        { "devour", "ends the process when it is opened (status 8)" },
        { "fork and crash", OPENED },
        { "close all and crash", OPENED },
        { "babble", NULL },
        { "be interrupted", "ends the process when it is opened (signal 15)" },
        { "crash at the end", "ends the process when it is closed (" },
        { "bad build", READ },
        { "bad name", READ },
        { "bad summary", READ },
        { "bad citation", READ },
        { "bad options", READ },
        { "bad option name", READ },
        { "bad option help", READ },
        { "bad suffixes", READ },
        { "bad suffix", READ },
        { "endless summary", READ },
        { "long summary", "its summary is missing or not a line of text" },
        { "odd name", "its name is missing or has characters other than a-z, 0-9 and -" },
        { "escapes", "its summary is missing or not a line of text" },
        { "two lines", "its citation is not a line of text" },
        { "longer head", "its head has members that this library does not know" },
        { "latin-1", "its summary is missing or not a line of text" },
        { "c1 control", "its summary is missing or not a line of text" },
        { "utf-8", NULL },
        { "endless options", "its table of options has no end within 64 entries" },
        { "odd option", "the name of option 1 has characters other than letters, digits, _ and -" },
        { "same option", "option 'first' is defined twice" },
        { "default too high", "the default of option 'second', 6, is not between 0 and 5" },
        { "low above high", "the default of option 'second', 1, is not between 9 and 5" },
        { "named values", NULL },
        { "too few names", "option 'second' has 3 values but fewer names for them" },
        { "too many names", "option 'second' has 2 values but more names for them" },
        { "odd value name", "name 1 of a value of option 'second' has characters other than "
                            "letters, digits, _ and -" },
        { "many values", "option 'second' has too many values to name them" },
        { "names of no option", "entry 0 of its names of values belongs to no option" },
        { "no names", "entry 0 of its names of values belongs to no option" },
        { "endless names", "its names of values have no end within 64 entries" },
        { "no code", "entry 'work' does not point to code" },
        { "wild code", "entry 'destroy' does not point to code" },
        { "wild net", "entry 'net' does not point to code" },
        { "no strength", "mandatory entry 'strengths' is missing" },
        { "odd strength", "'strengths' has undefined bits, 0x100000" },
        { "ranks", NULL },
        { "odd rank", "rank 0 is for parts that the checker does not support" },
        { "no rank", "rank 1, 0, is not between 1 and 1000" },
        { "high rank", "rank 0, 1001, is not between 1 and 1000" },
        { "rank for no worker", "rank 0 applies to no number of workers" },
        { "endless ranks", "its list of ranks has no end within 16 entries" },
        { "odd acceptance", "'acceptance' has undefined bits, 0x80000000" },
        { "odd flags", "'flags' has undefined bits, 0x200" },
        { "too large", "descriptor states a size of" },
        { "frontend", NULL },
        { "no suffix", "its list of suffixes is empty" },
        { "odd suffix", "suffix 0 is not a dot followed by a text" },
        { "endless suffixes", "its list of suffixes has no end within 64 entries" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(setenv("FLAW", cases[i].flaw, 1), 0);
        expect(*state, FLAWED, cases[i].flaw, cases[i].reason);
    }
}

static void what_is_no_plug_in(void **state)
{
    const place *p = *state;
    static const char zeros[20000];
    static const char shut[] = "cannot be opened: ";
    write_file(in_folder("text.so"), "int main(void) { return 0; }\n", 29);
    expect(p, in_folder("text.so"), "text", "cannot be opened: it is not a shared object");
    write_file(in_folder("empty.so"), "", 0);
    expect(p, in_folder("empty.so"), "empty", "cannot be opened: it is not a shared object");
    write_file(in_folder("zeros.so"), zeros, sizeof zeros);
    expect(p, in_folder("zeros.so"), "zeros", "cannot be opened: it is not a shared object");
    assert_int_equal(mkdir(in_folder("folder.so"), 0700), 0);
    expect(p, in_folder("folder.so"), "folder", "is not a regular file");
    assert_int_equal(mkfifo(in_folder("pipe.so"), 0600), 0);
    expect(p, in_folder("pipe.so"), "pipe", "is not a regular file");
    expect(p, "/dev/zero", "device", "is not a regular file");
    assert_int_equal(symlink("nothing", in_folder("dangling.so")), 0);
    expect(p, in_folder("dangling.so"), "dangling", "No such file");
    assert_int_equal(symlink("loop.so", in_folder("loop.so")), 0);
    expect(p, in_folder("loop.so"), "loop", "Too many levels");
    expect(p, "", "no name", shut);
    expect(p, "text.so/x.so", "below nothing", shut);
    assert_int_equal(symlink("pipe.so", in_folder("to-pipe.so")), 0);
    expect(p, in_folder("to-pipe.so"), "link to a pipe", "is not a regular file");
    copy_file(FLAWED, in_folder("real"));
    assert_int_equal(symlink("real", in_folder("link.so")), 0);
    expect(p, in_folder("link.so"), "link", NULL);
    expect(p, OMEN_BINARY_DIR "/lib/libomen.so.0", "library", "exports no 'omen_plugin'");
    if (geteuid() != 0) {
        assert_int_equal(chmod(in_folder("real"), 0), 0);
        expect(p, in_folder("real"), "unreadable", "Permission denied");
    }
}

static void wherever_it_was_cut_off(void **state)
{
    const place *p = *state;
    om_random random = { 8 };
    size_t n = 0;
    char *bytes = read_file(FLAWED, &n), *slack = calloc(1, n + 4096);
    assert_non_null(slack);
    for (size_t i = 0; i < 60; i++) {
        size_t length = i < 4 ? n * i / 4 : (size_t) om_random_below(&random, n);
        write_file(in_folder("cut.so"), bytes, length);
        expect(p, in_folder("cut.so"), "cut off", "cannot be opened: ");
        /* Same length, but the rest is zero: the loader may accept that. */
        memcpy(slack, bytes, length);
        memset(slack + length, 0, n - length);
        write_file(in_folder("holes.so"), slack, n);
        om_registry_free(look_at(p, in_folder("holes.so")));
    }
    write_file(in_folder("cut.so"), bytes, n);
    expect(p, in_folder("cut.so"), "whole", NULL);
    free(slack);
    free(bytes);
}

/* ---- several files ---- */

static void those_behind_it_are_tried(void **state)
{
    const place *p = *state;
    om_registry *r = NULL;
    size_t taken = 0, refused = 0;
    copy_file(FLAWED, in_folder("b.so"));
    write_file(in_folder("a.so"), "", 0);
    for (char name[] = "c1.so"; name[1] < '9'; name[1]++)
        copy_file(REACH, in_folder(name));
    copy_file(FLAWED, in_folder("d.so"));
    copy_file(OMEN_BINARY_DIR "/lib/omen/plugins/dve.so", in_folder("e.so"));
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", folder_base, 1), 0);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
    for (size_t i = 0; i < om_registry_count(r); i++) {
        const om_plugin_entry *e = om_registry_entry(r, i);
        if (strncmp(e->path, folder_base, strlen(folder_base)) != 0)
            continue;
        char which = e->path[strlen(folder_base) + 1];
        taken += e->plugin != NULL;
        refused += e->plugin == NULL;
        if (which == 'b' || which == 'd')
            assert_non_null(strstr(e->reason, "(status 0)"));
        if (which == 'e')
            assert_string_equal(e->plugin->name, "dve");
        if (which == 'c' && e->plugin == NULL)
            assert_non_null(strstr(e->reason, "shadowed by "));
    }
    assert_int_equal(taken, 2);
    assert_int_equal(refused, 3 + 7);
    om_registry_free(r);
}

static void folders_that_are_none(void **state)
{
    const place *p = *state;
    char list[2 * FOLDER_ROOM];
    om_registry *r = NULL;
    const char *file = in_folder("file"), *pipe = in_folder("pipe"),
               *nothing = in_folder("nothing");
    write_file(file, "", 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    (void) snprintf(list, sizeof list, "%s:%s::%s:", file, pipe, nothing);
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", list, 1), 0);
    assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
    const char *const paths[] = { file, pipe, nothing };
    for (size_t i = 0; i < 3; i++) {
        const om_plugin_entry *e = om_registry_entry(r, i);
        assert_string_equal(e->path, paths[i]);
        assert_null(e->plugin);
        assert_non_null(strstr(e->reason,
            i < 2 ? "cannot be searched: Not a directory" : "cannot be searched: No such file"));
    }
    assert_non_null(om_registry_entry(r, 3)->plugin);
    om_registry_free(r);
}

/* ---- ownership ---- */

static void root_is_wary(void **state)
{
    const place *p = *state;
    static const char refused[] = "is not loaded by root: ";
    if (geteuid() != 0) {
        print_message("only root can make files of another user\n");
        skip();
    }
    assert_int_equal(mkdir(in_folder("inner"), 0755), 0);
    copy_file(FLAWED, in_folder("inner/x.so"));
    assert_int_equal(chmod(in_folder("inner/x.so"), 0755), 0);
    expect(p, in_folder("inner/x.so"), "mine", NULL);
    assert_int_equal(chown(in_folder("inner/x.so"), SOMEBODY, SOMEBODY), 0);
    expect(p, in_folder("inner/x.so"), "theirs", refused);
    assert_int_equal(chown(in_folder("inner/x.so"), 0, 0), 0);
    assert_int_equal(chmod(in_folder("inner/x.so"), 0775), 0);
    expect(p, in_folder("inner/x.so"), "the group's", refused);
    assert_int_equal(chmod(in_folder("inner/x.so"), 0755), 0);
    assert_int_equal(chmod(in_folder("inner"), 0777), 0);
    expect(p, in_folder("inner/x.so"), "in a folder of all", refused);
    assert_int_equal(chmod(in_folder("inner"), 0755), 0);
    assert_int_equal(chown(in_folder("inner"), SOMEBODY, SOMEBODY), 0);
    expect(p, in_folder("inner/x.so"), "in their folder", refused);
    /* The same for a folder of the plug-in path. */
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", in_folder("inner"), 1), 0);
    om_registry *r = NULL;
    assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
    assert_null(om_registry_entry(r, 0)->plugin);
    assert_non_null(strstr(om_registry_entry(r, 0)->reason, "inner belongs to another user"));
    om_registry_free(r);
    assert_int_equal(chown(in_folder("inner"), 0, 0), 0);
    expect(p, in_folder("inner/x.so"), "mine again", "shadowed by");
}

/* Other users than root may use any files that they name. */
static void others_are_not(void **state)
{
    const place *p = *state;
    int status = -1;
    if (geteuid() != 0) {
        print_message("only root can be another user\n");
        skip();
    }
    assert_int_equal(chmod(folder_base, 0777), 0);
    copy_file(FLAWED, in_folder("x.so"));
    assert_int_equal(chmod(in_folder("x.so"), 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        om_registry *r = NULL;
        bool good = setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0 &&
                    om_registry_new(&r, p->ctx) == OM_OK &&
                    om_registry_add(r, in_folder("x.so")) == OM_OK && last(r)->plugin != NULL;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- the cache ---- */

/* Waits until file times can be distinguished from the present. */
static void let_it_settle(void)
{
    (void) nanosleep(&(struct timespec){ 0, 200 * 1000 * 1000 }, NULL);
}

static size_t openings(void)
{
    struct stat st;
    return stat(in_folder("notes"), &st) == 0 ? (size_t) st.st_size : 0;
}

/* Returns the only cached file about plug-ins. */
static const char *table_file(void)
{
    static char path[FOLDER_ROOM + NAME_MAX];
    const char *folder = in_folder("cache/omen/plugins");
    DIR *d = opendir(folder);
    unsigned count = 0;
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') {
            (void) snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            count++;
        }
    (void) closedir(d);
    assert_int_equal(count, 1);
    return path;
}

static void once_is_enough(void **state)
{
    const place *p = *state;
    assert_int_equal(setenv("XDG_CACHE_HOME", in_folder("cache"), 1), 0);
    assert_int_equal(setenv("FLAW_NOTES", in_folder("notes"), 1), 0);
    copy_file(FLAWED, in_folder("good.so"));
    copy_file(FLAWED, in_folder("bad.so"));
    copy_file(FLAWED, in_folder("unlucky.so"));
    let_it_settle();
    /* One opening in the child, and one in this process if the trial succeeded. */
    expect(p, in_folder("good.so"), "good, new", NULL);
    assert_int_equal(openings(), 2);
    expect(p, in_folder("good.so"), "good, known", NULL);
    assert_int_equal(openings(), 3);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    expect(p, in_folder("bad.so"), "bad, new", "when it is opened (status 0)");
    assert_int_equal(openings(), 4);
    expect(p, in_folder("bad.so"), "bad, known", "when it is opened (status 0)");
    assert_int_equal(openings(), 4);
    /* The child was killed from outside: this says nothing about the file. */
    assert_int_equal(setenv("FLAW", "be interrupted", 1), 0);
    expect(p, in_folder("unlucky.so"), "interrupted", "(signal 15)");
    assert_int_equal(setenv("FLAW", "none", 1), 0);
    expect(p, in_folder("unlucky.so"), "not interrupted", NULL);
    assert_int_equal(openings(), 7);
    /* A new time counts as a change. */
    assert_int_equal(utimensat(0, in_folder("bad.so"), NULL, 0), 0);
    expect(p, in_folder("bad.so"), "touched", NULL);
    assert_int_equal(openings(), 9);
    /* Other users have no access to the cache. */
    struct stat st;
    assert_int_equal(stat(in_folder("cache/omen/plugins"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(table_file(), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* A file written just now may be written again before its time changes. */
static void not_too_early(void **state)
{
    const place *p = *state;
    size_t n = 0;
    char *bytes = read_file(FLAWED, &n);
    assert_int_equal(setenv("XDG_CACHE_HOME", in_folder("cache"), 1), 0);
    for (unsigned i = 0; i < 20; i++) {
        bool good = i % 2 == 0;
        assert_int_equal(setenv("FLAW", good ? "none" : "leave", 1), 0);
        write_file(in_folder("x.so"), bytes, n);
        expect(p, in_folder("x.so"), "written anew", good ? NULL : "(status 0)");
    }
    free(bytes);
}

static void a_table_that_was_spoilt(void **state)
{
    const place *p = *state;
    om_random random = { 9 };
    size_t n = 0;
    assert_int_equal(setenv("XDG_CACHE_HOME", in_folder("cache"), 1), 0);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    copy_file(FLAWED, in_folder("x.so"));
    let_it_settle();
    expect(p, in_folder("x.so"), "new", "(status 0)");
    const char *file = table_file();
    char *table = read_file(file, &n), *spoilt = malloc(n + 100);
    assert_non_null(spoilt);
    for (unsigned i = 0; i < 100; i++) {
        memcpy(spoilt, table, n);
        memset(spoilt + n, 0, 100);
        size_t length = i % 3 == 0   ? (size_t) om_random_below(&random, n)
                        : i % 3 == 1 ? n + 1 + (size_t) om_random_below(&random, 99)
                                     : n;
        for (unsigned k = 0; length == n && k <= i % 4; k++)
            spoilt[om_random_below(&random, n)] ^= (char) (1u << om_random_below(&random, 8));
        write_file(file, spoilt, length);
        expect(p, in_folder("x.so"), "spoilt", "(status 0)");
    }
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
    expect(p, in_folder("x.so"), "a pipe", "(status 0)");
    free(spoilt);
    free(table);
}

/* More files than the table has room for. */
static void the_table_is_bounded(void **state)
{
    const place *p = *state;
    struct stat st;
    char name[32];
    om_registry *r = NULL;
    assert_int_equal(setenv("XDG_CACHE_HOME", in_folder("cache"), 1), 0);
    assert_int_equal(mkdir(in_folder("many"), 0700), 0);
    for (unsigned i = 0; i < 300; i++) {
        (void) snprintf(name, sizeof name, "many/%03u.so", i);
        copy_file(REACH, in_folder(name));
    }
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", in_folder("many"), 1), 0);
    let_it_settle();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
        assert_true(om_registry_count(r) >= 300);
        om_registry_free(r);
        assert_int_equal(stat(table_file(), &st), 0);
        assert_true(st.st_size > 8000 && st.st_size <= 8192 + 200);
    }
}

/* With a cache, and without one. */
static void every_allocation_may_fail(void **state)
{
    bool failed = true;
    (void) state;
    copy_file(FLAWED, in_folder("a.so"));
    write_file(in_folder("b.so"), "", 0);
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", folder_base, 1), 0);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    let_it_settle();
    for (size_t n = 0; failed; n++) {
        test_heap h;
        om_context *ctx = NULL;
        om_registry *r = NULL;
        const char *cache = n % 2 == 0 ? in_folder("cache") : NO_CACHE;
        assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
        test_heap_init(&h, n / 2);
        int rc = om_context_new(&ctx, &h.heap);
        if (rc == OM_OK)
            rc = om_registry_new(&r, ctx);
        if (rc == OM_OK) {
            const size_t count = om_registry_count(r);
            assert_non_null(strstr(om_registry_entry(r, 0)->reason, "(status 0)"));
            rc = om_registry_add(r, in_folder("b.so"));
            assert_int_equal(om_registry_count(r), count + (rc == OM_OK));
        }
        failed = n / 2 < h.calls || n % 2 == 0;
        assert_true(rc == OM_OK || (rc == OM_ENOMEM && failed));
        om_registry_free(r);
        om_context_free(ctx);
        assert_int_equal(h.live, 0);
    }
}

#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* If a plug-in is opened here by mistake, it may end the test with status 0. */
static void on_end(int status, void *by_main)
{
    (void) status;
    if (!*(const bool *) by_main)
        _exit(1);
}

int main(void)
{
    bool by_main = false;
    if (on_exit(on_end, &by_main) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        IN_A_PLACE(every_flaw_is_found),
        IN_A_PLACE(what_is_no_plug_in),
        IN_A_PLACE(wherever_it_was_cut_off),
        IN_A_PLACE(those_behind_it_are_tried),
        IN_A_PLACE(folders_that_are_none),
        IN_A_PLACE(root_is_wary),
        IN_A_PLACE(others_are_not),
        IN_A_PLACE(once_is_enough),
        IN_A_PLACE(not_too_early),
        IN_A_PLACE(a_table_that_was_spoilt),
        IN_A_PLACE(the_table_is_bounded),
        IN_A_PLACE(every_allocation_may_fail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    by_main = true;
    exit(failed);
}
