/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizing.h: decides how large a table and its index become, and in whose memory they are: pure
 * functions of numbers. They allocate nothing and know no device; the caller carries out the
 * result. May be called from any thread.
 *
 * Rows and entries are in up to OM_MOST_SEGMENTS buffers. A full buffer stays in place when the
 * table grows, so that a copy of all need not fit beside it; only the last one is copied.
 *
 * G1  Nothing is planned that does not fit: counting buffers that coexist during copies, a device
 *     never holds more than its memory, nor a buffer more than the largest allocation.
 * G2  A step doubles, unless only a smaller one fits; rows leave the device only if none fits.
 * G3  If possible, room is left for the index that the new rows will need.
 */
#ifndef OM_DEVICE_SIZING_H
#define OM_DEVICE_SIZING_H

#include <stdbool.h>
#include <stdint.h>

/* Entries of a bucket, as in kernels/om_kernel.h. */
enum { OM_SIZING_BUCKET = 8, OM_SIZING_ENTRY = 8 /* bytes */, OM_SIZING_BUCKET_BYTES = 64 };
enum { OM_MOST_SEGMENTS = 4 };
/* Numbers of states and candidates together stay below this: an entry holds number + 1 in 32 bits,
 * and OM_NO_STATE is no state. */
static const uint64_t OM_MOST_NUMBERS = 0xfffffff0u;

/* Memory of a device that is available to a table; in bytes. */
typedef struct om_sizing_room {
    uint64_t memory;
    uint64_t used;     /* part of `memory` used by buffers other than those of the table and its
                        * index */
    uint64_t largest;  /* size limit of a single buffer */
    uint64_t segment;  /* size limit of a segment: om_sizing__segment() */
    uint32_t segments; /* maximum number of segments of rows, and of an index: 1 or
                        * OM_MOST_SEGMENTS */
    bool in_place;     /* a buffer grows in place, without a second one beside it */
    bool spills;       /* rows may go to another memory, the host's */
} om_sizing_room;

/* Bits for parts in the host's memory: bits 0 and up are segments of the rows. */
enum { OM_AWAY_PATHS = 1 << 8, OM_AWAY_INDEX = 1 << 9 };

/* The present table and index. */
typedef struct om_sizing_table {
    uint64_t row;      /* bytes of a row */
    uint64_t path;     /* bytes per row in a buffer beside the rows, or 0 */
    uint64_t later;    /* bytes per row in a buffer of another owner, which grows it afterwards */
    uint64_t capacity; /* rows that there is room for */
    uint64_t buckets;  /* of the index, a power of two; 0 if there is no index */
    bool stays;        /* the old index is freed only after the larger one is filled */
    uint32_t away;
} om_sizing_table;

/* The planned table and index. */
typedef struct om_sizing {
    bool fits; /* false if no plan fits */
    uint64_t capacity, buckets;
    uint32_t away; /* includes the previous bits */
} om_sizing;

/* Returns how many states and candidates together an index of `buckets` buckets has room for (I2 of
 * store.cl). */
uint64_t om_sizing__entries(uint64_t buckets);

/* Returns the size limit of a segment, in bytes, on a device with `memory` bytes; all segments
 * together may take all of it. */
uint64_t om_sizing__segment(uint64_t memory, uint64_t largest, uint32_t segments);
/* Returns how many units of `unit` bytes a segment has at most. */
uint64_t om_sizing__each(const om_sizing_room *room, uint64_t unit);
/* Returns how many of `units` units segment i has. */
uint64_t om_sizing__part(uint64_t units, uint64_t each, uint32_t i);
/* Returns the most rows that such a table may have, however much memory there is. */
uint64_t om_sizing__most_rows(const om_sizing_room *room, const om_sizing_table *now);

/* Plans an index of at least `least` buckets, with room for `entries` entries. Rows that have to
 * leave for it are in `away` of the result, as is the old index if it is only read once more. */
om_sizing om_sizing__index(
    const om_sizing_room *room, const om_sizing_table *now, uint64_t entries, uint64_t least);
/* Plans room for at least `rows` rows. */
om_sizing om_sizing__rows(const om_sizing_room *room, const om_sizing_table *now, uint64_t rows);

/* Plans `bytes` bytes for other buffers: rows leave for them. */
om_sizing om_sizing__others(const om_sizing_room *room, const om_sizing_table *now, uint64_t bytes);

/* Returns how many candidates there is room for, at most n: each takes `all` bytes in some buffers,
 * `widest` of them in one. The present candidates are not counted: they are freed first. */
uint64_t om_sizing__candidates(const om_sizing_room *room, const om_sizing_table *now,
    uint64_t widest, uint64_t all, uint64_t n);

#endif
