/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blue and the red search of nested.h (see there), and the search of sd, over vectors. The
 * colour of a state consists of bits that another state may have set. So a white state may look
 * blue or red, and a blue one red, but never the other way round. States are then left out and red
 * searches end early: cycles may be missed, but no false cycle is reported.
 *
 * A stack holds the vectors of its path and, between them, those of the edges still to be followed.
 * A hash table of places finds the states of the blue path. It is last in, first out, so a removal
 * leaves no gap that would end a probe too early.
 *
 * Bytes: an eighth for each bit of the array; for each vector on a stack its words and one byte; up
 * to 40 more for each state on the blue path.
 */
#include "bitstate.h"
#include "bit_set.h"
#include "vector_stack.h"

#include <assert.h>
#include <string.h>

enum { REPORT_EVERY = 1024 /* states between two updates of the counts */ };

typedef enum colour { WHITE, CYAN, BLUE, RED } colour;

/* Flags of a vector on a stack: it is on the path; an accepting edge from a non-accepting state led
 * to it; it accepts; it has a successor that is not red. */
enum { ENTERED = 1, BY_EDGE = 2, ACCEPTS = 4, NOT_ALL_RED = 8 };

/* The sets in the bit array; ON_PATH only selects the hash function of `slots`. */
enum { MET, IS_RED, ON_PATH };

typedef struct searcher {
    om_task *task;
    const om_heap *heap;
    om_cursor *cursor;
    const bool *accepting;
    bool weak;
    uint32_t words;
    om_marks all;
    vector_stack blue, red;
    size_t *path; /* places of the blue path on its stack */
    size_t depth, path_room;
    size_t *slots; /* hash table of those places plus one; 0: empty */
    size_t slot_count;
    bit_set seen;
    uint64_t states, reported, most_states, entered;
    om_fault fault; /* the last fault that was reported */
} searcher;

static int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->task));
}

static bool accepts(const searcher *s, om_marks marks)
{
    return (marks & s->all) == s->all;
}

/* ---- the blue path ---- */

static size_t home_of(const searcher *s, const uint32_t *row)
{
    return (size_t) bit_set_hash(row, s->words, ON_PATH) & (s->slot_count - 1);
}

/* Returns the slot of a state of the path, or the empty slot where its probe ends. */
static size_t slot_of(const searcher *s, const uint32_t *row)
{
    size_t at = home_of(s, row);
    while (s->slots[at] != 0 &&
           memcmp(vector_stack_at(&s->blue, s->slots[at] - 1), row, s->words * sizeof *row) != 0)
        at = (at + 1) & (s->slot_count - 1);
    return at;
}

/* Makes room for one more state on the path. The table is at most half full, and is filled in the
 * order of the path. */
static int grow_path(searcher *s)
{
    if (!OM_ROOM(s->heap, s->path, &s->path_room, s->depth + 1))
        return fail_memory(s);
    if (2 * (s->depth + 1) <= s->slot_count)
        return OM_OK;
    size_t count = s->slot_count == 0 ? 64 : 2 * s->slot_count;
    size_t *slots = om_alloc(s->heap, count, sizeof *slots);
    if (slots == NULL)
        return fail_memory(s);
    om_free(s->heap, s->slots);
    s->slots = slots;
    s->slot_count = count;
    for (size_t i = 0; i < s->depth; i++)
        slots[slot_of(s, vector_stack_at(&s->blue, s->path[i]))] = s->path[i] + 1;
    return OM_OK;
}

static colour colour_of(const searcher *s, const uint32_t *row)
{
    if (!bit_set_has(&s->seen, row, s->words, MET))
        return WHITE;
    if (s->depth > 0 && s->slots[slot_of(s, row)] != 0)
        return CYAN;
    return !s->weak && bit_set_has(&s->seen, row, s->words, IS_RED) ? RED : BLUE;
}

/* ---- reports ---- */

/* Stores the states of a stack's path after the *n states of `path`; skips a state that equals the
 * one before it. */
static int store_path(searcher *s, const vector_stack *k, om_id *path, size_t *n, uint64_t *stored)
{
    int rc = OM_OK;
    for (size_t i = 0; i < k->count && rc == OM_OK; i++) {
        bool fresh = false;
        if ((k->flags[i] & ENTERED) == 0)
            continue;
        rc = om_cursor_intern(s->cursor, vector_stack_at(k, i), &path[*n], &fresh);
        *stored += fresh;
        *n += rc == OM_OK && (*n == 0 || path[*n - 1] != path[*n]);
    }
    return rc;
}

/* Stores the states of both paths; the caller frees *path. */
static int stored_path(searcher *s, om_id **path, size_t *n)
{
    uint64_t stored = 0;
    *n = 0;
    *path = om_alloc(s->heap, s->blue.count + s->red.count + 1, sizeof **path);
    if (*path == NULL)
        return fail_memory(s);
    int rc = store_path(s, &s->blue, *path, n, &stored);
    if (rc == OM_OK)
        rc = store_path(s, &s->red, *path, n, &stored);
    om_task_add_counts(s->task, -stored, 0, 0); /* they were counted when they were met */
    return rc;
}

/* Reports a cycle: an edge leads from the end of the path to the state `cyan` of the blue path. */
static int found(searcher *s, const uint32_t *cyan)
{
    om_id *path = NULL;
    om_evidence e = OM_EVIDENCE(NULL, 0);
    size_t place = s->slots[slot_of(s, cyan)] - 1;
    assert(place < s->blue.count); /* it is on the path */
    int rc = stored_path(s, &path, &e.length);
    if (rc == OM_OK) {
        e.path = path;
        for (e.entry = 0; s->path[e.entry] != place;)
            e.entry++;
        rc = om_task_evidence(s->task, &e);
    }
    om_free(s->heap, path);
    return rc;
}

/* Reports a new fault of the model in the last state of the path. */
static int report_fault(searcher *s, om_fault fault)
{
    om_id *path = NULL;
    size_t n = 0;
    s->fault = fault;
    int rc = stored_path(s, &path, &n);
    if (rc == OM_OK)
        rc = om_task_fault(s->task, fault, path, n, false);
    om_free(s->heap, path);
    return rc;
}

/* ---- stacks ---- */

static int push(searcher *s, vector_stack *k, const uint32_t *row, unsigned char flags)
{
    return vector_stack_push(k, s->heap, row, flags) ? OM_OK : fail_memory(s);
}

/* Computes the edges of the vector on top of a stack. */
static int expand(
    searcher *s, const vector_stack *k, const uint32_t **rows, const om_step **steps, size_t *n)
{
    if (om_task_stopped(s->task))
        return OM_ESTOP;
    int rc = om_cursor_unstored(s->cursor, vector_stack_at(k, k->count - 1), rows, steps, n);
    om_fault fault = om_cursor_fault(s->cursor, NULL, NULL);
    if (rc != OM_OK || fault == s->fault)
        return rc;
    rc = report_fault(s, fault); /* overwrites the cursor's results */
    return rc != OM_OK
               ? rc
               : om_cursor_unstored(s->cursor, vector_stack_at(k, k->count - 1), rows, steps, n);
}

/* ---- the red search ---- */

static int enter_red(searcher *s)
{
    const uint32_t *rows;
    const om_step *steps;
    size_t n = 0;
    s->red.flags[s->red.count - 1] |= ENTERED;
    s->entered++;
    int rc = expand(s, &s->red, &rows, &steps, &n);
    while (n-- > 0 && rc == OM_OK) {
        const uint32_t *to = rows + steps[n].to * s->words;
        colour c = colour_of(s, to);
        if (c == CYAN)
            return found(s, to);
        if (c == BLUE)
            rc = push(s, &s->red, to, 0);
    }
    return rc;
}

static int search_red(searcher *s, const uint32_t *from)
{
    int rc = push(s, &s->red, from, 0);
    if (rc == OM_OK)
        rc = enter_red(s);
    while (rc == OM_OK && s->red.count > 0) {
        const uint32_t *row = vector_stack_at(&s->red, s->red.count - 1);
        if ((s->red.flags[s->red.count - 1] & ENTERED) != 0 || colour_of(s, row) != BLUE)
            s->red.count--;
        else {
            bit_set_add(&s->seen, row, s->words, IS_RED);
            rc = enter_red(s);
        }
    }
    return rc;
}

/* ---- the blue search ---- */

static unsigned char *last_flags(const searcher *s)
{
    assert(s->depth > 0);
    return &s->blue.flags[s->path[s->depth - 1]];
}

/* Processes one edge that leaves the last state of the path. */
static int look(searcher *s, const uint32_t *to, const om_step *step)
{
    bool by_state = (*last_flags(s) & ACCEPTS) != 0, by_edge = !by_state && accepts(s, step->marks);
    uint32_t q = step->automaton_state;
    colour c = colour_of(s, to);

    if (s->weak && c == CYAN && om_task_accepting(s->task, q, OM_WEAK))
        return found(s, to);
    if (!s->weak && c == CYAN && (by_edge || by_state || s->accepting[q]))
        return found(s, to);
    if (c == WHITE || (!s->weak && c == BLUE && by_edge))
        return push(s, &s->blue, to, by_edge ? BY_EDGE : 0);
    if (c != RED)
        *last_flags(s) |= NOT_ALL_RED;
    return OM_OK;
}

static bool accepting_state(const searcher *s, const uint32_t *row, const om_step *steps, size_t n)
{
    bool all = !s->weak && n > 0 && s->accepting[row[s->words - 1]];
    for (size_t i = 0; i < n && all; i++)
        all = accepts(s, steps[i].marks);
    return all;
}

/* Puts the state on top of the stack on the path. */
static int enter_blue(searcher *s)
{
    size_t place = s->blue.count - 1, n = 0;
    const uint32_t *rows, *row = vector_stack_at(&s->blue, place);
    const om_step *steps;
    if (s->most_states != 0 && s->states == s->most_states) {
        (void) om_control_stop(om_task_control(s->task), OM_STOP_STATES);
        return OM_ELIMIT;
    }
    int rc = grow_path(s);
    if (rc != OM_OK)
        return rc;
    bit_set_add(&s->seen, row, s->words, MET);
    assert(s->slots[slot_of(s, row)] == 0); /* it is white, so not on the path */
    s->slots[slot_of(s, row)] = place + 1;
    s->path[s->depth++] = place;
    s->blue.flags[place] |= ENTERED;
    if (++s->states - s->reported == REPORT_EVERY) {
        om_task_add_counts(s->task, REPORT_EVERY, 0, 0);
        s->reported = s->states;
    }
    rc = expand(s, &s->blue, &rows, &steps, &n);
    if (rc == OM_OK && accepting_state(s, row, steps, n))
        s->blue.flags[place] |= ACCEPTS;
    while (n-- > 0 && rc == OM_OK)
        rc = look(s, rows + steps[n].to * s->words, &steps[n]);
    return rc;
}

/* Processes an edge from the last state of the path to a blue or red state. */
static int left(searcher *s, const uint32_t *to, unsigned char flags, colour c)
{
    if (s->depth == 0 || s->weak || c == RED)
        return OM_OK;
    if ((flags & BY_EDGE) != 0) {
        bit_set_add(&s->seen, to, s->words, IS_RED);
        return search_red(s, to);
    }
    *last_flags(s) |= NOT_ALL_RED;
    return OM_OK;
}

/* Leaves the last state of the path, which is on top of the stack: all its edges have been
 * followed. */
static int leave(searcher *s)
{
    size_t place = s->blue.count - 1;
    const uint32_t *row = vector_stack_at(&s->blue, place);
    unsigned char flags = s->blue.flags[place];
    bool all_red = (flags & NOT_ALL_RED) == 0,
         red = !s->weak && (all_red || (flags & ACCEPTS) != 0);
    int rc = red && !all_red ? search_red(s, row) : OM_OK;
    assert(s->path[s->depth - 1] == place && s->slots[slot_of(s, row)] == place + 1);
    if (rc != OM_OK)
        return rc;
    if (red)
        bit_set_add(&s->seen, row, s->words, IS_RED);
    s->slots[slot_of(s, row)] = 0;
    s->depth--;
    s->blue.count--;
    return left(s, row, flags, red ? RED : BLUE);
}

static int search(searcher *s)
{
    const uint32_t *rows;
    const om_step *steps;
    size_t n = 0;
    int rc = om_cursor_unstored(s->cursor, NULL, &rows, &steps, &n);
    while (n-- > 0 && rc == OM_OK)
        rc = push(s, &s->blue, rows + steps[n].to * s->words, 0);
    while (rc == OM_OK && s->blue.count > 0) {
        size_t place = s->blue.count - 1;
        const uint32_t *row = vector_stack_at(&s->blue, place);
        if ((s->blue.flags[place] & ENTERED) != 0) {
            rc = leave(s);
            continue;
        }
        colour c = colour_of(s, row);
        if (c == WHITE)
            rc = enter_blue(s);
        else {
            s->blue.count--; /* the popped vector stays valid until the next push */
            rc = left(s, row, s->blue.flags[place], c);
        }
    }
    return rc;
}

/* ---- start and end ---- */

static void end(searcher *s)
{
    uint64_t bytes =
        bit_set_bytes(&s->seen) + s->path_room * sizeof *s->path + s->slot_count * sizeof *s->slots;
    uint64_t peak = s->blue.most + s->red.most;
    vector_stack *k[] = { &s->blue, &s->red };
    for (size_t i = 0; i < 2; i++) {
        bytes += vector_stack_bytes(k[i]);
        vector_stack_free(k[i], s->heap);
    }
    om_task_add_counts(s->task, s->states - s->reported, 0, bytes);
    om_task_count(s->task, OM_COUNT_RED, s->entered);
    om_task_count(s->task, OM_COUNT_PEAK_STACK, peak);
    OM_FREE_ALL(s->heap, s->path, s->slots);
    bit_set_free(&s->seen, s->heap);
}

int bitstate_vet(om_task *task, int64_t log2_bits)
{
    if (log2_bits == 0 || log2_bits >= BITSTATE_LEAST)
        return OM_OK;
    return om_fail(om_task_context(task), OM_EUSAGE, NULL,
        "bitstate=%d: 2^%d bits are too few; use %d to %d, or 0", (int) log2_bits, (int) log2_bits,
        BITSTATE_LEAST, BITSTATE_MOST);
}

int bitstate_work(om_task *task, unsigned log2_bits, bool weak, const bool *accepting)
{
    searcher s = { .task = task,
        .heap = om_task_heap(task),
        .accepting = accepting,
        .weak = weak,
        .all = om_task_all_marks(task),
        .words = om_product_words(om_task_product(task)),
        .most_states = om_control_most_states(om_task_control(task)) };
    s.blue.words = s.red.words = s.words;
    int rc = om_task_cursor(task, 0, &s.cursor);
    if (rc == OM_OK && !bit_set_new(&s.seen, s.heap, log2_bits))
        rc = fail_memory(&s);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK)
        om_task_covered(task, bit_set_coverage(&s.seen));
    end(&s);
    return rc;
}
