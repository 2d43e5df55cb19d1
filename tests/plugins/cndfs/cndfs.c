/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cndfs: nested depth-first searches of several workers who share what is blue and red;
 * Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested depth-first search", ATVA
 * 2012.
 *
 * The paper's automata accept by states, those here by edges. A state s with accepting edges stands
 * for two of the paper's: s itself, with the other edges and one to s', and s', which accepts and
 * has the accepting edges. The blue search takes the accepting edges of s last, so s' is left right
 * before s is, and both become blue at once, before anybody looks; but red they become apart, for a
 * red search begins at s'.
 */
#include <omen/plugin/dfs.h>

#include <sched.h>
#include <stdatomic.h>

/* Of all workers, by state. They are only added, and (as the paper assumes) all see them in one
 * order: sequentially consistent. */
enum { BLUE = 1, RED = 2, RED_TOO = 4 /* its s' */ };
/* Of one worker: it is on the blue path; in the red search that is under way; it has an s'. */
enum { CYAN = 1, PINK = 2, ACCEPTS = 4 };

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_side *colours;     /* atomic_uchar: the first enumeration */
    atomic_uint finished; /* workers; carries no data */
};

typedef struct searcher {
    om_run *run;
    om_dfs *blue, *red;
    om_side *own; /* unsigned char: the second enumeration */
    om_marks all;
    om_id *met; /* of the red search: the states */
    size_t count, capacity;
} searcher;

/* Both colours of a state; the worker's own can be changed there. */
static int look(searcher *s, om_id id, unsigned char **own, unsigned char *shared)
{
    const atomic_uchar *at = om_side_at(s->run->colours, id);
    *own = om_side_at(s->own, id);
    if (at == NULL || *own == NULL)
        return om_fail_memory(om_task_context(s->run->task));
    *shared = atomic_load_explicit(at, memory_order_seq_cst);
    return OM_OK;
}

/* Of a state that was looked at before: its memory is there. */
static void colour(searcher *s, om_id id, unsigned char bits)
{
    atomic_uchar *at = om_side_at(s->run->colours, id);
    (void) atomic_fetch_or_explicit(at, bits, memory_order_seq_cst);
}

static bool accepts(const searcher *s, om_marks marks)
{
    return (marks & s->all) == s->all;
}

/* ---- the red search ---- */

/* Puts a state onto the red path: the seed's s' is what matters of it, and no other's that is red.
 */
static int enter_red(searcher *s, om_id id, bool seed)
{
    const om_step *steps;
    size_t n;
    unsigned char *own, shared, bits = PINK;
    om_id *met = om_grow(s->run->heap, s->met, &s->capacity, s->count + 1, sizeof *met);
    int rc =
        met == NULL ? om_fail_memory(om_task_context(s->run->task)) : look(s, id, &own, &shared);
    s->met = met == NULL ? s->met : met;
    if (rc == OM_OK)
        rc = om_dfs_enter(s->red, (om_dfs_edge){ id, 0 }, &steps, &n);
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        bool accepting = accepts(s, steps[i].marks);
        bits |= accepting ? ACCEPTS : 0;
        if (seed ? accepting : !accepting || (shared & RED_TOO) == 0)
            om_dfs_add(s->red, &steps[i]);
    }
    if (rc == OM_OK && !seed) {
        *own |= bits;
        s->met[s->count++] = id;
    }
    return rc;
}

/* All that the seed's accepting edges lead to and is not red; a state of the blue path among it
 * closes a cycle. */
static int search_red(searcher *s, om_id seed)
{
    om_dfs_edge e;
    unsigned char *own, shared;
    int rc = enter_red(s, seed, true);
    while (rc == OM_OK && om_dfs_depth(s->red) > 0) {
        if (!om_dfs_next(s->red, &e)) {
            om_dfs_cut(s->red, om_dfs_top(s->red));
            continue;
        }
        rc = look(s, e.to, &own, &shared);
        if (rc == OM_OK && (*own & CYAN) != 0)
            rc = om_dfs_found(s->red, e.to, NULL);
        else if (rc == OM_OK && (*own & PINK) == 0 && (shared & RED) == 0)
            rc = enter_red(s, e.to, false);
    }
    return rc;
}

/* Accepting states that others are responsible for must be red before any of these is. */
static int red(searcher *s, om_id seed)
{
    unsigned char *own, shared;
    s->count = 0;
    int rc = search_red(s, seed);
    for (size_t i = 0; rc == OM_OK && i < s->count;) {
        rc = look(s, s->met[i], &own, &shared);
        if (rc == OM_OK && (*own & ACCEPTS) != 0 && (shared & RED_TOO) == 0) {
            rc = om_task_stopped(s->run->task) ? OM_ESTOP : OM_OK;
            (void) sched_yield();
        } else
            i++;
    }
    for (size_t i = 0; rc == OM_OK && i < s->count; i++)
        if ((rc = look(s, s->met[i], &own, &shared)) == OM_OK) {
            *own &= (unsigned char) ~PINK;
            colour(s, s->met[i], (*own & ACCEPTS) != 0 ? RED | RED_TOO : RED);
        }
    if (rc == OM_OK)
        colour(s, seed, RED_TOO);
    return rc;
}

/* ---- the blue search ---- */

static int enter_blue(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    unsigned char *own, shared;
    int rc = look(s, by.to, &own, &shared);
    if (rc == OM_OK)
        rc = om_dfs_enter(s->blue, by, &steps, &n);
    if (rc != OM_OK)
        return rc;
    *own |= CYAN;
    for (int accepting = 1; accepting >= 0; accepting--) /* what is added first is followed last */
        for (size_t i = 0; i < n; i++)
            if (accepts(s, steps[i].marks) == accepting) {
                om_dfs_add(s->blue, &steps[i]);
                *own |= accepting ? ACCEPTS : 0;
            }
    return OM_OK;
}

static int leave_blue(searcher *s)
{
    uint64_t place = om_dfs_top(s->blue);
    om_id id = om_dfs_at(s->blue, place).to;
    unsigned char *own, shared;
    int rc = look(s, id, &own, &shared);
    if (rc == OM_OK && (*own & ACCEPTS) != 0)
        rc = red(s, id);
    if (rc == OM_OK) {
        colour(s, id, BLUE);
        *own &= (unsigned char) ~CYAN;
        om_dfs_cut(s->blue, place);
    }
    return rc;
}

static int search(searcher *s)
{
    om_dfs_edge e;
    unsigned char *own, shared;
    int rc = om_dfs_start(s->blue);
    while (rc == OM_OK) {
        if (!om_dfs_next(s->blue, &e)) {
            if (om_dfs_depth(s->blue) == 0)
                break;
            rc = leave_blue(s);
        } else if ((rc = look(s, e.to, &own, &shared)) == OM_OK) {
            if ((*own & CYAN) != 0 && accepts(s, e.marks))
                rc = om_dfs_found(s->blue, e.to, NULL);
            else if ((*own & CYAN) == 0 && (shared & BLUE) == 0)
                rc = enter_blue(s, e);
        }
    }
    return rc;
}

/* ---- what a checker is ---- */

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .all = om_task_all_marks(run->task) };
    int rc = om_dfs_new(&s.blue, run->task, worker);
    if (rc == OM_OK)
        rc = om_dfs_new_above(&s.red, s.blue);
    if (rc == OM_OK)
        rc = om_side_new(&s.own, om_task_product(run->task), 1);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK && atomic_fetch_add_explicit(&run->finished, 1, memory_order_relaxed) + 1 ==
                           om_task_workers(run->task))
        om_task_complete(run->task);
    om_side_free(s.own);
    om_dfs_free(s.red);
    om_dfs_free(s.blue);
    om_free(run->heap, s.met);
    return rc;
}

static void destroy(om_run *run)
{
    om_side_free(run->colours);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->heap = om_task_heap(task);
    run->task = task;
    return om_side_new(&run->colours, om_task_product(task), sizeof(atomic_uchar));
}

OM_API const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "cndfs",
        "nested depth-first searches that share blue and red states",
        "Evangelista, Laarman, Petrucci, van de Pol, ATVA 2012", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI,
    .flags = OM_CHECKER_PARALLEL,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
