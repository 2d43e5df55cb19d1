/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_processes.h: fairness for any number of processes, based on the processes that move along a
 * step, which the transition of the step determines. It is used if the mark word has no room for
 * the acceptance sets of all processes (om_fairness), and only by checkers that request
 * OM_PRODUCT_FAIR_PROCESSES.
 *
 * Fairness is evaluated for a set of states and the steps among them: a component, or a cycle. Two
 * rows of bits, one bit per process, record the processes that have met the condition (`met`) and
 * the processes that must meet it (`must`):
 *
 *   weak     all processes must; a process that moves along a step, or cannot move in a state, has;
 *   strong   a process that can move in a state must; a process that moves along a step has.
 *
 * A run that visits all of the states and steps infinitely often, and no others, is fair if and
 * only if every process in `must` is in `met`. When two sets are united, so are their rows.
 */
#ifndef OMEN_FAIR_PROCESSES_H
#define OMEN_FAIR_PROCESSES_H

#include <omen/plugin/product.h>

/* The processes that each transition moves; borrowed for the product's life. */
typedef struct om_fair_processes {
    size_t size; /* of this struct */
    /* number of processes that can ever move; numbered 0 .. processes - 1 here */
    uint32_t processes;
    uint32_t transitions;     /* of the model */
    const uint32_t (*who)[2]; /* [transition]: at most two processes; OM_NONE: fewer */
    bool strong;              /* true: strong fairness; false: weak fairness */
} om_fair_processes;

/* Returns the processes of the product to which runs must be fair; NULL if its fairness is not
 * based on the processes that move along steps. */
OM_API const om_fair_processes *om_product_fair_processes(const om_product *p);

/* Returns the number of words of a row; 0 for NULL. */
static inline uint32_t om_fair_processes_words(const om_fair_processes *m)
{
    return m == NULL ? 0 : m->processes / 64 + (m->processes % 64 != 0);
}

/* Returns word i of the row of all processes. */
static inline uint64_t om_fair_processes_all(const om_fair_processes *m, uint32_t i)
{
    const uint32_t left = m->processes - 64 * i;
    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* Adds the processes that a transition moves to a row (OM_STUTTER moves none). */
static inline void om_fair_processes_add_step(
    const om_fair_processes *m, uint32_t transition, uint64_t *row)
{
    for (int k = 0; k < 2 && transition < m->transitions; k++) {
        const uint32_t who = m->who[transition][k];
        if (who != OM_NONE)
            row[who / 64] |= UINT64_C(1) << who % 64;
    }
}

/* Computes the row of the processes that can move in a state from all steps that leave it. */
static inline void om_fair_processes_enabled(
    const om_fair_processes *m, const om_step *steps, size_t n, uint64_t *row)
{
    for (uint32_t i = 0; i < om_fair_processes_words(m); i++)
        row[i] = 0;
    for (size_t k = 0; k < n; k++)
        om_fair_processes_add_step(m, steps[k].transition, row);
}

/* Adds a state to the set; `able` has the processes that can move in it. */
static inline void om_fair_processes_add_state(
    const om_fair_processes *m, const uint64_t *able, uint64_t *met, uint64_t *must)
{
    for (uint32_t i = 0; i < om_fair_processes_words(m); i++) {
        must[i] |= m->strong ? able[i] : om_fair_processes_all(m, i);
        met[i] |= m->strong ? 0 : om_fair_processes_all(m, i) & ~able[i];
    }
}

/* Returns true if every process in `must` is in `met`. */
static inline bool om_fair_processes_satisfied(
    const om_fair_processes *m, const uint64_t *met, const uint64_t *must)
{
    for (uint32_t i = 0; i < om_fair_processes_words(m); i++)
        if ((must[i] & ~met[i]) != 0)
            return false;
    return true;
}

#endif
