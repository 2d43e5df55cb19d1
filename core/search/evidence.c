/* SPDX-License-Identifier: Apache-2.0 */
/* Results that checkers report. The task keeps the first evidence, and the first fault, preferring
 * failed assertions; paths are stored as given, eight bytes a state. */
#include "bfs.h"
#include "sized.h"
#include "task_impl.h"

#include <assert.h>
#include <string.h>

static void stop_all(om_task *t, om_stop_reason reason)
{
    atomic_store_explicit(&t->stop, true, memory_order_relaxed);
    (void) om_control_stop(t->control, reason);
}

void om_task_complete(om_task *t)
{
    pthread_mutex_lock(&t->lock);
    t->complete = t->complete || !om_task__is_stopped(t);
    pthread_mutex_unlock(&t->lock);
    atomic_store_explicit(&t->stop, true, memory_order_relaxed);
}

void om_task_covered(om_task *t, double coverage)
{
    pthread_mutex_lock(&t->lock);
    t->covered = t->covered || !om_task__is_stopped(t);
    t->coverage = coverage;
    pthread_mutex_unlock(&t->lock);
    atomic_store_explicit(&t->stop, true, memory_order_relaxed);
}

void om_task__forget(om_task *t)
{
    OM_FREE_ALL(t->heap, t->evidence_path, t->fault_path);
    t->evidence = (om_evidence){ 0 };
    t->evidence_path = t->fault_path = NULL;
    t->fault_length = 0;
    t->fault_ruled_out = 0;
    t->fault = 0;
    t->found = t->complete = t->covered = false;
}

int om_task__take_evidence(om_task *t, const om_evidence *e, om_id *path)
{
    const om_automaton *a = t->spec.product.automaton;
    int rc = OM_ESTOP;
    if (e->length == 0)
        rc = om_fail(t->ctx, OM_EINVAL, NULL, "evidence needs at least one state");
    else if ((e->see != 0 || e->avoid != 0) && !om_automaton_proves(a, e->see, e->avoid))
        rc = om_fail(t->ctx, OM_EINVAL, NULL,
            "the marks of this evidence do not prove that the automaton accepts");
    else {
        pthread_mutex_lock(&t->lock);
        if (!t->found) {
            assert(t->evidence_path == NULL && path != NULL && e->entry <= e->length);
            t->evidence = *e;
            t->evidence.path = t->evidence_path = path;
            t->found = true;
            path = NULL;
        }
        pthread_mutex_unlock(&t->lock);
        stop_all(t, OM_STOP_FOUND);
    }
    om_free(t->heap, path);
    return rc;
}

int om_task_evidence(om_task *t, const om_evidence *e)
{
    om_evidence known;
    if (!om_sized__copy(&known, sizeof known, OM_EVIDENCE_LEAST, e))
        return om_fail(t->ctx, OM_EINVAL, NULL, "the evidence has an unknown version");
    om_evidence copied = known;
    e = &known;
    om_id *path = e->length == 0 ? NULL : om_resize(t->heap, NULL, e->length, sizeof *path);
    if (path == NULL && e->length > 1) {
        /* No memory for the path: keep only its last state. */
        copied.path = &e->path[e->length - 1];
        copied.entry = e->entry < e->length ? 0 : 1;
        copied.length = 1;
        copied.shortest = false;
        path = om_resize(t->heap, NULL, 1, sizeof *path);
    }
    if (path == NULL && e->length != 0)
        return om_fail_memory(t->ctx);
    if (path != NULL)
        memcpy(path, copied.path, copied.length * sizeof *path);
    return om_task__take_evidence(t, &copied, path);
}

int om_task_found(om_task *t, unsigned worker, const om_id *path, size_t n)
{
    const om_evidence e = OM_EVIDENCE(path, n);
    (void) worker;
    return om_task_evidence(t, &e);
}

const om_evidence *om_task_evidence_of(const om_task *t)
{
    return t->found ? &t->evidence : NULL;
}

/* ---- faults ---- */

static bool is_assertion(om_fault fault)
{
    return OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
}

bool om_task__knows_fault(om_task *t, om_fault fault)
{
    pthread_mutex_lock(&t->lock);
    bool known = t->fault != 0 && (!is_assertion(fault) || is_assertion(t->fault));
    pthread_mutex_unlock(&t->lock);
    return known;
}

/* Keeps the fault and takes ownership of the path; frees the path if the known fault takes
 * precedence. */
static void note_fault(om_task *t, om_fault fault, om_id at, om_id *path, size_t n, bool shortest)
{
    assert(fault != 0 && (path == NULL) == (n == 0));
    pthread_mutex_lock(&t->lock);
    if (t->fault == 0 || (is_assertion(fault) && !is_assertion(t->fault))) {
        om_id *old = t->fault_path;
        t->fault = fault;
        t->fault_at = at;
        t->fault_path = path;
        t->fault_length = n;
        t->fault_shortest = shortest;
        path = old;
    }
    pthread_mutex_unlock(&t->lock);
    om_free(t->heap, path);
    if (is_assertion(fault))
        stop_all(t, OM_STOP_FOUND);
}

int om_task__take_fault(om_task *t, om_fault fault, om_id *path, size_t n, bool shortest)
{
    assert(path == NULL || n > 0);
    if (path != NULL)
        note_fault(t, fault, path[n - 1], path, n, shortest);
    else if (is_assertion(fault))
        stop_all(t, OM_STOP_FOUND); /* the cursor knows the state */
    return is_assertion(fault) ? OM_ESTOP : OM_OK;
}

int om_task_fault(om_task *t, om_fault fault, const om_id *path, size_t n, bool shortest)
{
    if (fault == 0 || n == 0)
        return om_fail(t->ctx, OM_EINVAL, NULL, "a fault needs a kind and a state");
    om_id *copy = om_resize(t->heap, NULL, n, sizeof *copy);
    if (copy != NULL)
        memcpy(copy, path, n * sizeof *copy);
    return om_task__take_fault(t, fault, copy, n, shortest);
}

int om_task_bfs_fault(om_task *t, om_bfs *b, om_cursor *c)
{
    om_id at = OM_NO_ID, *path = NULL;
    size_t n = 0;
    om_fault fault = om_bfs_fault(b, &at);
    int rc = fault == 0 ? OM_OK : om_bfs_path(b, c, at, &path, &n);
    if (rc == OM_OK && n > 0)
        rc = om_task_fault(t, fault, path, n, om_bfs_nearest(b));
    om_free(t->heap, path);
    if (fault != 0 && t->fault_at == at && !om_bfs_nearest(b))
        t->fault_ruled_out = om_bfs_in_levels(b); /* all workers have ended: no lock */
    if (rc != OM_EUNSUPPORTED)
        return rc;
    note_fault(t, fault, at, NULL, 0, false);
    return OM_OK;
}

void om_task__gather_faults(om_task *t)
{
    for (unsigned i = 0; i < t->spec.product.workers; i++) {
        om_id at = OM_NO_ID;
        om_fault fault = t->cursors[i] == NULL ? 0 : om_cursor_fault(t->cursors[i], &at, NULL);
        if (fault != 0 && at != OM_NO_ID) /* otherwise its search reports it, with the path */
            note_fault(t, fault, at, NULL, 0, false);
    }
}

om_fault om_task_fault_of(
    const om_task *t, om_id *at, const om_id **path, size_t *length, bool *shortest)
{
    *at = t->fault_at;
    *path = t->fault_path;
    *length = t->fault_length;
    *shortest = t->fault_shortest;
    return t->fault;
}

uint64_t om_task_fault_ruled_out(const om_task *t)
{
    return t->fault_ruled_out;
}
