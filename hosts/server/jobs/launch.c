/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/pool_impl.h"
#include "slurm/slurm.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void pool_folder(const omend_config *config, int64_t id, int attempt, char *out, size_t size)
{
    assert(id > 0 && attempt >= 0);
    (void) snprintf(out, size, "%s/jobs/%" PRId64 "/%d", config->data, id, attempt);
}

void pool_file(
    const omend_config *config, const omend_live *job, const char *name, char *out, size_t size)
{
    assert(job->id > 0 && job->attempt > 0);
    (void) snprintf(
        out, size, "%s/jobs/%" PRId64 "/%d/%s", config->data, job->id, job->attempt, name);
}

static bool failed(omend_problem *problem, const char *what)
{
    return problem_set(
        problem, OMEND_BROKEN, "", "cannot start the job: %s: %s", what, strerror(errno));
}

static uid_t user_of(const omend_pool *p, const omend_live *job)
{
    assert(p->running[job->slot] == job); /* J3: no other job has this user */
    return (uid_t) (settings_now(p->settings)->job_uid + job->slot);
}

/* ---- the folder ---- */

bool launch_put_file(int folder, const char *name, mode_t mode, const char *text, size_t length)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return false;
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            (void) close(fd);
            return false;
        }
        text += n;
        length -= (size_t) n;
    }
    return close(fd) == 0;
}

static bool put_text(int folder, const char *name, const json_t *text)
{
    return launch_put_file(folder, name, 0644, json_string_value(text), json_string_length(text));
}

/* Creates the job's folder, which may exist, and the attempt's folder in it, which must be new.
 * Returns a descriptor of the latter. */
static int make_folder(const omend_pool *p, const omend_live *job, char *path, size_t size)
{
    (void) snprintf(path, size, "%s/jobs/%" PRId64, settings_now(p->settings)->data, job->id);
    if (mkdir(path, 0711) != 0 && errno != EEXIST)
        return -1;
    pool_folder(settings_now(p->settings), job->id, job->attempt, path, size);
    if (mkdir(path, 0711) != 0)
        return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool put_work(
    const omend_pool *p, const omend_live *job, int folder, json_t *model, json_t *files)
{
    const char *name = json_string_value(json_object_get(job->request, "name")), *file;
    json_t *text;
    if (mkdirat(folder, "work", 0700) != 0)
        return false;
    int work = openat(folder, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = work >= 0 && put_text(work, name == NULL ? "model" : name, model);
    json_object_foreach(files, file, text) ok = ok && put_text(work, file, text);
    if (ok && geteuid() == 0)
        ok = fchown(work, user_of(p, job), user_of(p, job)) == 0;
    if (work >= 0)
        (void) close(work);
    return ok;
}

/* ---- job.json ---- */

/* gcc announces the address sanitizer by a macro, clang by a feature. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#endif
#endif

json_t *launch_environment(const char *work)
{
    static const char *const kept[] = { "PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH",
        "OMEN_PLUGIN_PATH", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "CUDA_VISIBLE_DEVICES",
        "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK" };
    json_t *made = json_array();
    bool ok = made != NULL;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = getenv(kept[i]);
        if (value != NULL)
            ok = ok && json_array_append_new(made, json_sprintf("%s=%s", kept[i], value)) == 0;
    }
#if defined(ADDRESS_SANITIZER)
    /* The leak check traces its own process, which the sandbox forbids. */
    ok = ok && json_array_append_new(
                   made, json_string("ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0")) == 0;
#endif
    if (getenv("PATH") == NULL)
        ok = ok && json_array_append_new(made, json_string("PATH=/usr/bin:/bin")) == 0;
    /* A job ends with all its processes. */
    ok = ok && json_array_append_new(made, json_string("OMEN_BACKGROUND=off")) == 0;
    ok = ok && json_array_append_new(made, json_sprintf("HOME=%s", work)) == 0 &&
         json_array_append_new(made, json_sprintf("TMPDIR=%s", work)) == 0;
    if (!ok) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* Returns the same command with --plan, which prints the plan and does not check. */
static json_t *plan_command(json_t *check)
{
    assert(json_array_size(check) > 1); /* its last word is --json-lines */
    json_t *made = json_copy(check);
    if (made != NULL && (json_array_remove(made, json_array_size(made) - 1) != 0 ||
                            json_array_append_new(made, json_string("--plan")) != 0 ||
                            json_array_append_new(made, json_string("--json")) != 0)) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* Adds the allowance of the sandbox beyond omen's own limit: for compilers, drivers, and memory
 * that exceeds the limit before omen notices. */
static uint64_t with_slack(uint64_t bytes)
{
    return bytes + bytes / 4 + ((uint64_t) 256 << 20);
}

uint64_t launch_memory(const omend_live *job)
{
    return with_slack(job->grant.memory_bytes);
}

double launch_seconds(const omend_pool *p, const omend_live *job)
{
    uint64_t ns = job->needs.timeout_ns != 0 ? job->needs.timeout_ns
                                             : settings_now(p->settings)->job_timeout_ns;
    return (double) ns * 1e-9 * 1.1 + 30;
}

static uint64_t most_processes(const omend_pool *p, const omend_live *job)
{
    return (uint64_t) settings_now(p->settings)->job_processes + 4 * (uint64_t) job->grant.threads;
}

bool launch_limit(const omend_pool *p, const omend_live *job)
{
    return groups_make(
        &p->groups, job->id, job->attempt, launch_memory(job), most_processes(p, job));
}

/* Returns the names of variables by which a node tells a job its devices. */
static json_t *inherited(const omend_live *job)
{
    return job->remote == NULL
               ? json_array()
               : json_pack("[s, s, s, s]", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                     "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK");
}

static json_t *job_json(const omend_pool *p, const omend_live *job, const char *work, json_t *check)
{
    const omend_config *c = settings_now(p->settings);
    char group[4200];
    const bool grouped = job->remote == NULL && launch_limit(p, job) &&
                         groups_path(&p->groups, job->id, job->attempt, group, sizeof group);
    return json_pack("{s:[{s:o, s:s, s:s, s:b}, {s:o, s:s, s:b}], s:o, s:I, s:I, s:f, s:I, s:b, "
                     "s:I, s:I, s:o, s:s*}",
        "commands", "argv", plan_command(check), "what", "plan", "output", ".plan.json", "decides",
        0, "argv", json_incref(check), "what", "check", "decides", 1, "environment",
        launch_environment(work), "memory_bytes", (json_int_t) launch_memory(job), "output_bytes",
        (json_int_t) c->output_bytes, "seconds", launch_seconds(p, job), "processes",
        (json_int_t) most_processes(p, job), "own_user", geteuid() == 0, "uid",
        (json_int_t) user_of(p, job), "gid", (json_int_t) user_of(p, job), "inherit",
        inherited(job), "cgroup", grouped ? group : NULL);
}

static bool put_job(
    const omend_pool *p, const omend_live *job, int folder, const char *path, json_t *check)
{
    char work[4200];
    (void) snprintf(work, sizeof work, "%s/work", path);
    json_t *made = job_json(p, job, work, check);
    char *text = made == NULL ? NULL : json_dumps(made, JSON_COMPACT);
    bool ok = text != NULL && launch_put_file(folder, "job.json", 0600, text, strlen(text));
    json_decref(made);
    free(text);
    return ok;
}

/* ---- the process ---- */

bool launch_find_program(char *out, size_t size)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    const char *folder = dirname(self);
    (void) snprintf(out, size, "%s/omend-job", folder);
    if (access(out, X_OK) == 0)
        return true;
    (void) snprintf(out, size, "%s/../libexec/omen/omend-job", folder);
    return access(out, X_OK) == 0;
}

static int pidfd_of(pid_t pid)
{
    return (int) syscall(SYS_pidfd_open, pid, 0);
}

int launch_spawn(const char *program, char *path, pid_t *pid)
{
    char name[] = "omend-job", *argv[] = { name, path, NULL }, *env[] = { NULL };
    char log[4200];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, ignored;
    (void) snprintf(log, sizeof log, "%s/log", path);
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE); /* ignored by omend */
    int rc = posix_spawn_file_actions_init(&files);
    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&how);
    if (rc == 0) {
        /* A new session, so that signals to omend's process group do not reach its jobs. */
        (void) posix_spawnattr_setflags(
            &how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        (void) posix_spawnattr_setsigmask(&how, &none);
        (void) posix_spawnattr_setsigdefault(&how, &ignored);
        rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        if (rc == 0)
            rc = posix_spawn_file_actions_addopen(
                &files, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(&files, 1, 2);
        if (rc == 0)
            rc = posix_spawn_file_actions_addclosefrom_np(&files, 3);
        if (rc == 0)
            rc = posix_spawn(pid, program, &files, &how, argv, env);
        (void) posix_spawnattr_destroy(&how);
    }
    (void) posix_spawn_file_actions_destroy(&files);
    return rc;
}

bool launch_prepare(const omend_pool *p, const omend_live *job, json_t *model, char *path,
    size_t size, omend_problem *problem)
{
    json_t *files = json_object();
    json_t *request = job->remote == NULL ? json_incref(job->request) : slurm_request(job);
    json_t *check =
        files == NULL || request == NULL
            ? NULL
            : submission_command(request, settings_now(p->settings), &job->grant, files);
    int folder = check == NULL ? -1 : make_folder(p, job, path, size);
    bool ok = (folder >= 0 && put_work(p, job, folder, model, files) &&
                  put_job(p, job, folder, path, check)) ||
              failed(problem, "its folder");
    if (folder >= 0)
        (void) close(folder);
    json_decref(check);
    json_decref(request);
    json_decref(files);
    return ok;
}

bool launch(const omend_pool *p, omend_live *job, json_t *model, omend_problem *problem)
{
    char path[4096], program[4200];
    assert(job->phase == PHASE_STARTING && job->pidfd < 0);
    if (!launch_prepare(p, job, model, path, sizeof path, problem))
        return false;
    if (!launch_find_program(program, sizeof program))
        return failed(problem, "omend-job");
    if ((errno = launch_spawn(program, path, &job->pid)) != 0)
        return failed(problem, program);
    job->pidfd = pidfd_of(job->pid);
    if (job->pidfd >= 0)
        return true;
    (void) failed(problem, "cannot watch its process");
    (void) kill(job->pid, SIGKILL); /* its descendants die with it */
    while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return false;
}

void launch_signal(const omend_live *job, int number)
{
    if (job->pidfd >= 0)
        (void) syscall(SYS_pidfd_send_signal, job->pidfd, number, NULL, 0);
}

void launch_reap(const omend_live *job)
{
    siginfo_t info;
    while (job->pidfd >= 0 && waitid(P_PIDFD, (id_t) job->pidfd, &info, WEXITED) != 0 &&
           errno == EINTR)
        continue;
}

bool launch_find(const omend_pool *p, omend_live *job)
{
    char path[4096], text[32] = "";
    assert(job->pidfd < 0);
    pool_file(settings_now(p->settings), job, "lock", path, sizeof path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = false;
    if (fd < 0)
        return false;
    if (flock(fd, LOCK_SH | LOCK_NB) != 0 && read(fd, text, sizeof text - 1) > 0) {
        job->pid = (pid_t) strtol(text, NULL, 10);
        job->pidfd = pidfd_of(job->pid);
        /* Still locked: the pid was omend-job's own when the pidfd was opened. */
        found = job->pidfd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
        if (!found && job->pidfd >= 0)
            (void) close(job->pidfd);
    }
    (void) close(fd);
    return found;
}
