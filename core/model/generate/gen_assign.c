/* SPDX-License-Identifier: Apache-2.0 */
/* Writes assignments: index and value are checked, then the bits of the slot are replaced. */
#include "gen.h"

#include <assert.h>
#include <stdio.h>

/* Returns the name of the word that is written, stored in `in`. */
static const char *target(const om_gen *g, uint32_t word, char in[OM_GEN_WORD_NAME])
{
    assert(!g->in_words || g->written[word] != 0);
    (void) snprintf(
        in, OM_GEN_WORD_NAME, g->in_words ? "w%u" : "d[%u]", g->in_words ? g->written[word] : word);
    return in;
}

/* Writes the bits of a value for a field with this mask. */
static void masked(om_gen *g, om_expr value, uint32_t mask)
{
    if (mask == UINT32_MAX ||
        om_interval__within(om_interval__of(g->m, value), (om_interval){ 0, mask })) {
        om_gen__bits(g, value);
        return;
    }
    om_text_add(g->out, "(");
    om_gen__bits(g, value);
    om_text_printf(g->out, " & %uu)", mask);
}

static void store(om_gen *g, const om_slot *s, uint32_t position, om_expr value)
{
    char in[OM_GEN_WORD_NAME];
    const char *word = target(g, position / 32, in);
    uint32_t shift = position % 32, mask = UINT32_MAX >> (32 - s->bits);
    assert(shift + s->bits <= 32 && position / 32 < g->m->words); /* within one word */
    const om_node *v = om_gen__node(g, value);
    if (s->bits == 32)
        om_text_printf(g->out, "%s = (", word);
    else
        om_text_printf(g->out, "%s = (%s & ~(%uu << %u)) | (", word, word, mask, shift);
    if (v->op == OM_OP_CONST) {
        om_text_printf(g->out, "%uu << %u);\n", (uint32_t) v->value & mask, shift);
        return;
    }
    masked(g, value, mask);
    om_text_printf(g->out, " << %u);\n", shift);
}

/* Stores to an array that lies in one word. */
static void store_in_word(om_gen *g, const om_slot *s, om_expr index, om_expr value)
{
    char in[OM_GEN_WORD_NAME];
    const char *word = target(g, s->position / 32, in);
    uint32_t mask = UINT32_MAX >> (32 - s->bits), at = ++g->temps;
    om_text_printf(g->out, "om_u32 t%u = %u + %u * ", at, s->position % 32, s->bits);
    om_gen__bits(g, index);
    om_text_printf(g->out, ";\n%s = (%s & ~(%uu << t%u)) | (", word, word, mask, at);
    masked(g, value, mask);
    om_text_printf(g->out, " << t%u);\n", at);
}

static void store_element(om_gen *g, const om_slot *s, om_expr index, om_expr value)
{
    uint32_t word = s->position / 32;
    if (om_gen__in_one_word(s)) {
        store_in_word(g, s, index, value);
        return;
    }
    if (s->bits == 32) {
        om_text_printf(g->out, "d[%u + ", word);
        om_gen__bits(g, index);
        om_text_add(g->out, "] = ");
        om_gen__bits(g, value);
        om_text_add(g->out, ";\n");
        return;
    }
    om_text_printf(g->out, "om_gen_put(d, %uu, %uu + ", word, s->position % 32 / s->bits);
    om_gen__bits(g, index);
    om_text_printf(g->out, ", %uu, ", om_gen__log2_per_word(s));
    om_gen__bits(g, value);
    om_text_add(g->out, ");\n");
}

/* ---- taking elements out ---- */

enum { WORDS = 8 /* maximum number of words that are written one by one */ };

static uint32_t low_bits(uint32_t n)
{
    return n == 0 ? 0 : UINT32_MAX >> (32 - n);
}

/* Returns the bit after the row of an element. */
static uint32_t row_end(const om_gen *g, uint32_t slot, uint32_t element)
{
    const om_slot *s = om_model__slot(g->m, slot);
    const uint32_t row = om_model__row(g->m, slot);
    return s->position + s->bits * (element / row + 1) * row;
}

bool om_gen__changes(const om_gen *g, const om_assign *a, uint32_t *first, uint32_t *end)
{
    const om_slot *s = om_model__slot(g->m, a->slot);
    const om_node *i = a->index == 0 ? NULL : om_gen__node(g, a->index);
    *first = *end = 0;
    if (i != NULL && i->op == OM_OP_CONST && (om_uvalue) i->value >= s->length)
        return true;
    const bool fixed = i == NULL || i->op == OM_OP_CONST;
    if (!fixed && !om_gen__in_one_word(s))
        return false;
    *first = (s->position + (i != NULL && fixed ? (uint32_t) i->value * s->bits : 0)) / 32;
    *end = *first + 1;
    if (a->value == 0 && i != NULL && fixed)
        *end = (row_end(g, a->slot, (uint32_t) i->value) + 31) / 32;
    return *end - *first <= WORDS;
}

/* Takes the element at bit `from` out of a row that ends before bit `after`, word by word: each
 * word takes the first element of the next one. */
static void take_out(om_gen *g, const om_slot *s, uint32_t from, uint32_t after)
{
    for (uint32_t w = from / 32; w * 32 < after; w++) {
        char in[OM_GEN_WORD_NAME], next[OM_GEN_WORD_NAME];
        const char *word = target(g, w, in);
        const bool last = after - w * 32 <= 32;
        const uint32_t high = last ? after - w * 32 : 32, low = w == from / 32 ? from % 32 : 0;
        const uint32_t mask = low_bits(high) & ~low_bits(low);
        om_text_printf(g->out, "%s = (%s & %uu)", word, word, ~mask);
        if (s->bits < 32)
            om_text_printf(
                g->out, " | ((%s >> %u) & %uu)", word, s->bits, mask & low_bits(high - s->bits));
        if (!last)
            om_text_printf(g->out, " | (%s << %u)", target(g, w + 1, next), 32 - s->bits);
        om_text_add(g->out, ";\n");
    }
}

/* Writes the bit after the row of a computed index. */
static void put_row_end(om_gen *g, const om_assign *a)
{
    const om_slot *s = om_model__slot(g->m, a->slot);
    const uint32_t row = om_model__row(g->m, a->slot);
    if (row == s->length) {
        om_text_printf(g->out, "%uu", s->position + s->bits * s->length);
        return;
    }
    om_text_printf(g->out, "%uu + (", s->position);
    om_gen__bits(g, a->index);
    om_text_printf(g->out, " / %uu + 1u) * %uu", row, row * s->bits);
}

static void take_out_of(om_gen *g, const om_assign *a)
{
    const om_slot *s = om_model__slot(g->m, a->slot);
    const om_node *i = om_gen__node(g, a->index);
    uint32_t first, end;
    if (i->op == OM_OP_CONST && (om_uvalue) i->value >= s->length)
        return; /* the check has failed */
    if (i->op == OM_OP_CONST && om_gen__changes(g, a, &first, &end)) {
        const uint32_t element = (uint32_t) i->value;
        take_out(g, s, s->position + element * s->bits, row_end(g, a->slot, element));
        return;
    }
    /* om_gen_take_out() changes memory: a word that is held in a variable has an address, too. */
    if (g->in_words)
        om_text_printf(g->out, "om_gen_take_out(&w%u, ", g->written[s->position / 32]);
    else
        om_text_printf(g->out, "om_gen_take_out(d + %u, ", s->position / 32);
    om_text_printf(g->out, "%uu + %uu * ", s->position % 32, s->bits);
    om_gen__bits(g, a->index);
    om_text_add(g->out, ", ");
    put_row_end(g, a);
    om_text_printf(g->out, " - %uu, %uu);\n", s->position / 32 * 32, s->bits);
}

/* ---- assignments ---- */

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

/* Returns true if the text of an assignment may declare a variable. */
static bool needs_block(const om_gen *g, const om_assign *a, uint32_t site)
{
    const om_facts *value = &g->m->facts[a->value];
    if (site != OM_NONE || (a->value != 0 && (value->faults || !om_gen__is_low(g, a->value))))
        return true;
    return a->index != 0 && om_gen__node(g, a->index)->op != OM_OP_CONST;
}

void om_gen__assign(om_gen *g, const om_assign *a, uint32_t site)
{
    const om_slot *s = om_model__slot(g->m, a->slot);
    const bool fixed = a->index != 0 && om_gen__node(g, a->index)->op == OM_OP_CONST;
    const bool block = needs_block(g, a, site);
    const size_t mark = block ? om_gen__begin(g) : g->set_count;
    if (a->index != 0) {
        om_gen__prepare(g, a->index);
        if (om_interval__may_miss(g->m, a->index, s)) {
            om_text_add(g->out, "if ((om_gen_uint)");
            om_gen__value(g, a->index);
            om_text_printf(g->out, " >= %uu) ", s->length);
            om_gen__fail(g, OM_FAULT_INDEX);
        }
    }
    if (a->value != 0)
        om_gen__prepare(g, a->value);
    if (site != OM_NONE)
        check_fit(g, s, a->value, site);
    if (a->value == 0)
        take_out_of(g, a);
    else if (a->index == 0)
        store(g, s, s->position, a->value);
    else if (!fixed)
        store_element(g, s, a->index, a->value);
    else if ((uint32_t) om_gen__node(g, a->index)->value < s->length)
        store(g, s, s->position + (uint32_t) om_gen__node(g, a->index)->value * s->bits, a->value);
    assert(block || g->set_count == mark);
    if (block)
        om_gen__end(g, mark);
}
