/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A checker for generalized Rabin automata, built out of tree against the installed headers. It
 * stores the product. Then, for each clause, it searches the graph without the edges that the
 * clause forbids for a component with all marks that the clause demands; Bloemen, Duret-Lutz, van
 * de Pol 2019, section 3.2.3, with Dijkstra's search for components.
 */
#include <omen/plugin/dfs.h>
#include <omen/plugin/live_stack.h>
struct om_run {
    om_task *task;
    struct clause {
        om_marks see, avoid;
    } clauses[64];
    size_t count;
};

typedef struct searcher {
    om_run *run;
    const struct clause *clause;
    om_dfs *dfs;
    om_live_stack *live;
    struct root {
        uint64_t place, live;
        om_marks marks;
    } * roots;
    size_t count, room;
} searcher;

/* Reads the disjuncts of the postfix formula: an OR follows a complete disjunct. */
static void read_clauses(om_run *run, const om_automaton *a)
{
    struct clause stack[64];
    size_t length, top = 0;
    const om_acc *f = om_automaton_acceptance(a, &length);
    for (size_t i = 0; i < length; i++) {
        bool inf = f[i].op == OM_ACC_INF;
        om_marks bit = (om_marks) 1 << f[i].set;
        if (f[i].op == OM_ACC_OR)
            run->clauses[run->count++] = stack[--top];
        else if (f[i].op == OM_ACC_AND) {
            top--;
            stack[top - 1].see |= stack[top].see;
            stack[top - 1].avoid |= stack[top].avoid;
        } else
            stack[top++] = (struct clause){ inf ? bit : 0, inf ? 0 : bit };
    }
    run->clauses[run->count++] = stack[0];
}

/* Merges the cycle that an edge from the last state of the path to this live state closes. */
static int merge(searcher *s, uint64_t number, om_marks marks)
{
    om_id last = om_dfs_at(s->dfs, om_dfs_top(s->dfs)).to;
    om_evidence e = OM_EVIDENCE(&last, 1);
    for (; s->roots[s->count - 1].live > number; s->count--)
        marks |=
            s->roots[s->count - 1].marks | om_dfs_at(s->dfs, s->roots[s->count - 1].place).marks;
    marks = s->roots[s->count - 1].marks |= marks;
    if ((marks & s->clause->see) != s->clause->see)
        return OM_OK;
    e.entry = 0, e.see = s->clause->see, e.avoid = s->clause->avoid;
    return om_task_evidence(s->run->task, &e);
}

static int enter(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    if (rc == OM_OK)
        rc = om_live_stack_push(s->live, by.to);
    for (size_t i = 0; rc == OM_OK && i < n; i++)
        if ((steps[i].marks & s->clause->avoid) == 0)
            om_dfs_add(s->dfs, &steps[i]);
    struct root *r = om_grow(om_heap_default(), s->roots, &s->room, s->count + 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(om_task_context(s->run->task));
    s->roots = r;
    r[s->count++] = (struct root){ om_dfs_top(s->dfs), om_live_stack_size(s->live) - 1, 0 };
    return rc;
}

/* Searches all states that are reachable without the edges to avoid. */
static int search(searcher *s, om_id from)
{
    om_dfs_edge e = { from, 0 };
    int rc = om_live_stack_find(s->live, from) == OM_NO_ID ? enter(s, e) : OM_OK;
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0) {
        if (!om_dfs_next(s->dfs, &e)) {
            uint64_t place = om_dfs_top(s->dfs);
            om_dfs_cut(s->dfs, place);
            if (s->roots[s->count - 1].place == place)
                om_live_stack_cut(s->live, s->roots[--s->count].live);
            continue;
        }
        uint64_t number = om_live_stack_find(s->live, e.to);
        if (number == OM_NO_ID)
            rc = enter(s, e);
        else if (number != OM_LIVE_STACK_GONE)
            rc = merge(s, number, e.marks);
    }
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    om_product *p = om_task_product(run->task);
    searcher s = { .run = run, .clause = run->clauses };
    const om_step *steps;
    size_t n;
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK) /* entering a state stores all its successors */
        rc = om_cursor_initial(om_dfs_cursor(s.dfs), &steps, &n);
    for (; rc == OM_OK && s.clause < run->clauses + run->count; s.clause++) {
        rc = om_live_stack_new(&s.live, p);
        for (om_id id = 0; rc == OM_OK && id < om_product_state_count(p); id++)
            rc = search(&s, id);
        om_live_stack_free(s.live);
    }
    if (rc == OM_OK)
        om_task_complete(run->task);
    om_free(om_heap_default(), s.roots);
    om_dfs_free(s.dfs);
    return rc;
}

static void destroy(om_run *run)
{
    (void) run;
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    read_clauses(run, om_task_automaton(task));
    return OM_OK;
}

OM_API const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "rabin", "pair by pair", NULL, NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_RABIN,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
    .ranks = (const om_rank[]){ { OM_FOR_ALL, 1, 0, 50 }, { 0, 0, 0, 0 } },
};
