/* SPDX-License-Identifier: Apache-2.0 */
/* counter.h: a small model and compilers for the tests of native code. */
#ifndef OMEN_TESTS_COUNTER_H
#define OMEN_TESTS_COUNTER_H

#include <omen/plugin/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Makes a model of a counter that goes up to `most` and then divides by zero. */
static inline int counter(om_model **out, om_context *ctx, int32_t most)
{
    om_model *m = NULL;
    uint32_t x;
    om_slot s = { .name = "x", .type = OM_U8, .process = OM_NONE, .initial = &(int32_t){ 0 } };
    int rc = om_model_new(&m, ctx, "counter");
    if (rc != OM_OK || (rc = om_model_add_slot(m, &s, &x)) != OM_OK)
        goto done;
    om_expr ex = om_expr_slot(m, x), one = om_expr_const(m, 1);
    om_expr left = om_expr_binary(m, OM_OP_SUB, om_expr_const(m, most), ex);
    om_assign up = { x, 0,
        om_expr_binary(m, OM_OP_ADD, ex,
            om_expr_binary(m, OM_OP_OR, om_expr_binary(m, OM_OP_DIV, one, left), one)) };
    om_transition t = { .process = OM_NONE, .partner = OM_NONE, .assigns = &up };
    t.assign_count = 1;
    t.label = "up";
    if ((rc = om_model_add_transition(m, &t, NULL)) != OM_OK || (rc = om_model_finish(m)) != OM_OK)
        goto done;
    *out = m;
    m = NULL;
done:
    om_model_free(m);
    return rc;
}

/* Makes a model of a counter that goes up to `most` in so many transitions: its text is long. It
 * divides, so no table of transitions is possible. */
static inline int long_counter(om_model **out, om_context *ctx, int32_t most)
{
    om_model *m = NULL;
    uint32_t x;
    om_slot s = { .name = "x", .type = OM_U16, .process = OM_NONE, .initial = &(int32_t){ 0 } };
    int rc = om_model_new(&m, ctx, "long counter");
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &s, &x);
    for (int32_t i = 0; i < most && rc == OM_OK; i++) {
        om_expr at = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, x), om_expr_const(m, i));
        om_expr one = om_expr_binary(m, OM_OP_DIV, om_expr_slot(m, x), om_expr_slot(m, x));
        om_assign up = { x, 0,
            i == 0 ? om_expr_const(m, 1) : om_expr_binary(m, OM_OP_ADD, om_expr_slot(m, x), one) };
        om_transition t = { .process = OM_NONE,
            .partner = OM_NONE,
            .guard = at,
            .assigns = &up,
            .assign_count = 1,
            .label = "up" };
        rc = om_model_add_transition(m, &t, NULL);
    }
    if (rc == OM_OK && (rc = om_model_finish(m)) == OM_OK)
        *out = m;
    else
        om_model_free(m);
    return rc;
}

/* Counts to `most` and checks the fault. */
static inline int counts(const om_executor *x, int32_t most)
{
    uint32_t state = 0;
    om_successors out = { .heap = om_context_heap(om_model_context(x->model)) };
    int rc = OM_OK;
    for (int32_t i = 0; i < most && rc == OM_OK; i++) {
        rc = om_executor_successors(x, &state, &out);
        if (rc == OM_OK) {
            assert_int_equal(out.fault, 0);
            assert_int_equal(out.count, 1);
            state = out.words[0];
            assert_int_equal(state, i + 1);
        }
    }
    if (rc == OM_OK && (rc = om_executor_successors(x, &state, &out)) == OM_OK)
        assert_int_equal(out.fault, OM_FAULT(OM_FAULT_DIVISION, 0));
    om_successors_free(&out);
    return rc;
}

/* Makes OMEN_CC a shell script. The caller unlinks it. */
static inline void make_compiler(const char *base, char *path, size_t size, const char *script)
{
    (void) snprintf(path, size, "%s/cc", base);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fprintf(f, "#!/bin/sh\n%s\n", script) > 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
    (void) setenv("OMEN_CC", path, 1);
}

#endif
