/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formats.h: the formats in which lassos are written. A new format is a file format_NAME.c with a
 * function om_lasso__write_NAME(), and a line here; hosts take the names from om_lasso_formats().
 */
#ifndef OMEN_LASSO_FORMATS_H
#define OMEN_LASSO_FORMATS_H

#include <omen/host/lasso.h>

/* File name extensions; the first format is for terminals. */
#define OM_LASSO_FORMATS(FORMAT) \
    FORMAT(txt)                  \
    FORMAT(json)                 \
    FORMAT(html)                 \
    FORMAT(svg)                  \
    FORMAT(dot)                  \
    FORMAT(csv)                  \
    FORMAT(trail)                \
    FORMAT(view)

/* Appends a lasso of the model. Returns the status of `out`, or that of om_lasso_states__next()
 * (states.h), which gives the states one by one. */
typedef int om_lasso__writer(
    const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out);

#define DECLARED(name) om_lasso__writer om_lasso__write_##name;
OM_LASSO_FORMATS(DECLARED)
#undef DECLARED

#endif
