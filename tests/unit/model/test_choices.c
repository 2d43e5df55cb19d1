/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is remembered of choices (choices.h), against a decision procedure that asks questions in an
 * order which follows from the answers: what is found is what the procedure says. A memory that is
 * full, one that is of no use, and one without room.
 */
#include "heap.h"

#include "stubborn/choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WORDS = 6, QUESTIONS = 2 * WORDS, MOST_ENABLED = 5 };

/* Each word of the vector has a field of 2 bits, whose question is for its value, and one of 8 bits
 * with the test that it is at least 100. */
typedef struct fields {
    om_question questions[QUESTIONS];
    om_test tests[QUESTIONS];
    om_tests all;
} fields;

static void make_fields(fields *f)
{
    *f = (fields){ .all = { .tests = f->tests,
                       .questions = f->questions,
                       .count = QUESTIONS,
                       .question_count = QUESTIONS } };
    for (uint32_t i = 0; i < WORDS; i++) {
        f->questions[i] = (om_question){
            .word = i, .up = 27, .down = 30, .slot = OM_NONE, .test = OM_NONE, .answers = 4
        };
        f->questions[WORDS + i] = (om_question){
            .word = i, .up = 8, .down = 24, .slot = OM_NONE, .test = WORDS + i, .answers = 2
        };
        f->tests[i] = (om_test){ 1, 2, false, i };
        f->tests[WORDS + i] = (om_test){ 100, INT64_MAX, false, WORDS + i };
    }
}

/* Each value of a signed and of an unsigned field, by the value and by a test, against the test's
 * bounds. */
static void test_answers(void **unused)
{
    (void) unused;
    for (uint32_t bits = 0; bits < 16; bits++)
        for (int kind = 0; kind < 8; kind++) {
            const bool is_signed = (kind & 1) != 0, outside = (kind & 2) != 0;
            const uint32_t vector[2] = { ~(bits << 9), bits << 9 };
            om_question q = { .word = 1,
                .up = 19,
                .down = 28,
                .is_signed = is_signed,
                .slot = OM_NONE,
                .test = (kind & 4) != 0 ? 0 : OM_NONE,
                .answers = (kind & 4) != 0 ? 2 : 16 };
            om_test t = { -3, 5, outside, 0 };
            const om_tests all = { .tests = &t, .questions = &q, .count = 1, .question_count = 1 };
            const int64_t value = is_signed && bits >= 8 ? (int64_t) bits - 16 : (int64_t) bits;
            const uint32_t answer = om_tests__answer(&all, 0, vector);
            assert_true(
                om_tests__passes(&all, 0, answer) == ((value >= -3 && value <= 5) != outside));
        }
}

/* A state, what was asked of it, and what it keeps */
typedef struct state {
    uint32_t vector[WORDS], enabled[MOST_ENABLED], kept[MOST_ENABLED];
    size_t count, kept_count, asked_count;
    om_answer asked[QUESTIONS];
} state;

static uint32_t mix(uint32_t a, uint32_t b)
{
    return (a ^ b * 0x85ebca6bu) * 0xc2b2ae35u + 0x27d4eb2fu;
}

/* The decision procedure. */
static void decide(const fields *f, state *s)
{
    uint32_t so_far = 1;
    bool asked[QUESTIONS] = { false };
    s->kept_count = s->asked_count = 0;
    for (size_t i = 0; i < s->count; i++)
        so_far = mix(so_far, s->enabled[i]);
    for (uint32_t left = so_far % 5; left > 0; left--) {
        uint32_t q = (so_far >> 8) % QUESTIONS;
        while (asked[q])
            q = (q + 1) % QUESTIONS;
        asked[q] = true;
        const uint32_t answer = om_tests__answer(&f->all, q, s->vector);
        s->asked[s->asked_count++] = (om_answer){ q, answer };
        so_far = mix(so_far, answer + 1);
    }
    for (uint32_t i = 0; i < s->count; i++)
        if ((so_far >> (10 + i) & 1) != 0)
            s->kept[s->kept_count++] = i;
}

/* Draws a state with transitions below `most`. */
static void draw(om_random *random, uint32_t most, state *s)
{
    for (uint32_t i = 0; i < WORDS; i++)
        s->vector[i] = (uint32_t) om_random_next(random);
    s->count = 1 + (size_t) om_random_below(random, MOST_ENABLED);
    for (size_t i = 0; i < s->count; i++)
        s->enabled[i] = (uint32_t) om_random_below(random, most);
}

/* Returns true if the choice of a state was known; then it is right. */
static bool look_up(om_choices *c, const fields *f, state *s)
{
    om_leaf leaf;
    decide(f, s);
    if (om_choices__find(c, &f->all, s->enabled, s->count, s->vector, &leaf)) {
        assert_int_equal(leaf.count, s->kept_count);
        for (size_t i = 0; i < leaf.count; i++)
            assert_int_equal(leaf.kept[i], s->kept[i]);
        return true;
    }
    om_choices__add(
        c, s->enabled, s->count, s->asked, s->asked_count, &(om_leaf){ s->kept, s->kept_count });
    return false;
}

static void test_what_is_found(void **unused)
{
    (void) unused;
    static fields f;
    om_choices c;
    om_random random = { 7 };
    state s;
    size_t found = 0;
    make_fields(&f);
    om_choices__init(&c, om_heap_default());
    for (int i = 0; i < 50000; i++) {
        draw(&random, 4, &s);
        found += look_up(&c, &f, &s);
        assert_true(look_up(&c, &f, &s)); /* now it is known */
    }
    assert_true(found > 20000 && !c.off);
    om_choices__close(&c);
}

/* It forgets what it knew, stays as small as before, and goes on while it is of use. */
static void test_full(void **unused)
{
    (void) unused;
    static fields f;
    om_choices c;
    om_random random = { 8 };
    state s;
    uint64_t before = 0;
    int forgot = 0;
    make_fields(&f);
    om_choices__init(&c, om_heap_default());
    for (int i = 0; i < 400000 && forgot < 2; i++) {
        draw(&random, 1000, &s);
        (void) look_up(&c, &f, &s);
        for (int k = 0; k < 3; k++)
            assert_true(look_up(&c, &f, &s));
        forgot += c.added < before;
        before = c.added;
    }
    assert_true(forgot == 2 && !c.off);
    om_choices__close(&c);
}

static void test_no_use(void **unused)
{
    (void) unused;
    static fields f;
    om_choices c;
    om_random random = { 9 };
    state s;
    make_fields(&f);
    om_choices__init(&c, om_heap_default());
    for (int i = 0; i < 400000 && !c.off; i++) {
        draw(&random, 1u << 30, &s);
        (void) look_up(&c, &f, &s);
    }
    assert_true(c.off);
    assert_false(look_up(&c, &f, &s) || look_up(&c, &f, &s));
    om_choices__close(&c);
}

/* What there is no memory for is forgotten, and nothing else. */
static void test_memory(void **unused)
{
    (void) unused;
    static fields f;
    make_fields(&f);
    for (size_t k = 0, done = 0; done == 0; k++) {
        test_heap heap;
        om_choices c;
        om_random random = { 10 };
        state s;
        test_heap_init(&heap, SIZE_MAX);
        heap.fail_at = k;
        om_choices__init(&c, &heap.heap);
        for (int i = 0; i < 2000; i++) {
            draw(&random, 6, &s);
            (void) look_up(&c, &f, &s);
        }
        done = heap.calls <= heap.fail_at;
        assert_true(!done || k > 20);
        om_choices__close(&c);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(test_answers),
        cmocka_unit_test(test_what_is_found), cmocka_unit_test(test_full),
        cmocka_unit_test(test_no_use), cmocka_unit_test(test_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
