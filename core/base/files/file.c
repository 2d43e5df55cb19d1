/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files, in one operation; a full disk or a file above the limit is reported as failure. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t) done;
    }
    return true;
}

static bool allowed(const om_file_piece *pieces, size_t count)
{
    struct rlimit most;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].length;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY ||
           bytes <= most.rlim_cur;
}

bool om_file__write(const char *path, const om_file_piece *pieces, size_t count)
{
    if (!allowed(pieces, count))
        return false;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = write_all(fd, pieces[i].bytes, pieces[i].length);
    return close(fd) == 0 && good;
}

unsigned char *om_file__read(const om_heap *heap, int fd, size_t most, size_t *length)
{
    struct stat st;
    size_t got = 0;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t) st.st_size > most)
        return NULL;
    const size_t size = (size_t) st.st_size;
    unsigned char *bytes = om_resize(heap, NULL, size, 1);
    while (bytes != NULL && got < size) {
        ssize_t n = read(fd, bytes + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            om_free(heap, bytes);
            return NULL;
        }
        got += (size_t) n;
    }
    if (bytes != NULL)
        *length = size;
    return bytes;
}
