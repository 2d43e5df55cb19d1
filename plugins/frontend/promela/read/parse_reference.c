/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_expression.h"

#include <string.h>

/* index = '[' expression ']' */
bool pml_parse_index(pml_parser *p, pml_expr *e)
{
    if (!pml_accept(p, "["))
        return true;
    p->parentheses++;
    e->a = pml_parse_expression(p);
    p->parentheses--;
    return e->a != NULL && pml_expect(p, "]", "\"]\" after the index");
}

bool pml_is_zero(const pml_expr *e)
{
    return e->kind == PML_NUMBER && e->value == 0;
}

/* As in SPIN, a scalar is an array of one element: `x[0]` is `x`, any other index is an error. */
static bool check_index(pml_parser *p, pml_expr *e)
{
    if (e->a == NULL || e->variable->length != 0)
        return true;
    if (!pml_is_zero(e->a))
        return pml_error(
            p, &e->a->at, "\"%s\" is not an array: its only index is 0", e->variable->name);
    e->a = NULL;
    return true;
}

/* fields = {'.' NAME [index]} */
static bool parse_fields(pml_parser *p, pml_expr *e)
{
    while (pml_here(p, ".")) {
        if (e->variable->structure == NULL)
            return pml_error(p, &p->at->at, "\"%s\" has no fields", e->variable->name);
        p->at++;
        pml_expr *f = pml_new_expr(p, PML_VARIABLE);
        if (f == NULL || !pml_take_name(p, "the name of a field", &f->name))
            return false;
        for (f->variable = e->variable->structure->fields;
             f->variable != NULL && strcmp(f->variable->name, f->name) != 0;)
            f->variable = f->variable->next;
        if (f->variable == NULL)
            return pml_error(p, &f->at, "there is no field \"%s\"", f->name);
        if (!pml_parse_index(p, f) || !check_index(p, f))
            return false;
        e = e->field = f;
    }
    return true;
}

void pml_mark_assigned(const pml_expr *e)
{
    for (; e != NULL; e = e->field)
        e->variable->assigned = true;
}

/* reference = NAME [index] {'.' NAME [index]} */
pml_expr *pml_parse_reference(pml_parser *p)
{
    pml_expr *e = pml_new_expr(p, PML_VARIABLE);
    if (e == NULL)
        return NULL;
    if (p->at->kind != PML_T_NAME) {
        (void) pml_unexpected(p, "a variable");
        return NULL;
    }
    e->variable = pml_find(p, p->at);
    if (e->variable == NULL) {
        (void) pml_unknown(p, p->at);
        return NULL;
    }
    e->name = e->variable->name;
    e->variable->reads++;
    p->at++;
    if (!pml_parse_index(p, e) || !check_index(p, e) || !parse_fields(p, e))
        return NULL;
    return pml_closed(p, e);
}

static bool add_argument(pml_parser *p, bool receive, pml_expr ***tail, uint32_t *count)
{
    pml_expr *e = NULL;
    bool may = receive || (p->within != NULL && p->within->is_trace);
    bool ignored = may && p->at->kind == PML_T_NAME && p->at->length == 1 && p->at->text[0] == '_';
    bool eval = receive && pml_here(p, "eval");
    if (ignored || eval) {
        e = pml_new_expr(p, ignored ? PML_IGNORE : PML_EVAL);
        p->at++;
        if (e != NULL && eval && !pml_parse_enclosed(p, "\"(\" after \"eval\"", "\")\"", &e->a))
            return false;
    } else
        e = receive ? pml_parse_level(p, PML_UNARY_LEVEL) : pml_parse_expression(p);
    if (e == NULL)
        return false;
    if (pml_is_structure(e))
        return pml_add_structure(p, e, tail, count);
    **tail = e;
    *tail = &e->next;
    ++*count;
    return true;
}

/* A list in parentheses may follow an argument, but not on a new line, where a statement begins. */
static bool opens_list(const pml_parser *p)
{
    return pml_here(p, "(") && !(p->at->first && p->parentheses == 0);
}

static bool parse_received(pml_parser *p, pml_expr ***tail, uint32_t *count);

static bool parse_received_list(pml_parser *p, pml_expr ***tail, uint32_t *count)
{
    p->at++;
    p->parentheses++;
    if (!parse_received(p, tail, count))
        return false;
    p->parentheses--;
    return pml_expect(p, ")", "\",\" or \")\" after an argument");
}

/* received = argument [',' received | '(' received ')'] | '(' received ')' */
static bool parse_received(pml_parser *p, pml_expr ***tail, uint32_t *count)
{
    bool good = pml_enter(p), list = false;
    do {
        list = pml_here(p, "(");
        good = good && (list || add_argument(p, true, tail, count));
        list = list || opens_list(p);
    } while (good && !list && pml_accept(p, ","));
    good = good && (!list || parse_received_list(p, tail, count));
    p->nesting--;
    return good;
}

/* given = argument {',' argument}, or argument '(' argument {',' argument} ')' */
static bool parse_given(pml_parser *p, pml_expr ***tail, uint32_t *count)
{
    bool nested = false, good = true;
    do {
        good = add_argument(p, false, tail, count);
        if (good && *count == 1 && opens_list(p)) {
            nested = true;
            p->parentheses++;
            p->at++;
            if (pml_here(p, ")"))
                break;
            good = add_argument(p, false, tail, count);
        }
    } while (good && pml_accept(p, ","));
    if (!nested)
        return good;
    p->parentheses--;
    return good && pml_expect(p, ")", "\",\" or \")\" after an argument");
}

/* arguments = [given | received] END */
bool pml_parse_arguments(
    pml_parser *p, bool receive, const char *end, pml_expr **list, uint32_t *count)
{
    if (end != NULL && pml_here(p, end))
        return pml_expect(p, end, end);
    p->parentheses += end != NULL;
    bool good = receive ? parse_received(p, &list, count) : parse_given(p, &list, count);
    p->parentheses -= end != NULL;
    return good && (end == NULL || pml_expect(p, end, "\",\" or the end of the arguments"));
}
