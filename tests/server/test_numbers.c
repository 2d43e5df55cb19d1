/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of devices as text. */
#include "pool/numbers.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

static void reads_what_it_writes(void **state)
{
    (void) state;
    const uint64_t sets[] = { 0, 1, 5, UINT64_C(1) << 63, (UINT64_C(1) << 23) - 1, UINT64_MAX };
    char text[NUMBERS_MOST];
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        numbers_write(sets[i], text);
        assert_int_equal(numbers_read(text), sets[i]);
    }
    assert_int_equal(strlen(text), NUMBERS_MOST - 1);
    numbers_write(5, text);
    assert_string_equal(text, "0,2");
    numbers_write(0, text);
    assert_string_equal(text, "none");
}

static void ignores_what_is_no_number(void **state)
{
    (void) state;
    assert_int_equal(numbers_read(""), 0);
    assert_int_equal(numbers_read("cpu"), 0);
    assert_int_equal(numbers_read("64"), 0);
    assert_int_equal(numbers_read("3,64"), 8);
    assert_int_equal(numbers_read("1,x"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(ignores_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
