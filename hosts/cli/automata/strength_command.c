/* SPDX-License-Identifier: Apache-2.0 */
/* omen strength: the components of an automaton, and its parts by strength. */
#include "base/options.h"
#include "base/output.h"
#include "base/progress.h"
#include "commands.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

typedef struct strength_settings {
    const char *to, *folder; /* or NULL */
} strength_settings;

static int put_components(cli *c, const om_automaton *a, const om_sccs *s)
{
    uint32_t *states = NULL;
    int rc = om_sccs_states(s, c->ctx, om_automaton_state_count(a), &states);
    if (rc != OM_OK)
        return rc;
    om_text_printf(&c->out, "automaton: %s, %" PRIu32 " states, %" PRIu32 " components\n",
        om_strength_name(om_sccs_strength(s)), om_automaton_state_count(a), s->count);
    for (uint32_t k = 0, at = 0; k < s->count; k++) {
        om_text_printf(&c->out, "component %" PRIu32 ": %s:", k, om_strength_name(s->strength[k]));
        for (uint32_t end = at + s->size[k]; at < end; at++)
            om_text_printf(&c->out, " %" PRIu32, states[at]);
        om_text_add(&c->out, "\n");
    }
    om_free(c->heap, states);
    return OM_OK;
}

static int write_part(cli *c, const char *folder, const om_automaton *part, const char *name)
{
    om_text path = { .heap = c->heap };
    cli_file f;
    int rc = OM_OK;
    om_text_printf(&path, "%s/%s.hoa", folder, name);
    if (path.failed)
        return om_fail_memory(c->ctx);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        rc = om_fail(c->ctx, OM_EIO, NULL, "cannot make folder %s: %s", folder, strerror(errno));
    if (rc == OM_OK) {
        rc = cli_file_open(&f, c, path.text);
        rc = cli_file_close(&f, rc == OM_OK ? om_hoa_write(part, &f.text) : rc);
    }
    om_text_free(&path);
    return rc;
}

/* Writes the part to the folder, or prints it if that is NULL. */
static int put_part(cli *c, const char *folder, const om_automaton *part, const char *name)
{
    if (part == NULL) {
        om_text_printf(&c->out, "%s part: none\n", name);
        return OM_OK;
    }
    om_text_printf(&c->out, "%s part: %" PRIu32 " states, %" PRIu32 " edges\n", name,
        om_automaton_state_count(part), om_automaton_edge_count(part));
    return folder != NULL ? write_part(c, folder, part, name) : om_hoa_write(part, &c->out);
}

/* Prepares all parts before any output, so that an error leaves none. */
static int put_strength(cli *c, const char *folder, const om_automaton *a, const om_sccs *sccs)
{
    om_automaton *parts[OM_STRONG + 1] = { NULL };
    int rc = OM_OK;
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++)
        rc = om_automaton_part(a, c->ctx, (om_strength) s, &parts[s]);
    if (rc == OM_OK)
        rc = put_components(c, a, sccs);
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++)
        rc = put_part(c, folder, parts[s], om_strength_name((om_strength) s));
    for (int s = OM_TERMINAL; s <= OM_STRONG; s++)
        om_automaton_free(parts[s]);
    return rc;
}

static int run(cli *c, void *settings)
{
    const strength_settings *set = settings;
    om_automaton *a = NULL;
    om_sccs sccs = { 0 };
    cli_ticker ticker = { .running = false };
    int rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, NULL, "decomposing");
    if (rc == OM_OK)
        rc = om_automaton_sccs(a, c->ctx, &sccs);
    if (rc == OM_OK)
        rc = set->to == NULL ? put_strength(c, set->folder, a, &sccs)
                             : om_dot_write(a, &sccs, &c->out);
    cli_ticker_stop(&ticker);
    om_sccs_free(&sccs, c->heap);
    om_automaton_free(a);
    if (rc == OM_OK)
        return 0;
    om_text_free(&c->out);
    return cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_BOUND_OPTIONS,
    { "to", 0, CLI_OUTPUT, "dot", "print the components as a Graphviz graph", cli_set_word,
        CLI_AT(strength_settings, to) },
    { "output", 0, CLI_OUTPUT, "DIR", "write DIR/terminal.hoa, weak.hoa, strong.hoa", cli_set_text,
        CLI_AT(strength_settings, folder) },
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_strength_command = { "strength", "AUTOMATON [--output DIR]",
    "splits an automaton by strength", 1, 1, options, sizeof(strength_settings), run, NULL,
    { "omen strength automaton.hoa", "omen strength automaton.hoa --output parts",
        "omen strength automaton.hoa --to dot" } };
