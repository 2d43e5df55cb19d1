/* SPDX-License-Identifier: Apache-2.0 */
/* Writes guard and effect together, for the native executor. */
#include "gen.h"

#include "analysis/sites.h"

#include <assert.h>

/* Returns true if assignments before number `i` may have changed an operand of it. Otherwise it can
 * read the source state, whose words are already loaded. */
static bool overtaken(const om_model *m, const om_transition *tr, uint32_t i)
{
    const om_assign *a = &tr->assigns[i];
    for (uint32_t k = 0; k < i; k++)
        if (om_expr_reads(m, a->index, tr->assigns[k].slot) ||
            om_expr_reads(m, a->value, tr->assigns[k].slot))
            return true;
    return false;
}

/* Returns true if e reads the slot, an array over several words, at a computed index. */
static bool reads_somewhere(const om_model *m, om_expr e, uint32_t slot)
{
    const om_node *n = &m->nodes[e];
    if (e == 0 || n->op == OM_OP_CONST || n->op == OM_OP_SLOT)
        return false;
    if (n->op == OM_OP_ELEMENT)
        return (n->a == slot && m->nodes[n->b].op != OM_OP_CONST) || reads_somewhere(m, n->b, slot);
    return reads_somewhere(m, n->a, slot) || reads_somewhere(m, n->b, slot);
}

/* Changed words are kept in local variables, unless it is only known at run time which word
 * changes. Returns true in that case. */
static bool in_memory(const om_gen *g, const om_transition *tr)
{
    const om_model *m = g->m;
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const om_assign *a = &tr->assigns[i];
        uint32_t first, end;
        if (!om_gen__changes(g, a, &first, &end))
            return true;
        if (om_gen__in_one_word(om_model__slot(m, a->slot)))
            continue;
        for (uint32_t k = i + 1; k < tr->assign_count; k++)
            if (reads_somewhere(m, tr->assigns[k].index, a->slot) ||
                reads_somewhere(m, tr->assigns[k].value, a->slot))
                return true;
    }
    return false;
}

/* Writes "om_u32 w1 = s[3];" or "d[3] = w1;" for each changed word. The variables are numbered in
 * the order of their words' assignments, so that transitions of the same shape name them equally.
 */
static void each_word(om_gen *g, const om_transition *tr, bool before)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        uint32_t w = 0, end = 0;
        (void) om_gen__changes(g, &tr->assigns[i], &w, &end);
        for (; w < end; w++) {
            assert(w < g->m->words);
            if ((g->written[w] != 0) == before)
                continue;
            count++;
            if (before)
                om_text_printf(g->out, "om_u32 w%u = s[%u];\n", count, w);
            else
                om_text_printf(g->out, "d[%u] = w%u;\n", w, count);
            g->written[w] = before ? count : 0;
        }
    }
}

static void assign(om_gen *g, om_gen_where where, uint32_t t, uint32_t i, const char *late)
{
    const om_transition *tr = om_model_transition(g->m, t);
    uint32_t *known = g->temp, site = om_model__site(g->m, t, i);
    if (!overtaken(g->m, tr, i)) {
        om_gen__start(g, where, t, "s");
        om_gen__assign(g, &tr->assigns[i], site);
        return;
    }
    /* Known and computed values are of the source state. */
    om_gen__start(g, where, t, late);
    g->temp = g->late_temp;
    om_gen__assign(g, &tr->assigns[i], site);
    g->temp = known;
}

static const char copy_row[] = "OM_GEN_COPY(d, s);\n";

/* Writes the row at d. */
static void row(om_gen *g, om_gen_where where, uint32_t t)
{
    const om_transition *tr = om_model_transition(g->m, t);
    bool memory = in_memory(g, tr);
    g->in_words = !memory;
    if (memory)
        om_text_add(g->out, copy_row);
    else
        each_word(g, tr, true);
    for (uint32_t i = 0; i < tr->assign_count; i++)
        assign(g, where, t, i, memory ? "d" : NULL);
    if (!memory) {
        om_text_add(g->out, copy_row);
        each_word(g, tr, false);
    }
    g->in_words = false;
}

/* ---- shapes ---- */

/* The pieces are the rows of the transitions. */
static void rows(om_gen *g, om_gen_shapes *s)
{
    om_text *out = g->out;
    g->out = &s->text;
    for (uint32_t t = 0; t < om_model_transition_count(g->m) && !om_gen__stopped(g); t++) {
        g->temps = 0;
        if (!om_model__is_never(g->m, t))
            row(g, OM_GEN_IN_EFFECT, t);
        om_gen__add_piece(g, s, t);
    }
    g->out = out;
}

static void put_rows(om_gen *g, om_gen_shapes *s)
{
    om_gen__put_apart(g, s, "static OM_GEN_APART om_u32 om_gen_row",
        "const om_u32 *s, om_u32 *d, om_u32 *overflows, const om_u32 *p");
    om_text_add(g->out,
        "#define OM_GEN_ROW(N, P, T) { const om_u32 f = om_gen_row_##N(s, d, overflows, "
        "om_gen_steps_row + P); \\\nif (OM_GEN_RARELY(f != 0)) { *fault = f; return n; } \\\n"
        "transition[n++] = T; d += stride; }\n");
}

/* ---- steps ---- */

static void one_step(om_gen *g, uint32_t t)
{
    const om_gen_shapes *s = g->apart;
    om_expr guard = om_model_transition(g->m, t)->guard;
    om_gen__start(g, OM_GEN_IN_STEP, t, "s");
    size_t mark = om_gen__begin(g);
    if (!om_gen__assume_guard(g, guard)) {
        om_gen__prepare(g, guard);
        om_text_add(g->out, "if (");
        om_gen__truth(g, guard);
        om_text_add(g->out, ") ");
    }
    if (om_gen__is_apart(s, t)) {
        om_text_printf(g->out, "OM_GEN_ROW(%u, %u, %u)\n", s->pieces[t].first, s->pieces[t].row, t);
    } else {
        size_t inner = om_gen__begin(g);
        row(g, OM_GEN_IN_STEP, t);
        om_text_printf(g->out, "transition[n++] = %uu;\nd += stride;\n", t);
        om_gen__end(g, inner);
    }
    om_gen__end(g, mark);
}

static void put_steps(om_gen *g, om_gen_shapes *s)
{
    uint32_t chunks = 0, count = om_model_transition_count(g->m);
    put_rows(g, s);
    /* `restrict` saves a few loads. But gcc then searches all the way up for the last write to a
     * word, which makes it 1.5 times as slow on large functions. */
    const char *apart = count > OM_GEN_LARGE ? "" : "restrict ";
    for (uint32_t from = 0, to; from < count && !om_gen__stopped(g); from = to, chunks++) {
        to = count - from > OM_GEN_CHUNK ? from + OM_GEN_CHUNK : count;
        om_text_printf(g->out,
            "static unsigned long om_gen_step_%u(const om_u32 *%ss, om_u32 *%srows,\n"
            "    unsigned long stride, om_u32 *%stransition, unsigned long n, om_u32 *%sfault)\n"
            "{\nom_u32 *d = rows + n * stride, *overflows = fault + 1;\n"
            "(void)s; (void)d; (void)overflows;\n",
            chunks, apart, apart, apart, apart);
        om_gen__start(g, OM_GEN_IN_STEP, from, "s");
        size_t mark = om_gen__begin(g);
        om_gen__name_common(g, from, to);
        uint32_t most = om_gen__tree(g, OM_GEN_IN_STEP, from, to, one_step);
        om_gen__end(g, mark);
        om_text_printf(g->out, "return n;\n}\n#define OM_GEN_MOST_%u %u\n", chunks, most);
    }
    om_text_add(g->out, "#define OM_GEN_EACH(X)");
    for (uint32_t i = 0; i < chunks; i++)
        om_text_printf(g->out, " X(%u)", i);
    om_text_printf(g->out, "\n#define OM_GEN_CHUNKS %u\n", chunks);
}

void om_gen__steps(om_gen *g)
{
    om_gen_shapes s = { .text = { .heap = g->m->heap }, .plain = g->form.plain, .apart = true };
    rows(g, &s);
    om_gen__put_shapes(g, &s, "steps", put_steps);
}
