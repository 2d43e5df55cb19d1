/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen of omen simulate, from top to bottom: a title, the enabled transitions, the variables,
 * and a line for messages, questions or keys. If there is little room, the headings are omitted
 * first, then all except the title. Nothing is written outside the terminal, for any size of it.
 */
#include "screen.h"
#include "base/safe_text.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <ncurses.h>
#include <string.h>
#include <wchar.h>

/* ---- text ---- */

/* Writes from this column to the end of the row. Returns the column after the text. Characters that
 * cannot be shown become question marks. */
static int put(int row, int column, attr_t attributes, const char *text)
{
    mbstate_t state = { 0 };
    if (row < 0 || row >= LINES || column < 0 || column >= COLS || move(row, column) == ERR)
        return column;
    (void) attrset((int) attributes);
    while (*text != '\0') {
        wchar_t shown = L'?';
        size_t n = mbrtowc(&shown, text, strlen(text), &state);
        if (n == (size_t) -1 || n == (size_t) -2 || n == 0) {
            n = 1;
            shown = L'?';
            state = (mbstate_t){ 0 };
        }
        int width = wcwidth(shown);
        if (width < 0) {
            shown = L'?';
            width = 1;
        }
        if (column + width > COLS)
            break;
        (void) addnwstr(&shown, 1);
        column += width;
        text += n;
    }
    (void) attrset(A_NORMAL);
    return column;
}

static int put_text(int row, int column, attr_t attributes, om_text *text)
{
    column = put(row, column, attributes, text->failed || text->text == NULL ? "" : text->text);
    om_text_free(text);
    return column;
}

static void fill(int row, attr_t attributes)
{
    for (int column = 0; column < COLS; column++)
        (void) put(row, column, attributes, " ");
}

/* ---- layout of the rows ---- */

typedef struct layout {
    bool headings;
    int transitions, variables; /* number of rows */
} layout;

static layout lay_out(const cli_screen *v)
{
    const int body = LINES - 2;
    layout l = { .headings = body >= 6 };
    const int rows = body - (l.headings ? 2 : 0), half = (rows + 1) / 2;
    const int wanted = v->enabled_count > 0 && v->fault[0] == '\0' && v->enabled_count < 1000
                           ? (int) v->enabled_count
                       : v->enabled_count >= 1000 ? 1000
                                                  : 1;
    l.transitions = rows <= 0 ? 0 : wanted < half ? wanted : half;
    l.variables = rows <= 0 ? 0 : rows - l.transitions;
    assert(l.transitions >= 0 && l.variables >= 0);           /* D3 */
    assert(rows <= 0 || l.transitions + l.variables <= body); /* D3 */
    return l;
}

int cli_screen_page(const cli_screen *v)
{
    return lay_out(v).variables;
}

/* ---- title ---- */

static void put_cycle(const cli_screen *v, om_text *out)
{
    const size_t position = om_simulation_position(v->s), loop = om_simulation_loop(v->s);
    size_t at;
    if (!om_simulation_follows(v->s, position, &at))
        return;
    if (loop == OM_NO_LOOP || position < loop)
        om_text_add(out, loop == OM_NO_LOOP ? ", of the run" : ", stem of the run");
    else
        om_text_printf(out, ", cycle of the run (%zu)", at);
}

static void draw_title(const cli_screen *v)
{
    om_text title = { .heap = v->c->heap };
    uint64_t now = 0, became = 0;
    om_text_add(&title, " ");
    cli_put_plain(&title, om_model_name(v->model));
    om_text_printf(
        &title, ": state %zu of %zu", om_simulation_position(v->s), om_simulation_length(v->s) - 1);
    put_cycle(v, &title);
    if (om_simulation_breaking(v->s, &now, &became) != OM_OK)
        om_context_clear(v->c->ctx);
    for (size_t i = 0; i < om_simulation_breakpoint_count(v->s); i++) {
        om_text_printf(
            &title, "%s%s[%zu] ", i == 0 ? "  break " : ", ", now >> i & 1 ? "*" : "", i);
        cli_put_plain(&title, om_simulation_breakpoint(v->s, i));
    }
    fill(0, A_REVERSE);
    (void) put_text(0, 0, A_REVERSE, &title);
}

/* ---- transitions ---- */

static void draw_transition(const cli_screen *v, int row, size_t k)
{
    assert(k < v->enabled_count); /* D1 */
    om_text step = { .heap = v->c->heap }, line = { .heap = v->c->heap };
    const bool ahead = v->enabled[k] == om_simulation_ahead(v->s);
    om_lasso_put_step(v->model, v->enabled[k], &step);
    om_text_printf(&line, "%s%s ", k == v->chosen ? ">" : " ", ahead ? "+" : " ");
    cli_put_plain(&line, step.failed ? "" : step.text);
    om_text_free(&step);
    (void) put_text(row, 0, k == v->chosen ? A_BOLD : A_NORMAL, &line);
}

static int draw_transitions(const cli_screen *v, int row, const layout *l)
{
    om_text head = { .heap = v->c->heap };
    if (l->headings) {
        om_text_printf(&head, "Enabled: %zu", v->enabled_count);
        (void) put_text(row++, 0, A_UNDERLINE, &head);
    }
    const size_t rows = (size_t) l->transitions;
    if (rows > 0 && v->enabled_count == 0)
        (void) put(row, 1, A_BOLD,
            v->fault[0] != '\0'                       ? v->fault
            : om_simulation_ahead(v->s) == OM_STUTTER ? "none: a deadlock, which the run repeats"
                                                      : "none: a deadlock");
    /* Scrolls so that the chosen transition is visible. */
    const size_t first = v->chosen < rows ? 0 : v->chosen - rows + 1;
    for (size_t k = 0; k < rows && first + k < v->enabled_count; k++)
        draw_transition(v, row + (int) k, first + k);
    return row + l->transitions;
}

/* ---- variables ---- */

static bool contains(const char *name, const char *part)
{
    for (;; name++) {
        size_t i = 0;
        while (
            part[i] != '\0' && tolower((unsigned char) name[i]) == tolower((unsigned char) part[i]))
            i++;
        if (part[i] == '\0')
            return true;
        if (*name == '\0')
            return false;
    }
}

/* An element of a variable */
typedef struct shown {
    const om_slot *slot;
    uint32_t element;
    bool changed;
} shown;

/* Iterates over the visible elements. The iteration returns false at the end. */
typedef struct wanderer {
    const cli_screen *v;
    const uint32_t *now, *before;
    uint32_t slot, element;
} wanderer;

static bool next_shown(wanderer *w, shown *out)
{
    for (; w->slot < om_model_shown_slots(w->v->model); w->slot++, w->element = 0) {
        const om_slot *slot = om_model_slot(w->v->model, w->slot);
        const uint32_t elements = slot->length == 0 ? 1 : slot->length;
        if (!contains(slot->name, w->v->filter))
            continue;
        while (w->element < elements) {
            const uint32_t e = w->element++;
            const bool changed = w->before != NULL &&
                                 om_slot_get(slot, w->now, e) != om_slot_get(slot, w->before, e);
            if (w->v->only_changed && !changed)
                continue;
            *out = (shown){ slot, e, changed };
            return true;
        }
    }
    return false;
}

static wanderer wander(const cli_screen *v)
{
    const size_t i = om_simulation_position(v->s);
    return (wanderer){ .v = v,
        .now = om_simulation_state(v->s, i),
        .before = i == 0 ? NULL : om_simulation_state(v->s, i - 1) };
}

/* Writes "* x = 1 -> 2": x changed in the last step, and the chosen transition sets it to 2. */
static void put_variable(const wanderer *w, const shown *x, om_text *out)
{
    om_text text = { .heap = w->v->c->heap };
    const uint32_t *then = om_simulation_target(w->v->s, w->v->chosen);
    om_text_add(&text, x->changed ? "* " : "  ");
    om_lasso_put_name(x->slot, x->element, &text);
    om_text_add(&text, " = ");
    om_lasso_put_value(x->slot, w->now, x->element, &text);
    if (then != NULL &&
        om_slot_get(x->slot, then, x->element) != om_slot_get(x->slot, w->now, x->element)) {
        om_text_add(&text, " -> ");
        om_lasso_put_value(x->slot, then, x->element, &text);
    }
    cli_put_plain(out, text.failed ? "" : text.text);
    om_text_free(&text);
}

/* Returns the number of visible elements; *width: the longest. */
static size_t measure(const cli_screen *v, int *width)
{
    wanderer w = wander(v);
    size_t count = 0;
    shown x;
    *width = 1;
    for (; next_shown(&w, &x); count++) {
        om_text text = { .heap = v->c->heap };
        put_variable(&w, &x, &text);
        if ((int) text.length > *width)
            *width = text.length > 10000 ? 10000 : (int) text.length;
        om_text_free(&text);
    }
    return count;
}

/* Writes how the current state was reached. */
static void put_way(const cli_screen *v, om_text *out)
{
    const size_t i = om_simulation_position(v->s);
    om_text step = { .heap = v->c->heap };
    if (i == 0)
        return;
    om_lasso_put_step(v->model, om_simulation_taken(v->s, i - 1), &step);
    om_text_add(out, ", after ");
    cli_put_plain(out, step.failed ? "" : step.text);
    om_text_free(&step);
}

static void draw_variables(cli_screen *v, int row, const layout *l)
{
    wanderer w = wander(v);
    om_text head = { .heap = v->c->heap };
    shown x;
    int width;
    const size_t count = measure(v, &width);
    const size_t columns = width + 2 < COLS ? (size_t) (COLS / (width + 2)) : 1;
    const size_t lines = (count + columns - 1) / columns, rows = (size_t) l->variables;
    if (lines <= rows)
        v->scrolled = 0;
    else if (v->scrolled > lines - rows)
        v->scrolled = lines - rows;
    assert(v->scrolled == 0 || v->scrolled + rows <= lines);
    if (l->headings) {
        om_text_printf(&head, "Variables: %zu%s", count, v->only_changed ? " that changed" : "");
        if (v->filter[0] != '\0')
            om_text_printf(&head, " with '%s'", v->filter);
        if (lines > rows)
            om_text_printf(
                &head, ", lines %zu-%zu of %zu", v->scrolled + 1, v->scrolled + rows, lines);
        put_way(v, &head);
        (void) put_text(row++, 0, A_UNDERLINE, &head);
    }
    for (size_t i = 0; lines > 0 && next_shown(&w, &x); i++) {
        om_text text = { .heap = v->c->heap };
        const size_t line = i % lines, column = i / lines;
        if (line < v->scrolled || line >= v->scrolled + rows)
            continue;
        put_variable(&w, &x, &text);
        (void) put_text(row + (int) (line - v->scrolled), (int) column * (width + 2),
            x.changed ? A_BOLD : A_NORMAL, &text);
    }
}

/* ---- the last line, and help ---- */

static const char *const keys[] = { "Up, Down     choose a transition", "Enter        take it",
    "Left, b      back one state", "Right, f     forward in the history, or along the loaded run",
    "Home, End    first and last state of the history", "g            go to a state by number",
    "r            a random step", "R            a number of random steps, or to a breakpoint",
    "c            forward, then randomly, to a breakpoint or the end",
    "+            add a breakpoint on an expression", "-            remove a breakpoint by number",
    "/            show only variables with this text in their names",
    "v            show only variables that changed", "PgUp, PgDn   scroll the variables",
    "o            open a run (a lasso as JSON)",
    "w            write the run to this state to a file", "q            leave", NULL };

static void draw_help(void)
{
    for (int i = 0; keys[i] != NULL; i++)
        (void) put(i + 1, 1, A_NORMAL, keys[i]);
}

static void draw_last(const cli_screen *v)
{
    const int row = LINES - 1;
    if (LINES < 2)
        return;
    if (v->ask != NULL) {
        int column = put(row, 0, A_BOLD, v->ask);
        column = put(row, column, A_NORMAL, v->typed);
        (void) put(row, column, A_REVERSE, " ");
    } else if (v->message[0] != '\0')
        (void) put(row, 0, A_BOLD, v->message);
    else
        (void) put(row, 0, A_DIM,
            "Enter take  b back  f forward  r random  c run  + break  / filter  ? help  q quit");
}

void cli_screen_draw(cli_screen *v)
{
    const layout l = lay_out(v);
    (void) erase();
    draw_title(v);
    if (v->help)
        draw_help();
    else if (LINES > 2)
        draw_variables(v, draw_transitions(v, 1, &l), &l);
    draw_last(v);
    (void) refresh();
}
