/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the place at which each transition is watched: the one marked in the fewest states of a
 * sample or, among equals, the one with the fewest transitions. The sample is a random walk from
 * the initial state, always the same. It affects only the speed of the table.
 */
#include "executor.h"
#include "table_build.h"

#include <assert.h>
#include <string.h>

enum {
    SAMPLE_MOST = 256,
    SAMPLE_LEAST = 8,
    SAMPLE_STEPS = 1 << 21, /* limit on conjuncts examined over all states */
    SAMPLE_WORDS = 1 << 25  /* words of successors after which the sample ends, however small */
};

/* ---- the sample ---- */

static void look(om_table_plan *p, const uint32_t *vector)
{
    for (size_t i = 0; i < p->conjunct_count; i++) {
        om_table_conjunct *c = &p->conjuncts[i];
        c->marked += (vector[c->test.word] & c->test.mask) != 0;
    }
}

static uint32_t sample_size(const om_table_plan *p)
{
    const size_t each = p->conjunct_count + om_model_transition_count(p->m) + 1;
    const size_t n = SAMPLE_STEPS / each;
    return n > SAMPLE_MOST ? SAMPLE_MOST : n < SAMPLE_LEAST ? SAMPLE_LEAST : (uint32_t) n;
}

static int walk(om_table_plan *p, uint32_t *state, om_successors *next)
{
    const om_executor *vm = p->table->vm;
    om_random random = { 1 };
    uint64_t words = 0;
    vm->initial(vm, state);
    for (uint32_t i = sample_size(p); i > 0 && words < SAMPLE_WORDS; i--) {
        look(p, state);
        if (om_executor_successors(vm, state, next) != OM_OK)
            return OM_ENOMEM;
        words += (uint64_t) next->count * next->stride;
        if (next->fault != 0 || next->count == 0)
            vm->initial(vm, state);
        else
            memcpy(state, next->words + om_random_below(&random, next->count) * next->stride,
                vm->words * sizeof *state);
    }
    return OM_OK;
}

/* ---- the choice ---- */

static uint32_t users_of(const om_table_plan *p, const om_table_test *t)
{
    return p->users[t->word * 32 + (uint32_t) __builtin_ctz(t->mask)];
}

static bool better(const om_table_plan *p, const om_table_conjunct *a, const om_table_conjunct *b)
{
    if (a->marked != b->marked)
        return a->marked < b->marked;
    return users_of(p, &a->test) < users_of(p, &b->test);
}

int om_table__choose(om_table_plan *p)
{
    om_successors next = { .heap = p->table->heap };
    uint32_t *state = om_alloc(p->table->heap, p->m->words, sizeof *state);
    int rc = state == NULL ? OM_ENOMEM : walk(p, state, &next);
    om_successors_free(&next);
    om_free(p->table->heap, state);
    for (uint32_t t = 0; t < om_model_transition_count(p->m) && rc == OM_OK; t++) {
        om_table_sketch *s = &p->sketches[t];
        for (uint32_t i = s->first; i < s->end; i++)
            if (om_table__watchable(&p->conjuncts[i].test) &&
                (s->watch == OM_NONE || better(p, &p->conjuncts[i], &p->conjuncts[s->watch])))
                s->watch = i;
    }
    return rc;
}

/* ---- entries ---- */

/* Returns true if the test means only that the field is not 0. */
static bool says_marked(const om_table_test *t)
{
    return t->low == (t->mask & (0u - t->mask)) && t->span == t->mask - t->low;
}

static bool add_test(om_table *t, size_t from, const om_table_test *test)
{
    for (size_t i = from; i < t->test_count && test->span == 0; i++) {
        om_table_test *other = &t->tests[i];
        if (other->word == test->word && other->span == 0 && (other->mask & test->mask) == 0) {
            other->mask |= test->mask;
            other->low |= test->low;
            return true;
        }
    }
    if (!OM_ROOM(t->heap, t->tests, &t->test_capacity, t->test_count + 1))
        return false;
    t->tests[t->test_count++] = *test;
    return true;
}

/* Makes an entry. The last of its tests is stored in the entry itself. */
static bool make_entry(om_table_plan *p, uint32_t number, om_table_entry *out)
{
    om_table *t = p->table;
    const om_table_sketch *s = &p->sketches[number];
    const size_t from = t->test_count;
    for (uint32_t i = s->first; i < s->end; i++)
        if ((i != s->watch || !says_marked(&p->conjuncts[i].test)) &&
            !add_test(t, from, &p->conjuncts[i].test))
            return false;
    *out = (om_table_entry){ .program = s->program, .transition = number };
    if (t->test_count > from)
        out->test = t->tests[--t->test_count];
    out->more = (uint32_t) from;
    out->end = (uint32_t) t->test_count;
    return true;
}

static om_table_watch *watch_of(const om_table_plan *p, const om_table_sketch *s)
{
    const om_table_test *t = &p->conjuncts[s->watch].test;
    assert(om_table__watchable(t));
    return &p->table->watches[t->word * 32 + (uint32_t) __builtin_ctz(t->mask)];
}

/* Counts the transitions watched at each field, in `end` of its lowest bit. */
static void count_watched(om_table_plan *p)
{
    for (uint32_t i = 0; i < om_model_transition_count(p->m); i++) {
        const om_table_sketch *s = &p->sketches[i];
        if (s->never)
            continue;
        if (s->watch == OM_NONE) {
            p->table->always++;
            continue;
        }
        const om_table_test *t = &p->conjuncts[s->watch].test;
        om_table_watch *at = watch_of(p, s);
        at->mask = t->mask;
        at->end++;
        p->table->watched[t->word] |= t->mask;
    }
}

/* Assigns each field its range of entries. */
static void lay_out(om_table *t)
{
    uint32_t next = t->always;
    for (uint32_t i = 0; i < t->executor.words * 32; i++) {
        om_table_watch *at = &t->watches[i];
        at->first = next;
        next += at->end;
        at->end = at->first;
    }
}

/* Copies the watch of the lowest bit of a field to its other bits. */
static void spread(om_table *t)
{
    for (uint32_t i = 0; i < t->executor.words * 32; i++) {
        const om_table_watch at = t->watches[i];
        for (uint32_t k = i + 1; k % 32 != 0 && at.mask != 0 && ((at.mask >> (k % 32)) & 1) != 0;
             k++)
            t->watches[k] = at;
    }
}

int om_table__arrange(om_table_plan *p)
{
    om_table *t = p->table;
    uint32_t always = 0;
    if (!OM_NEW(t->heap, t->watched, t->executor.words) ||
        !OM_NEW(t->heap, t->watches, (size_t) t->executor.words * 32) ||
        !OM_NEW(t->heap, t->entries, om_model_transition_count(p->m)))
        return OM_ENOMEM;
    count_watched(p);
    lay_out(t);
    for (uint32_t i = 0; i < om_model_transition_count(p->m); i++) {
        const om_table_sketch *s = &p->sketches[i];
        if (s->never)
            continue;
        uint32_t *at = s->watch == OM_NONE ? &always : &watch_of(p, s)->end;
        if (!make_entry(p, i, &t->entries[(*at)++]))
            return OM_ENOMEM;
    }
    assert(always == t->always);
    spread(t);
    return OM_OK;
}
