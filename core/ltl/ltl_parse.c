/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltl_parse.c: reads LTL. Precedence and associativity are those of Spot, independent of the
 * spelling (SPIN gives all logical operators one level, and groups to the left), loosest first:
 *
 *   formula = binary(IMPLIES)
 *   1  "->" "implies" "<->" "equivalent"                            right
 *   2  "^" "xor"                                                    left
 *   3  "|" "||" "\/"                                                left
 *   4  "&" "&&" "/\"                                                left
 *   5  "U" "until" "until!" "stronguntil" "W" "weakuntil"
 *      "R" "V" "release" "M"                                        right
 *   unary   = { "!" | "~" | "X" | "X[!]" | "next" | "next!" | "F" | "<>" | "eventually"
 *             | "eventually!" | "G" | "[]" | "always" } primary
 *   primary = "true" | "false" | "1" | "0" | "(" formula ")" | ap
 *   ap      = '"' text '"' | relation (see ap.c)
 *
 * X[!] and next!, the strong next of finite words, are X: every run is infinite here. operators.c
 * describes where words are operators, and the meaning of a "!" after them.
 *
 * F, G and X may be glued to the following text (GFa, XXp1), so an unquoted name does not start
 * with one of them, unless a digit or an underscore comes next (F1, G_x). U, R, W and M only count
 * as separate words (aUb is a name). Other names need quotes: "Gate.open".
 *
 * A "(" opens an operand of arithmetic if its ")" is followed by an operator of arithmetic or
 * comparison, as in (x+y)*2==4; otherwise it groups formulas. P->v of DVE needs quotes, too.
 *
 * Operators wait on a stack until one that binds less tightly comes (E. W. Dijkstra's shunting
 * yard), so nesting is limited only by memory: neither this code nor later passes recurse.
 */
#include "formula_nodes.h"

#include <assert.h>
#include <string.h>

/* An operator that waits for the end of its right operand, or (op == 0) an open bracket. */
typedef struct pending {
    uint8_t op, level;
} pending;

typedef struct reader {
    om_ltl_input in;
    om_ltl *l;
    const char *file;
    pending *waiting; /* a stack */
    size_t waiting_count, waiting_capacity;
    om_ltl_ref *operands; /* a stack */
    size_t operand_count, operand_capacity;
    size_t open;         /* open brackets on `waiting` */
    uint8_t *arithmetic; /* per "(" of the text: 1 if it opens arithmetic; NULL until needed */
    int rc;              /* if it is not OM_OK, all functions return 0 */
} reader;

static om_place place_of(const reader *r, size_t at)
{
    om_place p = { r->file, 1, 1 };
    for (size_t i = 0; i < at && i < r->in.length; i++) {
        p.column++;
        if (r->in.text[i] == '\n') {
            p.line++;
            p.column = 1;
        }
    }
    return p;
}

static om_ltl_ref fail_memory(reader *r)
{
    if (r->rc == OM_OK)
        r->rc = om_fail_memory(r->l->ctx);
    return 0;
}

/* Reports "expected X at 'offending text'" at the current position. */
static om_ltl_ref fail_expected(reader *r, const char *expected)
{
    enum { SHOWN = 24 };
    if (r->rc != OM_OK)
        return 0;
    (void) om_ltl__peek(&r->in);
    size_t left = r->in.length - r->in.at, n = left < SHOWN ? left : SHOWN;
    const char *text = r->in.text + r->in.at, *end = memchr(text, '\n', n);
    om_place p = place_of(r, r->in.at);
    if (end != NULL)
        n = (size_t) (end - text);
    if (left == 0)
        r->rc =
            om_fail(r->l->ctx, OM_EINPUT, &p, "expected %s at the end of the formula", expected);
    else
        r->rc = om_fail(r->l->ctx, OM_EINPUT, &p, "expected %s at '%.*s%s'", expected, (int) n,
            text, n < left && end == NULL ? "..." : "");
    return 0;
}

/* Reports an operator letter where a formula should begin; the user may have meant a name. */
static om_ltl_ref fail_at_operator(reader *r)
{
    const om_place p = place_of(r, r->in.at);
    assert(r->in.at < r->in.length);
    const char letter = r->in.text[r->in.at];
    om_ltl_input after = r->in;
    after.at++;
    if (r->rc != OM_OK || !om_ltl__at_arithmetic(&after))
        return fail_expected(r, "a formula");
    r->rc = om_fail(r->l->ctx, OM_EINPUT, &p,
        "expected a formula, but %c is an operator: put a proposition that begins with this name "
        "in quotes, as in \"%c == 1\"",
        letter, letter);
    return 0;
}

static om_ltl_ref make(reader *r, om_ltl_op op, om_ltl_ref a, om_ltl_ref b)
{
    if (r->rc != OM_OK)
        return 0;
    om_ltl_ref f = om_ltl_make(r->l, op, a, b);
    return f != 0 ? f : fail_memory(r);
}

static om_ltl_ref make_ap(reader *r, size_t from, size_t to)
{
    om_ltl *l = r->l;
    char *name = om_ltl__ap_name(l->heap, r->in.text + from, to - from);
    if (name == NULL)
        return fail_memory(r);
    uint32_t known = l->ap_count;
    om_ltl_ref f = *name == '\0' ? 0 : om_ltl__intern_ap(l, name);
    if (l->ap_count > known) {
        l->places[known] = place_of(r, from);
        l->places[known].file = NULL; /* borrowed for the call only */
    }
    if (f == 0) {
        om_place p = place_of(r, from);
        if (*name == '\0')
            r->rc = om_fail(l->ctx, OM_EINPUT, &p, "an atomic proposition is empty");
        else if (l->ap_count == OM_LTL_AP_MOST)
            r->rc = om_fail(l->ctx, OM_EINPUT, &p,
                "'%.80s' would be atomic proposition number %d; the limit is %d", name,
                OM_LTL_AP_MOST + 1, OM_LTL_AP_MOST);
        else
            (void) fail_memory(r);
    }
    om_free(l->heap, name);
    return f;
}

/* '"' text '"' */
static om_ltl_ref parse_quoted(reader *r)
{
    size_t from = r->in.at;
    if (!om_ltl__skip_quoted(&r->in))
        return fail_expected(r, r->in.expected);
    return make_ap(r, from + 1, r->in.at - 1);
}

/* relation; a number alone is not a proposition */
static om_ltl_ref parse_expression(reader *r)
{
    size_t from = r->in.at;
    if (!om_ltl__skip_expression(&r->in))
        return fail_expected(r, r->in.expected);
    size_t digits = from;
    while (digits < r->in.at && r->in.text[digits] >= '0' && r->in.text[digits] <= '9')
        digits++;
    if (digits == r->in.at) {
        r->in.at = from;
        return fail_expected(r, "a formula, not a number,");
    }
    int c = om_ltl__peek(&r->in);
    if (c == '=')
        return fail_expected(r, "'==' (a proposition has one comparison)");
    return make_ap(r, from, r->in.at);
}

/* Finds the ")" of each "(", and records whether arithmetic follows it. */
static bool match_brackets(reader *r)
{
    om_ltl_input in = { .text = r->in.text, .length = r->in.length };
    size_t *open = NULL, count = 0, capacity = 0;
    bool ok = true;
    r->arithmetic = om_alloc(r->l->heap, in.length, 1);
    while (r->arithmetic != NULL && ok && in.at < in.length) {
        int c = (unsigned char) in.text[in.at];
        size_t at = in.at;
        if ((c == '"' || c == '\'') && !om_ltl__skip_quoted(&in))
            break;
        if (c == '"' || c == '\'')
            continue;
        bool pair = c == '\\' || (c == '/' && at + 1 < in.length && in.text[at + 1] == '\\');
        in.at += pair ? 2 : 1;
        if (c == '(') {
            ok = OM_ROOM(r->l->heap, open, &capacity, count + 1);
            if (ok)
                open[count++] = at;
        } else if (c == ')' && count > 0) {
            om_ltl_input after = in;
            r->arithmetic[open[--count]] = om_ltl__at_arithmetic(&after);
        }
    }
    om_free(r->l->heap, open);
    return ok && r->arithmetic != NULL;
}

/* Returns true if the "(" here opens arithmetic. */
static bool opens_arithmetic(reader *r)
{
    assert(r->in.text[r->in.at] == '(');
    if (r->arithmetic == NULL && !match_brackets(r)) {
        (void) fail_memory(r);
        return false;
    }
    return r->arithmetic[r->in.at] != 0;
}

/* ---- the stacks ---- */

static void push_pending(reader *r, unsigned op, int level)
{
    if (!OM_ROOM(r->l->heap, r->waiting, &r->waiting_capacity, r->waiting_count + 1)) {
        (void) fail_memory(r);
        return;
    }
    r->waiting[r->waiting_count++] = (pending){ (uint8_t) op, (uint8_t) level };
}

static void push_operand(reader *r, om_ltl_ref f)
{
    if (!OM_ROOM(r->l->heap, r->operands, &r->operand_capacity, r->operand_count + 1)) {
        (void) fail_memory(r);
        return;
    }
    r->operands[r->operand_count++] = f;
}

/* Applies waiting operators, down to a bracket, as long as they bind at least this tightly. */
static void apply(reader *r, int level)
{
    while (r->rc == OM_OK && r->waiting_count > 0) {
        pending top = r->waiting[r->waiting_count - 1];
        if (top.op == 0 || top.level < level)
            return;
        assert(r->operand_count >= (size_t) om_ltl__arity(top.op));
        r->waiting_count--;
        om_ltl_ref b = om_ltl__arity(top.op) == 2 ? r->operands[--r->operand_count] : 0;
        om_ltl_ref *a = &r->operands[r->operand_count - 1];
        *a = make(r, (om_ltl_op) top.op, *a, b);
    }
}

/* ---- grammar rules ---- */

/* primary = "true" | "false" | "1" | "0" | ap; parse_operand() handles its bracket */
static om_ltl_ref parse_primary(reader *r)
{
    om_ltl_input *in = &r->in;
    int c = om_ltl__peek(in);
    if (c == '"')
        return parse_quoted(r);
    if (om_ltl__take_word(in, "true"))
        return make(r, OM_LTL_TRUE, 0, 0);
    if (om_ltl__take_word(in, "false"))
        return make(r, OM_LTL_FALSE, 0, 0);
    if ((c == '0' || c == '1') && om_ltl__word_length(in, in->at) == 1) {
        om_ltl_input after = *in;
        after.at++;
        if (!om_ltl__at_arithmetic(&after)) {
            in->at++;
            return make(r, c == '1' ? OM_LTL_TRUE : OM_LTL_FALSE, 0, 0);
        }
    }
    static const char letters[] = "URWM";
    if (c != 0 && strchr(letters, c) != NULL && om_ltl__word_length(in, in->at) == 1)
        return fail_at_operator(r);
    if (c == '(' || c == '-' || c == '\'' || om_ltl__word_length(in, in->at) > 0)
        return parse_expression(r);
    return fail_expected(r, "a formula");
}

enum { UNARY_LEVEL = 6 };

/* { unary operator | "(" } primary */
static void parse_operand(reader *r)
{
    while (r->rc == OM_OK) {
        om_ltl_op op = om_ltl__take_unary(&r->in);
        if (r->in.expected != NULL) {
            (void) fail_expected(r, r->in.expected);
        } else if (op != 0) {
            push_pending(r, op, UNARY_LEVEL);
        } else if (om_ltl__peek(&r->in) == '(' && !opens_arithmetic(r)) {
            r->in.at++;
            r->open++;
            push_pending(r, 0, 0);
        } else {
            push_operand(r, parse_primary(r));
            return;
        }
    }
}

/* { ")" } binary operator; returns false if none follows and the formula ends. */
static bool parse_operator(reader *r)
{
    while (r->rc == OM_OK && r->open > 0 && om_ltl__peek(&r->in) == ')') {
        apply(r, 0);
        r->waiting_count--;
        r->open--;
        r->in.at++;
    }
    const om_ltl_binary *o = r->rc == OM_OK ? om_ltl__take_binary(&r->in) : NULL;
    if (r->in.expected != NULL)
        (void) fail_expected(r, r->in.expected);
    if (o == NULL)
        return false;
    /* Left-associative operators apply waiting operators of the same level first. */
    apply(r, o->right ? o->level + 1 : o->level);
    push_pending(r, o->op, o->level);
    return r->rc == OM_OK;
}

static om_ltl_ref parse_formula(reader *r)
{
    do
        parse_operand(r);
    while (parse_operator(r));
    if (r->rc == OM_OK && r->open > 0)
        return fail_expected(r, "')' or an operator");
    if (r->rc == OM_OK && om_ltl__peek(&r->in) != 0)
        return fail_expected(r, "an operator or the end");
    if (r->rc == OM_OK && r->in.psl && r->in.until) {
        r->in.at = r->in.until_at;
        return fail_expected(r, "until! or U (strong), or W (weak), with operators of PSL,");
    }
    apply(r, 0);
    assert(r->rc != OM_OK || (r->operand_count == 1 && r->waiting_count == 0));
    return r->rc == OM_OK ? r->operands[0] : 0;
}

int om_ltl_parse(om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref *out)
{
    reader r = {
        .in = { .text = length == 0 ? "" : text, .length = length }, .l = l, .file = file
    };
    const char *nul = length == 0 ? NULL : memchr(text, '\0', length);
    if (nul != NULL) {
        om_place p = place_of(&r, (size_t) (nul - text));
        return om_fail(l->ctx, OM_EINPUT, &p, "a NUL byte in a formula");
    }
    om_ltl_ref f = parse_formula(&r);
    OM_FREE_ALL(l->heap, r.waiting, r.operands, r.arithmetic);
    if (r.rc == OM_OK)
        *out = f;
    return r.rc;
}
