/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A front end as a third party would write it: guarded commands, after Dijkstra, "Guarded Commands,
 * Nondeterminacy and Formal Derivation of Programs", CACM 1975.
 *
 *     file      { variable ";" | progress ";" | command ";" }                 # a comment
 *     variable  ("byte" | "int") NAME ["=" NUMBER]
 *     progress  "progress" expr                            true in states that make progress
 *     command   expr "->" NAME ":=" expr { "," NAME ":=" expr }               done in order
 *     expr      operands and binary operators as in C, by precedence
 *     operand   NUMBER | NAME | "(" expr ")" | ("-" | "!") operand
 */
#include <omen/plugin/frontend.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ASSIGNS = 16, MOST_DEPTH = 200, MOST_NAME = 64, MOST_NAMES = 256 };

typedef struct parser {
    om_context *ctx;
    om_model *m;
    const char *file, *at, *token, *line_start; /* the token is [token, at) */
    uint32_t line;
    unsigned depth;
    om_expr progress; /* disjunction of all conditions read, or 0 */
    int rc;           /* status of the first failure; reading stops there */
} parser;

static om_place place(const parser *p)
{
    return (om_place){ p->file, p->line, (uint32_t) (p->token - p->line_start) + 1 };
}

static bool is(const parser *p, const char *text)
{
    size_t n = (size_t) (p->at - p->token);
    return p->rc == OM_OK && strlen(text) == n && memcmp(p->token, text, n) == 0;
}

static void wrong(parser *p, const char *expected)
{
    om_place where = place(p);
    int n = (int) (p->at - p->token);
    if (p->rc == OM_OK && n == 0)
        p->rc = om_fail(p->ctx, OM_EINPUT, &where, "expected %s, found the end", expected);
    if (p->rc == OM_OK)
        p->rc =
            om_fail(p->ctx, OM_EINPUT, &where, "expected %s, found '%.*s'", expected, n, p->token);
}

/* Reads the next token: a word, a number, an operator of one or two characters, or nothing. */
static void next(parser *p)
{
    static const char *const twos[] = { "->", ":=", "==", "!=", "<=", ">=", "&&", "||" };
    for (bool comment = false; *p->at != '\0'; p->at++) {
        if (*p->at == '\n') {
            p->line++;
            p->line_start = p->at + 1;
        }
        comment = *p->at == '#' || (comment && *p->at != '\n');
        if (!comment && !isspace((unsigned char) *p->at))
            break;
    }
    p->token = p->at;
    if (isalnum((unsigned char) *p->at) || *p->at == '_')
        while (isalnum((unsigned char) *p->at) || *p->at == '_')
            p->at++;
    else if (*p->at != '\0') {
        p->at++;
        for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
            if (strncmp(p->token, twos[i], 2) == 0)
                p->at = p->token + 2;
    }
}

static bool accept(parser *p, const char *text)
{
    bool there = is(p, text);
    if (there)
        next(p);
    return there;
}

static void expect(parser *p, const char *text)
{
    if (!accept(p, text))
        wrong(p, text);
}

static int32_t number(parser *p, int32_t sign)
{
    char *end = NULL;
    errno = 0;
    long long n = sign * strtoll(p->token, &end, 10);
    if (!isdigit((unsigned char) *p->token) || end != p->at || errno != 0 || n != (int32_t) n)
        wrong(p, "a number of 32 bits");
    else
        next(p);
    return p->rc == OM_OK ? (int32_t) n : 0;
}

static void name(parser *p, char *out)
{
    size_t n = (size_t) (p->at - p->token);
    if (n == 0 || n >= MOST_NAME || !(isalpha((unsigned char) *p->token) || *p->token == '_'))
        wrong(p, "a name");
    else {
        memcpy(out, p->token, n);
        out[n] = '\0';
    }
}

/* Reads a variable; the message about an unknown one suggests the nearest name. */
static uint32_t variable(parser *p)
{
    char text[MOST_NAME] = "";
    const char *names[MOST_NAMES], *meant;
    om_place where = place(p);
    uint32_t n = om_model_slot_count(p->m);
    name(p, text);
    uint32_t slot = p->rc == OM_OK ? om_model_find_slot(p->m, text) : 0;
    if (slot == OM_NONE) {
        for (uint32_t i = 0; i < n && i < MOST_NAMES; i++)
            names[i] = om_model_slot(p->m, i)->name;
        meant = om_nearest(text, names, n < MOST_NAMES ? n : MOST_NAMES);
        p->rc = om_fail(p->ctx, OM_EINPUT, &where, "no variable '%s'%s%s%s", text,
            meant == NULL ? "" : " (did you mean '", meant == NULL ? "" : meant,
            meant == NULL ? "" : "'?)");
    }
    next(p);
    return p->rc == OM_OK ? slot : 0;
}

static om_expr binary(parser *p, unsigned least);

static om_expr operand(parser *p)
{
    om_expr e = 0;
    if (++p->depth > MOST_DEPTH)
        wrong(p, "an expression less deep");
    if (accept(p, "(")) {
        e = binary(p, 1);
        expect(p, ")");
    } else if (accept(p, "-"))
        e = om_expr_unary(p->m, OM_OP_NEG, operand(p));
    else if (accept(p, "!"))
        e = om_expr_unary(p->m, OM_OP_NOT, operand(p));
    else if (p->rc == OM_OK && isdigit((unsigned char) *p->token))
        e = om_expr_const(p->m, number(p, 1));
    else if (p->rc == OM_OK)
        e = om_expr_slot(p->m, variable(p));
    p->depth--;
    return e;
}

/* Reads operators with a precedence of at least `least`, from the left. */
static om_expr binary(parser *p, unsigned least)
{
    static const struct {
        const char *text;
        om_op op;
        unsigned binds;
    } ops[] = { { "||", OM_OP_OR, 1 }, { "&&", OM_OP_AND, 2 }, { "==", OM_OP_EQ, 3 },
        { "!=", OM_OP_NE, 3 }, { "<", OM_OP_LT, 4 }, { "<=", OM_OP_LE, 4 }, { ">", OM_OP_GT, 4 },
        { ">=", OM_OP_GE, 4 }, { "+", OM_OP_ADD, 5 }, { "-", OM_OP_SUB, 5 }, { "*", OM_OP_MUL, 6 },
        { "/", OM_OP_DIV, 6 }, { "%", OM_OP_MOD, 6 } };
    om_expr left = operand(p);
    for (size_t i = 0; i < sizeof ops / sizeof *ops;)
        if (ops[i].binds >= least && accept(p, ops[i].text)) {
            left = om_expr_binary(p->m, ops[i].op, left, binary(p, ops[i].binds + 1));
            i = 0;
        } else
            i++;
    return left;
}

static om_expr expression_of(parser *p)
{
    om_place where = place(p);
    om_expr e = binary(p, 1);
    if (p->rc == OM_OK)
        p->rc = om_model_expr_check(p->m, &where);
    return e;
}

static void declaration(parser *p, om_type type)
{
    char text[MOST_NAME] = "";
    int32_t value = 0;
    om_slot slot = { .name = text, .type = type, .process = OM_NONE, .initial = &value };
    slot.place = place(p);
    name(p, text);
    if (p->rc == OM_OK && om_model_find_slot(p->m, text) != OM_NONE)
        wrong(p, "a name that is not taken");
    next(p);
    if (accept(p, "="))
        value = accept(p, "-") ? number(p, -1) : number(p, 1);
    if (p->rc == OM_OK && type == OM_U8 && (value < 0 || value > UINT8_MAX))
        p->rc = om_fail(p->ctx, OM_EINPUT, &slot.place, "%d does not fit a byte", value);
    if (p->rc == OM_OK)
        p->rc = om_model_add_slot(p->m, &slot, NULL);
}

static void command(parser *p)
{
    om_assign assigns[MOST_ASSIGNS];
    om_written written[MOST_ASSIGNS];
    om_transition t = { .process = OM_NONE, .partner = OM_NONE, .assigns = assigns };
    const char *start = p->token;
    t.place = place(p);
    t.guard = expression_of(p);
    expect(p, "->");
    do {
        om_place where = place(p);
        if (t.assign_count == MOST_ASSIGNS) {
            wrong(p, "at most 16 assignments");
            break;
        }
        written[t.assign_count] = (om_written){ where.line, where.column };
        assigns[t.assign_count].slot = variable(p);
        assigns[t.assign_count].index = 0;
        expect(p, ":=");
        assigns[t.assign_count++].value = expression_of(p);
    } while (accept(p, ","));
    char *label = om_strndup(om_context_heap(p->ctx), start, (size_t) (p->token - start));
    t.written = written;
    t.label = label;
    if (p->rc == OM_OK)
        p->rc = label == NULL ? om_fail_memory(p->ctx) : om_model_add_transition(p->m, &t, NULL);
    om_free(om_context_heap(p->ctx), label);
}

/* A state makes progress if one of the conditions holds. */
static void progress(parser *p)
{
    om_expr e = expression_of(p);
    p->progress = p->progress == 0 ? e : om_expr_binary(p->m, OM_OP_OR, p->progress, e);
    if (p->rc == OM_OK)
        p->rc = om_model_set_progress(p->m, p->progress);
}

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    parser p = { .ctx = ctx, .file = file, .at = text, .line_start = text, .line = 1 };
    (void) options, (void) length;
    p.rc = om_model_new(&p.m, ctx, file);
    for (next(&p); p.rc == OM_OK && *p.token != '\0';) {
        if (accept(&p, "byte"))
            declaration(&p, OM_U8);
        else if (accept(&p, "int"))
            declaration(&p, OM_I32);
        else if (accept(&p, "progress"))
            progress(&p);
        else
            command(&p);
        expect(&p, ";");
        if (p.rc == OM_OK)
            p.rc = om_context_stopped(ctx);
    }
    if (p.rc == OM_OK)
        p.rc = om_model_narrow(p.m);
    if (p.rc == OM_OK)
        p.rc = om_model_finish(p.m);
    if (p.rc == OM_OK)
        *out = p.m;
    else
        om_model_free(p.m);
    return p.rc;
}

static int expression(om_model *m, const char *origin, const char *text, om_expr *out)
{
    parser p = { .ctx = om_model_context(m), .m = m, .file = origin, .at = text };
    p.line_start = text;
    p.line = 1;
    next(&p);
    om_expr e = expression_of(&p);
    if (p.rc == OM_OK && *p.token != '\0')
        wrong(&p, "an operator");
    if (p.rc == OM_OK)
        *out = e;
    return p.rc;
}

OM_API const om_frontend omen_plugin = {
    .head = OM_PLUGIN_HEAD(
        om_frontend, OM_PLUGIN_FRONTEND, "gcl", "guarded commands", "Dijkstra, CACM 1975", NULL),
    .suffixes = (const char *const[]){ ".gcl", NULL },
    .load = load,
    .expression = expression,
};
