/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printed.h: what the steps of a lasso print, one after the other. The model says it
 * (om_model_set_prints()), by the values that the run has with nothing forgotten; where it only
 * stands in for the lasso's own, the lasso says it.
 */
#ifndef OMEN_LASSO_PRINTED_H
#define OMEN_LASSO_PRINTED_H

#include <omen/host/lasso.h>

typedef struct om_printed {
    const om_lasso *l;
    const om_model *m;
    uint32_t *state; /* what the run has come to; NULL: the model prints nothing */
    size_t at;       /* of the next step */
    om_text raw, text;
} om_printed;

/* The lasso is one of the model; both are borrowed. OM_OK, or OM_ENOMEM, and nothing is open. */
int om_printed__open(om_printed *p, const om_lasso *l, const om_model *m);
void om_printed__close(om_printed *p);
/*
 * What the next step prints, that which leaves the first state first; NULL: nothing, or (see
 * om_printed__status()) memory is out. It is UTF-8: NUL, and what is none, have become U+FFFD.
 * Until the next call.
 */
const char *om_printed__next(om_printed *p);
/* OM_OK or OM_ENOMEM. */
int om_printed__status(const om_printed *p);
/* The text on one line, for drawings: without the end of its last line. */
void om_printed__put_line(const char *text, om_text *out);

/* As om_lasso_read(), where the model stands in: what is printed is what the text says. */
int om_lasso__read_said(om_lasso *out, om_context *ctx, const om_model *m, const char *file,
    const char *text, size_t length, char **property);

#endif
