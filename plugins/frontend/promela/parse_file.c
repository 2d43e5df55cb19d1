/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include <string.h>

/* ---- what all parts use ---- */

bool pml_no_memory(pml_parser *p)
{
    p->status = om_fail_memory(p->file->ctx);
    return false;
}

bool pml_error(pml_parser *p, const om_place *at, const char *what, const char *name)
{
    om_text text = { .heap = p->file->region.heap };
    const char *mark = strstr(what, "%s");
    om_text_add_n(&text, what, mark == NULL ? strlen(what) : (size_t) (mark - what));
    if (mark != NULL) {
        om_text_add(&text, name == NULL ? "" : name);
        om_text_add(&text, mark + 2);
    }
    p->status = text.failed ? om_fail_memory(p->file->ctx) : PML_FAIL(p->file, *at, "%s", text.text);
    om_text_free(&text);
    return false;
}

bool pml_refuse(pml_parser *p, const om_place *at, const char *what)
{
    p->status = PML_REFUSE(p->file, *at, "%s", what);
    return false;
}

bool pml_unexpected(pml_parser *p, const char *what)
{
    const pml_token *t = p->at;
    if (t->kind == PML_T_END)
        p->status = PML_FAIL(p->file, t->at, "expected %s, found the end", what);
    else
        p->status = PML_FAIL(p->file, t->at, "expected %s, found \"%.*s\"", what,
            (int) (t->length < 40 ? t->length : 40), t->text);
    return false;
}

bool pml_here(const pml_parser *p, const char *text)
{
    return pml_is(p->at, text);
}

bool pml_accept(pml_parser *p, const char *text)
{
    bool here = pml_here(p, text);
    p->at += here;
    return here;
}

bool pml_expect(pml_parser *p, const char *text, const char *what)
{
    return pml_accept(p, text) || pml_unexpected(p, what);
}

void *pml_new(pml_parser *p, size_t size)
{
    void *made = om_region_take(&p->file->region, 1, size);
    if (made == NULL)
        (void) pml_no_memory(p);
    return made;
}

static const char *name_of(pml_parser *p, const pml_token *t)
{
    const char *name = om_region_copy(&p->file->region, t->text, t->length);
    if (name == NULL)
        (void) pml_no_memory(p);
    return name;
}

bool pml_take_name(pml_parser *p, const char *what, const char **name)
{
    if (p->at->kind != PML_T_NAME)
        return pml_unexpected(p, what);
    *name = name_of(p, p->at);
    p->at++;
    return *name != NULL;
}

bool pml_enter(pml_parser *p)
{
    if (p->nesting >= PML_MAX_NESTING)
        return pml_error(p, &p->at->at, "this is nested too deeply to be read", NULL);
    p->nesting++;
    return true;
}

/* ---- names ---- */

static bool named(const char *name, const pml_token *t)
{
    return name != NULL && strlen(name) == t->length && memcmp(name, t->text, t->length) == 0;
}

pml_variable *pml_find(const pml_parser *p, const pml_token *name)
{
    for (pml_variable *v = p->scope; v != NULL; v = v->hidden_by)
        if (named(v->name, name))
            return v;
    return NULL;
}

bool pml_is_proctype(const pml_parser *p, const pml_token *name)
{
    for (const pml_proctype *t = p->file->proctypes; t != NULL; t = t->next)
        if (named(t->name, name))
            return true;
    return false;
}

pml_struct *pml_find_struct(const pml_file *f, const pml_token *name)
{
    for (pml_struct *s = f->structs; s != NULL && name->kind == PML_T_NAME; s = s->next)
        if (named(s->name, name))
            return s;
    return NULL;
}

bool pml_find_mtype(const pml_file *f, const pml_token *name, om_value *value)
{
    for (const pml_mtype *m = f->mtypes; m != NULL; m = m->next)
        if (named(m->name, name)) {
            *value = m->value;
            return true;
        }
    return false;
}

bool pml_unknown(pml_parser *p, const pml_token *name)
{
    const om_heap *heap = p->file->region.heap;
    size_t count = 0, i = 0;
    for (pml_variable *v = p->scope; v != NULL; v = v->hidden_by)
        count++;
    const char **names = om_alloc(heap, count + 1, sizeof *names);
    const char *wanted = name_of(p, name);
    if (names == NULL || wanted == NULL) {
        om_free(heap, names);
        return pml_no_memory(p);
    }
    for (pml_variable *v = p->scope; v != NULL; v = v->hidden_by)
        names[i++] = v->name;
    const char *near = om_nearest(wanted, names, count);
    if (near != NULL)
        p->status = PML_FAIL(p->file, name->at, "there is no variable \"%s\"; did you mean \"%s\"?",
            wanted, near);
    else
        p->status = PML_FAIL(p->file, name->at, "there is no variable \"%s\"", wanted);
    om_free(heap, names);
    return false;
}

bool pml_declare(pml_parser *p, pml_variable *v)
{
    v->depth = p->depth;
    v->is_global = p->within == NULL;
    v->owner = p->within;
    for (const pml_variable *o = p->scope; o != NULL && o->depth == v->depth; o = o->hidden_by)
        if (strcmp(o->name, v->name) == 0 && o->owner == v->owner)
            return pml_error(p, &v->at, "\"%s\" is declared twice", v->name);
    v->hidden_by = p->scope;
    p->scope = v;
    pml_variable ***tail = v->is_global ? &p->last_global : &p->last_local;
    v->index = v->is_global ? p->file->variable_count++ : p->within->variable_count++;
    **tail = v;
    *tail = &v->next;
    return true;
}

pml_proctype *pml_find_proctype(pml_parser *p, const char *name, const om_place *at)
{
    pml_proctype **tail = &p->file->proctypes;
    for (; *tail != NULL; tail = &(*tail)->next)
        if (strcmp((*tail)->name, name) == 0)
            return *tail;
    pml_proctype *made = pml_new(p, sizeof *made);
    if (made == NULL)
        return NULL;
    made->name = name;
    made->at = *at;
    made->number = p->file->proctype_count++;
    *tail = made;
    return made;
}

/* ---- declarations ---- */

static const struct {
    const char *text;
    pml_type type;
} TYPES[] = { { "bit", PML_BIT }, { "bool", PML_BOOL }, { "byte", PML_BYTE },
    { "short", PML_SHORT }, { "int", PML_INT }, { "unsigned", PML_UNSIGNED },
    { "mtype", PML_MTYPE }, { "chan", PML_CHAN }, { "pid", PML_PID } };

static bool find_type(const pml_parser *p, const pml_token *t, pml_type *type, pml_struct **s)
{
    *s = NULL;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (pml_is(t, TYPES[i].text)) {
            *type = TYPES[i].type;
            return true;
        }
    *s = pml_find_struct(p->file, t);
    *type = PML_STRUCT;
    return *s != NULL && pml_find(p, t) == NULL;
}

static bool is_visibility(const pml_token *t)
{
    return pml_is(t, "hidden") || pml_is(t, "show") || pml_is(t, "local");
}

bool pml_starts_declaration(const pml_parser *p)
{
    pml_type type;
    pml_struct *s;
    return is_visibility(p->at) || (find_type(p, p->at, &type, &s) && !pml_is(p->at + 1, ":") &&
                                       (s == NULL || p->at[1].kind == PML_T_NAME)) ||
           (pml_is(p->at, "mtype") && pml_is(p->at + 1, ":"));
}

static bool constant(pml_parser *p, const char *what, om_value low, om_value high, om_value *out)
{
    if (p->at->kind != PML_T_NUMBER)
        return pml_unexpected(p, what);
    *out = p->at->value;
    if (*out < low || *out > high) {
        p->status = PML_FAIL(p->file, p->at->at, "\"%.*s\" is not a number from %d to %d",
            (int) p->at->length, p->at->text, (int) low, (int) high);
        return false;
    }
    p->at++;
    return true;
}

/* type = 'bit' | ... | 'mtype' [':' NAME] | NAME */
static bool parse_type(pml_parser *p, pml_variable *v)
{
    const char *name = NULL;
    if (!find_type(p, p->at, &v->type, &v->structure))
        return pml_unexpected(p, "a type");
    p->at++;
    if (v->type == PML_MTYPE && pml_accept(p, ":"))
        return pml_take_name(p, "the name of a set of mtypes", &name);
    return true;
}

/* '[' NUMBER ']' 'of' '{' type {',' type} '}' */
static bool parse_channel(pml_parser *p, pml_variable *v)
{
    om_value capacity = 0;
    pml_chan_init *c = pml_new(p, sizeof *c);
    if (c == NULL || !pml_expect(p, "[", "\"[\"") ||
        !constant(p, "a capacity", 0, PML_MAX_CAPACITY, &capacity) ||
        !pml_expect(p, "]", "\"]\" after the capacity") || !pml_expect(p, "of", "\"of\"") ||
        !pml_expect(p, "{", "\"{\""))
        return false;
    pml_variable **tail = &c->fields;
    do {
        pml_variable *field = pml_new(p, sizeof *field);
        if (field == NULL)
            return false;
        field->at = p->at->at;
        if (!parse_type(p, field))
            return false;
        if (field->type == PML_STRUCT)
            return pml_refuse(p, &field->at, "structures in messages are not read");
        if (field->type == PML_UNSIGNED) {
            om_value bits = 32;
            if (pml_accept(p, ":") && !constant(p, "a number of bits", 1, 31, &bits))
                return false;
            field->bits = (uint32_t) bits;
        }
        *tail = field;
        tail = &field->next;
        c->field_count++;
    } while (pml_accept(p, ","));
    c->capacity = (uint32_t) capacity;
    v->channel = c;
    return pml_expect(p, "}", "\",\" or \"}\" after a type");
}

/* variable = NAME [':' NUMBER] ['[' NUMBER ']'] ['=' (channel | expression)] */
static bool parse_variable(pml_parser *p, const pml_variable *like, pml_variable **out)
{
    pml_variable *v = pml_new(p, sizeof *v);
    om_value n = 0;
    if (v == NULL)
        return false;
    *v = *like;
    v->at = p->at->at;
    if (!pml_take_name(p, "the name of a variable", &v->name))
        return false;
    v->bits = 32;
    if (v->type == PML_UNSIGNED && pml_accept(p, ":")) {
        if (!constant(p, "a number of bits", 1, 31, &n))
            return false;
        v->bits = (uint32_t) n;
    } else if (v->type == PML_UNSIGNED)
        return pml_unexpected(p, "\":\" and a number of bits");
    if (pml_accept(p, "[")) {
        if (!constant(p, "the size of the array", 1, PML_MAX_ARRAY, &n) ||
            !pml_expect(p, "]", "\"]\" after the size"))
            return false;
        v->length = (uint32_t) n;
    }
    *out = v;
    if (!pml_accept(p, "="))
        return true;
    if (v->type == PML_CHAN && pml_here(p, "["))
        return parse_channel(p, v);
    if (pml_here(p, "{"))
        return pml_refuse(p, &p->at->at, "initial values in braces are not read");
    v->initial = pml_parse_expression(p);
    return v->initial != NULL;
}

/* What a declaration is among statements: SPIN stores its value there. */
static bool as_statement(pml_parser *p, pml_variable *v, pml_statement ***tail)
{
    pml_statement *s = pml_new(p, sizeof *s);
    if (s == NULL)
        return false;
    if (v->type == PML_STRUCT)
        return pml_refuse(p, &v->at, "a structure that is declared behind a statement is not read");
    if (v->channel != NULL)
        return pml_error(p, &v->at, "channels are declared at the beginning of a proctype", NULL);
    s->kind = PML_S_ASSIGN;
    s->at = v->at;
    s->first = p->at - 1;
    s->last = p->at;
    s->target = pml_new_expr(p, PML_VARIABLE);
    s->a = v->initial != NULL ? v->initial : pml_new_number(p, 0);
    if (s->target == NULL || s->a == NULL)
        return false;
    s->target->at = v->at;
    s->target->name = v->name;
    s->target->variable = v;
    v->assigned = true;
    if (v->length != 0 && (s->target->a = pml_new_number(p, 0)) == NULL)
        return false;
    v->initial = NULL;
    **tail = s;
    *tail = &s->next;
    return true;
}

/* declaration = {'hidden' | 'show' | 'local'} type variable {',' variable} */
bool pml_parse_declaration(pml_parser *p, pml_statement ***tail)
{
    pml_variable like = { .name = NULL }, *v = NULL;
    while (is_visibility(p->at)) {
        like.is_hidden = like.is_hidden || pml_here(p, "hidden");
        p->at++;
    }
    if (!parse_type(p, &like))
        return false;
    do {
        if (!parse_variable(p, &like, &v) || !pml_declare(p, v))
            return false;
        bool late = p->within != NULL && (p->begun || p->depth > 1);
        if (late && !as_statement(p, v, tail))
            return false;
    } while (pml_accept(p, ","));
    return true;
}

/* fields = declaration {';' declaration} */
static bool parse_fields(pml_parser *p, pml_struct *s)
{
    pml_variable **tail = &s->fields;
    while (!pml_here(p, "}")) {
        pml_variable like = { .name = NULL };
        while (is_visibility(p->at))
            p->at++;
        if (!parse_type(p, &like))
            return false;
        do {
            if (!parse_variable(p, &like, tail))
                return false;
            if ((*tail)->channel != NULL)
                return pml_refuse(p, &(*tail)->at, "channels in structures are not read");
            if ((*tail)->initial != NULL)
                return pml_refuse(p, &(*tail)->at, "initial values in structures are not read");
            tail = &(*tail)->next;
        } while (pml_accept(p, ","));
        while (pml_accept(p, ";")) {
        }
    }
    return s->fields != NULL || pml_unexpected(p, "a field");
}

/* typedef = 'typedef' NAME '{' fields '}' */
static bool parse_typedef(pml_parser *p)
{
    pml_struct *s = pml_new(p, sizeof *s), **tail = &p->file->structs;
    p->at++;
    if (s == NULL || !pml_take_name(p, "the name of a type", &s->name) ||
        !pml_expect(p, "{", "\"{\" after the name of the type") || !parse_fields(p, s))
        return false;
    while (*tail != NULL)
        tail = &(*tail)->next;
    *tail = s;
    p->at++;
    return true;
}

/* mtypes = 'mtype' [':' NAME] ['='] '{' NAME {',' NAME} '}'; the last one is the smallest */
static bool parse_mtypes(pml_parser *p)
{
    static const pml_token nothing = { .kind = PML_T_END };
    pml_token set = nothing;
    om_value before = 0, count = 0;
    p->at++;
    if (pml_accept(p, ":"))
        set = *p->at++;
    (void) pml_accept(p, "=");
    if (!pml_expect(p, "{", "\"{\""))
        return false;
    if (set.kind == PML_T_END)
        for (const pml_mtype *m = p->file->mtypes; m != NULL; m = m->next)
            before++;
    for (const pml_token *t = p->at; t->kind == PML_T_NAME; t++) {
        count++;
        t += pml_is(t + 1, ",");
    }
    do {
        pml_mtype *m = pml_new(p, sizeof *m);
        om_value other;
        if (m == NULL)
            return false;
        if (p->at->kind == PML_T_NAME && pml_find_mtype(p->file, p->at, &other))
            return pml_error(p, &p->at->at, "this name is an mtype already", NULL);
        if (!pml_take_name(p, "a name", &m->name))
            return false;
        m->value = before + count--;
        if (m->value > 255)
            return pml_error(p, &p->at->at, "there are more than 255 mtypes", NULL);
        m->next = p->file->mtypes;
        p->file->mtypes = m;
    } while (pml_accept(p, ","));
    return pml_expect(p, "}", "\",\" or \"}\" after a name");
}

/* ---- units ---- */

/* parameters = type NAME {(',' | ';') [type] NAME} */
static bool parse_parameters(pml_parser *p)
{
    pml_variable like = { .name = NULL }, *v = NULL;
    p->parentheses++;
    while (!pml_here(p, ")")) {
        while (is_visibility(p->at))
            p->at++;
        if (pml_starts_declaration(p) || like.at.file == NULL) {
            like = (pml_variable){ .at = p->at->at, .is_parameter = true };
            if (!parse_type(p, &like))
                return false;
        }
        if (!parse_variable(p, &like, &v) || !pml_declare(p, v))
            return false;
        if (v->length != 0 || v->type == PML_STRUCT || v->initial != NULL || v->channel != NULL)
            return pml_error(p, &v->at, "a parameter is a plain variable", NULL);
        p->within->parameter_count++;
        if (!pml_accept(p, ",") && !pml_accept(p, ";"))
            break;
    }
    p->parentheses--;
    return pml_expect(p, ")", "\",\", \";\" or \")\" after a parameter");
}

/* ['priority' NUMBER] ['provided' '(' expression ')'] '{' sequence '}' */
static bool parse_body(pml_parser *p, pml_proctype *t)
{
    if (pml_here(p, "priority"))
        return pml_refuse(p, &p->at->at, "priorities of processes are not read");
    if (pml_accept(p, "provided")) {
        if (!pml_here(p, "("))
            return pml_unexpected(p, "\"(\" after \"provided\"");
        if ((t->provided = pml_parse_expression(p)) == NULL)
            return false;
    }
    p->begun = false;
    p->depth = 0; /* the parameters' and the body's scope are one */
    if (!pml_parse_block(p, &t->body))
        return false;
    t->end_at = p->at[-1].at;
    return true;
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

/* proctype = ['active' ['[' NUMBER ']']] ('proctype' | 'D_proctype') NAME '(' parameters ')' body */
static bool parse_proctype(pml_parser *p)
{
    pml_variable *scope = p->scope;
    const char *name = NULL;
    om_value active = 0;
    if (pml_accept(p, "active")) {
        active = 1;
        if (pml_accept(p, "[") && (!constant(p, "a number", 0, PML_MAX_PROCESSES, &active) ||
                                      !pml_expect(p, "]", "\"]\"")))
            return false;
    }
    if (!pml_expect(p, "proctype", "\"proctype\""))
        return false;
    om_place at = p->at->at;
    if (!pml_take_name(p, "the name of a proctype", &name))
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

/* init = 'init' body; never = 'never' [NAME] body; trace and notrace are as never */
static bool parse_nameless(pml_parser *p, const char *name)
{
    pml_variable *scope = p->scope;
    bool init = pml_here(p, "init"), never = pml_here(p, "never");
    om_place at = p->at->at;
    p->at++;
    if (!init && p->at->kind == PML_T_NAME && !pml_take_name(p, "a name", &name))
        return false;
    pml_proctype *t = init ? pml_find_proctype(p, name, &at) : pml_new(p, sizeof *t);
    if (t == NULL)
        return false;
    t->name = name;
    if (!init && !never)
        return pml_refuse(p, &at, "trace and notrace are not read");
    if (never && p->file->claim != NULL)
        return pml_error(p, &at, "there is more than one claim", NULL);
    if (!define(p, t, &at))
        return false;
    t->is_init = init;
    t->active = init;
    t->is_claim = never;
    if (never)
        p->file->claim = t;
    if (!parse_body(p, t))
        return false;
    p->scope = scope;
    p->within = NULL;
    p->depth = 0;
    return true;
}

/* inline = 'inline' NAME '(' [NAME {',' NAME}] ')' '{' tokens '}' */
static bool parse_inline(pml_parser *p)
{
    pml_inline *in = pml_new(p, sizeof *in);
    size_t nesting = 0, most = 1;
    p->at++;
    if (in == NULL)
        return false;
    in->name = *p->at;
    const char *name = NULL;
    if (!pml_take_name(p, "the name of an inline", &name) || !pml_expect(p, "(", "\"(\""))
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
    if (!pml_here(p, "{"))
        return pml_unexpected(p, "\"{\"");
    do {
        if (p->at->kind == PML_T_END)
            return pml_error(p, &in->body->at, "this block never ends", NULL);
        nesting += pml_here(p, "{");
        nesting -= pml_here(p, "}");
        p->at++;
    } while (nesting > 0);
    in->count = (size_t) (p->at - in->body);
    in->next = p->inlines;
    p->inlines = in;
    return true;
}

/* ltl = 'ltl' [NAME] '{' formula '}' */
static bool parse_ltl(pml_parser *p)
{
    pml_formula *f = pml_new(p, sizeof *f), **tail = &p->file->formulas;
    unsigned number = 0;
    if (f == NULL)
        return false;
    f->at = p->at->at;
    p->at++;
    for (; *tail != NULL; tail = &(*tail)->next)
        number++;
    if (p->at->kind == PML_T_NAME && !pml_take_name(p, "a name", &f->name))
        return false;
    if (f->name == NULL) {
        om_text text = { .heap = p->file->region.heap };
        om_text_printf(&text, "ltl_%u", number);
        f->name = text.failed ? NULL : om_region_copy(&p->file->region, text.text, text.length);
        om_text_free(&text);
        if (f->name == NULL)
            return pml_no_memory(p);
    }
    if (!pml_expect(p, "{", "\"{\"") || (f->e = pml_parse_formula(p)) == NULL)
        return false;
    *tail = f;
    return pml_expect(p, "}", "\"}\" after the formula");
}

static bool parse_unit(pml_parser *p)
{
    if (pml_here(p, "active") || pml_here(p, "proctype"))
        return parse_proctype(p);
    if (pml_here(p, "init"))
        return parse_nameless(p, "init");
    if (pml_here(p, "never") || pml_here(p, "trace") || pml_here(p, "notrace"))
        return parse_nameless(p, "never");
    if (pml_here(p, "inline"))
        return parse_inline(p);
    if (pml_here(p, "ltl"))
        return parse_ltl(p);
    if (pml_here(p, "typedef"))
        return parse_typedef(p);
    if (pml_here(p, "mtype") &&
        (pml_is(p->at + 1, "=") || pml_is(p->at + 1, "{") ||
            (pml_is(p->at + 1, ":") && (pml_is(p->at + 3, "=") || pml_is(p->at + 3, "{")))))
        return parse_mtypes(p);
    if (pml_here(p, "c_code") || pml_here(p, "c_decl") || pml_here(p, "c_state") ||
        pml_here(p, "c_track"))
        return pml_refuse(p, &p->at->at, "embedded C code is not read");
    if (pml_starts_declaration(p))
        return pml_parse_declaration(p, NULL);
    return pml_unexpected(p, "a declaration or a proctype");
}

static int outcome(const pml_parser *p, bool good)
{
    return good ? OM_OK : p->status != OM_OK ? p->status : OM_EINPUT;
}

/* file = {unit [';']} END */
int pml_parse_file(pml_file *f)
{
    pml_parser p = { .file = f, .at = f->tokens, .last_global = &f->variables };
    bool good = true;
    while (good && p.at->kind != PML_T_END) {
        good = parse_unit(&p);
        while (good && pml_accept(&p, ";")) {
        }
    }
    for (const pml_proctype *t = f->proctypes; good && t != NULL; t = t->next)
        if (!t->defined)
            good = pml_error(&p, &t->at, "there is no proctype \"%s\"", t->name);
    return outcome(&p, good);
}

/* proposition = expression END */
int pml_parse_proposition(pml_file *f, const char *origin, const char *text, pml_expr **out)
{
    pml_text x = { .file = f,
        .at = text,
        .end = text + strlen(text),
        .line_start = text,
        .name = origin,
        .line = 1,
        .fresh = true };
    pml_tokens words = { NULL, 0, 0 };
    pml_token t = { .kind = PML_T_NAME };
    int rc = OM_OK;
    while (rc == OM_OK && t.kind != PML_T_END) {
        rc = pml_next_token(&x, &t);
        if (rc == OM_OK)
            rc = pml_tokens_add(f, &words, &t);
    }
    pml_parser p = { .file = f, .at = words.at, .parentheses = 1 };
    /* Everything that is global is visible. */
    for (pml_variable *v = f->variables; rc == OM_OK && v != NULL; v = v->next) {
        v->hidden_by = p.scope;
        p.scope = v;
    }
    if (rc == OM_OK) {
        *out = pml_parse_expression(&p);
        bool good = *out != NULL && (p.at->kind == PML_T_END ||
                                        pml_unexpected(&p, "the end of the expression"));
        rc = outcome(&p, good);
    }
    om_free(f->region.heap, words.at);
    return rc;
}
