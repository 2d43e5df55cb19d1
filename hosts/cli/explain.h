/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h: declarations shared by the files of the explain command. */
#ifndef OMEN_CLI_EXPLAIN_H
#define OMEN_CLI_EXPLAIN_H

#include "cli.h"

/* explained.c, explained_json.c: print an explanation, as text and as JSON. Return OM_OK or an
 * error. */
int cli_put_explanation(cli *c, const om_model *model, const om_explanation *e);
int cli_put_explanation_json(cli *c, const om_model *model, const om_explanation *e);

#endif
