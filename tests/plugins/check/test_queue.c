/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the bounds and the order of the queues of `async`, with one producer and several
 * consumers. */
#include "message_queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { MESSAGES = 300000, TAKERS = 3 };

typedef struct taken {
    uint64_t next; /* the next message expected; written by the consuming thread, one at a time */
    uint64_t fail_at, wrong;
} taken;

static int take(void *self, const strategy_message *m)
{
    taken *t = self;
    if (m->a == t->fail_at)
        return OM_ENOMEM;
    t->wrong += m->a != t->next || m->b != 2 * m->a || m->marks != ~m->a;
    t->next++;
    return OM_OK;
}

static strategy_message message(uint64_t i)
{
    return (strategy_message){ i, 2 * i, ~i };
}

static void bounded_and_in_order(void **state)
{
    queue *q = queue_new(om_heap_default());
    taken t = { .fail_at = 1000 };
    uint64_t room = 0, put;
    bool any = false;
    (void) state;
    assert_non_null(q);
    assert_int_equal(queue_consume(q, take, &t, &any), OM_OK);
    assert_false(any);
    for (strategy_message m = message(0); queue_put(q, &m); m = message(room))
        room++;
    assert_true(room > t.fail_at && room * sizeof(strategy_message) < queue_bytes());
    /* A message whose handler failed is still in the queue. */
    int rc = OM_OK;
    while (rc == OM_OK)
        rc = queue_consume(q, take, &t, &any);
    assert_true(any && rc == OM_ENOMEM && t.next == t.fail_at);
    assert_int_equal(queue_consume(q, take, &t, &any), OM_ENOMEM);
    t.fail_at = UINT64_MAX;
    for (put = room; put < 3 * room; put++) {
        strategy_message m = message(put);
        while (!queue_put(q, &m))
            assert_int_equal(queue_consume(q, take, &t, &any), OM_OK);
    }
    for (any = true; any;) {
        any = false;
        assert_int_equal(queue_consume(q, take, &t, &any), OM_OK);
    }
    assert_true(t.next == put && t.wrong == 0);
    queue_free(om_heap_default(), q);
}

typedef struct crew {
    queue *q;
    taken t;
    atomic_bool over;
} crew;

static void *put_all(void *p)
{
    crew *c = p;
    for (uint64_t i = 0; i < MESSAGES; i++) {
        strategy_message m = message(i);
        while (!queue_put(c->q, &m))
            (void) om_yield(OM_NAP_NS);
    }
    atomic_store(&c->over, true);
    return NULL;
}

static void *take_some(void *p)
{
    crew *c = p;
    for (bool any = true; any || !atomic_load(&c->over);) {
        any = false;
        (void) queue_consume(c->q, take, &c->t, &any);
        if (!any)
            (void) om_yield(OM_NAP_NS);
    }
    return NULL;
}

/* The messages arrive in order, whichever thread consumes them. */
static void by_many(void **state)
{
    crew c = { .q = queue_new(om_heap_default()), .t = { .fail_at = UINT64_MAX } };
    pthread_t threads[TAKERS + 1];
    bool any = true;
    (void) state;
    assert_non_null(c.q);
    for (int i = 0; i <= TAKERS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i == TAKERS ? put_all : take_some, &c), 0);
    for (int i = 0; i <= TAKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    while (any) { /* another thread may have held the queue at a consumer's last look */
        any = false;
        assert_int_equal(queue_consume(c.q, take, &c.t, &any), OM_OK);
    }
    assert_true(c.t.next == MESSAGES && c.t.wrong == 0);
    queue_free(om_heap_default(), c.q);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(bounded_and_in_order),
        cmocka_unit_test(by_many) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
