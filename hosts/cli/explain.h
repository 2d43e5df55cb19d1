/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h: what the files of the explain command share. */
#ifndef OMEN_CLI_EXPLAIN_H
#define OMEN_CLI_EXPLAIN_H

#include "cli.h"

/* explained.c: as text, and as JSON. OM_OK, or what failed. */
int cli_put_explanation(cli *c, const om_model *model, const om_explanation *e);
int cli_put_explanation_json(cli *c, const om_model *model, const om_explanation *e);

#endif
