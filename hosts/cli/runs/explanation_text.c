/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints an explanation as text.
 *
 * The truth values along the run are a table: rows are parts of the formula, columns are states.
 * Consecutive states with the same values are one column. The table has only values that matter,
 * unless --all is given.
 *
 *  X1  A column is a range of states, from <= to < count; it begins at state 0 or after another.
 *  X2  The heading of a column fits its buffer.
 *  X3  A block has at least one column, and only whole ones.
 *  X4  The column of formulas is at most TEXT_MOST wide; a text that it cuts has room for "...".
 *  X5  A loop begins at one of the run's states; fairness is explained only if there is a loop.
 */
#include "runs/explanation.h"
#include "base/safe_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, TEXT_MOST = 56, BLOCKED_MOST = 20 };

static bool matters(const om_explained_row *r, size_t i)
{
    return (r->at[i] & OM_EXPLAINED_MATTERS) != 0;
}

static bool is_true(const om_explained_row *r, size_t i)
{
    return (r->at[i] & OM_EXPLAINED_TRUE) != 0;
}

/* ---- the table ---- */

typedef struct table {
    cli *c;
    const om_explanation *e;
    bool assumption; /* the rows are those of the assumption */
    bool all;        /* values that do not matter are shown, too */
    size_t text;     /* width of the column of formulas */
} table;

static bool is_shown(const table *t, const om_explained_row *r)
{
    bool any = t->all;
    for (size_t i = 0; i < t->e->count && !any; i++)
        any = matters(r, i);
    return any && r->assumption == t->assumption;
}

/* Returns "1" or "0", with a star for a value that matters if all are shown; or ".". */
static const char *cell(const table *t, const om_explained_row *r, size_t i)
{
    if (t->all)
        return is_true(r, i) ? matters(r, i) ? "1*" : "1" : matters(r, i) ? "0*" : "0";
    return !matters(r, i) ? "." : is_true(r, i) ? "1" : "0";
}

/* Returns true if state i has the same values as the state before it, in all shown rows. */
static bool same(const table *t, size_t i)
{
    assert(i > 0 && i < t->e->count); /* X1 */
    if (i == t->e->loop)
        return false;
    for (size_t k = 0; k < t->e->row_count; k++) {
        const om_explained_row *r = &t->e->rows[k];
        if (r->assumption == t->assumption && (t->all || matters(r, i) || matters(r, i - 1)) &&
            r->at[i] != r->at[i - 1])
            return false;
    }
    return true;
}

/* Writes the heading for states from .. to. */
static int heading(size_t from, size_t to, char *out, size_t room)
{
    const int n =
        from == to ? snprintf(out, room, "%zu", from) : snprintf(out, room, "%zu-%zu", from, to);
    assert(from <= to && n > 0 && (size_t) n < room); /* X1, X2 */
    return n;
}

static size_t end_of_column(const table *t, size_t from)
{
    size_t to = from;
    while (to + 1 < t->e->count && same(t, to + 1))
        to++;
    assert(from <= to && to < t->e->count); /* X1 */
    return to;
}

/* Columns that fit side by side */
typedef struct block {
    size_t from, end; /* states */
} block;

static block next_block(const table *t, size_t from)
{
    block b = { from, from };
    size_t used = t->text;
    while (b.end < t->e->count) {
        char head[64];
        const size_t to = end_of_column(t, b.end);
        const size_t width = (size_t) heading(b.end, to, head, sizeof head) + 2;
        used += (width < 4 ? 4 : width) + (b.end == t->e->loop ? 2 : 0);
        if (used > WIDTH && b.end > b.from)
            break;
        b.end = to + 1;
    }
    assert(b.from < b.end && b.end <= t->e->count); /* X3 */
    return b;
}

/* Prints one line: the headings (r NULL), or a row. */
static void put_line(const table *t, const block *b, const om_explained_row *r)
{
    om_text *out = &t->c->out;
    int pending = 0; /* blanks due before the next column */
    for (size_t i = b->from; i < b->end;) {
        char head[64];
        const size_t to = end_of_column(t, i);
        int width = heading(i, to, head, sizeof head);
        const char *shown = r == NULL ? head : cell(t, r, i);
        om_text_printf(out, "%*s%s  %s", pending, "", i == t->e->loop ? " |" : "", shown);
        pending = (width < 2 ? 2 : width) - (int) strlen(shown);
        i = to + 1;
        assert(i <= b->end); /* X3 */
    }
    om_text_add(out, "\n");
}

static void put_text(const table *t, const om_explained_row *r)
{
    const int indent = r->depth > 10 ? 20 : 2 * (int) r->depth;
    assert((size_t) indent <= t->text && t->text <= TEXT_MOST); /* X4 */
    const size_t room = t->text - (size_t) indent, n = strlen(r->text);
    assert(n <= room || room > 3); /* X4 */
    om_text line = { .heap = t->c->heap };
    om_text_add_n(&line, r->text, n > room ? room - 3 : n);
    om_text_add(&line, n > room ? "..." : "");
    om_text_printf(&t->c->out, "%*s", indent, "");
    cli_put_plain(&t->c->out, line.failed ? "" : line.text);
    om_text_printf(&t->c->out, "%*s", n > room ? 0 : (int) (room - n), "");
    om_text_free(&line);
}

static void put_block(const table *t, const block *b)
{
    om_text_printf(&t->c->out, "%-*s", (int) t->text, "state");
    put_line(t, b, NULL);
    for (size_t k = 0; k < t->e->row_count; k++) {
        const om_explained_row *r = &t->e->rows[k];
        if (!is_shown(t, r))
            continue;
        put_text(t, r);
        put_line(t, b, r);
    }
}

static void put_table(cli *c, const om_explanation *e, bool all, bool assumption)
{
    table t = { .c = c, .e = e, .assumption = assumption, .text = 5 };
    bool any = false, some = false;
    for (size_t k = 0; k < e->row_count; k++)
        for (size_t i = 0; i < e->count && e->rows[k].assumption == assumption; i++) {
            any = true;
            some = some || matters(&e->rows[k], i);
        }
    if (!any)
        return;
    t.all = all || !some;
    for (size_t k = 0; k < e->row_count; k++) {
        const om_explained_row *r = &e->rows[k];
        size_t n = strlen(r->text) + (r->depth > 10 ? 20 : 2 * (size_t) r->depth);
        n = n > TEXT_MOST ? TEXT_MOST : n;
        if (is_shown(&t, r) && n > t.text)
            t.text = n;
    }
    om_text_add(&c->out, assumption ? "\nassumed and true on this run:\n" : "\n");
    for (block b = { 0, 0 }; b.end < e->count;) {
        if (b.end > 0)
            om_text_add(&c->out, "\n");
        b = next_block(&t, b.end);
        put_block(&t, &b);
    }
    if (e->loop != OM_NO_LOOP)
        om_text_add(&c->out, "(the states after | repeat for ever)\n");
}

/* ---- sentences ---- */

static void put_states(size_t from, size_t to, om_text *out)
{
    char head[64];
    (void) heading(from, to, head, sizeof head);
    om_text_printf(out, "state%s %s", from == to ? "" : "s", head);
}

/* Prints the values of propositions from which all other values follow. */
static void put_because(cli *c, const om_explanation *e)
{
    bool first = true;
    for (size_t k = 0; k < e->row_count; k++) {
        const om_explained_row *r = &e->rows[k];
        for (size_t i = 0; i < e->count && r->proposition && !r->assumption; i++) {
            if (!matters(r, i))
                continue;
            size_t to = i;
            while (to + 1 < e->count && matters(r, to + 1) && is_true(r, to + 1) == is_true(r, i))
                to++;
            om_text_add(&c->out, first ? "\nthis alone suffices for the violation:\n  " : "  ");
            put_states(i, to, &c->out);
            om_text_add(&c->out, ": ");
            cli_put_plain(&c->out, r->text);
            om_text_add(&c->out, is_true(r, i) ? " is true\n" : " is false\n");
            first = false;
            i = to;
        }
    }
    if (e->beyond)
        om_text_add(&c->out, "  and the states after the last one, which is assumed to repeat\n");
}

static void put_head(cli *c, const om_explanation *e)
{
    om_text *out = &c->out;
    assert(e->loop == OM_NO_LOOP || e->loop < e->count); /* X5 */
    om_text_add(out, "property ");
    cli_put_plain(out, e->property);
    om_text_printf(
        out, ": violated by this run of %zu state%s", e->count, e->count == 1 ? "" : "s");
    if (e->loop != OM_NO_LOOP)
        om_text_printf(out, ", of which %zu repeat from state %zu on", e->count - e->loop, e->loop);
    om_text_add(out, "\n");
    if (e->bad_prefix != 0)
        om_text_printf(
            out, "from state %zu on, every continuation violates it\n", e->bad_prefix - 1);
    if (e->kind == OM_EXPLAINED_AUTOMATON)
        om_text_add(out,
            "an automaton of forbidden runs accepts it, so there is no formula to split. The "
            "automaton's propositions along the run:\n");
}

static void put_processes(cli *c, const om_explanation *e)
{
    assert(e->process_count == 0 || e->loop < e->count); /* X5 */
    if (e->process_count > 0)
        om_text_printf(&c->out, "\nfairness, in the %zu states that repeat:\n", e->count - e->loop);
    for (size_t i = 0; i < e->process_count; i++) {
        const om_explained_process *p = &e->processes[i];
        om_text_add(&c->out, "  ");
        cli_put_plain(&c->out, p->name);
        om_text_printf(&c->out, " can move in %zu and moves %zu time%s\n", p->able, p->moves,
            p->moves == 1 ? "" : "s");
    }
}

static void put_sets(om_marks marks, om_text *out)
{
    const char *before = ", acceptance set ";
    for (unsigned i = 0; i < 64; i++)
        if (marks >> i & 1) {
            om_text_printf(out, "%s%u", before, i);
            before = ", ";
        }
}

/* Prints one line for consecutive steps in the same state of the automaton with the same marks. */
static void put_accepted(cli *c, const om_explanation *e)
{
    const om_accepted *a = e->accepted;
    if (e->kind != OM_EXPLAINED_AUTOMATON)
        return;
    om_text_add(
        &c->out, e->accepted_count > 0
                     ? "\nan accepting run of the automaton:\n"
                     : "\n(the run is too long to show an accepting run of the automaton)\n");
    for (size_t i = 0; i < e->accepted_count;) {
        size_t to = i;
        while (to + 1 < e->accepted_count && to + 1 != e->accepted_loop &&
               a[to + 1].automaton_state == a[i].automaton_state && a[to + 1].marks == a[i].marks &&
               a[to + 1].state == a[to].state + 1)
            to++;
        om_text_add(&c->out, i == e->accepted_loop ? "  for ever:\n  " : "  ");
        put_states(a[i].state, a[to].state, &c->out);
        om_text_printf(&c->out, ": automaton state %" PRIu32, a[i].automaton_state);
        put_sets(a[i].marks, &c->out);
        om_text_add(&c->out, "\n");
        i = to + 1;
    }
}

static void put_step(cli *c, const om_model *model, uint32_t transition)
{
    om_text step = { .heap = c->heap };
    om_lasso_put_step(model, transition, &step);
    cli_put_plain(&c->out, step.failed ? "" : step.text);
    om_text_free(&step);
}

static void put_blocked(cli *c, const om_model *model, const om_explanation *e, bool all)
{
    const size_t most = all ? e->blocked_count : BLOCKED_MOST;
    if (e->kind != OM_EXPLAINED_DEADLOCK)
        return;
    om_text_add(
        &c->out, e->blocked_count == 0
                     ? "\nin its last state, no process is at the start of a transition\n"
                     : "\nin its last state, these guards of the next transitions are false:\n");
    for (size_t i = 0; i < e->blocked_count && i < most; i++) {
        om_text_add(&c->out, "  ");
        put_step(c, model, e->blocked[i].transition);
        om_text_add(&c->out, ": ");
        cli_put_plain(&c->out, e->blocked[i].why);
        om_text_add(&c->out, "\n");
    }
    if (e->blocked_count > most)
        om_text_printf(&c->out, "  and %zu more (--all)\n", e->blocked_count - most);
}

/* ---- without a transition ---- */

static void put_answer(cli *c, const om_without *w)
{
    om_text *out = &c->out;
    if (w->verdict == OM_HOLDS)
        om_text_add(out, "it would hold");
    else if (w->verdict == OM_UNKNOWN) {
        om_text_add(out, "unknown (");
        cli_put_plain(out, w->reason);
        om_text_add(out, ")");
    } else if (w->states == 0)
        om_text_add(out, "still violated");
    else if (w->loop == OM_NO_LOOP)
        om_text_printf(out, "still violated, by a run of %zu states", w->states);
    else
        om_text_printf(out, "still violated, by a run of %zu states%s", w->states,
            w->ends ? " that ends" : "");
}

static void put_without(
    cli *c, const explain_settings *set, const om_model *model, const om_explanation *e)
{
    if (set->transitions == OM_SWITCH_OFF)
        return;
    om_text_printf(&c->out,
        "\nchecked again without one of its transitions (each for at most %.3g s):\n",
        (double) set->each_ns / 1e9);
    for (size_t i = 0; i < e->without_count; i++) {
        const om_without *w = &e->without[i];
        om_text_add(&c->out, "  ");
        put_step(c, model, w->transition);
        om_text_printf(&c->out, ", from state %zu", w->first);
        if (w->times > 1)
            om_text_printf(&c->out, " and %zu more", w->times - 1);
        om_text_add(&c->out, ": ");
        put_answer(c, w);
        om_text_add(&c->out, "\n");
    }
    if (e->without_count == 0)
        om_text_add(&c->out, "  it takes no transitions\n");
}

int cli_put_explanation(
    cli *c, const explain_settings *set, const om_model *model, const om_explanation *e)
{
    put_head(c, e);
    if (!c->set.quiet)
        put_table(c, e, set->all, false);
    put_because(c, e);
    put_accepted(c, e);
    put_blocked(c, model, e, set->all);
    put_processes(c, e);
    if (!c->set.quiet)
        put_table(c, e, set->all, true);
    put_without(c, set, model, e);
    return OM_OK;
}
