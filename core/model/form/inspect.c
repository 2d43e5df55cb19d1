/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include "form.h"
#include "proved.h"

#include <assert.h>
#include <string.h>

om_context *om_model_context(const om_model *m)
{
    return m->ctx;
}

const char *om_model_name(const om_model *m)
{
    return m->name;
}

uint32_t om_model_words(const om_model *m)
{
    return m->words;
}

const uint32_t *om_model_initial(const om_model *m)
{
    return m->initial;
}

uint32_t om_model_slot_count(const om_model *m)
{
    return (uint32_t) m->slots.count;
}

const om_slot *om_model_slot(const om_model *m, uint32_t i)
{
    return i < m->slots.count ? m->slots.at[i] : NULL;
}

uint32_t om_model_process_count(const om_model *m)
{
    return (uint32_t) m->processes.count;
}

const om_process *om_model_process(const om_model *m, uint32_t i)
{
    return i < m->processes.count ? m->processes.at[i] : NULL;
}

uint32_t om_model_transition_count(const om_model *m)
{
    return (uint32_t) m->transitions.count;
}

const om_transition *om_model_transition(const om_model *m, uint32_t i)
{
    return i < m->transitions.count ? m->transitions.at[i] : NULL;
}

uint32_t om_model_assertion_count(const om_model *m)
{
    return (uint32_t) m->assertions.count;
}

const om_assertion *om_model_assertion(const om_model *m, uint32_t i)
{
    return i < m->assertions.count ? m->assertions.at[i] : NULL;
}

uint32_t om_model_property_count(const om_model *m)
{
    return (uint32_t) m->properties.count;
}

const om_property *om_model_property(const om_model *m, uint32_t i)
{
    return i < m->properties.count ? m->properties.at[i] : NULL;
}

const om_node *om_model_node(const om_model *m, om_expr e)
{
    return om_model__has(m, e) ? &m->nodes[e] : NULL;
}

uint32_t om_model_find_slot(const om_model *m, const char *name)
{
    for (uint32_t i = 0; i < m->slots.count; i++)
        if (strcmp(om_model__slot(m, i)->name, name) == 0)
            return i;
    return OM_NONE;
}

uint32_t om_model__own_count(const om_model *m, uint32_t transition)
{
    assert(m->own == NULL ||
           m->own[transition].count <= om_model_transition(m, transition)->assign_count);
    return m->own == NULL ? om_model_transition(m, transition)->assign_count
                          : m->own[transition].count;
}

om_expr om_model__progress(const om_model *m)
{
    return m->progress;
}

const char *om_model_larger(const om_model *m, int64_t *value)
{
    *value = m->room.larger;
    return m->room.larger == 0 ? NULL : m->room.option;
}

void om_model_set_growing(om_model *m)
{
    m->room.grows = m->room.larger != 0;
}

bool om_model__lacks_room(const om_model *m, om_fault fault)
{
    if (m->room.option == NULL || OM_FAULT_KIND(fault) != OM_FAULT_INDEX)
        return false;
    const om_transition *t = om_model_transition(m, OM_FAULT_SUBJECT(fault));
    bool wrote = false;
    for (uint32_t i = 0; i < t->assign_count; i++)
        wrote = wrote || t->assigns[i].slot == m->room.slot;
    return wrote;
}

bool om_model__is_limit(const om_model *m, om_fault fault)
{
    return !m->room.grows && om_model__lacks_room(m, fault);
}

bool om_model__is_outgrown(const om_model *m, om_fault fault)
{
    return m->room.grows && om_model__lacks_room(m, fault);
}

bool om_model__forbids_deadlock(const om_model *m)
{
    return m->forbids_deadlock;
}

om_expr om_model__visible(const om_model *m)
{
    return m->visible;
}

void om_model__set_asserted(om_model *m, om_asserted how)
{
    m->asserted = how;
}

om_asserted om_model__asserted(const om_model *m)
{
    return m->asserted;
}

bool om_model__is_final(const om_model *m, uint32_t assertion)
{
    const om_kept_assertion *a = m->assertions.at[assertion];
    return a->final;
}

bool om_model__checks(const om_model *m, uint32_t assertion)
{
    const om_node *n = om_model_node(m, om_model_assertion(m, assertion)->condition);
    const bool all = m->asserted == OM_ASSERTED || m->asserted == OM_ASSERTED_AS_ENDS;
    return (all || (m->asserted == OM_ASSERTED_FINAL && om_model__is_final(m, assertion)) ||
               om_model__open_of(m, assertion) != OM_NONE) &&
           !(n->op == OM_OP_CONST && n->value != 0);
}

om_fault om_model__failure(const om_model *m, uint32_t assertion)
{
    const bool fails = m->asserted != OM_ASSERTED_AS_ENDS || om_model__is_final(m, assertion) ||
                       om_model__open_of(m, assertion) != OM_NONE;
    return OM_FAULT(fails ? OM_FAULT_ASSERTION : OM_FAULT_IN_ASSERTION, assertion);
}

static bool checks_any(const om_model *m)
{
    uint32_t i = 0;
    while (i < m->assertions.count && !om_model__checks(m, i))
        i++;
    return i < m->assertions.count;
}

bool om_model__may_fault(const om_model *m)
{
    return !m->tame || checks_any(m) || (m->overflow == OM_OVERFLOW_ERROR && m->site_count > 0);
}

om_model_form om_model__form_of(const om_model *m)
{
    return (om_model_form){ .reset_dead = m->resets > 0,
        .overflow = m->overflow,
        .ignore_assertions = m->asserted == OM_ASSERTED_FINAL };
}
