/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  P1  A check has at most CLI_PROPERTIES properties.
 *  P2  Each option that names a property has a row in the table of cli_set_property().
 *  P3  The words of --spelling are in the order of the enumeration.
 */
#include "base/property_options.h"

#include <assert.h>
#include <string.h>

static int add_property(cli *c, cli_properties *all, cli_property p)
{
    if (all->count == CLI_PROPERTIES)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many properties: at most %d", CLI_PROPERTIES);
    assert(all->count < CLI_PROPERTIES); /* P1 */
    all->at[all->count++] = p;
    return OM_OK;
}

int cli_set_property(cli *c, const cli_option *o, void *at, const char *value)
{
    static const struct {
        const char *option, *recorded;
        om_property_kind kind;
    } kinds[] = { { "ltl", "ltl", OM_PROPERTY_LTL }, { "ltl-file", "ltl", OM_PROPERTY_LTL_FILE },
        { "never", "never", OM_PROPERTY_AUTOMATON }, { "property", "property", OM_PROPERTY_NAMED },
        { "deadlock", "deadlock", OM_PROPERTY_DEADLOCK },
        { "assertions", "assertions", OM_PROPERTY_ASSERTION },
        { "non-progress", "non-progress", OM_PROPERTY_NON_PROGRESS },
        { "invariant", "invariant", OM_PROPERTY_INVARIANT } };
    size_t i = 0;
    while (strcmp(kinds[i].option, o->name) != 0) {
        i++;
        assert(i < sizeof kinds / sizeof *kinds); /* P2 */
    }
    return add_property(c, at, (cli_property){ kinds[i].kind, kinds[i].recorded, value });
}

int cli_set_progress_states(cli *c, const cli_option *o, void *at, const char *value)
{
    cli_properties *all = at;
    (void) o;
    if (all->progress_states != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--progress-states may be given only once");
    all->progress_states = value;
    return OM_OK;
}

int cli_set_spelling(cli *c, const cli_option *o, void *at, const char *value)
{
    cli_spelling *spelling = at;
    spelling->given = true;
    int rc = cli_set_choice(c, o, &spelling->as, value);
    assert(rc != OM_OK || strcmp(om_ltl_spelling_name(spelling->as), value) == 0); /* P3 */
    return rc;
}

/* A lasso records the grammar of a formula, because its replay must read it the same way. */
int cli_complete_properties(cli *c, cli_properties *all, om_plan_options *plan)
{
    bool any = false;
    plan->own_grammar = all->spelling.given && all->spelling.as != OM_LTL_SPIN;
    for (size_t i = 0; i < all->count; i++) {
        cli_property *p = &all->at[i];
        if (plan->own_grammar && (p->kind == OM_PROPERTY_LTL || p->kind == OM_PROPERTY_LTL_FILE))
            p->option = CLI_OWN_GRAMMAR;
        if (p->kind != OM_PROPERTY_NON_PROGRESS)
            continue;
        any = true;
        p->text = all->progress_states;
    }
    return any || all->progress_states == NULL
               ? OM_OK
               : om_fail(c->ctx, OM_EUSAGE, NULL, "--progress-states is only for --non-progress");
}

int cli_add_own(cli *c, cli_properties *all, const om_own_property *own)
{
    if (own->kind != OM_PROPERTY_NAMED)
        return add_property(c, all, (cli_property){ own->kind, own->name, NULL });
    /* The model may be read again, and its names with it. */
    const char *name = om_region_copy(&c->region, own->name, strlen(own->name));
    return name == NULL ? om_fail_memory(c->ctx)
                        : add_property(c, all, (cli_property){ own->kind, "property", name });
}

int cli_recorded_property(cli *c, const char *recorded, om_plan_options *plan, cli_property *out)
{
    static const struct {
        const char *option;
        om_property_kind kind;
        bool text;
    } kinds[] = { { "default", OM_PROPERTY_DEFAULT, false }, { "ltl", OM_PROPERTY_LTL, true },
        { CLI_OWN_GRAMMAR, OM_PROPERTY_LTL, true }, { "never", OM_PROPERTY_AUTOMATON, true },
        { "property", OM_PROPERTY_NAMED, true }, { "deadlock", OM_PROPERTY_DEADLOCK, false },
        { "invariant", OM_PROPERTY_INVARIANT, true }, { "assertion", OM_PROPERTY_ASSERTION, false },
        { "assertions", OM_PROPERTY_ASSERTION, false }, { "fault", OM_PROPERTY_FAULT, false },
        { "non-progress", OM_PROPERTY_NON_PROGRESS, false },
        { "non-progress", OM_PROPERTY_NON_PROGRESS, true } };
    size_t n = strcspn(recorded, "=");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].option) != n || memcmp(kinds[i].option, recorded, n) != 0 ||
            (recorded[n] == '=') != kinds[i].text)
            continue;
        *out = (cli_property){ kinds[i].kind, kinds[i].option,
            kinds[i].text ? recorded + n + 1 : NULL };
        if (strcmp(kinds[i].option, CLI_OWN_GRAMMAR) == 0)
            plan->own_grammar = true;
        return OM_OK;
    }
    return om_fail(
        c->ctx, OM_EINPUT, NULL, "the lasso records an unknown property: '%s'", recorded);
}
