/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"
#include "folder.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t prepare_ns = (uint64_t) 900 * 1000000000;

/* The row that is being run. */
typedef struct work {
    bench_runner *r;
    size_t row;
    char folder[4096]; /* ${work} */
    bench_scope scope;
    bench_pair own; /* the variable work, searched before the runner's variables */
} work;

/* ---- expansion of words ---- */

/* The caller frees *out. */
static int expand(const work *w, const bench_column *c, const char *word, char **out)
{
    om_text text = { .heap = om_context_heap(w->r->ctx) };
    om_text_add(&text, ""); /* makes text.text non-NULL */
    int rc = bench_expand(w->r->ctx, &w->scope, &c->place, word, &text);
    if (rc == OM_OK)
        *out = text.text;
    else
        om_text_free(&text);
    return rc;
}

static void free_list(const work *w, char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        om_free(om_context_heap(w->r->ctx), list[i]);
    om_free(om_context_heap(w->r->ctx), list);
}

/* Expands `words`, followed by `more`. */
static int expand_list(
    const work *w, const bench_column *c, bench_words words, bench_words more, char ***out)
{
    char **list = om_alloc(om_context_heap(w->r->ctx), words.count + more.count + 1, sizeof *list);
    int rc = list == NULL ? om_fail_memory(w->r->ctx) : OM_OK;
    for (size_t i = 0; rc == OM_OK && i < words.count; i++)
        rc = expand(w, c, words.words[i], &list[i]);
    for (size_t i = 0; rc == OM_OK && i < more.count; i++)
        rc = expand(w, c, more.words[i], &list[words.count + i]);
    if (rc == OM_OK)
        *out = list;
    else
        free_list(w, list);
    return rc;
}

/* Builds "NAME=VALUE" for each pair. */
static int expand_env(const work *w, const bench_column *c, char ***out)
{
    const om_heap *heap = om_context_heap(w->r->ctx);
    size_t count = 0, n = 0;
    for (const bench_pair *p = c->env; p != NULL; p = p->next)
        count++;
    char **list = om_alloc(heap, count + 1, sizeof *list);
    int rc = list == NULL ? om_fail_memory(w->r->ctx) : OM_OK;
    for (const bench_pair *p = c->env; rc == OM_OK && p != NULL; p = p->next) {
        om_text text = { .heap = heap };
        om_text_printf(&text, "%s=", p->name);
        rc = bench_expand(w->r->ctx, &w->scope, &c->place, p->value, &text);
        assert(n < count);
        list[n++] = text.text;
    }
    if (rc == OM_OK)
        *out = list;
    else
        free_list(w, list);
    return rc;
}

/* ---- the end of a cell ---- */

static int end_cell(work *w, bench_cell *cell, bench_cell_state state, const char *note)
{
    bench_arena *arena = &w->r->results->table->arena;
    assert(cell->state == BENCH_PENDING && state != BENCH_PENDING && state != BENCH_OK); /* R2 */
    cell->state = state;
    cell->note = bench_arena_text(arena, note, strlen(note));
    return cell->note == NULL ? om_fail_memory(w->r->ctx) : OM_OK;
}

/* Appends the last non-empty line, limited to its last 160 characters. */
static void put_last_line(om_text *out, const char *text)
{
    const char *end = text + strlen(text), *start;
    while (end > text && (unsigned char) end[-1] <= ' ')
        end--;
    for (start = end; start > text && start[-1] != '\n' && end - start < 160;)
        start--;
    for (; start < end; start++)
        om_text_add_n(out, (unsigned char) *start < ' ' || *start == '|' ? " " : start, 1);
}

/* Appends why a command failed; nothing if it succeeded. */
static void put_failure(const bench_outcome *o, int wanted, const char *what, om_text *out)
{
    if (o->too_large)
        om_text_printf(out, "%s was killed at %.0f MB", what, o->resident / 1e6);
    else if (o->timed_out)
        om_text_printf(out, "%s was killed after %.0f s", what, o->sample.figures[BENCH_WALL]);
    else if (o->signal != 0)
        om_text_printf(out, "%s was ended by signal %d", what, o->signal);
    else if (o->status == 127)
        om_text_printf(out, "%s cannot be started", what);
    else if (o->status != wanted)
        om_text_printf(out, "%s ended with status %d", what, o->status);
    if (out->length == 0 || o->timed_out || o->too_large)
        return;
    om_text_add(out, ": ");
    put_last_line(out, o->errors[strspn(o->errors, " \n")] != '\0' ? o->errors : o->output);
}

/* ---- time ---- */

/* Returns the time limit of a command: at most `most` (0: none) and at most until the deadline. */
static uint64_t time_for(const bench_runner *r, uint64_t most)
{
    const uint64_t now = om_clock_ns();
    if (r->deadline_ns == 0)
        return most;
    const uint64_t left = r->deadline_ns > now ? r->deadline_ns - now : 1;
    return most == 0 || left < most ? left : most;
}

/* bench_measure() within the deadline. Returns OM_ESTOP if the deadline or a signal ended the
 * command. */
static int measure(bench_runner *r, const bench_command *command, bench_outcome *o)
{
    bench_command within = *command;
    within.timeout_ns = time_for(r, command->timeout_ns);
    int rc = bench_measure(r->ctx, &within, o);
    const bool late = r->deadline_ns != 0 && om_clock_ns() >= r->deadline_ns;
    return rc == OM_OK && (o->interrupted || (o->timed_out && late)) ? OM_ESTOP : rc;
}

/* ---- preparatory shell lines ---- */

/* If the line fails, the cell ends with the state `otherwise`. */
static int run_shell(work *w, const bench_column *c, const char *line, const char *what,
    char *const *env, bench_cell *cell, bench_cell_state otherwise)
{
    char shell[] = "/bin/sh", option[] = "-c", *text = NULL;
    bench_outcome o = { 0 };
    om_text problem = { .heap = om_context_heap(w->r->ctx) };
    int rc = expand(w, c, line, &text);
    if (rc == OM_OK) {
        char *argv[] = { shell, option, text, NULL };
        const bench_command command = { argv, env, w->folder, prepare_ns, 0 };
        rc = measure(w->r, &command, &o);
    }
    if (rc == OM_OK)
        put_failure(&o, 0, what, &problem);
    if (rc == OM_OK && problem.length != 0)
        rc = end_cell(w, cell, otherwise, problem.text);
    om_text_free(&problem);
    bench_outcome_free(w->r->ctx, &o);
    om_free(om_context_heap(w->r->ctx), text);
    return rc;
}

/* ---- one run ---- */

static void put_unexpected(
    const bench_column *c, const work *w, const bench_sample *s, om_text *out)
{
    for (const bench_pair *p = c->expect; p != NULL && out->length == 0; p = p->next) {
        bench_figure f = bench_find_figure(p->name);
        const char *text = strcmp(p->name, "verdict") == 0 ? s->verdict : s->executor;
        char *wanted = NULL;
        if (expand(w, c, p->value, &wanted) != OM_OK)
            return; /* the context holds the error */
        if (f == BENCH_FIGURES && strcmp(text, wanted) != 0)
            om_text_printf(out, "%s is '%s', not %s", p->name, text, wanted);
        else if (f != BENCH_FIGURES && s->figures[f] != strtod(wanted, NULL))
            om_text_printf(out, "%s is %.0f, not %s", p->name, s->figures[f], wanted);
        om_free(om_context_heap(w->r->ctx), wanted);
    }
}

static const char *read_figures(const bench_column *c, bench_outcome *o)
{
    switch (c->format) {
    case BENCH_FORMAT_OMEN:
        return bench_read_omen(o->output, &o->sample);
    case BENCH_FORMAT_COUNTS:
        return bench_read_counts(o->output, &o->sample);
    case BENCH_FORMAT_PAN:
        return bench_read_pan(o->output, &o->sample);
    case BENCH_FORMAT_LTSMIN: {
        /* LTSmin prints its figures to standard output or to standard error. */
        const char *problem = bench_read_ltsmin(o->output, &o->sample);
        return problem == NULL ? NULL : bench_read_ltsmin(o->errors, &o->sample);
    }
    case BENCH_FORMAT_NONE:
        break;
    }
    return NULL;
}

static void judge_run(work *w, const bench_column *c, bench_outcome *o, om_text *problem)
{
    char *status = NULL;
    if (expand(w, c, c->status == NULL ? "0" : c->status, &status) != OM_OK)
        return; /* the context holds the error */
    put_failure(o, (int) strtol(status, NULL, 10), c->name, problem);
    if (problem->length == 0) {
        const char *text = read_figures(c, o);
        om_text_add(problem, text == NULL ? "" : text);
    }
    om_free(om_context_heap(w->r->ctx), status);
    bench_sample_derive(&o->sample);
    if (problem->length == 0)
        put_unexpected(c, w, &o->sample, problem);
}

static void say(work *w, const bench_column *c, const bench_cell *cell, bool recorded)
{
    assert(!recorded || cell->state != BENCH_PENDING || cell->count > 0);
    om_text line = { .heap = om_context_heap(w->r->ctx) };
    const char *row = w->r->results->table->rows[w->row].name;
    if (cell->state == BENCH_FAILED || cell->state == BENCH_LIMIT || cell->state == BENCH_ABSENT)
        om_text_printf(&line, "%s %s: %s", row, c->name, cell->note);
    else if (recorded)
        om_text_printf(&line, "%s %s: round %zu of %zu, %.2f s", row, c->name, cell->count,
            w->r->results->rounds, cell->samples[cell->count - 1].figures[BENCH_WALL]);
    else
        om_text_printf(&line, "%s %s: ready", row, c->name);
    if (!line.failed && w->r->say != NULL)
        w->r->say(w->r->self, line.text);
    om_text_free(&line);
}

static int record(work *w, const bench_column *c, bench_cell *cell, bench_outcome *o, bool keep)
{
    om_text problem = { .heap = om_context_heap(w->r->ctx) };
    int rc = OM_OK;
    judge_run(w, c, o, &problem);
    if (o->no_counters != NULL)
        w->r->results->no_counters = o->no_counters;
    if (problem.failed)
        rc = om_fail_memory(w->r->ctx);
    else if (problem.length != 0)
        rc = end_cell(
            w, cell, o->timed_out || o->too_large ? BENCH_LIMIT : BENCH_FAILED, problem.text);
    else if (om_context_error(w->r->ctx)[0] != '\0')
        rc = OM_EINPUT;
    else if (keep)
        cell->samples[cell->count++] = o->sample;
    if (rc == OM_OK)
        say(w, c, cell, keep);
    if (rc == OM_OK && keep && w->r->on_run != NULL)
        w->r->on_run(w->r->self, (size_t) (c - w->r->results->table->columns));
    om_text_free(&problem);
    return rc;
}

/* keep: record the run as a sample; otherwise it is the warm-up run. */
static int run_once(work *w, size_t column, bool keep)
{
    const bench_column *c = &w->r->results->table->columns[column];
    bench_cell *cell = bench_cell_at(w->r->results, w->row, column);
    char **argv = NULL, **env = NULL;
    bench_outcome o = { 0 };
    int rc = expand_list(w, c, c->command, keep ? (bench_words){ NULL, 0 } : c->warm_words, &argv);

    if (rc == OM_OK)
        rc = expand_env(w, c, &env);
    if (rc == OM_OK && c->before != NULL)
        rc = run_shell(w, c, c->before, "before", env, cell, BENCH_FAILED);
    if (rc == OM_OK && cell->state == BENCH_PENDING) {
        const bench_command command = { argv, env, w->folder, w->r->timeout_ns, w->r->memory };
        rc = measure(w->r, &command, &o);
        if (rc == OM_OK)
            rc = record(w, c, cell, &o, keep);
    }
    bench_outcome_free(w->r->ctx, &o);
    free_list(w, argv);
    free_list(w, env);
    return rc;
}

/* ---- columns without commands: taken after the others in each round ---- */

static int least_published(work *w, const bench_column *c, double *out)
{
    int rc = OM_OK;
    *out = INFINITY;
    for (size_t i = 0; rc == OM_OK && i < c->published.count; i++) {
        char *text = NULL, *stop = NULL;
        rc = expand(w, c, c->published.words[i], &text);
        if (rc != OM_OK)
            return rc;
        double n = strtod(text, &stop);
        if (stop == text || *stop != '\0' || !(n > 0))
            rc = om_fail(w->r->ctx, OM_EINPUT, &c->place, "published: '%s' is not a number", text);
        *out = n < *out ? n : *out;
        om_free(om_context_heap(w->r->ctx), text);
    }
    return rc;
}

static int publish(work *w, size_t column)
{
    const bench_table *t = w->r->results->table;
    const bench_column *c = &t->columns[column];
    bench_cell *cell = bench_cell_at(w->r->results, w->row, column);
    double value = NAN, scale = 1;
    int rc = least_published(w, c, &value);
    if (rc != OM_OK)
        return rc;
    if (c->scaled_by != NULL) {
        const bench_cell *by =
            bench_cell_at(w->r->results, w->row, bench_find_column(t, c->scaled_by));
        if (by->count <= cell->count)
            return end_cell(w, cell, BENCH_ABSENT, "the column that scales it was not measured");
        scale = by->samples[cell->count].figures[c->scaled_figure] / c->scaled_base;
    }
    bench_sample *s = &cell->samples[cell->count++];
    bench_sample_clear(s);
    s->figures[c->published_figure] = value * scale;
    return OM_OK;
}

/* Takes the figures of the same row from another table's results. */
static int take_recorded(work *w, size_t column)
{
    const bench_column *c = &w->r->results->table->columns[column];
    bench_cell *cell = bench_cell_at(w->r->results, w->row, column);
    const char *row = w->r->results->table->rows[w->row].name;
    char *file = NULL, *text = NULL;
    size_t length = 0;
    bool found = false;
    int rc = expand(w, c, c->recorded, &file);
    if (rc == OM_OK && access(file, F_OK) == 0) {
        rc = om_read_file(w->r->ctx, file, 1 << 28, &text, &length);
        if (rc == OM_OK)
            rc = bench_csv_sample(w->r->ctx, file, text, length, row, c->recorded_column,
                &cell->samples[cell->count], &found);
    }
    if (rc == OM_OK && found)
        cell->count++;
    else if (rc == OM_OK)
        rc = end_cell(w, cell, BENCH_ABSENT, "not recorded");
    om_free(om_context_heap(w->r->ctx), text);
    om_free(om_context_heap(w->r->ctx), file);
    return rc;
}

/* Reads one figure from a listed file. It stays NaN if the file has none, or 0 (a duration too
 * short to be measured). */
static int look_up(work *w, const bench_column *c, const bench_listed *l, bench_sample *s)
{
    char **words = NULL, *text = NULL, *stop = NULL, value[BENCH_FIELD_MOST] = "";
    size_t length = 0;
    bool found = false;
    int rc = expand_list(w, c, l->words, (bench_words){ NULL, 0 }, &words);
    if (rc == OM_OK && access(words[0], F_OK) == 0) {
        rc = om_read_file(w->r->ctx, words[0], 1 << 28, &text, &length);
        if (rc == OM_OK)
            rc = bench_csv_look_up(
                w->r->ctx, (const char *const *) words, text, length, value, &found);
    }
    const double n = strtod(value, &stop);
    if (rc == OM_OK && found && stop != value && *stop == '\0' && n > 0)
        s->figures[l->figure] = n;
    om_free(om_context_heap(w->r->ctx), text);
    free_list(w, words);
    return rc;
}

static int take_listed(work *w, size_t column)
{
    const bench_column *c = &w->r->results->table->columns[column];
    bench_cell *cell = bench_cell_at(w->r->results, w->row, column);
    bench_sample *s = &cell->samples[cell->count];
    bool any = false;
    int rc = OM_OK;
    bench_sample_clear(s);
    for (const bench_listed *l = c->listed; rc == OM_OK && l != NULL; l = l->next) {
        rc = look_up(w, c, l, s);
        any = any || !isnan(s->figures[l->figure]);
    }
    if (rc != OM_OK)
        return rc;
    if (!any)
        return end_cell(w, cell, BENCH_ABSENT, "not listed");
    cell->count++;
    return OM_OK;
}

/* Columns that failed or are absent do not take part. */
static int pick_best(work *w, size_t column)
{
    const bench_table *t = w->r->results->table;
    const bench_column *c = &t->columns[column];
    bench_cell *cell = bench_cell_at(w->r->results, w->row, column);
    const bench_sample *best = NULL;
    for (size_t i = 0; i < c->best.count; i++) {
        const bench_cell *other =
            bench_cell_at(w->r->results, w->row, bench_find_column(t, c->best.words[i]));
        const bench_sample *s = &other->samples[cell->count];
        if (other->count > cell->count && !isnan(s->figures[c->best_figure]) &&
            (best == NULL || s->figures[c->best_figure] < best->figures[c->best_figure]))
            best = s;
    }
    if (best == NULL)
        return end_cell(w, cell, BENCH_ABSENT, "none of its columns was measured");
    cell->samples[cell->count++] = *best;
    return OM_OK;
}

/* ---- a row ---- */

/* Returns true if *what* is a program on the PATH or an existing file. */
static bool there(const char *what)
{
    char path[4096];
    const char *dir = getenv("PATH");
    if (strchr(what, '/') != NULL || dir == NULL)
        return access(what, F_OK) == 0;
    while (*dir != '\0') {
        size_t n = strcspn(dir, ":");
        int k = snprintf(path, sizeof path, "%.*s/%s", (int) n, dir, what);
        if (k > 0 && (size_t) k < sizeof path && access(path, X_OK) == 0)
            return true;
        dir += n + (dir[n] == ':');
    }
    return false;
}

static int check_needs(work *w, const bench_column *c, bench_cell *cell)
{
    char **needs = NULL, note[300];
    int rc = expand_list(w, c, c->needs, (bench_words){ NULL, 0 }, &needs);
    for (size_t i = 0; rc == OM_OK && needs[i] != NULL && cell->state == BENCH_PENDING; i++)
        if (!there(needs[i])) {
            (void) snprintf(note, sizeof note, "%s not found", needs[i]);
            rc = end_cell(w, cell, BENCH_ABSENT, note);
        }
    free_list(w, needs);
    return rc;
}

static int prepare(work *w, size_t column)
{
    const bench_column *c = &w->r->results->table->columns[column];
    bench_cell *cell = bench_cell_at(w->r->results, w->row, column);
    char **env = NULL;
    int rc;

    if (c->when != NULL &&
        bench_lookup(w->r->results->table->rows[w->row].variables, c->when) == NULL) {
        cell->state = BENCH_NOT_APPLICABLE;
        return OM_OK;
    }
    rc = check_needs(w, c, cell);
    if (rc == OM_OK)
        rc = expand_env(w, c, &env);
    if (rc == OM_OK && cell->state == BENCH_PENDING && c->only_if != NULL)
        rc = run_shell(w, c, c->only_if, "the condition", env, cell, BENCH_ABSENT);
    if (rc == OM_OK && cell->state == BENCH_PENDING && c->prepare != NULL)
        rc = run_shell(w, c, c->prepare, "prepare", env, cell, BENCH_FAILED);
    free_list(w, env);
    if (rc == OM_OK && cell->state == BENCH_PENDING && c->warm)
        rc = run_once(w, column, false);
    if (rc == OM_OK && (cell->state == BENCH_ABSENT || cell->state == BENCH_FAILED))
        say(w, c, cell, false);
    return rc;
}

/* Every second round runs the columns in reverse order. The order influences the figures (memory
 * that was just freed, the processor's clock) and must not favour a column. */
static int rounds(work *w)
{
    bench_results *all = w->r->results;
    const bench_table *t = all->table;
    int rc = OM_OK;
    for (size_t k = 0; rc == OM_OK && k < all->rounds; k++)
        for (int run = 1; run >= 0; run--)
            for (size_t n = 0; rc == OM_OK && n < t->column_count; n++) {
                const size_t i = k % 2 == 0 ? n : t->column_count - 1 - n;
                const bench_column *c = &t->columns[i];
                if (bench_cell_at(all, w->row, i)->state != BENCH_PENDING ||
                    (c->command.count != 0) != (run != 0))
                    continue;
                assert(bench_cell_at(all, w->row, i)->count == k); /* R2 */
                rc = run                       ? run_once(w, i, true)
                     : c->recorded != NULL     ? take_recorded(w, i)
                     : c->listed != NULL       ? take_listed(w, i)
                     : c->published.count != 0 ? publish(w, i)
                                               : pick_best(w, i);
            }
    return rc;
}

int bench_run_row(bench_runner *r, size_t row)
{
    bench_results *all = r->results;
    const bench_table *t = all->table;
    work w = { .r = r, .row = row };
    int rc = OM_OK;

    (void) snprintf(w.folder, sizeof w.folder, "%s/row-%zu", r->folder, row);
    w.own = (bench_pair){ "work", w.folder, r->built_in };
    w.scope = (bench_scope){ { t->rows[row].variables, r->set, t->variables, &w.own } };
    bench_row_clear(all, row);
    if (mkdir(w.folder, 0777) != 0)
        return om_fail(r->ctx, OM_EIO, NULL, "cannot make %s: %s", w.folder, strerror(errno));
    for (size_t i = 0; rc == OM_OK && i < t->column_count; i++)
        rc = prepare(&w, i);
    if (rc == OM_OK)
        rc = rounds(&w);
    for (size_t i = 0; rc == OM_OK && i < t->column_count; i++)
        if (bench_cell_at(all, row, i)->state == BENCH_PENDING)
            bench_cell_at(all, row, i)->state = BENCH_OK;
    if (rc == OM_OK)
        rc = bench_row_agree(all, r->ctx, row);
    bench_remove_folder(w.folder);
    if (rc != OM_OK)
        bench_row_clear(all, row);
    return rc;
}

int bench_check_requirement(bench_runner *r, bool *met, om_text *why)
{
    const bench_table *t = r->results->table;
    const bench_column nowhere = { .name = t->suite };
    work w = { .r = r, .scope = { { r->set, t->variables, r->built_in, NULL } } };
    char **argv = NULL, *none[] = { NULL };
    bench_outcome o = { 0 };
    *met = t->require.count == 0;
    if (*met)
        return OM_OK;
    int rc = expand_list(&w, &nowhere, t->require, (bench_words){ NULL, 0 }, &argv);
    if (rc == OM_OK) {
        const bench_command command = { argv, none, r->folder, prepare_ns, 0 };
        rc = measure(r, &command, &o);
    }
    if (rc == OM_OK && o.status > 0 && o.errors[strspn(o.errors, " \n")] != '\0')
        put_last_line(why, o.errors);
    else if (rc == OM_OK)
        put_failure(&o, 0, argv[0], why);
    *met = rc == OM_OK && why->length == 0;
    bench_outcome_free(r->ctx, &o);
    free_list(&w, argv);
    return rc == OM_OK && why->failed ? om_fail_memory(r->ctx) : rc;
}
