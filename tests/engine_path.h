/* SPDX-License-Identifier: Apache-2.0 */
/* engine_path.h: collects all states of a path on a device. */
#ifndef OMEN_TESTS_ENGINE_PATH_H
#define OMEN_TESTS_ENGINE_PATH_H

#include <omen/host/devices.h>

#include <string.h>

typedef struct engine_path {
    const om_heap *heap; /* may fail */
    size_t row;          /* words of a state */
    uint32_t *rows;      /* the caller om_free()s them */
    size_t count, room;
} engine_path;

static inline int engine_path_add(void *self, const uint32_t *vector)
{
    engine_path *p = self;
    uint32_t *rows = om_grow(p->heap, p->rows, &p->room, p->count + 1, p->row * sizeof *rows);
    if (rows == NULL)
        return OM_ENOMEM;
    p->rows = rows;
    memcpy(rows + p->count++ * p->row, vector, p->row * sizeof *rows);
    return OM_OK;
}

/* Fills a path whose heap and row are set. */
static inline int engine_path_of(om_engine *e, om_id to, engine_path *p)
{
    return om_engine_path(e, to, engine_path_add, p);
}

#endif
