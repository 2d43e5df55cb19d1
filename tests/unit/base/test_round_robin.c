/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of work that take turns: the order and length of turns, ends, stops, refused threads. */
#include "control/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

enum { PIECES = 3, MOST = 64, FIRST = 1 << 14, SLOW = 256, NAP_NS = 400 * 1000 * 1000 };

typedef struct table table;
typedef struct piece {
    table *table;
    om_context *ctx;
    uint64_t states, spent; /* that it has to expand, and has */
    bool refused;           /* there is no thread for it */
    bool slow;              /* SLOW states take NAP_NS */
    bool threaded;
    pthread_t thread;
} piece;

/* Only the holder of the turn writes the log, without a lock: a thread sanitizer would notice a
 * second one. */
struct table {
    om_context *ctx;
    om_round_robin turns;
    om_turn members[PIECES];
    piece pieces[PIECES];
    uint64_t log[MOST][2]; /* piece, states */
    size_t logged, threads;
    om_context *victim; /* that piece 1 stops when it has expanded 100 states; or NULL */
};

static void note(table *t, size_t number, uint64_t states)
{
    if (t->logged == 0 || t->log[t->logged - 1][0] != number) {
        assert_true(t->logged < MOST);
        t->log[t->logged][0] = number;
        t->log[t->logged++][1] = 0;
    }
    t->log[t->logged - 1][1] += states;
}

/* Stops the victim, and waits until it has left if it is the first piece: else it might leave when
 * all others have ended. */
static void stop_victim(table *t)
{
    const struct timespec moment = { 0, 100 * 1000 };
    bool left = t->victim != t->pieces[0].ctx;
    (void) om_control_stop(om_context_control(t->victim), OM_STOP_MEMORY);
    while (!left) {
        (void) nanosleep(&moment, NULL);
        pthread_mutex_lock(&t->turns.lock);
        left = t->members[0].state == OM_TURN_ENDED;
        pthread_mutex_unlock(&t->turns.lock);
    }
}

static void expand(piece *p)
{
    table *t = p->table;
    const struct timespec nap = { 0, NAP_NS };
    const size_t number = (size_t) (p - t->pieces);
    const uint64_t states = p->slow ? SLOW : 1;
    note(t, number, states);
    p->spent += states;
    if (p->slow)
        (void) nanosleep(&nap, NULL);
    if (t->victim != NULL && number == 1 && p->spent == 100)
        stop_victim(t);
    om_turn__spend(om_control__turn(om_context_control(p->ctx)), states);
}

/* Runs a piece; returns the one that the thread has to run next. */
static piece *run(piece *p)
{
    table *t = p->table;
    om_control *c = om_context_control(p->ctx);
    om_turn *turn = &t->members[p - t->pieces];
    om_control__take_turn(c, turn);
    while (p->spent < p->states && om_control_stopped(c) == OM_STOP_NONE)
        expand(p);
    om_control__take_turn(c, NULL);
    om_turn__leave(turn);
    om_turn__leave(turn); /* does nothing */
    return turn->heir == NULL ? NULL : &t->pieces[turn->heir - t->members];
}

static void *thread_main(void *self)
{
    for (piece *p = self; p != NULL;)
        p = run(p);
    return NULL;
}

static bool start(void *self, size_t member)
{
    table *t = self;
    piece *p = &t->pieces[member];
    t->threads++;
    p->threaded = !p->refused && pthread_create(&p->thread, NULL, thread_main, p) == 0;
    return p->threaded;
}

static void open_table(table *t, uint64_t first, uint64_t second, uint64_t third)
{
    const uint64_t states[PIECES] = { first, second, third };
    *t = (table){ 0 };
    assert_int_equal(om_context_new(&t->ctx, NULL), OM_OK);
    for (size_t i = 0; i < PIECES; i++) {
        t->pieces[i].table = t;
        t->pieces[i].states = states[i];
        assert_int_equal(om_context_new_below(&t->pieces[i].ctx, t->ctx), OM_OK);
        t->members[i].control = om_context_control(t->pieces[i].ctx);
    }
    assert_true(om_round_robin__init(&t->turns, t->members, PIECES, start, t));
}

static void run_all(table *t)
{
    om_round_robin__begin(&t->turns);
    (void) thread_main(&t->pieces[0]);
    for (size_t i = 0; i < PIECES; i++)
        if (t->pieces[i].threaded)
            assert_int_equal(pthread_join(t->pieces[i].thread, NULL), 0);
}

static void close_table(table *t)
{
    om_round_robin__destroy(&t->turns);
    for (size_t i = 0; i < PIECES; i++)
        om_context_free(t->pieces[i].ctx);
    om_context_free(t->ctx);
}

static void expect_log(const table *t, const uint64_t (*expected)[2], size_t count)
{
    for (size_t i = 0; i < count && i < t->logged; i++) {
        assert_int_equal(t->log[i][0], expected[i][0]);
        assert_int_equal(t->log[i][1], expected[i][1]);
    }
    assert_int_equal(t->logged, count);
}

/* Turns grow by rounds; the first piece gets as much as the others together. */
static void turns_grow(void **state)
{
    static const uint64_t log[][2] = { { 0, 2 * FIRST }, { 1, FIRST }, { 2, FIRST },
        { 0, 8 * FIRST }, { 1, 4 * FIRST }, { 2, 10 }, { 0, 7 }, { 1, 2 * FIRST + 3 } };
    table t;
    (void) state;
    open_table(&t, 10 * FIRST + 7, 7 * FIRST + 3, FIRST + 10);
    run_all(&t);
    expect_log(&t, log, sizeof log / sizeof *log);
    assert_int_equal(t.threads, 2);
    close_table(&t);
}

static void short_pieces_need_no_threads(void **state)
{
    static const uint64_t log[][2] = { { 0, 2 * FIRST - 1 }, { 1, 5 }, { 2, 3 * FIRST } };
    table t;
    (void) state;
    open_table(&t, 2 * FIRST - 1, 5, 3 * FIRST);
    run_all(&t);
    expect_log(&t, log, sizeof log / sizeof *log);
    assert_int_equal(t.threads, 0);
    close_table(&t);
}

/* A piece without a thread runs after another one, in the thread of that one. */
static void threads_may_be_refused(void **state)
{
    static const uint64_t one[][2] = { { 0, 2 * FIRST }, { 2, FIRST }, { 0, 6 * FIRST },
        { 1, FIRST }, { 2, 1 }, { 1, FIRST + 1 } };
    static const uint64_t both[][2] = { { 0, 8 * FIRST }, { 1, 2 * FIRST + 1 }, { 2, FIRST + 1 } };
    table t;
    (void) state;
    open_table(&t, 8 * FIRST, 2 * FIRST + 1, FIRST + 1);
    t.pieces[1].refused = true;
    run_all(&t);
    expect_log(&t, one, sizeof one / sizeof *one);
    assert_int_equal(t.threads, 2);
    close_table(&t);

    open_table(&t, 8 * FIRST, 2 * FIRST + 1, FIRST + 1);
    t.pieces[1].refused = t.pieces[2].refused = true;
    run_all(&t);
    expect_log(&t, both, sizeof both / sizeof *both);
    assert_int_equal(t.threads, 2);
    close_table(&t);
}

/* A stop ends a piece that waits, although another one goes on. */
static void a_stop_ends_a_wait(void **state)
{
    static const uint64_t log[][2] = { { 0, 2 * FIRST }, { 1, FIRST }, { 2, 5 }, { 1, 2 * FIRST } };
    table t;
    (void) state;
    open_table(&t, UINT64_MAX, 3 * FIRST, 5);
    t.victim = t.pieces[0].ctx;
    run_all(&t);
    expect_log(&t, log, sizeof log / sizeof *log);
    assert_true(t.members[0].had_company);
    assert_false(t.members[1].had_company);
    assert_true(t.members[2].had_company);
    close_table(&t);
}

/* After a stop of all pieces, those that wait end, and those to come do not begin. */
static void a_stop_ends_all(void **state)
{
    static const uint64_t log[][2] = { { 0, 2 * FIRST }, { 1, 100 } };
    table t;
    (void) state;
    open_table(&t, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    t.victim = t.ctx;
    run_all(&t);
    expect_log(&t, log, sizeof log / sizeof *log);
    assert_int_equal(t.threads, 1);
    assert_null(t.members[0].heir);
    assert_null(t.members[1].heir);
    close_table(&t);
}

/* A turn of few states ends after a second, too. The time of other pieces does not count. */
static void slow_states(void **state)
{
    table t;
    (void) state;
    open_table(&t, 2 * FIRST + 1, 4 * SLOW, 0);
    t.pieces[1].slow = true;
    const uint64_t before = om_turn__clock_ns(&t.members[0]), real = om_turn__clock_ns(NULL);
    run_all(&t);
    assert_int_equal(t.log[1][0], 1);
    assert_true(t.log[1][1] <= 3 * SLOW);
    assert_int_equal(t.log[2][0], 0);
    assert_true(t.members[0].waited_ns >= 2u * NAP_NS);
    const uint64_t own = om_turn__clock_ns(&t.members[0]) - before;
    assert_true(own + 2u * NAP_NS <= om_turn__clock_ns(NULL) - real);
    close_table(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_grow),
        cmocka_unit_test(short_pieces_need_no_threads),
        cmocka_unit_test(threads_may_be_refused),
        cmocka_unit_test(a_stop_ends_a_wait),
        cmocka_unit_test(a_stop_ends_all),
        cmocka_unit_test(slow_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
