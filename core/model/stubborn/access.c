/* SPDX-License-Identifier: Apache-2.0 */
/* What two accesses of a cell have to do with each other. */
#include "footprint.h"

#include <assert.h>

bool om_access__passes(const om_access *test, om_value value)
{
    switch (test->kind) {
    case OM_TEST_EQUAL:
        return value == test->value;
    case OM_TEST_DIFFERS:
        return value != test->value;
    case OM_TEST_AT_LEAST:
        return value >= test->value;
    default:
        assert(test->kind == OM_TEST_AT_MOST);
        return value <= test->value;
    }
}

bool om_access__exclude(const om_access *a, const om_access *b)
{
    if (!om_access__tests(a) || !om_access__tests(b) || a->cell != b->cell)
        return false;
    if (a->kind == OM_TEST_EQUAL)
        return !om_access__passes(b, a->value);
    if (b->kind == OM_TEST_EQUAL)
        return !om_access__passes(a, b->value);
    return (a->kind == OM_TEST_AT_LEAST && b->kind == OM_TEST_AT_MOST && a->value > b->value) ||
           (a->kind == OM_TEST_AT_MOST && b->kind == OM_TEST_AT_LEAST && a->value < b->value);
}

/* A write after which a test that holds may fail. */
static bool may_disable(const om_access *write, const om_access *test)
{
    if (write->kind == OM_WRITE_CONST)
        return !om_access__passes(test, write->value);
    return write->kind != OM_WRITE_ADD || test->kind == OM_TEST_EQUAL ||
           test->kind == OM_TEST_DIFFERS ||
           (test->kind == OM_TEST_AT_LEAST ? write->value < 0 : write->value > 0);
}

bool om_access__conflict(const om_access *a, const om_access *b)
{
    const bool a_writes = om_access__writes(a), b_writes = om_access__writes(b);
    if (!om_access__overlap(a, b) || (!a_writes && !b_writes))
        return false;
    if ((a->end == OM_FRONT && b->end == OM_BACK) || (a->end == OM_BACK && b->end == OM_FRONT))
        return false; /* F5 */
    if (a_writes && b_writes)
        return a->kind != b->kind || a->kind == OM_WRITE ||
               (a->kind == OM_WRITE_CONST && a->value != b->value);
    const om_access *write = a_writes ? a : b, *read = a_writes ? b : a;
    return read->kind == OM_READ || may_disable(write, read);
}

bool om_access__may_disable(const om_access *write, const om_access *test)
{
    return om_access__writes(write) && om_access__overlap(write, test) && may_disable(write, test);
}

bool om_access__may_enable(const om_access *write, const om_access *test)
{
    if (!om_access__writes(write) || !om_access__overlap(write, test))
        return false;
    if (test->kind == OM_READ || write->kind == OM_WRITE)
        return true;
    if (write->kind == OM_WRITE_CONST)
        return om_access__passes(test, write->value);
    return test->kind == OM_TEST_EQUAL || test->kind == OM_TEST_DIFFERS ||
           (test->kind == OM_TEST_AT_LEAST ? write->value > 0 : write->value < 0);
}
