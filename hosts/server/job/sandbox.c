/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(const char *what)
{
    (void) fprintf(stderr, "omend-job: cannot confine a job: %s: %s\n", what, strerror(errno));
    return false;
}

static bool limit(int resource, uint64_t value, const char *name)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return failed(name);
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > value)
        now.rlim_max = value;
    now.rlim_cur = now.rlim_max;
    return setrlimit(resource, &now) == 0 || failed(name);
}

/* Without RLIMIT_AS: stores reserve address space that they may never use. The resident size is
 * limited by the watching process, or by the control group. */
static bool set_limits(const omend_job *job)
{
    bool ok = limit(RLIMIT_CORE, 0, "RLIMIT_CORE") && limit(RLIMIT_NOFILE, 1024, "RLIMIT_NOFILE") &&
              limit(RLIMIT_MSGQUEUE, 0, "RLIMIT_MSGQUEUE");
    if (ok && job->output_bytes != 0)
        ok = limit(RLIMIT_FSIZE, job->output_bytes, "RLIMIT_FSIZE");
    /* RLIMIT_NPROC counts all threads of a user. */
    const uint64_t others = job->own_user ? 0 : usage_threads_of(getuid());
    if (ok && job->processes != 0)
        ok = limit(RLIMIT_NPROC, others + job->processes, "RLIMIT_NPROC");
    return ok;
}

static bool become(const omend_job *job)
{
    if (!job->own_user && geteuid() != 0)
        return true;
    /* Root is not bound by the limits. */
    if (!job->own_user || job->uid == 0) {
        errno = EPERM;
        return failed("refusing to run it as root");
    }
    if (setgroups(0, NULL) != 0)
        return failed("setgroups");
    if (setresgid(job->gid, job->gid, job->gid) != 0)
        return failed("setresgid");
    return setresuid(job->uid, job->uid, job->uid) == 0 || failed("setresuid");
}

static bool join(const char *cgroup)
{
    char path[4096], number[24];
    int fd, n;
    if (cgroup == NULL)
        return true;
    (void) snprintf(path, sizeof path, "%s/cgroup.procs", cgroup);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    n = snprintf(number, sizeof number, "%d", (int) getpid());
    bool ok = fd >= 0 && write(fd, number, (size_t) n) == n;
    if (fd >= 0)
        (void) close(fd);
    return ok || failed(path);
}

/*
 * The system calls of omen, a C compiler, a linker and OpenCL drivers: files, memory, threads,
 * child processes, time; ioctl and mmap for a device. All other calls fail with EPERM: no network
 * but sockets of this machine's file system, no tracing, no mounts, no keys, no modules, no setting
 * of clocks, no other user, no raised priorities.
 */
static const char *const allowed[] = { "access", "alarm", "arch_prctl", "brk", "capget", "chdir",
    "chmod", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "close_range", "connect",
    "copy_file_range", "creat", "dup", "dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl",
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "execve", "execveat",
    "exit", "exit_group", "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod",
    "fchmodat", "fchown", "fcntl", "fdatasync", "fgetxattr", "flistxattr", "flock", "fork", "fstat",
    "fstatfs", "fsync", "ftruncate", "futex", "futimesat", "get_mempolicy", "get_robust_list",
    "getcpu", "getcwd", "getdents", "getdents64", "getegid", "geteuid", "getgid", "getgroups",
    "getitimer", "getpgid", "getpgrp", "getpid", "getppid", "getpriority", "getrandom", "getresgid",
    "getresuid", "getrlimit", "getrusage", "getsid", "getsockname", "getsockopt", "getpeername",
    "gettid", "gettimeofday", "getuid", "getxattr", "ioctl", "kill", "lgetxattr", "link", "linkat",
    "listxattr", "llistxattr", "lseek", "lstat", "madvise", "mbind", "membarrier", "memfd_create",
    "mincore", "mkdir", "mkdirat", "mlock", "mlock2", "mmap", "mprotect", "mremap", "msync",
    "munlock", "munmap", "nanosleep", "newfstatat", "open", "openat", "openat2", "pause",
    "pidfd_open", "pidfd_send_signal", "pipe", "pipe2", "poll", "ppoll", "prctl", "pread64",
    "preadv", "preadv2", "prlimit64", "pselect6", "pwrite64", "pwritev", "pwritev2", "read",
    "readahead", "readlink", "readlinkat", "readv", "recvfrom", "recvmsg", "rename", "renameat",
    "renameat2", "restart_syscall", "rmdir", "rseq", "rt_sigaction", "rt_sigpending",
    "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
    "rt_tgsigqueueinfo", "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity",
    "sched_getattr", "sched_getparam", "sched_getscheduler", "sched_setaffinity", "sched_yield",
    "select", "sendfile", "sendmsg", "sendto", "set_mempolicy", "set_robust_list",
    "set_tid_address", "setitimer", "setpgid", "setrlimit", "setsid", "setsockopt", "shutdown",
    "sigaltstack", "signalfd", "signalfd4", "socketpair", "splice", "stat", "statfs", "statx",
    "symlink", "symlinkat", "sysinfo", "tee", "tgkill", "time", "timer_create", "timer_delete",
    "timer_getoverrun", "timer_gettime", "timer_settime", "timerfd_create", "timerfd_gettime",
    "timerfd_settime", "times", "tkill", "truncate", "umask", "uname", "unlink", "unlinkat",
    "utime", "utimensat", "utimes", "vfork", "wait4", "waitid", "write", "writev" };

/* CLONE_NEWTIME, _NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET. */
enum { NAMESPACES = 0x7e020080 };

static int add_rules(scmp_filter_ctx filter)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof allowed / sizeof *allowed; i++) {
        int number = seccomp_syscall_resolve_name(allowed[i]);
        if (number != __NR_SCMP_ERROR)
            rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    }
    if (rc == 0)
        rc = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
    /* Processes and threads, but no namespaces. The flags of clone3 are in memory, which a filter
     * cannot read: a C library that gets ENOSYS for clone3 uses clone. */
    if (rc == 0)
        rc = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    return rc;
}

static bool filter_calls(void)
{
    /* Calls without a rule fail with EPERM; clone3 gets ENOSYS, so that a C library uses an older
     * call. */
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int rc = filter == NULL ? -ENOMEM : add_rules(filter);
    if (rc == 0)
        rc = seccomp_load(filter);
    seccomp_release(filter);
    errno = -rc;
    return rc == 0 || failed("seccomp");
}

bool sandbox_enter(const omend_job *job)
{
    sigset_t none;
    sigemptyset(&none);
    if (!join(job->cgroup) || !set_limits(job) || !become(job))
        return false;
    /* Without its parent, no process would enforce the limits of the job. A change of user clears
     * this setting, so it comes after become(). */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() == 1)
        return failed("watching its parent");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return failed("no_new_privs");
    (void) umask(0077);
    (void) sigprocmask(SIG_SETMASK, &none, NULL);
    return filter_calls();
}
