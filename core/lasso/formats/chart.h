/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.h: a run as a sequence chart: the processes that take part in each transition, and the
 * messages that go through each channel.
 *
 * A model names the process of a transition and its partner in a synchronous pair (om_transition).
 * It represents neither channels nor transitions of more than two processes; labels describe those,
 * in the form that the front end for DVE writes and others may write:
 *
 *     label   = move { " | " move } [" (" channel ["!" | "?"] ")"]
 *     move    = process ": " TEXT
 *
 * Without a sign, the channel hands a message over at once, from the first process to the second.
 * "!" puts a message into the channel and "?" takes one out. The channel then has a slot
 * "CHANNEL.count" or "CHANNEL.len", followed by an array "CHANNEL", or by arrays "CHANNEL.0",
 * "CHANNEL.1" ... for the components of a message; index 0 holds the next message to be taken. The
 * states before and after the step identify the message: it may be put before others, and taken
 * from between them. A channel "NAME[*]" is one of those of an array, and "*" any: the one whose
 * number of messages the step changes. Any other label is plain text.
 */
#ifndef OMEN_LASSO_CHART_H
#define OMEN_LASSO_CHART_H

#include <omen/host/lasso.h>

typedef enum om_chart_sign {
    OM_CHART_ALONE,  /* no channel */
    OM_CHART_HANDED, /* over from processes[first] to processes[first + 1] */
    OM_CHART_PUT,
    OM_CHART_TAKEN
} om_chart_sign;

/* A transition of the model that the run takes. */
typedef struct om_chart_move {
    uint32_t transition;
    size_t first; /* its processes are processes[first], ... */
    uint32_t count;
    om_chart_sign sign;
    const char *name; /* of the channel: `length` bytes of the label */
    size_t length;
    uint32_t channel; /* channel of a put or take; OM_CHART_ONE_OF; else OM_NONE */
} om_chart_move;
#define OM_CHART_ONE_OF (OM_NONE - 1) /* the states before and after tell which */

/* A buffered channel; components are the slots from count_slot + 1 on. */
typedef struct om_chart_channel {
    const char *name; /* name of the slot; the first `length` bytes are the channel's name */
    size_t length;
    uint32_t count_slot, components;
    size_t *inside; /* messages in it, in order; SIZE_MAX: put there by no step of the run */
    size_t inside_count, inside_room;
} om_chart_channel;

/* A message put into a channel or taken out of it by step `step`; steps count from 1. */
typedef struct om_chart_message {
    size_t step;
    size_t other; /* message of the matching take or put; SIZE_MAX: none */
    uint32_t channel;
    uint32_t place; /* index in the channel: after the step for a put, before it for a take */
    bool put;
} om_chart_message;

typedef struct om_chart {
    const om_heap *heap;
    const om_lasso *l;
    const om_model *m;
    size_t steps;      /* number of steps: to each state but the first, and back to the cycle */
    uint32_t *move_of; /* by transition of the model: its move, or OM_NONE */
    om_chart_move *moves;
    size_t move_count, move_room;
    uint32_t *processes; /* of all moves, one after the other */
    size_t process_count, process_room;
    om_chart_channel *channels;
    size_t channel_count, channel_room;
    bool one_of;                /* some move has OM_CHART_ONE_OF */
    om_chart_message *messages; /* in step order: om_chart__find_messages() */
    size_t message_count, message_room;
} om_chart;

/* Opens a chart of a lasso of the model; both are borrowed. The caller closes the chart whatever is
 * returned: OM_OK or OM_ENOMEM. */
int om_chart__open(om_chart *c, const om_lasso *l, const om_model *m);
/* Finds the messages of the run, which must be one of the model. OM_OK, OM_ENOMEM, or OM_EINPUT
 * without an error message if it is not. */
int om_chart__find_messages(om_chart *c, om_model *m);
void om_chart__close(om_chart *c);
/* Returns the move of a step, which is at least 1. NULL: the state is repeated because no process
 * can move. */
const om_chart_move *om_chart__move(const om_chart *c, size_t step);
/* The state after a step; the last step leads back to the cycle. Step 0: the first state. */
static inline size_t om_chart__state_of(const om_chart *c, size_t step)
{
    return step < c->l->count ? step : c->l->loop;
}
/* Appends the content of a message, "3" or "(1, 3)", read from the states before and after its
 * step. */
void om_chart__put_content(const om_chart *c, const om_chart_message *message,
    const uint32_t *before, const uint32_t *after, om_text *out);

#endif
