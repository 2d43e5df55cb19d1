/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values of expressions as text without side effects (gen.h), and the prelude of all
 * text. */
#include "gen.h"

#include <assert.h>
#include <stdio.h>

/* The type of om_value, in C11 with a 64-bit long and in OpenCL C, and the mask of shift counts. */
#if OM_VALUE_BITS <= 32
#define OM_GEN_INT "int"
#define OM_GEN_SHIFT "31"
#else
#define OM_GEN_INT "long"
#define OM_GEN_SHIFT "63"
#endif

/* GCC, clang and OpenCL C define two points that C11 leaves open: converting to a signed type keeps
 * the bits, and >> of a signed number keeps its sign. */
const char om_gen__prelude[] =
    "#if defined(__GNUC__) && !defined(__OPENCL_VERSION__)\n"
    "#define OM_GEN_RARELY(X) __builtin_expect((X), 0)\n"
    "#else\n"
    "#define OM_GEN_RARELY(X) (X)\n"
    "#endif\n"
    /* Fields of the vector are om_u32 and om_i32; computed values have these types. */
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
    "}\n"
    "OM_FN void om_gen_take_out(om_u32 *v, om_u32 from, om_u32 end, om_u32 bits)\n"
    "{\n"
    "    for (om_u32 at = from; at < end; at = (at | 31u) + 1u) {\n"
    "        om_u32 w = at / 32u, last = (w + 1u) * 32u >= end;\n"
    "        om_u32 m = 0xffffffffu << (at % 32u);\n"
    "        om_u32 x = bits == 32u ? 0u : v[w] >> bits;\n"
    "        if (last)\n"
    "            m &= 0xffffffffu >> ((w + 1u) * 32u - end);\n"
    "        x &= last ? (bits == 32u ? 0u : m >> bits) : 0xffffffffu;\n"
    "        if (!last)\n"
    "            x |= v[w + 1u] << (bits == 32u ? 0u : 32u - bits);\n"
    "        v[w] = (v[w] & ~m) | (x & m);\n"
    "    }\n"
    "}\n";

static void constant(om_gen *g, om_value v)
{
    if (v == OM_VALUE_MIN) /* not the negation of a representable number */
        om_text_printf(g->out, "(%" OM_VALUE_FORMAT " - 1)", v + 1);
    else
        om_text_printf(g->out, v < 0 ? "(%" OM_VALUE_FORMAT ")" : "%" OM_VALUE_FORMAT, v);
}

/* Returns the name of a word that is read, stored in `in`. */
static const char *word_name(const om_gen *g, uint32_t word, char in[OM_GEN_WORD_NAME])
{
    if (g->vector == NULL && g->written[word] != 0)
        (void) snprintf(in, OM_GEN_WORD_NAME, "w%u", g->written[word]);
    else
        (void) snprintf(in, OM_GEN_WORD_NAME, "%s[%u]", g->vector == NULL ? "s" : g->vector, word);
    return in;
}

/* Returns true if elements of the slot are read as unsigned numbers below 2^31. */
static bool is_unsigned(const om_slot *s)
{
    return s->bits < 32 && !om_slot__signed(s);
}

/* `cast` precedes an unsigned element. */
static void scalar(om_gen *g, const om_slot *s, uint32_t position, const char *cast)
{
    char in[OM_GEN_WORD_NAME];
    const char *word = word_name(g, position / 32, in);
    uint32_t shift = position % 32, spare = 32 - s->bits;
    if (s->bits == 32)
        om_text_printf(g->out, "(om_i32)%s", word);
    else if (om_slot__signed(s))
        om_text_printf(g->out, "((om_i32)(%s << %u) >> %u)", word, spare - shift, spare);
    else
        om_text_printf(g->out, "%s(%s >> %u & %uu)", cast, word, shift, UINT32_MAX >> spare);
}

static void element(om_gen *g, const om_slot *s, om_expr index, const char *cast)
{
    char in[OM_GEN_WORD_NAME];
    const char *vector = g->vector == NULL ? "s" : g->vector;
    uint32_t word = s->position / 32, spare = 32 - s->bits;
    const om_node *i = om_gen__node(g, index);
    if (i->op == OM_OP_CONST) {
        scalar(g, s, s->position + (uint32_t) i->value * s->bits, cast);
        return;
    }
    if (om_slot__signed(s) && spare != 0)
        om_text_add(g->out, "((om_i32)((");
    else
        om_text_printf(g->out, "%s(", is_unsigned(s) ? cast : "(om_i32)");
    if (s->bits == 32 && !om_gen__in_one_word(s)) {
        om_text_printf(g->out, "%s[%u + ", vector, word);
        om_gen__bits(g, index);
        om_text_add(g->out, "]");
    } else if (om_gen__in_one_word(s)) {
        om_text_printf(
            g->out, "%s >> (%u + %u * ", word_name(g, word, in), s->position % 32, s->bits);
        om_gen__bits(g, index);
        om_text_printf(g->out, ") & %uu", UINT32_MAX >> spare);
    } else {
        assert(s->position % 32 == 0);
        om_text_printf(g->out, "om_gen_get(%s, %uu, ", vector, word);
        om_gen__bits(g, index);
        om_text_printf(g->out, ", %uu)", om_gen__log2_per_word(s));
    }
    if (om_slot__signed(s) && spare != 0)
        om_text_printf(g->out, ") << %u) >> %u)", spare, spare);
    else
        om_text_add(g->out, ")");
}

/* Returns true if e is written as an unsigned element (is_unsigned()), which needs no cast where
 * only its bits matter. */
static bool is_field(const om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    return g->temp[e] == 0 && (n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT) &&
           is_unsigned(om_model__slot(g->m, n->a));
}

static void field(om_gen *g, om_expr e, const char *cast)
{
    const om_node *n = om_gen__node(g, e);
    const om_slot *s = om_model__slot(g->m, n->a);
    if (n->op == OM_OP_SLOT)
        scalar(g, s, s->position, cast);
    else
        element(g, s, n->b, cast);
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

/* Writes operands of a chain a && b && c without brackets of their own. */
static void chain(om_gen *g, om_expr e, uint32_t op)
{
    const om_node *n = om_gen__node(g, e);
    if (n->op != op || g->temp[e] != 0 || om_gen__is_call(g, e)) {
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

static bool is_comparison(uint32_t op)
{
    return op == OM_OP_LT || op == OM_OP_LE || op == OM_OP_EQ || op == OM_OP_NE || op == OM_OP_GE ||
           op == OM_OP_GT;
}

/* Returns true if e is an unsigned element or a constant of that range. */
static bool is_natural(const om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    return is_field(g, e) || (n->op == OM_OP_CONST && n->value >= 0 && n->value <= INT32_MAX);
}

/* Writes a comparison of natural numbers. */
static void compare(om_gen *g, const om_node *n, const char *between)
{
    om_text_add(g->out, "(");
    field(g, n->a, "");
    om_text_add(g->out, between);
    if (is_field(g, n->b))
        field(g, n->b, "");
    else
        om_gen__value(g, n->b);
    om_text_add(g->out, ")");
}

/* Returns true if the result fits an om_i32 and does not wrap. Then plain operators compute it from
 * operands of that type, or of om_gen_int. */
static bool is_plain(const om_gen *g, om_expr e)
{
    const om_interval exact = { -INT32_MAX, INT32_MAX };
    return om_interval__within(om_interval__of(g->m, e), exact);
}

static void operator(om_gen *g, om_expr e)
{
    static const char *const plain[OM_OP_COUNT] = {
        [OM_OP_ADD] = " + ", [OM_OP_SUB] = " - ", [OM_OP_MUL] = " * "
    };
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
    const om_node *n = om_gen__node(g, e);
    if (is_comparison(n->op) && is_field(g, n->a) && is_natural(g, n->b))
        compare(g, n, how[n->op].between);
    else if (plain[n->op] != NULL && is_plain(g, e))
        around(g, n, "(", plain[n->op], ")");
    else
        around(g, n, how[n->op].before, how[n->op].between, how[n->op].after);
}

void om_gen__value(om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    if (g->temp[e] != 0) {
        if (g->temp[e] == OM_GEN_TRUE)
            om_text_add(g->out, "1");
        else
            om_text_printf(g->out, "t%u", g->temp[e]);
        return;
    }
    if (om_gen__is_call(g, e)) {
        assert(!g->m->facts[e].faults); /* prepared */
        om_text_printf(g->out, "om_gen_shared_%u(%s)", e, g->vector);
        return;
    }
    switch (n->op) {
    case OM_OP_CONST:
        constant(g, n->value);
        break;
    case OM_OP_SLOT:
    case OM_OP_ELEMENT:
        field(g, e, "(om_i32)");
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

void om_gen__bits(om_gen *g, om_expr e)
{
    if (is_field(g, e)) {
        field(g, e, "");
    } else {
        om_text_add(g->out, "(om_u32)");
        om_gen__value(g, e);
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
