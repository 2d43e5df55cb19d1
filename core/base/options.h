/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the values of a plug-in's options, as its table has them. */
#ifndef OM_BASE_OPTIONS_H
#define OM_BASE_OPTIONS_H

#include <omen/plugin/base.h>

/* Fills values[i] for table[i] from "name=val,name=val" (NULL or "": defaults). "name" alone is 1,
 * but for options whose values have names (`names`, or NULL). OM_OK; OM_EUSAGE: `who` has no such
 * option, or its value is none that it takes. */
int om_options__parse(om_context *ctx, const char *who, const om_option *table,
    const om_option_names *names, const char *text, int64_t *values);
size_t om_options__count(const om_option *table);
/* The names of the values of the option, NULL behind them; or NULL: they are numbers. */
const char *const *om_options__names(const om_option_names *names, const om_option *option);

#endif
