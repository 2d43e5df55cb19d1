/* SPDX-License-Identifier: Apache-2.0 */
/* Concurrent translations on different arenas have the results of sequential ones. */
#include "translating.h"

#include <pthread.h>

enum { THREADS = 4, FORMULAS = 150 };

typedef struct job {
    const om_translator *translator;
    uint64_t seed;
    om_text text;
    int rc;
} job;

/* Writes HOA of FORMULAS random formulas. Asserts nothing, because cmocka's assertions work in one
 * thread only. */
static void *run_job(void *arg)
{
    job *j = arg;
    om_random r = { j->seed };
    om_context *ctx = NULL;
    j->rc = om_context_new(&ctx, NULL);
    for (int i = 0; i < FORMULAS && j->rc == OM_OK; i++) {
        om_ltl *l = NULL;
        om_automaton *a = NULL;
        j->rc = om_ltl_new(&l, ctx);
        if (j->rc == OM_OK)
            j->rc = j->translator->translate(ctx, l, random_formula(l, &r, 8, 3), NULL, &a);
        if (j->rc == OM_OK)
            j->rc = om_hoa_write(a, &j->text);
        om_automaton_free(a);
        om_ltl_free(l);
    }
    om_context_free(ctx);
    return NULL;
}

static void translations_do_not_meet(void **state)
{
    session s;
    job jobs[THREADS], alone[THREADS];
    pthread_t threads[THREADS];
    (void) state;
    session_start(&s, 0);
    for (unsigned i = 0; i < THREADS; i++) {
        jobs[i] = (job){ s.translator, i, { .heap = om_heap_default() }, OM_EINTERNAL };
        alone[i] = jobs[i];
        run_job(&alone[i]);
        assert_int_equal(alone[i].rc, OM_OK);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(jobs[i].rc, OM_OK);
        assert_string_equal(jobs[i].text.text, alone[i].text.text);
        om_text_free(&jobs[i].text);
        om_text_free(&alone[i].text);
    }
    session_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(translations_do_not_meet) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
