/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of the host: a recipe's text after om_host.h, with a function for each kernel, is
 * handled as native code (model/native/native.h): compiled in a separate process, opened, and
 * cached under the text and the compiler.
 *
 * A library built with a sanitizer builds its kernels with it, too, by the same compiler
 * (OM_HOST_COMPILER, OM_HOST_SANITIZE of CMakeLists.txt): they share its run-time.
 */
#include "host.h"

#include "kernels.h"
#include "native/native_make.h"
#include "files/cache.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { WHY = 512 };

bool om_host__traces(const om_device *d)
{
    const om_host_setting *setting = d->own;
    return setting->order == OM_HOST_TRACED || setting->order == OM_HOST_LOCKSTEP32 ||
           setting->order == OM_HOST_LOCKSTEP64;
}

/* The compiler for a device that traces: see om_host.h. */
static int find_tracing_compiler(om_cc *c, char *why)
{
#ifdef OM_HOST_SANITIZE
    (void) c;
    (void) snprintf(why, WHY, "a build with sanitizers does not trace accesses");
    return OM_EUNSUPPORTED;
#else
    static const char *const flags[] = { "-std=c11", "-w", "-O1", "-fPIC", "-shared", "-fwrapv",
        "-pipe", "-fsanitize=thread", "-nodefaultlibs", "-Wl,--no-as-needed", "-lgcc_s", NULL };
    int rc = om_cc__find(c, why, WHY);
    c->flags = flags;
    return rc;
#endif
}

static int find_compiler(om_cc *c, char *why)
{
#ifdef OM_HOST_SANITIZE
    static const char *const flags[] = { "-std=c11", "-w", "-O1", "-g", "-fPIC", "-shared",
        "-fwrapv", "-pipe", OM_HOST_SANITIZE, NULL };
    int rc = om_cc__named(c, OM_HOST_COMPILER, why, WHY);
    c->flags = flags;
    return rc;
#else
    return om_cc__find(c, why, WHY);
#endif
}

int om_host__fault(const om_heap *heap, char **why)
{
    om_cc c;
    char reason[WHY] = "";
    *why = NULL;
    if (find_compiler(&c, reason) == OM_OK)
        return OM_OK;
    *why = om_strdup(heap, reason);
    return *why != NULL ? OM_OK : OM_ENOMEM;
}

static int compiler_for(const om_device *d, om_cc *c, char *why)
{
    return om_host__traces(d) ? find_tracing_compiler(c, why) : find_compiler(c, why);
}

/* Adds a function that calls the kernel with its arguments. */
static void add_entry(om_text *text, const om_shape *shape, size_t number)
{
    om_text_printf(text,
        "void om_host_kernel_%zu(const om_host_item *item, const om_host_argument *args)\n"
        "{\nom_item = item;\n%s(",
        number, shape->name);
    for (size_t i = 0; shape->args[i] != '\0'; i++)
        om_text_printf(text, "%sargs[%zu].%s", i == 0 ? "" : ", ", i,
            shape->args[i] == 'm' || shape->args[i] == 'n' ? "memory"
            : shape->args[i] == 'u'                        ? "u"
                                                           : "U");
    om_text_add(text, ");\n}\n");
}

static void add_text(const om_device *d, const om_recipe *recipe, om_text *text)
{
    om_text_printf(text, "#define OM_HOST_TEXT\n#define OM_BATCH %u\n#define OM_FILTER %u\n",
        d->batch, d->filter);
    if (om_host__traces(d))
        om_text_add(text, "#define OM_HOST_TRACED\n");
    for (size_t i = 0; i < recipe->define_count; i++)
        om_text_printf(text, "#define %s %u\n", recipe->defines[i].name, recipe->defines[i].value);
    om_text_add(text, om_kernel__host);
    om_text_add(text, recipe->source);
    for (size_t i = 0; i < recipe->count; i++)
        add_entry(text, &recipe->shapes[i], i);
    om_text_add(text, "const om_u32 om_native_kernels = 1;\n"); /* see native_abi.h */
}

int om_host__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options)
{
    om_cc compiler;
    char why[WHY] = "";
    add_text(d, recipe, source);
    if (compiler_for(d, &compiler, why) != OM_OK)
        return OM_OK;
    for (size_t i = 0; compiler.flags[i] != NULL; i++)
        om_text_printf(options, "%s%s", i == 0 ? "" : " ", compiler.flags[i]);
    return OM_OK;
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX says that the bits
 * are the same. */
static bool bind_symbols(om_program *p, const om_recipe *recipe)
{
    for (size_t i = 0; i < recipe->count; i++) {
        char name[48];
        (void) snprintf(name, sizeof name, "om_host_kernel_%zu", i);
        void *symbol = dlsym(p->handle, name);
        if (symbol == NULL)
            return false;
        memcpy(&p->kernels[i].run, &symbol, sizeof symbol);
        p->kernels[i].shape = &recipe->shapes[i];
    }
    return true;
}

/* Loads the object of the text, the first `length` bytes of the key. Statuses as for
 * om_native__make(). */
static int load(om_context *ctx, const om_cc *compiler, const om_text *key, size_t length,
    void **handle, char *why)
{
    om_native_object made = { 0 };
    int rc = om_native__kept(ctx, key, handle);
    if (rc != OM_ESTOP)
        return rc;
    rc = om_native__make(ctx, compiler, key->text, length, NULL, &made, why, WHY);
    if (rc == OM_OK) {
        om_cache__store_in(ctx, om_cache__native, key, made.bytes, made.size);
        *handle = made.handle;
    }
    om_free(om_context_heap(ctx), made.bytes);
    return rc;
}

static int open_program(om_device *d, om_context *ctx, const om_recipe *recipe, om_program *p)
{
    om_cc compiler;
    char why[WHY] = "";
    om_text text = { .heap = om_context_heap(ctx) };
    add_text(d, recipe, &text);
    int rc = text.failed ? om_fail_memory(ctx) : OM_OK;
    const size_t length = text.length;
    if (rc == OM_OK)
        rc = compiler_for(d, &compiler, why);
    if (rc == OM_OK) {
        om_native__key(&text, &compiler);
        rc = text.failed ? OM_ENOMEM : load(ctx, &compiler, &text, length, &p->handle, why);
    }
    if (rc == OM_OK && !bind_symbols(p, recipe)) {
        (void) snprintf(why, sizeof why, "a kernel is missing");
        om_cache__drop_from(ctx, om_cache__native, &text);
        rc = OM_EUNSUPPORTED;
    }
    om_text_free(&text);
    if (rc == OM_ENOMEM)
        return om_fail_memory(ctx);
    return rc != OM_EUNSUPPORTED ? rc
                                 : om_fail(ctx, rc, NULL, "device %s: the kernels do not build: %s",
                                       d->info.name, why);
}

int om_host__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out)
{
    om_program *p = om_alloc(d->owner->heap, 1, sizeof *p);
    assert(recipe->count <= OM_MOST_KERNELS);
    if (p == NULL)
        return om_fail_memory(ctx);
    om_built built = { .program = p };
    int rc = open_program(d, ctx, recipe, p);
    for (size_t i = 0; i < recipe->count; i++)
        built.kernels[i] = &p->kernels[i];
    if (rc == OM_OK)
        *out = built;
    else
        om_host__release(d, &built);
    return rc;
}

void om_host__release(om_device *d, om_built *b)
{
    if (b->program != NULL && b->program->handle != NULL)
        (void) dlclose(b->program->handle);
    om_free(d->owner->heap, b->program);
    *b = (om_built){ 0 };
}
