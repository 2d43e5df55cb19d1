/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that an earlier omend left: jobs that wait, that run, and that ended meanwhile. */
#include "pool_impl.h"
#include "slurm/slurm.h"

#include <assert.h>
#include <stdio.h>

static const char *column(sqlite3_stmt *s, int i)
{
    const char *text = (const char *) sqlite3_column_text(s, i);
    return text == NULL ? "" : text;
}

/* Reads the resources that the job held from its row. */
static bool read_placed(omend_pool *p, omend_live *job, const char *text)
{
    json_t *placed = json_loads(text, 0, NULL);
    json_int_t threads = 0, memory = 0, slot = 0;
    const char *devices = "", *slurm = NULL;
    (void) json_unpack(placed, "{s:I, s:I, s:s, s:I, s?s}", "threads", &threads, "memory_bytes",
        &memory, "devices", &devices, "slot", &slot, "slurm", &slurm);
    (void) snprintf(job->devices, sizeof job->devices, "%s", devices);
    job->grant = (omend_grant){ (uint32_t) threads, (uint64_t) memory, job->devices };
    if (slot >= 0 && slot < POOL_RUNNING && p->running[slot] == NULL) {
        job->slot = (uint32_t) slot;
        p->running[slot] = job;
    } else {
        (void) pool_take_slot(p, job);
    }
    bool ok = slurm == NULL || p->slurm == NULL || slurm_take_up(p, job, slurm);
    json_decref(placed);
    return ok;
}

/* Takes up a job that was handed to Slurm, or was going to be. */
static void take_up_submitted(omend_pool *p, omend_live *job, bool runs)
{
    omend_ending e = { .state = OMEND_FAILED };
    assert(p->running[job->slot] == job); /* J3 */
    job->phase = runs ? PHASE_RUNNING : PHASE_SUBMITTED;
    if (runs || slurm_is_made(p, job))
        return;
    json_t *model = pool_read_model(p, job->id);
    if (model == NULL)
        (void) problem_set(&e.problem, OMEND_BROKEN, "", "cannot read its model");
    if (model == NULL || !slurm_make(p, job, model, &e.problem))
        pool_end_job(p, job, &e);
    json_decref(model);
}

/* Takes up a job that was running when omend ended, or was Slurm's. Returns false if memory runs
 * out. */
static bool take_up(omend_pool *p, omend_live *job, const char *placed, bool runs)
{
    assert(job->phase == PHASE_QUEUED && p->figures.queued > 0); /* J4 */
    if (!read_placed(p, job, placed))
        return false;
    p->figures.queued--;
    pool_hold(p, job);
    if (job->remote != NULL) {
        take_up_submitted(p, job, runs);
        return true;
    }
    job->phase = PHASE_RUNNING;
    if (launch_find(p, job) && pool_watch_job(p, job)) {
        /* The limits are gone if the group's controllers were disabled between the two omends
         * (omend.service). */
        launch_limit(p, job);
        return true;
    }
    pool_process_ended(p, job);
    return true;
}

int pool_take_up(omend_pool *p)
{
    sqlite3_stmt *s = connection_get(&p->reader, SQL_UNFINISHED);
    int step = SQLITE_ERROR;
    while (s != NULL && (step = sqlite3_step(s)) == SQLITE_ROW) {
        const omend_live row = { .id = sqlite3_column_int64(s, 0),
            .created_ms = sqlite3_column_int64(s, 1),
            .priority = sqlite3_column_int(s, 6),
            .attempt = sqlite3_column_int(s, 8),
            .retried = sqlite3_column_int(s, 14),
            .begun_ms = sqlite3_column_int64(s, 2),
            .request = json_loads(column(s, 9), JSON_ALLOW_NUL, NULL) };
        omend_live *job = row.request == NULL ? NULL : pool_prepare(p, &row, column(s, 4));
        if (job == NULL)
            return om_fail(p->ctx, OM_ENOMEM, NULL, "out of memory");
        pool_enter(p, job);
        const bool runs = sqlite3_column_int(s, 7) == OMEND_RUNNING;
        if (runs || *column(s, 12) != '\0') {
            pthread_mutex_lock(&p->lock);
            bool ok = pool_find(p, row.id) == job && take_up(p, job, column(s, 12), runs);
            pthread_mutex_unlock(&p->lock);
            if (!ok)
                return om_fail(p->ctx, OM_ENOMEM, NULL, "out of memory");
        }
    }
    if (s != NULL)
        (void) sqlite3_reset(s);
    return step == SQLITE_DONE
               ? OM_OK
               : om_fail(p->ctx, OM_EIO, NULL, "the database: %s", sqlite3_errmsg(p->reader.db));
}
