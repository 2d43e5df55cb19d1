/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the values of a plug-in's options, as its table has them. */
#ifndef OM_BASE_OPTIONS_H
#define OM_BASE_OPTIONS_H

#include <omen/plugin/base.h>

/* Fills values[i] for table[i] from "name=val,name=val" (NULL or "": defaults). "name" alone is 1.
 * OM_OK; OM_EUSAGE: `who` has no such option, or its value is out of range. */
int om_options__parse(
    om_context *ctx, const char *who, const om_option *table, const char *text, int64_t *values);
size_t om_options__count(const om_option *table);

#endif
