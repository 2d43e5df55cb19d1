/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_statement.h"

#include <string.h>

/* ---- shared by all parts ---- */

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
    p->status =
        text.failed ? om_fail_memory(p->file->ctx) : PML_FAIL(p->file, *at, "%s", text.text);
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
    const int length = (int) (t->length < 40 ? t->length : 40);
    const char *hint = pml_hint_after_operator(p);
    if (t->kind == PML_T_END)
        p->status = PML_FAIL(p->file, t->at, "expected %s, found the end%s", what, hint);
    else
        p->status =
            PML_FAIL(p->file, t->at, "expected %s, found \"%.*s\"%s", what, length, t->text, hint);
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
        return pml_error(p, &p->at->at, "this is nested too deeply", NULL);
    p->nesting++;
    return true;
}

/* ---- names ---- */

bool pml_named(const char *name, const pml_token *t)
{
    return name != NULL && strlen(name) == t->length && memcmp(name, t->text, t->length) == 0;
}

bool pml_is_proctype(const pml_parser *p, const pml_token *name)
{
    return pml_index_get(&p->file->proctype_names, name->text, name->length, NULL) != NULL;
}

pml_struct *pml_find_struct(const pml_file *f, const pml_token *name)
{
    for (pml_struct *s = f->structs; s != NULL && name->kind == PML_T_NAME; s = s->next)
        if (pml_named(s->name, name))
            return s;
    return NULL;
}

bool pml_find_mtype(const pml_file *f, const pml_token *name, om_value *value)
{
    for (const pml_mtype *m = f->mtypes; m != NULL; m = m->next)
        if (pml_named(m->name, name)) {
            *value = m->value;
            return true;
        }
    return false;
}

/* Returns true if the name begins a statement and another name follows, so that it is meant as a
 * type. */
static bool stands_as_type(const pml_parser *p, const pml_token *name)
{
    static const char *const before[] = { ";", "{", "->", "::" };
    bool begins = name->first || name == p->first;
    for (size_t i = 0; i < sizeof before / sizeof *before && !begins; i++)
        begins = pml_is(name - 1, before[i]);
    return begins && !p->given && name[1].kind == PML_T_NAME && !name[1].first;
}

enum { MOST_SUGGESTED = 256 };

static bool unknown_type(pml_parser *p, const pml_token *name)
{
    static const char *const plain[] = { "bit", "bool", "byte", "short", "int", "unsigned", "mtype",
        "chan", "pid" };
    const char *names[MOST_SUGGESTED], *wanted = name_of(p, name);
    size_t count = 0;
    for (; count < sizeof plain / sizeof *plain; count++)
        names[count] = plain[count];
    for (const pml_struct *s = p->file->structs; s != NULL && count < MOST_SUGGESTED; s = s->next)
        names[count++] = s->name;
    if (wanted == NULL)
        return false;
    const char *near = om_nearest(wanted, names, count);
    if (near != NULL)
        p->status = PML_FAIL(
            p->file, name->at, "there is no type \"%s\"; did you mean \"%s\"?", wanted, near);
    else
        p->status = PML_FAIL(p->file, name->at, "there is no type \"%s\"", wanted);
    return false;
}

bool pml_unknown_proctype(pml_parser *p, const pml_proctype *unknown)
{
    const char *names[MOST_SUGGESTED];
    size_t count = 0;
    for (const pml_proctype *t = p->file->proctypes; t != NULL; t = t->next)
        if (t->defined && count < MOST_SUGGESTED)
            names[count++] = t->name;
    const char *near = om_nearest(unknown->name, names, count);
    if (near != NULL)
        p->status = PML_FAIL(p->file, unknown->at,
            "there is no proctype \"%s\"; did you mean \"%s\"?", unknown->name, near);
    else
        p->status = PML_FAIL(p->file, unknown->at, "there is no proctype \"%s\"", unknown->name);
    return false;
}

bool pml_unknown(pml_parser *p, const pml_token *name)
{
    const om_heap *heap = p->file->region.heap;
    size_t count = 0, i = 0;
    if (pml_unknown_operator(p, name))
        return false;
    if (stands_as_type(p, name))
        return unknown_type(p, name);
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
        p->status = PML_FAIL(
            p->file, name->at, "there is no variable \"%s\"; did you mean \"%s\"?", wanted, near);
    else
        p->status = PML_FAIL(p->file, name->at, "there is no variable \"%s\"", wanted);
    om_free(heap, names);
    return false;
}

static bool is_defined(const pml_parser *p, const pml_token *name)
{
    const pml_proctype *t = pml_index_get(&p->file->proctype_names, name->text, name->length, NULL);
    return t != NULL && t->defined;
}

static bool is_predefined(const pml_token *name)
{
    static const char *const NAMES[] = { "_", "_pid", "_last", "_nr_pr", "_priority" };
    size_t i = 0;
    while (i < sizeof NAMES / sizeof *NAMES && !pml_named(NAMES[i], name))
        i++;
    return i < sizeof NAMES / sizeof *NAMES;
}

bool pml_take_new_name(pml_parser *p, const char *what, const char **name)
{
    const pml_token *t = p->at;
    om_value value = 0;
    if (!pml_take_name(p, what, name))
        return false;
    const char *other = pml_find_mtype(p->file, t, &value)    ? "\"%s\" is already an mtype"
                        : is_defined(p, t)                    ? "\"%s\" is already a proctype"
                        : pml_find_struct(p->file, t) != NULL ? "\"%s\" is already a type"
                        : pml_find_inline(p, t) != NULL       ? "\"%s\" is already an inline"
                        : is_predefined(t)                    ? "\"%s\" is predefined"
                                                              : NULL;
    return other == NULL || pml_error(p, &t->at, other, *name);
}

bool pml_declare(pml_parser *p, pml_variable *v)
{
    v->depth = p->depth;
    v->is_global = p->within == NULL;
    v->owner = p->within;
    const pml_token name = { .text = v->name, .length = (uint32_t) strlen(v->name) };
    if (pml_find(p, &name) != NULL)
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
    pml_file *f = p->file;
    pml_proctype *made = pml_index_get(&f->proctype_names, name, strlen(name), NULL);
    if (made != NULL)
        return made;
    made = pml_new(p, sizeof *made);
    if (made == NULL)
        return NULL;
    f->proctype_names.region = &f->region;
    if (!pml_index_put(&f->proctype_names, name, strlen(name), NULL, made)) {
        (void) pml_no_memory(p);
        return NULL;
    }
    made->name = name;
    made->at = *at;
    made->number = f->proctype_count++;
    if (f->last_proctype == NULL)
        f->proctypes = made;
    else
        f->last_proctype->next = made;
    f->last_proctype = made;
    return made;
}
