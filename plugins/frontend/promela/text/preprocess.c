/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor: that of C, as far as models use it. It works on tokens instead of text, so
 * that each token keeps its place in the source; a token produced by a macro has the place where
 * the macro is used.
 */
#include "preprocess.h"

#include <assert.h>
#include <string.h>

static const char REST[] = "__VA_ARGS__";

static bool same(const pml_token *t, const char *name)
{
    return strlen(name) == t->length && memcmp(name, t->text, t->length) == 0;
}

static bool is_name(const pml_token *t)
{
    return t->kind == PML_T_NAME || t->kind == PML_T_KEYWORD;
}

pml_macro *pml_find_macro(const pml_preprocessor *p, const pml_token *t)
{
    return pml_index_get(&p->macros, t->text, t->length, NULL);
}

/* Reads the rest of the directive's line. */
static int read_line(pml_preprocessor *p, pml_text *x, pml_tokens *line)
{
    int rc = OM_OK;
    line->count = 0;
    while (rc == OM_OK) {
        pml_text ahead = *x;
        pml_token t;
        rc = pml_next_token(&ahead, &t);
        if (rc != OM_OK || t.kind == PML_T_END || t.first)
            return rc;
        *x = ahead;
        rc = pml_tokens_add(p->file, line, &t);
    }
    return rc;
}

/* The lexer splits "..." into ".." and ".". */
static bool is_rest(const pml_tokens *line, size_t at)
{
    return at + 1 < line->count && pml_is(&line->at[at], "..") && pml_is(&line->at[at + 1], ".");
}

/* '(' [NAME {',' NAME} [',' '...']] ')' directly after the name gives the macro parameters; "..."
 * is a parameter named __VA_ARGS__. */
static int read_parameters(pml_preprocessor *p, pml_macro *m, const pml_tokens *line, size_t *at)
{
    size_t i = 2;
    m->with_parameters = true;
    m->parameters = om_region_take(&p->file->region, line->count, sizeof *m->parameters);
    if (m->parameters == NULL)
        return om_fail_memory(p->file->ctx);
    if (i < line->count && pml_is(&line->at[i], ")")) {
        *at = i + 1;
        return OM_OK;
    }
    for (; i < line->count && (is_name(&line->at[i]) || is_rest(line, i)); i += 2) {
        m->with_rest = is_rest(line, i);
        pml_token *parameter = &m->parameters[m->parameter_count++];
        *parameter = line->at[i];
        if (m->with_rest) {
            parameter->kind = PML_T_NAME;
            parameter->text = REST;
            parameter->length = sizeof REST - 1;
        }
        bool more = i + 1 < line->count && pml_is(&line->at[i + 1], ",");
        if (!more)
            break;
    }
    i += m->with_rest;
    if (i + 1 >= line->count || !(m->with_rest || is_name(&line->at[i])) ||
        !pml_is(&line->at[i + 1], ")"))
        return PML_FAIL(
            p->file, m->name.at, "the parameters of this macro must be names in parentheses");
    *at = i + 2;
    return OM_OK;
}

static void forget(pml_preprocessor *p, const pml_token *name)
{
    pml_index_drop(&p->macros, name->text, name->length, NULL);
}

/* `##` must stand between tokens, and `#` before a parameter. */
static int check_body(pml_preprocessor *p, const pml_macro *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const pml_token *t = &m->body[i];
        if (pml_is(t, "##") && (i == 0 || i + 1 == m->count))
            return PML_FAIL(p->file, t->at, "\"##\" must be between two words");
        if (m->with_parameters && pml_is(t, "#") &&
            (i + 1 == m->count || pml_macro_parameter(m, t + 1) == m->parameter_count))
            return PML_FAIL(p->file, t->at, "\"#\" must be before a parameter of the macro");
    }
    return OM_OK;
}

/* `#define NAME [parameters] body` */
static int define(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line)
{
    size_t at = 1;
    int rc = OM_OK;
    if (line->count == 0 || !is_name(&line->at[0]))
        return PML_FAIL(p->file, hash->at, "\"#define\" must be followed by a name");
    pml_macro *m = om_region_take(&p->file->region, 1, sizeof *m);
    if (m == NULL)
        return om_fail_memory(p->file->ctx);
    m->name = line->at[0];
    if (line->count > 1 && pml_is(&line->at[1], "(") && !line->at[1].spaced)
        rc = read_parameters(p, m, line, &at);
    if (rc != OM_OK)
        return rc;
    m->count = line->count - at;
    m->body = om_region_take(&p->file->region, m->count + 1, sizeof *m->body);
    if (m->body == NULL)
        return om_fail_memory(p->file->ctx);
    for (size_t i = 0; i < m->count; i++)
        m->body[i] = line->at[at + i];
    rc = check_body(p, m);
    if (rc != OM_OK)
        return rc;
    forget(p, &m->name);
    p->macros.region = &p->file->region;
    return pml_index_put(&p->macros, m->name.text, m->name.length, NULL, m)
               ? OM_OK
               : om_fail_memory(p->file->ctx);
}

/* ---- conditions ---- */

static int push_condition(pml_preprocessor *p, const pml_token *hash, bool holds)
{
    if (p->conditions == PML_MAX_CONDITIONS)
        return PML_FAIL(p->file, hash->at, "conditions are nested too deeply");
    p->condition[p->conditions++] = (pml_condition){ .at = hash->at, .on = holds, .done = holds };
    return OM_OK;
}

static int branch(pml_preprocessor *p, const pml_token *hash, bool is_else, bool holds)
{
    assert(p->conditions > p->base);
    pml_condition *c = &p->condition[p->conditions - 1];
    if (c->was_else)
        return PML_FAIL(p->file, hash->at, "this condition already has an \"#else\"");
    c->on = !c->done && holds;
    c->done = c->done || holds;
    c->was_else = is_else;
    return OM_OK;
}

static bool is_on(const pml_preprocessor *p, size_t most)
{
    for (size_t i = 0; i < most; i++)
        if (!p->condition[i].on)
            return false;
    return true;
}

/* if, ifdef, ifndef, elif, else, endif; *mine is set if the directive is one of them. */
static int conditional(pml_preprocessor *p, const pml_token *hash, const pml_token *word,
    const pml_tokens *line, bool *mine)
{
    bool holds = false, is_if = same(word, "if"), is_elif = same(word, "elif"),
         is_def = same(word, "ifdef"), is_ndef = same(word, "ifndef"), is_else = same(word, "else"),
         is_end = same(word, "endif");
    *mine = is_if || is_elif || is_def || is_ndef || is_else || is_end;
    if (!*mine)
        return OM_OK;
    bool first = is_if || is_def || is_ndef;
    if (!first && p->conditions == p->base)
        return PML_FAIL(
            p->file, hash->at, "\"#%.*s\" without an \"#if\"", (int) word->length, word->text);
    bool live = is_on(p, first ? p->conditions : p->conditions - 1);
    if (is_end) {
        p->conditions--;
        return OM_OK;
    }
    if ((is_def || is_ndef) && (line->count != 1 || !is_name(&line->at[0])))
        return PML_FAIL(p->file, hash->at, "\"#%.*s\" must be followed by a name",
            (int) word->length, word->text);
    int rc = OM_OK;
    if (is_def || is_ndef)
        holds = (pml_find_macro(p, &line->at[0]) != NULL) == is_def;
    else if (is_else)
        holds = true;
    else if (live && !(is_elif && p->condition[p->conditions - 1].done))
        rc = pml_evaluate(p, hash, line, &holds);
    if (rc != OM_OK)
        return rc;
    return first ? push_condition(p, hash, holds) : branch(p, hash, is_else, holds);
}

/* `#line N ["file"]`, and `# N "file"` in the form that cpp writes. */
static int set_line(
    pml_preprocessor *p, pml_text *x, const pml_token *number, const pml_token *name)
{
    if (number->value < 1)
        return PML_FAIL(p->file, number->at, "line numbers start at 1");
    if (name != NULL && name->kind == PML_T_STRING) {
        x->name = om_region_copy(&p->file->region, name->text + 1, name->length - 2);
        if (x->name == NULL)
            return om_fail_memory(p->file->ctx);
    }
    /* The end of this line is still to be read. */
    x->line = (uint32_t) number->value - 1;
    return OM_OK;
}

static int other_directive(pml_preprocessor *p, pml_text *x, const pml_token *hash,
    const pml_token *word, const pml_tokens *line)
{
    const pml_token *second = line->count > 1 ? &line->at[1] : NULL;
    if (word->kind == PML_T_NUMBER)
        return set_line(p, x, word, line->count > 0 ? &line->at[0] : NULL);
    if (same(word, "line") && line->count > 0 && line->at[0].kind == PML_T_NUMBER)
        return set_line(p, x, &line->at[0], second);
    if (same(word, "define"))
        return define(p, hash, line);
    if (same(word, "include"))
        return pml_include(p, hash, line);
    if (same(word, "undef") && line->count == 1) {
        forget(p, &line->at[0]);
        return OM_OK;
    }
    if (same(word, "pragma"))
        return OM_OK;
    return PML_FAIL(p->file, hash->at, "\"#%.*s\" is not a supported directive", (int) word->length,
        word->text);
}

/* `#error text` and `#warning text`: the text need not consist of tokens. */
static int say(pml_preprocessor *p, pml_text *x, const pml_token *hash, bool is_error)
{
    while (x->at < x->end && (*x->at == ' ' || *x->at == '\t'))
        x->at++;
    const char *from = x->at;
    pml_skip_line(x);
    const char *end = x->at;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    const int length = (int) (end - from < 400 ? end - from : 400);
    if (is_error)
        return PML_FAIL(p->file, hash->at, "#error: %.*s", length, from);
    om_note(p->file->ctx, OM_NOTE_WARNING, &hash->at, "#warning: %.*s", length, from);
    return OM_OK;
}

/* Processes a line that begins with '#'. */
static int directive(pml_preprocessor *p, pml_text *x, const pml_token *hash)
{
    pml_tokens line = { NULL, 0, 0 };
    pml_text ahead = *x;
    pml_token word;
    bool mine = false;
    int rc = pml_next_token(&ahead, &word);
    if (rc != OM_OK || word.first || word.kind == PML_T_END)
        return rc; /* a '#' alone has no effect */
    *x = ahead;
    if (is_on(p, p->conditions) && (same(&word, "error") || same(&word, "warning")))
        return say(p, x, hash, same(&word, "error"));
    bool text = !is_on(p, p->conditions) && !same(&word, "elif") && !same(&word, "ifdef");
    if (text)
        pml_skip_line(x); /* may contain text that is no token */
    else
        rc = read_line(p, x, &line);
    pml_token nothing = { .kind = PML_T_NAME, .text = "", .at = hash->at };
    if (text && rc == OM_OK) /* the name after a skipped #ifndef does not matter */
        rc = pml_tokens_add(p->file, &line, &nothing);
    if (rc == OM_OK)
        rc = conditional(p, hash, &word, &line, &mine);
    if (rc == OM_OK && !mine && !text)
        rc = other_directive(p, x, hash, &word, &line);
    om_free(p->file->region.heap, line.at);
    return rc;
}

/* Expands the first `count` tokens read since the last directive. */
static int flush(pml_preprocessor *p, pml_tokens *chunk, size_t count)
{
    assert(count <= chunk->count);
    int rc = pml_expand(p, chunk->at, count, 0, &p->out);
    chunk->count -= count;
    if (chunk->at != NULL && count != 0)
        memmove(chunk->at, chunk->at + count, chunk->count * sizeof *chunk->at);
    return rc;
}

/* Returns the index after the ')' that matches the '(' at this index; count + 1 if there is none.
 */
static size_t close_of(const pml_tokens *chunk, size_t at)
{
    assert(pml_is(&chunk->at[at], "("));
    size_t nesting = 0;
    do {
        nesting += pml_is(&chunk->at[at], "(");
        nesting -= pml_is(&chunk->at[at], ")");
        at++;
    } while (at < chunk->count && nesting > 0);
    return nesting == 0 ? at : chunk->count + 1;
}

/* Returns the number of tokens before a macro use whose arguments are still incomplete: as in C
 * compilers, a directive may stand among them. */
static size_t before_open_use(const pml_preprocessor *p, const pml_tokens *chunk)
{
    for (size_t i = 0; i + 1 < chunk->count;) {
        const pml_macro *m = is_name(&chunk->at[i]) && pml_is(&chunk->at[i + 1], "(")
                                 ? pml_find_macro(p, &chunk->at[i])
                                 : NULL;
        const size_t chunk_end = m != NULL && m->with_parameters ? close_of(chunk, i + 1) : i + 1;
        if (chunk_end > chunk->count)
            return i;
        i = chunk_end;
    }
    return chunk->count;
}

static int read_text(pml_preprocessor *p, pml_text *x, pml_tokens *chunk)
{
    int rc = OM_OK;
    for (bool end = false; rc == OM_OK && !end;) {
        pml_token t;
        pml_text before = *x;
        bool on = is_on(p, p->conditions);
        rc = pml_next_token(x, &t);
        if (rc == OM_OK && t.kind == PML_T_END)
            end = true;
        else if (rc == OM_OK && t.first && pml_is(&t, "#")) {
            rc = flush(p, chunk, before_open_use(p, chunk));
            if (rc == OM_OK)
                rc = directive(p, x, &t);
        } else if (!on) {
            /* Skipped text need not consist of tokens; its comments have been skipped. */
            if (rc != OM_OK)
                om_context_clear(p->file->ctx);
            if (rc == OM_ENOMEM)
                return om_fail_memory(p->file->ctx);
            rc = OM_OK;
            if (x->at == before.at)
                end = true;
            pml_skip_line(x);
        } else if (rc == OM_OK)
            rc = pml_tokens_add(p->file, chunk, &t);
    }
    return rc == OM_OK ? flush(p, chunk, chunk->count) : rc;
}

/* Returns the length of a byte order mark, with which some editors begin a file. */
static size_t mark_length(const char *text, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const size_t n = sizeof mark - 1;
    return length >= n && memcmp(text, mark, n) == 0 ? n : 0;
}

int pml_preprocess_text(pml_preprocessor *p, const char *name, const char *text, size_t length)
{
    const char *begin = text + mark_length(text, length);
    pml_text x = { .file = p->file,
        .at = begin,
        .end = text + length,
        .line_start = begin,
        .name = name,
        .line = 1,
        .fresh = true };
    pml_tokens chunk = { NULL, 0, 0 };
    size_t base = p->base;
    p->base = p->conditions;
    assert(p->depth <= PML_MAX_INCLUDES);
    p->open[p->depth++] = name;
    int rc = read_text(p, &x, &chunk);
    if (rc == OM_OK && p->conditions > p->base)
        rc = PML_FAIL(
            p->file, p->condition[p->conditions - 1].at, "this condition has no \"#endif\"");
    p->depth--;
    assert(rc != OM_OK || p->conditions == p->base);
    p->base = base;
    om_free(p->file->region.heap, chunk.at);
    return rc;
}

/* The last token has the place of the end of the text. */
static int finish(pml_preprocessor *p, const char *text, size_t length)
{
    pml_token end = { .kind = PML_T_END, .text = "", .first = true, .at = { p->file->file, 1, 1 } };
    for (size_t i = 0; i < length; i++) {
        end.at.column++;
        if (text[i] == '\n') {
            end.at.line++;
            end.at.column = 1;
        }
    }
    return pml_tokens_add(p->file, &p->out, &end);
}

int pml_preprocess(pml_file *f, const char *text, size_t length)
{
    pml_preprocessor *p = om_alloc(f->region.heap, 1, sizeof *p);
    if (p == NULL)
        return om_fail_memory(f->ctx);
    p->file = f;
    int rc = pml_define_given(p);
    if (rc == OM_OK)
        rc = pml_preprocess_text(p, f->file, text, length);
    if (rc == OM_OK)
        rc = finish(p, text, length);
    if (rc == OM_OK) {
        f->tokens = om_region_take(&f->region, p->out.count, sizeof *f->tokens);
        f->token_count = p->out.count;
        f->macros = p->macros;
        rc = f->tokens == NULL ? om_fail_memory(f->ctx) : OM_OK;
    }
    if (rc == OM_OK)
        memcpy(f->tokens, p->out.at, p->out.count * sizeof *f->tokens);
    OM_FREE_ALL(f->region.heap, p->out.at, p);
    return rc;
}
