/* SPDX-License-Identifier: Apache-2.0 */
/* explanation.h: the settings and the output of the explain command. */
#ifndef OMEN_CLI_EXPLANATION_H
#define OMEN_CLI_EXPLANATION_H

#include "base/model_options.h"
#include "base/property_options.h"

typedef struct explain_settings {
    cli_model_settings model;
    cli_properties properties;
    om_plan_options plan;
    uint64_t each_ns;      /* time for the check without one transition */
    om_switch transitions; /* OFF: there are no such checks */
    bool all;              /* prints also what is no reason for the violation */
} explain_settings;

/* explanation_text.c, explanation_json.c: print an explanation, as text and as JSON. Return OM_OK
 * or an error. */
int cli_put_explanation(
    cli *c, const explain_settings *set, const om_model *model, const om_explanation *e);
int cli_put_explanation_json(
    cli *c, const explain_settings *set, const om_model *model, const om_explanation *e);

#endif
