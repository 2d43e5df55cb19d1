/* SPDX-License-Identifier: Apache-2.0 */
#include "gen.h"

#include <assert.h>
#include <stdio.h>

/* The type of om_value, in C11 where a long has 64 bits and in OpenCL C, and what counts its bits.
 */
#if OM_VALUE_BITS <= 32
#define OM_GEN_INT "int"
#define OM_GEN_SHIFT "31"
#else
#define OM_GEN_INT "long"
#define OM_GEN_SHIFT "63"
#endif

/* GCC, clang and OpenCL C define what C11 leaves open here: converting to a signed type keeps the
 * bits, and >> of a signed number keeps its sign. */
const char om_gen__prelude[] =
    "#if defined(__GNUC__) && !defined(__OPENCL_VERSION__)\n"
    "#define OM_GEN_RARELY(X) __builtin_expect((X), 0)\n"
    "#else\n"
    "#define OM_GEN_RARELY(X) (X)\n"
    "#endif\n"
    /* Fields of the vector are of om_u32 and om_i32; what is computed from them is of these. */
    "typedef " OM_GEN_INT " om_gen_int;\n"
    "typedef unsigned " OM_GEN_INT " om_gen_uint;\n"
    "OM_FN om_gen_int om_gen_div(om_gen_int a, om_gen_int b)\n"
    "{ return b == -1 ? (om_gen_int)(0u - (om_gen_uint)a) : a / b; }\n"
    "OM_FN om_gen_int om_gen_mod(om_gen_int a, om_gen_int b)\n"
    "{ return b == -1 ? 0 : a % b; }\n"
    "/* Element i of an array at word w, 1 << k elements a word. */\n"
    "OM_FN om_u32 om_gen_get(const om_u32 *v, om_u32 w, om_u32 i, om_u32 k)\n"
    "{ return (v[w + (i >> k)] >> ((i & ((1u << k) - 1u)) << (5u - k)))\n"
    "      & (0xffffffffu >> (32u - (32u >> k))); }\n"
    "OM_FN void om_gen_put(om_u32 *v, om_u32 w, om_u32 i, om_u32 k, om_u32 x)\n"
    "{\n"
    "    om_u32 m = 0xffffffffu >> (32u - (32u >> k)), h = (i & ((1u << k) - 1u)) << (5u - k);\n"
    "    v[w + (i >> k)] = (v[w + (i >> k)] & ~(m << h)) | ((x & m) << h);\n"
    "}\n";

/* ---- blocks and temporaries ---- */

void om_gen__start(om_gen *g, om_gen_where where, uint32_t subject, const char *vector)
{
    g->where = where;
    g->subject = subject;
    g->vector = vector;
}

size_t om_gen__begin(om_gen *g)
{
    if (++g->blocks > OM_GEN_BLOCKS)
        g->deep = true;
    om_text_add(g->out, "{\n");
    return g->set_count;
}

void om_gen__forget(om_gen *g, size_t mark)
{
    while (g->set_count > mark)
        g->temp[g->set[--g->set_count]] = 0;
}

void om_gen__end(om_gen *g, size_t mark)
{
    g->blocks--;
    om_gen__forget(g, mark);
    om_text_add(g->out, "}\n");
}

static void set(om_gen *g, om_expr e, uint32_t temp)
{
    om_expr *moved = om_grow(g->m->heap, g->set, &g->set_capacity, g->set_count + 1, sizeof *moved);
    if (moved == NULL) {
        g->memory = true;
        return;
    }
    g->set = moved;
    g->set[g->set_count++] = e;
    g->temp[e] = temp;
}

void om_gen__assume(om_gen *g, om_expr e)
{
    if (g->temp[e] == 0)
        set(g, e, OM_GEN_TRUE);
}

/* "{ *fault = 9u; return mask; }": what happens when `kind` does. The subject is g's, but for
 * overflows. */
static void fail_of(om_gen *g, uint32_t kind, uint32_t subject)
{
    g->faults = true;
    switch (g->where) {
    case OM_GEN_IN_GUARD:
        om_text_printf(g->out, "{ *fault = %uu; return mask; }\n", OM_FAULT(kind, subject));
        break;
    case OM_GEN_IN_EFFECT:
        om_text_printf(g->out, "return %uu;\n", OM_FAULT(kind, subject));
        break;
    case OM_GEN_IN_STEP:
        om_text_printf(g->out, "{ *fault = %uu; return n; }\n", OM_FAULT(kind, subject));
        break;
    case OM_GEN_IN_ASSERTION:
        om_text_printf(g->out, "return %uu;\n", OM_FAULT(OM_FAULT_IN_ASSERTION, g->subject));
        break;
    case OM_GEN_IN_LABEL:
        om_text_printf(
            g->out, "{ *fault = %uu; return 0u; }\n", OM_FAULT(OM_FAULT_IN_LABEL, g->subject));
        break;
    }
}

static void fail(om_gen *g, uint32_t kind)
{
    fail_of(g, kind, g->subject);
}

/* ---- values ---- */

static const om_node *node(const om_gen *g, om_expr e)
{
    return &g->m->nodes[e];
}

static void constant(om_gen *g, om_value v)
{
    if (v == OM_VALUE_MIN) /* not the negation of a number that there is */
        om_text_printf(g->out, "(%" OM_VALUE_FORMAT " - 1)", v + 1);
    else
        om_text_printf(g->out, v < 0 ? "(%" OM_VALUE_FORMAT ")" : "%" OM_VALUE_FORMAT, v);
}

/* Names a word that is read; `in` holds it. */
enum { WORD_NAME = 16 };
static const char *word_name(const om_gen *g, uint32_t word, char in[WORD_NAME])
{
    if (g->vector == NULL && g->written[word])
        (void) snprintf(in, WORD_NAME, "w%u", word);
    else
        (void) snprintf(in, WORD_NAME, "%s[%u]", g->vector == NULL ? "s" : g->vector, word);
    return in;
}

static void scalar(om_gen *g, const om_slot *s, uint32_t position)
{
    char in[WORD_NAME];
    const char *word = word_name(g, position / 32, in);
    uint32_t shift = position % 32, spare = 32 - s->bits;
    if (s->bits == 32)
        om_text_printf(g->out, "(om_i32)%s", word);
    else if (om_slot__signed(s))
        om_text_printf(g->out, "((om_i32)(%s << %u) >> %u)", word, spare - shift, spare);
    else
        om_text_printf(g->out, "(om_i32)((%s >> %u) & %uu)", word, shift, UINT32_MAX >> spare);
}

static uint32_t log2_per_word(const om_slot *s)
{
    uint32_t k = 0;
    while ((s->bits << k) < 32)
        k++;
    return k;
}

static void element(om_gen *g, const om_slot *s, om_expr index)
{
    char in[WORD_NAME];
    const char *vector = g->vector == NULL ? "s" : g->vector;
    uint32_t word = s->position / 32, spare = 32 - s->bits;
    const om_node *i = node(g, index);
    if (i->op == OM_OP_CONST) {
        scalar(g, s, s->position + (uint32_t) i->value * s->bits);
        return;
    }
    if (om_slot__signed(s) && spare != 0)
        om_text_add(g->out, "((om_i32)((");
    else
        om_text_add(g->out, "(om_i32)(");
    if (s->bits == 32 && !om_gen__in_one_word(s)) {
        om_text_printf(g->out, "%s[%u + (om_u32)", vector, word);
        om_gen__value(g, index);
        om_text_add(g->out, "]");
    } else if (om_gen__in_one_word(s)) {
        om_text_printf(g->out, "(%s >> (%u + %u * (om_u32)", word_name(g, word, in),
            s->position % 32, s->bits);
        om_gen__value(g, index);
        om_text_printf(g->out, ")) & %uu", UINT32_MAX >> spare);
    } else {
        assert(s->position % 32 == 0);
        om_text_printf(g->out, "om_gen_get(%s, %uu, (om_u32)", vector, word);
        om_gen__value(g, index);
        om_text_printf(g->out, ", %uu)", log2_per_word(s));
    }
    if (om_slot__signed(s) && spare != 0)
        om_text_printf(g->out, ") << %u) >> %u)", spare, spare);
    else
        om_text_add(g->out, ")");
}

/* before a between b after */
static void around(
    om_gen *g, const om_node *n, const char *before, const char *between, const char *after)
{
    om_text_add(g->out, before);
    om_gen__value(g, n->a);
    om_text_add(g->out, between);
    if (n->b != 0)
        om_gen__value(g, n->b);
    om_text_add(g->out, after);
}

/* Operands of a chain a && b && c without brackets of their own. */
static void chain(om_gen *g, om_expr e, uint32_t op)
{
    const om_node *n = node(g, e);
    if (n->op != op || g->temp[e] != 0) {
        om_gen__truth(g, e);
        return;
    }
    if (op != OM_OP_AND || g->temp[n->a] != OM_GEN_TRUE) {
        chain(g, n->a, op);
        om_text_add(g->out, op == OM_OP_AND ? " && " : " || ");
    }
    om_gen__truth(g, n->b);
}

static void imply(om_gen *g, const om_node *n)
{
    om_text_add(g->out, "(!");
    om_gen__truth(g, n->a);
    om_text_add(g->out, " || ");
    om_gen__truth(g, n->b);
    om_text_add(g->out, ")");
}

static void divide(om_gen *g, const om_node *n)
{
    bool quotient = n->op == OM_OP_DIV;
    if (om_interval__may_be(g->m, n->b, -1))
        around(g, n, quotient ? "om_gen_div(" : "om_gen_mod(", ", ", ")");
    else
        around(g, n, "(", quotient ? " / " : " % ", ")");
}

static void operator(om_gen *g, om_expr e)
{
    static const struct {
        const char *before, *between, *after;
    } how[OM_OP_COUNT] = {
        [OM_OP_NEG] = { "(om_gen_int)(0u - (om_gen_uint)", "", ")" },
        [OM_OP_NOT] = { "(", " == 0", ")" },
        [OM_OP_COMPL] = { "(~", "", ")" },
        [OM_OP_ADD] = { "(om_gen_int)((om_gen_uint)", " + (om_gen_uint)", ")" },
        [OM_OP_SUB] = { "(om_gen_int)((om_gen_uint)", " - (om_gen_uint)", ")" },
        [OM_OP_MUL] = { "(om_gen_int)((om_gen_uint)", " * (om_gen_uint)", ")" },
        [OM_OP_BAND] = { "(", " & ", ")" },
        [OM_OP_BOR] = { "(", " | ", ")" },
        [OM_OP_BXOR] = { "(", " ^ ", ")" },
        [OM_OP_SHL] = { "(om_gen_int)((om_gen_uint)", " << (" OM_GEN_SHIFT " & ", "))" },
        [OM_OP_SHR] = { "((om_gen_int)", " >> (" OM_GEN_SHIFT " & ", "))" },
        [OM_OP_LT] = { "(", " < ", ")" },
        [OM_OP_LE] = { "(", " <= ", ")" },
        [OM_OP_EQ] = { "(", " == ", ")" },
        [OM_OP_NE] = { "(", " != ", ")" },
        [OM_OP_GE] = { "(", " >= ", ")" },
        [OM_OP_GT] = { "(", " > ", ")" },
    };
    const om_node *n = node(g, e);
    around(g, n, how[n->op].before, how[n->op].between, how[n->op].after);
}

void om_gen__value(om_gen *g, om_expr e)
{
    const om_node *n = node(g, e);
    if (g->temp[e] != 0) {
        if (g->temp[e] == OM_GEN_TRUE)
            om_text_add(g->out, "1");
        else
            om_text_printf(g->out, "t%u", g->temp[e]);
        return;
    }
    switch (n->op) {
    case OM_OP_CONST:
        constant(g, n->value);
        break;
    case OM_OP_SLOT:
        scalar(g, om_model__slot(g->m, n->a), om_model__slot(g->m, n->a)->position);
        break;
    case OM_OP_ELEMENT:
        element(g, om_model__slot(g->m, n->a), n->b);
        break;
    case OM_OP_DIV:
    case OM_OP_MOD:
        divide(g, n);
        break;
    case OM_OP_AND:
    case OM_OP_OR:
        om_text_add(g->out, "(");
        chain(g, e, n->op);
        om_text_add(g->out, ")");
        break;
    case OM_OP_IMPLY:
        imply(g, n);
        break;
    default:
        operator(g, e);
        break;
    }
}

void om_gen__truth(om_gen *g, om_expr e)
{
    if (om_fold__is_boolean(g->m, e)) {
        om_gen__value(g, e);
        return;
    }
    om_text_add(g->out, "(");
    om_gen__value(g, e);
    om_text_add(g->out, " != 0)");
}

/* ---- statements before a value ---- */

/* "om_gen_int t7 = " ... the caller goes on; the node is t7 from now on. */
static uint32_t declare(om_gen *g)
{
    om_text_printf(g->out, "om_gen_int t%u = ", ++g->temps);
    return g->temps;
}

static void keep(om_gen *g, om_expr e)
{
    uint32_t t = declare(g);
    om_gen__value(g, e);
    om_text_add(g->out, ";\n");
    set(g, e, t);
}

void om_gen__name(om_gen *g, om_expr e)
{
    om_gen__prepare(g, e);
    if (g->temp[e] == 0)
        keep(g, e);
}

/* Brackets that value() would open, at most. A chain opens one. */
static uint32_t depth(const om_gen *g, om_expr e)
{
    const om_node *n = node(g, e);
    uint32_t a, b;
    if (g->temp[e] != 0 || n->op == OM_OP_CONST || n->op == OM_OP_SLOT)
        return 1;
    if (n->op == OM_OP_ELEMENT)
        return 3 + depth(g, n->b);
    if ((n->op == OM_OP_AND || n->op == OM_OP_OR) && node(g, n->a)->op == n->op)
        a = depth(g, n->a);
    else
        a = 2 + depth(g, n->a);
    b = n->b == 0 ? 0 : 2 + depth(g, n->b);
    return a > b ? a : b;
}

/* Behind the check of its right operand. A constant that fails it must not be written out. */
static void keep_checked(om_gen *g, om_expr e)
{
    if (node(g, node(g, e)->b)->op != OM_OP_CONST) {
        keep(g, e);
        return;
    }
    om_text_printf(g->out, "om_gen_int t%u = 0;\n", ++g->temps);
    set(g, e, g->temps);
}

static void prepare_element(om_gen *g, om_expr e)
{
    const om_node *n = node(g, e);
    const om_slot *s = om_model__slot(g->m, n->a);
    om_gen__prepare(g, n->b);
    if (om_interval__may_miss(g->m, n->b, s)) {
        om_text_add(g->out, "if ((om_gen_uint)");
        om_gen__value(g, n->b);
        om_text_printf(g->out, " >= %uu) ", s->length);
        fail(g, OM_FAULT_INDEX);
        keep_checked(g, e);
    }
}

static void prepare_division(om_gen *g, om_expr e)
{
    const om_node *n = node(g, e);
    om_gen__prepare(g, n->a);
    om_gen__prepare(g, n->b);
    if (om_interval__may_be(g->m, n->b, 0)) {
        om_text_add(g->out, "if (");
        om_gen__value(g, n->b);
        om_text_add(g->out, " == 0) ");
        fail(g, OM_FAULT_DIVISION);
        keep_checked(g, e);
    }
}

static bool goes_on(const om_gen *g, om_expr e, uint32_t op)
{
    return node(g, e)->op == op && g->temp[e] == 0;
}

/* "if (t) { t = e; }", or !t, with what e needs. */
static void unless_decided(om_gen *g, uint32_t op, uint32_t t, const char *negate, om_expr e)
{
    om_text_printf(g->out, "if (%st%u) ", op == OM_OP_AND ? "" : "!", t);
    size_t mark = om_gen__begin(g);
    om_gen__prepare(g, e);
    om_text_printf(g->out, "t%u = %s", t, negate);
    om_gen__truth(g, e);
    om_text_add(g->out, ";\n");
    om_gen__end(g, mark);
}

static void prepare_logic(om_gen *g, om_expr e)
{
    const om_node *n = node(g, e);
    om_gen__prepare(g, n->a);
    if (!g->m->facts[n->b].faults) {
        om_gen__prepare(g, n->b); /* temporaries of deep ones at most */
        return;
    }
    if (n->op == OM_OP_AND && g->temp[n->a] == OM_GEN_TRUE) {
        om_gen__prepare(g, n->b);
        return;
    }
    /* t is the result where what was seen so far decides, and then whether it does. A chain to the
     * right, a && (b && (c ...)), goes on with the same t instead of one block in the other. */
    const char *negate = n->op == OM_OP_IMPLY ? "!" : "";
    uint32_t op = n->op, t = declare(g);
    om_expr right = n->b;
    om_text_add(g->out, negate);
    om_gen__truth(g, n->a);
    om_text_add(g->out, ";\n");
    for (; goes_on(g, right, op); right = node(g, right)->b)
        unless_decided(g, op, t, negate, node(g, right)->a);
    unless_decided(g, op, t, "", right);
    set(g, e, t);
}

void om_gen__prepare(om_gen *g, om_expr e)
{
    const om_node *n = node(g, e);
    const om_facts *f = &g->m->facts[e];
    if (g->temp[e] != 0 || (!f->faults && f->height <= OM_GEN_INLINE / 3))
        return;
    switch (n->op) {
    case OM_OP_CONST:
    case OM_OP_SLOT:
        break;
    case OM_OP_ELEMENT:
        prepare_element(g, e);
        break;
    case OM_OP_DIV:
    case OM_OP_MOD:
        prepare_division(g, e);
        break;
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        prepare_logic(g, e);
        break;
    default:
        om_gen__prepare(g, n->a);
        if (n->b != 0)
            om_gen__prepare(g, n->b);
        break;
    }
    if (g->temp[e] == 0 && depth(g, e) > OM_GEN_INLINE)
        keep(g, e);
}

/* ---- assignments ---- */

/* The word that is written; `in` holds it. */
static const char *target(const om_gen *g, uint32_t word, char in[WORD_NAME])
{
    (void) snprintf(in, WORD_NAME, g->in_words ? "w%u" : "d[%u]", word);
    return in;
}

static void store(om_gen *g, const om_slot *s, uint32_t position, om_expr value)
{
    char in[WORD_NAME];
    const char *word = target(g, position / 32, in);
    uint32_t shift = position % 32, mask = UINT32_MAX >> (32 - s->bits);
    const om_node *v = node(g, value);
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

/* An array that lies in one word. */
static void store_in_word(om_gen *g, const om_slot *s, om_expr index, om_expr value)
{
    char in[WORD_NAME];
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
    om_text_printf(g->out, ", %uu, (om_u32)", log2_per_word(s));
    om_gen__value(g, value);
    om_text_add(g->out, ");\n");
}

/* Checks a value that may overflow; it has a name afterwards. */
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
        fail_of(g, OM_FAULT_OVERFLOW, site);
    else
        om_text_add(g->out, "++*overflows;\n");
}

void om_gen__assign(om_gen *g, const om_assign *a, uint32_t site)
{
    const om_slot *s = om_model__slot(g->m, a->slot);
    bool fixed = a->index != 0 && node(g, a->index)->op == OM_OP_CONST;
    size_t mark = om_gen__begin(g);
    if (a->index != 0) {
        om_gen__prepare(g, a->index);
        if (om_interval__may_miss(g->m, a->index, s)) {
            om_text_add(g->out, "if ((om_gen_uint)");
            om_gen__value(g, a->index);
            om_text_printf(g->out, " >= %uu) ", s->length);
            fail(g, OM_FAULT_INDEX);
        }
    }
    om_gen__prepare(g, a->value);
    if (site != OM_NONE)
        check_fit(g, s, a->value, site);
    if (a->index == 0)
        store(g, s, s->position, a->value);
    else if (!fixed)
        store_element(g, s, a->index, a->value);
    else if ((uint32_t) node(g, a->index)->value < s->length)
        store(g, s, s->position + (uint32_t) node(g, a->index)->value * s->bits, a->value);
    om_gen__end(g, mark);
}
