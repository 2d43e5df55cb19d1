/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_statement.h"

#include <string.h>

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

bool pml_is_visibility(const pml_token *t)
{
    return pml_is(t, "hidden") || pml_is(t, "show") || pml_is(t, "local");
}

bool pml_starts_declaration(const pml_parser *p)
{
    pml_type type;
    pml_struct *s;
    return pml_is_visibility(p->at) ||
           (find_type(p, p->at, &type, &s) && !pml_is(p->at + 1, ":") &&
               (s == NULL || p->at[1].kind == PML_T_NAME)) ||
           (pml_is(p->at, "mtype") && pml_is(p->at + 1, ":"));
}

/* Evaluates a constant expression. Returns false if it is not constant, or too large. */
static bool fold(const pml_expr *e, om_wide *out)
{
    om_wide a = 0, b = 0;
    if (e->kind == PML_NUMBER) {
        *out = e->value;
        return true;
    }
    if (!(e->kind == PML_UNARY || e->kind == PML_BINARY) || !fold(e->a, &a) ||
        (e->kind == PML_BINARY && !fold(e->b, &b)))
        return false;
    switch (e->op) {
    case OM_OP_NEG:
        *out = -a;
        break;
    case OM_OP_ADD:
        *out = a + b;
        break;
    case OM_OP_SUB:
        *out = a - b;
        break;
    case OM_OP_MUL:
        *out = a * b;
        break;
    case OM_OP_DIV:
    case OM_OP_MOD:
        if (b == 0)
            return false;
        *out = e->op == OM_OP_DIV ? a / b : a % b;
        break;
    default:
        return false;
    }
    return *out >= OM_VALUE_MIN && *out <= OM_VALUE_MAX;
}

static bool in_range(
    pml_parser *p, const pml_token *at, om_wide value, om_value low, om_value high, om_value *out)
{
    if (value < low || value > high) {
        p->status = PML_FAIL(p->file, at->at, "\"%lld\" is not a number from %d to %d",
            (long long) value, (int) low, (int) high);
        return false;
    }
    *out = (om_value) value;
    return true;
}

/* constant = sum of products of NUMBER, '-' constant and '(' constant ')' */
bool pml_parse_constant(pml_parser *p, const char *what, om_value low, om_value high, om_value *out)
{
    const pml_token *first = p->at;
    om_wide value = 0;
    if (first->kind != PML_T_NUMBER && !pml_here(p, "(") && !pml_here(p, "-") &&
        first->kind != PML_T_NAME)
        return pml_unexpected(p, what);
    const pml_expr *e = pml_parse_level(p, PML_SUM_LEVEL);
    if (e == NULL)
        return false;
    if (!fold(e, &value))
        return pml_error(p, &first->at, "expected a constant", NULL);
    return in_range(p, first, value, low, high, out);
}

/* SPIN's size of an array whose size is a variable without an initial value. */
enum { SIZE_BY_DEFAULT = 8 };

/* bound = constant | NAME */
bool pml_parse_bound(pml_parser *p, const char *what, om_value low, om_value high, om_value *out)
{
    const pml_token *t = p->at;
    const pml_variable *v = t->kind == PML_T_NAME && pml_is(t + 1, "]") ? pml_find(p, t) : NULL;
    om_wide value = 0;
    if (v == NULL)
        return pml_parse_constant(p, what, low, high, out);
    p->at++;
    if (low > 0 && (v->written == NULL || v->written->kind != PML_NUMBER || v->written->value <= 0))
        value = SIZE_BY_DEFAULT;
    else if (v->written == NULL)
        value = 0;
    else if (!fold(v->written, &value))
        return pml_error(p, &t->at, "the initial value of \"%s\" is not a constant", v->name);
    return in_range(p, t, value, low, high, out);
}

/* type = 'bit' | ... | 'mtype' [':' NAME] | NAME */
bool pml_parse_type(pml_parser *p, pml_variable *v)
{
    if (!find_type(p, p->at, &v->type, &v->structure))
        return pml_unexpected(p, "a type");
    p->at++;
    if (v->type == PML_MTYPE && pml_accept(p, ":"))
        return pml_take_name(p, "the name of a set of mtypes", &v->set);
    return true;
}

/* '[' constant ']' 'of' '{' type {',' type} '}' */
static bool parse_channel(pml_parser *p, pml_variable *v)
{
    om_value capacity = 0;
    pml_chan_init *c = pml_new(p, sizeof *c);
    if (c == NULL || !pml_expect(p, "[", "\"[\"") ||
        !pml_parse_constant(p, "a capacity", 0, PML_MAX_CAPACITY, &capacity) ||
        !pml_expect(p, "]", "\"]\" after the capacity") || !pml_expect(p, "of", "\"of\"") ||
        !pml_expect(p, "{", "\"{\""))
        return false;
    pml_variable **tail = &c->fields;
    do {
        pml_variable field = { .at = p->at->at };
        if (!pml_parse_type(p, &field))
            return false;
        if (field.type == PML_UNSIGNED) {
            om_value bits = 32;
            if (pml_accept(p, ":") && !pml_parse_constant(p, "a number of bits", 1, 31, &bits))
                return false;
            field.bits = (uint32_t) bits;
        }
        if (!pml_add_message_fields(p, &field, &tail, &c->field_count))
            return false;
    } while (pml_accept(p, ","));
    c->capacity = (uint32_t) capacity;
    v->channel = c;
    return pml_expect(p, "}", "\",\" or \"}\" after a type");
}

/* initials = '{' expression {',' expression} '}' */
static bool parse_initials(pml_parser *p, pml_variable *v)
{
    pml_expr **tail = &v->initial;
    uint32_t count = 0;
    if (v->length == 0)
        return pml_error(p, &p->at->at, "\"%s\" is not an array", v->name);
    do {
        p->at++;
        if (count++ == v->length)
            return pml_error(p, &p->at->at, "\"%s\" has fewer elements", v->name);
        *tail = pml_parse_expression(p);
        if (*tail == NULL)
            return false;
        tail = &(*tail)->next;
    } while (pml_here(p, ","));
    v->listed = true;
    return pml_expect(p, "}", "\",\" or \"}\" after an initial value");
}

/* variable = NAME [':' constant] ['[' bound ']'] ['=' (channel | initials | expression)] */
bool pml_parse_variable(pml_parser *p, const pml_variable *like, pml_variable **out)
{
    pml_variable *v = pml_new(p, sizeof *v);
    om_value n = 0;
    if (v == NULL)
        return false;
    *v = *like;
    v->wide = p->file->most > PML_SPIN_PROCESSES;
    *out = v;
    v->at = p->at->at;
    if (!pml_take_new_name(p, "the name of a variable", &v->name))
        return false;
    v->bits = 32;
    if (v->type == PML_UNSIGNED && pml_accept(p, ":")) {
        if (!pml_parse_constant(p, "a number of bits", 1, 31, &n))
            return false;
        v->bits = (uint32_t) n;
    } else if (v->type == PML_UNSIGNED)
        return pml_unexpected(p, "\":\" and a number of bits");
    if (pml_accept(p, "[")) {
        if (!pml_parse_bound(p, "the size of the array", 1, PML_MAX_ARRAY, &n) ||
            !pml_expect(p, "]", "\"]\" after the size"))
            return false;
        v->length = (uint32_t) n;
    }
    if (!pml_accept(p, "="))
        return true;
    if (v->type == PML_CHAN && pml_here(p, "["))
        return parse_channel(p, v);
    if (pml_here(p, "{"))
        return parse_initials(p, v);
    v->written = v->initial = pml_parse_expression(p);
    return v->initial != NULL;
}

/* A structure has its values from the beginning, but its declaration is still a step, which has no
 * effect. The constant differs from that of a `skip`, which SPIN might remove. */
static bool as_empty(pml_parser *p, pml_statement *s)
{
    s->kind = PML_S_EXPR;
    s->a = pml_new_number(p, -1);
    return s->a != NULL;
}

/* Refuses declarations that SPIN allows only before the first statement. */
static bool check_late(pml_parser *p, const pml_variable *v)
{
    if (v->listed && v->initial->next != NULL)
        return pml_error(p, &v->at, "a list of values must come before all statements", NULL);
    if (v->channel != NULL)
        return pml_error(
            p, &v->at, "channels must be declared at the beginning of a proctype", NULL);
    if (v->initial != NULL && p->run != NULL)
        return pml_error(p, &p->run->at, "no process can be started here", NULL);
    return true;
}

/* Turns a declaration among statements into a statement: SPIN stores the value there, for an array
 * that of the first element. */
static bool as_statement(pml_parser *p, pml_variable *v, pml_statement ***tail)
{
    pml_statement *s = pml_new(p, sizeof *s);
    if (s == NULL || !check_late(p, v))
        return false;
    s->kind = PML_S_ASSIGN;
    s->at = v->at;
    s->first = p->at - 1;
    s->last = p->at;
    **tail = s;
    *tail = &s->next;
    if (v->type == PML_STRUCT)
        return as_empty(p, s);
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
    v->listed = false;
    return true;
}

/* declaration = {'hidden' | 'show' | 'local'} type variable {',' variable} */
bool pml_parse_declaration(pml_parser *p, pml_statement ***tail)
{
    pml_variable like = { .name = NULL }, *v = NULL;
    p->run = NULL;
    while (pml_is_visibility(p->at)) {
        like.is_hidden = like.is_hidden || pml_here(p, "hidden");
        p->at++;
    }
    if (!pml_parse_type(p, &like))
        return false;
    do {
        if (!pml_parse_variable(p, &like, &v) || !pml_declare(p, v))
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
        while (pml_is_visibility(p->at))
            p->at++;
        if (!pml_parse_type(p, &like))
            return false;
        do {
            if (!pml_parse_variable(p, &like, tail))
                return false;
            for (const pml_variable *f = s->fields; f != *tail; f = f->next)
                if (strcmp(f->name, (*tail)->name) == 0)
                    return pml_error(p, &(*tail)->at, "\"%s\" is declared twice", f->name);
            tail = &(*tail)->next;
        } while (pml_accept(p, ","));
        while (pml_accept(p, ";")) {
        }
    }
    return s->fields != NULL || pml_unexpected(p, "a field");
}

/* typedef = 'typedef' NAME '{' fields '}' */
bool pml_parse_typedef(pml_parser *p)
{
    pml_struct *s = pml_new(p, sizeof *s), **tail = &p->file->structs;
    p->at++;
    if (s == NULL || !pml_take_new_name(p, "the name of a type", &s->name) ||
        !pml_expect(p, "{", "\"{\" after the name of the type") || !parse_fields(p, s))
        return false;
    while (*tail != NULL)
        tail = &(*tail)->next;
    *tail = s;
    p->at++;
    return true;
}

/* mtypes = 'mtype' [':' NAME] ['='] '{' NAME {[','] NAME} [','] '}'; the last one has the smallest
 * value */
bool pml_parse_mtypes(pml_parser *p)
{
    const char *set = NULL;
    om_value before = 0, count = 0;
    p->at++;
    if (pml_accept(p, ":") && !pml_take_name(p, "the name of a set of mtypes", &set))
        return false;
    (void) pml_accept(p, "=");
    if (!pml_expect(p, "{", "\"{\""))
        return false;
    if (set == NULL)
        for (const pml_mtype *m = p->file->mtypes; m != NULL; m = m->next)
            before++;
    for (const pml_token *t = p->at; t->kind == PML_T_NAME; t++) {
        count++;
        t += pml_is(t + 1, ",");
    }
    do {
        pml_mtype *m = pml_new(p, sizeof *m);
        if (m == NULL || !pml_take_new_name(p, "a name", &m->name))
            return false;
        m->set = set;
        m->value = before + count--;
        if (m->value > 255)
            return pml_error(p, &p->at->at, "there are more than 255 mtypes", NULL);
        m->next = p->file->mtypes;
        p->file->mtypes = m;
        (void) pml_accept(p, ",");
    } while (!pml_here(p, "}"));
    return pml_expect(p, "}", "\"}\"");
}
