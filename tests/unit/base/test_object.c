/* SPDX-License-Identifier: Apache-2.0 */
/* Complete shared objects, and damaged ones. */
#include "process/object.h"

#include "process/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

typedef struct copy {
    unsigned char *bytes;
    size_t size;
    int fd;
} copy;

/* Reads the bytes of a shared object: this program is position-independent. */
static int set_up(void **state)
{
    static copy c;
    char name[] = "/tmp/omen-test-XXXXXX";
    FILE *f = fopen(om_library__file(), "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0)
        return -1;
    c.size = (size_t) ftell(f);
    c.bytes = malloc(c.size);
    rewind(f);
    if (c.bytes == NULL || fread(c.bytes, 1, c.size, f) != c.size || fclose(f) != 0)
        return -1;
    c.fd = mkstemp(name);
    (void) unlink(name);
    *state = &c;
    return c.fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    copy *c = *state;
    free(c->bytes);
    return close(c->fd);
}

/* Returns the fault found in the first `size` bytes. */
static const char *fault_of(const copy *c, const void *bytes, size_t size)
{
    assert_int_equal(ftruncate(c->fd, 0), 0);
    assert_int_equal(pwrite(c->fd, bytes, size, 0), (ssize_t) size);
    return om_object__fault(c->fd);
}

static void whole(void **state)
{
    const copy *c = *state;
    assert_null(fault_of(c, c->bytes, c->size));
    /* Data after the end is ignored. */
    assert_int_equal(pwrite(c->fd, "more", 4, (off_t) c->size), 4);
    assert_null(om_object__fault(c->fd));
    assert_int_equal(lseek(c->fd, 0, SEEK_CUR), 0);
}

static void cut_off_anywhere(void **state)
{
    const copy *c = *state;
    assert_non_null(fault_of(c, c->bytes, c->size - 1));
    for (size_t n = 0; n < c->size; n += 1 + c->size / 61)
        assert_non_null(fault_of(c, c->bytes, n));
    assert_string_equal(fault_of(c, c->bytes, c->size / 2), "it is truncated");
}

static void not_one_at_all(void **state)
{
    const copy *c = *state;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_string_equal(om_object__fault(null), "it is not a regular file");
    assert_int_equal(close(null), 0);
    assert_non_null(fault_of(c, "nonsense\n", 9));
    /* Each checked byte of the headers. */
    static const size_t places[] = { EI_MAG0, EI_CLASS, EI_DATA, offsetof(ElfW(Ehdr), e_type),
        offsetof(ElfW(Ehdr), e_phentsize), offsetof(ElfW(Ehdr), e_shentsize),
        offsetof(ElfW(Ehdr), e_phoff) + 7, offsetof(ElfW(Ehdr), e_shoff) + 7,
        sizeof(ElfW(Ehdr)) + offsetof(ElfW(Phdr), p_filesz) + 6 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        c->bytes[places[i]] ^= 0x7f;
        assert_non_null(fault_of(c, c->bytes, c->size));
        c->bytes[places[i]] ^= 0x7f;
    }
    assert_null(fault_of(c, c->bytes, c->size));
}

/* Changes each loaded segment so that the loader would map data outside the file. */
static void segments_do_not_fit_together(void **state)
{
    const copy *c = *state;
    static const char WORD[] = "its segments are inconsistent";
    ElfW(Ehdr) head;
    ElfW(Phdr) p;
    unsigned loaded = 0;
    memcpy(&head, c->bytes, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        unsigned char *at = c->bytes + head.e_phoff + i * sizeof p;
        memcpy(&p, at, sizeof p);
        ElfW(Phdr) larger = p, smaller = p, lower = p, beside = p, endless = p, askew = p;
        larger.p_memsz += (ElfW(Xword)) 1 << 40;
        smaller.p_memsz = p.p_filesz - 1;
        lower.p_vaddr = p.p_offset % 4096;
        beside.p_vaddr += 16;
        endless.p_memsz = UINT64_MAX - 100;
        askew.p_align = 3 * p.p_align;
        const ElfW(Phdr) *const bad[] = { &endless, &askew, &beside, &smaller, &larger, &lower };
        bool writable = (p.p_flags & PF_W) != 0;
        /* A writable segment may end in any number of zeros (`larger` and `lower` are valid); the
         * first segment is at a low address (`lower` is valid). */
        size_t n = p.p_type == PT_GNU_RELRO ? 1
                   : p.p_type != PT_LOAD    ? 0
                   : loaded++ == 0          ? 5
                   : writable               ? 4
                                            : 6;
        for (size_t k = 0; k < n; k++) {
            memcpy(at, bad[k], sizeof p);
            const char *fault = fault_of(c, c->bytes, c->size);
            if (fault == NULL || strcmp(fault, WORD) != 0)
                fail_msg("segment %u, change %zu: %s", i, k, fault == NULL ? "none" : fault);
        }
        memcpy(at, &p, sizeof p);
    }
    assert_true(loaded > 1);
    assert_null(fault_of(c, c->bytes, c->size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(not_one_at_all),
        cmocka_unit_test(segments_do_not_fit_together),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
