/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/load.h>

#include <assert.h>
#include <string.h>

/* Larger inputs are mistakes. */
enum { MODEL_BYTES = 64 << 20 };

/* The suffix of the path that the front end reads, or NULL. */
static bool reads(const om_frontend *f, const char *path)
{
    size_t n = strlen(path);
    for (const char *const *s = f->suffixes; *s != NULL; s++) {
        size_t k = strlen(*s);
        if (n > k && strcmp(path + n - k, *s) == 0)
            return true;
    }
    return false;
}

int om_frontend_pick(
    om_context *ctx, const om_registry *registry, const char *path, const om_frontend **out)
{
    om_text known = { .heap = om_context_heap(ctx) };
    for (size_t i = 0; i < om_registry_count(registry); i++) {
        const om_plugin *p = om_registry_entry(registry, i)->plugin;
        if (p == NULL || p->kind != OM_PLUGIN_FRONTEND)
            continue;
        const om_frontend *f = (const om_frontend *) (const void *) p;
        if (reads(f, path)) {
            *out = f;
            om_text_free(&known);
            return OM_OK;
        }
        for (const char *const *s = f->suffixes; *s != NULL; s++)
            om_text_printf(&known, "%s%s", known.length == 0 ? "" : ", ", *s);
    }
    int rc = om_fail(ctx, OM_EUSAGE, NULL, "%s%s%s: no front end reads such a file (known: %s)",
        *path == '\0' ? "'" : "", path, *path == '\0' ? "'" : "",
        known.text == NULL ? "none; no front end was found" : known.text);
    om_text_free(&known);
    return rc;
}

/* A file, and who reads it. */
typedef struct input {
    const om_frontend *frontend;
    char *text;
    size_t length;
    int64_t *options;
} input;

static int pick(
    om_context *ctx, const om_registry *registry, const char *named, const char *path, input *in)
{
    const om_plugin *plugin = NULL;
    const char *given = NULL;
    int rc;
    if (named == NULL)
        rc = om_frontend_pick(ctx, registry, path, &in->frontend);
    else {
        rc = om_registry_find_with(registry, OM_PLUGIN_FRONTEND, named, &plugin, &given);
        in->frontend = (const om_frontend *) (const void *) plugin;
    }
    if (rc != OM_OK)
        return rc;
    assert(in->frontend != NULL);
    return om_plugin_options(ctx, &in->frontend->head, given, &in->options);
}

static void close_input(const om_context *ctx, input *in)
{
    om_free(om_context_heap(ctx), in->options);
    om_free(om_context_heap(ctx), in->text);
}

int om_frontend_load_text(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out, char **source)
{
    input in = { .frontend = NULL };
    int rc = pick(ctx, registry, named, path, &in);
    if (rc == OM_OK)
        rc = om_read_file(ctx, path, MODEL_BYTES, &in.text, &in.length);
    if (rc == OM_OK)
        rc = in.frontend->load(ctx, path, in.text, in.length, in.options, out);
    if (rc == OM_OK) {
        *source = in.text;
        in.text = NULL;
        if (frontend != NULL)
            *frontend = in.frontend;
    }
    close_input(ctx, &in);
    return rc;
}

int om_frontend_load(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out)
{
    char *text = NULL;
    int rc = om_frontend_load_text(ctx, registry, named, path, frontend, out, &text);
    om_free(om_context_heap(ctx), text);
    return rc;
}

int om_frontend_load_net(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_net **out)
{
    input in = { .frontend = NULL };
    int rc = pick(ctx, registry, named, path, &in);
    if (rc == OM_OK && in.frontend->net == NULL)
        rc = om_fail(ctx, OM_EUSAGE, NULL, "%s: front end '%s' reads no Petri nets", path,
            in.frontend->head.name);
    if (rc == OM_OK)
        rc = om_read_file(ctx, path, MODEL_BYTES, &in.text, &in.length);
    if (rc == OM_OK)
        rc = in.frontend->net(ctx, path, in.text, in.length, in.options, out);
    if (rc == OM_OK && frontend != NULL)
        *frontend = in.frontend;
    close_input(ctx, &in);
    return rc;
}

/* ---- translators ---- */

static const om_translator *best_translator(const om_registry *registry)
{
    const om_translator *best = NULL;
    for (size_t i = 0; i < om_registry_count(registry); i++) {
        const om_plugin *p = om_registry_entry(registry, i)->plugin;
        const om_translator *t = (const om_translator *) (const void *) p;
        if (p != NULL && p->kind == OM_PLUGIN_TRANSLATOR && t->rank != 0 &&
            (best == NULL || t->rank > best->rank))
            best = t;
    }
    return best;
}

int om_translate(om_context *ctx, const om_registry *registry, const char *named, om_ltl *l,
    om_ltl_ref f, om_automaton **out)
{
    const om_plugin *plugin = NULL;
    const char *given = NULL;
    int64_t *options = NULL;
    const om_translator *t = named == NULL ? best_translator(registry) : NULL;
    int rc = OM_OK;
    if (named != NULL) {
        rc = om_registry_find_with(registry, OM_PLUGIN_TRANSLATOR, named, &plugin, &given);
        t = (const om_translator *) (const void *) plugin;
    }
    if (rc != OM_OK)
        return rc;
    if (t == NULL)
        return om_fail(
            ctx, OM_EUNSUPPORTED, NULL, "no translator of LTL is there (see 'omen plugins')");
    if (t->translate_by != NULL)
        return t->translate_by(ctx, l, f, given == NULL ? "" : given, out);
    rc = om_plugin_options(ctx, &t->head, given, &options);
    if (rc == OM_OK)
        rc = t->translate(ctx, l, f, options, out);
    om_free(om_context_heap(ctx), options);
    return rc;
}
