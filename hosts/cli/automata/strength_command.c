/* SPDX-License-Identifier: Apache-2.0 */
/* omen strength: the components of an automaton, and its parts by strength. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

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

static int write_part(cli *c, const om_automaton *part, const char *name)
{
    om_text path = { .heap = c->heap };
    cli_file f;
    int rc = OM_OK;
    om_text_printf(&path, "%s/%s.hoa", c->set.output, name);
    if (path.failed)
        return om_fail_memory(c->ctx);
    if (mkdir(c->set.output, 0777) != 0 && errno != EEXIST)
        rc = om_fail(
            c->ctx, OM_EIO, NULL, "cannot make folder %s: %s", c->set.output, strerror(errno));
    if (rc == OM_OK) {
        rc = cli_file_open(&f, c, path.text);
        rc = cli_file_close(&f, rc == OM_OK ? om_hoa_write(part, &f.text) : rc);
    }
    om_text_free(&path);
    return rc;
}

static int put_part(cli *c, const om_automaton *part, const char *name)
{
    if (part == NULL) {
        om_text_printf(&c->out, "%s part: none\n", name);
        return OM_OK;
    }
    om_text_printf(&c->out, "%s part: %" PRIu32 " states, %" PRIu32 " edges\n", name,
        om_automaton_state_count(part), om_automaton_edge_count(part));
    return c->set.output != NULL ? write_part(c, part, name) : om_hoa_write(part, &c->out);
}

/* Prepares all parts before any output, so that an error leaves none. */
static int put_strength(cli *c, const om_automaton *a, const om_sccs *sccs)
{
    om_automaton *parts[OM_STRONG + 1] = { NULL };
    int rc = OM_OK;
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++)
        rc = om_automaton_part(a, c->ctx, (om_strength) s, &parts[s]);
    if (rc == OM_OK)
        rc = put_components(c, a, sccs);
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++)
        rc = put_part(c, parts[s], om_strength_name((om_strength) s));
    for (int s = OM_TERMINAL; s <= OM_STRONG; s++)
        om_automaton_free(parts[s]);
    return rc;
}

int cli_run_strength(cli *c)
{
    om_automaton *a = NULL;
    om_sccs sccs = { 0 };
    cli_ticker ticker = { .running = false };
    int rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, NULL, "decomposing");
    if (rc == OM_OK)
        rc = om_automaton_sccs(a, c->ctx, &sccs);
    if (rc == OM_OK)
        rc = c->set.to == NULL ? put_strength(c, a, &sccs) : om_dot_write(a, &sccs, &c->out);
    cli_ticker_stop(&ticker);
    om_sccs_free(&sccs, c->heap);
    om_automaton_free(a);
    if (rc == OM_OK)
        return 0;
    om_text_free(&c->out);
    return cli_failed(c, rc);
}
