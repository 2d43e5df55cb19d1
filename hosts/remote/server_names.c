/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 100 }; /* maximum length of a name for omend */

const char *remote_plain_name(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    size_t n = strlen(name);
    return n > 0 && n <= NAME_BYTES && *name != '.' && *name != '-' && strspn(name, plain) == n
               ? name
               : NULL;
}

void remote_never_name(size_t index, char out[32])
{
    (void) snprintf(out, 32, "never-%zu.hoa", index + 1);
}

/* Returns the text after "NAME", if it begins with that name and ':'; else NULL. */
static const char *after_prefix(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && text[n] == ':' ? text + n : NULL;
}

/* Returns the file of the only formula, if it is from a file. */
static const char *formula_file(const remote_names *n)
{
    const char *file = NULL;
    size_t formulas = 0;
    for (size_t i = 0; i < n->count; i++) {
        const cli_property *p = &n->properties[i];
        if (p->kind != OM_PROPERTY_LTL && p->kind != OM_PROPERTY_LTL_FILE)
            continue;
        formulas++;
        file = p->kind == OM_PROPERTY_LTL_FILE ? p->text : NULL;
    }
    return formulas == 1 ? file : NULL;
}

/* Returns the local name of the file that the text begins with; *rest: the text after the file's
 * name. */
static const char *file_here(const remote_names *n, const char *text, const char **rest)
{
    char name[32];
    if ((*rest = after_prefix(text, n->there)) != NULL)
        return n->here;
    for (size_t i = 0; i < n->count; i++) {
        if (n->properties[i].kind != OM_PROPERTY_AUTOMATON)
            continue;
        remote_never_name(i, name);
        if ((*rest = after_prefix(text, name)) != NULL)
            return n->properties[i].text;
    }
    *rest = after_prefix(text, "LTL formula");
    return *rest == NULL ? NULL : formula_file(n);
}

void remote_names_put(const remote_names *n, const char *text, om_text *out)
{
    static const char warning[] = "warning: ";
    const char *rest;
    if (strncmp(text, warning, sizeof warning - 1) == 0) {
        om_text_add(out, warning);
        text += sizeof warning - 1;
    }
    const char *here = file_here(n, text, &rest);
    om_text_add(out, here == NULL ? "" : here);
    om_text_add(out, here == NULL ? text : rest);
}
