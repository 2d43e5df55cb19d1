/* SPDX-License-Identifier: Apache-2.0 */
/* reference.h: explicit construction of the product, one state at a time. Results of devices are
 * compared with it. */
#ifndef OMEN_TESTS_KERNELS_REFERENCE_H
#define OMEN_TESTS_KERNELS_REFERENCE_H

#include <omen/host/omen.h>

typedef struct reference {
    uint32_t words, row; /* words of the model's state; words of the product's state */
    uint32_t *rows;      /* states in breadth-first order */
    size_t count, capacity;
    uint32_t *index; /* hash table of state numbers + 1 */
    size_t entries;
    uint32_t *to; /* successors of s: to[begin[s]] .. to[begin[s + 1] - 1]; each (transition,
                     edge) */
    size_t *begin;
    size_t edges, edge_capacity;
    uint64_t deadlocks, overflows;
    size_t first_overflow; /* the first such state, if overflows != 0 */
    uint32_t levels;
    bool repeats;   /* true if faulty states get a self-loop */
    om_fault fault; /* first fault; faulty states have no edges */
    size_t fault_state;
    uint32_t fault_level; /* level of fault_state */
    uint64_t faults;      /* number of faulty states */
    bool *wrong;          /* wrong[s]: true if state s is faulty */
} reference;

/* Explores with the executor. Aborts the test program if memory runs out. */
void reference_explore(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap);
/* Like reference_explore(), but faulty states get a self-loop, except those whose label faults. */
void reference_explore_repeating(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap);
void reference_free(reference *r);

/* Returns true if the state has no edges because of a fault. */
bool reference_goes_wrong(const reference *r, size_t state);
/* Returns the number of a state, or SIZE_MAX. */
size_t reference_find(const reference *r, const uint32_t *row);
bool reference_has_edge(const reference *r, size_t from, size_t to);
bool reference_accepts(const reference *r, size_t state, const uint8_t *accepting);
/* Returns true if the state is on a cycle of accepting states. */
bool reference_on_cycle(const reference *r, size_t state, const uint8_t *accepting);
bool reference_any_cycle(const reference *r, const uint8_t *accepting);

/* ---- models ---- */

enum { GRAPH_NODES = 24, GRAPH_OUT = 3, GRAPH_APS = 2 };
/* Returns a random graph encoded as data. The generated text is the same for all graphs, so the
 * kernels are built once. aps gets GRAPH_APS expressions. density: percentage of edges present;
 * faulty: percentage of those edges, and of states, that fault in a guard, an effect or a label. */
om_model *reference_graph(
    om_context *ctx, om_random *random, unsigned density, unsigned faulty, om_expr *aps);
/* Returns a random automaton over GRAPH_APS APs, with Inf(0) only on edges between accepting
 * states. */
om_automaton *reference_automaton(
    om_context *ctx, om_random *random, uint32_t states, const uint8_t *accepting);

/* Returns the name of the device under test: $OMEN_TEST_DEVICE, or "auto". */
const char *reference_device_name(void);
/* Returns the device under test. Ends the program with status 77 and a message if there is none. */
om_devices *reference_device(om_context *ctx, om_device **device);

#endif
