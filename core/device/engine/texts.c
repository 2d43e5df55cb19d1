/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts that devices' compilers get for an engine: the engine is opened on devices that compute
 * nothing (dry/dry.h), each in place of another, so the texts are those that would be built.
 */
#include "builds.h"
#include "dry/dry.h"
#include "engine.h"
#include "opencl/opencl.h"

#include <omen/host/devices.h>

typedef struct reader {
    om_context *ctx;
    int (*take)(void *self, const om_program_text *text);
    void *self;
    pthread_mutex_t lock; /* members of a group are opened concurrently: serialises take() */
    om_devices owner;
    om_device imagined; /* a GPU, for a spec without a device */
    om_opencl_device own;
    om_dry *dry; /* in place of each member of a group, or of the one device */
    om_device **members;
    om_device group;
} reader;

static int take_text(
    void *self, const om_dry *dry, const om_recipe *recipe, const char *source, const char *options)
{
    reader *r = self;
    om_text kernels = { .heap = r->owner.heap };
    for (size_t i = 0; i < recipe->count; i++)
        om_text_printf(&kernels, "%s%s", i == 0 ? "" : " ", recipe->shapes[i].name);
    const om_program_text text = { dry->like->info.name, kernels.text, source, options, NULL };
    pthread_mutex_lock(&r->lock);
    int rc = kernels.failed ? OM_ENOMEM : r->take(r->self, &text);
    pthread_mutex_unlock(&r->lock);
    om_text_free(&kernels);
    return rc;
}

/* Makes r->dry for `count` devices. Returns the device that stands for all of them, or NULL if
 * memory runs out. */
static om_device *open_dry(reader *r, om_device *const *like, size_t count)
{
    if (!OM_NEW(r->owner.heap, r->dry, count) ||
        !om_new_array(r->owner.heap, (void *) &r->members, count, sizeof(void *)))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        r->dry[i] = (om_dry){ .like = like[i], .take = take_text, .self = r };
        om_dry__open(&r->dry[i], &r->owner);
        r->members[i] = &r->dry[i].device;
    }
    if (count == 1)
        return r->members[0];
    r->group = (om_device){ .owner = &r->owner,
        .info = r->members[0]->info,
        .test = OM_TEST_PASSED,
        .members = r->members,
        .member_count = count };
    return &r->group;
}

static int read_texts(reader *r, const om_engine_spec *spec)
{
    om_engine_spec dry = *spec;
    om_engine *engine = NULL;
    om_device *one = spec->device;
    if (one == NULL) {
        one = &r->imagined;
        om_opencl__imagine(one, &r->own);
    }
    dry.device = one->member_count != 0 ? open_dry(r, one->members, one->member_count)
                                        : open_dry(r, &one, 1);
    if (dry.device == NULL)
        return om_fail_memory(r->ctx);
    int rc = om_engine_open(&engine, r->ctx, &dry);
    om_engine_close(engine);
    return rc;
}

int om_engine_texts(om_context *ctx, const om_engine_spec *spec,
    int (*take)(void *self, const om_program_text *text), void *self)
{
    reader r = { .ctx = ctx,
        .take = take,
        .self = self,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .owner = { .ctx = ctx, .heap = om_context_heap(ctx) } };
    if (om_builds__open(&r.owner) != OM_OK)
        return om_fail(ctx, OM_EIO, NULL, "cannot create a lock");
    int rc = read_texts(&r, spec);
    om_builds__close(&r.owner);
    (void) pthread_mutex_destroy(&r.lock);
    OM_FREE_ALL(r.owner.heap, r.members, r.dry);
    return rc;
}
