/* SPDX-License-Identifier: Apache-2.0 */
/* translate.h: the descriptor of a translator (a plug-in that translates LTL to automata). */
#ifndef OMEN_TRANSLATE_H
#define OMEN_TRANSLATE_H

#include <omen/plugin/ltl.h>
#include <omen/plugin/plugin.h>

typedef struct om_translator {
    om_plugin head;
    /* Creates an automaton with generalized Buchi acceptance that accepts exactly the words that
     * satisfy f (the caller negates f first). Its APs are those of the arena with the same numbers,
     * or a subset of them, matched by name. Several threads may call it with different arenas. */
    int (*translate)(
        om_context *ctx, om_ltl *l, om_ltl_ref f, const int64_t *options, om_automaton **out);
    /* 1 to OM_HIGHEST_RANK: the translator of highest rank is the default; 0: never the default. */
    uint32_t rank;
    /* For a translator without options that is configured by words, "NAME:WORDS": called instead of
     * translate(). NULL for others. */
    int (*translate_by)(
        om_context *ctx, om_ltl *l, om_ltl_ref f, const char *words, om_automaton **out);
} om_translator;

#endif
