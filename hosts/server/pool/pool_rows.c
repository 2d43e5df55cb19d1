/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a job's row: the writer applies them, then the pool's thread continues. */
#include "clock.h"
#include "pool_impl.h"
#include "slurm/slurm.h"

#include <assert.h>
#include <stdlib.h>

void change_clear(change *c)
{
    ending_free(&c->ending);
    free(c->placed);
    c->placed = NULL;
    c->pruned[0] = c->pruned[1] = 0;
}

void change_free(change *c)
{
    change_clear(c);
    free(c);
}

/* Called by the writer; the pool's thread continues with the change. */
static void committed(om_write *w, bool done)
{
    change *self = (change *) (void *) w;
    omend_pool *p = self->pool;
    pthread_mutex_lock(&p->lock);
    self->done = done;
    self->next = p->committed;
    p->committed = self;
    pthread_mutex_unlock(&p->lock);
    pool_wake(p);
}

static void send_change(
    omend_pool *p, omend_live *job, bool (*apply)(om_write *w, omend_connection *c))
{
    assert(job->held || job->phase == PHASE_QUEUED || job->phase == PHASE_ENDING); /* J2 */
    job->change->write = (om_write){ apply, committed, NULL };
    writer_submit(p->writer, &job->change->write);
}

/* ---- start ---- */

static bool apply_start(om_write *w, omend_connection *c)
{
    const change *self = (const change *) (const void *) w;
    return connection_do(connection_bind(
               c, SQL_START, "iit", self->job->id, clock_ms(CLOCK_REALTIME), self->placed)) &&
           sqlite3_changes(c->db) == 1;
}

/* The job is handed to Slurm; it starts when Slurm says so. */
static bool apply_submit(om_write *w, omend_connection *c)
{
    const change *self = (const change *) (const void *) w;
    return connection_do(connection_bind(c, SQL_SUBMIT, "it", self->job->id, self->placed)) &&
           sqlite3_changes(c->db) == 1;
}

static char *placed_text(const omend_live *job)
{
    json_t *made = json_pack("{s:I, s:I, s:s, s:I}", "threads", (json_int_t) job->grant.threads,
        "memory_bytes", (json_int_t) job->grant.memory_bytes, "devices", job->devices, "slot",
        (json_int_t) job->slot);
    if (made != NULL && job->remote != NULL &&
        json_object_set_new(made, "slurm", json_string(job->remote->name)) != 0) {
        json_decref(made);
        return NULL;
    }
    char *text = made == NULL ? NULL : json_dumps(made, JSON_COMPACT);
    json_decref(made);
    return text;
}

bool change_start(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_QUEUED && !job->held && job->change->placed == NULL); /* J2 */
    job->change->placed = placed_text(job);
    if (job->change->placed == NULL)
        return false;
    send_change(p, job, p->slurm == NULL ? apply_start : apply_submit);
    return true;
}

static bool apply_runs(om_write *w, omend_connection *c)
{
    const change *self = (const change *) (const void *) w;
    return connection_do(
        connection_bind(c, SQL_RUNS, "ii", self->job->id, clock_ms(CLOCK_REALTIME)));
}

void change_runs(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_RUNNING && job->held); /* J2 */
    send_change(p, job, apply_runs);
}

/* ---- end ---- */

static bool put_results(omend_connection *c, int64_t id, json_t *results)
{
    size_t i;
    json_t *body;
    json_array_foreach(results, i, body)
    {
        if (!connection_do(connection_bind(c, SQL_INSERT_RESULT, "iis", id, (int64_t) i,
                json_string_value(body), json_string_length(body))))
            return false;
    }
    return true;
}

/* Keeps the newest `keep_jobs` jobs that have ended: one is removed for each job that ends, or two
 * if there are too many. */
static bool prune(change *self, omend_connection *c)
{
    int64_t keep = settings_now(self->pool->settings)->keep_jobs;
    self->pruned[0] = self->pruned[1] = 0; /* from an earlier try */
    for (int i = 0; keep > 0 && i < 2; i++) {
        sqlite3_stmt *s = connection_bind(c, SQL_PRUNE, "i", keep);
        if (s == NULL)
            return false;
        if (connection_row(s))
            self->pruned[i] = sqlite3_column_int64(s, 0);
        (void) sqlite3_reset(s);
    }
    return true;
}

static bool apply_end(om_write *w, omend_connection *c)
{
    change *self = (change *) (void *) w;
    const omend_ending *e = &self->ending;
    json_t *problem = e->problem.kind == OMEND_NO_PROBLEM ? NULL : problem_json(&e->problem);
    char *text = problem == NULL ? NULL : json_dumps(problem, JSON_COMPACT);
    bool ok =
        (text != NULL || e->problem.kind == OMEND_NO_PROBLEM) &&
        connection_do(connection_bind(c, SQL_FINISH, "iiittti", self->job->id, (int64_t) e->state,
            clock_ms(CLOCK_REALTIME), e->verdict, text, e->taken, e->bytes)) &&
        sqlite3_changes(c->db) == 1;
    json_decref(problem);
    free(text);
    return ok && put_results(c, self->job->id, e->results) && prune(self, c);
}

void change_end(omend_pool *p, omend_live *job, const omend_ending *e)
{
    assert(job->phase == PHASE_ENDING && !job->held);             /* J2 */
    assert(e->state >= OM_DONE && e->state < OM_STATES);          /* J5 */
    assert((e->state == OMEND_FAILED) == (e->problem.kind != 0)); /* J5 */
    assert(job->change->ending.results == NULL && job->change->ending.taken == NULL);
    job->change->ending = *e;
    send_change(p, job, apply_end);
}

/* ---- queued again ---- */

static bool apply_requeue(om_write *w, omend_connection *c)
{
    const change *self = (const change *) (const void *) w;
    return connection_do(connection_bind(c, SQL_REQUEUE, "i", self->job->id));
}

void change_requeue(omend_pool *p, omend_live *job)
{
    assert(job->phase == PHASE_QUEUED && job->held); /* J2 */
    send_change(p, job, apply_requeue);
}
