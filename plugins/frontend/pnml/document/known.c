/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"

#include <assert.h>
#include <string.h>

static const pnml_known *find(const pnml_known *known, const char *name)
{
    for (; known->name != NULL; known++)
        if (strcmp(known->name, name) == 0)
            return known;
    return NULL;
}

static bool is_allowed(const pnml_known *k, const char *value)
{
    if (k->values == NULL)
        return true;
    for (const char *const *v = k->values; *v != NULL; v++)
        if (value != NULL && strcmp(*v, value) == 0)
            return true;
    return false;
}

void pnml_note_dialect(
    pnml_document *d, const pnml_element *e, const char *what, const char *dialect)
{
    if (d->noted || dialect == NULL)
        return;
    d->noted = true;
    om_note(d->ctx, OM_NOTE_WARNING, &(om_place){ d->file, e->line, e->column },
        "'%.100s' is not in the standard: it is read as written by %s", what, dialect);
}

/* Returns true for attributes of namespaces and schemas. */
static bool is_of_xml(const char *name)
{
    return strncmp(name, "xmlns", 5) == 0 || strncmp(name, "xml:", 4) == 0 ||
           strncmp(name, "xsi:", 4) == 0;
}

int pnml_check_attributes(pnml_document *d, const pnml_element *e, const pnml_known *known)
{
    for (const char **a = e->attributes; a[0] != NULL; a += 2) {
        if (is_of_xml(a[0]))
            continue;
        const pnml_known *k = find(known, a[0]);
        if (k == NULL)
            return PNML_FAIL(
                d, *e, "'%s' with the attribute '%.100s' is not supported", e->name, a[0]);
        if (!is_allowed(k, a[1]))
            return PNML_FAIL(
                d, *e, "'%s' with %s=\"%.100s\" is not supported", e->name, a[0], a[1]);
        pnml_note_dialect(d, e, a[0], k->dialect);
    }
    return OM_OK;
}

int pnml_check_labels(pnml_document *d, const pnml_element *e, const pnml_known *known)
{
    uint64_t seen = 0;
    bool named = false;
    for (const pnml_element *c = e->children; c != NULL; c = c->next) {
        const bool is_name = strcmp(c->name, "name") == 0;
        const pnml_known *k = is_name ? NULL : find(known, c->name);
        if (k == NULL && !is_name)
            return PNML_FAIL(d, *c, "'%s' with '%.100s' is not supported", e->name, c->name);
        assert(is_name || k - known < 64);
        const uint64_t bit = is_name ? 0 : UINT64_C(1) << (k - known);
        if (is_name ? named : (seen & bit) != 0 && !k->many)
            return PNML_FAIL(d, *c, "'%s' with more than one '%s'", e->name, c->name);
        named = named || is_name;
        seen |= bit;
        if (is_name)
            continue;
        if (!is_allowed(k, pnml_text_of(c)))
            return PNML_FAIL(d, *c, "'%s' with the %s '%.100s' is not supported", e->name, c->name,
                pnml_text_of(c) == NULL ? "" : pnml_text_of(c));
        pnml_note_dialect(d, c, c->name, k->dialect);
    }
    return OM_OK;
}

int pnml_check_text(pnml_document *d, const pnml_element *label)
{
    static const pnml_known ATTRIBUTES[] = { { .name = NULL } };
    unsigned texts = 0;
    for (const pnml_element *c = label->children; c != NULL; c = c->next) {
        const bool value = strcmp(c->name, "value") == 0;
        if ((!value && strcmp(c->name, "text") != 0) || c->children != NULL || texts++ != 0)
            return PNML_FAIL(d, *c, "'%s' with '%.100s' is not supported", label->name, c->name);
        if (value)
            pnml_note_dialect(d, c, c->name, PNML_PIPE);
    }
    return pnml_check_attributes(d, label, ATTRIBUTES);
}

const char *pnml_text_of(const pnml_element *label)
{
    const pnml_element *text = pnml_child(label, "text");
    if (text == NULL)
        text = pnml_child(label, "value");
    return text == NULL ? NULL : text->text;
}
