/* SPDX-License-Identifier: Apache-2.0 */
#include "dry.h"

#include <string.h>

/* Stands for memory, streams, programs and kernels, all of which are empty. */
static char nothing;

static om_dry *dry_of(const om_device *d)
{
    return d->own;
}

static int start(om_device *d)
{
    (void) d;
    return 0;
}

static om_stream *stream_open(om_device *d, int *error)
{
    (void) d;
    *error = 0;
    return (om_stream *) &nothing;
}

static void stream_close(om_device *d, om_stream *s)
{
    (void) d;
    (void) s;
}

static om_memory *take(om_device *d, const om_memory_spec *spec, int *error)
{
    (void) d;
    (void) spec;
    *error = 0;
    return (om_memory *) &nothing;
}

static void give(om_device *d, om_stream *s, om_memory *m)
{
    (void) d;
    (void) s;
    (void) m;
}

static int copy(om_device *d, om_stream *s, const om_copy *c)
{
    (void) d;
    (void) s;
    (void) c;
    return 0;
}

static int zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes)
{
    (void) d;
    (void) s;
    (void) m;
    (void) at;
    (void) bytes;
    return 0;
}

static int write_memory(
    om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n)
{
    (void) d;
    (void) s;
    (void) m;
    (void) at;
    (void) from;
    (void) n;
    return 0;
}

static int read_memory(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event)
{
    (void) d;
    (void) s;
    memset(to, 0, c->bytes);
    if (event != NULL)
        *event = (om_event *) &nothing;
    return 0;
}

static int launch(om_device *d, om_stream *s, const om_launch *l)
{
    (void) d;
    (void) s;
    (void) l;
    return 0;
}

static int mark(om_device *d, om_stream *s, om_event **event)
{
    (void) d;
    (void) s;
    *event = (om_event *) &nothing;
    return 0;
}

static int wait_for_event(om_device *d, om_stream *s, om_event *event, uint64_t until_ns)
{
    (void) d;
    (void) s;
    (void) event;
    (void) until_ns;
    return 0;
}

static int build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out)
{
    const om_dry *dry = dry_of(d);
    om_text source = { .heap = d->owner->heap }, options = { .heap = d->owner->heap };
    int rc = dry->like->backend->describe(dry->like, recipe, &source, &options);
    if (rc == OM_OK)
        rc = source.failed || options.failed ? OM_ENOMEM : OM_OK;
    if (rc == OM_OK)
        rc = dry->take(dry->self, dry, recipe, source.text, options.text);
    om_text_free(&source);
    om_text_free(&options);
    if (rc != OM_OK)
        return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
    *out = (om_built){ .program = (om_program *) &nothing };
    for (size_t i = 0; i < recipe->count; i++)
        out->kernels[i] = (om_kernel *) &nothing;
    return OM_OK;
}

static void release(om_device *d, om_built *b)
{
    (void) d;
    *b = (om_built){ 0 };
}

static size_t group_limit(om_device *d, om_kernel *k)
{
    (void) k;
    return d->local;
}

static const char *error_text(int error)
{
    (void) error;
    return "nothing is computed";
}

static bool is_memory(int error)
{
    (void) error;
    return false;
}

static const om_backend backend = {
    .name = "dry",
    .start = start,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .take = take,
    .give = give,
    .copy = copy,
    .zero = zero,
    .write = write_memory,
    .read = read_memory,
    .launch = launch,
    .mark = mark,
    .wait = wait_for_event,
    .build = build,
    .release = release,
    .group_limit = group_limit,
    .error_text = error_text,
    .is_memory = is_memory,
};

void om_dry__open(om_dry *dry, om_devices *owner)
{
    dry->device = *dry->like;
    dry->device.owner = owner;
    dry->device.backend = &backend;
    dry->device.own = dry;
    dry->device.test = OM_TEST_PASSED;
    dry->device.host_memory = dry->device.own_pages = false;
    dry->device.simulated = true; /* one program after the other, in this thread */
}
