/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a .trail file of SPIN's verifier or of format_trail.c by following it in the model: from
 * the initial state on, each line is a step of the one enabled transition whose row begins with it
 * (om_model_set_foreign(); in other models, of the transition with that number). The referee
 * decides whether the run is a counterexample to its property.
 *
 * T1  Steps that SPIN does not count are taken as soon as possible: the rest of a d_step, which is
 *     one step in SPIN.
 * T2  A run ends where an assertion fails, or the model has another fault, before the statement
 *     that fails, which is SPIN's last line. For an assertion, the lines before that belong to
 *     other processes that continued before the statement ran.
 * T3  If SPIN has merged statements ("-4:-4:-4"), a line stands for several statements of that
 *     process: local ones, one after the other. They are executed late, when the process has to
 *     take a step that is not enabled yet. At the end all late statements are executed.
 * T4  The run so far may violate a claim whatever follows: SPIN's trail ends there, and the run
 *     continues with arbitrary steps until it returns to a state.
 */
#include "model.h"
#include "numbers.h"
#include "trail.h"

#include <omen/host/lasso.h>

#include <inttypes.h>
#include <string.h>

enum { TRAIL_BYTES = 1 << 30, MOST_DEFERRED = 10000, MOST_ROUNDS = 300, MOST_NAMED = 4 };

typedef struct follower {
    om_context *ctx;
    om_model *m;
    om_trail trail;
    size_t at; /* the next line */
    bool own;  /* numbers are those of the model */
    om_executor *x;
    om_successors next;
    om_numbers numbers;
    uint32_t *now, *first; /* the current state, and the first one of the cycle */
    om_lasso l;
    size_t capacity;
    bool failed; /* the model has a fault in this state, mostly a failed assertion */
    int round;   /* round of the cycle, from 0 on */
} follower;

static om_place place_at(const follower *f, size_t step, bool of_number)
{
    const om_trail *t = &f->trail;
    if (step >= t->count)
        return (om_place){ t->file, t->lines, 1 };
    const om_trail_step *s = &t->steps[step];
    return (om_place){ t->file, s->line, of_number ? s->number_column : s->process_column };
}

/* ---- states ---- */

static bool is_fault_of_assertion(om_fault fault)
{
    return OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
}

/* Computes the enabled transitions. */
static int look(follower *f)
{
    if (om_executor_successors(f->x, f->now, &f->next) != OM_OK)
        return om_fail_memory(f->ctx);
    f->failed = f->next.fault != 0;
    return OM_OK;
}

static int add_transition(follower *f, uint32_t transition)
{
    om_lasso *l = &f->l;
    uint32_t *grown = om_grow(l->heap, l->transitions, &f->capacity, l->count + 1, sizeof *grown);
    if (grown == NULL)
        return om_fail_memory(f->ctx);
    l->transitions = grown;
    l->transitions[l->count++] = transition;
    return OM_OK;
}

/* Takes successor i and computes the enabled transitions. */
static int take(follower *f, size_t i)
{
    const uint32_t *then = f->next.words + i * f->l.words, t = f->next.transition[i];
    int rc = add_transition(f, t);
    if (rc != OM_OK)
        return rc;
    om_numbers__step(&f->numbers, t, f->now, then);
    memcpy(f->now, then, f->l.words * sizeof *f->now);
    return look(f);
}

/* ---- rows ---- */

/* The row of successor i; NULL: not a step in SPIN. `mine` is memory for one. */
static const om_foreign_step *row_of(
    const follower *f, size_t i, uint32_t *count, om_foreign_step *mine)
{
    const uint32_t t = f->next.transition[i];
    if (!f->own)
        return om_model__foreign(f->m, OM_FOREIGN_TRANSITION, t, count);
    *count = 1;
    *mine = (om_foreign_step){ om_model_transition(f->m, t)->process, t };
    return mine;
}

/* Returns true if the step is this line. In other models the number of the transition identifies
 * it. */
static bool is_line(const follower *f, const om_foreign_step *step, const om_trail_step *line)
{
    return step->number == line->number &&
           (f->own || f->numbers.of[step->process] == line->process);
}

/* Returns the number of lines that the row covers; 0: it does not match. The lines may end within
 * it. */
static size_t match(const follower *f, const om_foreign_step *row, uint32_t count)
{
    const om_trail *t = &f->trail;
    size_t lines = 0;
    for (uint32_t i = 0; i < count && f->at + lines < t->count; i++) {
        bool same = is_line(f, &row[i], &t->steps[f->at + lines]);
        bool merged = t->merged && i > 0 && row[i].process == row[i - 1].process; /* T3 */
        if (!same && !merged)
            return 0;
        lines += same;
    }
    return lines;
}

/* ---- messages ---- */

/* Appends "; it can do 3, 5". */
static void add_possible(const follower *f, uint32_t process, om_text *out)
{
    uint32_t named = 0, count = 0;
    om_foreign_step mine;
    for (size_t i = 0; i < f->next.count; i++) {
        const om_foreign_step *row = row_of(f, i, &count, &mine);
        if (row == NULL || count == 0 || row[0].process != process)
            continue;
        if (named++ < MOST_NAMED)
            om_text_printf(out, "%s%" PRIu32, named == 1 ? "; it can do " : ", ", row[0].number);
    }
    if (named > MOST_NAMED)
        om_text_add(out, ", ...");
    if (named == 0)
        om_text_add(out, "; it can execute nothing");
}

static uint32_t process_with(const follower *f, uint32_t number)
{
    uint32_t p = 0;
    while (p < om_model_process_count(f->m) && f->numbers.of[p] != number)
        p++;
    return number != OM_NONE && p < om_model_process_count(f->m) ? p : OM_NONE;
}

/* Counts the lines that match the first steps of the row. */
static size_t begun(const follower *f, const om_foreign_step *row, uint32_t count)
{
    const om_trail *t = &f->trail;
    size_t lines = 0;
    while (lines < count && f->at + lines < t->count &&
           is_line(f, &row[lines], &t->steps[f->at + lines]))
        lines++;
    return lines;
}

/* Returns true if the line that does not match is within a row. *rc is then the status of the
 * message. */
static bool is_interrupted(const follower *f, int *rc)
{
    for (size_t i = 0; i < f->next.count; i++) {
        uint32_t count = 0;
        om_foreign_step mine;
        const om_foreign_step *row = row_of(f, i, &count, &mine);
        const size_t lines = row == NULL ? 0 : begun(f, row, count);
        if (lines == 0)
            continue;
        const om_place place = place_at(f, f->at + lines, true);
        *rc = om_fail(f->ctx, OM_EINPUT, &place,
            "here %s executes statement number %" PRIu32 ", directly after the previous line",
            om_model_process(f->m, row[lines].process)->name, row[lines].number);
        return true;
    }
    return false;
}

static int no_cycle(const follower *f)
{
    const om_place place = place_at(f, f->trail.count, false);
    return om_fail(
        f->ctx, OM_EINPUT, &place, "the cycle does not end in the state that it begins with");
}

static int lost(const follower *f)
{
    int interrupted = OM_OK;
    if (f->round > 0)
        return no_cycle(f);
    if (is_interrupted(f, &interrupted))
        return interrupted;
    const om_trail_step *line = &f->trail.steps[f->at];
    om_place place = place_at(f, f->at, true);
    if (f->own)
        return om_fail(f->ctx, OM_EINPUT, &place,
            "no transition with this number is enabled there, so the trail is not a run of the "
            "model");
    const uint32_t process = process_with(f, line->process);
    if (process == OM_NONE) {
        place = place_at(f, f->at, false);
        return om_fail(f->ctx, OM_EINPUT, &place,
            "no process has this number there: %" PRIu32 " are running, numbered from %d",
            f->numbers.running, f->trail.claim != OM_NONE ? 1 : 0);
    }
    om_text text = { .heap = f->l.heap };
    om_text_printf(&text, "%s cannot execute the statement with this number there",
        om_model_process(f->m, process)->name);
    add_possible(f, process, &text);
    if (f->trail.merged)
        om_text_add(&text, " (the verifier merged statements: a verifier made with \"spin -o3 -a\" "
                           "writes each of them)");
    int rc =
        text.failed ? om_fail_memory(f->ctx) : om_fail(f->ctx, OM_EINPUT, &place, "%s", text.text);
    om_text_free(&text);
    return rc;
}

/* ---- following ---- */

/* T1 */
static int do_rests(follower *f)
{
    int rc = OM_OK;
    for (bool more = true; more && rc == OM_OK;) {
        uint32_t count = 0;
        om_foreign_step mine;
        more = false;
        for (size_t i = 0; !f->failed && !more && i < f->next.count && rc == OM_OK; i++) {
            more = row_of(f, i, &count, &mine) != NULL && count == 0;
            if (more)
                rc = take(f, i);
        }
        if (more && rc == OM_OK)
            rc = om_context_stopped(f->ctx);
    }
    return rc;
}

/* Returns the only step that the process can take alone (OM_NONE: any process), or SIZE_MAX. */
static size_t only_step(const follower *f, uint32_t process)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; !f->failed && i < f->next.count; i++) {
        uint32_t count = 0;
        om_foreign_step mine;
        const om_foreign_step *row = row_of(f, i, &count, &mine);
        if (row == NULL || count == 0 || (process != OM_NONE && row[0].process != process))
            continue;
        const uint32_t partner = om_model_transition(f->m, f->next.transition[i])->partner;
        if (found != SIZE_MAX || partner != OM_NONE)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

static size_t find(const follower *f, size_t *lines)
{
    size_t found = SIZE_MAX;
    *lines = 0;
    for (size_t i = 0; i < f->next.count; i++) {
        uint32_t count = 0;
        om_foreign_step mine;
        const om_foreign_step *row = row_of(f, i, &count, &mine);
        const size_t here = row == NULL ? 0 : match(f, row, count);
        if (here > *lines) {
            *lines = here;
            found = i;
        }
    }
    return found;
}

/* In other models: no process can move, and the state is repeated. */
static bool is_stutter(const follower *f)
{
    const om_trail_step *line = &f->trail.steps[f->at];
    return f->own && line->number == OM_NONE && line->process == OM_NONE && f->next.count == 0;
}

/* Follows the next line or lines; f->failed: the run has ended before. */
static int follow_line(follower *f)
{
    size_t lines = 0, i = find(f, &lines);
    int rc = OM_OK;
    if (is_stutter(f)) {
        f->at++;
        return add_transition(f, OM_STUTTER);
    }
    for (size_t deferred = 0; i == SIZE_MAX && f->trail.merged && deferred < MOST_DEFERRED;
         deferred++) { /* T3 */
        const uint32_t process = process_with(f, f->trail.steps[f->at].process);
        const size_t step = process == OM_NONE ? SIZE_MAX : only_step(f, process);
        if (step == SIZE_MAX)
            break;
        rc = take(f, step);
        if (rc == OM_OK)
            rc = do_rests(f);
        if (rc != OM_OK || f->failed)
            return rc;
        i = find(f, &lines);
    }
    if (i == SIZE_MAX)
        return lost(f);
    const size_t cycle = f->trail.cycle;
    if (f->at < cycle && f->at + lines > cycle && cycle != OM_NO_LOOP) {
        const om_place place = place_at(f, cycle, false);
        return om_fail(f->ctx, OM_EINPUT, &place,
            "the cycle begins within an atomic sequence, which is one step here");
    }
    f->at += lines;
    rc = take(f, i);
    return rc == OM_OK ? do_rests(f) : rc;
}

static int follow_to(follower *f, size_t end)
{
    enum { ASK_EVERY = 4096 };
    int rc = OM_OK;
    for (size_t n = 0; f->at < end && !f->failed && rc == OM_OK; n++) {
        rc = n % ASK_EVERY == 0 ? om_context_stopped(f->ctx) : OM_OK;
        if (rc == OM_OK)
            rc = follow_line(f);
    }
    return rc;
}

/* ---- ends ---- */

static bool is_at_cycle_start(const follower *f)
{
    return memcmp(f->now, f->first, f->l.words * sizeof *f->now) == 0;
}

/* Adds a cycle without a step: the state repeats, in the model or because no process can move. */
static int add_stutter(follower *f)
{
    f->l.loop = f->l.count;
    if (f->next.count == 0)
        return add_transition(f, OM_STUTTER);
    for (size_t i = 0; i < f->next.count; i++) {
        uint32_t count;
        om_foreign_step mine;
        const uint32_t *then = f->next.words + i * f->l.words;
        if (row_of(f, i, &count, &mine) == NULL &&
            memcmp(then, f->now, f->l.words * sizeof *then) == 0)
            return add_transition(f, f->next.transition[i]);
    }
    const om_place place = place_at(f, f->trail.count, false);
    return om_fail(
        f->ctx, OM_EINPUT, &place, "the cycle has no step, but the model can continue there");
}

/* Returns true if SPIN has no more step, but the model has one: a possible last state of a run is
 * repeated, and SPIN's trails of acceptance end there without a cycle. */
static bool stutters(const follower *f)
{
    size_t i = 0;
    uint32_t count;
    om_foreign_step mine;
    while (i < f->next.count && row_of(f, i, &count, &mine) == NULL)
        i++;
    return i > 0 && i == f->next.count;
}

/* T3, at an end that is a deadlock, a repeated state, or a failed assertion. The process that moved
 * last moves alone first. */
static int run_deferred(follower *f)
{
    int rc = OM_OK;
    const om_trail *t = &f->trail;
    const uint32_t last = t->count == 0 ? OM_NONE : process_with(f, t->steps[t->count - 1].process);
    for (size_t n = 0; n < MOST_DEFERRED && !f->failed && rc == OM_OK; n++) {
        size_t i = last == OM_NONE ? SIZE_MAX : only_step(f, last);
        for (uint32_t p = 0; i == SIZE_MAX && p < om_model_process_count(f->m); p++)
            i = only_step(f, p);
        if (i == SIZE_MAX)
            break;
        rc = take(f, i);
        if (rc == OM_OK)
            rc = do_rests(f);
    }
    return rc;
}

static int follow_cycle(follower *f)
{
    const om_trail *t = &f->trail;
    int rc = t->merged && t->cycle == t->count ? run_deferred(f) : OM_OK;
    if (t->cycle == t->count)
        return rc == OM_OK && !f->failed ? add_stutter(f) : rc;
    for (; f->round < MOST_ROUNDS && rc == OM_OK; f->round++) { /* may return in a later round */
        f->l.loop = f->l.count;
        memcpy(f->first, f->now, f->l.words * sizeof *f->first);
        f->at = t->cycle;
        rc = follow_to(f, t->count);
        if (rc != OM_OK || f->failed || is_at_cycle_start(f))
            return rc;
    }
    return rc == OM_OK ? no_cycle(f) : rc;
}

/* T4: Brent's algorithm, on the first successor of each state. */
static int go_on(follower *f)
{
    const size_t begin = f->l.count;
    size_t power = 1, length = 0;
    int rc = OM_OK;
    memcpy(f->first, f->now, f->l.words * sizeof *f->first);
    f->l.loop = begin;
    do {
        if (f->next.count == 0) {
            f->l.loop = f->l.count;
            return add_transition(f, OM_STUTTER);
        }
        if (length == power) {
            memcpy(f->first, f->now, f->l.words * sizeof *f->first);
            f->l.loop = f->l.count;
            power *= 2;
            length = 0;
        }
        rc = om_context_stopped(f->ctx);
        if (rc == OM_OK)
            rc = take(f, 0);
        length++;
    } while (rc == OM_OK && !f->failed && !is_at_cycle_start(f));
    return rc;
}

static int finish(follower *f)
{
    int rc = f->trail.merged ? run_deferred(f) : OM_OK;
    return rc == OM_OK && !f->failed && stutters(f) ? add_stutter(f) : rc;
}

/* T2: the last line is the statement that fails; an assertion may be one of several. */
static int check_failure(const follower *f)
{
    const uint32_t subject = OM_FAULT_SUBJECT(f->next.fault);
    const unsigned kind = OM_FAULT_KIND(f->next.fault);
    const bool assertion = kind == OM_FAULT_ASSERTION || kind == OM_FAULT_IN_ASSERTION;
    uint32_t count = 0;
    const om_foreign_step *row = NULL;
    if (assertion || kind == OM_FAULT_INDEX || kind == OM_FAULT_DIVISION)
        row = om_model__foreign(
            f->m, assertion ? OM_FOREIGN_ASSERTION : OM_FOREIGN_TRANSITION, subject, &count);
    bool there =
        f->at == f->trail.count || f->trail.merged || (kind == OM_FAULT_ASSERTION && count == 0);
    for (size_t i = f->at; i < f->trail.count && !there && count != 0; i++)
        there = is_line(f, row, &f->trail.steps[i]);
    there = there && !om_model__lacks_room(f->m, f->next.fault);
    if (there)
        return OM_OK;
    const om_place place = place_at(f, f->at, true);
    if (kind != OM_FAULT_ASSERTION)
        return om_fail(
            f->ctx, OM_EINPUT, &place, "an error in the model ends the run before this step");
    return om_fail(f->ctx, OM_EINPUT, &place,
        "an assertion of the model fails before this step (%s), but the trail does not end there",
        om_model_assertion(f->m, subject)->text);
}

static int follow(follower *f)
{
    const om_trail *t = &f->trail;
    const bool endless = t->cycle != OM_NO_LOOP;
    int rc = look(f);
    if (rc == OM_OK)
        rc = do_rests(f);
    if (rc == OM_OK)
        rc = follow_to(f, endless ? t->cycle : t->count);
    if (rc == OM_OK && !f->failed)
        rc = endless ? follow_cycle(f) : t->claim != OM_NONE ? go_on(f) : finish(f);
    if (rc != OM_OK)
        return rc;
    if (f->failed) {
        f->l.loop = OM_NO_LOOP;
        rc = check_failure(f);
    }
    if (rc != OM_OK)
        return rc;
    return f->l.loop == OM_NO_LOOP ? add_transition(f, OM_NONE) : OM_OK;
}

/* ---- the property ---- */

/* Returns the property of the claim. A claim without a property is SPIN's own, which searches for
 * cycles without progress. */
static const char *claim_of(const follower *f)
{
    for (uint32_t i = 0; i < om_model_property_count(f->m); i++) {
        uint32_t count = 0;
        const om_foreign_step *row = om_model__foreign(f->m, OM_FOREIGN_PROPERTY, i, &count);
        if (row != NULL && row->number == f->trail.claim)
            return om_model_property(f->m, i)->name;
    }
    return NULL;
}

/* Adds the property of a run without a claim, if only one is possible. A run that ends although the
 * model can continue may be a bad prefix of a property. */
static void add_only_property(const follower *f, om_text *out)
{
    const uint32_t count = om_model_property_count(f->m);
    const bool progress = f->l.loop != OM_NO_LOOP && om_model__progress(f->m) != 0;
    if (count + progress != 1)
        return;
    if (progress)
        om_text_add(out, "non-progress");
    else
        om_text_printf(out, "property=%s", om_model_property(f->m, 0)->name);
}

static int tell_property(const follower *f, char **out)
{
    om_text text = { .heap = f->l.heap };
    const char *claim = f->trail.claim != OM_NONE ? claim_of(f) : NULL;
    *out = NULL;
    if (f->failed)
        om_text_add(&text, is_fault_of_assertion(f->next.fault) ? "assertion" : "fault");
    else if (f->l.loop == OM_NO_LOOP && f->next.count == 0)
        om_text_add(&text, "deadlock");
    else if (claim != NULL)
        om_text_printf(&text, "property=%s", claim);
    else if (f->trail.claim != OM_NONE)
        om_text_add(&text, "non-progress");
    else
        add_only_property(f, &text);
    if (text.length != 0 && !text.failed)
        *out = om_strdup(f->l.heap, text.text);
    const bool failed = text.failed || (text.length != 0 && *out == NULL);
    om_text_free(&text);
    return failed ? om_fail_memory(f->ctx) : OM_OK;
}

static int open_follower(follower *f, const char *text, size_t length, const char *path)
{
    const om_heap *heap = f->l.heap;
    f->own = !om_model__has_foreign(f->m);
    f->l.words = om_model_words(f->m);
    f->l.loop = OM_NO_LOOP;
    f->now = om_alloc(heap, f->l.words, sizeof *f->now);
    f->first = om_alloc(heap, f->l.words, sizeof *f->first);
    if (f->now == NULL || f->first == NULL || om_numbers__open(&f->numbers, heap, f->m) != OM_OK)
        return om_fail_memory(f->ctx);
    memcpy(f->now, om_model_initial(f->m), f->l.words * sizeof *f->now);
    int rc = om_trail__read(&f->trail, f->ctx, path, text, length);
    return rc == OM_OK ? om_executor_open(&f->x, f->m, OM_EXEC_VM, NULL, 0) : rc;
}

static void close_follower(follower *f)
{
    om_free(f->l.heap, f->now);
    om_free(f->l.heap, f->first);
    om_numbers__close(&f->numbers);
    om_trail__free(&f->trail);
    om_successors_free(&f->next);
    om_executor_close(f->x);
}

int om_lasso_read_trail(
    om_lasso *out, om_context *ctx, om_model *m, const char *path, char **property)
{
    const om_heap *heap = om_context_heap(ctx);
    follower f = { .ctx = ctx, .m = m, .next = { .heap = heap }, .l = { .heap = heap } };
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(ctx, path, TRAIL_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = open_follower(&f, text, length, path);
    if (rc == OM_OK)
        rc = follow(&f);
    if (rc == OM_OK && property != NULL)
        rc = tell_property(&f, property);
    close_follower(&f);
    om_free(heap, text);
    if (rc == OM_OK)
        *out = f.l;
    else
        om_lasso_free(&f.l);
    return rc;
}
