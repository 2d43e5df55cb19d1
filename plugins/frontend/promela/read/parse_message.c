/* SPDX-License-Identifier: Apache-2.0 */
/* Structures in messages: a message has a field for each of their scalars, in the order of
 * declaration, array element by array element. */
#include "parse_expression.h"

enum { MOST_FIELDS = 255 };

static bool too_many(pml_parser *p, const om_place *at)
{
    return pml_error(p, at, "a message has more than 255 fields", NULL);
}

bool pml_add_message_fields(
    pml_parser *p, const pml_variable *like, pml_variable ***tail, uint32_t *count)
{
    const uint32_t length = like->length == 0 ? 1 : like->length;
    for (uint32_t k = 0; k < length; k++) {
        if (like->structure != NULL) {
            for (const pml_variable *f = like->structure->fields; f != NULL; f = f->next)
                if (!pml_add_message_fields(p, f, tail, count))
                    return false;
            continue;
        }
        pml_variable *v = pml_new(p, sizeof *v);
        if (v == NULL)
            return false;
        if (++*count > MOST_FIELDS)
            return too_many(p, &p->at->at);
        *v = (pml_variable){ .at = like->at,
            .type = like->type,
            .bits = like->bits,
            .set = like->set,
            .wide = p->file->most > PML_SPIN_PROCESSES };
        **tail = v;
        *tail = &v->next;
    }
    return true;
}

/* Returns a copy of a reference, extended by a field and an index (or NULL). */
static pml_expr *with_field(pml_parser *p, const pml_expr *e, pml_variable *field, pml_expr *index)
{
    pml_expr *copy = pml_new(p, sizeof *copy), *last = copy;
    if (copy == NULL)
        return NULL;
    *copy = *e;
    copy->next = NULL;
    while (last->field != NULL) {
        pml_expr *f = pml_new(p, sizeof *f);
        if (f == NULL)
            return NULL;
        *f = *last->field;
        last = last->field = f;
    }
    pml_expr *f = pml_new(p, sizeof *f);
    if (f == NULL)
        return NULL;
    *f = (pml_expr){ .kind = PML_VARIABLE, .at = e->at, .name = field->name, .depth = 1 };
    f->variable = field;
    f->a = index;
    last->field = f;
    return copy;
}

static const pml_expr *last_of(const pml_expr *e)
{
    while (e->field != NULL)
        e = e->field;
    return e;
}

bool pml_is_structure(const pml_expr *e)
{
    if (e->kind != PML_VARIABLE)
        return false;
    const pml_expr *last = last_of(e);
    return last->variable->structure != NULL && (last->variable->length == 0 || last->a != NULL);
}

bool pml_add_structure(pml_parser *p, const pml_expr *e, pml_expr ***tail, uint32_t *count)
{
    for (pml_variable *f = last_of(e)->variable->structure->fields; f != NULL; f = f->next)
        for (uint32_t k = 0; k < (f->length == 0 ? 1 : f->length); k++) {
            pml_expr *index = NULL;
            if (f->length != 0 && (index = pml_new_number(p, (om_value) k)) == NULL)
                return false;
            pml_expr *one = with_field(p, e, f, index);
            if (one == NULL)
                return false;
            if (f->structure != NULL) {
                if (!pml_add_structure(p, one, tail, count))
                    return false;
                continue;
            }
            if (++*count > MOST_FIELDS)
                return too_many(p, &e->at);
            **tail = one;
            *tail = &one->next;
        }
    return true;
}
