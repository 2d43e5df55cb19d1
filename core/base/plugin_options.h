/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_options.h: parses the values of a plug-in's options by its table. */
#ifndef OM_BASE_PLUGIN_OPTIONS_H
#define OM_BASE_PLUGIN_OPTIONS_H

#include <omen/plugin/base.h>

/* Sets values[i] for table[i] from "name=val,name=val" (NULL or "": defaults). "name" alone means
 * 1, except for options with named values (`names`, or NULL). OM_OK; OM_EUSAGE: `who` has no such
 * option, or does not accept the value. */
int om_plugin_options__parse(om_context *ctx, const char *who, const om_option *table,
    const om_option_names *names, const char *text, int64_t *values);
size_t om_plugin_options__count(const om_option *table);
/* Returns the names of the option's values, followed by NULL; or NULL if the values are numbers. */
const char *const *om_plugin_options__names(const om_option_names *names, const om_option *option);

#endif
