/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_statement.h"

#include <string.h>

/* '(' tokens {',' tokens} ')', each a stretch of tokens with balanced brackets */
static bool take_arguments(pml_parser *p, const pml_inline *in, const pml_token **from,
    const pml_token **to, const om_place *at)
{
    size_t n = 0, nesting = 0;
    if (!pml_expect(p, "(", "\"(\" after the name of the inline"))
        return false;
    if (in->parameter_count == 0)
        return pml_expect(p, ")", "\")\": this inline has no parameters");
    for (from[0] = p->at; p->at->kind != PML_T_END; p->at++) {
        bool end = nesting == 0 && pml_here(p, ")");
        if (end || (nesting == 0 && pml_here(p, ","))) {
            to[n++] = p->at;
            if (end || n == in->parameter_count)
                break;
            from[n] = p->at + 1;
        }
        nesting += pml_here(p, "(") || pml_here(p, "[");
        nesting -= nesting > 0 && (pml_here(p, ")") || pml_here(p, "]"));
    }
    if (n != in->parameter_count || !pml_here(p, ")"))
        return pml_error(
            p, at, "the number of arguments differs from the parameters of this inline", NULL);
    p->at++;
    return true;
}

static size_t parameter_of(const pml_inline *in, const pml_token *t)
{
    size_t i = 0;
    while (i < in->parameter_count &&
           (t->kind != PML_T_NAME || in->parameters[i].length != t->length ||
               memcmp(in->parameters[i].text, t->text, t->length) != 0))
        i++;
    return i;
}

/* Returns the body of the inline with its arguments substituted, and an end token. */
static const pml_token *inline_text(
    pml_parser *p, const pml_inline *in, const pml_token **from, const pml_token **to)
{
    size_t n = 1, k;
    for (size_t i = 0; i < in->count; i++)
        n += (k = parameter_of(in, &in->body[i])) < in->parameter_count ? (size_t) (to[k] - from[k])
                                                                        : 1;
    p->spent += n;
    if (p->spent > PML_MAX_TOKENS) {
        (void) pml_error(p, &in->name.at, "inlines expand to too many words", NULL);
        return NULL;
    }
    pml_token *text = om_region_take(&p->file->region, n, sizeof *text), *t = text;
    if (text == NULL) {
        (void) pml_no_memory(p);
        return NULL;
    }
    for (size_t i = 0; i < in->count; i++) {
        k = parameter_of(in, &in->body[i]);
        if (k == in->parameter_count) {
            *t++ = in->body[i];
            continue;
        }
        pml_token *begin = t;
        for (const pml_token *a = from[k]; a < to[k]; a++)
            *t++ = *a;
        if (begin < t) /* it may begin a line, which ends the previous statement */
            begin->first = in->body[i].first;
    }
    *t = (pml_token){ .kind = PML_T_END, .first = true, .text = "", .at = p->at->at };
    return text;
}

pml_inline *pml_find_inline(const pml_parser *p, const pml_token *t)
{
    for (pml_inline *in = p->inlines; in != NULL && t->kind == PML_T_NAME; in = in->next)
        if (in->name.length == t->length && memcmp(in->name.text, t->text, t->length) == 0)
            return in;
    return NULL;
}

/* NAME '(' arguments ')' is the block that the inline expands to; `return` in it stores a value,
 * and execution continues after the `return`. */
bool pml_parse_inline(pml_parser *p, pml_statement ***tail, pml_inline *in, pml_expr *target)
{
    om_place at = p->at->at;
    pml_expr *returned = p->returned;
    if (in->active)
        return pml_error(p, &at, "the inline \"%s\" uses itself",
            om_region_copy(&p->file->region, in->name.text, in->name.length));
    const pml_token **from =
        om_region_take(&p->file->region, 2 * (in->parameter_count + 1), sizeof(pml_token *));
    if (from == NULL)
        return pml_no_memory(p);
    const pml_token **to = from + in->parameter_count + 1;
    p->at++;
    if (!take_arguments(p, in, from, to, &at))
        return false;
    const pml_token *resume = p->at;
    p->at = inline_text(p, in, from, to);
    if (p->at == NULL)
        return false;
    in->active = true;
    size_t parentheses = p->parentheses;
    p->parentheses = 0;
    p->returned = target;
    bool good = pml_parse_compound(p, tail, PML_S_BLOCK);
    p->returned = returned;
    p->parentheses = parentheses;
    in->active = false;
    p->at = resume;
    p->used = true;
    return good;
}
