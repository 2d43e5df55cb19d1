/* SPDX-License-Identifier: Apache-2.0 */
/* plot.h: plots of views, drawn by gnuplot. */
#ifndef OMEN_BENCH_PLOT_H
#define OMEN_BENCH_PLOT_H

#include "view.h"

/*
 * Appends data and script of a plot. The script reads NAME.dat and writes NAME.svg and NAME.png in
 * gnuplot's working directory. Appends nothing if the view has no plot or no measured entry.
 */
int bench_put_plot(const bench_results *r, om_context *ctx, const bench_view *v, const char *name,
    om_text *data, om_text *script);

/* Runs gnuplot with FOLDER/NAME.gp. *why is NULL, or a constant: the reason why there is no
 * picture. */
int bench_draw(om_context *ctx, const char *folder, const char *name, const char **why);

#endif
