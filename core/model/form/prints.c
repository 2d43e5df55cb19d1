/* SPDX-License-Identifier: Apache-2.0 */
/* Output of steps: text and values of expressions, evaluated in the course of their assignments. */
#include "form.h"
#include "prints.h"

#include <string.h>

struct om_print_list {
    const om_print *prints;
    uint32_t count;
};

int om_model_set_prints(om_model *m, uint32_t transition, const om_print *prints, uint32_t count)
{
    if (transition >= m->transitions.count)
        return om_fail(m->ctx, OM_EINVAL, NULL, "no such transition for the text to print");
    om_print *kept = om_region_take(&m->region, (size_t) count + 1, sizeof *kept);
    if (kept == NULL ||
        !OM_ROOM(m->heap, m->prints.at, &m->prints.capacity, (size_t) transition + 1))
        return om_fail_memory(m->ctx);
    for (uint32_t i = 0; i < count; i++) {
        char *text = om_region_take(&m->region, prints[i].length + 1, 1);
        if (text == NULL)
            return om_fail_memory(m->ctx);
        memcpy(text, prints[i].text, prints[i].length);
        kept[i] = prints[i];
        kept[i].text = text;
    }
    for (; m->prints.count <= transition; m->prints.count++)
        m->prints.at[m->prints.count] = (om_print_list){ NULL, 0 };
    m->prints.at[transition] = (om_print_list){ kept, count };
    return OM_OK;
}

bool om_model__has_prints(const om_model *m)
{
    return m->prints.count != 0;
}

/* ---- values ---- */

static bool value_of(const om_model *m, om_expr e, const uint32_t *state, om_value *out);

static bool element_of(
    const om_model *m, uint32_t slot, om_expr index, const uint32_t *state, uint32_t *out)
{
    const uint32_t length = om_model_slot(m, slot)->length;
    om_value at = 0;
    if (index != 0 && !value_of(m, index, state, &at))
        return false;
    *out = (uint32_t) at;
    return at >= 0 && *out < (length == 0 ? 1 : length);
}

/* Returns false if the expression cannot be evaluated. The recursion is as deep as expressions are
 * high. */
static bool value_of(const om_model *m, om_expr e, const uint32_t *state, om_value *out)
{
    const om_node n = m->nodes[e];
    om_value a = 0, b = 0;
    uint32_t element = 0;
    switch (n.op) {
    case OM_OP_CONST:
        *out = n.value;
        return true;
    case OM_OP_SLOT:
    case OM_OP_ELEMENT:
        if (!element_of(m, n.a, n.op == OM_OP_ELEMENT ? n.b : 0, state, &element))
            return false;
        *out = om_slot_get(om_model_slot(m, n.a), state, element);
        return true;
    case OM_OP_NEG:
    case OM_OP_NOT:
    case OM_OP_COMPL:
        return value_of(m, n.a, state, &a) && om_fold__constant((om_op) n.op, a, 0, out);
    default:
        break;
    }
    if (!value_of(m, n.a, state, &a))
        return false;
    const bool decided =
        n.op == OM_OP_AND || n.op == OM_OP_IMPLY ? a == 0 : n.op == OM_OP_OR && a != 0;
    if (decided) {
        *out = n.op != OM_OP_AND;
        return true;
    }
    return value_of(m, n.b, state, &b) && om_fold__constant((om_op) n.op, a, b, out);
}

static bool assign(const om_model *m, const om_assign *a, uint32_t *state)
{
    om_value value = 0;
    uint32_t element = 0;
    const om_slot *s = om_model_slot(m, a->slot);
    if (!element_of(m, a->slot, a->index, state, &element))
        return false;
    for (; a->value == 0 && (element + 1) % om_model__row(m, a->slot) != 0; element++)
        om_slot_set(s, state, element, om_slot_get(s, state, element + 1));
    if (a->value != 0 && !value_of(m, a->value, state, &value))
        return false;
    om_slot_set(s, state, element, value);
    return true;
}

static void put_value(const om_print *p, om_value v, om_text *out)
{
    const bool named = p->how == OM_PRINT_NAME && v >= 0 && (uint32_t) v < p->name_count;
    if (named && p->names[v] != NULL)
        om_text_add(out, p->names[v]);
    else if (p->how == OM_PRINT_CHARACTER) {
        const char c = (char) v;
        om_text_add_n(out, &c, 1);
    } else if (p->how == OM_PRINT_HEXADECIMAL)
        om_text_printf(out, "%" PRIx32, (om_uvalue) v);
    else if (p->how == OM_PRINT_OCTAL)
        om_text_printf(out, "%" PRIo32, (om_uvalue) v);
    else if (p->how == OM_PRINT_UNSIGNED)
        om_text_printf(out, "%" OM_UVALUE_FORMAT, (om_uvalue) v);
    else
        om_text_printf(out, "%" OM_VALUE_FORMAT, v);
}

bool om_model__print(const om_model *m, uint32_t transition, uint32_t *state, om_text *out)
{
    const om_transition *t = om_model_transition(m, transition);
    const om_print_list none = { NULL, 0 };
    const om_print_list *list = transition < m->prints.count ? &m->prints.at[transition] : &none;
    const uint32_t own = om_model__own_count(m, transition);
    uint32_t k = 0;
    for (uint32_t i = 0; i <= own; i++) {
        for (; k < list->count && list->prints[k].after <= i; k++) {
            const om_print *p = &list->prints[k];
            om_value v = 0;
            om_text_add_n(out, p->text, p->length);
            if (p->how != OM_PRINT_TEXT && value_of(m, p->value, state, &v))
                put_value(p, v, out);
        }
        if (i < own && !assign(m, &t->assigns[i], state))
            return false;
    }
    return true;
}
