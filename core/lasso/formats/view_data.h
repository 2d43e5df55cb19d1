/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_data.h: the view of a run in a web page: the script and style of the folder view, merged and
 * embedded when the library is built (view/embed.cmake). The script defines one name, omenRun; its
 * mount(element, data) takes the output of om_lasso_write_view().
 */
#ifndef OMEN_LASSO_VIEW_DATA_H
#define OMEN_LASSO_VIEW_DATA_H

/* NUL-terminated. */
extern const char om_view__script[], om_view__style[];
/* A Content-Security-Policy for a page that has only these two inline, by their hashes. */
extern const char om_view__policy[];

#endif
