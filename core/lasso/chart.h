/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.h: a run as a sequence chart: who takes part in each of its transitions, and what goes
 * through which channel.
 *
 * A model says who moves, and who else in a synchronous pair (om_transition). Its form has neither
 * channels nor transitions of more than two; those are told by labels, as the front end for DVE
 * writes them, and others may:
 *
 *     label   = move { " | " move } [" (" channel ["!" | "?"] ")"]
 *     move    = process ": " TEXT
 *
 * Without a sign the channel hands something over at once, from the first process to the second.
 * With "!" something is put into it, with "?" taken out; it has a slot "CHANNEL.count" or
 * "CHANNEL.len" then, and behind that an array "CHANNEL", or one "CHANNEL.0", "CHANNEL.1" ... for
 * each component of a message, with the first that is to be taken at index 0. Which message it is,
 * the states before and behind say: it may be put before others, and taken from between them. A
 * label that is made otherwise is a text.
 */
#ifndef OMEN_LASSO_CHART_H
#define OMEN_LASSO_CHART_H

#include <omen/host/lasso.h>

typedef enum om_chart_sign {
    OM_CHART_ALONE,  /* no channel */
    OM_CHART_HANDED, /* over from who[first] to who[first + 1] */
    OM_CHART_PUT,
    OM_CHART_TAKEN
} om_chart_sign;

/* A transition of the model that the run takes. */
typedef struct om_chart_move {
    uint32_t transition;
    size_t first; /* who[first] and so on: */
    uint32_t count;
    om_chart_sign sign;
    const char *name; /* of the channel: so many bytes of the label */
    size_t length;
    uint32_t channel; /* where something is put or taken, else OM_NONE */
} om_chart_move;

/* One that keeps what is put into it: components are the slots from count_slot + 1 on. */
typedef struct om_chart_channel {
    const char *name; /* that of the slot, of which `length` bytes are the channel's */
    size_t length;
    uint32_t count_slot, components;
    size_t *inside; /* messages that are in it, in its order; SIZE_MAX: one that nobody put there */
    size_t inside_count, inside_room;
} om_chart_channel;

/* Something is put into a channel or taken out by the step with this number, counted from 1 on. */
typedef struct om_chart_message {
    size_t step;
    size_t other; /* the message that takes it out, or that put it in; SIZE_MAX: there is none */
    uint32_t channel;
    uint32_t place; /* in the channel: behind the step where it is put, else before that */
    bool put;
} om_chart_message;

typedef struct om_chart {
    const om_heap *heap;
    const om_lasso *l;
    const om_model *m;
    size_t steps;      /* that the run has: to each state but the first, and back to the cycle */
    uint32_t *move_of; /* by transition of the model: its move, or OM_NONE */
    om_chart_move *moves;
    size_t move_count, move_room;
    uint32_t *who; /* processes */
    size_t who_count, who_room;
    om_chart_channel *channels;
    size_t channel_count, channel_room;
    om_chart_message *messages; /* in the order of the steps: om_chart__find_messages() */
    size_t message_count, message_room;
} om_chart;

/* The lasso is one of the model; both are borrowed. To be closed, whatever is returned: OM_OK or
 * OM_ENOMEM. */
int om_chart__open(om_chart *c, const om_lasso *l, const om_model *m);
/* What goes through channels, of the run, which is one of the model. OM_OK; OM_ENOMEM; OM_EINPUT,
 * with no message: it is no run. */
int om_chart__find_messages(om_chart *c, om_model *m);
void om_chart__close(om_chart *c);
/* The move of a step, which is at least 1; NULL: the state is repeated, for nobody can move. */
const om_chart_move *om_chart__move(const om_chart *c, size_t step);
/* The state behind a step, of which the last leads back to the cycle. Step 0: the first state. */
static inline size_t om_chart__state_of(const om_chart *c, size_t step)
{
    return step < c->l->count ? step : c->l->loop;
}
/* What a message carries: "3", or "(1, 3)"; from the states before its step and behind it. */
void om_chart__put_content(const om_chart *c, const om_chart_message *message,
    const uint32_t *before, const uint32_t *behind, om_text *out);

#endif
