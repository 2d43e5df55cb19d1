/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the files that stay in the cache: the most recently used ones within the limit. All kinds
 * are ranked together, by their modification time, which om_cache__load() sets, because access
 * times are disabled on many systems. Processes that trim at the same time may remove too many
 * files, which does no other harm.
 */
#include "cache.h"

#include "process/trust.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 64 };

typedef struct item {
    char name[NAME_SIZE];
    int folder;
    uint64_t bytes;
    struct timespec used;
} item;

typedef struct items {
    const om_heap *heap;
    item *all;
    size_t count, capacity;
    uint64_t bytes;
} items;

uint64_t om_cache__limit(const char *text)
{
    static const struct {
        char letter;
        uint64_t bytes;
    } units[] = { { 'k', 1000 }, { 'K', 1000 }, { 'M', 1000000 }, { 'G', 1000000000 } };
    const uint64_t usual = 1000000000;
    char *end = NULL;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return usual;
    errno = 0;
    uint64_t unit = 1, n = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*end == units[i].letter && end[1] == '\0')
            unit = units[i].bytes;
    if (errno != 0 || (unit == 1 && *end != '\0'))
        return usual;
    return n > UINT64_MAX / unit ? UINT64_MAX : n * unit;
}

/* Returns false if memory runs out. */
static bool add(items *list, int folder, const char *name, const struct stat *st)
{
    assert(strlen(name) < NAME_SIZE);
    if (!OM_ROOM(list->heap, list->all, &list->capacity, list->count + 1))
        return false;
    item *i = &list->all[list->count++];
    *i = (item){ .folder = folder, .bytes = (uint64_t) st->st_size, .used = st->st_mtim };
    memcpy(i->name, name, strlen(name) + 1);
    list->bytes += i->bytes;
    return true;
}

static bool gather(items *list, int folder)
{
    struct stat st;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    bool good = true;
    if (d == NULL && fd >= 0)
        (void) close(fd);
    for (const struct dirent *e; good && d != NULL && (e = readdir(d)) != NULL;)
        if (strlen(e->d_name) < NAME_SIZE &&
            fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            good = add(list, folder, e->d_name, &st);
    if (d != NULL)
        (void) closedir(d);
    return good;
}

static int by_use(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Lists the files of a kind; *folder stays open (or is -1). */
static bool gather_kind(const om_cache *c, const char *kind, items *list, int *folder)
{
    char why[OM_TRUST_WHY_SIZE];
    char *path = om_work_folder__path(c->heap, c->place, kind);
    bool good = path != NULL;
    if (good && om_trust__folder(path, folder, why) == OM_OK)
        good = gather(list, *folder);
    om_free(c->heap, path);
    return good;
}

void om_cache__trim(const om_cache *c)
{
    const uint64_t most = om_cache__limit(getenv("OMEN_CACHE_SIZE"));
    items list = { .heap = c->heap };
    int native = -1, opencl = -1;
    bool good = gather_kind(c, om_cache__native, &list, &native) &&
                gather_kind(c, om_cache__opencl, &list, &opencl);
    if (good && list.bytes > most)
        qsort(list.all, list.count, sizeof *list.all, by_use);
    for (size_t i = 0; good && i < list.count && list.bytes > most; i++)
        if (unlinkat(list.all[i].folder, list.all[i].name, 0) == 0)
            list.bytes -= list.all[i].bytes;
    if (native >= 0)
        (void) close(native);
    if (opencl >= 0)
        (void) close(opencl);
    om_free(list.heap, list.all);
}
