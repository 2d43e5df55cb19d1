/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counterexamples in other formats than the one that is kept. `omen show` makes them, under
 * omend-job and in the sandbox of jobs: it reads a model again that may be anything. One at a time,
 * by a thread of its own; nothing is kept.
 */
#ifndef OMEND_RENDERER_H
#define OMEND_RENDERER_H

#include "config.h"
#include "problem.h"

#include <jansson.h>

typedef struct om_renderer om_renderer;

/* One that is asked for. Text is borrowed until `done` is called, once, by the renderer's thread;
 * then `text` (to be freed) or the problem is there. */
typedef struct om_rendering {
    const char *lasso, *model, *name, *language, *format;
    size_t lasso_length, model_length;
    void (*done)(struct om_rendering *self);
    char *text;
    size_t length;
    om_problem problem;
    struct om_rendering *next; /* the renderer's */
} om_rendering;

/* The settings outlive it. OM_EIO, OM_ENOMEM. */
int renderer_start(om_renderer **out, om_context *ctx, const om_settings *settings);
/* False, with the problem: too many wait, or it is ending. Any thread. */
bool renderer_submit(om_renderer *r, om_rendering *asked);
/* Those that wait are told that nothing comes; returns when nobody is at work. */
void renderer_stop(om_renderer *r);
/* After that, when nobody asks any more. NULL: nothing. */
void renderer_free(om_renderer *r);

#endif
