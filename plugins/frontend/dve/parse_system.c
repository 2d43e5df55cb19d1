/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include <string.h>

bool dve_unexpected(dve_parser *p, const char *what)
{
    const dve_token *t = &p->lex.token;
    om_place place = { p->lex.origin, t->pos.line, t->pos.column };
    if (t->kind == T_BAD) /* the lexer has recorded the error */
        return false;
    if (t->kind == T_END)
        (void) om_fail(p->file->ctx, OM_EINPUT, &place, "expected %s, found the end", what);
    else
        (void) om_fail(p->file->ctx, OM_EINPUT, &place, "expected %s, found \"%.*s\"", what,
            (int) (t->length < 40 ? t->length : 40), t->text);
    return false;
}

bool dve_no_memory(dve_parser *p)
{
    p->status = om_fail_memory(p->file->ctx);
    return false;
}

bool dve_accept(dve_parser *p, const char *punctuation)
{
    bool there = dve_lexer_is(&p->lex, punctuation);
    if (there)
        dve_lexer_next(&p->lex);
    return there;
}

bool dve_accept_keyword(dve_parser *p, dve_token_kind keyword)
{
    bool there = p->lex.token.kind == keyword;
    if (there)
        dve_lexer_next(&p->lex);
    return there;
}

bool dve_expect(dve_parser *p, const char *punctuation, const char *what)
{
    return dve_accept(p, punctuation) || dve_unexpected(p, what);
}

bool dve_take_name(dve_parser *p, const char *what, const char **name, dve_pos *pos)
{
    const dve_token *t = &p->lex.token;
    if (t->kind != T_NAME)
        return dve_unexpected(p, what);
    *pos = t->pos;
    if ((*name = om_region_copy(&p->file->region, t->text, t->length)) == NULL)
        return dve_no_memory(p);
    dve_lexer_next(&p->lex);
    return true;
}

/* size = '[' NUMBER ']' */
static bool parse_size(dve_parser *p, uint32_t least, uint32_t most, uint32_t *out)
{
    const dve_token *t = &p->lex.token;
    if (t->kind != T_NUMBER)
        return dve_unexpected(p, "a number");
    if (t->value < (om_value) least || t->value > (om_value) most) {
        (void) DVE_FAIL(p->file, t->pos, "\"%" OM_VALUE_FORMAT "\" is not a size from %u to %u",
            t->value, (unsigned) least, (unsigned) most);
        return false;
    }
    *out = (uint32_t) t->value;
    dve_lexer_next(&p->lex);
    return dve_expect(p, "]", "\"]\" after the size");
}

/* initialiser = expression | '{' expression {',' expression} '}' */
static bool parse_initialiser(dve_parser *p, dve_variable *v)
{
    dve_expr **tail = &v->initial;
    v->braces = dve_accept(p, "{");
    do {
        if ((*tail = dve_parse_expression(p)) == NULL)
            return false;
        tail = &(*tail)->next;
    } while (v->braces && dve_accept(p, ","));
    return !v->braces || dve_expect(p, "}", "\",\" or \"}\" after a value");
}

/* variables = ['const'] ('byte' | 'int') variable {',' variable} ';'
 * variable = NAME [size] ['=' initialiser] */
bool dve_parse_variables(dve_parser *p, dve_variable ***tail)
{
    bool is_const = dve_accept_keyword(p, T_CONST);
    om_type type = p->lex.token.kind == T_BYTE ? OM_U8 : OM_I16;
    if (!dve_accept_keyword(p, T_BYTE) && !dve_accept_keyword(p, T_INT))
        return dve_unexpected(p, "\"byte\" or \"int\"");
    do {
        dve_variable *v = om_region_take(&p->file->region, 1, sizeof *v);
        if (v == NULL)
            return dve_no_memory(p);
        v->type = type;
        v->is_const = is_const;
        v->slot = OM_NONE;
        if (!dve_take_name(p, "the name of a variable", &v->name, &v->pos))
            return false;
        v->is_array = dve_accept(p, "[");
        if (v->is_array && !parse_size(p, 1, DVE_MAX_ARRAY, &v->length))
            return false;
        if (dve_accept(p, "=") && !parse_initialiser(p, v))
            return false;
        **tail = v;
        *tail = &v->next;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the variable");
}

/* types = '{' type {',' type} '}'; type = 'byte' | 'int' */
static bool parse_types(dve_parser *p, om_type **types, uint32_t *count)
{
    size_t capacity = 0;
    do {
        if (*count == capacity) {
            om_type *more =
                om_region_take(&p->file->region, capacity = capacity * 2 + 4, sizeof *more);
            if (more == NULL)
                return dve_no_memory(p);
            if (*count != 0)
                memcpy(more, *types, *count * sizeof *more);
            *types = more;
        }
        (*types)[(*count)++] = p->lex.token.kind == T_BYTE ? OM_U8 : OM_I16;
        if (!dve_accept_keyword(p, T_BYTE) && !dve_accept_keyword(p, T_INT))
            return dve_unexpected(p, "\"byte\" or \"int\"");
    } while (dve_accept(p, ","));
    return dve_expect(p, "}", "\",\" or \"}\" after a type");
}

/* channels = 'channel' [types] channel {',' channel} ';'
 * channel = NAME [size]; a size other than 0 (unbuffered) needs types */
static bool parse_channels(dve_parser *p, dve_channel ***tail)
{
    om_type *types = NULL;
    uint32_t count = 0;
    dve_lexer_next(&p->lex);
    if (dve_accept(p, "{") && !parse_types(p, &types, &count))
        return false;
    do {
        dve_channel *c = om_region_take(&p->file->region, 1, sizeof *c);
        if (c == NULL)
            return dve_no_memory(p);
        c->types = types;
        c->type_count = count;
        if (!dve_take_name(p, "the name of a channel", &c->name, &c->pos))
            return false;
        dve_pos pos = p->lex.token.pos;
        if (dve_accept(p, "[") && !parse_size(p, 0, DVE_MAX_CAPACITY, &c->capacity))
            return false;
        if (c->capacity != 0 && types == NULL) {
            (void) DVE_FAIL(p->file, pos,
                "a buffered channel needs types, as in \"channel {byte} %s[%u];\"", c->name,
                (unsigned) c->capacity);
            return false;
        }
        **tail = c;
        *tail = &c->next;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the channel");
}

/* system = 'system' ('async' | 'sync') ['property' NAME] ';' END */
static bool parse_system(dve_parser *p)
{
    dve_file *f = p->file;
    dve_lexer_next(&p->lex);
    f->synchronous = p->lex.token.kind == T_SYNC;
    if (!dve_accept_keyword(p, T_SYNC) && !dve_accept_keyword(p, T_ASYNC))
        return dve_unexpected(p, "\"async\" or \"sync\"");
    if (dve_accept_keyword(p, T_PROPERTY) &&
        !dve_take_name(p, "the name of a process", &f->property_name, &f->property_pos))
        return false;
    return dve_expect(p, ";", "\";\" at the end of the system") &&
           (p->lex.token.kind == T_END || dve_unexpected(p, "the end of the file"));
}

/* file = {variables | channels | process} system */
static bool parse_file(dve_parser *p)
{
    dve_file *f = p->file;
    dve_variable **variables = &f->variables;
    dve_channel **channels = &f->channels;
    dve_process **processes = &f->processes;
    for (;;) {
        switch (p->lex.token.kind) {
        case T_CONST:
        case T_BYTE:
        case T_INT:
            if (!dve_parse_variables(p, &variables))
                return false;
            break;
        case T_CHANNEL:
            if (!parse_channels(p, &channels))
                return false;
            break;
        case T_PROCESS:
            if ((*processes = om_region_take(&f->region, 1, sizeof **processes)) == NULL)
                return dve_no_memory(p);
            if (!dve_parse_process(p, *processes))
                return false;
            processes = &(*processes)->next;
            f->process_count++;
            break;
        case T_SYSTEM:
            return parse_system(p);
        default:
            return dve_unexpected(p, "a declaration, \"process\" or \"system\"");
        }
    }
}

int dve_parse_file(dve_file *f, size_t length)
{
    dve_parser p = { .file = f, .next_reference = &f->references, .status = OM_EINPUT };
    dve_lexer_start(&p.lex, f, f->file, f->text, length, false);
    return parse_file(&p) ? OM_OK : p.status;
}
