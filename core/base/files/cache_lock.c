/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "cache_lock.h"

#include "cache.h"
#include "process/trust.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

static const char NAME[] = ".locks";

/* Rights from here on belong to texts. Offsets of files are signed 64-bit numbers. */
enum { SMALL = 1 << 16 };
/* The byte by which a right is wanted is so far behind its own. */
static const uint64_t WANTED = (uint64_t) 1 << 62;

/* Opens the file in work/, whose folder obeys the rule of trust.h. */
static int open_in(const om_heap *heap, const char *place, int *fd)
{
    char why[OM_TRUST_WHY_SIZE];
    char *work = om_work_folder__path(heap, place, om_cache__work_name);
    int folder = -1, rc = OM_ENOMEM;
    if (work != NULL)
        rc = om_trust__own_folder(work, &folder, why) == OM_OK ? OM_OK : OM_EIO;
    if (rc == OM_OK)
        *fd = openat(folder, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (folder >= 0)
        (void) close(folder);
    om_free(heap, work);
    return rc == OM_OK && *fd < 0 ? OM_EIO : rc;
}

int om_cache_lock__open(om_cache_lock *l, const om_heap *heap)
{
    om_text place = { .heap = heap };
    int rc = OM_EIO;
    *l = (om_cache_lock){ .fd = -1 };
    if (om_cache__place(&place))
        rc = place.failed ? OM_ENOMEM : open_in(heap, place.text, &l->fd);
    om_text_free(&place);
    return rc;
}

void om_cache_lock__close(om_cache_lock *l)
{
    if (l->fd >= 0)
        (void) close(l->fd);
    l->fd = -1;
}

static struct flock one_byte(uint64_t right, short type)
{
    assert(right <= INT64_MAX);
    return (
        struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t) right, .l_len = 1 };
}

bool om_cache_lock__take(const om_cache_lock *l, uint64_t right)
{
    struct flock lock = one_byte(right, F_WRLCK);
    return l->fd >= 0 && fcntl(l->fd, F_OFD_SETLK, &lock) == 0;
}

bool om_cache_lock__take_any(const om_cache_lock *l, unsigned count)
{
    assert(count <= SMALL);
    for (unsigned i = 0; i < count; i++)
        if (om_cache_lock__take(l, i))
            return true;
    return false;
}

void om_cache_lock__want(const om_cache_lock *l, uint64_t right)
{
    struct flock lock = one_byte(right + WANTED, F_RDLCK);
    if (l->fd >= 0)
        (void) fcntl(l->fd, F_OFD_SETLK, &lock);
}

bool om_cache_lock__is_wanted(const om_cache_lock *l, uint64_t right)
{
    return om_cache_lock__is_taken(l, right + WANTED);
}

bool om_cache_lock__is_taken(const om_cache_lock *l, uint64_t right)
{
    struct flock lock = one_byte(right, F_WRLCK);
    return l->fd >= 0 && fcntl(l->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

uint64_t om_cache_lock__right_of(const char *text, size_t length)
{
    const uint64_t hash = XXH3_64bits(text, length) >> 3;
    return hash + SMALL;
}
