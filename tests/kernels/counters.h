/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h: a model of counters, with optional faults. */
#ifndef OMEN_TESTS_COUNTERS_H
#define OMEN_TESTS_COUNTERS_H

#include "execute/executor.h"

#include <omen/plugin/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

typedef struct counters {
    om_model *model;
    om_executor *vm;
} counters;

static inline om_expr less(om_model *m, uint32_t slot, int32_t than)
{
    return om_expr_binary(m, OM_OP_LT, om_expr_slot(m, slot), om_expr_const(m, than));
}

static inline void add_step(
    om_model *m, uint32_t process, om_expr guard, uint32_t slot, om_expr value)
{
    om_assign assign = { .slot = slot, .value = value };
    const om_written written = { 7, 1 };
    om_transition t = { .process = process,
        .written = &written,
        .partner = OM_NONE,
        .guard = guard,
        .assigns = &assign,
        .assign_count = 1,
        .label = "step" };
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
}

/* Opens a model of n counters from 0 to top. many: one transition per value instead of one for
 * all. The last counter has the trap. */
static inline counters open_counters(
    om_context *ctx, uint32_t n, int32_t top, bool many, om_fault trap)
{
    static const int32_t zero = 0;
    counters c = { 0 };
    assert_int_equal(om_model_new(&c.model, ctx, "counters"), OM_OK);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        uint32_t process = 0, slot = 0;
        snprintf(name, sizeof name, "c%u", i);
        om_slot declared = { .name = name, .type = OM_U8, .process = i, .initial = &zero };
        assert_int_equal(om_model_add_process(c.model, name, &process), OM_OK);
        assert_int_equal(om_model_add_slot(c.model, &declared, &slot), OM_OK);
        om_expr value = om_expr_slot(c.model, slot);
        om_expr up = om_expr_binary(c.model, OM_OP_ADD, value, om_expr_const(c.model, 1));
        for (int32_t v = 0; many && v < top; v++)
            add_step(c.model, process,
                om_expr_binary(c.model, OM_OP_EQ, value, om_expr_const(c.model, v)), slot, up);
        if (!many)
            add_step(c.model, process, less(c.model, slot, top), slot, up);
        if (trap == OM_FAULT_DIVISION && i == n - 1) /* 10 / (2 - c), as a guard */
            add_step(c.model, process,
                om_expr_binary(c.model, OM_OP_DIV, om_expr_const(c.model, 10),
                    om_expr_binary(c.model, OM_OP_SUB, om_expr_const(c.model, 2), value)),
                slot, value);
        if (trap == OM_FAULT_OVERFLOW && i == n - 1) /* stays at the same value */
            add_step(c.model, process,
                om_expr_binary(c.model, OM_OP_EQ, value, om_expr_const(c.model, 2)), slot,
                om_expr_binary(c.model, OM_OP_ADD, value, om_expr_const(c.model, 256)));
        if (trap == OM_FAULT_ASSERTION && i == n - 1) {
            om_assertion a = { .condition = less(c.model, slot, 3), .text = "c < 3" };
            assert_int_equal(om_model_add_assertion(c.model, &a), OM_OK);
        }
    }
    assert_int_equal(om_model_finish(c.model), OM_OK);
    assert_int_equal(om_executor_open(&c.vm, c.model, OM_EXEC_VM, NULL, 0), OM_OK);
    return c;
}

static inline void close_counters(counters *c)
{
    om_executor_close(c->vm);
    om_model_free(c->model);
}

#endif
