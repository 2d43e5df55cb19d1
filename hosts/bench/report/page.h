/* SPDX-License-Identifier: Apache-2.0 */
/* page.h: a self-contained HTML page with all results of a run. */
#ifndef OMEN_BENCH_PAGE_H
#define OMEN_BENCH_PAGE_H

#include "view.h"

typedef struct bench_page_part {
    const bench_results *results;
    const bench_pair *set; /* variables of the command line */
    const char *pictures;  /* view NAME is drawn in PICTURES-NAME.svg; NULL: no pictures */
} bench_page_part;

typedef struct bench_page {
    const char *title;
    const bench_pair *notes;
    const bench_page_part *parts;
    size_t count;
    const char *no_pictures; /* why there are no pictures, or NULL */
} bench_page;

/* Appends the page as XML that is also HTML. Returns OM_OK, OM_ENOMEM, or OM_EINPUT (see
 * bench_judge()). */
int bench_put_page(const bench_page *p, om_context *ctx, om_text *out);

#endif
