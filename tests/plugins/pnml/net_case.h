/* SPDX-License-Identifier: Apache-2.0 */
/* net_case.h: nets made by hand, and what they do, step by step. */
#ifndef OMEN_TESTS_PNML_NET_CASE_H
#define OMEN_TESTS_PNML_NET_CASE_H

#include "analysis/bounds.h"
#include "analysis/invariants.h"

/* The net is zeroed first; room for so many places, all without tokens, and transitions. */
int net_case_open(om_net *net, om_context *ctx, uint32_t places, uint32_t transitions);
void net_case_close(om_net *net);
/* A transition; counts[p] < 0: takes from p, > 0: gives to p; `both`: takes and gives one more. */
int net_case_add(om_net *net, const int64_t *counts, const bool *both);
/* The same instead of what transition t was. */
int net_case_set(om_net *net, uint32_t t, const int64_t *counts, const bool *both);
/* One of few arcs, of weight 1, places in ascending order. */
int net_case_add_few(om_net *net, const uint32_t *takes, uint32_t take_count, const uint32_t *gives,
    uint32_t give_count);
/*
 * "1 0 3": tokens; "0 2*1 > 2; > 0": transitions, "2*1" is two tokens of place 1, places in
 * ascending order.
 */
int net_case_read(om_net *net, om_context *ctx, const char *tokens, const char *transitions);

/* Nodes p0, p1, ..., t0, t1, ... for all places and transitions, as a model needs them. */
int net_case_name(om_net *net);

/* What was explored: the most tokens in each place, markings, whether that is all of them, and
 * whether an invariant was broken. */
typedef struct net_case_result {
    int64_t *most;
    int64_t *all; /* the markings, one behind the other */
    size_t markings;
    bool complete, broken;
} net_case_result;
/* Up to `limit` markings; invariants may be NULL. false: no memory. */
bool net_case_explore(
    const om_net *net, const om_net_invariants *invariants, size_t limit, net_case_result *out);
void net_case_drop(net_case_result *r);

#endif
