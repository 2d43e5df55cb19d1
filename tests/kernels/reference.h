/* SPDX-License-Identifier: Apache-2.0 */
/* reference.h: the product, explicitly and one state at a time; what devices are compared with. */
#ifndef OMEN_TESTS_KERNELS_REFERENCE_H
#define OMEN_TESTS_KERNELS_REFERENCE_H

#include <omen/host/omen.h>

typedef struct reference {
    uint32_t words, row; /* of the model; of the product */
    uint32_t *rows;      /* states in the order of breadth-first search */
    size_t count, capacity;
    uint32_t *index; /* hash table of numbers + 1 */
    size_t entries;
    uint32_t *to; /* edges: to[begin[s]] .. to[begin[s + 1] - 1]; each (transition, edge) pair */
    size_t *begin;
    size_t edges, edge_capacity;
    uint64_t deadlocks, overflows;
    size_t first_overflow; /* the state, where there are overflows */
    uint32_t levels;
    bool repeats;   /* states that go wrong */
    om_fault fault; /* the first: states that go wrong have no edges */
    size_t fault_state;
    uint32_t fault_level; /* where it is met */
    uint64_t faults;      /* states, */
    bool *wrong;          /* by state: which */
} reference;

/* Explores with the executor; aborts the test program when memory is out. */
void reference_explore(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap);
/* Likewise; states that go wrong repeat, but for those without a label. */
void reference_explore_repeating(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap);
void reference_free(reference *r);

/* Has it no edges for a fault? */
bool reference_goes_wrong(const reference *r, size_t state);
/* The number of a state, or SIZE_MAX. */
size_t reference_find(const reference *r, const uint32_t *row);
bool reference_has_edge(const reference *r, size_t from, size_t to);
bool reference_accepts(const reference *r, size_t state, const uint8_t *accepting);
/* Is the state on a cycle of accepting states? */
bool reference_on_cycle(const reference *r, size_t state, const uint8_t *accepting);
bool reference_any_cycle(const reference *r, const uint8_t *accepting);

/* ---- models ---- */

enum { GRAPH_NODES = 24, GRAPH_OUT = 3, GRAPH_APS = 2 };
/* A random graph as data: the generated text is the same for all of them, so that kernels are built
 * once. aps gets GRAPH_APS expressions. density: of 100 edges so many are there; faulty: of 100 of
 * those, and of states, so many go wrong, by guard, effect or label. */
om_model *reference_graph(
    om_context *ctx, om_random *random, unsigned density, unsigned faulty, om_expr *aps);
/* A random automaton over GRAPH_APS APs, Inf(0) on edges between accepting states alone. */
om_automaton *reference_automaton(
    om_context *ctx, om_random *random, uint32_t states, const uint8_t *accepting);

/* What names the device that tests run on: $OMEN_TEST_DEVICE, or "auto". */
const char *reference_device_name(void);
/* That device; ends the program with status 77 and a message where there is none. */
om_devices *reference_device(om_context *ctx, om_device **device);

#endif
