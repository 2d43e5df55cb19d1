/* SPDX-License-Identifier: Apache-2.0 */
/* explanation.h: the output of the explain command. */
#ifndef OMEN_CLI_EXPLANATION_H
#define OMEN_CLI_EXPLANATION_H

#include "cli.h"

/* explanation_text.c, explanation_json.c: print an explanation, as text and as JSON. Return OM_OK
 * or an error. */
int cli_put_explanation(cli *c, const om_model *model, const om_explanation *e);
int cli_put_explanation_json(cli *c, const om_model *model, const om_explanation *e);

#endif
