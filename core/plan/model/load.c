/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/load.h>

#include <assert.h>
#include <string.h>

/* Larger inputs are rejected as mistakes. In bytes. */
enum { MODEL_BYTES = 64 << 20 };

/* Returns true if the front end reads files with the path's suffix. */
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

/* Returns entry i of the registry if it is a front end, else NULL. */
static const om_frontend *frontend_at(const om_registry *registry, size_t i)
{
    const om_plugin *p = om_registry_entry(registry, i)->plugin;
    return p == NULL || p->kind != OM_PLUGIN_FRONTEND ? NULL
                                                      : (const om_frontend *) (const void *) p;
}

static const om_frontend *pick_by_name(const om_registry *registry, const char *path)
{
    for (size_t i = 0; i < om_registry_count(registry); i++) {
        const om_frontend *f = frontend_at(registry, i);
        if (f != NULL && reads(f, path))
            return f;
    }
    return NULL;
}

static const om_frontend *pick_by_text(const om_registry *registry, const char *text, size_t length)
{
    for (size_t i = 0; i < om_registry_count(registry); i++) {
        const om_frontend *f = frontend_at(registry, i);
        if (f != NULL && f->recognises != NULL && f->recognises(text, length))
            return f;
    }
    return NULL;
}

/* `looked`: the text was examined, too */
static int fail_to_pick(om_context *ctx, const om_registry *registry, const char *path, bool looked)
{
    om_text known = { .heap = om_context_heap(ctx) }, names = { .heap = om_context_heap(ctx) };
    for (size_t i = 0; i < om_registry_count(registry); i++) {
        const om_frontend *f = frontend_at(registry, i);
        if (f == NULL)
            continue;
        om_text_printf(&names, "%s%s", names.length == 0 ? "" : ", ", f->head.name);
        for (const char *const *s = f->suffixes; *s != NULL; s++)
            om_text_printf(&known, "%s%s", known.length == 0 ? "" : ", ", *s);
    }
    const char *quote = *path == '\0' ? "'" : "";
    int rc = om_fail(ctx, OM_EUSAGE, NULL,
        "%s%s%s: no front end reads such a file (known: %s)%s; --frontend NAME selects one (%s)",
        quote, path, quote, known.text == NULL ? "none; no front end was found" : known.text,
        looked ? ", and the language of its text is not recognised" : "",
        names.text == NULL ? "none" : names.text);
    om_text_free(&known);
    om_text_free(&names);
    return rc;
}

int om_frontend_pick(om_context *ctx, const om_registry *registry, const char *path,
    const char *text, size_t length, const om_frontend **out)
{
    const om_frontend *f = pick_by_name(registry, path);
    if (f == NULL && text != NULL)
        f = pick_by_text(registry, text, length);
    if (f == NULL)
        return fail_to_pick(ctx, registry, path, text != NULL);
    *out = f;
    return OM_OK;
}

/* Rejects options about preprocessing for languages that have none. */
static int vet_sources(om_context *ctx, const om_frontend *f)
{
    const om_sources *s = om_context_sources(ctx);
    const char *option = s->definition_count != 0 ? "-D"
                         : s->folder_count != 0   ? "-I"
                         : s->root_count != 0     ? "--include-root"
                                                  : NULL;
    if (option == NULL || (f->flags & OM_FRONTEND_PREPROCESSED) != 0)
        return OM_OK;
    return om_fail(ctx, OM_EUSAGE, NULL,
        "%s is for languages with a preprocessor, but the language of front end '%s' has none",
        option, f->head.name);
}

/* A file and its front end */
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
    if (named == NULL) {
        in->frontend = pick_by_name(registry, path);
        rc = OM_OK;
        if (in->frontend == NULL) {
            rc = om_read_file(ctx, path, MODEL_BYTES, &in->text, &in->length);
            if (rc == OM_OK)
                rc = om_frontend_pick(ctx, registry, path, in->text, in->length, &in->frontend);
        }
    } else {
        rc = om_registry_find_with(registry, OM_PLUGIN_FRONTEND, named, &plugin, &given);
        in->frontend = (const om_frontend *) (const void *) plugin;
    }
    if (rc != OM_OK)
        return rc;
    assert(in->frontend != NULL);
    rc = vet_sources(ctx, in->frontend);
    if (rc != OM_OK)
        return rc;
    return om_plugin_options(ctx, &in->frontend->head, given, &in->options);
}

/* Reads the text, unless it was read to detect the language. */
static int read_text(om_context *ctx, const char *path, input *in)
{
    return in->text != NULL ? OM_OK : om_read_file(ctx, path, MODEL_BYTES, &in->text, &in->length);
}

static void close_input(const om_context *ctx, input *in)
{
    OM_FREE_ALL(om_context_heap(ctx), in->options, in->text);
}

int om_frontend_load_text(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out, char **source)
{
    input in = { .frontend = NULL };
    int rc = pick(ctx, registry, named, path, &in);
    if (rc == OM_OK)
        rc = read_text(ctx, path, &in);
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
    const bool reads_nets = rc == OM_OK && in.frontend->net != NULL;
    if (rc == OM_OK && !reads_nets)
        rc = om_fail(ctx, OM_EUSAGE, NULL, "%s: front end '%s' does not read Petri nets", path,
            in.frontend->head.name);
    if (rc == OM_OK)
        rc = read_text(ctx, path, &in);
    if (rc == OM_OK && reads_nets)
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
            ctx, OM_EUNSUPPORTED, NULL, "no LTL translator was found (see 'omen plugins')");
    if (t->translate_by != NULL)
        return t->translate_by(ctx, l, f, given == NULL ? "" : given, out);
    rc = om_plugin_options(ctx, &t->head, given, &options);
    if (rc == OM_OK)
        rc = t->translate(ctx, l, f, options, out);
    om_free(om_context_heap(ctx), options);
    return rc;
}
