/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that take turns (S3): with one thread, a part that takes long must not delay the others,
 * because a violation of another one may be near.
 *
 * The first part runs in the thread of the check. When its turn is over, the next part gets a
 * thread, and so on; only one of these threads runs at a time (base/control/round_robin.h). So if
 * each part ends within its first turn, they run one after another in the thread of the check. A
 * part for which no thread can be created runs after another part, in the thread of that one.
 *
 * Parts that have begun share the memory limit. If memory runs out, the part that has taken most is
 * stopped, as in S1. After all others have ended it runs again, alone, as it would without turns.
 */
#include "try.h"

#include "control/control.h"

#include <assert.h>

typedef struct in_turn {
    om_try *try;
    om_round_robin turns;
    om_turn members[OM_PLAN_PARTS];
} in_turn;

bool om_try__takes_turns(const om_try *try)
{
    bool may = try->part_count > 1 && !try->side_by_side &&
               try->options.schedule == OM_SCHEDULE_AUTO && try->plan->threads == 1;
    for (size_t i = 0; i < try->part_count; i++)
        may = may && try->parts[i].answer == &try->parts[i].cpu;
    return may;
}

/* Runs a part whose turn it is; returns the one that this thread has to run next, or NULL. */
static om_part *run_member(om_part *part)
{
    om_turn *turn = part->turn;
    om_control *control = om_context_control(part->cpu.ctx);
    assert(part->cpu.workers == 1);
    om_control__take_turn(control, turn);
    part->started = om_context_stopped(part->cpu.ctx) == OM_OK;
    if (part->started)
        om_part__run(part);
    om_control__take_turn(control, NULL);
    om_turn__leave(turn);
    const om_turn *heir = turn->heir;
    return heir == NULL ? NULL : &part->try->parts[heir - turn->turns->members];
}

static void *thread_main(void *self)
{
    for (om_part *part = self; part != NULL;)
        part = run_member(part);
    return NULL;
}

static bool start(void *self, size_t member)
{
    const in_turn *run = self;
    om_part *part = &run->try->parts[member];
    part->threaded = pthread_create(&part->thread, NULL, thread_main, part) == 0;
    return part->threaded;
}

/* Returns true if the part ran out of memory while others had some. */
static bool lacked_memory(const om_part *part, const om_turn *turn)
{
    const om_outcome *out = &part->cpu.out;
    return part->started && turn->had_company && part->answer == &part->cpu && out->rc == OM_OK &&
           out->result.verdict == OM_UNKNOWN && out->result.reason == OM_STOP_MEMORY;
}

/* Runs the parts that lacked memory again, one after another. */
static void repeat(in_turn *run)
{
    om_try *try = run->try;
    for (size_t i = 0; i < try->part_count; i++) {
        om_part *part = &try->parts[i];
        if (!lacked_memory(part, &run->members[i]) || om_context_stopped(part->ctx) != OM_OK)
            continue;
        om_note(try->plan->ctx, OM_NOTE_VERBOSE, NULL,
            "%s part: out of memory while other parts had some; it starts again, alone",
            om_strength_name(part->strength));
        om_part__run_again(part);
    }
}

bool om_try__run_in_turn(om_try *try)
{
    in_turn run = { .try = try };
    assert(try->part_count <= OM_PLAN_PARTS); /* A1 */
    for (size_t i = 0; i < try->part_count; i++)
        run.members[i].control = om_context_control(try->parts[i].cpu.ctx);
    if (!om_round_robin__init(&run.turns, run.members, try->part_count, start, &run))
        return false;
    for (size_t i = 0; i < try->part_count; i++)
        try->parts[i].turn = &run.members[i];
    om_round_robin__begin(&run.turns);
    (void) thread_main(&try->parts[0]);
    for (size_t i = 0; i < try->part_count; i++)
        if (try->parts[i].threaded)
            (void) pthread_join(try->parts[i].thread, NULL);
    for (size_t i = 0; i < try->part_count; i++)
        try->parts[i].turn = NULL;
    om_round_robin__destroy(&run.turns);
    repeat(&run);
    return true;
}
