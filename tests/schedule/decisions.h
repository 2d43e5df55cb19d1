/* SPDX-License-Identifier: Apache-2.0 */
/* decisions.h: one decision, with scratch memory of exactly the required size. */
#ifndef OMEN_TESTS_SCHEDULE_DECISIONS_H
#define OMEN_TESTS_SCHEDULE_DECISIONS_H

#include "schedule/schedule.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Makes one decision. fill: initial contents of the scratch memory, which must not matter. */
static inline void decide_once(const schedule_state *state, schedule_decision *out,
    schedule_result *result, unsigned char fill)
{
    size_t size = schedule_scratch(state->job_count, state->running_count, state->token_count);
    void *scratch;
    assert_true(size < SIZE_MAX / 2);
    scratch = malloc(size == 0 ? 1 : size);
    assert_non_null(scratch);
    memset(scratch, fill, size);
    assert_int_equal(schedule_decide(state, scratch, size, out, result), OM_OK);
    free(scratch);
}

static inline bool same_decision(const schedule_decision *a, const schedule_decision *b)
{
    return a->what == b->what && a->why == b->why && a->need == b->need && a->have == b->have &&
           a->place == b->place && a->head == b->head && a->until == b->until &&
           a->in_turn == b->in_turn && a->threads == b->threads && a->memory == b->memory &&
           a->devices == b->devices && a->limit == b->limit && a->expected == b->expected;
}

#endif
