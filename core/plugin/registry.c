/* SPDX-License-Identifier: Apache-2.0 */
/* dladdr1() and its symbol sizes are GNU extensions. */
#define _GNU_SOURCE
#include <omen/check.h>
#include <omen/frontend.h>
#include <omen/plugin.h>
#include <omen/translate.h>

#include "library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* A descriptor of any kind, copied and zero-filled behind what the plug-in gave. */
typedef union descriptor {
    om_plugin head;
    om_frontend frontend;
    om_translator translator;
    om_checker checker;
} descriptor;

typedef struct loaded {
    void *handle;
    char *path;
    char *reason; /* NULL when taken */
    descriptor *copy;
    om_plugin_entry entry;
} loaded;

struct om_registry {
    om_context *ctx;
    const om_heap *heap;
    loaded *items;
    size_t count, room;
};

/* ---- vetting: look, never call ---- */

/* Bytes of a descriptor of this kind up to and with its last mandatory entry; 0: no such kind. */
static size_t smallest(uint32_t kind)
{
    switch (kind) {
    case OM_PLUGIN_FRONTEND:
        return offsetof(om_frontend, expression) + sizeof(void *);
    case OM_PLUGIN_TRANSLATOR:
        return offsetof(om_translator, translate) + sizeof(void *);
    case OM_PLUGIN_CHECKER:
        return offsetof(om_checker, destroy) + sizeof(void *);
    default:
        return 0;
    }
}

static const char *missing_slot(const descriptor *d)
{
    switch (d->head.kind) {
    case OM_PLUGIN_FRONTEND:
        return d->frontend.suffixes == NULL     ? "suffixes"
               : d->frontend.load == NULL       ? "load"
               : d->frontend.expression == NULL ? "expression"
                                                : NULL;
    case OM_PLUGIN_TRANSLATOR:
        return d->translator.translate == NULL ? "translate" : NULL;
    default:
        return d->checker.create == NULL    ? "create"
               : d->checker.work == NULL    ? "work"
               : d->checker.destroy == NULL ? "destroy"
               : d->checker.strengths == 0  ? "strengths"
               : d->checker.acceptance == 0 ? "acceptance"
                                            : NULL;
    }
}

static bool good_name(const char *name)
{
    return name != NULL && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* `room` is the size of the symbol in the shared object: nothing past it may be read. The reason
 * for a refusal goes to *why; the copy is filled only as far as the checks have passed. */
static bool vet(const om_plugin *p, size_t room, descriptor *copy, om_text *why)
{
    if (room < sizeof *p)
        om_text_printf(why, "descriptor has %zu bytes, too few for any plug-in", room);
    else if (p->magic != OM_PLUGIN_MAGIC)
        om_text_printf(why, "wrong magic 0x%08x: not an omen plug-in", p->magic);
    else if (p->abi_major != OM_ABI_MAJOR || p->abi_minor > OM_ABI_MINOR)
        om_text_printf(why, "built for ABI %u.%u, this is %u.%u", p->abi_major, p->abi_minor,
            OM_ABI_MAJOR, OM_ABI_MINOR);
    else if (smallest(p->kind) == 0)
        om_text_printf(why, "unknown kind %u", p->kind);
    else if (p->size < smallest(p->kind) || p->size > room || p->size > sizeof *copy)
        om_text_printf(why,
            "descriptor says it has %u bytes, at least %zu are needed and %zu there", p->size,
            smallest(p->kind), room);
    else if (p->build == NULL || strcmp(p->build, OM_BUILD) != 0)
        om_text_printf(
            why, "built with '%s', this is '%s'", p->build == NULL ? "" : p->build, OM_BUILD);
    else if (!good_name(p->name) || p->summary == NULL)
        om_text_add(why, "name or summary is missing or malformed");
    else {
        memcpy(copy, p, p->size);
        const char *slot = missing_slot(copy);
        if (slot == NULL)
            return true;
        om_text_printf(why, "mandatory entry '%s' is missing", slot);
    }
    return false;
}

/* The descriptor and how many bytes the shared object gives it. */
static const om_plugin *find_descriptor(void *handle, size_t *room)
{
    void *symbol = dlsym(handle, "omen_plugin");
    Dl_info info;
    void *extra = NULL;
    if (symbol == NULL || dladdr1(symbol, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == NULL)
        return NULL;
    *room = ((const ElfW(Sym) *) extra)->st_size;
    return symbol;
}

static const loaded *same(const om_registry *r, const om_plugin *p)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].copy != NULL && r->items[i].copy->head.kind == p->kind &&
            strcmp(r->items[i].copy->head.name, p->name) == 0)
            return &r->items[i];
    return NULL;
}

/* Fills item->copy, or says why not. */
static void look(const om_registry *r, loaded *item, om_text *why)
{
    size_t room = 0;
    item->handle = dlopen(item->path, RTLD_NOW | RTLD_LOCAL);
    if (item->handle == NULL) {
        const char *said = dlerror();
        om_text_printf(why, "cannot be opened: %s", said == NULL ? "no reason given" : said);
        return;
    }
    const om_plugin *p = find_descriptor(item->handle, &room);
    if (p == NULL) {
        om_text_add(why, "exports no 'omen_plugin'");
        return;
    }
    descriptor *copy = om_alloc(r->heap, 1, sizeof *copy);
    if (copy == NULL) {
        why->failed = true;
        return;
    }
    if (vet(p, room, copy, why)) {
        const loaded *other = same(r, &copy->head);
        if (other == NULL) {
            item->copy = copy;
            return;
        }
        om_text_printf(why, "shadowed by %s", other->path);
    }
    om_free(r->heap, copy);
}

static void drop(const om_registry *r, loaded *item)
{
    om_free(r->heap, item->copy);
    om_free(r->heap, item->path);
    om_free(r->heap, item->reason);
    if (item->handle != NULL)
        (void) dlclose(item->handle);
}

int om_registry_add(om_registry *r, const char *path)
{
    loaded item = { .path = om_strdup(r->heap, path) };
    om_text why = { .heap = r->heap };
    loaded *moved = om_grow(r->heap, r->items, &r->room, r->count + 1, sizeof *moved);

    if (moved != NULL)
        r->items = moved;
    if (moved == NULL || item.path == NULL)
        goto memory;
    look(r, &item, &why);
    if (why.failed)
        goto memory;
    if (item.copy == NULL) {
        item.reason = why.text;
        why = (om_text){ .heap = r->heap };
        if (item.handle != NULL)
            (void) dlclose(item.handle);
        item.handle = NULL;
        om_note(r->ctx, OM_NOTE_VERBOSE, NULL, "%s: refused: %s", item.path, item.reason);
    }
    item.entry =
        (om_plugin_entry){ item.copy == NULL ? NULL : &item.copy->head, item.path, item.reason };
    r->items[r->count++] = item;
    return OM_OK;
memory:
    om_text_free(&why);
    drop(r, &item);
    return om_fail_memory(r->ctx);
}

/* ---- finding ---- */

static bool is_shared_object(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, ".so") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

static bool already(const om_registry *r, const char *path)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].path, path) == 0)
            return true;
    return false;
}

/* All *.so of a folder, in the order of their names; a folder that is not there has none. */
static int scan_folder(om_registry *r, const char *folder, size_t length)
{
    char **paths = NULL;
    size_t count = 0, room = 0;
    int rc = OM_OK;
    char *name = om_strndup(r->heap, folder, length);
    DIR *dir = name == NULL ? NULL : opendir(name);

    if (name == NULL)
        rc = om_fail_memory(r->ctx);
    for (struct dirent *e; dir != NULL && rc == OM_OK && (e = readdir(dir)) != NULL;) {
        if (!is_shared_object(e->d_name))
            continue;
        om_text path = { .heap = r->heap };
        om_text_printf(&path, "%s/%s", name, e->d_name);
        char **moved = om_grow(r->heap, paths, &room, count + 1, sizeof *moved);
        if (moved != NULL)
            paths = moved;
        if (moved == NULL || path.failed) {
            om_text_free(&path);
            rc = om_fail_memory(r->ctx);
        } else
            paths[count++] = path.text;
    }
    if (dir != NULL)
        (void) closedir(dir);
    if (count > 0)
        qsort(paths, count, sizeof *paths, by_name);
    for (size_t i = 0; i < count; i++) {
        if (rc == OM_OK && !already(r, paths[i]))
            rc = om_registry_add(r, paths[i]);
        om_free(r->heap, paths[i]);
    }
    om_free(r->heap, paths);
    om_free(r->heap, name);
    return rc;
}

static int scan_path(om_registry *r, const char *list)
{
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ":");
        int rc = n == 0 ? OM_OK : scan_folder(r, list, n);
        if (rc != OM_OK)
            return rc;
        list += n + (list[n] == ':');
    }
    return OM_OK;
}

static int scan_own(om_registry *r)
{
    om_text path = { .heap = r->heap };
    int rc = OM_OK;
    if (om_library__own(&path, "plugins"))
        rc = path.failed ? om_fail_memory(r->ctx) : scan_folder(r, path.text, path.length);
    om_text_free(&path);
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
    if ((rc = scan_path(r, getenv("OMEN_PLUGIN_PATH"))) != OM_OK || (rc = scan_own(r)) != OM_OK) {
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
        drop(r, &r->items[i]);
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
