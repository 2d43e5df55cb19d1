/* SPDX-License-Identifier: Apache-2.0 */
/* Writes assignments: index and value are checked, then the bits of the slot are replaced. */
#include "gen.h"

#include <assert.h>
#include <stdio.h>

/* Returns the name of the word that is written, stored in `in`. */
static const char *target(const om_gen *g, uint32_t word, char in[OM_GEN_WORD_NAME])
{
    (void) snprintf(in, OM_GEN_WORD_NAME, g->in_words ? "w%u" : "d[%u]", word);
    return in;
}

static void store(om_gen *g, const om_slot *s, uint32_t position, om_expr value)
{
    char in[OM_GEN_WORD_NAME];
    const char *word = target(g, position / 32, in);
    uint32_t shift = position % 32, mask = UINT32_MAX >> (32 - s->bits);
    assert(shift + s->bits <= 32 && position / 32 < g->m->words); /* within one word */
    const om_node *v = om_gen__node(g, value);
    if (s->bits == 32)
        om_text_printf(g->out, "%s = ", word);
    else
        om_text_printf(g->out, "%s = (%s & %uu) | ", word, word, ~(mask << shift));
    if (v->op == OM_OP_CONST) {
        om_text_printf(g->out, "%uu;\n", ((uint32_t) v->value & mask) << shift);
        return;
    }
    om_text_add(g->out, "(((om_u32)");
    om_gen__value(g, value);
    om_text_printf(g->out, " & %uu) << %u);\n", mask, shift);
}

/* Stores to an array that lies in one word. */
static void store_in_word(om_gen *g, const om_slot *s, om_expr index, om_expr value)
{
    char in[OM_GEN_WORD_NAME];
    const char *word = target(g, s->position / 32, in);
    uint32_t mask = UINT32_MAX >> (32 - s->bits), at = ++g->temps;
    om_text_printf(g->out, "om_u32 t%u = %u + %u * (om_u32)", at, s->position % 32, s->bits);
    om_gen__value(g, index);
    om_text_printf(g->out, ";\n%s = (%s & ~(%uu << t%u)) | (((om_u32)", word, word, mask, at);
    om_gen__value(g, value);
    om_text_printf(g->out, " & %uu) << t%u);\n", mask, at);
}

static void store_element(om_gen *g, const om_slot *s, om_expr index, om_expr value)
{
    uint32_t word = s->position / 32;
    if (om_gen__in_one_word(s)) {
        store_in_word(g, s, index, value);
        return;
    }
    if (s->bits == 32) {
        om_text_printf(g->out, "d[%u + (om_u32)", word);
        om_gen__value(g, index);
        om_text_add(g->out, "] = (om_u32)");
        om_gen__value(g, value);
        om_text_add(g->out, ";\n");
        return;
    }
    om_text_printf(g->out, "om_gen_put(d, %uu, %uu + (om_u32)", word, s->position % 32 / s->bits);
    om_gen__value(g, index);
    om_text_printf(g->out, ", %uu, (om_u32)", om_gen__log2_per_word(s));
    om_gen__value(g, value);
    om_text_add(g->out, ");\n");
}

/* Writes the check of a value that may overflow; the value has a temporary afterwards. */
static void check_fit(om_gen *g, const om_slot *s, om_expr value, uint32_t site)
{
    om_gen__name(g, value);
    om_text_add(g->out, "if (OM_GEN_RARELY((om_gen_uint)");
    om_gen__value(g, value);
    if (s->low != 0)
        om_text_printf(g->out, " - %" OM_UVALUE_FORMAT "u", (om_uvalue) s->low);
    om_text_printf(
        g->out, " > %" OM_UVALUE_FORMAT "u)) ", (om_uvalue) s->high - (om_uvalue) s->low);
    if (g->m->overflow == OM_OVERFLOW_ERROR)
        om_gen__fail_of(g, OM_FAULT_OVERFLOW, site);
    else
        om_text_add(g->out, "++*overflows;\n");
}

void om_gen__assign(om_gen *g, const om_assign *a, uint32_t site)
{
    const om_slot *s = om_model__slot(g->m, a->slot);
    bool fixed = a->index != 0 && om_gen__node(g, a->index)->op == OM_OP_CONST;
    size_t mark = om_gen__begin(g);
    if (a->index != 0) {
        om_gen__prepare(g, a->index);
        if (om_interval__may_miss(g->m, a->index, s)) {
            om_text_add(g->out, "if ((om_gen_uint)");
            om_gen__value(g, a->index);
            om_text_printf(g->out, " >= %uu) ", s->length);
            om_gen__fail(g, OM_FAULT_INDEX);
        }
    }
    om_gen__prepare(g, a->value);
    if (site != OM_NONE)
        check_fit(g, s, a->value, site);
    if (a->index == 0)
        store(g, s, s->position, a->value);
    else if (!fixed)
        store_element(g, s, a->index, a->value);
    else if ((uint32_t) om_gen__node(g, a->index)->value < s->length)
        store(g, s, s->position + (uint32_t) om_gen__node(g, a->index)->value * s->bits, a->value);
    om_gen__end(g, mark);
}
