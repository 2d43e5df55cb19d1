/* SPDX-License-Identifier: Apache-2.0 */
/*
 * movers.h: fairness to any number of processes, by who moves along a step, which its transition
 * tells, where the mark word has no room for their acceptance sets (om_fairness). Only a checker
 * that asks for OM_PRODUCT_MOVERS gets such a task.
 *
 * It is looked at of a set of states and steps among them: a component, or a cycle. Rows of bits,
 * one for each process, say who is met (what is asked for him has been seen) and who must be:
 *
 *   weak     everybody must; who moves along a step, or cannot move in a state, is met;
 *   strong   who can move in a state must; who moves along a step is met.
 *
 * A run that goes through all of the states and steps again and again, and no others, is fair
 * exactly if everybody who must be is met. Rows of two sets that become one are united bit by bit.
 */
#ifndef OMEN_MOVERS_H
#define OMEN_MOVERS_H

#include <omen/plugin/product.h>

/* Who moves; borrowed for the product's life. */
typedef struct om_movers {
    size_t size;              /* of this struct */
    uint32_t processes;       /* that can ever move, in numbers of their own: 0 .. processes - 1 */
    uint32_t transitions;     /* of the model */
    const uint32_t (*who)[2]; /* [transition]: at most two; OM_NONE: nobody, or nobody else */
    bool strong;              /* what is asked for is strong fairness; else weak */
} om_movers;

/* Of the product; NULL: fairness does not go by who moves. */
OM_API const om_movers *om_product_movers(const om_product *p);

/* Words of a row; of NULL, 0. */
static inline uint32_t om_movers_words(const om_movers *m)
{
    return m == NULL ? 0 : m->processes / 64 + (m->processes % 64 != 0);
}

/* Word i of the row of all processes. */
static inline uint64_t om_movers_all(const om_movers *m, uint32_t i)
{
    const uint32_t left = m->processes - 64 * i;
    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* Adds to a row who moves along a step of this transition (or OM_STUTTER: nobody). */
static inline void om_movers_add(const om_movers *m, uint32_t transition, uint64_t *row)
{
    for (int k = 0; k < 2 && transition < m->transitions; k++) {
        const uint32_t who = m->who[transition][k];
        if (who != OM_NONE)
            row[who / 64] |= UINT64_C(1) << who % 64;
    }
}

/* The row of who can move in the state that has these steps, all of them. */
static inline void om_movers_able(const om_movers *m, const om_step *steps, size_t n, uint64_t *row)
{
    for (uint32_t i = 0; i < om_movers_words(m); i++)
        row[i] = 0;
    for (size_t k = 0; k < n; k++)
        om_movers_add(m, steps[k].transition, row);
}

/* A state, in which these can move, comes to the set. */
static inline void om_movers_come(
    const om_movers *m, const uint64_t *able, uint64_t *met, uint64_t *must)
{
    for (uint32_t i = 0; i < om_movers_words(m); i++) {
        must[i] |= m->strong ? able[i] : om_movers_all(m, i);
        met[i] |= m->strong ? 0 : om_movers_all(m, i) & ~able[i];
    }
}

/* Is everybody met who must be? */
static inline bool om_movers_fair(const om_movers *m, const uint64_t *met, const uint64_t *must)
{
    for (uint32_t i = 0; i < om_movers_words(m); i++)
        if ((must[i] & ~met[i]) != 0)
            return false;
    return true;
}

#endif
