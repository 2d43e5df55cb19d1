/* SPDX-License-Identifier: Apache-2.0 */
/* automata.h: what commands on automata share. */
#ifndef OMEN_CLI_AUTOMATA_H
#define OMEN_CLI_AUTOMATA_H

#include "base/session.h"

/* Translates the formula of the first argument with this translator (NULL: the one of highest
 * rank). The caller frees *out. */
int cli_translate(cli *c, const char *translator, om_automaton **out);
/* Returns name i that --to of translate and convert accepts, formats included; NULL after the last.
 */
const char *cli_to_name(size_t i);

#endif
