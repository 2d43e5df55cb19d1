/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include "gen.h"

/* ---- groups ---- */

/* The end of the group that starts with transition `first`. */
static uint32_t group_end(const om_model *m, uint32_t first)
{
    uint32_t end = first, count = om_model_transition_count(m);
    uint32_t process = om_model_transition(m, first)->process;
    while (end < count && end - first < OM_GEN_GROUP &&
           om_model_transition(m, end)->process == process)
        end++;
    return end;
}

static uint32_t group_count(const om_model *m)
{
    uint32_t groups = 0;
    for (uint32_t t = 0; t < om_model_transition_count(m); t = group_end(m, t))
        groups++;
    return groups;
}

/* What is written for a group is left out of a text compiled in parts. */
static void only_if(om_gen *g, uint32_t group)
{
    om_text_printf(g->out, "#if OM_GROUP_LOW <= %u && %u < OM_GROUP_HIGH\n", group, group);
}

/* ---- guards ---- */

/* The test `slot == constant` on the far left of a guard's conjunction, or 0. */
static om_expr leading_test(const om_model *m, om_expr guard)
{
    if (guard == 0)
        return 0;
    while (m->nodes[guard].op == OM_OP_AND)
        guard = m->nodes[guard].a;
    const om_node *n = &m->nodes[guard];
    bool test =
        n->op == OM_OP_EQ && m->nodes[n->a].op == OM_OP_SLOT && m->nodes[n->b].op == OM_OP_CONST;
    return test ? guard : 0;
}

/* The slot that the test is on: the SLOT node. */
static om_expr tested(const om_model *m, om_expr guard)
{
    om_expr test = leading_test(m, guard);
    return test == 0 ? 0 : m->nodes[test].a;
}

/* Writes what a transition does to a mask or to the rows, under its guard; a test known to hold is
 * left out. */
typedef void one_transition(om_gen *g, uint32_t t, uint32_t bit, om_expr known);

static void one_guard(om_gen *g, uint32_t t, uint32_t bit, om_expr known)
{
    om_expr guard = om_model_transition(g->m, t)->guard;
    if (guard == 0 || guard == known) {
        om_text_printf(g->out, "mask |= (om_u64)1 << %u;\n", bit);
        return;
    }
    om_gen__start(g, OM_GEN_IN_GUARD, t, "s");
    size_t mark = om_gen__begin(g);
    if (known != 0)
        om_gen__assume(g, known);
    om_gen__prepare(g, guard);
    om_text_add(g->out, "mask |= (om_u64)");
    om_gen__truth(g, guard);
    om_text_printf(g->out, " << %u;\n", bit);
    om_gen__end(g, mark);
}

/* Has an earlier transition of [from, t) the same leading test? */
static bool seen(const om_model *m, uint32_t from, uint32_t t)
{
    om_expr test = leading_test(m, om_model_transition(m, t)->guard);
    for (; from < t; from++)
        if (leading_test(m, om_model_transition(m, from)->guard) == test)
            return true;
    return false;
}

/*
 * Transitions [from, to) all begin with a test of the same slot: a switch, whose cases have them in
 * their order. At most one case is run, so the first fault is still the first.
 */
static void test_switch(om_gen *g, uint32_t from, uint32_t to, uint32_t base, one_transition *one)
{
    om_gen__start(g, OM_GEN_IN_GUARD, from, "s");
    om_text_add(g->out, "switch (");
    om_gen__value(g, tested(g->m, om_model_transition(g->m, from)->guard));
    om_text_add(g->out, ") {\n");
    for (uint32_t t = from; t < to; t++) {
        if (seen(g->m, from, t))
            continue;
        om_expr test = leading_test(g->m, om_model_transition(g->m, t)->guard);
        om_text_printf(g->out, "case %d:\n", g->m->nodes[g->m->nodes[test].b].value);
        for (uint32_t u = t; u < to; u++)
            if (leading_test(g->m, om_model_transition(g->m, u)->guard) == test)
                one(g, u, u - base, test);
        om_text_add(g->out, "break;\n");
    }
    om_text_add(g->out, "default: break;\n}\n");
}

/* The transitions [base, end), runs of those that test the same slot in a switch. */
static void transitions(om_gen *g, uint32_t base, uint32_t end, one_transition *one)
{
    for (uint32_t t = base; t < end;) {
        om_expr slot = tested(g->m, om_model_transition(g->m, t)->guard);
        uint32_t run = t + 1;
        while (
            slot != 0 && run < end && tested(g->m, om_model_transition(g->m, run)->guard) == slot)
            run++;
        if (run - t > 1)
            test_switch(g, t, run, base, one);
        else
            one(g, t, t - base, 0);
        t = run;
    }
}

static void group_guards(om_gen *g, uint32_t group, uint32_t base, uint32_t end)
{
    only_if(g, group);
    om_text_printf(g->out,
        "OM_FN om_u64 om_gen_guards_%u(const om_u32 *s, om_u32 *fault)\n"
        "{\nom_u64 mask = 0;\n(void)s; (void)fault;\n",
        group);
    transitions(g, base, end, one_guard);
    om_text_add(g->out, "return mask;\n}\n#endif\n");
}

static void guards(om_gen *g, uint32_t groups)
{
    uint32_t base = 0;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t end = group_end(g->m, base);
        group_guards(g, i, base, end);
        base = end;
    }
    om_text_add(g->out, "OM_FN om_u32 om_gen_base(om_u32 group)\n{\nswitch (group) {\n");
    base = 0;
    for (uint32_t i = 0; i < groups; i++) {
        om_text_printf(g->out, "case %u: return %uu;\n", i, base);
        base = group_end(g->m, base);
    }
    om_text_printf(g->out, "default: return %uu;\n}\n}\n", base);
    om_text_add(g->out, "OM_FN om_u64 om_gen_guards(om_u32 group, const om_u32 *s, om_u32 *fault)\n"
                        "{\nswitch (group) {\n");
    for (uint32_t i = 0; i < groups; i++) {
        only_if(g, i);
        om_text_printf(g->out, "case %u: return om_gen_guards_%u(s, fault);\n#endif\n", i, i);
    }
    om_text_add(g->out, "default: (void)s; (void)fault; return 0u;\n}\n}\n");
}

/* ---- effects, assertions, labels ---- */

static void effects(om_gen *g, uint32_t groups)
{
    uint32_t t = 0;
    om_text_add(g->out,
        "OM_FN om_u32 om_gen_effect(om_u32 transition, const om_u32 *s, om_u32 *d)\n"
        "{\nfor (om_u32 i = 0; i < OM_WORDS; i++) d[i] = s[i];\n"
        "switch (transition) {\n");
    for (uint32_t group = 0; group < groups; group++) {
        only_if(g, group);
        for (uint32_t end = group_end(g->m, t); t < end; t++) {
            const om_transition *tr = om_model_transition(g->m, t);
            om_text_printf(g->out, "case %u:\n", t);
            om_gen__start(g, OM_GEN_IN_EFFECT, t, "d");
            for (uint32_t i = 0; i < tr->assign_count; i++)
                om_gen__assign(g, &tr->assigns[i]);
            om_text_add(g->out, "return 0u;\n");
        }
        om_text_add(g->out, "#endif\n");
    }
    om_text_add(g->out, "default: return 0u;\n}\n}\n");
}

static void assertions(om_gen *g)
{
    om_text_add(g->out, "OM_FN om_u32 om_gen_assertions(const om_u32 *s)\n{\n(void)s;\n");
    for (uint32_t i = 0; i < om_model_assertion_count(g->m); i++) {
        om_expr e = om_model_assertion(g->m, i)->condition;
        om_gen__start(g, OM_GEN_IN_ASSERTION, i, "s");
        size_t mark = om_gen__begin(g);
        om_gen__prepare(g, e);
        om_text_add(g->out, "if (!");
        om_gen__truth(g, e);
        om_text_printf(g->out, ") return %uu;\n", OM_FAULT(OM_FAULT_ASSERTION, i));
        om_gen__end(g, mark);
    }
    om_text_add(g->out, "return 0u;\n}\n");
}

static void labels(om_gen *g, const om_expr *aps, uint32_t ap_count)
{
    om_text_add(g->out, "OM_FN om_u64 om_gen_labels(const om_u32 *s, om_u32 *fault)\n"
                        "{\nom_u64 labels = 0;\n(void)s; (void)fault;\n");
    for (uint32_t i = 0; i < ap_count; i++) {
        om_gen__start(g, OM_GEN_IN_LABEL, i, "s");
        size_t mark = om_gen__begin(g);
        om_gen__prepare(g, aps[i]);
        om_text_add(g->out, "labels |= (om_u64)");
        om_gen__truth(g, aps[i]);
        om_text_printf(g->out, " << %u;\n", i);
        om_gen__end(g, mark);
    }
    om_text_add(g->out, "return labels;\n}\n");
}

/* ---- steps: guard and effect at once, for the native executor ---- */

static bool reads(const om_model *m, om_expr e, uint32_t slot)
{
    const om_node *n = &m->nodes[e];
    if (e == 0 || n->op == OM_OP_CONST)
        return false;
    if (n->op == OM_OP_SLOT)
        return n->a == slot;
    if (n->op == OM_OP_ELEMENT)
        return n->a == slot || reads(m, n->b, slot);
    return reads(m, n->a, slot) || reads(m, n->b, slot);
}

/* May the assignments before number `i` have changed what it reads? If not it can read the state
 * that is left, whose words the compiler has at hand. */
static bool overtaken(const om_model *m, const om_transition *tr, uint32_t i)
{
    const om_assign *a = &tr->assigns[i];
    for (uint32_t k = 0; k < i; k++)
        if (reads(m, a->index, tr->assigns[k].slot) || reads(m, a->value, tr->assigns[k].slot))
            return true;
    return false;
}

static void one_step(om_gen *g, uint32_t t, uint32_t bit, om_expr known)
{
    const om_transition *tr = om_model_transition(g->m, t);
    (void) bit;
    om_gen__start(g, OM_GEN_IN_STEP, t, "s");
    size_t mark = om_gen__begin(g);
    if (known != 0)
        om_gen__assume(g, known);
    if (tr->guard != 0 && tr->guard != known) {
        om_gen__prepare(g, tr->guard);
        om_text_add(g->out, "if (");
        om_gen__truth(g, tr->guard);
        om_text_add(g->out, ") ");
    }
    size_t inner = om_gen__begin(g);
    om_text_printf(g->out,
        "om_u32 *restrict d = rows + n * stride;\n"
        "for (om_u32 i = 0; i < OM_WORDS; i++) d[i] = s[i];\n"
        "transition[n++] = %uu;\n",
        t);
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        bool late = overtaken(g->m, tr, i);
        om_gen__start(g, OM_GEN_IN_STEP, t, late ? "d" : "s");
        if (late)
            om_gen__forget(g, mark); /* what is known, or was computed, is of the state before */
        om_gen__assign(g, &tr->assigns[i]);
    }
    om_gen__end(g, inner);
    om_gen__end(g, mark);
}

static void steps(om_gen *g, uint32_t groups)
{
    uint32_t base = 0;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t end = group_end(g->m, base);
        om_text_printf(g->out,
            "static unsigned long om_gen_step_%u(const om_u32 *restrict s, om_u32 *restrict rows,\n"
            "    unsigned long stride, om_u32 *restrict transition, unsigned long n, om_u32 "
            "*restrict fault)\n"
            "{\n(void)s; (void)fault;\n",
            i);
        transitions(g, base, end, one_step);
        om_text_add(g->out, "return n;\n}\n");
        base = end;
    }
    om_text_add(g->out, "#define OM_GEN_EACH(X)");
    for (uint32_t i = 0; i < groups; i++)
        om_text_printf(g->out, " X(%u)", i);
    om_text_add(g->out, "\n");
}

/* ---- all of it ---- */

static void everything(om_gen *g, const om_expr *aps, uint32_t ap_count)
{
    uint32_t groups = group_count(g->m);
    om_text_printf(g->out,
        "#define OM_WORDS %u\n#define OM_APS %u\n#define OM_ASSERTIONS %u\n"
        "#define OM_TRANSITIONS %u\n#define OM_GROUPS %u\n"
        "#ifndef OM_GROUP_LOW\n#define OM_GROUP_LOW 0\n#define OM_GROUP_HIGH OM_GROUPS\n#endif\n",
        g->m->words, ap_count, om_model_assertion_count(g->m), om_model_transition_count(g->m),
        groups);
    om_text_add(g->out, om_gen__prelude);
    om_text_add(g->out, "#ifndef OM_GEN_STEPS\n");
    guards(g, groups);
    effects(g, groups);
    om_text_add(g->out, "#else\n");
    steps(g, groups);
    om_text_add(g->out, "#endif\n");
    assertions(g);
    labels(g, aps, ap_count);
}

int om_gen__write(om_model *m, const om_expr *aps, uint32_t ap_count, om_text *out)
{
    om_gen g = { .m = m, .out = out };
    g.temp = om_alloc(m->heap, m->node_count, sizeof *g.temp);
    if (g.temp == NULL)
        return OM_ENOMEM;
    everything(&g, aps, ap_count);
    om_free(m->heap, g.temp);
    om_free(m->heap, g.set);
    if (g.memory || out->failed)
        return OM_ENOMEM;
    return g.deep ? OM_EUNSUPPORTED : OM_OK;
}

int om_model_generate(om_model *m, const om_expr *aps, uint32_t ap_count, om_text *out)
{
    int rc = om_model__may_run(m, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    rc = om_gen__write(m, aps, ap_count, out);
    if (rc == OM_ENOMEM)
        return om_fail_memory(m->ctx);
    return rc == OM_OK ? rc : om_fail(m->ctx, rc, NULL, "%s", OM_GEN_TOO_DEEP);
}
