/* SPDX-License-Identifier: Apache-2.0 */
/* Converts assumptions to acceptance sets, and to the marks of a product: fairness.h. */
#include "fairness.h"

#include "formula.h"
#include "model/model_form.h"
#include "property.h"

#include <string.h>

bool om_fair__asked(const om_plan *p)
{
    return p->options.fairness != OM_FAIRNESS_NONE || p->options.fair_count != 0;
}

void om_fair__free(const om_plan *p, om_assumed *a)
{
    om_ltl_free(a->ltl);
    om_text_free(&a->rest);
    om_free(p->heap, a->ltl_aps);
    om_free(p->heap, a->clauses);
    om_free(p->heap, a->process);
    om_free(p->heap, a->exprs);
    om_free(p->heap, a->marked.acc);
    om_free(p->heap, a->unmarked.acc);
    *a = (om_assumed){ 0 };
}

/* ---- formulas ---- */

/* Reads the propositions of the arena that have no expression yet. */
static int read_aps(om_plan *p, om_assumed *a, uint32_t known)
{
    const uint32_t count = om_ltl_ap_count(a->ltl);
    om_expr *aps = om_resize(p->heap, a->ltl_aps, count + 1, sizeof *aps);
    if (aps == NULL)
        return om_fail_memory(p->ctx);
    a->ltl_aps = aps;
    int rc = OM_OK;
    for (uint32_t i = known; rc == OM_OK && i < count; i++) {
        uint32_t line = 0, column = 0;
        om_ltl_ap_place(a->ltl, i, &line, &column);
        rc = om_plan__read_ap(
            p, "fairness assumption", line, column, om_ltl_ap_name(a->ltl, i), &aps[i]);
    }
    return rc;
}

static int read_formula(om_plan *p, om_assumed *a, const char *text)
{
    const uint32_t known = om_ltl_ap_count(a->ltl);
    om_ltl_ref f = 0;
    int rc = om_plan__parse_formula(p, a->ltl, "fairness assumption", text, strlen(text), &f);
    if (rc == OM_OK)
        rc = read_aps(p, a, known);
    if (rc != OM_OK)
        return rc;
    a->formula = a->formula == 0 ? f : om_ltl_make(a->ltl, OM_LTL_AND, a->formula, f);
    return a->formula == 0 ? om_fail_memory(p->ctx) : om_fair__recognise(p, a, f);
}

static int read_formulas(om_plan *p, om_assumed *a)
{
    int rc = p->options.fair_count == 0 ? OM_OK : om_ltl_new(&a->ltl, p->ctx);
    for (size_t i = 0; rc == OM_OK && i < p->options.fair_count; i++)
        rc = read_formula(p, a, p->options.fair[i]);
    return rc;
}

/* ---- sets ---- */

/* Finds the processes that have a transition. */
static int find_processes(om_plan *p, om_assumed *a)
{
    const uint32_t n = om_model_process_count(p->model);
    bool *moves = om_alloc(p->heap, n, sizeof *moves);
    a->process = om_alloc(p->heap, n, sizeof *a->process);
    int rc = moves == NULL || a->process == NULL ? om_fail_memory(p->ctx) : OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < om_model_transition_count(p->model); i++) {
        const om_transition *t = om_model_transition(p->model, i);
        if (t->process < n)
            moves[t->process] = true;
        if (t->partner < n)
            moves[t->partner] = true;
    }
    for (uint32_t i = 0; rc == OM_OK && i < n; i++)
        if (moves[i])
            a->process[a->process_count++] = i;
    om_free(p->heap, moves);
    return rc;
}

/* Returns the index of an expression in `exprs`; appends it if it is absent. */
static uint32_t place_of(om_assumed *a, om_expr e)
{
    uint32_t k = 0;
    while (k < a->expr_count && a->exprs[k] != e)
        k++;
    if (k == a->expr_count)
        a->exprs[a->expr_count++] = e;
    return k;
}

static void put(om_fair_sets *to, om_acc_op op, uint32_t set)
{
    to->acc[to->acc_length++] = (om_acc){ (uint8_t) op, (uint8_t) set };
}

/* Joins the clause that was just added to those before it. */
static void conjoin(om_fair_sets *to, size_t before)
{
    if (before != 0)
        put(to, OM_ACC_AND, 0);
}

static void put_processes(const om_assumed *a, om_fair_sets *to)
{
    for (uint32_t i = 0; i < a->process_count; i++) {
        const size_t before = to->acc_length;
        if (a->processes == OM_FAIRNESS_WEAK)
            put(to, OM_ACC_INF, i);
        else {
            put(to, OM_ACC_FIN, 2 * i);
            put(to, OM_ACC_INF, 2 * i + 1);
            put(to, OM_ACC_OR, 0);
        }
        conjoin(to, before);
    }
}

static void put_clauses(om_assumed *a, om_fair_sets *to)
{
    for (size_t i = 0; i < a->clause_count; i++) {
        const om_fair_clause *c = &a->clauses[i];
        const size_t before = to->acc_length;
        if (c->fin != 0)
            put(to, OM_ACC_FIN, to->processes + place_of(a, c->fin));
        if (c->inf != 0)
            put(to, OM_ACC_INF, to->processes + place_of(a, c->inf));
        if (c->fin != 0 && c->inf != 0)
            put(to, OM_ACC_OR, 0);
        conjoin(to, before);
    }
}

/* Collects the expressions of the clauses. */
static void find_exprs(om_assumed *a)
{
    for (size_t i = 0; i < a->clause_count; i++) {
        if (a->clauses[i].fin != 0)
            (void) place_of(a, a->clauses[i].fin);
        if (a->clauses[i].inf != 0)
            (void) place_of(a, a->clauses[i].inf);
    }
}

enum { MOST_SETS = 64 };

/* Writes the formula over the sets, if there are not too many sets. */
static int put_formula(const om_plan *p, om_assumed *a, om_fair_sets *to)
{
    enum { PER_CLAUSE = 4 }; /* two literals and two operators */
    to->count = to->processes + a->expr_count;
    if (to->count > MOST_SETS)
        return OM_OK;
    to->acc =
        om_alloc(p->heap, PER_CLAUSE * (a->process_count + a->clause_count) + 1, sizeof *to->acc);
    if (to->acc == NULL)
        return om_fail_memory(p->ctx);
    if (!to->unmarked)
        put_processes(a, to);
    put_clauses(a, to);
    if (to->acc_length == 0)
        put(to, OM_ACC_TRUE, 0);
    return OM_OK;
}

static int make_sets(om_plan *p, om_assumed *a)
{
    int rc = a->processes == OM_FAIRNESS_NONE ? OM_OK : find_processes(p, a);
    if (rc != OM_OK)
        return rc;
    a->marked.processes = a->process_count * (a->processes == OM_FAIRNESS_STRONG ? 2 : 1);
    a->unmarked.unmarked = a->process_count != 0;
    a->exprs = om_alloc(p->heap, 2 * a->clause_count + 1, sizeof *a->exprs);
    if (a->exprs == NULL)
        return om_fail_memory(p->ctx);
    find_exprs(a);
    if (a->expr_count > MOST_SETS)
        return om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
            "the fairness formulas need %u acceptance sets: the limit is %d", a->expr_count,
            MOST_SETS);
    rc = put_formula(p, a, &a->marked);
    return rc == OM_OK ? put_formula(p, a, &a->unmarked) : rc;
}

int om_fair__read(om_plan *p, om_assumed *a)
{
    a->processes = p->options.fairness;
    a->rest.heap = p->heap;
    int rc = read_formulas(p, a);
    return rc == OM_OK ? make_sets(p, a) : rc;
}

/* ---- marks ---- */

typedef struct builder {
    om_fairness of; /* first: the caller frees the builder through it */
    om_fair_processes by;
    uint64_t *movers;
    uint32_t (*who)[2];
    om_marks *moves, *able, *unable, *holds;
} builder;

static void *take(unsigned char **at, size_t n)
{
    void *taken = *at;
    *at += n * sizeof(uint64_t);
    return taken;
}

/* Allocates the builder and its arrays in one block, in words of 64 bits. */
static builder *new_builder(const om_plan *p, const om_fair_sets *sets)
{
    const om_assumed *a = p->fair;
    const size_t t = om_model_transition_count(om_plan__searched(p)),
                 n = sets->unmarked ? 0 : a->process_count,
                 head = (sizeof(builder) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    unsigned char *at = om_alloc(p->heap, head + 3 * t + 2 * n + a->expr_count, sizeof(uint64_t));
    builder *b = (void *) at;
    if (at == NULL)
        return NULL;
    at += head * sizeof(uint64_t);
    b->movers = take(&at, t);
    b->moves = take(&at, t);
    b->who = take(&at, t);
    b->able = take(&at, n);
    b->unable = take(&at, n);
    b->holds = take(&at, a->expr_count);
    b->of = (om_fairness){ .processes = (uint32_t) n,
        .transitions = (uint32_t) t,
        .movers = b->movers,
        .moves = b->moves,
        .able = b->able,
        .unable = b->unable,
        .aps = a->expr_count,
        .holds = b->holds };
    b->by = (om_fair_processes){ .size = sizeof b->by,
        .processes = a->process_count,
        .transitions = (uint32_t) t,
        .who = (const uint32_t(*)[2]) b->who,
        .strong = a->processes == OM_FAIRNESS_STRONG };
    return b;
}

/* Returns true if process i of those with sets moves in the transition. */
static bool moves(const om_assumed *a, uint32_t i, const om_transition *t)
{
    return t->process == a->process[i] || t->partner == a->process[i];
}

static void mark_processes(const om_plan *p, const om_marks *images, builder *b)
{
    const om_assumed *a = p->fair;
    for (uint32_t i = 0; i < b->of.processes; i++) {
        b->able[i] = b->by.strong ? images[2 * (size_t) i] : 0;
        b->unable[i] = b->by.strong ? 0 : images[i];
        for (uint32_t t = 0; t < b->of.transitions; t++)
            if (moves(a, i, om_model_transition(om_plan__searched(p), t))) {
                b->movers[t] |= UINT64_C(1) << i;
                b->moves[t] |= b->by.strong ? images[2 * (size_t) i + 1] : images[i];
            }
    }
}

/* Returns the index of a model's process in a->process, which is sorted; OM_NONE if it is
 * absent. */
static uint32_t number_of(const om_assumed *a, uint32_t process)
{
    uint32_t low = 0, high = a->process_count;
    while (process != OM_NONE && low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->process[middle] == process)
            return middle;
        if (a->process[middle] < process)
            low = middle + 1;
        else
            high = middle;
    }
    return OM_NONE;
}

static void name_movers(const om_plan *p, builder *b)
{
    for (uint32_t t = 0; t < b->by.transitions; t++) {
        const om_transition *by = om_model_transition(om_plan__searched(p), t);
        b->who[t][0] = number_of(p->fair, by->process);
        b->who[t][1] = number_of(p->fair, by->partner);
    }
}

int om_fair__marks(const om_plan *p, const om_fair_sets *sets, const om_marks *images,
    uint32_t first_ap, om_fairness **out, const om_fair_processes **movers)
{
    builder *b = new_builder(p, sets);
    if (b == NULL)
        return om_fail_memory(p->ctx);
    b->of.first_ap = first_ap;
    mark_processes(p, images, b);
    if (sets->unmarked)
        name_movers(p, b);
    for (uint32_t k = 0; k < p->fair->expr_count; k++)
        b->holds[k] = images[sets->processes + k];
    *out = &b->of;
    *movers = sets->unmarked ? &b->by : NULL;
    return OM_OK;
}
