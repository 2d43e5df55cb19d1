/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects that are whole, and what is left of them. */
#include "object.h"

#include "library.h"

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

/* The bytes of a shared object: this program is one of those that run at any address. */
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

/* What is said of the first `size` bytes. */
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
    /* What comes behind it is not its own. */
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
    assert_string_equal(fault_of(c, c->bytes, c->size / 2), "it was cut off");
}

static void not_one_at_all(void **state)
{
    const copy *c = *state;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_string_equal(om_object__fault(null), "it is not a file");
    assert_int_equal(close(null), 0);
    assert_non_null(fault_of(c, "nonsense\n", 9));
    /* Each byte of the headers that are looked at. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(not_one_at_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
