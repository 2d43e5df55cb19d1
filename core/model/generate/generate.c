/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include "gen.h"
#include "model.h"
#include "analysis/sites.h"

#include <assert.h>

/* ---- groups ---- */

/* Returns the end of the group that starts with transition `first`. */
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

/* Begins text for a shape whose pieces are of these groups; a text compiled in pieces omits it. */
static void only_if(om_gen *g, uint32_t low, uint32_t high)
{
    om_text_printf(g->out, "#if OM_GEN_HAS(%u, %u)\n", low, high);
}

/* Begins a function that does nothing for other groups. */
#define PART(OTHERS)                                      \
    "#if OM_GROUP_LOW > 0 || OM_GROUP_HIGH < OM_GROUPS\n" \
    "if (" OTHERS ") return 0u;\n#endif\n"

/* Writes a label for each piece of a shape. */
static void labels_of(om_gen *g, const om_gen_shapes *s, uint32_t first)
{
    for (uint32_t i = first; i != OM_NONE; i = s->pieces[i].next)
        om_text_printf(g->out, "case %u:\n", i);
}

/* ---- guards ---- */

static void one_guard(om_gen *g, uint32_t t)
{
    om_expr guard = om_model_transition(g->m, t)->guard;
    assert(g->base <= t && t - g->base < 64); /* a bit of the mask */
    om_gen__start(g, OM_GEN_IN_GUARD, t, "s");
    size_t mark = om_gen__begin(g);
    if (om_gen__assume_guard(g, guard)) {
        om_text_printf(g->out, "mask |= (om_u64)1 << %u;\n", t - g->base);
    } else {
        om_gen__prepare(g, guard);
        om_text_add(g->out, "mask |= (om_u64)");
        om_gen__truth(g, guard);
        om_text_printf(g->out, " << %u;\n", t - g->base);
    }
    om_gen__end(g, mark);
}

/* Writes the body of a group's function. */
static void group_guards(om_gen *g, uint32_t base, uint32_t end)
{
    assert(base < end && end - base <= OM_GEN_GROUP);
    g->base = base;
    g->temps = 0;
    om_gen__start(g, OM_GEN_IN_GUARD, base, "s");
    size_t mark = om_gen__begin(g);
    om_gen__name_common(g, base, end);
    (void) om_gen__tree(g, OM_GEN_IN_GUARD, base, end, one_guard);
    om_gen__end(g, mark);
}

static void guard_function(om_gen *g, om_gen_shapes *s, uint32_t first)
{
    only_if(g, first, s->pieces[first].last);
    om_text_printf(g->out,
        "OM_FN_APART om_u64 om_gen_guards_%u(const om_u32 *s, om_u32 *fault%s)\n"
        "{\nom_u64 mask = 0;\n(void)s; (void)fault;\n",
        first, s->pieces[first].last == first ? "" : ", OM_CONSTANT const om_u32 *p");
    om_gen__put_shape(g, s, first);
    om_text_add(g->out, "return mask;\n}\n#endif\n");
}

/* The pieces are the groups. */
static void put_guards(om_gen *g, om_gen_shapes *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->pieces[i].first == i)
            guard_function(g, s, i);
    om_text_add(g->out,
        "OM_FN om_u64 om_gen_guards(om_u32 group, const om_u32 *s, om_u32 *fault)\n"
        "{\n" PART("group < OM_GROUP_LOW || group >= OM_GROUP_HIGH") "switch (group) {\n");
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->pieces[i].first != i)
            continue;
        only_if(g, i, s->pieces[i].last);
        labels_of(g, s, i);
        om_text_printf(g->out, "return om_gen_guards_%u(s, fault%s);\n#endif\n", i,
            s->pieces[i].last == i ? "" : ", om_gen_guards_row + om_gen_guards_at[group]");
    }
    om_text_add(g->out, "default: (void)s; (void)fault; return 0u;\n}\n}\n");
}

static void base_function(om_gen *g, uint32_t groups)
{
    uint32_t base = 0;
    om_text_add(g->out, "OM_FN om_u32 om_gen_base(om_u32 group)\n{\nswitch (group) {\n");
    for (uint32_t i = 0; i < groups; i++) {
        om_text_printf(g->out, "case %u: return %uu;\n", i, base);
        base = group_end(g->m, base);
    }
    assert(base == om_model_transition_count(g->m));
    om_text_printf(g->out, "default: return %uu;\n}\n}\n", base);
}

static void guards(om_gen *g, uint32_t groups)
{
    om_gen_shapes s = { .text = { .heap = g->m->heap }, .plain = 2 * g->form.plain };
    om_text *out = g->out;
    uint32_t base = 0;
    g->out = &s.text;
    for (uint32_t i = 0; i < groups && !om_gen__stopped(g); i++) {
        uint32_t end = group_end(g->m, base);
        group_guards(g, base, end);
        om_gen__add_piece(g, &s, i);
        base = end;
    }
    g->out = out;
    om_gen__put_shapes(g, &s, "guards", put_guards);
    base_function(g, groups);
}

/* ---- effects, assertions, labels ---- */

static void one_effect(om_gen *g, uint32_t t)
{
    const om_transition *tr = om_model_transition(g->m, t);
    om_gen__start(g, OM_GEN_IN_EFFECT, t, "d");
    g->temps = 0;
    for (uint32_t i = 0; i < tr->assign_count && !om_model__is_never(g->m, t); i++)
        om_gen__assign(g, &tr->assigns[i], om_model__site(g->m, t, i));
    om_text_add(g->out, "return 0u;\n");
}

static void put_effect(om_gen *g, om_gen_shapes *s, uint32_t first)
{
    const bool several = s->pieces[first].last != first;
    labels_of(g, s, first);
    if (several)
        om_text_add(g->out, "{\nOM_CONSTANT const om_u32 *p = om_gen_effects_row + "
                            "om_gen_effects_at[transition];\n");
    om_gen__put_shape(g, s, first);
    if (several)
        om_text_add(g->out, "}\n");
}

/* The pieces are the transitions. */
static void put_effects(om_gen *g, om_gen_shapes *s)
{
    uint32_t low = OM_NONE, high = OM_NONE;
    om_text_add(g->out,
        "OM_FN_APART om_u32 om_gen_effect(\n"
        "    om_u32 transition, const om_u32 *s, om_u32 *d, om_u32 *overflows)\n"
        "{\n(void)overflows;\nfor (om_u32 i = 0; i < OM_WORDS; i++) d[i] = s[i];\n" PART(
            "transition < om_gen_base(OM_GROUP_LOW) || transition >= "
            "om_gen_base(OM_GROUP_HIGH)") "switch (transition) {\n");
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t from = s->pieces[i].group, to = s->pieces[s->pieces[i].last].group;
        /* One that is never enabled has no effect: its shape is that of the default case. */
        if (s->pieces[i].first != i || om_model__is_never(g->m, i))
            continue;
        if (from != low || to != high) {
            om_text_add(g->out, low == OM_NONE ? "" : "#endif\n");
            only_if(g, low = from, high = to);
        }
        put_effect(g, s, i);
    }
    om_text_add(g->out, low == OM_NONE ? "" : "#endif\n");
    om_text_add(g->out, "default: return 0u;\n}\n}\n");
}

static void effects(om_gen *g, uint32_t groups)
{
    om_gen_shapes s = { .text = { .heap = g->m->heap }, .plain = g->form.plain };
    om_text *out = g->out;
    uint32_t t = 0;
    g->out = &s.text;
    for (uint32_t group = 0; group < groups && !om_gen__stopped(g); group++)
        for (uint32_t end = group_end(g->m, t); t < end; t++) {
            one_effect(g, t);
            om_gen__add_piece(g, &s, group);
        }
    g->out = out;
    om_gen__put_shapes(g, &s, "effects", put_effects);
}

static void one_assertion(om_gen *g, uint32_t i)
{
    const om_expr e = om_model_assertion(g->m, i)->condition;
    if (!om_model__checks(g->m, i))
        return;
    om_gen__start(g, OM_GEN_IN_ASSERTION, i, "s");
    size_t mark = om_gen__begin(g);
    om_gen__prepare(g, e);
    om_text_add(g->out, "if (!");
    om_gen__truth(g, e);
    om_text_printf(g->out, ") return %uu;\n", om_model__failure(g->m, i));
    g->faults = true;
    om_gen__end(g, mark);
}

/* Writes an assertion as a leaf of the tree. */
static void assertion_leaf(om_gen *g, uint32_t i)
{
    const om_gen_shapes *s = g->apart;
    if (om_gen__is_apart(s, i))
        om_text_printf(g->out, "OM_GEN_ASSERTION(%u, %u)\n", s->pieces[i].first, s->pieces[i].row);
    else
        one_assertion(g, i);
}

/* Most assertions concern one location of a process, so a decision tree leads to them. */
static void put_assertions(om_gen *g, om_gen_shapes *s)
{
    const uint32_t count = om_model_assertion_count(g->m);
    om_gen__put_apart(
        g, s, "OM_FN om_u32 om_gen_assertion", "const om_u32 *s, OM_CONSTANT const om_u32 *p");
    om_text_add(g->out, "#define OM_GEN_ASSERTION(N, P) { const om_u32 f = om_gen_assertion_##N(s, "
                        "om_gen_assertions_row + P); if (f != 0) return f; }\n"
                        "OM_FN_APART om_u32 om_gen_assertions(const om_u32 *s)\n{\n(void)s;\n");
    om_gen__find_leads_of_assertions(g);
    if (count != 0 && s->count == count)
        (void) om_gen__tree(g, OM_GEN_IN_ASSERTION, 0, count, assertion_leaf);
    om_text_add(g->out, "return 0u;\n}\n");
}

/* The pieces are the assertions. */
static void assertions(om_gen *g)
{
    om_gen_shapes s = { .text = { .heap = g->m->heap }, .plain = g->form.plain / 4, .apart = true };
    om_text *out = g->out;
    g->out = &s.text;
    for (uint32_t i = 0; i < om_model_assertion_count(g->m) && !om_gen__stopped(g); i++) {
        g->temps = 0;
        one_assertion(g, i);
        om_gen__add_piece(g, &s, i);
    }
    g->out = out;
    om_gen__put_shapes(g, &s, "assertions", put_assertions);
}

static void labels(om_gen *g, const om_expr *aps, uint32_t ap_count)
{
    assert(ap_count <= 64); /* a bit of the labels */
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

/* ---- the whole text ---- */

static void everything(om_gen *g, const om_expr *aps, uint32_t ap_count)
{
    uint32_t groups = group_count(g->m);
    om_text_printf(g->out,
        "#define OM_WORDS %u\n#define OM_APS %u\n#define OM_ASSERTIONS %u\n"
        "#define OM_TRANSITIONS %u\n#define OM_GROUPS %u\n#define OM_OVERFLOWS %u\n"
        "#ifndef OM_GROUP_LOW\n#define OM_GROUP_LOW 0\n#define OM_GROUP_HIGH OM_GROUPS\n#endif\n"
        "#define OM_GEN_HAS(LOW, HIGH) (OM_GROUP_LOW <= HIGH && LOW < OM_GROUP_HIGH)\n",
        g->m->words, ap_count, om_model_assertion_count(g->m), om_model_transition_count(g->m),
        groups, g->m->overflow == OM_OVERFLOW_WRAP ? g->m->site_count : 0);
    om_text_add(g->out, om_gen__prelude);
    om_gen__share(g, aps, ap_count);
    if (g->form.steps) {
        om_gen__steps(g);
    } else {
        guards(g, groups);
        effects(g, groups);
    }
    assertions(g);
    labels(g, aps, ap_count);
    om_text_printf(g->out, "#define OM_GEN_FAULTS %d\n", g->faults);
}

int om_gen__write(om_context *ctx, om_model *m, const om_expr *aps, uint32_t ap_count,
    om_gen_form form, om_text *out)
{
    om_gen g = { .ctx = ctx, .m = m, .out = out, .form = form };
    int rc = om_gen__open(&g);
    if (rc == OM_OK) {
        om_gen__find_leads(&g);
        everything(&g, aps, ap_count);
        rc = om_context_stopped(ctx);
        if (rc == OM_OK && (g.memory || out->failed))
            rc = OM_ENOMEM;
        else if (rc == OM_OK && g.deep)
            rc = OM_EUNSUPPORTED;
    }
    om_gen__close(&g);
    return rc;
}

int om_model__generate(
    om_model *m, const om_expr *aps, uint32_t ap_count, om_text *out, om_generated *facts)
{
    int rc = om_model__may_run(m, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    rc = om_gen__write(m->ctx, m, aps, ap_count, (om_gen_form){ .plain = OM_GEN_PLAIN }, out);
    if (rc == OM_OK && facts != NULL)
        *facts =
            (om_generated){ .transitions = om_model_transition_count(m), .groups = group_count(m) };
    if (rc == OM_ENOMEM)
        return om_fail_memory(m->ctx);
    return rc != OM_EUNSUPPORTED ? rc : om_fail(m->ctx, rc, NULL, "%s", OM_GEN_TOO_DEEP);
}
