/* SPDX-License-Identifier: Apache-2.0 */
#include "elements.h"
#include "parse_statement.h"

#include <stdio.h>
#include <string.h>

/* Returns the type of a parameter: a copy of the structure whose fields have no initial values and
 * no channels. */
static pml_struct *as_parameter(pml_parser *p, const pml_variable *v, const pml_struct *s)
{
    pml_struct *made = pml_new(p, sizeof *made);
    pml_variable **tail = made == NULL ? NULL : &made->fields;
    for (const pml_variable *f = s->fields; f != NULL && made != NULL; f = f->next) {
        pml_variable *field = *tail = pml_new(p, sizeof *field);
        if (f->length != 0)
            (void) pml_error(
                p, &v->at, "a parameter cannot contain arrays, such as \"%s\"", f->name);
        if (field == NULL || f->length != 0)
            return NULL;
        *field = *f;
        field->is_parameter = true;
        field->initial = NULL;
        field->channel = NULL;
        field->next = NULL;
        if (f->structure != NULL && (field->structure = as_parameter(p, v, f->structure)) == NULL)
            return NULL;
        tail = &field->next;
    }
    if (made != NULL)
        made->name = s->name;
    return made;
}

static bool check_parameter(pml_parser *p, pml_variable *v)
{
    if (v->length != 0 || v->initial != NULL || v->channel != NULL)
        return pml_error(p, &v->at, "a parameter must be a plain variable", NULL);
    if (v->structure != NULL && (v->structure = as_parameter(p, v, v->structure)) == NULL)
        return false;
    p->within->parameter_count += pml_leaf_count(v);
    return true;
}

/* parameters = type NAME {(',' | ';') [type] NAME}; a structure needs an argument for each field */
static bool parse_parameters(pml_parser *p)
{
    pml_variable like = { .name = NULL }, *v = NULL;
    p->parentheses++;
    while (!pml_here(p, ")")) {
        while (pml_is_visibility(p->at))
            p->at++;
        if (pml_starts_declaration(p) || like.at.file == NULL) {
            like = (pml_variable){ .at = p->at->at, .is_parameter = true };
            if (!pml_parse_type(p, &like))
                return false;
        }
        if (!pml_parse_variable(p, &like, &v) || !pml_declare(p, v) || !check_parameter(p, v))
            return false;
        if (!pml_accept(p, ",") && !pml_accept(p, ";"))
            break;
    }
    p->parentheses--;
    return pml_expect(p, ")", "\",\", \";\" or \")\" after a parameter");
}

/* ['priority' NUMBER] ['provided' '(' expression ')'] '{' sequence '}' */
static bool parse_body(pml_parser *p, pml_proctype *t)
{
    om_value priority = 0;
    if (!pml_parse_priority(p, &priority))
        return false;
    t->priority = (uint32_t) priority;
    if (pml_accept(p, "provided")) {
        if (!pml_here(p, "("))
            return pml_unexpected(p, "\"(\" after \"provided\"");
        if ((t->provided = pml_parse_expression(p)) == NULL)
            return false;
    }
    p->begun = false;
    p->depth = 0; /* parameters and body share a scope */
    if (!pml_parse_block(p, &t->body))
        return false;
    t->end_at = p->at[-1].at;
    return pml_number(p->file, t) || pml_no_memory(p);
}

static bool define(pml_parser *p, pml_proctype *t, const om_place *at)
{
    if (t->defined)
        return pml_error(p, at, "\"%s\" is defined twice", t->name);
    t->defined = true;
    t->at = *at;
    p->within = t;
    p->depth = 1;
    p->last_local = &t->variables;
    return true;
}

/* proctype = ['active' ['[' constant ']']] 'proctype' NAME '(' parameters ')' body; the constant
 * may be a variable, which stands for its initial value */
static bool parse_proctype(pml_parser *p)
{
    pml_variable *scope = p->scope;
    const char *name = NULL;
    om_value active = 0;
    if (pml_accept(p, "active")) {
        active = 1;
        if (pml_accept(p, "[") &&
            (!pml_parse_bound(p, "a number", 0, (om_value) p->file->most, &active) ||
                !pml_expect(p, "]", "\"]\"")))
            return false;
    }
    if (!pml_expect(p, "proctype", "\"proctype\""))
        return false;
    om_place at = p->at->at;
    if (pml_find(p, p->at) != NULL)
        return pml_error(p, &at, "this is already the name of a variable", NULL);
    if (!pml_take_new_name(p, "the name of a proctype", &name))
        return false;
    pml_proctype *t = pml_find_proctype(p, name, &at);
    if (t == NULL || !define(p, t, &at))
        return false;
    t->active = (uint32_t) active;
    if (!pml_expect(p, "(", "\"(\"") || !parse_parameters(p) || !parse_body(p, t))
        return false;
    p->scope = scope;
    p->within = NULL;
    p->depth = 0;
    return true;
}

/* There may be several `init`s: each is a process. */
static pml_proctype *new_init(pml_parser *p, const om_place *at)
{
    om_text text = { .heap = p->file->region.heap };
    unsigned number = 1;
    for (const pml_proctype *t = p->file->proctypes; t != NULL; t = t->next)
        number += t->is_init;
    om_text_add(&text, "init");
    if (number > 1)
        om_text_printf(&text, "'%u", number);
    const char *name =
        text.failed ? NULL : om_region_copy(&p->file->region, text.text, text.length);
    om_text_free(&text);
    if (name == NULL)
        (void) pml_no_memory(p);
    return name == NULL ? NULL : pml_find_proctype(p, name, at);
}

/* A claim without a name after other claims gets the name that SPIN gives it. */
static bool number_claim(pml_parser *p, pml_proctype *t, uint32_t number)
{
    char text[32];
    const int n = snprintf(text, sizeof text, "never_%" PRIu32, number);
    t->name = om_region_copy(&p->file->region, text, (size_t) n);
    return t->name != NULL || pml_no_memory(p);
}

/* init = 'init' body; never = 'never' [NAME] body; trace = ('trace' | 'notrace') body */
static bool parse_nameless(pml_parser *p, const char *name)
{
    pml_variable *scope = p->scope;
    bool init = pml_here(p, "init"), never = pml_here(p, "never"), negated = pml_here(p, "notrace");
    om_place at = p->at->at;
    p->at++;
    const bool named = never && p->at->kind == PML_T_NAME;
    if (named && !pml_take_name(p, "a name", &name))
        return false;
    pml_proctype *t = init ? new_init(p, &at) : pml_new(p, sizeof *t);
    if (t == NULL)
        return false;
    t->name = init ? t->name : name;
    pml_proctype **claim = &p->file->claim;
    uint32_t claims = 0;
    for (; *claim != NULL; claim = &(*claim)->next_claim, claims++)
        if (named && strcmp((*claim)->name, name) == 0)
            return pml_error(p, &at, "\"%s\" is defined twice", name);
    if (!init && !never && p->file->trace != NULL)
        return pml_error(p, &at, "there is more than one trace", NULL);
    if (never && !named && claims != 0 && !number_claim(p, t, claims))
        return false;
    if (!define(p, t, &at))
        return false;
    t->is_init = init;
    t->active = init;
    t->is_claim = never;
    t->is_trace = !init && !never;
    t->negated = negated;
    if (never)
        *claim = t;
    if (t->is_trace)
        p->file->trace = t;
    if (!parse_body(p, t))
        return false;
    p->scope = scope;
    p->within = NULL;
    p->depth = 0;
    return true;
}

/* Skips the block at the current token. */
static bool skip_block(pml_parser *p)
{
    const pml_token *open = p->at;
    size_t nesting = 0;
    if (!pml_here(p, "{"))
        return pml_unexpected(p, "\"{\"");
    do {
        if (p->at->kind == PML_T_END)
            return pml_error(p, &open->at, "this block is never closed", NULL);
        nesting += pml_here(p, "{");
        nesting -= pml_here(p, "}");
        p->at++;
    } while (nesting > 0);
    return true;
}

/* inline = 'inline' NAME '(' [NAME {',' NAME}] ')' '{' tokens '}' */
static bool parse_inline(pml_parser *p)
{
    pml_inline *in = pml_new(p, sizeof *in);
    size_t most = 1;
    p->at++;
    if (in == NULL)
        return false;
    in->name = *p->at;
    const char *name = NULL;
    if (!pml_take_new_name(p, "the name of an inline", &name) || !pml_expect(p, "(", "\"(\""))
        return false;
    for (const pml_token *t = p->at; t->kind == PML_T_NAME; t++) {
        most++;
        t += pml_is(t + 1, ",");
    }
    in->parameters = om_region_take(&p->file->region, most, sizeof *in->parameters);
    if (in->parameters == NULL)
        return pml_no_memory(p);
    while (p->at->kind == PML_T_NAME) {
        in->parameters[in->parameter_count++] = *p->at++;
        if (!pml_accept(p, ","))
            break;
    }
    if (!pml_expect(p, ")", "a name, or \")\" after the parameters"))
        return false;
    in->body = p->at;
    if (!skip_block(p))
        return false;
    in->count = (size_t) (p->at - in->body);
    in->next = p->inlines;
    p->inlines = in;
    return true;
}

/* ltl = 'ltl' [NAME] block */
static bool parse_ltl(pml_parser *p)
{
    pml_formula *f = pml_new(p, sizeof *f), **tail = &p->file->formulas;
    unsigned number = 0;
    if (f == NULL)
        return false;
    f->at = p->at->at;
    p->at++;
    for (; *tail != NULL; tail = &(*tail)->next)
        number += (*tail)->unnamed;
    /* "_" is a variable, and the name of properties in models that others generate. */
    if (p->at->kind == PML_T_NAME &&
        !(pml_named("_", p->at) ? pml_take_name : pml_take_new_name)(p, "a name", &f->name))
        return false;
    if (f->name == NULL) {
        om_text text = { .heap = p->file->region.heap };
        f->unnamed = true;
        om_text_printf(&text, "ltl_%u", number);
        f->name = text.failed ? NULL : om_region_copy(&p->file->region, text.text, text.length);
        om_text_free(&text);
        if (f->name == NULL)
            return pml_no_memory(p);
    }
    f->body = p->at;
    *tail = f;
    return skip_block(p);
}

/* block = '{' formula {';'} '}'. Formulas may use names that are declared after them. */
static bool parse_formulas(pml_parser *p)
{
    for (pml_formula *f = p->file->formulas; f != NULL; f = f->next) {
        p->at = f->body + 1;
        if ((f->e = pml_parse_formula(p)) == NULL)
            return false;
        while (pml_accept(p, ";")) {
        }
        if (!pml_expect(p, "}", "\"}\" after the formula"))
            return false;
        if (!pml_number_formula(p->file, f->e))
            return pml_no_memory(p);
    }
    return true;
}

static bool parse_unit(pml_parser *p)
{
    if (pml_here(p, "active") || pml_here(p, "proctype"))
        return parse_proctype(p);
    if (pml_here(p, "init"))
        return parse_nameless(p, "init");
    if (pml_here(p, "never"))
        return parse_nameless(p, "never");
    if (pml_here(p, "trace") || pml_here(p, "notrace"))
        return parse_nameless(p, "trace");
    if (pml_here(p, "inline"))
        return parse_inline(p);
    if (pml_here(p, "ltl"))
        return parse_ltl(p);
    if (pml_here(p, "typedef"))
        return pml_parse_typedef(p);
    if (pml_here(p, "mtype") &&
        (pml_is(p->at + 1, "=") || pml_is(p->at + 1, "{") ||
            (pml_is(p->at + 1, ":") && (pml_is(p->at + 3, "=") || pml_is(p->at + 3, "{")))))
        return pml_parse_mtypes(p);
    if (pml_here(p, "c_code") || pml_here(p, "c_decl") || pml_here(p, "c_state") ||
        pml_here(p, "c_track"))
        return pml_refuse(p, &p->at->at, "embedded C code is not supported");
    if (pml_starts_declaration(p))
        return pml_parse_declaration(p, NULL);
    return pml_unexpected(p, "a declaration or a proctype");
}

/* SPIN has no hidden variable in its states. A variable that is never read distinguishes no states
 * and is dropped; the other hidden ones are part of the state here. */
static void forget_hidden(pml_file *f)
{
    for (pml_variable *v = f->variables; v != NULL; v = v->next)
        v->forgotten = v->is_hidden && v->reads == 0 && v->length == 0 && v->type != PML_CHAN &&
                       v->type != PML_STRUCT;
}

static int outcome(const pml_parser *p, bool good)
{
    return good ? OM_OK : p->status != OM_OK ? p->status : OM_EINPUT;
}

/* file = {unit [';']} END */
int pml_parse_file(pml_file *f)
{
    pml_parser p = { .file = f, .at = f->tokens, .first = f->tokens, .last_global = &f->variables };
    bool good = true;
    while (good && p.at->kind != PML_T_END) {
        good = parse_unit(&p);
        while (good && pml_accept(&p, ";")) {
        }
    }
    good = good && parse_formulas(&p);
    for (const pml_proctype *t = f->proctypes; good && t != NULL; t = t->next)
        if (!t->defined)
            good = pml_unknown_proctype(&p, t);
    forget_hidden(f);
    return outcome(&p, good);
}
