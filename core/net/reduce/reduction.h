/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.h: passes that reduce a net step by step, and the proofs that they are sound.
 *
 * N is the net before a step and N' the net after it. A transition is silent if it changes no
 * observed place. Each step preserves one of these (om_reduce_keep), so all steps together do:
 *
 *   steps      N and N' have the same runs, firing by firing, on the observed places;
 *   runs       they have the same maximal runs on the observed places, up to stuttering; a run that
 *              ends repeats its last marking;
 *   reachable  for every reachable marking of N there is one of N' with the same tokens on the
 *              observed places, and vice versa;
 *   deadlock   N has a reachable marking that enables nothing if and only if N' has.
 *
 * All of this applies to plain P/T nets. A net with limits or resets (extended.h) is left
 * unchanged: its runs are those of no plain net with the same places.
 *
 * Numbers of tokens are observed, not the truth of predicates. The tokens of an observed place that
 * is removed are a function of another place's tokens, or a constant: its image.
 *
 * W1: places keep their number of the original net; a new transition has a new number.
 * W2: a transition stands for firings of the original net, its piece. On the remaining places it
 *     has their total effect, and it takes the tokens that they need when fired in sequence. So a
 *     run of N', piece by piece, is a run of the original net, and bounds of places stay bounds. (A
 *     place that others were joined to has their tokens, too: see `symmetric`.)
 * W3: except for reachable: if a marking of N' enables nothing, all maximal runs of N from there
 *     are finite and silent. (They are empty except after `pre` and `irrelevant`.)
 */
#ifndef OM_NET_REDUCTION_H
#define OM_NET_REDUCTION_H

#include <omen/host/reduce.h>

/* Firings of the original net, composed of earlier pieces, which can be shared. */
typedef enum om_piece_kind {
    OM_PIECE_ONE,    /* transition a */
    OM_PIECE_THEN,   /* piece a, then piece b */
    OM_PIECE_REPEAT, /* piece a, b times */
    OM_PIECE_EITHER  /* piece a if `place` of the original net then has a token, else b */
} om_piece_kind;

typedef struct om_piece {
    om_piece_kind kind;
    uint32_t a, b, place;
} om_piece;

typedef struct om_work_place {
    uint32_t *users; /* transitions that take from it or give to it, and some that did */
    size_t user_count, user_room;
    om_value tokens; /* initially */
    om_value scale;  /* the largest factor of it in an image */
    om_value bound;  /* as om_net_place.bound */
    bool removed, observed;
    bool joined; /* it has the tokens of others, too */
} om_work_place;

/* Two lists of arcs in one block, in the order of places. */
typedef struct om_work_transition {
    om_net_arc *takes, *gives; /* takes: the block */
    uint32_t take_count, give_count;
    uint32_t piece;
    bool removed;
} om_work_transition;

/* An observed place that was removed. It had constant + factor * tokens of the place `by`, which
 * existed at that time; OM_NONE: only the constant. */
typedef struct om_removed_place {
    uint32_t place, by;
    om_wide constant;
    om_value factor;
} om_removed_place;

typedef struct om_work {
    om_context *ctx;
    const om_heap *heap;
    const om_net *net;
    bool plain; /* no transition has a limit or a reset; else no pass is applied */
    om_reduce_keep keep;
    om_work_place *places;
    om_work_transition *transitions;
    om_piece *pieces;
    om_removed_place *removed;
    uint32_t *begin; /* pieces that are fired before the first marking */
    size_t transition_count, transition_room, piece_count, piece_room, removed_count, removed_room;
    size_t begin_count, begin_room;
    uint32_t live_places, live_transitions;
    uint32_t most_transitions; /* no pass makes more of them */
    om_net_arc *scratch[2];    /* for a new transition; room for all places each */
    /* Arcs visited; value of `work` at the last context check; limit of `work`. */
    uint64_t work, checked_at, budget;
    uint64_t until_ns; /* deadline on om_clock_ns(): the budget is then used up; 0: none */
    int status;        /* OM_OK, or the reason to stop */
} om_work;

/* Sort records for finding equal items: by key, then by number. */
typedef struct om_keyed {
    uint64_t key;
    uint32_t at;
} om_keyed;

/* ---- worknet.c ---- */

/* Makes the working copy of the net. Call om_work__free() in any case. */
int om_work__make(om_work *w, const om_net *net, const uint8_t *observed, om_reduce_keep keep);
void om_work__free(om_work *w);

/* Counts n arcs as visited. Returns false if the budget is exhausted, the context is stopped or
 * memory ran out. */
bool om_work__go_on(om_work *w, uint64_t n);
/* As om_alloc(); records a failure. */
void *om_work__alloc(om_work *w, size_t count, size_t size);

/* Returns the transitions that take from the place or give to it, without duplicates, *count of
 * them. Valid until a transition is added. */
const uint32_t *om_work__users(om_work *w, uint32_t place, size_t *count);
om_value om_work__takes(const om_work *w, uint32_t t, uint32_t place);
om_value om_work__gives(const om_work *w, uint32_t t, uint32_t place);
static inline om_value om_work__effect(const om_work *w, uint32_t t, uint32_t place)
{
    return om_work__gives(w, t, place) - om_work__takes(w, t, place);
}

/* Iterates over both lists, place by place. Zero-initialise. om_work__step() returns false at the
 * end, with place OM_NONE. */
typedef struct om_effect_walk {
    uint32_t take, give; /* indices of the next arcs */
    uint32_t place;
    om_value takes, gives;
} om_effect_walk;
bool om_work__step(const om_work_transition *t, om_effect_walk *e);

bool om_work__is_silent(const om_work *w, uint32_t t);
/* Returns true if a takes no more tokens than b does, from every place. */
bool om_work__takes_less(const om_work_transition *a, const om_work_transition *b);
/* Returns true if both change every place in the same way. */
bool om_work__same_effect(const om_work_transition *a, const om_work_transition *b);

void om_work__drop_transition(om_work *w, uint32_t t);
/* Removes a place that is not observed. */
void om_work__drop_place(om_work *w, uint32_t place);
/* Removes a place that may be observed: its tokens are constant + factor * those of `by`. Returns
 * false, with no change, if the numbers would be too large or memory runs out. */
bool om_work__replace_place(
    om_work *w, uint32_t place, om_wide constant, om_value factor, uint32_t by);
/* Replaces the arcs between t and the place by arcs with these counts. */
bool om_work__set_arcs(om_work *w, uint32_t t, uint32_t place, om_value takes, om_value gives);

/* Adds a piece and returns its number, or OM_NONE if memory ran out, now or for its parts. */
uint32_t om_work__add_piece(om_work *w, om_piece p);
/* Adds a transition from w->scratch. Returns false if memory runs out or piece is OM_NONE. */
bool om_work__add_transition(om_work *w, uint32_t take_count, uint32_t give_count, uint32_t piece);
/* Appends the piece to those that are fired before the first marking. */
bool om_work__begin_with(om_work *w, uint32_t piece);

void om_work__sort(om_keyed *list, size_t count);

/* ---- composition.c ---- */

/* `first` first_times times, then `second` second_times times (both > 0), as one transition. */
typedef struct om_composition {
    uint32_t first, second;
    om_value first_times, second_times;
} om_composition;
/* Returns true if the numbers of the composition fit. */
bool om_work__can_compose(om_work *w, const om_composition *c);
/* Adds the composition as a transition; its numbers must fit. Returns false if memory runs out. */
bool om_work__add_composition(om_work *w, const om_composition *c);
/* Fires t, which takes from only one place, `times` times before the first marking, which must have
 * enough tokens. Returns false if numbers would be too large, with no change, or if memory runs
 * out. */
bool om_work__fire_first(om_work *w, uint32_t t, om_value times);

static inline uint64_t om_work__mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b * UINT64_C(0xc2b2ae3d27d4eb4f) + 1;
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    return x * UINT64_C(0x94d049bb133111eb);
}

/*
 * The passes. Each makes one pass over the net, and returns the number of changes.
 *
 * ---- reduce_places.c ----
 *
 * constant (keeps all): if no transition changes a place, transitions that take more than its
 * tokens never fire, and it does not restrict the others. If no transition reduces a place's
 * tokens, a transition that takes at most the initial tokens always finds them, so only the tokens
 * that it adds are kept. (Berthelot 1987, section 4.2.)
 */
uint64_t om_reduce__constant(om_work *w);

/*
 * unread (keeps all): a place from which no transition takes prevents none from firing. It must not
 * be observed. (Berthelot 1987, section 4.2: the simplest implied place.)
 */
uint64_t om_reduce__unread(om_work *w);

/*
 * proportional (keeps all): all transitions change p and q in the ratio of a to b, both > 0. With k
 * such that m(p) = m0(p) + a k and m(q) = m0(q) + b k in every reachable marking, "p has at least c
 * tokens" is k >= K for K = (c - m0(p)) / a rounded up, which is "q has at least m0(q) + b K". So
 * p's arcs become arcs of q that take and give back. p may be observed if b divides a. (Implied
 * places: Berthelot 1987, section 4.2; Recalde, Teruel and Silva 1997.)
 */
uint64_t om_reduce__proportional(om_work *w);

/*
 * ---- reduce_implied.c ----
 *
 * implied (keeps all): by a place invariant (invariants.h), y m(p) = k + the sum of w_q m(q), y >
 * 0, in every reachable marking. Consider a transition that takes c from p, in a marking in which
 * all its other places have the tokens that it takes. There y m(p) is at least k + the sum of w_q
 * takes(q) for w_q > 0 and of w_q bound(q) for w_q < 0. If that is y c or more for each such
 * transition, p never prevents any from firing. It must not be observed. (Berthelot 1987, section
 * 4.2; Recalde, Teruel and Silva 1997.)
 */
uint64_t om_reduce__implied(om_work *w);

/*
 * ---- reduce_symmetric.c ----
 *
 * symmetric (keeps all): two places p and q that are not observed, with transitions f_1 .. f_n that
 * take one token each from p, and g_1 .. g_n that take one token each from q, and none from the
 * other place. f_i and g_i are equal except that one takes from p and the other from q, and that
 * one may give to p the tokens that the other gives to q. If q's tokens are moved to p and the g_i
 * are removed, there is a bisimulation: p has m(p) + m(q) tokens, everything else is the same. For
 * f_i or g_i is enabled in N exactly if f_i is enabled in N', because p or q has a token if their
 * sum is not 0; and both lead to markings with the same sum. In a run of N', f_i stands for g_i if
 * q has a token, else for f_i. For q to show this in the original net, no place may have been
 * joined to q before. If a run of N' repeats markings, the original one need not, but because a sum
 * can be divided in finitely many ways, it does so after some rounds. (A choice with equal
 * continuations: Thierry-Mieg 2020, section 4; here the choice need not be free or made by one
 * transition.)
 */
uint64_t om_reduce__symmetric(om_work *w);

/*
 * ---- reduce_transitions.c ----
 *
 * dead (keeps all): consider the least set of marked places and of transitions such that a place is
 * marked if it has tokens or a transition of the set gives to it, and a transition is in the set if
 * all places that it takes from are marked. The other transitions never fire: the unmarked places
 * are an empty siphon and stay empty. Transitions that take more than a place's bound never fire,
 * either. (Murata 1989, section V.C.)
 */
uint64_t om_reduce__dead(om_work *w);

/*
 * twins (keeps all): two transitions with the same effect, one of which takes no more tokens than
 * the other from any place. It is enabled whenever the other is and leads to the same marking, so
 * the other is redundant. (Berthelot 1987, section 4.3.)
 */
uint64_t om_reduce__twins(om_work *w);

/*
 * losing (keeps reachable): a silent transition that adds nothing anywhere. If its firings are
 * removed from a run, each marking has at least as many tokens as before. So all other transitions
 * can fire as before, with the same effect on the observed places. (Thierry-Mieg 2020, section 4.)
 */
uint64_t om_reduce__losing(om_work *w);

/*
 * irrelevant (keeps runs, reachable, deadlock): the observed places, the transitions that change a
 * relevant place, and the places that a relevant transition takes from are relevant. So the others
 * never change a place that a relevant transition needs. Reachable: a run of N without the others
 * is a run of N'; a run of N' is a run of N. (Rakow 2012, "Safety slicing Petri nets".)
 *   For runs and deadlock, the others must terminate: a transition is finite if it reduces the
 * tokens of a place to which, among the transitions that are not relevant, only finite ones add. By
 * induction, it fires only finitely often without relevant ones. Transitions that are not shown to
 * be finite become relevant, too. Then an infinite run of N fires infinitely many relevant
 * transitions, and is an infinite run of N' without the others. A run that ends does so in a
 * marking with the same tokens on relevant places as the run of N' without them; that run ends
 * there, too, because relevant transitions take only from relevant places. After a run of N' ends,
 * others can follow in N, silently, until N ends.
 */
uint64_t om_reduce__irrelevant(om_work *w);

/*
 * ---- reduce_agglomerate.c ----
 *
 * The agglomerations remove a place p that is not observed. H are the transitions that give to it,
 * F those that take from it; no transition is both. For each h of H and f of F, h . f replaces
 * them. Either every h gives w tokens and every f takes w; or F is one transition, and every h
 * gives a multiple of the w that it takes (post); or H is one transition, and every f takes a
 * multiple of the w that it gives (pre, free): then that one transition is fired as often. p has
 * fewer than w tokens initially. (Berthelot 1987; Haddad and Pradat-Peyre 2006; Thierry-Mieg 2020.)
 * A run of N' is one of N by W2. The other direction:
 *
 * post (keeps runs, reachable, deadlock): each f takes only from p, and is silent. So it can fire
 * as soon as its h has fired, whatever else happens, and can be moved there: other transitions find
 * more tokens, and the observed places are the same. If no f follows an h, one is inserted: it is
 * silent and only adds tokens outside p. An infinite run has infinitely many other transitions,
 * because each f needs an h. A run that ends leaves fewer than w tokens at p, so nothing was
 * inserted and N' has the same marking, and N' enables h . f exactly if N enables h. If N' ends, so
 * does N, because p has fewer than w tokens.
 *   If F is one transition, initial tokens of p are taken first: the argument applies to them, too.
 *
 * pre (keeps runs, reachable, deadlock): each h gives only to p, is silent, and takes something; no
 * transition outside H takes from the places that H takes from. So h can be delayed until just
 * before the f that takes its tokens: until then no other transition needs the tokens that it
 * gives, and none takes those that it takes. An h that no f follows is left out. An infinite run
 * has infinitely many transitions outside H, because H takes tokens that no transition of H gives.
 * In a run that ends in m, the firings left out are those of H whose tokens are still at p: fewer
 * than an f takes, or f lacks tokens at a place that H does not change. In the first case, if every
 * f takes w, none is left out. Otherwise H is one transition h and fewer firings are left out than
 * f needs; because h cannot fire in m, it can fire exactly that often in the marking without them.
 * So no h . f is enabled there, nor is any other transition. If N' ends in m', h can fire in N,
 * silently, until none can; f is not enabled in that marking, because h . f was not in m'.
 *
 * free (keeps reachable): as pre, without the conditions that h takes something and that no other
 * transition takes from its places: if h is fired later, or not at all, the others find at least as
 * many tokens, and the observed places are unchanged.
 */
uint64_t om_reduce__post(om_work *w);
uint64_t om_reduce__pre(om_work *w);
uint64_t om_reduce__free(om_work *w);

#endif
