/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts about a model from outside its file: propositions, and formulas in the grammar of ltl
 * blocks. They may use the macros of the file and, besides Promela, the names that traces show.
 */
#include "parse_expression.h"
#include "text/preprocess.h"

#include <string.h>

/* ---- names of traces ---- */

enum { LONGEST_NAME = 16, LONGEST_VALUE = 3 }; /* in tokens */

static bool may_continue_name(const pml_token *t)
{
    return t->kind == PML_T_NAME || t->kind == PML_T_KEYWORD || t->kind == PML_T_NUMBER ||
           pml_is(t, ":") || pml_is(t, ".") || pml_is(t, "[") || pml_is(t, "]");
}

static const om_model *model_of(const pml_parser *p)
{
    return p->given ? p->file->model : NULL;
}

/* Returns the slot with the longest name that begins here, and its number of tokens in *words. */
static uint32_t find_shown(pml_parser *p, size_t *words)
{
    om_text name = { .heap = p->file->region.heap };
    uint32_t found = OM_NONE;
    for (size_t i = 0; i < LONGEST_NAME && may_continue_name(&p->at[i]) && !name.failed; i++) {
        om_text_add_n(&name, p->at[i].text, p->at[i].length);
        const uint32_t slot = name.failed ? OM_NONE : om_model_find_slot(model_of(p), name.text);
        if (slot != OM_NONE) {
            found = slot;
            *words = i + 1;
        }
    }
    if (name.failed)
        (void) pml_no_memory(p);
    om_text_free(&name);
    return found;
}

bool pml_is_shown(pml_parser *p)
{
    size_t words = 0;
    if (model_of(p) == NULL || p->at->kind != PML_T_NAME || find_shown(p, &words) == OM_NONE)
        return false;
    om_value value = 0;
    return words > 1 || (pml_find(p, p->at) == NULL && !pml_find_mtype(p->file, p->at, &value));
}

/* Returns the value with that name among those of the slot ("-end-" is three tokens), or -1. */
static int64_t find_value(const pml_parser *p, const om_slot *slot, size_t *words)
{
    char name[128];
    size_t length = 0;
    int64_t found = -1;
    for (size_t i = 0; i < LONGEST_VALUE && p->at[i].kind != PML_T_END; i++) {
        const pml_token *t = &p->at[i];
        if (length + t->length >= sizeof name)
            break;
        memcpy(name + length, t->text, t->length);
        length += t->length;
        name[length] = '\0';
        for (uint32_t k = 0; k < slot->enumerators; k++)
            if (slot->enumerator_names[k] != NULL && strcmp(slot->enumerator_names[k], name) == 0) {
                found = k;
                *words = i + 1;
            }
    }
    return found;
}

/* e ('==' | '!=') VALUE, where VALUE is a name that traces show for the slot */
static pml_expr *parse_shown_value(pml_parser *p, const om_slot *slot, pml_expr *e)
{
    const om_op op = pml_here(p, "==") ? OM_OP_EQ : OM_OP_NE;
    size_t words = 0;
    if (slot->enumerator_names == NULL || !(pml_here(p, "==") || pml_here(p, "!=")))
        return e;
    p->at++;
    const int64_t value = find_value(p, slot, &words);
    if (value < 0) {
        p->at--;
        return e;
    }
    pml_expr *number = pml_new_number(p, (om_value) value);
    p->at += words;
    if (number != NULL)
        number->last = p->at;
    return pml_new_binary(p, op, e, number);
}

/* shown = SLOT ['[' expression ']'] [('==' | '!=') VALUE] */
pml_expr *pml_parse_shown(pml_parser *p)
{
    size_t words = 0;
    const uint32_t number = find_shown(p, &words);
    const om_slot *slot = number == OM_NONE ? NULL : om_model_slot(model_of(p), number);
    pml_expr *e = slot == NULL ? NULL : pml_new_expr(p, PML_SLOT);
    if (e == NULL)
        return NULL;
    e->word = number;
    e->name = slot->name;
    p->at += words;
    if (!pml_parse_index(p, e))
        return NULL;
    if (e->a != NULL && slot->length == 0 && !pml_is_zero(e->a)) {
        (void) pml_error(p, &e->at, "\"%s\" is not an array: its only index is 0", slot->name);
        return NULL;
    }
    if (e->a != NULL && slot->length == 0)
        e->a = NULL;
    if (e->a == NULL && slot->length != 0) {
        (void) pml_error(p, &e->at, "\"%s\" is an array: its index is missing", slot->name);
        return NULL;
    }
    e = pml_closed(p, e);
    return e == NULL ? NULL : parse_shown_value(p, slot, e);
}

/* ---- texts ---- */

/* Reads the tokens of the text, with or without expanding the file's macros; the last one is
 * PML_T_END. */
static int read_words(
    pml_file *f, const char *origin, const char *text, bool expand, pml_tokens *out)
{
    pml_text x = { .file = f,
        .at = text,
        .end = text + strlen(text),
        .line_start = text,
        .name = origin,
        .line = 1,
        .fresh = true,
        .shown = true };
    pml_preprocessor p = { .file = f };
    if (expand)
        p.macros = f->macros;
    pml_tokens words = { NULL, 0, 0 };
    pml_token t = { .kind = PML_T_NAME };
    int rc = OM_OK;
    while (rc == OM_OK && t.kind != PML_T_END) {
        rc = pml_next_token(&x, &t);
        if (rc == OM_OK && t.kind != PML_T_END)
            rc = pml_tokens_add(f, &words, &t);
    }
    if (rc == OM_OK)
        rc = pml_expand(&p, words.at, words.count, 0, out);
    if (rc == OM_OK)
        rc = pml_tokens_add(f, out, &t);
    om_free(f->region.heap, words.at);
    return rc;
}

static int read_given(pml_file *f, const char *origin, const char *text, bool expand,
    pml_expr *(*parse)(pml_parser *), pml_tokens *words, pml_expr **out)
{
    int rc = read_words(f, origin, text, expand, words);
    if (rc != OM_OK)
        return rc;
    pml_parser p = {
        .file = f, .at = words->at, .first = words->at, .parentheses = 1, .given = true
    };
    /* All global variables are visible. */
    pml_forget_visible(f);
    for (pml_variable *v = f->variables; v != NULL; v = v->next) {
        v->hidden_by = p.scope;
        p.scope = v;
    }
    *out = parse(&p);
    bool good = *out != NULL &&
                (p.at->kind == PML_T_END || pml_unexpected(&p, "the end of the expression"));
    return good ? OM_OK : p.status != OM_OK ? p.status : OM_EINPUT;
}

static bool has_macro(pml_file *f, const pml_tokens *words)
{
    const pml_preprocessor p = { .file = f, .macros = f->macros };
    size_t i = 0;
    while (i < words->count && pml_find_macro(&p, &words->at[i]) == NULL)
        i++;
    return i < words->count;
}

/*
 * proposition = expression END
 *
 * The propositions of formulas were written after macro expansion, and come back here. The text is
 * therefore first read as it is, and with the file's macros only if that fails.
 */
int pml_parse_proposition(pml_file *f, const char *origin, const char *text, pml_expr **out)
{
    pml_tokens words = { NULL, 0, 0 };
    int rc = read_given(f, origin, text, false, pml_parse_expression, &words, out);
    const bool again = (rc == OM_EINPUT || rc == OM_EUNSUPPORTED) && has_macro(f, &words) &&
                       om_context_stopped(f->ctx) == OM_OK;
    om_free(f->region.heap, words.at);
    if (!again)
        return rc;
    words = (pml_tokens){ NULL, 0, 0 };
    om_context_clear(f->ctx);
    rc = read_given(f, origin, text, true, pml_parse_expression, &words, out);
    om_free(f->region.heap, words.at);
    return rc;
}

/* given formula = formula END */
int pml_parse_given_formula(
    pml_file *f, const char *origin, const char *text, pml_tokens *words, pml_expr **out)
{
    return read_given(f, origin, text, true, pml_parse_formula, words, out);
}
