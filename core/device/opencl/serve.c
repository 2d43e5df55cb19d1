/* SPDX-License-Identifier: Apache-2.0 */
/* The work of omen-build-opencl (kernel_builder.c): see compile.c and wire.h. */
#include "devices.h"

#include "opencl.h"
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* Time limit for the wait for another question. */
enum { PATIENCE_MS = 1000 };

/* A question: `text` holds all strings. */
typedef struct order {
    om_question head;
    char *text;
    const char *name, *driver, *options;
    om_recipe recipe;
    om_shape shapes[OM_MOST_KERNELS];
} order;

/* Returns the string at *at, and moves *at to the next one; NULL if there is none. */
static const char *next_string(const order *o, size_t *at)
{
    const char *text = o->text + *at;
    if (*at >= o->head.bytes)
        return NULL;
    *at += strlen(text) + 1; /* a NUL follows the last byte */
    return text;
}

static bool read_order(int fd, const om_heap *heap, order *o)
{
    size_t at = 0;
    if (om_wire__receive(fd, NULL, &o->head, sizeof o->head) != OM_OK ||
        memcmp(o->head.magic, om_wire__magic, sizeof o->head.magic) != 0 ||
        o->head.bytes > OM_WIRE_MOST_BYTES || o->head.shapes > OM_MOST_KERNELS ||
        (o->text = om_alloc(heap, (size_t) o->head.bytes + 1, 1)) == NULL ||
        om_wire__receive(fd, NULL, o->text, (size_t) o->head.bytes) != OM_OK)
        return false;
    o->text[o->head.bytes] = '\0';
    o->name = next_string(o, &at);
    o->driver = next_string(o, &at);
    o->options = next_string(o, &at);
    o->recipe =
        (om_recipe){ .source = next_string(o, &at), .shapes = o->shapes, .count = o->head.shapes };
    bool whole = o->recipe.source != NULL;
    for (uint32_t i = 0; whole && i < o->head.shapes; i++) {
        o->shapes[i].name = next_string(o, &at);
        o->shapes[i].args = next_string(o, &at);
        whole = o->shapes[i].args != NULL;
    }
    return whole;
}

/* Opens the devices at the first question. */
static int open_device(om_context *ctx, om_devices **all, const order *o, om_device **out)
{
    const char *why = "no reason given";
    const om_devices_choice only = { .opencl = true };
    int rc = *all != NULL ? OM_OK : om_devices__open(all, ctx, &only, &why);
    if (rc != OM_OK)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "no OpenCL in the compiler process: %s", why);
    om_device *d = o->head.device < (*all)->count ? &(*all)->items[o->head.device] : NULL;
    if (d == NULL || strcmp(d->info.name, o->name) != 0 || strcmp(d->info.driver, o->driver) != 0)
        return om_fail(
            ctx, OM_EUNSUPPORTED, NULL, "device %s: not found in the compiler process", o->name);
    d->local = o->head.local;
    *out = d;
    return om_device__start(d, ctx);
}

/* Reads a question and answers it. Returns false if it is not valid, or the answer cannot be
 * sent. */
static bool serve(int socket, om_context *ctx, om_devices **all)
{
    const om_heap *heap = om_context_heap(ctx);
    order o = { 0 };
    om_device *d = NULL;
    om_built built = { 0 };
    unsigned char *binary = NULL;
    om_answer a = { 0 };
    size_t length = 0;
    bool good = read_order(socket, heap, &o);
    if (good) {
        memcpy(a.magic, om_wire__magic, sizeof a.magic);
        a.rc = open_device(ctx, all, &o, &d);
        if (a.rc == OM_OK)
            a.rc = om_opencl__compile(d, ctx, &o.recipe, o.options, &built, &binary, &length);
        const void *bytes = a.rc == OM_OK ? (const void *) binary : om_context_error(ctx);
        a.bytes = a.rc == OM_OK ? length : strlen(om_context_error(ctx));
        good =
            om_wire__send(socket, &a, sizeof a) && om_wire__send(socket, bytes, (size_t) a.bytes);
    }
    if (d != NULL)
        om_opencl__release(d, &built);
    om_free(heap, binary);
    om_free(heap, o.text);
    return good;
}

/* Returns true if there is another question; false if the other end is closed, or after the time
 * limit. */
static bool has_request(int socket)
{
    struct pollfd end = { .fd = socket, .events = POLLIN };
    char first;
    int ready;
    do
        ready = poll(&end, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && recv(socket, &first, 1, MSG_PEEK) == 1;
}

bool om_devices_build_for(int socket)
{
    om_context *ctx = NULL;
    om_devices *all = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK)
        return false;
    bool good = true;
    while (good && has_request(socket))
        good = serve(socket, ctx, &all);
    om_devices_close(all);
    om_context_free(ctx);
    return good;
}
