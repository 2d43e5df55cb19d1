/* SPDX-License-Identifier: Apache-2.0 */
/* net_case.h: nets made by hand, and their explicit exploration. */
#ifndef OMEN_TESTS_PNML_NET_CASE_H
#define OMEN_TESTS_PNML_NET_CASE_H

#include "analysis/bounds.h"
#include "analysis/invariants.h"

/* Zeroes the net and makes room for the places, all without tokens, and for the transitions. */
int net_case_open(om_net *net, om_context *ctx, uint32_t places, uint32_t transitions);
void net_case_close(om_net *net);
/* Adds a transition. counts[p] < 0: takes from p; > 0: gives to p; both[p]: takes and gives one
 * more token of p. */
int net_case_add(om_net *net, const int64_t *counts, const bool *both);
/* The same; replaces transition t. */
int net_case_set(om_net *net, uint32_t t, const int64_t *counts, const bool *both);
/* Adds a transition with few arcs, all of weight 1; places are in ascending order. */
int net_case_add_few(om_net *net, const uint32_t *takes, uint32_t take_count, const uint32_t *gives,
    uint32_t give_count);
/*
 * Makes a net from text. "1 0 3": initial tokens; "0 2*1 > 2; > 0": transitions, where "2*1" is two
 * tokens of place 1. Places of a transition are in ascending order.
 */
int net_case_read(om_net *net, om_context *ctx, const char *tokens, const char *transitions);

/* Names all nodes p0, p1, ..., t0, t1, ... as a model needs them. */
int net_case_name(om_net *net);

/* Result of an exploration: the most tokens in each place, the markings, whether these are all
 * reachable markings, and whether one violates an invariant. */
typedef struct net_case_result {
    int64_t *most;
    int64_t *all; /* the markings, one after another */
    size_t markings;
    bool complete, broken;
} net_case_result;
/* Explores up to `limit` markings; invariants may be NULL. Returns false if memory runs out. */
bool net_case_explore(
    const om_net *net, const om_net_invariants *invariants, size_t limit, net_case_result *out);
void net_case_drop(net_case_result *r);

#endif
