/* SPDX-License-Identifier: Apache-2.0 */
#include "sets.h"

#include "leavers.h"
#include "stubborn.h"

#include "analysis/moves.h"

#include <assert.h>
#include <string.h>

/* Of a state, at most MOST_TRIES sets are made, and no more after MOST_WORK parts of rows. */
enum { MOST_TRIES = 64, MOST_WORK = 1 << 13 };
/* A seed is futile if so many of its sets were made and none was of use. */
enum { FUTILE = 8, RANKS = 1 << 12 };
/* Costs of members. */
enum { ENABLED = 1 << 8, BARRED = 1 << 20 };

/* ---- rows ---- */

static uint64_t bit_of(uint32_t t)
{
    return UINT64_C(1) << t % 64;
}

static bool has(const uint64_t *row, uint32_t t)
{
    return (row[t / 64] & bit_of(t)) != 0;
}

/* Not __builtin_popcountll(), which is a call where the machine's instruction may not be used. */
static uint32_t count_bits(uint64_t x)
{
    if ((x & (x - 1)) == 0)
        return x != 0;
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t) (x * UINT64_C(0x0101010101010101) >> 56);
}

/* Makes rows of lists. `where` has room for a number for each word, all 0, and is so again. */
static int make_rows(om_rows *rows, const om_heap *heap, const om_lists *l, uint32_t *where)
{
    uint32_t count = 0;
    if (!OM_NEW(heap, rows->first, l->lists + 1) || !OM_NEW(heap, rows->parts, l->count + 1))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < l->lists; i++) {
        rows->first[i] = count;
        for (uint32_t k = l->first[i]; k < l->first[i + 1]; k++) {
            uint32_t *at = &where[l->at[k] / 64];
            if (*at == 0) {
                rows->parts[count++].word = l->at[k] / 64;
                *at = count;
            }
            rows->parts[*at - 1].bits |= bit_of(l->at[k]);
        }
        for (uint32_t k = rows->first[i]; k < count; k++)
            where[rows->parts[k].word] = 0;
    }
    rows->first[l->lists] = count;
    return OM_OK;
}

/* Returns true if a conjunct is a test alone. */
static bool shares(const om_sets *s, size_t conjunct)
{
    return s->clauses[conjunct].test != OM_NONE && s->clauses[conjunct].behind == OM_NONE;
}

/* Makes a row for each row of enablers: the transitions with a test in their guards of which these
 * are the enablers, whatever another conjunct says (F6). */
static int make_users(om_sets *s, uint32_t *where)
{
    const om_depend *d = s->depend;
    const om_footprint *f = &d->footprint;
    om_lists users = { .lists = d->enablers.lists };
    uint32_t *of = NULL; /* by conjunct: its transition */
    if (!OM_NEW(s->heap, users.first, users.lists + 3) ||
        !OM_NEW(s->heap, users.at, f->conjunct_count + 1) ||
        !OM_NEW(s->heap, of, f->conjunct_count + 1)) {
        OM_FREE_ALL(s->heap, users.first, users.at, of);
        return OM_ENOMEM;
    }
    for (uint32_t t = 0; t < f->all; t++)
        for (uint32_t i = f->first_conjunct[t]; i < f->first_conjunct[t + 1]; i++)
            of[i] = t;
    /* A counting sort. */
    for (size_t c = 0; c < f->conjunct_count; c++)
        users.first[s->clauses[c].row + 2] += shares(s, c);
    for (size_t i = 2; i < users.lists + 2; i++)
        users.first[i] += users.first[i - 1];
    for (size_t c = 0; c < f->conjunct_count; c++)
        if (shares(s, c))
            users.at[users.first[s->clauses[c].row + 1]++] = of[c];
    users.count = users.first[users.lists];
    const int rc = make_rows(&s->users, s->heap, &users, where);
    OM_FREE_ALL(s->heap, users.first, users.at, of);
    return rc;
}

/* Makes the rows of leavers. */
static int make_leavers(om_sets *s, uint32_t *where)
{
    om_lists l = { .lists = 0 };
    int rc = om_leavers__list(s->depend, &s->tests, s->leavers_of, &l);
    if (rc == OM_OK)
        rc = make_rows(&s->leavers, s->heap, &l, where);
    OM_FREE_ALL(s->heap, l.first, l.at);
    return rc;
}

static void free_rows(const om_rows *rows, const om_heap *heap)
{
    OM_FREE_ALL(heap, rows->first, rows->parts);
}

/* ---- a set ---- */

/* Adds transitions. Returns false if one of them is enabled and barred. */
static inline bool include(om_maker *k, const om_part *part)
{
    const uint64_t fresh = part->bits & ~k->member[part->word];
    const uint64_t on = fresh & k->enabled[part->word], off = fresh & ~on;
    k->member[part->word] |= fresh;
    if (off != 0)
        k->off[k->off_count++] = (om_part){ off, part->word };
    if (on == 0)
        return true;
    k->on[k->on_count++] = (om_part){ on, part->word };
    k->count += count_bits(on);
    return (on & k->barred[part->word]) == 0;
}

/* Adds a row; returns false as include() does. */
static bool include_row(om_maker *k, const om_rows *rows, uint32_t row)
{
    const om_part *p = rows->parts + rows->first[row], *end = rows->parts + rows->first[row + 1];
    k->work += (size_t) (end - p);
    while (p < end && include(k, p))
        p++;
    return p == end;
}

/* Returns what it costs to add a row: one for each disabled transition that is new, and much more
 * for each enabled one. If that is not less than `most`, some number that is not, either. */
static uint32_t cost_of(om_maker *k, const om_rows *rows, uint32_t row, uint32_t most)
{
    uint32_t cost = 0;
    k->work += rows->first[row + 1] - rows->first[row];
    for (uint32_t i = rows->first[row]; i < rows->first[row + 1] && cost < most; i++) {
        const uint32_t word = rows->parts[i].word;
        const uint64_t fresh = rows->parts[i].bits & ~k->member[word],
                       on = fresh & k->enabled[word];
        if (fresh == 0)
            continue;
        cost += count_bits(fresh & ~on);
        if (on != 0)
            cost += (on & k->barred[word]) != 0 ? BARRED : ENABLED * count_bits(on);
    }
    return cost;
}

/* Asks the question of a test, unless it was asked. Returns true if the state fails the test. */
static bool ask(om_maker *k, uint32_t test, const uint32_t *vector)
{
    const om_tests *tests = &k->sets->tests;
    const uint32_t question = tests->tests[test].question;
    if (k->answered[question] != k->state) {
        k->answered[question] = k->state;
        k->answers[question] = om_tests__answer(tests, question, vector);
        k->asked[k->asked_count++] = (om_answer){ question, k->answers[question] };
    }
    return !om_tests__passes(tests, test, k->answers[question]);
}

/* Returns true if a conjunct is a test that the state fails. */
static inline bool fails(om_maker *k, const om_clause *c, const uint32_t *vector)
{
    uint32_t *known = &k->known[c->row];
    if (*known >> 1 != k->state)
        *known = k->state << 1 | (c->test != OM_NONE && ask(k, c->test, vector));
    return (*known & 1) != 0;
}

/* Notes that a set has all enablers or leavers of a false conjunct: nothing more is to be done for
 * the disabled transitions that have it in their guards. */
static void settle(const om_maker *k, uint32_t row)
{
    const om_rows *rows = &k->sets->users;
    for (uint32_t i = rows->first[row]; i < rows->first[row + 1]; i++)
        k->settled[rows->parts[i].word] |= rows->parts[i].bits;
}

/* Adds what S3 asks for if a transition is disabled and no test of its guard fails: some other
 * conjunct is false, and it may be any. */
static bool follow_all(om_maker *k, const om_clause *c, const om_clause *end)
{
    bool quiet = true;
    for (; c < end && quiet; c++)
        if (c->test == OM_NONE)
            quiet = include_row(k, &k->sets->enablers, c->row);
    return quiet;
}

/* A row that S3 may ask for */
typedef struct need {
    const om_rows *rows;
    uint32_t row, cost;
} need;

/* Takes a row instead if it costs less, or in the second way, as much. */
static bool is_cheaper(om_maker *k, need *best, const om_rows *rows, uint32_t row)
{
    const uint32_t cost = cost_of(k, rows, row, best->cost + k->second);
    if (cost >= best->cost + k->second)
        return false;
    *best = (need){ rows, row, cost };
    return true;
}

/* Returns the row of leavers of a conjunct that is a test, and that the state fails; OM_NONE: there
 * is none. */
static uint32_t leavers_of(const om_maker *k, const om_clause *c)
{
    const uint32_t question = k->sets->tests.tests[c->test].question;
    const uint32_t first = k->sets->leavers_of[question];
    assert(k->answered[question] == k->state);
    return first == OM_NONE ? OM_NONE : first + k->answers[question];
}

/* Adds what S3 asks for: of the conjuncts that are false, the cheapest enablers or leavers. Of
 * equal ones, it takes the first, and enablers before leavers; in the second way, the last. */
static bool follow_disabled(om_maker *k, uint32_t t, const uint32_t *vector)
{
    const om_sets *s = k->sets;
    const om_footprint *f = &s->depend->footprint;
    const om_clause *first = s->clauses + f->first_conjunct[t];
    const om_clause *end = s->clauses + f->first_conjunct[t + 1], *of = NULL;
    need best = { .cost = UINT32_MAX - 1 };
    for (const om_clause *c = first; c < end && best.cost + k->second > 0; c++)
        if (fails(k, c, vector) &&
            (c->behind == OM_NONE || !fails(k, &s->clauses[c->behind], vector)) && /* F6 */
            is_cheaper(k, &best, &s->enablers, c->row))
            of = c;
    for (const om_clause *c = first; c < end && best.cost > 0 && !k->second; c++)
        if (c->test != OM_NONE && c->behind == OM_NONE && fails(k, c, vector) &&
            leavers_of(k, c) != OM_NONE && is_cheaper(k, &best, &s->leavers, leavers_of(k, c)))
            of = c;
    if (of == NULL)
        return follow_all(k, first, end);
    settle(k, of->row);
    return include_row(k, best.rows, best.row);
}

/* Takes the first transition that is left of some parts. Returns false if none is. `without`: a row
 * of transitions that are passed over; NULL: none. */
static inline bool take(
    om_part *parts, size_t count, size_t *done, const uint64_t *without, uint32_t *t)
{
    for (; *done < count; (*done)++) {
        om_part *p = &parts[*done];
        if (without != NULL)
            p->bits &= ~without[p->word];
        if (p->bits == 0)
            continue;
        *t = p->word * 64 + (uint32_t) __builtin_ctzll(p->bits);
        p->bits &= p->bits - 1;
        return true;
    }
    return false;
}

/* Makes the set of a seed. Returns false if the set has a loud transition that is enabled, or as
 * many enabled ones as the best set. The enabled members come first, because they may show that. */
static bool complete(om_maker *k, uint32_t seed, size_t best, const uint32_t *vector)
{
    const om_sets *s = k->sets;
    const bool waiting = !has(s->last, seed); /* for the seed: S3 */
    size_t on_done = 0, off_done = 0;
    uint32_t t;
    memset(k->member, 0, s->words * sizeof *k->member);
    memset(k->settled, 0, s->words * sizeof *k->settled);
    k->count = 0;
    k->on_count = k->off_count = 0;
    bool quiet = include(k, &(om_part){ bit_of(seed), seed / 64 });
    while (quiet && k->count < best) {
        if (take(k->on, k->on_count, &on_done, NULL, &t))
            quiet = include_row(k, &s->rivals, t);
        else if (take(k->off, k->off_count, &off_done, k->settled, &t))
            quiet = (waiting && has(s->last, t)) || follow_disabled(k, t, vector);
        else
            return true;
    }
    return false;
}

/* ---- a state ---- */

/* Begins a new state. */
static void renew(om_maker *k)
{
    const om_sets *s = k->sets;
    k->work = k->asked_count = 0;
    if (++k->state >> 31 == 0)
        return;
    memset(k->answered, 0, s->tests.question_count * sizeof *k->answered);
    memset(k->tried, 0, om_model_process_count(s->depend->m) * sizeof *k->tried);
    memset(k->known, 0, s->depend->enablers.lists * sizeof *k->known);
    k->state = 1;
}

/* Returns true if a set with this seed may be better than those of the seeds before. The enabled
 * transitions of a process that leave its location are rivals: one set has all of them. So if one
 * is no seed, the others are of no use, either. */
static bool is_promising(om_maker *k, uint32_t seed)
{
    const uint32_t mover = k->sets->mover[seed];
    if (mover != OM_NONE) {
        if (k->tried[mover] == k->state)
            return false;
        k->tried[mover] = k->state;
    }
    return has(k->sets->seeds, seed);
}

/* Lists the MOST_TRIES most promising seeds of a state, the best first; returns their number. */
static size_t list_seeds(om_maker *k, const uint32_t *enabled, size_t all)
{
    const uint32_t *rank = k->sets->rank;
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_promising(k, enabled[i]))
            continue;
        if (count == MOST_TRIES && rank[k->seeds[count - 1]] <= rank[enabled[i]])
            continue;
        size_t at = count < MOST_TRIES ? count++ : count - 1;
        for (; at > 0 && rank[k->seeds[at - 1]] > rank[enabled[i]]; at--)
            k->seeds[at] = k->seeds[at - 1];
        k->seeds[at] = enabled[i];
    }
    return count;
}

/* Lists the places of the enabled transitions that are members. */
static void keep_members(om_maker *k, const uint32_t *enabled, size_t all)
{
    size_t count = 0;
    for (size_t i = 0; i < all; i++)
        if (has(k->member, enabled[i]))
            k->kept[count++] = (uint32_t) i;
    assert(count == k->count && count > 0); /* S1 */
}

/* Makes the sets of these seeds. Returns how many transitions the best one keeps, if these are less
 * than `best`, or `best`. */
static size_t try_seeds(om_maker *k, size_t seeds, size_t best, const uint32_t *vector,
    const uint32_t *enabled, size_t all)
{
    for (size_t i = 0; i < all; i++)
        k->barred[enabled[i] / 64] = k->sets->loud[enabled[i] / 64];
    for (size_t i = 0; i < seeds && best > 1 && k->work < MOST_WORK; i++) {
        const uint32_t seed = k->seeds[i];
        k->tries[seed]++;
        if (complete(k, seed, best, vector)) {
            best = k->count;
            k->wins[seed]++;
            k->singles[seed] += best == 1;
            keep_members(k, enabled, all);
        }
        if (k->count >= best)
            k->barred[seed / 64] |= bit_of(seed);
    }
    return best;
}

size_t om_maker__make(om_maker *k, const uint32_t *vector, const uint32_t *enabled, size_t all)
{
    renew(k);
    for (size_t i = 0; i < all; i++)
        k->enabled[enabled[i] / 64] |= bit_of(enabled[i]);
    const size_t seeds = list_seeds(k, enabled, all);
    const size_t first = try_seeds(k, seeds, all, vector, enabled, all);
    size_t best = first;
    if (first > 1 && k->sets->twice) {
        k->second = true;
        best = try_seeds(k, seeds, first, vector, enabled, all);
        k->second = false;
        k->repeated++;
        k->better += best < first;
    }
    for (size_t i = 0; i < all; i++)
        k->enabled[enabled[i] / 64] = 0;
    k->all_work += k->work;
    return best;
}

bool om_sets__may_choose(const om_sets *s, const uint32_t *enabled, size_t all)
{
    for (size_t i = 0; i < all; i++)
        if (has(s->seeds, enabled[i]))
            return true;
    return false;
}

void om_sets__learn(om_sets *s, const om_maker *k)
{
    s->twice = k->repeated == 0 || k->better != 0;
    for (uint32_t t = 0; t < s->depend->footprint.transitions; t++) {
        if (k->tries[t] >= FUTILE && k->wins[t] == 0)
            s->seeds[t / 64] &= ~bit_of(t);
        /* Small: most of its sets kept it alone. Half, if nothing is known. */
        s->rank[t] = RANKS - (k->singles[t] + 1) * RANKS / (k->tries[t] + 2);
    }
}

/* ---- opening and closing ---- */

om_maker *om_maker__new(const om_sets *s)
{
    const om_heap *heap = s->heap;
    const size_t n = s->depend->footprint.all + (size_t) 1;
    const size_t questions = s->tests.question_count + (size_t) 1;
    om_maker *k = NULL;
    if (!OM_NEW(heap, k, 1))
        return NULL;
    k->sets = s;
    if (OM_NEW(heap, k->enabled, s->words) && OM_NEW(heap, k->member, s->words) &&
        OM_NEW(heap, k->barred, s->words) && OM_NEW(heap, k->settled, s->words) &&
        OM_NEW(heap, k->on, n) && OM_NEW(heap, k->off, n) &&
        OM_NEW(heap, k->known, s->depend->enablers.lists + 1) &&
        OM_NEW(heap, k->answered, questions) && OM_NEW(heap, k->answers, questions) &&
        OM_NEW(heap, k->asked, questions) &&
        OM_NEW(heap, k->tried, om_model_process_count(s->depend->m) + (size_t) 1) &&
        OM_NEW(heap, k->tries, n) && OM_NEW(heap, k->wins, n) && OM_NEW(heap, k->singles, n) &&
        OM_NEW(heap, k->seeds, MOST_TRIES) && OM_NEW(heap, k->kept, n))
        return k;
    om_maker__free(k);
    return NULL;
}

void om_maker__free(om_maker *k)
{
    if (k != NULL)
        OM_FREE_ALL(k->sets->heap, k->enabled, k->member, k->barred, k->settled, k->on, k->off,
            k->known, k->answered, k->answers, k->asked, k->tried, k->tries, k->wins, k->singles,
            k->seeds, k->kept, k);
}

/* Finds the process that each transition moves from one location to another. */
static int find_movers(om_sets *s)
{
    const om_model *m = s->depend->m;
    om_moves moves;
    int rc = om_moves__open(&moves, m);
    for (uint32_t t = 0; t < s->depend->footprint.transitions; t++)
        s->mover[t] = OM_NONE;
    for (uint32_t p = 0; p < om_model_process_count(m) && rc == OM_OK; p++)
        for (uint32_t i = moves.first[p]; i < moves.first[p + 1] && moves.readable[p]; i++) {
            const om_move *v = &moves.at[i];
            if (v->from != OM_NONE && v->to < OM_MOVE_ANYWHERE && v->to != v->from &&
                om_model_transition(m, v->transition)->process == p)
                s->mover[v->transition] = p;
        }
    om_moves__close(&moves);
    return rc;
}

/* Fills in the arrays. */
static void fill(om_sets *s, bool loud)
{
    const om_depend *d = s->depend;
    for (size_t c = 0; c < d->footprint.conjunct_count; c++)
        s->clauses[c] = (om_clause){ .row = d->enabler_of[c],
            .test = s->tests.of[c],
            .behind = d->footprint.conjuncts[c].behind };
    for (uint32_t t = 0; t < d->footprint.transitions; t++) {
        if (loud && (d->seen[t] || d->sticky[t]))
            s->loud[t / 64] |= bit_of(t);
        else
            s->seeds[t / 64] |= bit_of(t);
        if (om_model__is_last_resort(d->m, t))
            s->last[t / 64] |= bit_of(t);
    }
}

int om_sets__open(om_sets *s, const om_depend *d, const om_compact *compact, bool loud)
{
    const om_heap *heap = d->m->heap;
    uint32_t *where = NULL;
    *s = (om_sets){ .heap = heap, .depend = d, .words = d->footprint.all / 64 + 1, .twice = true };
    int rc = om_tests__open(&s->tests, &d->footprint, compact);
    if (rc == OM_OK && (!OM_NEW(heap, s->loud, s->words) || !OM_NEW(heap, s->last, s->words) ||
                           !OM_NEW(heap, s->seeds, s->words) ||
                           !OM_NEW(heap, s->mover, d->footprint.transitions + (size_t) 1) ||
                           !OM_NEW(heap, s->rank, d->footprint.transitions + (size_t) 1) ||
                           !OM_NEW(heap, s->clauses, d->footprint.conjunct_count + 1) ||
                           !OM_NEW(heap, where, s->words)))
        rc = OM_ENOMEM;
    if (rc == OM_OK) {
        fill(s, loud);
        rc = make_rows(&s->rivals, heap, &d->rivals, where);
    }
    if (rc == OM_OK)
        rc = make_rows(&s->enablers, heap, &d->enablers, where);
    if (rc == OM_OK)
        rc = make_users(s, where);
    if (rc == OM_OK)
        rc = OM_NEW(heap, s->leavers_of, s->tests.question_count + (size_t) 1)
                 ? make_leavers(s, where)
                 : OM_ENOMEM;
    if (rc == OM_OK)
        rc = find_movers(s);
    om_free(heap, where);
    return rc;
}

void om_sets__close(om_sets *s)
{
    if (s->heap == NULL)
        return;
    om_tests__close(&s->tests);
    free_rows(&s->rivals, s->heap);
    free_rows(&s->enablers, s->heap);
    free_rows(&s->users, s->heap);
    free_rows(&s->leavers, s->heap);
    OM_FREE_ALL(s->heap, s->leavers_of, s->loud, s->last, s->seeds, s->mover, s->rank, s->clauses);
}
