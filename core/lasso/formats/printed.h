/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printed.h: the output of the steps of a lasso, one after the other. The model computes it
 * (om_model_set_prints()) from the values that the run has without resets; if the model only stands
 * in for the lasso's own, the lasso contains it.
 */
#ifndef OMEN_LASSO_PRINTED_H
#define OMEN_LASSO_PRINTED_H

#include <omen/host/lasso.h>

typedef struct om_printed {
    const om_lasso *l;
    const om_model *m;
    uint32_t *state; /* current state of the run; NULL: the model prints nothing */
    size_t at;       /* index of the next step */
    om_text raw, text;
} om_printed;

/*
 * The lasso is one of the model; both are borrowed. Returns OM_OK, or OM_ENOMEM with nothing open.
 */
int om_printed__open(om_printed *p, const om_lasso *l, const om_model *m);
void om_printed__close(om_printed *p);
/*
 * Returns the output of the next step, beginning with the step that leaves the first state. NULL:
 * no output, or memory ran out (om_printed__status()). The text is UTF-8, with NUL and invalid
 * bytes replaced by U+FFFD, and valid until the next call.
 */
const char *om_printed__next(om_printed *p);
/* OM_OK or OM_ENOMEM. */
int om_printed__status(const om_printed *p);
/* Appends the text as one line for drawings, without its last line end. */
void om_printed__put_line(const char *text, om_text *out);

/* As om_lasso_read() for a model that stands in: the printed output is taken from the text. */
int om_lasso__read_with_output(om_lasso *out, om_context *ctx, const om_model *m, const char *file,
    const char *text, size_t length, char **property);

#endif
