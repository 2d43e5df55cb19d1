/* SPDX-License-Identifier: Apache-2.0 */
/* What is there: plug-ins and devices. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* A bit and its word. */
typedef struct word {
    uint32_t bit;
    const char *text;
} word;

static void put_words(const word *words, uint32_t bits, om_text *out)
{
    for (; words->text != NULL; words++)
        if ((bits & words->bit) != 0)
            om_text_printf(out, " %s", words->text);
}

static void put_checker(const om_checker *k, om_text *out)
{
    static const word strengths[] = { { OM_FOR_TERMINAL, "terminal" }, { OM_FOR_WEAK, "weak" },
        { OM_FOR_STRONG, "strong" }, { 0, NULL } };
    static const word acceptance[] = { { OM_ACCEPT_BUCHI, "Buchi" },
        { OM_ACCEPT_GENERALIZED_BUCHI, "generalized-Buchi" }, { OM_ACCEPT_CO_BUCHI, "co-Buchi" },
        { OM_ACCEPT_RABIN, "Rabin" }, { OM_ACCEPT_STREETT, "Streett" },
        { OM_ACCEPT_FIN_LESS, "Fin-less" }, { OM_ACCEPT_ANY, "any" }, { 0, NULL } };
    static const word flags[] = { { OM_CHECKER_PARALLEL, "parallel" },
        { OM_CHECKER_DEVICE, "device" }, { OM_CHECKER_NEEDS_STUTTER, "endless-runs-only" },
        { OM_CHECKER_SHARES_STATES, "states-shared" }, { OM_CHECKER_LATE_WORKERS, "late-workers" },
        { 0, NULL } };
    om_text_add(out, "  for:");
    put_words(strengths, k->strengths, out);
    om_text_add(out, "; acceptance:");
    put_words(acceptance, k->acceptance, out);
    om_text_add(out, "; runs:");
    put_words(flags, k->flags, out);
    if ((k->flags & (OM_CHECKER_PARALLEL | OM_CHECKER_DEVICE)) == 0)
        om_text_add(out, " sequential");
    om_text_add(out, "\n");
    for (const om_rank *r = k->ranks; r != NULL && r->strengths != 0; r++) {
        om_text_printf(out, "  rank %u for", r->rank);
        put_words(strengths, r->strengths, out);
        om_text_printf(out, ", %u", r->least);
        if (r->most == 0)
            om_text_add(out, " or more workers\n");
        else if (r->most != r->least)
            om_text_printf(out, " to %u workers\n", r->most);
        else
            om_text_printf(out, " worker%s\n", r->least == 1 ? "" : "s");
    }
    if (k->most_workers != 0)
        om_text_printf(out, "  at most %u workers\n", k->most_workers);
}

static void put_option(const om_plugin *p, const om_option *o, om_text *out)
{
    const char *const *names = NULL;
    for (const om_option_names *n = p->names; n != NULL && n->option != NULL; n++)
        if (strcmp(n->option, o->name) == 0)
            names = n->names;
    if (names == NULL)
        om_text_printf(out, "  option %s=%" PRId64 " (%" PRId64 " to %" PRId64 "): ", o->name,
            o->dflt, o->low, o->high);
    else
        om_text_printf(out, "  option %s=%s (", o->name, names[o->dflt - o->low]);
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        om_text_printf(out, "%s%s", names[i], names[i + 1] == NULL ? "): " : ", ");
    om_text_printf(out, "%s\n", o->help == NULL ? "" : o->help);
}

static void put_plugin(cli *c, const om_plugin_entry *e)
{
    static const char *const kinds[] = { "", "frontend", "translator", "checker" };
    const om_plugin *p = e->plugin;
    om_text *out = &c->out;

    om_text_printf(out, "%s %s: %s\n  ", kinds[p->kind], p->name, p->summary);
    cli_put_plain(out, e->path);
    om_text_add(out, "\n");
    if (p->citation != NULL)
        om_text_printf(out, "  from: %s\n", p->citation);
    if (p->kind == OM_PLUGIN_CHECKER)
        put_checker((const om_checker *) (const void *) p, out);
    if (p->kind == OM_PLUGIN_FRONTEND) {
        om_text_add(out, "  reads:");
        for (const char *const *s = ((const om_frontend *) (const void *) p)->suffixes; *s != NULL;
             s++)
            om_text_printf(out, " %s", *s);
        om_text_add(out, "\n");
    }
    for (const om_option *o = p->options; o != NULL && o->name != NULL; o++)
        put_option(p, o, out);
}

/* A file may have any name, and the reason may quote it. */
static void put_refused(const om_plugin_entry *e, om_text *out)
{
    om_text_add(out, "refused ");
    cli_put_plain(out, e->path);
    om_text_add(out, "\n  ");
    cli_put_plain(out, e->reason);
    om_text_add(out, "\n");
}

int cli_run_plugins(cli *c)
{
    int rc = om_registry_new(&c->registry, c->ctx);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    for (size_t i = 0; i < om_registry_count(c->registry); i++)
        if (om_registry_entry(c->registry, i)->plugin != NULL)
            put_plugin(c, om_registry_entry(c->registry, i));
    for (size_t i = 0; i < om_registry_count(c->registry); i++) {
        const om_plugin_entry *e = om_registry_entry(c->registry, i);
        if (e->plugin == NULL)
            put_refused(e, &c->out);
    }
    return 0;
}

/* What `--device auto` takes: the first GPU, or accelerator, that can be used. */
static void put_default(cli *c, const om_devices *devices)
{
    static const char *const kinds[] = { "gpu", "accelerator" };
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < om_devices_count(devices) && found == SIZE_MAX; i++)
            if (om_devices_info(devices, i)->reason == NULL &&
                strcmp(om_devices_info(devices, i)->kind, kinds[k]) == 0)
                found = i;
    if (found == SIZE_MAX)
        om_text_add(&c->out,
            "by default: none (a CPU is used when it is named: --device cpu, --device N)\n");
    else
        om_text_printf(&c->out, "by default: %zu, where a check takes the CPU long\n", found);
}

static void put_device(cli *c, size_t number, const om_device_info *d)
{
    bool host = strcmp(d->kind, "host") == 0; /* is taken by its name alone */
    if (host)
        om_text_add(&c->out, "host");
    else
        om_text_printf(&c->out, "%zu", number);
    om_text_printf(&c->out,
        ": %s (%s)\n  platform: %s\n  driver: %s, %s\n  compute units: %" PRIu32
        "; memory: %.0f MB, largest allocation %.0f MB\n",
        d->name, d->kind, d->platform, d->driver, d->version, d->compute_units,
        (double) d->memory_bytes / 1e6, (double) d->largest_allocation / 1e6);
    if (c->set.verbose)
        om_text_printf(&c->out,
            "  work-groups: %" PRIu32 " work-items, at most %" PRIu32 " at once (%s)\n",
            d->work_group, d->work_items,
            d->tuned ? "tried out" : "to begin with; the first long run tries others");
    if (d->reason != NULL)
        om_text_printf(&c->out, "  not usable: %s\n", d->reason);
}

static void put_devices(cli *c, const om_devices *devices, const char *why)
{
    if (why != NULL)
        om_text_printf(&c->out, "none: %s\n", why);
    for (size_t i = 0; i < om_devices_count(devices); i++)
        put_device(c, i, om_devices_info(devices, i));
    put_default(c, devices);
    om_nodes_describe(c->ctx, &c->out);
}

int cli_run_devices(cli *c)
{
    om_devices *devices = NULL;
    const char *why = NULL;
    int rc = OM_OK;

    if (c->set.dump != NULL || c->set.positional_count > 0)
        return cli_dump_kernels(c);
    rc = om_devices_open(&devices, c->ctx, NULL, &why);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    put_devices(c, devices, why);
    om_devices_close(devices);
    return 0;
}
