/* SPDX-License-Identifier: Apache-2.0 */
/* Loads runs as the history of a simulation. */
#include "history.h"

#include "model.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { ASK_EVERY = 4096 };

static int take_run(om_simulation *s, const om_lasso *run)
{
    om_known_run *r = &s->h.run;
    if (!OM_NEW(s->heap, r->step, run->count))
        return om_fail_memory(s->ctx);
    memcpy(r->step, run->transitions, run->count * sizeof *r->step);
    r->count = run->count;
    r->loop = run->loop;
    return OM_OK;
}

static int compare(const om_simulation *s, const om_lasso *run, size_t i)
{
    const size_t size = s->words * sizeof *run->vectors;
    const om_model_form form = om_model__form_of(s->model);
    if (run->vectors == NULL || run->form.reset_dead != form.reset_dead ||
        memcmp(run->vectors + i * s->words, om_simulation__at(s, s->h.position), size) == 0)
        return OM_OK;
    if (s->h.position == 0)
        return om_fail(s->ctx, OM_EINPUT, NULL, "state 0 is not the initial state of the model");
    return om_fail(s->ctx, OM_EINPUT, NULL,
        "state %zu: transition %" PRIu32 " does not lead to state %zu", s->h.position - 1,
        s->h.taken[s->h.position - 1], i);
}

/* Follows the whole run and the step that closes its cycle, which is then undone. */
static int follow(om_simulation *s, const om_lasso *run)
{
    const bool endless = run->loop != OM_NO_LOOP;
    int rc = take_run(s, run);
    if (rc == OM_OK)
        rc = compare(s, run, 0);
    for (size_t i = 1; rc == OM_OK && i < run->count + endless; i++) {
        rc = i % ASK_EVERY == 0 ? om_context_stopped(s->ctx) : OM_OK;
        if (rc == OM_OK)
            rc = om_simulation_forward(s);
        if (rc == OM_OK)
            rc = compare(s, run, i == run->count ? run->loop : i);
    }
    if (rc == OM_OK) {
        assert(s->h.length == run->count + endless && s->h.followed == s->h.position); /* I3 */
        s->h.length = run->count;
        s->h.followed = run->count - 1;
        s->h.taken[s->h.length - 1] = OM_NONE;
        s->h.position = 0;
        s->fresh = false;
    }
    return rc == OM_EMODEL || rc == OM_EINVAL ? OM_EINPUT : rc;
}

int om_simulation_load(om_simulation *s, const om_lasso *run)
{
    om_history before = s->h;
    if (run->words != s->words || run->count == 0 ||
        (run->loop != OM_NO_LOOP && run->loop >= run->count))
        return om_fail(s->ctx, OM_EINPUT, NULL, "the run's states are not states of this model");
    s->h = (om_history){ 0 };
    int rc = om_simulation__begin(s);
    if (rc == OM_OK)
        rc = follow(s, run);
    if (rc != OM_OK) {
        om_history failed = s->h;
        s->h = before;
        before = failed;
        s->fresh = false;
    }
    om_simulation__drop(s, &before);
    return rc;
}

bool om_simulation_follows(const om_simulation *s, size_t i, size_t *at)
{
    const om_known_run *r = &s->h.run;
    if (r->step == NULL || i > s->h.followed)
        return false;
    *at = i < r->count ? i : r->loop + (i - r->loop) % (r->count - r->loop);
    return true;
}

size_t om_simulation_loop(const om_simulation *s)
{
    return s->h.run.step == NULL ? OM_NO_LOOP : s->h.run.loop;
}
