/* SPDX-License-Identifier: Apache-2.0 */
/* The description of `omen mcc`, which omen has for its help, too. */
#include "base/plan_options.h"
#include "commands.h"
#include "mcc.h"

#include <omen/host/reduce.h>

#include <string.h>

/* Finds the pass with this name of the given length. */
static int find_pass(cli *c, const char *name, size_t length, uint32_t *bit)
{
    size_t count = 0;
    om_text known = { .heap = c->heap };
    const om_reduce_pass *passes = om_reduce_passes(&count);
    for (size_t i = 0; i < count; i++) {
        *bit = UINT32_C(1) << i;
        if (strlen(passes[i].name) == length && strncmp(passes[i].name, name, length) == 0) {
            om_text_free(&known);
            return OM_OK;
        }
        om_text_printf(&known, ", %s", passes[i].name);
    }
    int rc =
        om_fail(c->ctx, OM_EUSAGE, NULL, "--reductions takes on, off, or a list of%s, not '%.*s'",
            known.text == NULL ? " reductions" : known.text + 1, (int) length, name);
    om_text_free(&known);
    return rc;
}

static int set_reductions(cli *c, const cli_option *o, void *at, const char *value)
{
    uint32_t wanted = 0, bit = 0, *without = at;
    int rc = OM_OK;
    (void) o;
    *without = strcmp(value, "on") == 0 ? 0 : UINT32_MAX;
    if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0)
        return OM_OK;
    for (const char *name = value; rc == OM_OK; name += strcspn(name, ",") + 1) {
        rc = find_pass(c, name, strcspn(name, ","), &bit);
        wanted |= bit;
        if (name[strcspn(name, ",")] == '\0')
            break;
    }
    *without = ~wanted;
    return rc;
}

static const cli_option options[] = {
    CLI_MODEL_OPTIONS(mcc_settings),
    CLI_STORE_OPTIONS(mcc_settings),
    { "reductions", 0, CLI_SEARCH, "on|off|NAME,...",
        "reductions of nets: all (default), none, or these", set_reductions,
        CLI_AT(mcc_settings, without_passes) },
    CLI_LIMIT_OPTIONS(mcc_settings),
    CLI_JSON_OPTION,
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_mcc_command = { "mcc", "[FOLDER [EXAMINATION]]",
    "runs an examination of the MCC", 0, 2, options, sizeof(mcc_settings), NULL, "expat",
    { "omen mcc philosophers StateSpace", "omen mcc philosophers ReachabilityDeadlock --timeout 1m",
        "omen mcc philosophers OneSafe --json" } };
