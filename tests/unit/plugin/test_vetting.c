/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are no plug-ins, or broken ones: each is refused with its reason, and nothing happens
 * to the process that asked. flawed.c has the flaws.
 */
#include <omen/omen.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 256, SOMEBODY = 65534 };
#define FLAWED OMEN_BINARY_DIR "/tests/unit/plugin/flawed.so"
#define REACH OMEN_BINARY_DIR "/tests/unit/plugin/copied-reach.so"
static const char NO_CACHE[] = "/proc/nonexistent";

/* A folder of the test's own. */
typedef struct place {
    char folder[32];
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

/* The path of a name in the folder; four at a time. */
static const char *at(const place *p, const char *name)
{
    static char paths[4][ROOM];
    static unsigned next;
    char *to = paths[next++ % 4];
    assert_true(snprintf(to, ROOM, "%s/%s", p->folder, name) < ROOM);
    return to;
}

static int set_up(void **state)
{
    static place p;
    (void) snprintf(p.folder, sizeof p.folder, "/tmp/omen-test-XXXXXX");
    if (mkdtemp(p.folder) == NULL || setenv("XDG_CACHE_HOME", NO_CACHE, 1) != 0 ||
        setenv("OMEN_PLUGIN_PATH", "", 1) != 0 || unsetenv("FLAW") != 0 ||
        unsetenv("FLAW_NOTES") != 0 || om_context_new(&p.ctx, NULL) != OM_OK)
        return -1;
    p.descriptors = open_descriptors();
    *state = &p;
    return 0;
}

/* Neither processes nor descriptors are left over. */
static int tear_down(void **state)
{
    place *p = *state;
    char command[64];
    bool clean =
        waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD && open_descriptors() == p->descriptors;
    om_context_free(p->ctx);
    (void) snprintf(command, sizeof command, "rm -rf %s", p->folder);
    return system(command) == 0 && clean ? 0 : -1;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* All bytes of a file; the caller frees them. */
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

/* A registry with this file in it (as the last one). */
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

/* The file is refused, with this in the reason (NULL: it is taken). */
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

/* ---- what it is ---- */

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
        { "hang", "does not come to an end when it is opened" },
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
        { "long summary", "its summary is missing or no line of text" },
        { "odd name", "its name is missing or not of a-z, 0-9 and -" },
        { "escapes", "its summary is missing or no line of text" },
        { "two lines", "its citation is no line of text" },
        { "latin-1", "its summary is missing or no line of text" },
        { "c1 control", "its summary is missing or no line of text" },
        { "utf-8", NULL },
        { "endless options", "its table of options has no end within 64" },
        { "odd option", "option 1 has a name that is not of letters, digits, _ and -" },
        { "same option", "option 'first' is there twice" },
        { "default too high", "the default of option 'second', 6, is not between 0 and 5" },
        { "low above high", "the default of option 'second', 1, is not between 9 and 5" },
        { "no code", "entry 'work' points to no code" },
        { "wild code", "entry 'destroy' points to no code" },
        { "no strength", "mandatory entry 'strengths' is missing" },
        { "odd strength", "'strengths' has bits without a meaning, 0x100000" },
        { "odd acceptance", "'acceptance' has bits without a meaning, 0x80000000" },
        { "odd flags", "'flags' has bits without a meaning, 0x200" },
        { "too large", "descriptor says it has" },
        { "frontend", NULL },
        { "no suffix", "its list of suffixes is empty" },
        { "odd suffix", "suffix 0 is no dot with a text behind it" },
        { "endless suffixes", "its list of suffixes has no end within 64" },
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
    write_file(at(p, "text.so"), "int main(void) { return 0; }\n", 29);
    expect(p, at(p, "text.so"), "text", "cannot be opened: it is not a shared object");
    write_file(at(p, "empty.so"), "", 0);
    expect(p, at(p, "empty.so"), "empty", "cannot be opened: it is not a shared object");
    write_file(at(p, "zeros.so"), zeros, sizeof zeros);
    expect(p, at(p, "zeros.so"), "zeros", "cannot be opened: it is not a shared object");
    assert_int_equal(mkdir(at(p, "folder.so"), 0700), 0);
    expect(p, at(p, "folder.so"), "folder", "is not a regular file");
    assert_int_equal(mkfifo(at(p, "pipe.so"), 0600), 0);
    expect(p, at(p, "pipe.so"), "pipe", "is not a regular file");
    expect(p, "/dev/zero", "device", "is not a regular file");
    assert_int_equal(symlink("nothing", at(p, "dangling.so")), 0);
    expect(p, at(p, "dangling.so"), "dangling", "No such file");
    assert_int_equal(symlink("loop.so", at(p, "loop.so")), 0);
    expect(p, at(p, "loop.so"), "loop", "Too many levels");
    expect(p, "", "no name", shut);
    expect(p, "text.so/x.so", "below nothing", shut);
    assert_int_equal(symlink("pipe.so", at(p, "to-pipe.so")), 0);
    expect(p, at(p, "to-pipe.so"), "link to a pipe", "is not a regular file");
    copy_file(FLAWED, at(p, "real"));
    assert_int_equal(symlink("real", at(p, "link.so")), 0);
    expect(p, at(p, "link.so"), "link", NULL);
    expect(p, OMEN_BINARY_DIR "/lib/libomen.so.0", "library", "exports no 'omen_plugin'");
    if (geteuid() != 0) {
        assert_int_equal(chmod(at(p, "real"), 0), 0);
        expect(p, at(p, "real"), "unreadable", "Permission denied");
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
        write_file(at(p, "cut.so"), bytes, length);
        expect(p, at(p, "cut.so"), "cut off", "cannot be opened: ");
        /* As long as it was, but with nothing in the rest: the loader may take that. */
        memcpy(slack, bytes, length);
        memset(slack + length, 0, n - length);
        write_file(at(p, "holes.so"), slack, n);
        om_registry_free(look_at(p, at(p, "holes.so")));
    }
    write_file(at(p, "cut.so"), bytes, n);
    expect(p, at(p, "cut.so"), "whole", NULL);
    free(slack);
    free(bytes);
}

/* ---- several ---- */

static void those_behind_it_are_tried(void **state)
{
    const place *p = *state;
    om_registry *r = NULL;
    size_t taken = 0, refused = 0;
    copy_file(FLAWED, at(p, "b.so"));
    write_file(at(p, "a.so"), "", 0);
    for (char name[] = "c1.so"; name[1] < '9'; name[1]++)
        copy_file(REACH, at(p, name));
    copy_file(FLAWED, at(p, "d.so"));
    copy_file(OMEN_BINARY_DIR "/lib/omen/plugins/dve.so", at(p, "e.so"));
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", p->folder, 1), 0);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
    for (size_t i = 0; i < om_registry_count(r); i++) {
        const om_plugin_entry *e = om_registry_entry(r, i);
        if (strncmp(e->path, p->folder, strlen(p->folder)) != 0)
            continue;
        char which = e->path[strlen(p->folder) + 1];
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
    char list[ROOM];
    om_registry *r = NULL;
    const char *file = at(p, "file"), *pipe = at(p, "pipe"), *nothing = at(p, "nothing");
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

/* ---- whose it is ---- */

static void root_is_wary(void **state)
{
    const place *p = *state;
    static const char refused[] = "is not loaded by root: ";
    if (geteuid() != 0) {
        print_message("only root can make files of another user\n");
        skip();
    }
    assert_int_equal(mkdir(at(p, "inner"), 0755), 0);
    copy_file(FLAWED, at(p, "inner/x.so"));
    assert_int_equal(chmod(at(p, "inner/x.so"), 0755), 0);
    expect(p, at(p, "inner/x.so"), "mine", NULL);
    assert_int_equal(chown(at(p, "inner/x.so"), SOMEBODY, SOMEBODY), 0);
    expect(p, at(p, "inner/x.so"), "theirs", refused);
    assert_int_equal(chown(at(p, "inner/x.so"), 0, 0), 0);
    assert_int_equal(chmod(at(p, "inner/x.so"), 0775), 0);
    expect(p, at(p, "inner/x.so"), "the group's", refused);
    assert_int_equal(chmod(at(p, "inner/x.so"), 0755), 0);
    assert_int_equal(chmod(at(p, "inner"), 0777), 0);
    expect(p, at(p, "inner/x.so"), "in a folder of all", refused);
    assert_int_equal(chmod(at(p, "inner"), 0755), 0);
    assert_int_equal(chown(at(p, "inner"), SOMEBODY, SOMEBODY), 0);
    expect(p, at(p, "inner/x.so"), "in their folder", refused);
    /* The same through the folder's name. */
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", at(p, "inner"), 1), 0);
    om_registry *r = NULL;
    assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
    assert_null(om_registry_entry(r, 0)->plugin);
    assert_non_null(strstr(om_registry_entry(r, 0)->reason, "inner belongs to another user"));
    om_registry_free(r);
    assert_int_equal(chown(at(p, "inner"), 0, 0), 0);
    expect(p, at(p, "inner/x.so"), "mine again", "shadowed by");
}

/* Who is not root takes what lies where he says. */
static void others_are_not(void **state)
{
    const place *p = *state;
    int status = -1;
    if (geteuid() != 0) {
        print_message("only root can be another user\n");
        skip();
    }
    assert_int_equal(chmod(p->folder, 0777), 0);
    copy_file(FLAWED, at(p, "x.so"));
    assert_int_equal(chmod(at(p, "x.so"), 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        om_registry *r = NULL;
        bool good = setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0 &&
                    om_registry_new(&r, p->ctx) == OM_OK &&
                    om_registry_add(r, at(p, "x.so")) == OM_OK && last(r)->plugin != NULL;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- what is remembered ---- */

/* Later than any clock of a file system can tell apart from now. */
static void let_it_settle(void)
{
    (void) nanosleep(&(struct timespec){ 0, 200 * 1000 * 1000 }, NULL);
}

static size_t openings(const place *p)
{
    struct stat st;
    return stat(at(p, "notes"), &st) == 0 ? (size_t) st.st_size : 0;
}

static void once_is_enough(void **state)
{
    const place *p = *state;
    assert_int_equal(setenv("XDG_CACHE_HOME", at(p, "cache"), 1), 0);
    assert_int_equal(setenv("FLAW_NOTES", at(p, "notes"), 1), 0);
    copy_file(FLAWED, at(p, "good.so"));
    copy_file(FLAWED, at(p, "bad.so"));
    copy_file(FLAWED, at(p, "unlucky.so"));
    let_it_settle();
    /* One opening in the child, and one here where that went well. */
    expect(p, at(p, "good.so"), "good, new", NULL);
    assert_int_equal(openings(p), 2);
    expect(p, at(p, "good.so"), "good, known", NULL);
    assert_int_equal(openings(p), 3);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    expect(p, at(p, "bad.so"), "bad, new", "when it is opened (status 0)");
    assert_int_equal(openings(p), 4);
    expect(p, at(p, "bad.so"), "bad, known", "when it is opened (status 0)");
    assert_int_equal(openings(p), 4);
    /* Somebody ended the child: that says nothing of the file. */
    assert_int_equal(setenv("FLAW", "be interrupted", 1), 0);
    expect(p, at(p, "unlucky.so"), "interrupted", "(signal 15)");
    assert_int_equal(setenv("FLAW", "none", 1), 0);
    expect(p, at(p, "unlucky.so"), "not interrupted", NULL);
    assert_int_equal(openings(p), 7);
    /* Changed: its time will do. */
    assert_int_equal(utimensat(0, at(p, "bad.so"), NULL, 0), 0);
    expect(p, at(p, "bad.so"), "touched", NULL);
    assert_int_equal(openings(p), 9);
    /* The cache is nobody else's business. */
    struct stat st;
    assert_int_equal(stat(at(p, "cache/omen/plugins"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(at(p, "cache/omen/plugins/tried"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* What was written just now may be written again before the clock moves on. */
static void not_too_early(void **state)
{
    const place *p = *state;
    size_t n = 0;
    char *bytes = read_file(FLAWED, &n);
    assert_int_equal(setenv("XDG_CACHE_HOME", at(p, "cache"), 1), 0);
    for (unsigned i = 0; i < 20; i++) {
        bool good = i % 2 == 0;
        assert_int_equal(setenv("FLAW", good ? "none" : "leave", 1), 0);
        write_file(at(p, "x.so"), bytes, n);
        expect(p, at(p, "x.so"), "written anew", good ? NULL : "(status 0)");
    }
    free(bytes);
}

static void a_table_that_was_spoilt(void **state)
{
    const place *p = *state;
    om_random random = { 9 };
    size_t n = 0;
    assert_int_equal(setenv("XDG_CACHE_HOME", at(p, "cache"), 1), 0);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    copy_file(FLAWED, at(p, "x.so"));
    let_it_settle();
    expect(p, at(p, "x.so"), "new", "(status 0)");
    char *table = read_file(at(p, "cache/omen/plugins/tried"), &n), *spoilt = malloc(n + 100);
    assert_non_null(spoilt);
    for (unsigned i = 0; i < 100; i++) {
        memcpy(spoilt, table, n);
        memset(spoilt + n, 0, 100);
        size_t length = i % 3 == 0   ? (size_t) om_random_below(&random, n)
                        : i % 3 == 1 ? n + 1 + (size_t) om_random_below(&random, 99)
                                     : n;
        for (unsigned k = 0; length == n && k <= i % 4; k++)
            spoilt[om_random_below(&random, n)] ^= (char) (1u << om_random_below(&random, 8));
        write_file(at(p, "cache/omen/plugins/tried"), spoilt, length);
        expect(p, at(p, "x.so"), "spoilt", "(status 0)");
    }
    assert_int_equal(unlink(at(p, "cache/omen/plugins/tried")), 0);
    assert_int_equal(mkfifo(at(p, "cache/omen/plugins/tried"), 0600), 0);
    expect(p, at(p, "x.so"), "a pipe", "(status 0)");
    free(spoilt);
    free(table);
}

/* More files than the table has room for. */
static void the_table_is_bounded(void **state)
{
    const place *p = *state;
    struct stat st;
    char name[ROOM];
    om_registry *r = NULL;
    assert_int_equal(setenv("XDG_CACHE_HOME", at(p, "cache"), 1), 0);
    assert_int_equal(mkdir(at(p, "many"), 0700), 0);
    for (unsigned i = 0; i < 300; i++) {
        (void) snprintf(name, sizeof name, "many/%03u.so", i);
        copy_file(REACH, at(p, name));
    }
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", at(p, "many"), 1), 0);
    let_it_settle();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(om_registry_new(&r, p->ctx), OM_OK);
        assert_true(om_registry_count(r) >= 300);
        om_registry_free(r);
        assert_int_equal(stat(at(p, "cache/omen/plugins/tried"), &st), 0);
        assert_true(st.st_size > 8000 && st.st_size <= 8192);
    }
}

static void every_allocation_may_fail(void **state)
{
    const place *p = *state;
    int rc = OM_ENOMEM;
    copy_file(FLAWED, at(p, "a.so"));
    write_file(at(p, "b.so"), "", 0);
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", p->folder, 1), 0);
    assert_int_equal(setenv("FLAW", "leave", 1), 0);
    for (size_t n = 0; rc == OM_ENOMEM; n++) {
        test_heap h;
        om_context *ctx = NULL;
        om_registry *r = NULL;
        test_heap_init(&h, n);
        rc = om_context_new(&ctx, &h.heap);
        if (rc == OM_OK)
            rc = om_registry_new(&r, ctx);
        if (rc == OM_OK) {
            size_t count = om_registry_count(r);
            h.fail_at = SIZE_MAX; /* was passed */
            assert_non_null(strstr(om_registry_entry(r, 0)->reason, "(status 0)"));
            for (size_t left = 0; rc == OM_OK && left < 100; left++) {
                h.fail_at = h.calls + left;
                rc = om_registry_add(r, at(p, "b.so"));
                if (rc == OM_OK)
                    break;
                assert_int_equal(rc, OM_ENOMEM);
                assert_int_equal(om_registry_count(r), count);
                om_context_clear(ctx);
                rc = OM_OK;
            }
            assert_int_equal(om_registry_count(r), count + 1);
        } else
            assert_null(r);
        om_registry_free(r);
        om_context_free(ctx);
        assert_int_equal(h.live, 0);
    }
    assert_int_equal(rc, OM_OK);
}

#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
