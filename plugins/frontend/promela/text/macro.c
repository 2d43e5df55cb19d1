/* SPDX-License-Identifier: Apache-2.0 */
#include "preprocess.h"

#include <assert.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64, MOST_MADE = 1 << 24 };

/* A use of a macro. */
typedef struct use {
    pml_macro *macro;
    const pml_token *name;
    const pml_token *in;
    size_t count, at; /* at: the first token after the use */
    size_t depth;
    struct {
        size_t from, to;
    } argument[MOST_ARGUMENTS];
    size_t arguments;
} use;

static int add_argument(pml_preprocessor *p, use *u, size_t from, size_t to)
{
    if (u->arguments == MOST_ARGUMENTS)
        return PML_FAIL(p->file, u->name->at, "a macro has too many arguments");
    u->argument[u->arguments].from = from;
    u->argument[u->arguments++].to = to;
    return OM_OK;
}

/* '(' tokens {',' tokens} ')', where the tokens' own parentheses are balanced. */
static int find_arguments(pml_preprocessor *p, use *u)
{
    size_t i = u->at + 1, nesting = 0, from = i;
    for (; i < u->count; i++) {
        bool end = nesting == 0 && pml_is(&u->in[i], ")");
        bool rest = u->macro->with_rest && u->arguments + 1 == u->macro->parameter_count;
        if (end || (nesting == 0 && !rest && pml_is(&u->in[i], ","))) {
            int rc = add_argument(p, u, from, i);
            if (rc != OM_OK)
                return rc;
            from = i + 1;
        }
        if (end)
            break;
        nesting += pml_is(&u->in[i], "(");
        nesting -= pml_is(&u->in[i], ")");
    }
    if (i == u->count)
        return PML_FAIL(p->file, u->name->at,
            "the arguments of the macro \"%.*s\" are never closed", (int) u->name->length,
            u->name->text);
    u->at = i + 1;
    if (u->macro->parameter_count == 0 && u->arguments == 1 &&
        u->argument[0].from == u->argument[0].to)
        u->arguments = 0;
    if (u->macro->with_rest && u->arguments + 1 == u->macro->parameter_count) {
        int rc = add_argument(p, u, i, i);
        if (rc != OM_OK)
            return rc;
    }
    if (u->arguments != u->macro->parameter_count)
        return PML_FAIL(p->file, u->name->at, "the macro \"%.*s\" has %u parameters, not %u",
            (int) u->name->length, u->name->text, (unsigned) u->macro->parameter_count,
            (unsigned) u->arguments);
    return OM_OK;
}

size_t pml_macro_parameter(const pml_macro *m, const pml_token *t)
{
    size_t i = 0;
    if (t->kind != PML_T_NAME && t->kind != PML_T_KEYWORD)
        return m->parameter_count;
    while (i < m->parameter_count && (m->parameters[i].length != t->length ||
                                         memcmp(m->parameters[i].text, t->text, t->length) != 0))
        i++;
    return i;
}

/* ---- # and ## ---- */

/* Bounds the characters of tokens made by `#` and `##`, which could grow without end. */
static int take_length(pml_preprocessor *p, const use *u, size_t length)
{
    p->made += length;
    return p->made <= MOST_MADE
               ? OM_OK
               : PML_FAIL(p->file, u->name->at, "\"#\" and \"##\" produce more than %d characters",
                     (int) MOST_MADE);
}

/* `#` makes a string of the argument for the parameter that follows it; characters that would end
 * the string are escaped. */
static int make_text(pml_preprocessor *p, const use *u, const pml_token *hash, pml_tokens *text)
{
    om_text made = { .heap = p->file->region.heap };
    pml_token t = { .kind = PML_T_STRING, .spaced = hash->spaced, .at = u->name->at };
    const size_t k = pml_macro_parameter(u->macro, hash + 1);
    assert(k < u->arguments); /* check_body() */
    om_text_add(&made, "\"");
    for (size_t i = u->argument[k].from; i < u->argument[k].to; i++) {
        const pml_token *w = &u->in[i];
        const bool quoted = w->text[0] == '"' || w->text[0] == '\'';
        if (i > u->argument[k].from && (w->spaced || w->first))
            om_text_add(&made, " ");
        for (size_t n = 0; n < w->length; n++) {
            if (quoted && (w->text[n] == '"' || w->text[n] == '\\'))
                om_text_add(&made, "\\");
            om_text_add_n(&made, &w->text[n], 1);
        }
    }
    om_text_add(&made, "\"");
    int rc = take_length(p, u, made.length);
    t.text = made.failed ? NULL : om_region_copy(&p->file->region, made.text, made.length);
    t.length = (uint32_t) made.length;
    om_text_free(&made);
    if (t.text == NULL)
        return om_fail_memory(p->file->ctx);
    return rc == OM_OK ? pml_tokens_add(p->file, text, &t) : rc;
}

/* `##`: joins the token before index `at` and the one at it. */
static int join(pml_preprocessor *p, const use *u, pml_tokens *text, size_t at)
{
    assert(0 < at && at < text->count);
    om_text both = { .heap = p->file->region.heap };
    pml_token *left = &text->at[at - 1], made;
    int rc = take_length(p, u, (size_t) left->length + text->at[at].length);
    if (rc != OM_OK)
        return rc;
    om_text_add_n(&both, left->text, left->length);
    om_text_add_n(&both, text->at[at].text, text->at[at].length);
    const char *kept =
        both.failed ? NULL : om_region_copy(&p->file->region, both.text, both.length);
    const size_t length = both.length;
    om_text_free(&both);
    if (kept == NULL)
        return om_fail_memory(p->file->ctx);
    pml_text x = { .file = p->file, .at = kept, .end = kept + length, .line_start = kept };
    x.name = u->name->at.file;
    rc = pml_next_token(&x, &made);
    if (rc == OM_ENOMEM)
        return rc;
    if (rc != OM_OK || made.kind == PML_T_END || made.length != length) {
        om_context_clear(p->file->ctx);
        return PML_FAIL(p->file, u->name->at,
            "\"##\" of \"%.*s\" and \"%.*s\" does not form a word", (int) left->length, left->text,
            (int) text->at[at].length, text->at[at].text);
    }
    made.first = false;
    made.spaced = left->spaced;
    made.at = u->name->at;
    *left = made;
    text->count--;
    memmove(&text->at[at], &text->at[at + 1], (text->count - at) * sizeof *text->at);
    return OM_OK;
}

/* Appends token i of the macro's body. A parameter is replaced by its argument: as written next to
 * `##`, expanded elsewhere. */
static int add_operand(pml_preprocessor *p, const use *u, size_t i, bool joined, pml_tokens *text)
{
    const pml_macro *m = u->macro;
    const size_t k = pml_macro_parameter(m, &m->body[i]);
    int rc = OM_OK;
    if (k < m->parameter_count && !joined)
        return pml_expand(p, u->in + u->argument[k].from, u->argument[k].to - u->argument[k].from,
            u->depth + 1, text);
    if (k < m->parameter_count) {
        for (size_t n = u->argument[k].from; n < u->argument[k].to && rc == OM_OK; n++)
            rc = pml_tokens_add(p->file, text, &u->in[n]);
        return rc;
    }
    pml_token t = m->body[i];
    t.at = u->name->at;
    t.first = false;
    return pml_tokens_add(p->file, text, &t);
}

/* Substitutes the arguments for the parameters in the macro's body. */
static int substitute(pml_preprocessor *p, const use *u, pml_tokens *text)
{
    const pml_macro *m = u->macro;
    bool joins = false, any = false; /* any: there is a token on the left of the `##` */
    int rc = OM_OK;
    for (size_t i = 0; i < m->count && rc == OM_OK; i++) {
        const size_t from = text->count;
        if (pml_is(&m->body[i], "##")) {
            joins = true;
            continue;
        }
        if (m->with_parameters && pml_is(&m->body[i], "#")) {
            rc = make_text(p, u, &m->body[i++], text);
        } else {
            const bool before = i + 1 < m->count && pml_is(&m->body[i + 1], "##");
            rc = add_operand(p, u, i, joins || before, text);
        }
        const bool added = text->count > from;
        if (rc == OM_OK && joins && any && added)
            rc = join(p, u, text, from);
        any = added || (joins && any);
        joins = false;
    }
    return rc;
}

static int expand_use(pml_preprocessor *p, use *u, pml_tokens *out)
{
    assert(!u->macro->active);
    pml_tokens text = { NULL, 0, 0 };
    size_t before = out->count;
    int rc = u->macro->with_parameters ? find_arguments(p, u) : OM_OK;
    if (rc == OM_OK)
        rc = substitute(p, u, &text);
    u->macro->active = true;
    if (rc == OM_OK)
        rc = pml_expand(p, text.at, text.count, u->depth + 1, out);
    u->macro->active = false;
    if (rc == OM_OK && out->count > before) {
        out->at[before].first = u->name->first;
        out->at[before].spaced = u->name->spaced;
    }
    om_free(p->file->region.heap, text.at);
    return rc;
}

/* Returns true if the output ends in the name of a macro whose arguments follow at `at`. */
static bool goes_on(const pml_preprocessor *p, const pml_tokens *out, const pml_token *at)
{
    assert(out->count != 0);
    const pml_token *last = &out->at[out->count - 1];
    bool named = last->kind == PML_T_NAME || last->kind == PML_T_KEYWORD;
    const pml_macro *m =
        named && !last->painted && pml_is(at, "(") ? pml_find_macro(p, last) : NULL;
    return m != NULL && m->with_parameters && !m->active;
}

/* Expands that macro, with the arguments in the parentheses at *i. */
static int go_on(pml_preprocessor *p, const pml_token *in, size_t count, size_t *i, size_t depth,
    pml_tokens *out)
{
    pml_tokens again = { NULL, 0, 0 };
    size_t nesting = 0;
    int rc = pml_tokens_add(p->file, &again, &out->at[--out->count]);
    do {
        nesting += pml_is(&in[*i], "(");
        nesting -= pml_is(&in[*i], ")");
        if (rc == OM_OK)
            rc = pml_tokens_add(p->file, &again, &in[*i]);
        ++*i;
    } while (*i < count && nesting > 0);
    if (rc == OM_OK)
        rc = pml_expand(p, again.at, again.count, depth + 1, out);
    om_free(p->file->region.heap, again.at);
    return rc;
}

int pml_expand(
    pml_preprocessor *p, const pml_token *in, size_t count, size_t depth, pml_tokens *out)
{
    int rc = OM_OK;
    if (depth > PML_MAX_NESTING)
        return PML_FAIL(p->file, in->at, "macros are nested too deeply");
    for (size_t i = 0; i < count && rc == OM_OK;) {
        bool named = in[i].kind == PML_T_NAME || in[i].kind == PML_T_KEYWORD;
        use u = { .macro = named && !in[i].painted ? pml_find_macro(p, &in[i]) : NULL,
            .name = &in[i],
            .in = in,
            .count = count,
            .at = i + 1,
            .depth = depth };
        bool called = u.macro != NULL &&
                      (!u.macro->with_parameters || (i + 1 < count && pml_is(&in[i + 1], "(")));
        if (called && !u.macro->active) {
            const size_t before = out->count;
            rc = expand_use(p, &u, out);
            i = u.at;
            while (rc == OM_OK && out->count > before && i < count && goes_on(p, out, &in[i]))
                rc = go_on(p, in, count, &i, depth, out);
            continue;
        }
        pml_token t = in[i++];
        t.painted = t.painted || (u.macro != NULL && u.macro->active);
        rc = pml_tokens_add(p->file, out, &t);
    }
    return rc;
}

/* ---- the expressions of #if ---- */

typedef struct condition {
    pml_preprocessor *p;
    const pml_token *hash;
    const pml_token *at, *end;
    size_t nesting;
    bool failed;
} condition;

static const struct {
    const char *text;
    unsigned level;
} OPERATORS[] = { { "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 }, { "&", 5 }, { "==", 6 },
    { "!=", 6 }, { "<", 7 }, { "<=", 7 }, { ">", 7 }, { ">=", 7 }, { "<<", 8 }, { ">>", 8 },
    { "+", 9 }, { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 } };

static int64_t apply(condition *c, const char *op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t) a, y = (uint64_t) b;
    switch (op[0] | (op[1] << 8)) {
    case '|' | ('|' << 8):
        return a != 0 || b != 0;
    case '&' | ('&' << 8):
        return a != 0 && b != 0;
    case '|':
        return (int64_t) (x | y);
    case '^':
        return (int64_t) (x ^ y);
    case '&':
        return (int64_t) (x & y);
    case '=' | ('=' << 8):
        return a == b;
    case '!' | ('=' << 8):
        return a != b;
    case '<':
        return a < b;
    case '<' | ('=' << 8):
        return a <= b;
    case '>':
        return a > b;
    case '>' | ('=' << 8):
        return a >= b;
    case '<' | ('<' << 8):
        return (int64_t) (x << (y & 31));
    case '>' | ('>' << 8):
        return (int64_t) (x >> (y & 31));
    case '+':
        return (int64_t) (x + y);
    case '-':
        return (int64_t) (x - y);
    case '*':
        return (int64_t) (x * y);
    default:
        break;
    }
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        c->failed = true;
        return 0;
    }
    return op[0] == '/' ? a / b : a % b;
}

static int64_t level(condition *c, unsigned least);

static int64_t operand(condition *c)
{
    if (c->at == c->end || c->nesting > PML_MAX_NESTING) {
        c->failed = true;
        return 0;
    }
    const pml_token *t = c->at++;
    if (t->kind == PML_T_NUMBER)
        return t->value;
    if (pml_is(t, "true"))
        return 1;
    if (t->kind == PML_T_NAME || t->kind == PML_T_KEYWORD)
        return 0; /* as in C */
    c->nesting++;
    int64_t value = 0;
    if (pml_is(t, "("))
        value = level(c, 1);
    else if (pml_is(t, "!"))
        value = operand(c) == 0;
    else if (pml_is(t, "-"))
        value = (int64_t) (0 - (uint64_t) operand(c));
    else
        c->failed = true;
    c->nesting--;
    if (pml_is(t, "(")) {
        if (c->at == c->end || !pml_is(c->at, ")"))
            c->failed = true;
        else
            c->at++;
    }
    return value;
}

static int64_t level(condition *c, unsigned least)
{
    int64_t value = operand(c);
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS && !c->failed; i++)
        if (c->at < c->end && OPERATORS[i].level >= least && pml_is(c->at, OPERATORS[i].text)) {
            c->at++;
            value = apply(c, OPERATORS[i].text, value, level(c, OPERATORS[i].level + 1));
            i = (size_t) -1;
        }
    return value;
}

/* `defined NAME` and `defined(NAME)` become numbers before macros are expanded. */
static int replace_defined(pml_preprocessor *p, const pml_tokens *line, pml_tokens *out)
{
    int rc = OM_OK;
    for (size_t i = 0; i < line->count && rc == OM_OK; i++) {
        pml_token t = line->at[i];
        if (t.kind == PML_T_NAME && t.length == 7 && memcmp(t.text, "defined", 7) == 0) {
            bool open = i + 3 < line->count && pml_is(&line->at[i + 1], "(") &&
                        pml_is(&line->at[i + 3], ")");
            size_t name = open ? i + 2 : i + 1;
            if (name >= line->count)
                return PML_FAIL(p->file, t.at, "\"defined\" must be followed by a name");
            t.kind = PML_T_NUMBER;
            t.value = pml_find_macro(p, &line->at[name]) != NULL;
            i = open ? i + 3 : i + 1;
        }
        rc = pml_tokens_add(p->file, out, &t);
    }
    return rc;
}

int pml_evaluate(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line, bool *holds)
{
    pml_tokens plain = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    int rc = replace_defined(p, line, &plain);
    if (rc == OM_OK)
        rc = pml_expand(p, plain.at, plain.count, 0, &all);
    if (rc == OM_OK && all.count == 0) /* all.at may be NULL */
        rc = PML_FAIL(p->file, hash->at, "a condition is missing here");
    if (rc == OM_OK) {
        condition c = { .p = p, .hash = hash, .at = all.at, .end = all.at + all.count };
        *holds = level(&c, 1) != 0;
        if (c.failed || c.at != c.end)
            rc = PML_FAIL(p->file, hash->at, "this condition cannot be computed");
    }
    OM_FREE_ALL(p->file->region.heap, plain.at, all.at);
    return rc;
}
