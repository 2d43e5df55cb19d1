/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership of opened files. Each test works in its own folder below the one for temporary files.
 * Tests that need files of another user require root. */
#include "process/trust.h"

#include "folder.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOMEBODY = 65534 };

static void make_folder(const char *name, mode_t mode)
{
    assert_int_equal(mkdir(in_folder(name), 0700), 0);
    assert_int_equal(chmod(in_folder(name), mode), 0);
}

static void make_file(const char *name, mode_t mode)
{
    int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

/* Returns the number of open descriptors. */
static unsigned descriptors(void)
{
    unsigned count = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d) != NULL)
        count++;
    (void) closedir(d);
    return count;
}

typedef int opener(const char *path, int *fd, char *why);

/* Opens and closes a path. A refusal gives a reason that contains `word`, and leaves nothing
 * open. */
static void expect(opener *open_it, const char *path, int status, const char *word)
{
    char why[OM_TRUST_WHY_SIZE] = "";
    unsigned before = descriptors();
    int fd = -1, rc = open_it(path, &fd, why);
    if (rc != status)
        fail_msg("%s: %d, not %d: %s", path, rc, status, why);
    if (rc == OM_OK) {
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        assert_int_equal(close(fd), 0);
    } else if (strstr(why, word) == NULL)
        fail_msg("%s: no '%s' in '%s'", path, word, why);
    assert_int_equal(descriptors(), before);
}

/* om_trust__file() for a whole path. */
static int open_in(const char *path, int *fd, char *why)
{
    char folder[FOLDER_ROOM];
    int dir = -1;
    const char *slash = strrchr(path, '/');
    (void) snprintf(folder, sizeof folder, "%.*s", (int) (slash - path), path);
    int rc = om_trust__folder(folder, &dir, why);
    if (rc == OM_OK) {
        rc = om_trust__file(dir, slash + 1, fd, why);
        (void) close(dir);
    }
    return rc;
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void own_folders_are_made(void **state)
{
    (void) state;
    expect(om_trust__folder, in_folder("a/b/c"), OM_EIO, "/a: No such file");
    (void) umask(0);
    expect(om_trust__own_folder, in_folder("a//b/./c/"), OM_OK, "");
    (void) umask(022);
    assert_int_equal(mode_of(in_folder("a")), 0700);
    assert_int_equal(mode_of(in_folder("a/b")), 0700);
    assert_int_equal(mode_of(in_folder("a/b/c")), 0700);
    expect(om_trust__own_folder, in_folder("a/b/c"), OM_OK, "");
    expect(om_trust__folder, in_folder("a/b/c"), OM_OK, "");
    expect(om_trust__folder, in_folder("a/b/../b/c/../.."), OM_OK, "");
    expect(om_trust__folder, "/", OM_OK, "");
    expect(om_trust__own_folder, "/proc/nothing", OM_EIO, "/proc/nothing: ");
    make_file("file", 0600);
    expect(om_trust__own_folder, in_folder("file/a"), OM_EIO, "/file is not a folder");
    expect(om_trust__folder, in_folder("file"), OM_EIO, "/file is not a folder");
}

static void a_folder_that_others_write(void **state)
{
    static const mode_t modes[] = { 0770, 0702, 0777, 02775 };
    (void) state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        make_folder("open", modes[i]);
        make_folder("open/inner", 0700);
        make_file("open/inner/file", 0600);
        const char *word = "/open can be written by other users";
        expect(om_trust__folder, in_folder("open"), OM_EINPUT, word);
        expect(om_trust__folder, in_folder("open/inner"), OM_EINPUT, word);
        expect(om_trust__folder, in_folder("open/inner/../.."), OM_EINPUT, word);
        expect(om_trust__own_folder, in_folder("open/inner"), OM_EINPUT, word);
        expect(om_trust__own_folder, in_folder("open/new"), OM_EINPUT, word);
        expect(om_trust__path, in_folder("open/inner/file"), OM_EINPUT, word);
        assert_int_not_equal(access(in_folder("open/new"), F_OK), 0);
        assert_int_equal(unlink(in_folder("open/inner/file")), 0);
        assert_int_equal(rmdir(in_folder("open/inner")), 0);
        assert_int_equal(rmdir(in_folder("open")), 0);
    }
}

static void a_sticky_folder(void **state)
{
    (void) state;
    make_folder("sticky", 01777);
    make_folder("sticky/inner", 0755);
    make_file("sticky/file", 0644);
    expect(om_trust__folder, in_folder("sticky"), OM_OK, "");
    expect(om_trust__folder, in_folder("sticky/inner"), OM_OK, "");
    expect(om_trust__own_folder, in_folder("sticky/inner"), OM_OK, "");
    expect(om_trust__path, in_folder("sticky/file"), OM_OK, "");
    expect(open_in, in_folder("sticky/file"), OM_OK, "");
    /* Other users cannot replace this user's files there, but they can add some. */
    expect(om_trust__own_folder, in_folder("sticky"), OM_EINPUT,
        "/sticky is not private to this user");
}

static void links(void **state)
{
    (void) state;
    make_folder("real", 0700);
    make_folder("open", 0777);
    make_folder("open/inner", 0700);
    make_file("real/file", 0600);
    assert_int_equal(symlink(in_folder("real"), in_folder("absolute")), 0);
    assert_int_equal(symlink("./real//", in_folder("relative")), 0);
    assert_int_equal(symlink("../relative/../relative", in_folder("real/back")), 0);
    assert_int_equal(symlink("open/inner", in_folder("bad")), 0);
    assert_int_equal(symlink("nowhere", in_folder("dangling")), 0);
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    assert_int_equal(symlink("file", in_folder("real/other")), 0);
    expect(om_trust__folder, in_folder("absolute"), OM_OK, "");
    expect(om_trust__own_folder, in_folder("relative/new"), OM_OK, "");
    assert_int_equal(mode_of(in_folder("real/new")), 0700);
    expect(om_trust__folder, in_folder("absolute/back/back/new"), OM_OK, "");
    expect(om_trust__folder, in_folder("bad"), OM_EINPUT, "/open can be written by other users");
    expect(om_trust__folder, in_folder("dangling"), OM_EIO, "/nowhere: No such file");
    expect(om_trust__folder, in_folder("loop"), OM_EIO, "/loop: Too many levels");
    expect(om_trust__path, in_folder("relative/other"), OM_OK, "");
    expect(open_in, in_folder("real/other"), OM_EIO, "other: ");
    expect(om_trust__path, in_folder("real/file/"), OM_OK, "");
    expect(om_trust__path, in_folder("absolute"), OM_EIO, "/real is not a regular file");
}

static void only_regular_files(void **state)
{
    (void) state;
    make_folder("folder", 0700);
    make_file("good", 0644);
    make_file("group", 0660);
    make_file("all", 0606);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    expect(open_in, in_folder("good"), OM_OK, "");
    expect(om_trust__path, in_folder("good"), OM_OK, "");
    expect(open_in, in_folder("nothing"), OM_EIO, "nothing: No such file");
    expect(om_trust__path, in_folder("nothing"), OM_EIO, "/nothing: No such file");
    expect(open_in, in_folder("folder"), OM_EIO, "folder is not a regular file");
    expect(om_trust__path, in_folder("folder"), OM_EIO, "/folder is not a regular file");
    expect(open_in, in_folder("pipe"), OM_EIO, "pipe is not a regular file");
    expect(om_trust__path, in_folder("pipe"), OM_EIO, "/pipe is not a regular file");
    expect(om_trust__path, "/dev/null", OM_EIO, "/dev/null is not a regular file");
    expect(open_in, in_folder("group"), OM_EINPUT, "group can be written by other users");
    expect(om_trust__path, in_folder("all"), OM_EINPUT, "/all can be written by other users");
}

static void another_user(void **state)
{
    (void) state;
    if (geteuid() != 0) {
        print_message("only root can make files of another user\n");
        skip();
    }
    make_folder("theirs", 0755);
    make_folder("theirs/ours", 0755);
    make_file("theirs/ours/file", 0644);
    make_file("file", 0644);
    make_folder("real", 0755);
    assert_int_equal(symlink("real", in_folder("link")), 0);
    assert_int_equal(chown(in_folder("theirs"), SOMEBODY, SOMEBODY), 0);
    assert_int_equal(chown(in_folder("file"), SOMEBODY, SOMEBODY), 0);
    assert_int_equal(lchown(in_folder("link"), SOMEBODY, SOMEBODY), 0);
    const char *word = "/theirs belongs to another user";
    expect(om_trust__folder, in_folder("theirs"), OM_EINPUT, word);
    expect(om_trust__own_folder, in_folder("theirs/ours"), OM_EINPUT, word);
    expect(om_trust__path, in_folder("theirs/ours/file"), OM_EINPUT, word);
    expect(open_in, in_folder("file"), OM_EINPUT, "file belongs to another user");
    expect(om_trust__path, in_folder("file"), OM_EINPUT, "/file belongs to another user");
    expect(
        om_trust__folder, in_folder("link"), OM_EINPUT, "/link is a symbolic link of another user");
}

/* All users trust root's files, but not as their own folder. */
static void as_another_user(void **state)
{
    (void) state;
    if (geteuid() != 0) {
        print_message("only root can be another user\n");
        skip();
    }
    make_file("file", 0644);
    make_folder("theirs", 0700);
    assert_int_equal(chown(in_folder("theirs"), SOMEBODY, SOMEBODY), 0);
    assert_int_equal(chmod(folder_base, 0755), 0);
    assert_int_equal(seteuid(SOMEBODY), 0);
    expect(om_trust__folder, folder_base, OM_OK, "");
    expect(om_trust__path, in_folder("file"), OM_OK, "");
    expect(om_trust__own_folder, folder_base, OM_EINPUT, " is not private to this user");
    expect(om_trust__own_folder, in_folder("theirs/new"), OM_OK, "");
    expect(om_trust__own_folder, in_folder("new"), OM_EIO, "/new: Permission denied");
    assert_int_equal(seteuid(0), 0);
}

static void relative_paths(void **state)
{
    char before[FOLDER_ROOM];
    (void) state;
    assert_non_null(getcwd(before, sizeof before));
    make_folder("inner", 0700);
    make_folder("open", 0777);
    make_file("inner/file", 0600);
    assert_int_equal(chdir(folder_base), 0);
    expect(om_trust__folder, ".", OM_OK, "");
    expect(om_trust__folder, "inner", OM_OK, "");
    expect(om_trust__path, "inner/../inner/file", OM_OK, "");
    assert_int_equal(chdir("open"), 0);
    expect(om_trust__folder, "../inner", OM_EINPUT, "/open can be written by other users");
    assert_int_equal(chdir(before), 0);
}

static void long_paths(void **state)
{
    char path[3 * FOLDER_ROOM];
    (void) state;
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    expect(om_trust__folder, path, OM_EIO, "too long");
    path[300] = '\0';
    expect(om_trust__folder, path, OM_EIO, "too long");
    expect(om_trust__own_folder, path, OM_EIO, "too long");
    for (size_t i = 0; i < 4000; i += 2)
        memcpy(path + i, "/.", 2);
    path[4000] = '\0';
    expect(om_trust__folder, path, OM_OK, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(own_folders_are_made, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(
            a_folder_that_others_write, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(a_sticky_folder, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(links, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(only_regular_files, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(another_user, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(as_another_user, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(relative_paths, folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(long_paths, folder_set_up, folder_tear_down),
    };
    char why[OM_TRUST_WHY_SIZE] = "";
    int fd = -1;
    if (om_trust__folder("/tmp", &fd, why) != OM_OK) {
        print_message("nothing can be tested here: %s\n", why);
        return 77;
    }
    (void) close(fd);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
