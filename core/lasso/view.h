/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h: what a page shows a run with: script and style of the folder view, put together and
 * embedded when the library is built (view/embed.cmake). The script has one name, omenRun; its
 * mount(element, data) takes what om_lasso_write_view() writes.
 */
#ifndef OMEN_LASSO_VIEW_H
#define OMEN_LASSO_VIEW_H

/* NUL-terminated. */
extern const char om_view__script[], om_view__style[];
/* A Content-Security-Policy for a page that has the two inline, by their hashes, and nothing else.
 */
extern const char om_view__policy[];

#endif
