/* SPDX-License-Identifier: Apache-2.0 */
#include "proposition.h"

#include <omen/plugin/net.h>
#include "scan.h"
#include "term.h"

#include <assert.h>
#include <string.h>

enum { MOST_NESTING = 200 };

typedef struct reader {
    pnml_scan scan;
    const om_heap *heap;
    om_model *m;
    uint32_t nesting;
    int rc; /* status of the failure after a rule has returned false */
} reader;

static bool fail(reader *r, int rc)
{
    r->rc = rc;
    return false;
}

static bool expect(reader *r, const char *what)
{
    return fail(r, pnml_scan_unexpected(&r->scan, what));
}

static bool no_memory(reader *r)
{
    return fail(r, om_fail_memory(r->scan.net->ctx));
}

/* Returns true if the term could be made. Its operands must have been checked. */
static bool made(reader *r, pnml_term t)
{
    om_place at = { r->scan.origin, 0, 0 };
    int rc = t.e == 0 ? om_model_expr_check(r->m, &at) : OM_OK;
    if (rc != OM_OK)
        return fail(r, rc);
    return t.e != 0 || no_memory(r);
}

static bool add(reader *r, pnml_terms *list, pnml_term t)
{
    return made(r, t) && (pnml_terms_add(r->heap, list, t) || no_memory(r));
}

/* Returns the node that the current name denotes, or NULL; consumes the name. */
static const om_net_node *read_node(reader *r, bool place)
{
    return pnml_scan_node(&r->scan, place, &r->rc);
}

/* ---- functions ---- */

/* Adds the tokens of a place. */
static bool add_place(reader *r, pnml_terms *list)
{
    const om_net_node *node = read_node(r, true);
    if (node == NULL)
        return false;
    return add(r, list, pnml_term_tokens(r->scan.net, r->m, node));
}

/* Adds, for each transition of the node, whether it is enabled. */
static bool add_transition(reader *r, pnml_terms *list)
{
    const om_net_node *node = read_node(r, false);
    if (node == NULL)
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (!add(r, list, (pnml_term){ om_net_enabled(r->scan.net, r->m, node->first + i), 0, 1 }))
            return false;
    return true;
}

/* nodes = '(' NAME { ',' NAME } ')' */
static bool read_nodes(reader *r, bool places, pnml_terms *list)
{
    do {
        pnml_scan_next(&r->scan); /* '(' or ',' */
        if (!(places ? add_place(r, list) : add_transition(r, list)))
            return false;
    } while (pnml_scan_is(&r->scan, ","));
    return pnml_scan_take(&r->scan, ")") || expect(r, "\",\" or \")\"");
}

/* call = ('tokens' | 'tokens-count' | 'fire' | 'is-fireable') nodes */
static bool read_call(reader *r, bool places, pnml_term *out)
{
    pnml_terms list = { 0 }, none = { 0 };
    bool ok = read_nodes(r, places, &list);
    if (ok && places)
        *out = pnml_term_sum(r->heap, r->m, &list, &none);
    else if (ok)
        *out = list.count == 0 ? pnml_term_const(r->m, 0)
                               : pnml_term_all(r->heap, r->m, OM_OP_OR, &list);
    om_free(r->heap, list.at);
    return ok && made(r, *out);
}

/* Returns true if the current name is that of a function, followed by a bracket. */
static bool is_call(const pnml_scan *s, bool *places)
{
    static const struct {
        const char *name;
        bool places;
    } FUNCTIONS[] = { { "tokens", true }, { "tokens-count", true }, { "fire", false },
        { "is-fireable", false } };
    if (s->kind != PNML_NAME || s->quoted || s->at[strspn(s->at, " \t\r\n")] != '(')
        return false;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (strlen(FUNCTIONS[i].name) == s->length &&
            memcmp(FUNCTIONS[i].name, s->token, s->length) == 0) {
            *places = FUNCTIONS[i].places;
            return true;
        }
    return false;
}

/* ---- operands ---- */

static bool read_implication(reader *r, pnml_term *out);

static bool enter(reader *r)
{
    if (r->nesting++ < MOST_NESTING)
        return true;
    om_place at = pnml_scan_place(&r->scan, r->scan.began);
    return fail(
        r, om_fail(r->scan.net->ctx, OM_EINPUT, &at, "this expression is nested too deeply"));
}

/* parenthesis = '(' implication ')' */
static bool read_parenthesis(reader *r, pnml_term *out)
{
    pnml_scan_next(&r->scan);
    if (!enter(r) || !read_implication(r, out))
        return false;
    r->nesting--;
    return pnml_scan_take(&r->scan, ")") || expect(r, "\")\"");
}

static bool read_constant(reader *r, om_value value, pnml_term *out)
{
    *out = pnml_term_const(r->m, value);
    pnml_scan_next(&r->scan);
    return true;
}

/* primary = NUMBER | 'true' | 'false' | parenthesis | call | NAME */
static bool read_primary(reader *r, pnml_term *out)
{
    pnml_scan *s = &r->scan;
    bool places = false;
    if (s->kind == PNML_NUMBER)
        return read_constant(r, s->value, out);
    if (pnml_scan_is(s, "true") || pnml_scan_is(s, "false"))
        return read_constant(r, pnml_scan_is(s, "true"), out);
    if (pnml_scan_is(s, "("))
        return read_parenthesis(r, out);
    if (s->kind != PNML_NAME)
        return expect(r, "an expression");
    if (is_call(s, &places)) {
        pnml_scan_next(s);
        return read_call(r, places, out);
    }
    const om_net_node *node = read_node(r, true);
    if (node == NULL)
        return false;
    *out = pnml_term_tokens(s->net, r->m, node);
    return made(r, *out);
}

/* factor = ('-' | '!' | 'not') factor | primary. The recursion is bounded by enter(). */
static bool read_factor(reader *r, pnml_term *out) /* NOLINT(misc-no-recursion) */
{
    bool minus = pnml_scan_is(&r->scan, "-");
    if (!minus && !pnml_scan_is(&r->scan, "!") && !pnml_scan_is(&r->scan, "not"))
        return read_primary(r, out);
    pnml_scan_next(&r->scan);
    if (!enter(r) || !read_factor(r, out))
        return false;
    r->nesting--;
    *out = minus ? pnml_term_product(r->m, pnml_term_const(r->m, -1), *out)
                 : pnml_term_not(r->m, *out);
    return made(r, *out);
}

/* ---- operators, by decreasing precedence ---- */

/* product = factor { '*' factor } */
static bool read_product(reader *r, pnml_term *out)
{
    if (!read_factor(r, out))
        return false;
    while (pnml_scan_take(&r->scan, "*")) {
        pnml_term right;
        if (!read_factor(r, &right))
            return false;
        *out = pnml_term_product(r->m, *out, right);
        if (!made(r, *out))
            return false;
    }
    return true;
}

static bool read_terms(reader *r, pnml_terms *added, pnml_terms *taken)
{
    for (pnml_terms *to = added;;) {
        pnml_term t;
        if (!read_product(r, &t))
            return false;
        if (!add(r, to, t))
            return false;
        if (pnml_scan_take(&r->scan, "+"))
            to = added;
        else if (pnml_scan_take(&r->scan, "-"))
            to = taken;
        else
            return true;
    }
}

/* sum = product { ('+' | '-') product } */
static bool read_sum(reader *r, pnml_term *out)
{
    pnml_terms added = { 0 }, taken = { 0 };
    bool ok = read_terms(r, &added, &taken);
    if (ok)
        *out = pnml_term_sum(r->heap, r->m, &added, &taken);
    OM_FREE_ALL(r->heap, added.at, taken.at);
    return ok && made(r, *out);
}

/* Returns the comparison at the current token, or OM_OP_COUNT. */
static om_op comparison(const pnml_scan *s)
{
    static const struct {
        const char *sign;
        om_op op;
    } COMPARISONS[] = { { "==", OM_OP_EQ }, { "=", OM_OP_EQ }, { "!=", OM_OP_NE },
        { "<", OM_OP_LT }, { "<=", OM_OP_LE }, { ">", OM_OP_GT }, { ">=", OM_OP_GE } };
    for (size_t i = 0; i < sizeof COMPARISONS / sizeof *COMPARISONS; i++)
        if (pnml_scan_is(s, COMPARISONS[i].sign))
            return COMPARISONS[i].op;
    return OM_OP_COUNT;
}

/* relation = sum [ ('==' | '=' | '!=' | '<' | '<=' | '>' | '>=') sum ] */
static bool read_relation(reader *r, pnml_term *out)
{
    pnml_term right;
    if (!read_sum(r, out))
        return false;
    om_op op = comparison(&r->scan);
    if (op == OM_OP_COUNT)
        return true;
    pnml_scan_next(&r->scan);
    if (!read_sum(r, &right))
        return false;
    *out = pnml_term_truth(r->m, op, *out, right);
    return made(r, *out);
}

typedef bool rule(reader *r, pnml_term *out);

static bool read_row(reader *r, rule *operand, const char *sign, const char *word, pnml_terms *list)
{
    do {
        pnml_term t;
        if (!operand(r, &t))
            return false;
        if (!add(r, list, t))
            return false;
    } while (pnml_scan_take(&r->scan, sign) || pnml_scan_take(&r->scan, word));
    return true;
}

/* conjunction = relation { ('&&' | 'and') relation } */
static bool read_conjunction(reader *r, pnml_term *out)
{
    pnml_terms list = { 0 };
    bool ok = read_row(r, read_relation, "&&", "and", &list);
    if (ok)
        *out = pnml_term_all(r->heap, r->m, OM_OP_AND, &list);
    om_free(r->heap, list.at);
    return ok && made(r, *out);
}

/* disjunction = conjunction { ('||' | 'or') conjunction } */
static bool read_disjunction(reader *r, pnml_term *out)
{
    pnml_terms list = { 0 };
    bool ok = read_row(r, read_conjunction, "||", "or", &list);
    if (ok)
        *out = pnml_term_all(r->heap, r->m, OM_OP_OR, &list);
    om_free(r->heap, list.at);
    return ok && made(r, *out);
}

/* implication = disjunction [ ('imply' | '->') implication ]. The recursion is bounded by enter().
 */
static bool read_implication(reader *r, pnml_term *out) /* NOLINT(misc-no-recursion) */
{
    pnml_term right;
    if (!read_disjunction(r, out))
        return false;
    if (!pnml_scan_take(&r->scan, "imply") && !pnml_scan_take(&r->scan, "->"))
        return true;
    if (!enter(r) || !read_implication(r, &right))
        return false;
    r->nesting--;
    *out = pnml_term_truth(r->m, OM_OP_IMPLY, *out, right);
    return made(r, *out);
}

/* ---- the whole text ---- */

/* Recognises a text that, as a whole, is the id or name of a place: formulas pass a quoted id
 * without its quotes. A text of digits is a number. */
static bool is_place(reader *r, const char *text, pnml_term *out)
{
    const pnml_symbol *y = pnml_symbols_find(r->scan.symbols, text, strlen(text));
    if (y == NULL || y->place >= PNML_SHARED || text[strspn(text, "0123456789")] == '\0')
        return false;
    *out = pnml_term_tokens(r->scan.net, r->m, &r->scan.net->place_nodes[y->place]);
    return true;
}

/* proposition = implication END */
static bool read_whole(reader *r, const char *text, pnml_term *out)
{
    if (is_place(r, text, out))
        return made(r, *out);
    pnml_scan_start(&r->scan, text);
    if (!read_implication(r, out))
        return false;
    return r->scan.kind == PNML_END || expect(r, "an operator or the end");
}

int pnml_proposition(om_net *net, const pnml_symbols *symbols, om_model *m, const char *origin,
    const char *text, om_expr *out)
{
    reader r = { .scan = { .net = net, .symbols = symbols, .origin = origin },
        .heap = net->region.heap,
        .m = m };
    pnml_term whole = { 0 };
    if (!read_whole(&r, text, &whole))
        return r.rc;
    assert(r.nesting == 0 && whole.low <= whole.high); /* B1 */
    *out = whole.e;
    return OM_OK;
}
