/* SPDX-License-Identifier: Apache-2.0 */
/* translate.h: what a translator (a plug-in that turns LTL into automata) exports. */
#ifndef OMEN_TRANSLATE_H
#define OMEN_TRANSLATE_H

#include <omen/plugin/ltl.h>
#include <omen/plugin/plugin.h>

typedef struct om_translator {
    om_plugin head;
    /* An automaton with generalized Buchi acceptance for exactly the words that satisfy f (the
     * caller negates first). AP i of the automaton is AP i of the arena, or a subset of them by
     * name. May be called by several threads on different arenas. */
    int (*translate)(
        om_context *ctx, om_ltl *l, om_ltl_ref f, const int64_t *options, om_automaton **out);
    /* 1 to OM_HIGHEST_RANK: the translator of highest rank is the default; 0: never. */
    uint32_t rank;
    /* For a translator that is told in words what to do, "NAME:WORDS", and has no options: called
     * instead of translate(). NULL for others. */
    int (*translate_by)(
        om_context *ctx, om_ltl *l, om_ltl_ref f, const char *words, om_automaton **out);
} om_translator;

#endif
