/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small_model.h: a model of eleven states for tests of lassos and plans.
 *
 *   phase: idle -> busy -> idle -> ...; count grows with every start. In the second busy phase, the
 *   flag can be toggled for ever. After the third start, the model reaches done (a deadlock).
 */
#ifndef OMEN_TESTS_SMALL_MODEL_H
#define OMEN_TESTS_SMALL_MODEL_H

#include <omen/plugin/model.h>

enum { SMALL_START, SMALL_STOP, SMALL_END, SMALL_TOGGLE };

typedef struct small_slots {
    uint32_t phase, count, flag, cell;
} small_slots;

static inline om_expr small_is(om_model *m, uint32_t slot, int32_t value)
{
    return om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, slot), om_expr_const(m, value));
}

static inline om_expr small_and(om_model *m, om_expr a, om_expr b)
{
    return om_expr_binary(m, OM_OP_AND, a, b);
}

static inline int small_transition(om_model *m, om_expr guard, const om_assign *assigns,
    uint32_t count, const char *label, uint32_t line)
{
    const om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = guard,
        .assigns = assigns,
        .assign_count = count,
        .label = label,
        .place = { "dir/small.m", line, 3 } };
    return om_model_add_transition(m, &t, NULL);
}

static inline int small_slots_add(om_model *m, small_slots *s)
{
    static const int32_t zeros[2] = { 0, 0 };
    static const char *const phases[] = { "idle", "busy", "done" };
    const om_slot phase = { .name = "phase",
        .type = OM_ENUM,
        .process = OM_NONE,
        .initial = zeros,
        .enumerators = 3,
        .enumerator_names = phases };
    const om_slot count = { .name = "count", .type = OM_U8, .process = OM_NONE, .initial = zeros };
    const om_slot flag = { .name = "flag", .type = OM_BOOL, .process = OM_NONE, .initial = zeros };
    const om_slot cell = {
        .name = "cell", .type = OM_I16, .length = 2, .process = OM_NONE, .initial = zeros
    };
    int rc = om_model_add_slot(m, &phase, &s->phase);
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &count, &s->count);
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &flag, &s->flag);
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &cell, &s->cell);
    return rc;
}

static inline int small_transitions_add(om_model *m, const small_slots *s)
{
    const om_expr count = om_expr_slot(m, s->count);
    const om_expr busy = small_is(m, s->phase, 1);
    const om_assign start[] = { { s->phase, 0, om_expr_const(m, 1) },
        { s->count, 0, om_expr_binary(m, OM_OP_ADD, count, om_expr_const(m, 1)) } };
    const om_assign stop[] = { { s->phase, 0, om_expr_const(m, 0) },
        { s->cell, om_expr_const(m, 1), om_expr_unary(m, OM_OP_NEG, count) } };
    const om_assign end[] = { { s->phase, 0, om_expr_const(m, 2) } };
    const om_assign toggle[] = { { s->flag, 0,
        om_expr_unary(m, OM_OP_NOT, om_expr_slot(m, s->flag)) } };
    const om_expr early = om_expr_binary(m, OM_OP_LT, count, om_expr_const(m, 3));
    int rc = small_transition(m, small_is(m, s->phase, 0), start, 2, "start", 1);
    if (rc == OM_OK)
        rc = small_transition(m, small_and(m, busy, early), stop, 2, "stop", 2);
    if (rc == OM_OK)
        rc = small_transition(m, small_and(m, busy, small_is(m, s->count, 3)), end, 1, "end", 3);
    if (rc == OM_OK)
        rc = small_transition(
            m, small_and(m, busy, small_is(m, s->count, 2)), toggle, 1, "toggle \"it\"", 4);
    return rc;
}

/* Makes slots and transitions without finishing the model, so that a test may add properties. */
static inline int small_model_begin(om_context *ctx, om_model **out, small_slots *s)
{
    om_model *m = NULL;
    int rc = om_model_new(&m, ctx, "small.m");
    if (rc == OM_OK)
        rc = small_slots_add(m, s);
    if (rc == OM_OK)
        rc = small_transitions_add(m, s);
    if (rc != OM_OK) {
        om_model_free(m);
        return rc;
    }
    *out = m;
    return OM_OK;
}

static inline int small_model(om_context *ctx, om_model **out, small_slots *s)
{
    om_model *m = NULL;
    int rc = small_model_begin(ctx, &m, s);
    if (rc == OM_OK)
        rc = om_model_finish(m);
    if (rc != OM_OK) {
        om_model_free(m);
        return rc;
    }
    *out = m;
    return OM_OK;
}

/* GF p & GF !p over one AP: one state, two marks. */
static inline int small_automaton(om_context *ctx, om_automaton **out)
{
    static const om_cube yes = { 1, 0 }, no = { 0, 1 };
    static const char *const aps[] = { "flag" };
    om_automaton *a = NULL;
    uint32_t first;
    int rc = om_automaton_new(&a, ctx, 1, aps);
    if (rc == OM_OK)
        rc = om_automaton_add_states(a, 1, &first);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, 2);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(a, 0);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(a, 0, 0, 1, &yes, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(a, 0, 0, 2, &no, 1);
    if (rc == OM_OK)
        rc = om_automaton_finish(a);
    if (rc != OM_OK) {
        om_automaton_free(a);
        return rc;
    }
    *out = a;
    return OM_OK;
}

#endif
