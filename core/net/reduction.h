/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.h: a net that passes make smaller, step by step, and why they may.
 *
 * N is the net before a step and N' the one after it. A transition is silent where it changes no
 * observed place. Each step keeps one of these (om_reduce_keep), so that all of them together do:
 *
 *   steps      N and N' have the same runs, firing by firing, seen on the observed places;
 *   runs       they have the same maximal runs, seen on the observed places and up to stuttering,
 *              where one that ends repeats its last marking;
 *   reachable  every reachable marking of N has one of N' with the same tokens on the observed
 *              places, and the other way round;
 *   deadlock   N has a reachable marking that enables nothing if and only if N' has.
 *
 * All of this is about plain P/T nets. A net with limits or resets (extended.h) is left as it is:
 * its runs are those of no plain net of the same places.
 *
 * What is observed are numbers of tokens, not the truth of predicates. An observed place that goes
 * is what the tokens of another one say, or a constant: its image.
 *
 * W1: places keep their number from the original net; a new transition has a new number.
 * W2: a transition stands for firings of the original net, its piece; to the places that are left
 *     it does what these do together, and takes what they need, one after the other. So a run of
 *     N', piece by piece, is a run of the original net, and bounds of places stay bounds. (A place
 *     that others were joined to has their tokens, too: see `symmetric`.)
 * W3: but for reachable, where nothing can fire in a marking of N', all maximal runs of N from
 * there are finite and silent. (Only `pre` and `irrelevant` make these other than empty.)
 */
#ifndef OM_NET_REDUCTION_H
#define OM_NET_REDUCTION_H

#include <omen/host/reduce.h>

/* What is fired in the original net; made of earlier pieces, which others share. */
typedef enum om_piece_kind {
    OM_PIECE_ONE,    /* transition a */
    OM_PIECE_THEN,   /* piece a, then piece b */
    OM_PIECE_REPEAT, /* piece a, b times */
    OM_PIECE_EITHER  /* piece a where `place` of the original net has a token then, else b */
} om_piece_kind;

typedef struct om_piece {
    om_piece_kind kind;
    uint32_t a, b, place;
} om_piece;

typedef struct om_work_place {
    uint32_t *users; /* transitions that take from it or give to it, and some that did */
    size_t user_count, user_room;
    om_value tokens; /* at first */
    om_value scale;  /* the largest factor of it in an image */
    om_value bound;  /* as om_net_place.bound */
    bool gone, observed;
    bool joined; /* it has the tokens of others, too */
} om_work_place;

/* Two lists of arcs in one block, in the order of places. */
typedef struct om_work_transition {
    om_net_arc *takes, *gives; /* takes: the block */
    uint32_t take_count, give_count;
    uint32_t piece;
    bool gone;
} om_work_transition;

/* An observed place that is gone had constant + factor * tokens of the place `by`, which was there
 * when it went; OM_NONE: just the constant. */
typedef struct om_gone_place {
    uint32_t place, by;
    om_wide constant;
    om_value factor;
} om_gone_place;

typedef struct om_work {
    om_context *ctx;
    const om_heap *heap;
    const om_net *net;
    bool plain; /* no transition has a limit or a reset; else no pass is applied */
    om_reduce_keep keep;
    om_work_place *places;
    om_work_transition *transitions;
    om_piece *pieces;
    om_gone_place *gone;
    uint32_t *begin; /* pieces that are fired before the first marking */
    size_t transition_count, transition_room, piece_count, piece_room, gone_count, gone_room;
    size_t begin_count, begin_room;
    uint32_t live_places, live_transitions;
    uint32_t most_transitions;    /* no pass makes more of them */
    om_net_arc *scratch[2];       /* for one that is made; room for all places each */
    uint64_t work, asked, budget; /* arcs looked at; when the context was asked; the most */
    int status;                   /* OM_OK, or why nothing more can be done */
} om_work;

/* What is sorted to find what may be equal: by key, then by number. */
typedef struct om_keyed {
    uint64_t key;
    uint32_t at;
} om_keyed;

/* ---- worknet.c ---- */

/* The net as it is. To be freed however it ends. */
int om_work__make(om_work *w, const om_net *net, const uint8_t *observed, om_reduce_keep keep);
void om_work__free(om_work *w);

/* Is there work left in the budget, nobody who says stop, and memory? Counts n arcs. */
bool om_work__go_on(om_work *w, uint64_t n);
/* om_alloc(); NULL is noted. */
void *om_work__alloc(om_work *w, size_t count, size_t size);

/* The transitions that take from the place or give to it, each once; how many. Valid until a
 * transition is added. */
const uint32_t *om_work__users(om_work *w, uint32_t place, size_t *count);
om_value om_work__takes(const om_work *w, uint32_t t, uint32_t place);
om_value om_work__gives(const om_work *w, uint32_t t, uint32_t place);
static inline om_value om_work__effect(const om_work *w, uint32_t t, uint32_t place)
{
    return om_work__gives(w, t, place) - om_work__takes(w, t, place);
}

/* Both lists, place by place: begin with all 0; false at the end, where place is OM_NONE. */
typedef struct om_effect_walk {
    uint32_t take, give; /* which come next */
    uint32_t place;
    om_value takes, gives;
} om_effect_walk;
bool om_work__step(const om_work_transition *t, om_effect_walk *e);

bool om_work__is_silent(const om_work *w, uint32_t t);
/* Takes a no more than b does, of every place? */
bool om_work__takes_less(const om_work_transition *a, const om_work_transition *b);
/* Do they change every place in the same way? */
bool om_work__same_effect(const om_work_transition *a, const om_work_transition *b);

void om_work__drop_transition(om_work *w, uint32_t t);
/* One that is not observed. */
void om_work__drop_place(om_work *w, uint32_t place);
/* The same, of one that may be observed: its tokens are constant + factor * those of `by`. false:
 * nothing was done, as the numbers would be too large, or memory is out. */
bool om_work__replace_place(
    om_work *w, uint32_t place, om_wide constant, om_value factor, uint32_t by);
/* So many taken from and given to that place, instead of what it was. */
bool om_work__set_arcs(om_work *w, uint32_t t, uint32_t place, om_value takes, om_value gives);

/* OM_NONE: memory is out, or was for what it is made of. */
uint32_t om_work__add_piece(om_work *w, om_piece p);
/* A transition from w->scratch. false: memory is out, or piece is OM_NONE. */
bool om_work__add_transition(om_work *w, uint32_t take_count, uint32_t give_count, uint32_t piece);
/* Fires the piece first of all, but for those that were put there before. */
bool om_work__begin_with(om_work *w, uint32_t piece);

void om_work__sort(om_keyed *list, size_t count);

/* ---- composition.c ---- */

/* `first` so many times, then `second` so many times (both > 0), as one transition. */
typedef struct om_composition {
    uint32_t first, second;
    om_value first_times, second_times;
} om_composition;
/* Would its numbers fit? */
bool om_work__can_compose(om_work *w, const om_composition *c);
/* false: memory is out. Its numbers fit. */
bool om_work__add_composition(om_work *w, const om_composition *c);
/* Fires t, which takes from one place alone, so many times before the first marking, which has
 * enough tokens; false: too large, with nothing done, or memory is out. */
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
 * The passes. Each does what it can in one go over the net, and returns how often it did something.
 *
 * ---- reduce_places.c ----
 *
 * constant (keeps all): a place that no transition changes keeps its tokens: transitions that take
 * more never fire, and for the others it makes no difference. Where none ever makes a place's
 * tokens fewer, a transition that takes no more than it has at first never misses them, and only
 * what it adds is left. (Berthelot 1987, section 4.2.)
 */
uint64_t om_reduce__constant(om_work *w);

/*
 * unread (keeps all): a place from which nothing takes keeps no transition from firing. It must not
 * be observed. (Berthelot 1987, section 4.2: the simplest implied place.)
 */
uint64_t om_reduce__unread(om_work *w);

/*
 * proportional (keeps all): all transitions change p and q in the ratio of a to b, both > 0. With k
 * such that m(p) = m0(p) + a k and m(q) = m0(q) + b k in every reachable marking, "p has c tokens
 * or more" is k >= K for K = (c - m0(p)) / a rounded up, which is "q has m0(q) + b K or more": p's
 * arcs become arcs of q that take and give back. p may be observed if b divides a. (Implied places:
 * Berthelot 1987, section 4.2; Recalde, Teruel and Silva 1997.)
 */
uint64_t om_reduce__proportional(om_work *w);

/*
 * ---- reduce_implied.c ----
 *
 * implied (keeps all): by a place invariant (invariants.h) y m(p) = k + the sum of w_q m(q), y > 0,
 * in every reachable marking. A transition that takes c from p, where all its other places have
 * what it takes from them, finds at least k + the sum of w_q takes(q) where w_q > 0 and of w_q
 * bound(q) where w_q < 0: if that is y c or more for each of them, p never keeps any from firing.
 * It must not be observed. (Berthelot 1987, section 4.2; Recalde, Teruel and Silva 1997.)
 */
uint64_t om_reduce__implied(om_work *w);

/*
 * ---- reduce_symmetric.c ----
 *
 * symmetric (keeps all): two places p and q that are not observed, with transitions f_1 .. f_n that
 * take from p, and g_1 .. g_n that take from q, a token each and none from the other; f_i and g_i
 * do the same but that one takes from p where the other takes from q, and one may give to p what
 * the other gives to q. With q's tokens at p, and without the g_i, there is a bisimulation: m(p) +
 * m(q) tokens are at p, all else is the same. For f_i or g_i is enabled in N just where f_i is in
 * N', p or q having a token where their sum is not 0; and both lead to markings with the same sum.
 * In a run of N' f_i stands for g_i where q has a token, else for f_i; that this can be told from q
 * in the original net, nothing was joined to q before. Where a run of N' repeats markings, the
 * original one need not, but as there are finitely many ways to divide a sum, it does so after
 * some rounds. (The choice whose ways go on alike: Thierry-Mieg 2020, section 4; here it is not
 * asked that the choice is free, or that one transition makes it.)
 */
uint64_t om_reduce__symmetric(om_work *w);

/*
 * ---- reduce_transitions.c ----
 *
 * dead (keeps all): the least set of marked places and of transitions such that a place is marked
 * that has tokens or to which a transition of the set gives, and a transition is of the set all of
 * whose places are marked. The others never fire: the places that are not marked are an empty
 * siphon, and stay empty. So do transitions that take more than a place's bound. (Murata 1989,
 * section V.C.)
 */
uint64_t om_reduce__dead(om_work *w);

/*
 * twins (keeps all): two transitions with the same effect, one of which takes no more than the
 * other of any place: it is enabled wherever the other is and leads to the same marking, so the
 * other is redundant. (Berthelot 1987, section 4.3.)
 */
uint64_t om_reduce__twins(om_work *w);

/*
 * losing (keeps reachable): a silent transition that adds nothing anywhere. Leave its firings out
 * of a run: each marking has at least the tokens that it had, so all others can fire as before,
 * with the same effect on what is observed. (Thierry-Mieg 2020, section 4.)
 */
uint64_t om_reduce__losing(om_work *w);

/*
 * irrelevant (keeps runs, reachable, deadlock): relevant are the observed places, the transitions
 * that change a relevant place, and the places that a relevant transition takes from; so the others
 * never change what a relevant transition needs. Reachable: leave all others out of a run of N, and
 * it is one of N'; one of N' is one of N. (Rakow 2012, "Safety slicing Petri nets".)
 *   For runs and deadlock, the others must come to an end: a transition is finite if it makes fewer
 * the tokens of a place to which, of those that are not relevant, only finite ones add. By
 * induction, without relevant ones it can fire so often only. What is not shown to be finite is
 * relevant, too. Then an infinite run of N fires infinitely many relevant transitions, and is an
 * infinite run of N' without the others; one that ends does so in a marking with the same tokens on
 * relevant places as the run of N' without them, which ends there, for relevant transitions take
 * from relevant places alone. Where a run of N' ends, others can follow in N, silently, until it
 * ends.
 */
uint64_t om_reduce__irrelevant(om_work *w);

/*
 * ---- reduce_agglomerate.c ----
 *
 * The agglomerations remove a place p that is not observed. H are the transitions that give to it,
 * F those that take; no transition is both. For each h of H and f of F there is h . f instead.
 * Either every h gives w tokens and every f takes w; or F is one transition, and every h gives a
 * multiple of the w it takes (post), or H is, and every f takes a multiple of the w it gives (pre,
 * free): then that one is fired as often. p has fewer than w tokens at first. (Berthelot 1987;
 * Haddad and Pradat-Peyre 2006; Thierry-Mieg 2020.) A run of N' is one of N by W2. The other
 * direction:
 *
 * post (keeps runs, reachable, deadlock): each f takes from p alone, and is silent. So it can fire
 * from when its h has, whatever else happens, and can be moved there: others find more tokens, and
 * what is observed is the same. Where no f follows an h, one is put in: it is silent and only adds
 * tokens outside p. A run that is infinite has infinitely many others, as each f needs an h. One
 * that ends has left fewer than w tokens at p, so nothing was put in and N' has the same marking;
 * it enables h . f just where N' enables h. And where N' ends, so does N, p having fewer than w.
 *   Where F is one transition, tokens that p has at first are taken before: what is said above
 * holds of them too.
 *
 * pre (keeps runs, reachable, deadlock): each h gives to p alone, is silent, and takes something;
 * nothing outside H takes from the places that H takes from. So h can wait until just before the f
 * that takes what it gives: until then its tokens are missed by nobody, and what it gives is not
 * there for others. An h that no f follows is left out. An infinite run has infinitely many
 * transitions outside H, as these take tokens that none of them gives. In a run that ends in m,
 * what is left out are firings of H whose tokens are still at p: fewer than an f takes, or f lacks
 * tokens at a place that H does not change. In the first case, if every f takes w, none is left
 * out; else H is one transition h, fewer are left out than f needs, and as h cannot fire in m it
 * can fire just so often where they are left out. So no h . f is enabled there, and nothing else
 * is. Where N' ends in m', then in N some h can fire, silently, until none can; in the marking
 * then, f is not enabled as h . f was not in m'.
 *
 * free (keeps reachable): pre, without the conditions that h takes something and that no other
 * takes from its places: to fire it later, or not at all, leaves others as many tokens and what is
 * observed as it was.
 */
uint64_t om_reduce__post(om_work *w);
uint64_t om_reduce__pre(om_work *w);
uint64_t om_reduce__free(om_work *w);

#endif
