/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include <string.h>

/* states = 'state' NAME {',' NAME} ';' */
static bool parse_states(dve_parser *p, dve_process *out)
{
    dve_state **tail = &out->states;
    if (!dve_accept_keyword(p, T_STATE))
        return dve_unexpected(p, "\"state\" or a variable");
    do {
        dve_state *s = om_region_take(&p->file->region, 1, sizeof *s);
        if (s == NULL)
            return dve_no_memory(p);
        if (!dve_take_name(p, "the name of a state", &s->name, &s->pos))
            return false;
        s->index = out->state_count++;
        *tail = s;
        tail = &s->next;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the state");
}

/* names = NAME {',' NAME} ';' */
static bool parse_names(dve_parser *p, dve_name **tail)
{
    while (*tail != NULL)
        tail = &(*tail)->next;
    do {
        dve_name *n = om_region_take(&p->file->region, 1, sizeof *n);
        if (n == NULL)
            return dve_no_memory(p);
        if (!dve_take_name(p, "the name of a state", &n->name, &n->pos))
            return false;
        *tail = n;
        tail = &n->next;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the state");
}

/* accept = 'accept' ['buchi'] names; the other kinds of acceptance in DiVinE's grammar are refused.
 */
static bool parse_accept(dve_parser *p, dve_process *out)
{
    static const char *const KINDS[] = { "buchi", "genbuchi", "streett", "rabin", "muller" };
    const dve_token t = p->lex.token;
    for (size_t i = 0; t.kind == T_NAME && i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strlen(KINDS[i]) != t.length || memcmp(KINDS[i], t.text, t.length) != 0)
            continue;
        if (i != 0) {
            om_place place = dve_place(p->file, t.pos);
            p->status = om_fail(p->file->ctx, OM_EUNSUPPORTED, &place,
                "\"accept %s\": only Buchi acceptance is supported", KINDS[i]);
            return false;
        }
        dve_lexer_next(&p->lex);
    }
    return parse_names(p, &out->accepts);
}

/* assertions = 'assert' assertion {',' assertion} ';'; assertion = NAME ':' expression */
static bool parse_assertions(dve_parser *p, dve_process *out)
{
    dve_assertion **tail = &out->assertions;
    while (*tail != NULL)
        tail = &(*tail)->next;
    do {
        dve_assertion *a = om_region_take(&p->file->region, 1, sizeof *a);
        if (a == NULL)
            return dve_no_memory(p);
        if (!dve_take_name(p, "the name of a state", &a->state.name, &a->state.pos) ||
            !dve_expect(p, ":", "\":\" before the condition") ||
            (a->condition = dve_parse_expression(p)) == NULL)
            return false;
        *tail = a;
        tail = &a->next;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the assertion");
}

/* sync = 'sync' NAME ('!' [values] | '?' [targets]) ';'
 * values = expression | '{' expression {',' expression} '}'
 * targets = target | '{' target {',' target} '}' */
static bool parse_sync(dve_parser *p, dve_transition *t)
{
    if (!dve_take_name(p, "the name of a channel", &t->channel_name, &t->channel_pos))
        return false;
    t->sync = dve_lexer_is(&p->lex, "!") ? DVE_SEND : DVE_RECEIVE;
    if (!dve_accept(p, "!") && !dve_accept(p, "?"))
        return dve_unexpected(p, "\"!\" or \"?\" after the channel");
    if (dve_accept(p, ";"))
        return true;
    dve_expr **tail = &t->values;
    bool braces = dve_accept(p, "{");
    do {
        *tail = t->sync == DVE_SEND ? dve_parse_expression(p)
                                    : dve_parse_target(p, "a variable to receive into");
        if (*tail == NULL)
            return false;
        tail = &(*tail)->next;
        t->value_count++;
    } while (braces && dve_accept(p, ","));
    return (!braces || dve_expect(p, "}", "\",\" or \"}\" after a value")) &&
           dve_expect(p, ";", "\";\" after the synchronisation");
}

/* effects = 'effect' target '=' expression {',' target '=' expression} ';' */
static bool parse_effects(dve_parser *p, dve_transition *t)
{
    dve_effect **tail = &t->effects;
    do {
        dve_effect *e = om_region_take(&p->file->region, 1, sizeof *e);
        if (e == NULL)
            return dve_no_memory(p);
        if ((e->target = dve_parse_target(p, "a variable to assign to")) == NULL ||
            !dve_expect(p, "=", "\"=\" after the variable") ||
            (e->value = dve_parse_expression(p)) == NULL)
            return false;
        *tail = e;
        tail = &e->next;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the effect");
}

/* body = '{' ['guard' expression ';'] ['sync' sync] ['effect' effects] '}' */
static bool parse_body(dve_parser *p, dve_transition *t)
{
    if (!dve_expect(p, "{", "\"{\" after the states"))
        return false;
    if (dve_accept_keyword(p, T_GUARD) && ((t->guard = dve_parse_expression(p)) == NULL ||
                                              !dve_expect(p, ";", "\";\" after the guard")))
        return false;
    if (dve_accept_keyword(p, T_SYNC) && !parse_sync(p, t))
        return false;
    if (dve_accept_keyword(p, T_EFFECT) && !parse_effects(p, t))
        return false;
    return dve_accept(p, "}") ||
           dve_unexpected(p, t->effects != NULL       ? "\"}\""
                             : t->sync != DVE_NO_SYNC ? "\"effect\" or \"}\""
                             : t->guard != NULL       ? "\"sync\", \"effect\" or \"}\""
                                                      : "\"guard\", \"sync\", \"effect\" or \"}\"");
}

/* transition = [NAME] '->' NAME body; without a NAME, the source state of the previous transition.
 */
static bool parse_transition(dve_parser *p, const dve_transition *before, dve_transition *t)
{
    t->pos = p->lex.token.pos;
    if (before != NULL && dve_lexer_is(&p->lex, "->")) {
        t->from = before->from;
        t->from.pos = t->pos;
    } else if (!dve_take_name(p, "the name of a state", &t->from.name, &t->from.pos))
        return false;
    if (dve_lexer_is(&p->lex, "=>")) {
        om_place place = dve_place(p->file, p->lex.token.pos);
        p->status = om_fail(p->file->ctx, OM_EUNSUPPORTED, &place,
            "\"=>\": probabilistic transitions are not supported");
        return false;
    }
    return dve_expect(p, "->", "\"->\" after the state") &&
           dve_take_name(p, "the name of a state", &t->to.name, &t->to.pos) && parse_body(p, t);
}

/* transitions = 'trans' transition {',' transition} ';' */
static bool parse_transitions(dve_parser *p, dve_process *out)
{
    dve_transition **tail = &out->transitions;
    const dve_transition *before = NULL;
    do {
        dve_transition *t = om_region_take(&p->file->region, 1, sizeof *t);
        if (t == NULL)
            return dve_no_memory(p);
        if (!parse_transition(p, before, t))
            return false;
        *tail = t;
        tail = &t->next;
        before = t;
        out->transition_count++;
    } while (dve_accept(p, ","));
    return dve_expect(p, ";", "\",\" or \";\" after the transition");
}

/* section = 'init' NAME ';' | 'commit' names | accept | assertions; exactly one 'init' is
 * required. */
static bool parse_sections(dve_parser *p, dve_process *out)
{
    for (;;) {
        dve_pos pos = p->lex.token.pos;
        if (dve_accept_keyword(p, T_INIT)) {
            if (out->init.name != NULL) {
                (void) DVE_FAIL(p->file, pos, "a second \"init\" in process \"%s\"", out->name);
                return false;
            }
            if (!dve_take_name(p, "the name of a state", &out->init.name, &out->init.pos) ||
                !dve_expect(p, ";", "\";\" after the initial state"))
                return false;
        } else if (dve_accept_keyword(p, T_COMMIT)) {
            if (!parse_names(p, &out->commits))
                return false;
        } else if (dve_accept_keyword(p, T_ACCEPT)) {
            if (!parse_accept(p, out))
                return false;
        } else if (dve_accept_keyword(p, T_ASSERT)) {
            if (!parse_assertions(p, out))
                return false;
        } else
            return out->init.name != NULL || dve_unexpected(p, "\"init\"");
    }
}

/* process = 'process' NAME '{' {variables} states {section} [transitions] '}' */
bool dve_parse_process(dve_parser *p, dve_process *out)
{
    dve_variable **tail = &out->variables;
    out->process = out->location = OM_NONE;
    p->within = out;
    dve_lexer_next(&p->lex);
    if (!dve_take_name(p, "the name of a process", &out->name, &out->pos) ||
        !dve_expect(p, "{", "\"{\" after the name of the process"))
        return false;
    while (
        p->lex.token.kind == T_CONST || p->lex.token.kind == T_BYTE || p->lex.token.kind == T_INT)
        if (!dve_parse_variables(p, &tail))
            return false;
    if (!parse_states(p, out) || !parse_sections(p, out))
        return false;
    if (dve_accept_keyword(p, T_TRANS) && !parse_transitions(p, out))
        return false;
    p->within = NULL;
    return dve_accept(p, "}") ||
           dve_unexpected(p, out->transitions != NULL
                                 ? "\"}\" at the end of the process"
                                 : "\"trans\", \"commit\", \"accept\", \"assert\" or \"}\"");
}
