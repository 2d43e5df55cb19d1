/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of the keys of omen simulate: steps, runs, questions. */
#include "terminal.h"
#include "base/safe_text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 /* steps between two checks for keys and signals */, ESCAPE = 27 };

/* ---- messages ---- */

/* Copies as much of the text as fits. */
static void copy(const cli_screen *v, char to[CLI_LINE], const char *text)
{
    om_text line = { .heap = v->c->heap };
    cli_put_plain(&line, text);
    size_t n = line.failed || line.text == NULL ? 0 : line.length;
    n = n < CLI_LINE ? n : CLI_LINE - 1;
    assert(n < CLI_LINE); /* D2 */
    if (n > 0)
        memcpy(to, line.text, n);
    to[n] = '\0';
    om_text_free(&line);
}

void cli_terminal_say(cli_screen *v, const char *text)
{
    copy(v, v->message, text);
}

void cli_terminal_judge(terminal *t, int rc)
{
    om_context *ctx = t->v.c->ctx;
    if (rc == OM_OK)
        return;
    if (rc == OM_ENOMEM || rc == OM_ELIMIT || rc == OM_ESTOP) {
        t->leave = true;
        t->rc = rc;
        return;
    }
    cli_terminal_say(&t->v, om_context_error(ctx));
    om_context_clear(ctx);
}

/* ---- the state ---- */

/* Determines the transitions enabled in the current state. */
static void update(terminal *t)
{
    cli_screen *v = &t->v;
    v->fault[0] = '\0';
    int rc = om_simulation_enabled(v->s, &v->enabled, &v->enabled_count);
    if (v->chosen >= v->enabled_count)
        v->chosen = 0;
    assert(v->chosen == 0 || v->chosen < v->enabled_count); /* D1 */
    if (rc != OM_EMODEL) {
        cli_terminal_judge(t, rc);
        return;
    }
    copy(v, v->fault, om_context_error(v->c->ctx));
    om_context_clear(v->c->ctx);
}

void cli_terminal_moved(terminal *t)
{
    cli_screen *v = &t->v;
    const uint32_t ahead = om_simulation_ahead(v->s);
    update(t);
    v->chosen = 0;
    for (size_t k = 0; k < v->enabled_count; k++)
        if (v->enabled[k] == ahead)
            v->chosen = k;
}

void cli_terminal_tell(cli_screen *v)
{
    om_text text = { .heap = v->c->heap };
    uint64_t now, became;
    if (om_simulation_breaking(v->s, &now, &became) != OM_OK) {
        cli_terminal_say(v, om_context_error(v->c->ctx));
        om_context_clear(v->c->ctx);
        return;
    }
    for (size_t i = 0; i < om_simulation_breakpoint_count(v->s); i++)
        if (became >> i & 1)
            om_text_printf(&text, "%s[%zu] %s", text.length == 0 ? "breakpoint: " : ", ", i,
                om_simulation_breakpoint(v->s, i));
    if (text.length > 0 && !text.failed)
        cli_terminal_say(v, text.text);
    om_text_free(&text);
}

void cli_terminal_step(terminal *t, int rc)
{
    cli_terminal_judge(t, rc);
    cli_terminal_moved(t);
    if (rc == OM_OK)
        cli_terminal_tell(&t->v);
}

void cli_terminal_goto(terminal *t, size_t i)
{
    if (!om_simulation_goto(t->v.s, i))
        cli_terminal_say(&t->v, "the history has no such state");
    cli_terminal_moved(t);
}

void cli_terminal_run(terminal *t, uint64_t steps, bool follow)
{
    cli_screen *v = &t->v;
    om_simulation_end end = OM_SIMULATION_STEPS;
    om_text text = { .heap = v->c->heap };
    uint64_t done = 0, taken = 0;
    int rc = OM_OK;
    while (rc == OM_OK && done < steps && end == OM_SIMULATION_STEPS && !cli_terminal_ended(t)) {
        const uint64_t chunk = steps - done < CHUNK ? steps - done : CHUNK;
        rc = om_simulation_run(v->s, chunk, follow, &taken, &end);
        done += taken;
        if (done < steps && cli_terminal_key(t, false) != ERR)
            break;
    }
    if (rc == OM_OK)
        om_context_clear(v->c->ctx); /* message of a fault: update() shows it */
    cli_terminal_judge(t, rc);
    cli_terminal_moved(t);
    om_text_printf(&text, "%" PRIu64 " steps%s", done,
        end == OM_SIMULATION_DEADLOCK ? ", then a deadlock"
        : end == OM_SIMULATION_FAULT  ? ", then an error in the model"
                                      : "");
    if (!text.failed && v->message[0] == '\0')
        cli_terminal_say(v, text.text);
    om_text_free(&text);
    if (end == OM_SIMULATION_BREAKPOINT)
        cli_terminal_tell(v);
}

/* ---- questions ---- */

/* Removes the last character with all its bytes. */
static void rub_out(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && ((unsigned char) text[n - 1] & 0xc0) == 0x80)
        n--;
    text[n > 0 ? n - 1 : 0] = '\0';
}

/* Reads the user's answer into v->typed. Returns false if it is empty or was cancelled. */
static bool ask(terminal *t, const char *question)
{
    cli_screen *v = &t->v;
    assert(v->ask == NULL); /* D4 */
    v->ask = question;
    v->typed[0] = '\0';
    bool given = false;
    for (bool open = true; open && !cli_terminal_ended(t);) {
        const size_t n = strlen(v->typed);
        assert(n < sizeof v->typed); /* D2 */
        cli_screen_draw(v);
        int k = cli_terminal_key(t, true);
        if (k == '\n' || k == '\r' || k == KEY_ENTER) {
            given = n > 0;
            open = false;
        } else if (k == ESCAPE)
            open = false;
        else if (k == KEY_BACKSPACE || k == '\b' || k == 127)
            rub_out(v->typed);
        else if (k >= ' ' && k < 256 && n + 1 < sizeof v->typed) {
            v->typed[n] = (char) k;
            v->typed[n + 1] = '\0';
        }
    }
    v->ask = NULL;
    return given && !t->leave;
}

static bool ask_number(terminal *t, const char *question, uint64_t *out)
{
    char *end;
    if (!ask(t, question))
        return false;
    errno = 0;
    *out = strtoull(t->v.typed, &end, 10);
    if (errno == 0 && *end == '\0' && t->v.typed[0] >= '0' && t->v.typed[0] <= '9')
        return true;
    cli_terminal_say(&t->v, "not a number");
    return false;
}

static void ask_for_run(terminal *t)
{
    uint64_t steps;
    if (ask_number(t, "number of random steps: ", &steps))
        cli_terminal_run(t, steps, false);
}

static void ask_for_state(terminal *t)
{
    uint64_t i;
    if (ask_number(t, "number of the state: ", &i))
        cli_terminal_goto(t, (size_t) i);
}

static void add_breakpoint(terminal *t)
{
    if (ask(t, "break on: "))
        cli_terminal_judge(t, om_simulation_break(t->v.s, t->v.typed));
    update(t);
}

static void remove_breakpoint(terminal *t)
{
    uint64_t i;
    if (!ask_number(t, "number of the breakpoint: ", &i))
        return;
    if (i >= om_simulation_breakpoint_count(t->v.s))
        cli_terminal_say(&t->v, "no such breakpoint");
    else
        om_simulation_unbreak(t->v.s, (size_t) i);
}

static void ask_for_filter(terminal *t)
{
    cli_screen *v = &t->v;
    if (!ask(t, "names that contain: "))
        v->typed[0] = '\0';
    memcpy(v->filter, v->typed, sizeof v->filter);
    v->scrolled = 0;
}

static void open_run(terminal *t)
{
    if (ask(t, "open run: "))
        cli_terminal_judge(t, cli_load_run(t->v.c, t->v.s, t->v.model, t->v.typed));
    cli_terminal_moved(t);
}

static void write_run(terminal *t)
{
    if (!ask(t, "write run to: "))
        return;
    int rc = cli_write_run(t->v.c, t->v.s, t->v.model, t->v.typed);
    if (rc == OM_OK)
        cli_terminal_say(&t->v, "written");
    cli_terminal_judge(t, rc);
}

bool cli_terminal_ask(terminal *t, int k)
{
    static const struct {
        char key;
        void (*act)(terminal *t);
    } questions[] = { { 'g', ask_for_state }, { 'R', ask_for_run }, { '+', add_breakpoint },
        { '-', remove_breakpoint }, { '/', ask_for_filter }, { 'o', open_run },
        { 'w', write_run } };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (k == questions[i].key) {
            questions[i].act(t);
            return true;
        }
    return false;
}
