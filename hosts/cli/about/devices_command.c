/* SPDX-License-Identifier: Apache-2.0 */
/* omen devices: lists the devices that can search. */
#include "about/devices.h"
#include "base/json.h"
#include "base/plan_options.h"
#include "commands.h"

#include <inttypes.h>
#include <string.h>

/* Returns the index of the device of `--device auto`: the first usable GPU, else accelerator; or
 * SIZE_MAX. */
static size_t default_of(const om_devices *devices)
{
    static const char *const preferred[] = { "gpu", "accelerator" };
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < om_devices_count(devices); i++)
            if (om_devices_info(devices, i)->reason == NULL &&
                strcmp(om_devices_info(devices, i)->kind, preferred[k]) == 0)
                return i;
    return SIZE_MAX;
}

/* Returns true for the host, which is selected only by its name. */
static bool is_host(const om_device_info *d)
{
    return strcmp(d->kind, "host") == 0;
}

static void put_default(cli *c, const om_devices *devices)
{
    size_t found = default_of(devices);
    if (found == SIZE_MAX)
        om_text_add(
            &c->out, "by default: none (to use a CPU, name it: --device cpu, --device N)\n");
    else
        om_text_printf(&c->out, "by default: %zu, for checks that take long on the CPU\n", found);
}

static void put_device(cli *c, size_t number, const om_device_info *d)
{
    if (is_host(d))
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
            d->tuned ? "tuned" : "initially; the first long run tunes them");
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

static json_t *device_json(size_t number, const om_device_info *d)
{
    return json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:o}",
        "number", is_host(d) ? json_null() : json_integer((json_int_t) number), "name",
        cli_text_json(d->name), "kind", d->kind, "backend", d->backend, "platform",
        cli_text_json(d->platform), "driver", cli_text_json(d->driver), "version",
        cli_text_json(d->version), "compute_units", (json_int_t) d->compute_units, "memory_bytes",
        (json_int_t) d->memory_bytes, "largest_allocation", (json_int_t) d->largest_allocation,
        "work_group", (json_int_t) d->work_group, "work_items", (json_int_t) d->work_items, "tuned",
        d->tuned, "reason", cli_text_json(d->reason));
}

static int put_devices_json(cli *c, const om_devices *devices, const char *why)
{
    size_t usual = default_of(devices);
    json_t *all = json_array();
    bool made = all != NULL;
    for (size_t i = 0; made && i < om_devices_count(devices); i++)
        made = cli_json_append(all, device_json(i, om_devices_info(devices, i)));
    return cli_put_json(c,
        json_pack("{s:i, s:o, s:o, s:o}", "schema", 1, "devices", cli_json_whole(all, made),
            "default", usual == SIZE_MAX ? json_null() : json_integer((json_int_t) usual), "reason",
            cli_text_json(why)),
        true);
}

static int run(cli *c, void *settings)
{
    devices_settings *set = settings;
    om_devices *devices = NULL;
    const char *why = NULL;
    int rc = cli_complete_properties(c, &set->properties, &set->plan);

    if (rc == OM_OK && (set->dump != NULL || c->set.positional_count > 0))
        return cli_dump_kernels(c, set);
    if (rc == OM_OK)
        rc = om_devices_open(&devices, c->ctx, NULL, &why);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    if (c->set.json)
        rc = put_devices_json(c, devices, why);
    else
        put_devices(c, devices, why);
    om_devices_close(devices);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_PROPERTY_OPTIONS(devices_settings),
    CLI_FINITE_RUNS_OPTION(devices_settings),
    CLI_TRANSLATOR_OPTION(CLI_PROPERTY, devices_settings, plan.translator),
    CLI_MODEL_OPTIONS(devices_settings),
    CLI_OVERFLOW_OPTION(devices_settings, plan.overflow),
    CLI_DEVICE_OPTION(devices_settings),
    CLI_RESET_OPTION("on", devices_settings),
    CLI_MERGE_OPTION("on", devices_settings),
    CLI_BOUND_OPTIONS,
    { "dump", 0, CLI_OUTPUT, "FOLDER", "write the code for the device's compiler for MODEL",
        cli_set_text, CLI_AT(devices_settings, dump) },
    CLI_JSON_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_devices_command = { "devices", "[--dump FOLDER MODEL [PROPERTY]]",
    "lists OpenCL devices", 0, 1, options, sizeof(devices_settings), run, NULL,
    { "omen devices", "omen devices --verbose", "omen devices --dump kernels mutex.dve" } };
