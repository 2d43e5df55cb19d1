/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renders counterexamples in other formats than the stored one. `omen show` does that, under
 * omend-job and in the sandbox of jobs, because it reads the untrusted model again. One at a time,
 * in a thread of its own; the results are not stored.
 */
#ifndef OMEND_RENDERER_H
#define OMEND_RENDERER_H

#include "config.h"
#include "http/problem.h"

#include <jansson.h>

typedef struct omend_renderer omend_renderer;

/* A request for a rendering. Its texts are borrowed until `done` is called, once, by the renderer's
 * thread; then `text` (freed by the caller) or the problem is set. */
typedef struct omend_rendering {
    const char *lasso, *model, *name, *language, *format;
    size_t lasso_length, model_length;
    void (*done)(struct omend_rendering *self);
    char *text;
    size_t length;
    omend_problem problem;
    struct omend_rendering *next; /* used by the renderer */
} omend_rendering;

/* Starts the thread. The settings outlive it. OM_EIO, OM_ENOMEM. */
int renderer_start(omend_renderer **out, om_context *ctx, const omend_settings *settings);
/* Queues a request. Returns false with the problem set if too many wait, or the renderer is ending.
 * Thread-safe. */
bool renderer_submit(omend_renderer *r, omend_rendering *asked);
/* Ends all waiting requests with a problem, and returns when the thread has ended. */
void renderer_stop(omend_renderer *r);
/* Frees the renderer after renderer_stop(), when no thread uses it any more. NULL is ignored. */
void renderer_free(omend_renderer *r);

#endif
