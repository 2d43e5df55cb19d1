/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be preloaded into a program: its FAULT_AT-th file operation fails with the errno
 * FAULT_ERROR. The name of the failed function is written to the file FAULT_NOTE; if that file is
 * missing, the program made fewer calls. Only the program with the name FAULT_PROGRAM is affected,
 * which may be the started one or one of its children.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static long fault_at = -1;
static int fault_error;
static const char *note;
static bool own;
static atomic_long calls;

__attribute__((constructor)) static void begin(void)
{
    char path[4096];
    const char *program = getenv("FAULT_PROGRAM"), *at = getenv("FAULT_AT");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (program == NULL || at == NULL || n <= 0)
        return;
    path[n] = '\0';
    if (strcmp(strrchr(path, '/') + 1, program) != 0)
        return;
    note = getenv("FAULT_NOTE");
    own = getenv("FAULT_OWN") != NULL;
    fault_error = atoi(getenv("FAULT_ERROR"));
    fault_at = atol(at);
}

static bool is_systems(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) == 0 || info.dli_fname == NULL ||
           strncmp(info.dli_fname, "/usr/", 5) == 0 || strncmp(info.dli_fname, "/lib", 4) == 0;
}

/* Returns true and sets errno if this call must fail. */
static bool due(const char *name, const void *caller)
{
    const int before = errno;
    if (fault_at < 0 || (own && is_systems(caller)) || atomic_fetch_add(&calls, 1) != fault_at) {
        errno = before;
        return false;
    }
    long fd = syscall(SYS_openat, AT_FDCWD, note, O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void) !syscall(SYS_write, fd, name, strlen(name));
    (void) syscall(SYS_close, fd);
    errno = fault_error;
    return true;
}

/* Defines a replacement of a function of the C library. */
#define INSTEAD(TYPE, NAME, PARAMETERS, ARGUMENTS, FAILED)       \
    __attribute__((visibility("default"))) TYPE NAME PARAMETERS; \
    TYPE NAME PARAMETERS                                         \
    {                                                            \
        static TYPE(*real) PARAMETERS;                           \
        if (real == NULL) {                                      \
            void *symbol = dlsym(RTLD_NEXT, #NAME);              \
            memcpy(&real, &symbol, sizeof symbol);               \
        }                                                        \
        if (due(#NAME, __builtin_return_address(0)))             \
            return FAILED;                                       \
        return real ARGUMENTS;                                   \
    }

INSTEAD(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), -1)
INSTEAD(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), -1)
INSTEAD(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), -1)
INSTEAD(int, rename, (const char *from, const char *to), (from, to), -1)
INSTEAD(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), -1)
INSTEAD(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
INSTEAD(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), -1)
INSTEAD(int, rmdir, (const char *path), (path), -1)
INSTEAD(int, unlink, (const char *path), (path), -1)
INSTEAD(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), -1)
INSTEAD(int, stat, (const char *restrict path, struct stat *restrict st), (path, st), -1)
INSTEAD(int, fstat, (int fd, struct stat *st), (fd, st), -1)
INSTEAD(int, fstatat, (int at, const char *restrict path, struct stat *restrict st, int flags),
    (at, path, st, flags), -1)
INSTEAD(int, statvfs, (const char *restrict path, struct statvfs *restrict fs), (path, fs), -1)
INSTEAD(int, fstatvfs, (int fd, struct statvfs *fs), (fd, fs), -1)
INSTEAD(int, access, (const char *path, int mode), (path, mode), -1)
INSTEAD(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
INSTEAD(int, ftruncate, (int fd, off_t size), (fd, size), -1)
INSTEAD(int, fsync, (int fd), (fd), -1)
INSTEAD(int, flock, (int fd, int how), (fd, how), -1)
INSTEAD(int, futimens, (int fd, const struct timespec times[2]), (fd, times), -1)
INSTEAD(ssize_t, readlinkat, (int at, const char *restrict path, char *restrict to, size_t n),
    (at, path, to, n), -1)
INSTEAD(char *, getcwd, (char *to, size_t n), (to, n), NULL)
INSTEAD(char *, mkdtemp, (char *pattern), (pattern), NULL)
INSTEAD(int, mkstemp, (char *pattern), (pattern), -1)
INSTEAD(DIR *, opendir, (const char *path), (path), NULL)
INSTEAD(DIR *, fdopendir, (int fd), (fd), NULL)
INSTEAD(struct dirent *, readdir, (DIR * d), (d), NULL)
INSTEAD(FILE *, fopen, (const char *restrict path, const char *restrict how), (path, how), NULL)
INSTEAD(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
    (at, n, prot, flags, fd, offset), MAP_FAILED)
INSTEAD(void *, dlopen, (const char *path, int flags), (path, flags), NULL)
INSTEAD(int, dup2, (int from, int to), (from, to), -1)
INSTEAD(int, pipe2, (int ends[2], int flags), (ends, flags), -1)
INSTEAD(int, socketpair, (int domain, int type, int protocol, int ends[2]),
    (domain, type, protocol, ends), -1)
INSTEAD(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), -1)
INSTEAD(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), -1)
INSTEAD(int, posix_spawn,
    (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions,
        const posix_spawnattr_t *restrict attr, char *const *restrict argv,
        char *const *restrict env),
    (pid, path, actions, attr, argv, env), fault_error)

/* The file is closed even on failure, as the kernel does. */
__attribute__((visibility("default"))) int close(int fd);
int close(int fd)
{
    bool fails = due("close", __builtin_return_address(0));
    int rc = (int) syscall(SYS_close, fd);
    if (fails)
        errno = fault_error;
    return fails ? -1 : rc;
}

__attribute__((visibility("default"))) int open(const char *path, int flags, ...);
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    return due("open", __builtin_return_address(0))
               ? -1
               : (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

__attribute__((visibility("default"))) int openat(int at, const char *path, int flags, ...);
int openat(int at, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    return due("openat", __builtin_return_address(0))
               ? -1
               : (int) syscall(SYS_openat, at, path, flags, mode);
}
