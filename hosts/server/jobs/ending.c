/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/pool_impl.h"

#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the JSON texts of the lines "result JSON", unchanged. */
static json_t *results_of(const char *text, size_t length)
{
    json_t *out = json_array();
    for (const char *line = text, *end = text + length; out != NULL && line < end;) {
        const char *stop = memchr(line, '\n', (size_t) (end - line));
        if (stop == NULL)
            break;
        if (stop - line > 7 && memcmp(line, "result ", 7) == 0 &&
            json_array_append_new(out, json_stringn(line + 7, (size_t) (stop - line - 7))) != 0) {
            json_decref(out);
            return NULL;
        }
        line = stop + 1;
    }
    return out;
}

static json_t *read_results(const char *folder, int64_t *bytes)
{
    char path[4200];
    struct stat st;
    json_t *out = NULL;
    (void) snprintf(path, sizeof path, "%s/events", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        *bytes = st.st_size;
        void *text = mmap(NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text != MAP_FAILED) {
            out = results_of(text, (size_t) st.st_size);
            (void) munmap(text, (size_t) st.st_size);
        }
    } else if (fd >= 0) {
        out = json_array();
    }
    if (fd >= 0)
        (void) close(fd);
    return out;
}

/* ---- the report ---- */

static omend_problem_kind kind_of(const char *why)
{
    static const struct {
        const char *why;
        omend_problem_kind kind;
    } table[] = { { "memory", OMEND_JOB_MEMORY }, { "time", OMEND_JOB_TIME },
        { "output", OMEND_JOB_OUTPUT }, { "processes", OMEND_JOB_PROCESSES } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].why, why) == 0)
            return table[i].kind;
    return OMEND_JOB_CRASHED;
}

/* The exit status of omen is that of its worst verdict. */
static const char *verdict_of(int status)
{
    return status == 0 ? "holds" : status == 10 ? "violated" : status == 30 ? "unknown" : NULL;
}

static void judge(omend_ending *e, json_t *report, bool cancelled)
{
    const char *why = json_string_value(json_object_get(report, "ended_by"));
    const char *note = json_string_value(json_object_get(report, "note"));
    json_t *status = json_object_get(report, "status"), *number = json_object_get(report, "signal");
    int code = json_is_integer(status) ? (int) json_integer_value(status) : -1;
    e->verdict = why == NULL ? verdict_of(code) : NULL;
    e->state = OMEND_FAILED;
    if (cancelled || (why != NULL && strcmp(why, "cancelled") == 0))
        e->state = OMEND_CANCELLED;
    else if (why != NULL)
        (void) problem_set(
            &e->problem, kind_of(why), "", "%s", note == NULL ? "the sandbox ended it" : note);
    else if (e->verdict != NULL)
        e->state = OM_DONE;
    else if (code == 2 || code == 3)
        problem_read_message(&e->problem, OMEND_BAD_MODEL, note == NULL ? "no message" : note);
    else if (json_is_integer(number))
        (void) problem_set(&e->problem, OMEND_JOB_CRASHED, "", "killed by signal %d (%s)%s%s",
            (int) json_integer_value(number), strsignal((int) json_integer_value(number)),
            note == NULL ? "" : ": ", note == NULL ? "" : note);
    else
        problem_read_message(&e->problem, OMEND_JOB_CRASHED, note == NULL ? "no message" : note);
}

bool ending_read(const omend_pool *p, const omend_live *job, omend_ending *out)
{
    char folder[4096], path[4200];
    *out = (omend_ending){ 0 };
    pool_folder(settings_now(p->settings), job->id, job->attempt, folder, sizeof folder);
    (void) snprintf(path, sizeof path, "%s/report", folder);
    json_t *report = json_load_file(path, 0, NULL);
    if (report == NULL)
        return false;
    judge(out, report, job->cancelled);
    assert((out->state == OMEND_FAILED) == (out->problem.kind != OMEND_NO_PROBLEM)); /* J5 */
    out->results = read_results(folder, &out->bytes);
    if (out->results == NULL) {
        out->state = OMEND_FAILED;
        (void) problem_set(&out->problem, OMEND_BROKEN, "", "cannot read its results");
    }
    size_t i;
    json_t *body;
    json_array_foreach(out->results, i, body) out->bytes += (int64_t) json_string_length(body);
    out->taken = json_dumps(report, JSON_COMPACT);
    json_decref(report);
    return true;
}

void ending_free(omend_ending *e)
{
    json_decref(e->results);
    free(e->taken);
    *e = (omend_ending){ 0 };
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void) st;
    (void) type;
    (void) at;
    (void) remove(path); /* a file that cannot be removed does not keep the others */
    return 0;
}

void launch_remove_folder(const char *path)
{
    (void) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void pool_remove_folder(const omend_config *config, int64_t id)
{
    char path[4200];
    (void) snprintf(path, sizeof path, "%.4000s/jobs/%" PRId64, config->data, id);
    launch_remove_folder(path);
}

void ending_clean(const omend_pool *p, const omend_live *job)
{
    char folder[4096], path[4200];
    pool_folder(settings_now(p->settings), job->id, job->attempt, folder, sizeof folder);
    (void) snprintf(path, sizeof path, "%s/work", folder);
    launch_remove_folder(path);
    (void) snprintf(path, sizeof path, "%s/job.json", folder);
    (void) unlink(path);
    (void) snprintf(path, sizeof path, "%s/lock", folder);
    (void) unlink(path);
    (void) snprintf(path, sizeof path, "%s/start", folder); /* exists only with Slurm */
    (void) unlink(path);
}
