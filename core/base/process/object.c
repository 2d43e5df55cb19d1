/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of ELF on which the loader relies (System V ABI, chapter 5); object.h gives the reason.
 * Offsets come from the file, so each sum is checked before it is computed.
 */
#include "object.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char CUT[] = "it is truncated";

static const unsigned char ORDER = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
static const unsigned char CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

static bool read_at(int fd, void *to, size_t n, uint64_t at)
{
    ssize_t got;
    do
        got = at > INT64_MAX - n ? 0 : pread(fd, to, n, (off_t) at);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t) n;
}

static bool within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* Returns true if this segment, which is to be loaded, is consistent with earlier ones and with the
 * page size. The loader maps segments as stated, even over each other. *end is the end of the pages
 * of the last one. */
static bool is_in_order(const ElfW(Phdr) * p, uint64_t page, uint64_t *end)
{
    bool good = p->p_memsz >= p->p_filesz && p->p_memsz <= INT64_MAX - page &&
                p->p_vaddr <= INT64_MAX - p->p_memsz && p->p_vaddr / page * page >= *end &&
                p->p_vaddr % page == p->p_offset % page && (p->p_align & (p->p_align - 1)) == 0 &&
                (p->p_memsz == p->p_filesz || (p->p_flags & PF_W) != 0);
    *end = (p->p_vaddr + p->p_memsz + page - 1) / page * page;
    return good;
}

static const char *segments_fault(int fd, const ElfW(Ehdr) * head, uint64_t size)
{
    const uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
    uint64_t end = 0;
    bool loads = false;
    if (head->e_phentsize != sizeof(ElfW(Phdr)))
        return "its segment table is malformed";
    for (unsigned i = 0; i < head->e_phnum; i++) {
        ElfW(Phdr) p;
        if (!read_at(fd, &p, sizeof p, head->e_phoff + (uint64_t) i * sizeof p) ||
            !within(p.p_offset, p.p_filesz, size))
            return CUT;
        /* The range that becomes read-only must belong to the object, too. */
        if ((p.p_type == PT_LOAD && !is_in_order(&p, page, &end)) ||
            (p.p_type == PT_GNU_RELRO && !within(p.p_vaddr, p.p_memsz, end)))
            return "its segments are inconsistent";
        loads = loads || p.p_type == PT_LOAD;
    }
    return loads ? NULL : "it has no loadable segment";
}

static const char *sections_fault(int fd, const ElfW(Ehdr) * head, uint64_t size)
{
    if (head->e_shoff == 0)
        return NULL; /* optional */
    if (head->e_shentsize != sizeof(ElfW(Shdr)))
        return "its section table is malformed";
    for (unsigned i = 0; i < head->e_shnum; i++) {
        ElfW(Shdr) s;
        if (!read_at(fd, &s, sizeof s, head->e_shoff + (uint64_t) i * sizeof s))
            return CUT;
        if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS &&
            !within(s.sh_offset, s.sh_size, size))
            return CUT;
    }
    return NULL;
}

const char *om_object__fault(int fd)
{
    ElfW(Ehdr) head;
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return "it is not a regular file";
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != CLASS || head.e_ident[EI_DATA] != ORDER || head.e_type != ET_DYN)
        return "it is not a shared object for this machine";
    const char *fault = segments_fault(fd, &head, (uint64_t) st.st_size);
    return fault != NULL ? fault : sections_fault(fd, &head, (uint64_t) st.st_size);
}
