/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-simulate: the simulation at a terminal, its keys and signals.
 *
 * Signals that end the program are blocked, and polled between two keys. So none arrives during
 * drawing, and the terminal is restored in one place. Job control (Control-Z) and changes of the
 * terminal's size are left to ncurses.
 */
#include "base/program.h"
#include "commands.h"
#include "terminal.h"

#include <assert.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    WAIT_MS = 100,
    LONGEST = 1000000, /* maximum number of steps of a run without a limit */
    ESCAPE_MS = 25,
    MOST_EMPTY = 20 /* key events that cannot be read: the terminal is gone */
};

/* ---- waiting ---- */

static void ending_signals(sigset_t *set)
{
    cli_ending_signals(set);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGQUIT);
}

bool cli_terminal_ended(terminal *t)
{
    const struct timespec now = { 0, 0 };
    om_context *ctx = t->v.c->ctx;
    sigset_t set;
    ending_signals(&set);
    if (sigtimedwait(&set, NULL, &now) > 0)
        (void) om_control_stop(om_context_control(ctx), OM_STOP_INTERRUPT);
    int rc = om_context_stopped(ctx);
    if (rc != OM_OK && !t->leave) {
        t->leave = true;
        t->rc = rc;
    }
    return t->leave;
}

int cli_terminal_key(terminal *t, bool wait)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
    int k = getch();
    if (k != ERR) {
        t->empty = 0;
        return k;
    }
    if (!wait)
        return ERR;
    int n = poll(&p, 1, WAIT_MS);
    if (n > 0 && (k = getch()) == ERR)
        t->empty++;
    if (k != ERR)
        t->empty = 0;
    if (t->empty > MOST_EMPTY) {
        t->leave = true;
        t->rc = om_fail(t->v.c->ctx, OM_EIO, NULL, "the terminal was closed");
    }
    return k;
}

/* ---- keys ---- */

static void page(cli_screen *v, bool down)
{
    const int lines = cli_screen_page(v);
    const size_t n = lines > 1 ? (size_t) lines - 1 : 1;
    v->scrolled = down ? v->scrolled + n : v->scrolled > n ? v->scrolled - n : 0;
}

static void forward(terminal *t)
{
    if (om_simulation_ahead(t->v.s) != OM_NONE)
        cli_terminal_step(t, om_simulation_forward(t->v.s));
    else
        cli_terminal_say(&t->v, "the next transition is not known: choose one");
}

static void take_random(terminal *t)
{
    om_simulation_end end;
    uint64_t taken;
    int rc = om_simulation_run(t->v.s, 1, false, &taken, &end);
    if (rc == OM_OK)
        om_context_clear(t->v.c->ctx); /* message of a fault, which the screen shows */
    cli_terminal_step(t, rc);
}

static bool move_by(terminal *t, int k)
{
    cli_screen *v = &t->v;
    assert(v->chosen == 0 || v->chosen < v->enabled_count); /* D1 */
    switch (k) {
    case '\n':
    case '\r':
    case KEY_ENTER:
        if (v->enabled_count > 0)
            cli_terminal_step(t, om_simulation_take(v->s, v->chosen));
        return true;
    case KEY_LEFT:
    case KEY_BACKSPACE:
    case '\b':
    case 127:
    case 'b':
        if (om_simulation_position(v->s) > 0)
            cli_terminal_goto(t, om_simulation_position(v->s) - 1);
        return true;
    case KEY_RIGHT:
    case ' ':
    case 'f':
        forward(t);
        return true;
    case KEY_HOME:
        cli_terminal_goto(t, 0);
        return true;
    case KEY_END:
        cli_terminal_goto(t, om_simulation_length(v->s) - 1);
        return true;
    case 'r':
        take_random(t);
        return true;
    case 'c':
        cli_terminal_run(t, LONGEST, true);
        return true;
    default:
        return false;
    }
}

static void view_by(terminal *t, int k)
{
    cli_screen *v = &t->v;
    switch (k) {
    case KEY_UP:
    case 'k':
        v->chosen -= v->chosen > 0;
        break;
    case KEY_DOWN:
    case 'j':
        v->chosen += v->chosen + 1 < v->enabled_count;
        break;
    case KEY_NPAGE:
    case KEY_PPAGE:
        page(v, k == KEY_NPAGE);
        break;
    case 'v':
        v->only_changed = !v->only_changed;
        break;
    case '?':
        v->help = true;
        break;
    case 'q':
        t->leave = true;
        break;
    default:
        break;
    }
}

static void act(terminal *t, int k)
{
    if (k == ERR)
        return;
    t->v.message[0] = '\0';
    if (t->v.help && k != KEY_RESIZE) {
        t->v.help = false; /* any key closes the help */
        return;
    }
    if (!move_by(t, k) && !cli_terminal_ask(t, k))
        view_by(t, k);
}

/* ---- the terminal ---- */

static void on_note(void *self, om_note_level level, const char *text)
{
    if (level != OM_NOTE_VERBOSE)
        cli_terminal_say(self, text);
}

static void converse(terminal *t)
{
    (void) cbreak();
    (void) noecho();
    (void) nonl();
    (void) keypad(stdscr, TRUE);
    (void) nodelay(stdscr, TRUE);
    (void) set_escdelay(ESCAPE_MS);
    (void) curs_set(0);
    cli_terminal_moved(t);
    cli_terminal_tell(&t->v);
    cli_screen_draw(&t->v);
    while (!cli_terminal_ended(t)) {
        int k = cli_terminal_key(t, true);
        act(t, k);
        if (k != ERR && !t->leave)
            cli_screen_draw(&t->v);
    }
}

/* Restores the terminal if the program ends in any other place. */
static void give_back(void)
{
    if (!isendwin())
        (void) endwin();
}

/* Runs the simulation, from its current state, until the user leaves, a signal arrives or a limit
 * is hit. Restores the terminal in any case. Returns an exit status. */
static int simulate_on_terminal(cli *c, om_model *model, om_simulation *s)
{
    terminal t = { .v = { .c = c, .model = model, .s = s } };
    sigset_t set;
    ending_signals(&set);
    (void) pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void) setlocale(LC_CTYPE, "");
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (screen == NULL)
        return cli_failed(c, om_fail(c->ctx, OM_EUNSUPPORTED, NULL,
                                 "this terminal (TERM) is not known: --steps N needs none"));
    (void) atexit(give_back);
    om_context_on_note(c->ctx, on_note, &t.v);
    converse(&t);
    (void) endwin();
    delscreen(screen);
    cli_take_notes(c);
    return t.rc == OM_OK ? 0 : cli_failed(c, t.rc);
}

static int simulate(cli *c, void *settings)
{
    om_model *model = NULL;
    om_simulation *s = NULL;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
        return cli_failed(
            c, om_fail(c->ctx, OM_EUSAGE, NULL,
                   "simulate needs a terminal as its input and output (--steps N needs none)"));
    int rc = cli_open_simulation(c, settings, &model, &s);
    int status = rc == OM_OK ? simulate_on_terminal(c, model, s) : cli_failed(c, rc);
    om_simulation_free(s);
    om_model_free(model);
    return status;
}

static int run(cli *c, int argc, char **argv)
{
    return cli_run_command(c, &cli_simulate_command, simulate, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    cli_program(argc, argv, run);
}
