/* SPDX-License-Identifier: Apache-2.0 */
/* Paths back through parents, across members: the number of a state identifies its member. */
#include "engine.h"

#include <assert.h>

static const uint32_t NO_STATE = UINT32_MAX;

static int read_from(om_engine *e, uint32_t number, uint32_t *from)
{
    om_member *m = &e->members[number % e->count];
    assert(number / e->count < m->table.stored);
    return om_queue__read(
        &m->queue, &m->table.parents, number / e->count * sizeof *from, from, sizeof *from);
}

static int read_row(om_engine *e, uint32_t number, uint32_t *row)
{
    om_member *m = &e->members[number % e->count];
    assert(number / e->count < m->table.stored);
    return om_segments__read(&m->queue, &m->table.rows, number / e->count, row, 1);
}

bool om_engine_has_paths(const om_engine *e)
{
    bool all = true;
    for (uint32_t i = 0; i < e->count; i++)
        all = all && e->members[i].table.shape.paths;
    return all;
}

/* Lists the numbers of the states on the path, backwards; the caller frees *out. */
static int list_numbers(om_engine *e, uint32_t to, uint32_t **out, size_t *count)
{
    size_t capacity = 0;
    int rc = OM_OK;
    for (uint32_t number = to; rc == OM_OK && number != NO_STATE; ++*count) {
        if (!OM_ROOM(e->heap, *out, &capacity, *count + 1))
            return om_fail_memory(e->ctx);
        (*out)[*count] = number;
        rc = om_context_stopped(e->ctx);
        if (rc == OM_OK)
            rc = read_from(e, number, &number);
    }
    return rc;
}

int om_engine_path(
    om_engine *e, om_id to, int (*take)(void *self, const uint32_t *vector), void *self)
{
    uint32_t *numbers = NULL, *vector = NULL;
    size_t count = 0;
    if (!om_engine_has_paths(e) || to >= NO_STATE ||
        to / e->count >= e->members[to % e->count].table.stored)
        return om_fail(e->ctx, OM_EINVAL, NULL, "no such state on the device");
    int rc = list_numbers(e, (uint32_t) to, &numbers, &count);
    if (rc == OM_OK && (vector = om_alloc(e->heap, e->row, sizeof *vector)) == NULL)
        rc = om_fail_memory(e->ctx);
    while (rc == OM_OK && count-- > 0) {
        rc = read_row(e, numbers[count], vector);
        if (rc == OM_OK)
            rc = take(self, vector);
    }
    OM_FREE_ALL(e->heap, vector, numbers);
    return rc;
}
