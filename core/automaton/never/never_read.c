/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never claims:
 *
 *   file      = { define } "never" [ name ] "{" sequence "}" { define }
 *   define    = "#" "define" name expr, on a line
 *   sequence  = step { ( ";" | "->" ) step } [ ";" ]
 *   step      = { label ":" } statement
 *   statement = "if" option { option } "fi" | "do" option { option } "od" | "goto" label | "break"
 *             | "assert" "(" expr ")" | ( "atomic" | "d_step" ) "{" sequence "}"
 *             | "{" sequence "}" | "else" | expr
 *   option    = "::" sequence
 *
 * A claim moves once for each state of a run, by an expression (or skip) that holds there. goto and
 * break are no moves. A claim accepts if it reaches its end, if an assertion fails, or if it passes
 * a statement with a label that begins with "accept" infinitely often.
 */
#include "never.h"

#include <string.h>

enum { MOST_NODES = 1 << 20, MOST_BYTES = 1 << 30 };

static int read_sequence(om_never_reader *r, uint32_t parent, uint32_t *first);

static int add_node(om_never_reader *r, om_never_op op, uint32_t parent, uint32_t *node)
{
    if (r->node_count >= UINT32_MAX / 2)
        return om_fail(r->ctx, OM_ELIMIT, om_never__at(r, &r->token), "too many statements");
    om_never_node *moved =
        om_grow(r->heap, r->nodes, &r->node_capacity, r->node_count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    r->nodes = moved;
    *node = (uint32_t) r->node_count++;
    moved[*node] = (om_never_node){ .op = op,
        .parent = parent,
        .sibling = OM_NONE,
        .child = OM_NONE,
        .next_option = OM_NONE,
        .at = r->token };
    return OM_OK;
}

/* { "::" sequence } of an if or do */
static int read_options(om_never_reader *r, uint32_t node, const char *end)
{
    uint32_t last = OM_NONE;
    int rc = om_never__next(r);
    if (rc == OM_OK && !om_never__is(r, "::"))
        return om_never__expected(r, "'::'");
    while (rc == OM_OK && om_never__is(r, "::")) {
        uint32_t first = OM_NONE;
        rc = om_never__next(r);
        if (rc == OM_OK)
            rc = read_sequence(r, node, &first);
        if (rc == OM_OK && last == OM_NONE)
            r->nodes[node].child = first;
        else if (rc == OM_OK)
            r->nodes[last].next_option = first;
        last = first;
    }
    if (rc == OM_OK && !om_never__is(r, end))
        return om_never__expected(
            r, strcmp(end, "fi") == 0 ? "'::', ';', '->' or 'fi'" : "'::', ';', '->' or 'od'");
    return rc == OM_OK ? om_never__next(r) : rc;
}

/* "{" sequence "}", which is the child of a node */
static int read_block(om_never_reader *r, uint32_t node)
{
    uint32_t first = OM_NONE;
    int rc = om_never__expect(r, "{");
    if (rc == OM_OK)
        rc = read_sequence(r, node, &first);
    if (rc == OM_OK)
        r->nodes[node].child = first;
    if (rc == OM_OK && !om_never__is(r, "}"))
        return om_never__expected(r, "';', '->' or '}'");
    return rc == OM_OK ? om_never__next(r) : rc;
}

static int read_expression(om_never_reader *r, uint32_t node)
{
    om_bdd guard;
    int rc = om_never__expression(r, &guard);
    if (rc == OM_OK)
        r->nodes[node].guard = guard;
    return rc;
}

/* "goto" label, which never_graph.c resolves; and "assert" "(" expr ")" */
static int read_goto(om_never_reader *r, uint32_t node)
{
    int rc = om_never__next(r);
    if (rc == OM_OK && r->token.kind != OM_NEVER_WORD)
        return om_never__expected(r, "a label");
    r->nodes[node].at = r->token;
    return rc == OM_OK ? om_never__next(r) : rc;
}

static int read_assert(om_never_reader *r, uint32_t node)
{
    int rc = om_never__next(r);
    if (rc == OM_OK && !om_never__is(r, "("))
        return om_never__expected(r, "'('");
    return rc == OM_OK ? read_expression(r, node) : rc;
}

/* Reports a break outside a do, and an else that does not begin an option. */
static int check_place(om_never_reader *r, om_never_op op, uint32_t parent, bool first)
{
    if (op == OM_NEVER_BREAK) {
        while (parent != OM_NONE && r->nodes[parent].op != OM_NEVER_DO)
            parent = r->nodes[parent].parent;
        if (parent == OM_NONE)
            return om_fail(
                r->ctx, OM_EINPUT, om_never__at(r, &r->token), "'break' outside a do loop");
    }
    bool option = parent != OM_NONE && first &&
                  (r->nodes[parent].op == OM_NEVER_IF || r->nodes[parent].op == OM_NEVER_DO);
    if (op == OM_NEVER_ELSE && !option)
        return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &r->token),
            "'else' may only start an option of an if or do");
    return OM_OK;
}

static om_never_op op_here(const om_never_reader *r)
{
    static const struct {
        const char *word;
        om_never_op op;
    } words[] = { { "if", OM_NEVER_IF }, { "do", OM_NEVER_DO }, { "goto", OM_NEVER_GOTO },
        { "break", OM_NEVER_BREAK }, { "assert", OM_NEVER_ASSERT }, { "else", OM_NEVER_ELSE },
        { "atomic", OM_NEVER_ATOMIC }, { "d_step", OM_NEVER_ATOMIC }, { "{", OM_NEVER_BLOCK } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (om_never__is(r, words[i].word))
            return words[i].op;
    return OM_NEVER_EXPR;
}

static int read_statement(om_never_reader *r, uint32_t parent, bool first, uint32_t *node)
{
    om_never_op op = op_here(r);
    int rc = check_place(r, op, parent, first);
    if (rc == OM_OK && parent != OM_NONE && r->nodes[parent].op == OM_NEVER_ATOMIC &&
        (op == OM_NEVER_IF || op == OM_NEVER_DO || op == OM_NEVER_BLOCK || op == OM_NEVER_ATOMIC ||
            (op == OM_NEVER_EXPR && !first)))
        return om_fail(r->ctx, OM_EUNSUPPORTED, om_never__at(r, &r->token),
            "in 'atomic', only one expression and then assertions are supported");
    if (rc == OM_OK)
        rc = add_node(r, op, parent, node);
    if (rc != OM_OK)
        return rc;
    switch (op) {
    case OM_NEVER_IF:
        return read_options(r, *node, "fi");
    case OM_NEVER_DO:
        return read_options(r, *node, "od");
    case OM_NEVER_GOTO:
        return read_goto(r, *node);
    case OM_NEVER_ASSERT:
        return read_assert(r, *node);
    case OM_NEVER_ATOMIC:
        rc = om_never__next(r);
        return rc == OM_OK ? read_block(r, *node) : rc;
    case OM_NEVER_BLOCK:
        return read_block(r, *node);
    case OM_NEVER_EXPR:
        return read_expression(r, *node);
    case OM_NEVER_BREAK:
    case OM_NEVER_ELSE:
        break;
    }
    return om_never__next(r);
}

/* Returns true if the current word is a label: a ":" follows directly, and no "::". */
static bool at_label(const om_never_reader *r)
{
    size_t at = r->at;
    while (at < r->length && (r->input[at] == ' ' || r->input[at] == '\t'))
        at++;
    return r->token.kind == OM_NEVER_WORD && at < r->length && r->input[at] == ':' &&
           (at + 1 >= r->length || r->input[at + 1] != ':');
}

/* { label ":" }; the labels belong to the next node. */
static int read_labels(om_never_reader *r, bool *accept)
{
    int rc = OM_OK;
    *accept = false;
    while (rc == OM_OK && at_label(r)) {
        if (om_never__find(&r->labels, &r->token) != NULL)
            return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &r->token),
                "label '%.*s' is defined twice", (int) r->token.length, r->token.text);
        rc = om_never__add(r, &r->labels, &r->token, (uint32_t) r->node_count);
        *accept = *accept || (r->token.length >= 6 && memcmp(r->token.text, "accept", 6) == 0);
        if (rc == OM_OK)
            rc = om_never__next(r);
        if (rc == OM_OK)
            rc = om_never__expect(r, ":");
    }
    return rc;
}

/* Returns true if a sequence ends here. */
static bool at_end(const om_never_reader *r)
{
    return om_never__is(r, "}") || om_never__is(r, "fi") || om_never__is(r, "od") ||
           om_never__is(r, "::");
}

static int read_sequence(om_never_reader *r, uint32_t parent, uint32_t *first)
{
    uint32_t last = OM_NONE;
    int rc = OM_OK;
    if (r->depth++ >= OM_NEVER_DEPTH_MOST)
        return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &r->token), "nested too deeply");
    do {
        uint32_t node = OM_NONE;
        bool accept;
        rc = read_labels(r, &accept);
        if (rc == OM_OK)
            rc = read_statement(r, parent, last == OM_NONE, &node);
        if (rc != OM_OK)
            return rc;
        r->nodes[node].accept = accept;
        if (last == OM_NONE)
            *first = node;
        else
            r->nodes[last].sibling = node;
        last = node;
        bool compound = r->nodes[node].op == OM_NEVER_IF || r->nodes[node].op == OM_NEVER_DO ||
                        r->nodes[node].op == OM_NEVER_BLOCK || r->nodes[node].op == OM_NEVER_ATOMIC;
        bool separated = false;
        while (rc == OM_OK && (om_never__is(r, ";") || om_never__is(r, "->"))) {
            separated = true;
            rc = om_never__next(r);
        }
        /* After a closing bracket no separator is needed. */
        if (rc != OM_OK || at_end(r) || !(separated || compound))
            break;
    } while (rc == OM_OK && r->token.kind != OM_NEVER_EOF);
    r->depth--;
    return rc;
}

/* ---- the file ---- */

/* "#" "define" name expr, to the end of the line; lines with other directives are skipped. */
static int read_directive(om_never_reader *r)
{
    om_bdd value = OM_BDD_TRUE;
    r->in_define = true;
    int rc = om_never__next(r);
    if (rc == OM_OK && om_never__is(r, "define")) {
        rc = om_never__next(r);
        om_never_token name = r->token;
        if (rc == OM_OK && name.kind != OM_NEVER_WORD)
            return om_never__expected(r, "the name of a macro");
        if (rc == OM_OK && om_never__find(&r->macros, &name) != NULL)
            return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &name),
                "macro '%.*s' is defined twice", (int) name.length, name.text);
        if (rc == OM_OK && r->at < r->length && r->input[r->at] == '(')
            return om_fail(r->ctx, OM_EUNSUPPORTED, om_never__at(r, &name),
                "macros with parameters are not supported");
        if (rc == OM_OK)
            rc = om_never__next(r);
        if (rc == OM_OK)
            rc = om_never__expression(r, &value);
        if (rc == OM_OK)
            rc = om_never__add(r, &r->macros, &name, value);
        if (rc == OM_OK && r->token.kind != OM_NEVER_LINE && r->token.kind != OM_NEVER_EOF)
            return om_never__expected(r, "an operator or the end of the line");
    } else if (rc == OM_OK)
        while (r->at < r->length && r->input[r->at] != '\n')
            r->at++;
    r->in_define = false;
    return rc == OM_OK ? om_never__next(r) : rc;
}

static int read_directives(om_never_reader *r)
{
    int rc = OM_OK;
    while (rc == OM_OK && (om_never__is(r, "#") || r->token.kind == OM_NEVER_LINE))
        rc = om_never__is(r, "#") ? read_directive(r) : om_never__next(r);
    return rc;
}

static int read_claim(om_never_reader *r)
{
    uint32_t first = OM_NONE;
    int rc = om_never__next(r);
    if (rc == OM_OK)
        rc = read_directives(r);
    if (rc == OM_OK)
        rc = om_never__expect(r, "never");
    if (rc == OM_OK && r->token.kind == OM_NEVER_WORD) {
        r->name = om_strndup(r->heap, r->token.text, r->token.length);
        rc = r->name == NULL ? om_fail_memory(r->ctx) : om_never__next(r);
    }
    if (rc == OM_OK)
        rc = om_never__expect(r, "{");
    if (rc == OM_OK)
        rc = read_sequence(r, OM_NONE, &first);
    if (rc == OM_OK && !om_never__is(r, "}"))
        return om_never__expected(r, "';', '->' or '}'");
    if (rc == OM_OK)
        rc = om_never__next(r);
    if (rc == OM_OK)
        rc = read_directives(r);
    if (rc == OM_OK && r->token.kind != OM_NEVER_EOF)
        return om_never__expected(r, "the end of the file (one claim)");
    return rc;
}

static void release(om_never_reader *r)
{
    for (uint32_t i = 0; i < r->ap_count; i++)
        om_free(r->heap, r->aps[i]);
    om_bdd_space_free(r->bdd);
    om_free(r->heap, r->cubes.cubes);
    om_free(r->heap, r->macros.items);
    om_free(r->heap, r->labels.items);
    om_free(r->heap, r->nodes);
    om_free(r->heap, r->name);
}

static int read_never(
    om_automaton **out, om_context *ctx, const char *file, const char *text, size_t length)
{
    om_never_reader r = { .ctx = ctx,
        .heap = om_context_heap(ctx),
        .file = file,
        .input = length == 0 ? "" : text,
        .length = length,
        .line = 1,
        .column = 1 };
    int rc = om_bdd_space_new(&r.bdd, ctx, MOST_NODES);
    if (rc == OM_OK)
        rc = read_claim(&r);
    if (rc == OM_OK)
        rc = om_never__automaton(&r, out);
    release(&r);
    return rc;
}

/* ---- HOA or a never claim ---- */

/* Returns true if the first word, after comments and directives, is "never". */
static bool is_never(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        bool comment = text[i] == '/' && i + 1 < length && text[i + 1] == '*';
        if (text[i] == '#' || (text[i] == '/' && i + 1 < length && text[i + 1] == '/')) {
            while (i < length && (text[i] != '\n' || text[i - 1] == '\\'))
                i++;
        } else if (comment) {
            for (i += 2; i + 1 < length && !(text[i] == '*' && text[i + 1] == '/'); i++)
                continue;
            i += 2;
        } else if (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))
            i++;
        else
            break;
    }
    return length - (i < length ? i : length) >= 5 && memcmp(text + i, "never", 5) == 0 &&
           (length - i == 5 || text[i + 5] == '{' || text[i + 5] <= ' ' || text[i + 5] == '/');
}

int om_automaton_read(om_automaton **out, om_context *ctx, const char *file, const char *text,
    size_t length, uint32_t which)
{
    if (!is_never(text, length))
        return om_hoa_read(out, ctx, file, text, length, which);
    if (which > 1) {
        om_place p = { file, 0, 0 };
        return om_fail(ctx, OM_EINPUT, &p, "a never claim has only one automaton");
    }
    return read_never(out, ctx, file, text, length);
}

int om_automaton_read_file(om_automaton **out, om_context *ctx, const char *path, uint32_t which)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(ctx, path, MOST_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = om_automaton_read(out, ctx, path, text, length, which);
    om_free(om_context_heap(ctx), text);
    return rc;
}
