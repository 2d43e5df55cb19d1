/* SPDX-License-Identifier: Apache-2.0 */
#include "renderer.h"

#include "pool/pool_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITING = 32, PATH_BYTES = 4200 };
/* Limits of one rendering. The run may be as long as its job made it: all its states are in the
 * text. */
static const uint64_t memory_bytes = UINT64_C(2) << 30;
static const int seconds = 60;

struct omend_renderer {
    om_context *ctx;
    const omend_settings *settings;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    /* Protected by the lock: */
    omend_rendering *first, **last;
    size_t waiting;
    bool ending;
    pid_t child; /* omend-job, while it may exist; 0: none */
};

static bool broken(omend_rendering *asked, const char *what)
{
    return problem_set(
        &asked->problem, OMEND_BROKEN, "", "cannot show the counterexample: %s", what);
}

/* ---- the folder ---- */

/* The model has the name that it was sent with, which never begins with a dot. */
static bool put_work(const omend_rendering *asked, int folder, uid_t user)
{

    if (mkdirat(folder, "work", 0700) != 0)
        return false;
    int work = openat(folder, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = work >= 0 &&
              launch_put_file(work, asked->name, 0644, asked->model, asked->model_length) &&
              launch_put_file(work, ".run.json", 0644, asked->lasso, asked->lasso_length) &&
              (geteuid() != 0 || fchown(work, user, user) == 0);
    if (work >= 0)
        (void) close(work);
    return ok;
}

static json_t *command(const omend_config *c, const omend_rendering *asked)
{
    return json_pack("{s:[s, s, s, s, s, s, s, s, s], s:s, s:b}", "argv", c->omen, "show",
        ".run.json", asked->name, "--as", asked->format, "--frontend", asked->language, "--quiet",
        "output", ".shown", "decides", 1);
}

static bool put_job(
    const omend_config *c, const omend_rendering *asked, int folder, const char *path, uid_t user)
{
    char work[PATH_BYTES + 8];
    (void) snprintf(work, sizeof work, "%s/work", path);
    json_t *made = json_pack("{s:[o], s:o, s:I, s:I, s:f, s:I, s:b, s:I, s:I}", "commands",
        command(c, asked), "environment", launch_environment(work), "memory_bytes",
        (json_int_t) memory_bytes, "output_bytes", (json_int_t) c->output_bytes, "seconds",
        (double) seconds, "processes", (json_int_t) c->job_processes, "own_user", geteuid() == 0,
        "uid", (json_int_t) user, "gid", (json_int_t) user);
    char *text = made == NULL ? NULL : json_dumps(made, JSON_COMPACT);
    bool ok = text != NULL && launch_put_file(folder, "job.json", 0600, text, strlen(text));
    json_decref(made);
    free(text);
    return ok;
}

static bool make_folder(const omend_config *c, omend_rendering *asked, const char *path)
{
    /* The user after those of the running jobs. */
    const uid_t user = (uid_t) (c->job_uid + POOL_RUNNING);
    int folder = mkdir(path, 0711) == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool ok = folder >= 0 && put_work(asked, folder, user) && put_job(c, asked, folder, path, user);
    if (!ok)
        (void) broken(asked, strerror(errno));
    if (folder >= 0)
        (void) close(folder);
    return ok;
}

/* ---- the result ---- */

static bool read_whole(omend_rendering *asked, int fd, uint64_t most)
{
    assert(asked->text == NULL && asked->length == 0);
    struct stat st;
    /* The folder belongs to the job's user: the file in it may be of any kind. */
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return broken(asked, "nothing was written");
    if ((uint64_t) st.st_size > most)
        return broken(asked, "it is too large");
    asked->text = malloc((size_t) st.st_size + 1);
    if (asked->text == NULL)
        return broken(asked, "out of memory");
    while (asked->length < (size_t) st.st_size) {
        ssize_t n = read(fd, asked->text + asked->length, (size_t) st.st_size - asked->length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return broken(asked, "cannot read it");
        asked->length += (size_t) n;
    }
    return true;
}

static bool judge(omend_rendering *asked, const char *path)
{
    char name[PATH_BYTES + 16];
    (void) snprintf(name, sizeof name, "%s/report", path);
    json_t *report = json_load_file(name, 0, NULL);
    const char *why = json_string_value(json_object_get(report, "ended_by"));
    const char *note = json_string_value(json_object_get(report, "note"));
    json_t *status = json_object_get(report, "status");
    bool ok = json_is_integer(status) && json_integer_value(status) == 0 && why == NULL;
    if (!ok && why != NULL)
        (void) problem_set(&asked->problem, OMEND_BROKEN, "",
            "cannot show the counterexample: limit exceeded (%s)", why);
    else if (!ok)
        (void) broken(asked, note != NULL ? note : "omen show gave no message");
    json_decref(report);
    return ok;
}

static void collect(const omend_config *c, omend_rendering *asked, const char *path)
{
    char name[PATH_BYTES + 16];
    if (!judge(asked, path))
        return;
    (void) snprintf(name, sizeof name, "%s/work/.shown", path);
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (!read_whole(asked, fd, c->output_bytes)) {
        free(asked->text);
        asked->text = NULL;
    }
    if (fd >= 0)
        (void) close(fd);
}

/* ---- the thread ---- */

/* omend-job ends its command on SIGTERM. */
static bool run_job(omend_renderer *r, omend_rendering *asked, char *path)
{
    char program[PATH_BYTES];
    pid_t pid = 0;
    int status, rc;
    if (!launch_find_program(program, sizeof program))
        return broken(asked, "no program 'omend-job'");
    pthread_mutex_lock(&r->lock);
    assert(r->child == 0); /* one at a time */
    rc = r->ending ? ECANCELED : launch_spawn(program, path, &pid);
    r->child = rc == 0 ? pid : 0;
    pthread_mutex_unlock(&r->lock);
    if (rc != 0)
        return broken(asked, strerror(rc));
    siginfo_t info = { 0 };
    while (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    /* From here on no signal may be sent: the pid becomes free. */
    pthread_mutex_lock(&r->lock);
    r->child = 0;
    pthread_mutex_unlock(&r->lock);
    (void) waitpid(pid, &status, 0);
    return true;
}

static void render(omend_renderer *r, omend_rendering *asked, uint64_t number)
{
    const omend_config *c = settings_now(r->settings);
    char path[PATH_BYTES];
    (void) snprintf(path, sizeof path, "%.4000s/shown/%" PRIu64, c->data, number);
    if (make_folder(c, asked, path) && run_job(r, asked, path))
        collect(c, asked, path);
    launch_remove_folder(path);
}

static omend_rendering *take(omend_renderer *r)
{
    omend_rendering *asked;
    pthread_mutex_lock(&r->lock);
    while (r->first == NULL && !r->ending)
        pthread_cond_wait(&r->news, &r->lock);
    asked = r->first;
    assert((asked == NULL) == (r->waiting == 0));
    if (asked != NULL) {
        r->first = asked->next;
        r->waiting--;
        if (r->first == NULL)
            r->last = &r->first;
        if (r->ending)
            (void) problem_set(&asked->problem, OMEND_UNAVAILABLE, "", "omend is shutting down");
    }
    pthread_mutex_unlock(&r->lock);
    return asked;
}

static void *work(void *self)
{
    omend_renderer *r = self;
    omend_rendering *asked;
    for (uint64_t number = 1; (asked = take(r)) != NULL; number++) {
        if (asked->problem.kind == OMEND_NO_PROBLEM)
            render(r, asked, number);
        assert((asked->text == NULL) == (asked->problem.kind != OMEND_NO_PROBLEM));
        asked->done(asked);
    }
    return NULL;
}

/* Removes the files of an omend that was killed. */
static int make_room(om_context *ctx, const omend_config *c)
{
    char path[PATH_BYTES];
    (void) snprintf(path, sizeof path, "%.4000s/shown", c->data);
    launch_remove_folder(path);
    if (mkdir(path, 0711) == 0)
        return OM_OK;
    return om_fail(ctx, OM_EIO, NULL, "cannot create %s: %s", path, strerror(errno));
}

int renderer_start(omend_renderer **out, om_context *ctx, const omend_settings *settings)
{
    omend_renderer *r = om_alloc(om_context_heap(ctx), 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(ctx);
    *r = (omend_renderer){ .ctx = ctx, .settings = settings };
    r->last = &r->first;
    int rc = make_room(ctx, settings_now(settings));
    if (rc == OM_OK) {
        (void) pthread_mutex_init(&r->lock, NULL);
        (void) pthread_cond_init(&r->news, NULL);
        if (pthread_create(&r->thread, NULL, work, r) == 0) {
            *out = r;
            return OM_OK;
        }
        rc = om_fail(ctx, OM_EIO, NULL, "cannot create a thread");
        (void) pthread_cond_destroy(&r->news);
        (void) pthread_mutex_destroy(&r->lock);
    }
    om_free(om_context_heap(ctx), r);
    return rc;
}

bool renderer_submit(omend_renderer *r, omend_rendering *asked)
{
    pthread_mutex_lock(&r->lock);
    bool room = !r->ending && r->waiting < WAITING;
    if (room) {
        asked->next = NULL;
        assert(*r->last == NULL && asked->problem.kind == OMEND_NO_PROBLEM);
        *r->last = asked;
        r->last = &asked->next;
        r->waiting++;
        pthread_cond_signal(&r->news);
    }
    pthread_mutex_unlock(&r->lock);
    return room || problem_set(&asked->problem, OMEND_UNAVAILABLE, "",
                       "too many requests for counterexamples: try again");
}

void renderer_stop(omend_renderer *r)
{
    if (r == NULL)
        return;
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    if (r->child > 0)
        (void) kill(r->child, SIGTERM);
    pthread_cond_signal(&r->news);
    pthread_mutex_unlock(&r->lock);
    (void) pthread_join(r->thread, NULL);
    assert(r->first == NULL && r->child == 0);
}

void renderer_free(omend_renderer *r)
{
    if (r == NULL)
        return;
    (void) pthread_cond_destroy(&r->news);
    (void) pthread_mutex_destroy(&r->lock);
    om_free(om_context_heap(r->ctx), r);
}
