/* SPDX-License-Identifier: Apache-2.0 */
/* check_settings.h: the settings of the check command, for a local check and for a server's. */
#ifndef OMEN_CLI_CHECK_SETTINGS_H
#define OMEN_CLI_CHECK_SETTINGS_H

#include "base/model_options.h"
#include "base/plan_options.h"
#include "base/property_options.h"

typedef struct cli_server_settings {
    const char *url, *token_file, *ca_file; /* or NULL */
} cli_server_settings;

#define CLI_SERVER_OPTIONS(type)                                                                   \
    CLI_ROW("server", 0, CLI_SERVER, "URL", "check on an omend: http(s)://HOST:PORT or unix:PATH", \
        cli_set_text, CLI_AT(type, server.url)),                                                   \
        CLI_ROW("token-file", 0, CLI_SERVER, "FILE",                                               \
            "the server's token (default: the variable OMEN_TOKEN)", cli_set_text,                 \
            CLI_AT(type, server.token_file)),                                                      \
        CLI_ROW("ca-file", 0, CLI_SERVER, "FILE", "certificates to trust (default: the system's)", \
            cli_set_text, CLI_AT(type, server.ca_file))

typedef struct check_settings {
    cli_model_settings model;
    cli_properties properties;
    om_plan_options plan;
    const char *lasso; /* file for counterexamples; or NULL */
    bool whole_run;    /* the run after the violation is kept */
    bool plan_only;
    bool fail_fast; /* no property is checked after the first violation */
    cli_server_settings server;
} check_settings;

/* Validates the settings, and completes the properties. OM_OK, or OM_EUSAGE with a message. */
int check_complete(cli *c, check_settings *s);

#endif
