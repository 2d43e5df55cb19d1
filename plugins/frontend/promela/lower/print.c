/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `printf` and `printm`, for traces (om_model_set_prints()). */
#include "text/lexer.h"
#include "steps.h"

/* Adds a value, or nothing, after the text `before`, which is copied. */
static int add(pml_move *v, const om_text *before, om_print p)
{
    pml_file *f = v->l->file;
    if (before->failed)
        return om_fail_memory(f->ctx);
    if (!OM_ROOM(f->region.heap, v->prints, &v->print_capacity, v->print_count + 1))
        return om_fail_memory(f->ctx);
    p.after = (uint32_t) v->count;
    p.length = before->length;
    p.text = before->length == 0 ? "" : om_region_copy(&f->region, before->text, before->length);
    v->prints[v->print_count++] = p;
    return p.text == NULL ? om_fail_memory(f->ctx) : OM_OK;
}

/* Returns the mtype variable that e names, whose set has the names, or NULL. */
static const pml_variable *mtype_of(const pml_expr *e)
{
    if (e->kind != PML_VARIABLE)
        return NULL;
    while (e->field != NULL)
        e = e->field;
    return e->variable->type == PML_MTYPE ? e->variable : NULL;
}

static om_print_how how_of(char letter)
{
    return letter == 'd' || letter == 'i' ? OM_PRINT_DECIMAL
           : letter == 'u'                ? OM_PRINT_UNSIGNED
           : letter == 'x'                ? OM_PRINT_HEXADECIMAL
           : letter == 'o'                ? OM_PRINT_OCTAL
           : letter == 'c'                ? OM_PRINT_CHARACTER
           : letter == 'e'                ? OM_PRINT_NAME
                                          : OM_PRINT_TEXT;
}

static int add_value(
    pml_move *v, const pml_scope *s, om_print_how how, const om_text *before, const pml_expr *e)
{
    om_print p = { .how = how };
    const pml_names *names = NULL;
    om_expr value = 0;
    int rc = how == OM_PRINT_NAME ? pml_mtype_names(v->l, mtype_of(e), &names) : OM_OK;
    if (rc == OM_OK)
        rc = pml_lower_expression(s, e, &value);
    if (rc == OM_OK)
        rc = pml_made(s, e, value, &p.value);
    if (rc == OM_OK && names != NULL) {
        p.names = names->of;
        p.name_count = names->count;
    }
    return rc == OM_OK ? add(v, before, p) : rc;
}

static const char *unescaped(const char *c, om_text *out)
{
    om_text_add_n(out, *c == 'n' ? "\n" : *c == 't' ? "\t" : c, 1);
    return c + 1;
}

/* Adds the text of a format, with the values in it. */
static int add_format(
    pml_move *v, const pml_scope *s, const char *c, const char *end, const pml_expr *e)
{
    om_text text = { .heap = v->l->file->region.heap };
    int rc = OM_OK;
    while (c < end && rc == OM_OK) {
        const om_print_how how = *c == '%' && c + 1 < end ? how_of(c[1]) : OM_PRINT_TEXT;
        if (*c == '\\' && c + 1 < end)
            c = unescaped(c + 1, &text);
        else if (how != OM_PRINT_TEXT && e != NULL) {
            rc = add_value(v, s, how, &text, e);
            text.length = 0;
            e = e->next;
            c += 2;
        } else {
            om_text_add_n(&text, c, 1);
            c += *c == '%' && c + 1 < end && c[1] == '%' ? 2 : 1;
        }
    }
    if (rc == OM_OK && (text.length != 0 || text.failed))
        rc = add(v, &text, (om_print){ .how = OM_PRINT_TEXT });
    om_text_free(&text);
    return rc;
}

int pml_move_print(pml_move *v, const pml_scope *s, const pml_statement *t)
{
    const pml_token *format = t->first + 2; /* after "printf" and "(" */
    const om_text nothing = { .heap = v->l->file->region.heap };
    return format->kind == PML_T_STRING
               ? add_format(v, s, format->text + 1, format->text + format->length - 1, t->args)
               : add_value(v, s, OM_PRINT_NAME, &nothing, t->args);
}

int pml_name_prints(const pml_move *v)
{
    om_model *m = v->l->model;
    return v->print_count == 0 ? OM_OK
                               : om_model_set_prints(m, om_model_transition_count(m) - 1, v->prints,
                                     (uint32_t) v->print_count);
}
