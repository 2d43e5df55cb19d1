/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps for a file that may be a plug-in: it is found; inspected (inspect() checks that the
 * file is complete and trusted, and looks up an earlier trial); tried in a child process if it is
 * new (trial.h); and opened in this process if it passed. Each step may end with a reason to refuse
 * the file.
 */
#include "descriptor.h"
#include "inspector.h"
#include "process/library.h"
#include "process/object.h"
#include "plugin_options.h"
#include "seen.h"
#include "trial.h"

#include <omen/host/registry.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct item {
    char *path;
    char *reason; /* NULL: not refused so far */
    bool own;     /* lies in the library's own folder */
    /* Now or earlier; `reason`, or NULL, is then the result. */
    bool tried;
    struct stat file; /* when it was inspected */
    void *handle;
    om_descriptor *copy; /* NULL if not accepted */
    om_plugin_entry entry;
} item;

struct om_registry {
    om_context *ctx;
    const om_heap *heap;
    item *items;
    size_t count, room;
};

/* ---- finding ---- */

static bool is_shared_object(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, ".so") == 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const item *) a)->path, ((const item *) b)->path);
}

static bool is_listed(const om_registry *r, const char *path)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].path, path) == 0)
            return true;
    return false;
}

/* Adds a file to examine. Takes ownership of the text, even on failure. */
static int add_item(om_registry *r, om_text *path, bool own)
{
    item *moved =
        path->failed ? NULL : om_grow(r->heap, r->items, &r->room, r->count + 1, sizeof *moved);
    if (moved == NULL) {
        om_text_free(path);
        return om_fail_memory(r->ctx);
    }
    r->items = moved;
    r->items[r->count++] = (item){ .path = path->text, .own = own };
    return OM_OK;
}

/* Refuses the item if *why has a reason. Takes ownership of *why. */
static int refuse_if(const om_registry *r, item *it, om_text *why)
{
    int rc = why->failed ? om_fail_memory(r->ctx) : OM_OK;
    if (rc == OM_OK && why->length > 0)
        it->reason = why->text;
    else
        om_text_free(why);
    return rc;
}

/* A named folder that cannot be read is listed like a file. */
static int add_unreadable(om_registry *r, const char *folder, int error)
{
    om_text path = { .heap = r->heap }, why = { .heap = r->heap };
    om_text_add(&path, folder);
    int rc = add_item(r, &path, false);
    if (rc == OM_OK) {
        om_text_printf(&why, "cannot be searched: %s", strerror(error));
        rc = refuse_if(r, &r->items[r->count - 1], &why);
    }
    return rc;
}

/* Adds all *.so of a folder, sorted by name. */
static int scan_folder(om_registry *r, const char *folder, bool own)
{
    const size_t first = r->count;
    int rc = OM_OK;
    DIR *dir = opendir(folder);

    if (dir == NULL)
        return own && errno == ENOENT ? OM_OK : add_unreadable(r, folder, errno);
    for (struct dirent *e; rc == OM_OK && (e = readdir(dir)) != NULL;) {
        if (!is_shared_object(e->d_name))
            continue;
        om_text path = { .heap = r->heap };
        om_text_printf(&path, "%s/%s", folder, e->d_name);
        if (!path.failed && is_listed(r, path.text))
            om_text_free(&path);
        else
            rc = add_item(r, &path, own);
    }
    (void) closedir(dir);
    if (r->count > first)
        qsort(r->items + first, r->count - first, sizeof *r->items, by_path);
    return rc;
}

static int scan_path(om_registry *r, const char *list)
{
    int rc = OM_OK;
    while (rc == OM_OK && list != NULL && *list != '\0') {
        size_t n = strcspn(list, ":");
        char *folder = om_strndup(r->heap, list, n);
        rc = folder == NULL ? om_fail_memory(r->ctx)
             : n == 0       ? OM_OK
                            : scan_folder(r, folder, false);
        om_free(r->heap, folder);
        list += n + (list[n] == ':');
    }
    return rc;
}

static int scan_own(om_registry *r)
{
    om_text path = { .heap = r->heap };
    int rc = OM_OK;
    if (om_library__own(&path, "plugins"))
        rc = path.failed ? om_fail_memory(r->ctx) : scan_folder(r, path.text, true);
    om_text_free(&path);
    return rc;
}

/* ---- inspecting ---- */

/* Checks that the item is a complete file that may be opened, and looks up an earlier result. */
static int inspect(const om_registry *r, om_inspector *in, const om_seen *seen, item *it)
{
    om_text why = { .heap = r->heap };
    const char *fault = NULL;
    int fd = om_inspector__open(in, it->path, it->own, &why);
    if (fd >= 0 && fstat(fd, &it->file) != 0)
        om_text_printf(&why, "cannot be opened: %s", strerror(errno));
    else if (fd >= 0) {
        it->tried = om_seen__find(seen, &it->file, &why);
        if (!it->tried && (fault = om_object__fault(fd)) != NULL)
            om_text_printf(&why, "cannot be opened: %s", fault);
    }
    if (fd >= 0)
        (void) close(fd);
    return refuse_if(r, it, &why);
}

/* ---- trying ---- */

/* Tries the items from `first` on that have no result. */
static int try_new(const om_registry *r, size_t first, om_seen *seen)
{
    size_t most = r->count - first, n = 0;
    char **paths = om_alloc(r->heap, most, sizeof *paths);
    om_trial *results = om_alloc(r->heap, most, sizeof *results);
    int rc = paths == NULL || results == NULL ? om_fail_memory(r->ctx) : OM_OK;

    for (size_t i = first; rc == OM_OK && i < r->count; i++)
        if (r->items[i].reason == NULL && !r->items[i].tried)
            paths[n++] = r->items[i].path;
    if (rc == OM_OK && n > 0)
        rc = om_trial__run(r->ctx, paths, n, results);
    if (rc == OM_OK && n > 0 && !results[n - 1].tried)
        om_note(r->ctx, OM_NOTE_VERBOSE, NULL,
            "plug-ins are opened without a trial: no child process can try them");
    for (size_t i = first, k = 0; k < n; i++) {
        item *it = &r->items[i];
        if (it->reason != NULL || it->tried)
            continue;
        if (results[k].tried && results[k].lasts)
            om_seen__add(seen, &it->file, results[k].reason);
        it->reason = results[k++].reason;
        it->tried = true;
    }
    om_free(r->heap, paths);
    om_free(r->heap, results);
    return rc;
}

/* ---- opening ---- */

static const item *same(const om_registry *r, const om_plugin *p)
{
    for (size_t i = 0; i < r->count; i++) {
        const om_plugin *other = r->items[i].entry.plugin;
        if (other != NULL && other->kind == p->kind && strcmp(other->name, p->name) == 0)
            return &r->items[i];
    }
    return NULL;
}

/* Opens the item in this process and fills `copy`; a message in *why means that it is refused. */
static void take(const om_registry *r, item *it, om_descriptor *copy, om_text *why)
{
    const item *other = NULL;
    it->handle = dlopen(it->path, RTLD_NOW | RTLD_LOCAL);
    if (it->handle == NULL) {
        const char *error = dlerror();
        om_text_printf(why, "cannot be opened: %s", error == NULL ? "no reason given" : error);
    } else if (om_descriptor__read(it->handle, copy, why) && (other = same(r, &copy->head)) != NULL)
        om_text_printf(why, "shadowed by %s", other->path);
}

static int open_item(const om_registry *r, item *it)
{
    om_text why = { .heap = r->heap };
    om_descriptor *copy = om_alloc(r->heap, 1, sizeof *copy);
    if (copy == NULL)
        return om_fail_memory(r->ctx);
    take(r, it, copy, &why);
    int rc = refuse_if(r, it, &why);
    if (rc == OM_OK && it->reason == NULL) {
        it->copy = copy;
        return OM_OK;
    }
    om_free(r->heap, copy);
    if (it->handle != NULL)
        (void) dlclose(it->handle);
    it->handle = NULL;
    return rc;
}

/* Examines the items from `first` on. */
static int settle(om_registry *r, size_t first)
{
    om_inspector in;
    om_seen *seen = NULL;
    int rc = om_seen__open(&seen, r->ctx);
    om_inspector__begin(&in, r->heap);
    for (size_t i = first; rc == OM_OK && i < r->count; i++)
        if (r->items[i].reason == NULL)
            rc = inspect(r, &in, seen, &r->items[i]);
    om_inspector__end(&in);
    if (rc == OM_OK)
        rc = try_new(r, first, seen);
    om_seen__close(seen);
    for (size_t i = first; rc == OM_OK && i < r->count; i++) {
        item *it = &r->items[i];
        if (it->reason == NULL && (rc = open_item(r, it)) != OM_OK)
            break;
        if (it->reason != NULL)
            om_note(r->ctx, OM_NOTE_VERBOSE, NULL, "%s: refused: %s", it->path, it->reason);
        it->entry =
            (om_plugin_entry){ it->copy == NULL ? NULL : &it->copy->head, it->path, it->reason };
    }
    return rc;
}

/* ---- the interface ---- */

static void drop(const om_heap *heap, item *it)
{
    om_free(heap, it->copy);
    om_free(heap, it->path);
    om_free(heap, it->reason);
    if (it->handle != NULL)
        (void) dlclose(it->handle);
}

int om_registry_add(om_registry *r, const char *path)
{
    const size_t first = r->count;
    om_text copy = { .heap = r->heap };
    om_text_add(&copy, path);
    int rc = add_item(r, &copy, false);
    if (rc == OM_OK)
        rc = settle(r, first);
    if (rc != OM_OK && r->count > first)
        drop(r->heap, &r->items[--r->count]);
    return rc;
}

int om_registry_new(om_registry **out, om_context *ctx)
{
    om_registry *r = om_alloc(om_context_heap(ctx), 1, sizeof *r);
    int rc = OM_OK;
    if (r == NULL)
        return om_fail_memory(ctx);
    r->ctx = ctx;
    r->heap = om_context_heap(ctx);
    if ((rc = scan_path(r, getenv("OMEN_PLUGIN_PATH"))) != OM_OK || (rc = scan_own(r)) != OM_OK ||
        (rc = settle(r, 0)) != OM_OK) {
        om_registry_free(r);
        return rc;
    }
    *out = r;
    return OM_OK;
}

void om_registry_free(om_registry *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->count; i++)
        drop(r->heap, &r->items[i]);
    om_free(r->heap, r->items);
    om_free(r->heap, r);
}

size_t om_registry_count(const om_registry *r)
{
    return r->count;
}

const om_plugin_entry *om_registry_entry(const om_registry *r, size_t i)
{
    return i < r->count ? &r->items[i].entry : NULL;
}

int om_registry_find(
    const om_registry *r, om_plugin_kind kind, const char *name, const om_plugin **out)
{
    static const char *const kinds[] = { "plug-in", "front end", "translator", "checker" };
    const char *word = kinds[kind <= OM_PLUGIN_CHECKER ? kind : 0];
    const char **names = om_alloc(r->heap, r->count, sizeof *names);
    size_t n = 0;

    if (names == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = 0; i < r->count; i++) {
        const om_plugin *p = r->items[i].entry.plugin;
        if (p == NULL || p->kind != (uint32_t) kind)
            continue;
        if (strcmp(p->name, name) == 0) {
            om_free(r->heap, names);
            *out = p;
            return OM_OK;
        }
        names[n++] = p->name;
    }
    const char *near = om_nearest(name, names, n);
    int rc = near == NULL ? om_fail(r->ctx, OM_EUSAGE, NULL,
                                "there is no %s '%s'; see 'omen plugins'", word, name)
                          : om_fail(r->ctx, OM_EUSAGE, NULL,
                                "there is no %s '%s'; did you mean '%s'?", word, name, near);
    om_free(r->heap, names);
    return rc;
}

int om_registry_find_with(const om_registry *r, om_plugin_kind kind, const char *text,
    const om_plugin **out, const char **options)
{
    const om_heap *heap = om_context_heap(r->ctx);
    const char *colon = strchr(text, ':');
    char *name = om_strndup(heap, text, colon == NULL ? strlen(text) : (size_t) (colon - text));
    int rc = name == NULL ? om_fail_memory(r->ctx) : om_registry_find(r, kind, name, out);
    om_free(heap, name);
    *options = colon == NULL ? NULL : colon + 1;
    return rc;
}

int om_plugin_options(om_context *ctx, const om_plugin *p, const char *options, int64_t **values)
{
    const om_heap *heap = om_context_heap(ctx);
    int64_t *all = om_alloc(heap, om_plugin_options__count(p->options), sizeof *all);
    int rc = all == NULL
                 ? om_fail_memory(ctx)
                 : om_plugin_options__parse(ctx, p->name, p->options, p->names, options, all);
    if (rc == OM_OK)
        *values = all;
    else
        om_free(heap, all);
    return rc;
}
