/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizing.h: how large a table and its index become, and in whose memory they are: functions of
 * numbers alone. They take nothing and know no device; who asks does what they say. Any thread.
 *
 * Rows and entries come in up to OM_MOST_SEGMENTS buffers. One that is full stays where it is when
 * the table grows, so that no copy of all has to find room beside it; the last one is copied.
 *
 * G1  Nothing is planned that does not fit: buffers that are there while others are copied counted,
 *     a device never holds more than its memory, nor a buffer more than the largest allocation.
 * G2  A step doubles, unless only a smaller one fits; rows leave the device only where none does.
 * G3  Where it can be had, room is left for the index that the new rows will need.
 */
#ifndef OM_DEVICE_SIZING_H
#define OM_DEVICE_SIZING_H

#include <stdbool.h>
#include <stdint.h>

/* As in kernels/om_kernel.h: entries of a bucket. */
enum { OM_SIZING_BUCKET = 8, OM_SIZING_ENTRY = 8 /* bytes */, OM_SIZING_BUCKET_BYTES = 64 };
enum { OM_MOST_SEGMENTS = 4 };
/* Numbers of states and candidates together stay below this: an entry holds number + 1 in 32 bits,
 * and OM_NO_STATE is no state. */
static const uint64_t OM_MOST_NUMBERS = 0xfffffff0u;

/* A device, as a table meets it; in bytes. */
typedef struct om_sizing_room {
    uint64_t memory;
    uint64_t used;     /* of it, by other buffers than those of the extent */
    uint64_t largest;  /* of one buffer */
    uint64_t segment;  /* of one of several: om_sizing__segment() */
    uint32_t segments; /* that rows, and an index, may have: 1 or OM_MOST_SEGMENTS */
    bool in_place;     /* a buffer grows where it is, with no other one beside */
    bool spills;       /* there is another memory, the host's, for rows */
} om_sizing_room;

/* What is in the host's memory: bits 0 and up are segments of the rows. */
enum { OM_AWAY_PATHS = 1 << 8, OM_AWAY_INDEX = 1 << 9 };

/* A table. */
typedef struct om_sizing_table {
    uint64_t row;      /* bytes of a row; */
    uint64_t path;     /* of what is kept of each in one buffer beside, or 0; */
    uint64_t later;    /* and of what others keep of each in one, which they make larger then */
    uint64_t capacity; /* rows that there is room for */
    uint64_t buckets;  /* of the index, a power of two; 0: none is there */
    bool stays;        /* the index goes only when the larger one is filled */
    uint32_t away;
} om_sizing_table;

/* What is to become of it. */
typedef struct om_sizing {
    bool fits; /* else nothing can */
    uint64_t capacity, buckets;
    uint32_t away; /* never less than before */
} om_sizing;

/* States and candidates together that an index of so many buckets has room for (I2 of store.cl). */
uint64_t om_sizing__entries(uint64_t buckets);

/* Bytes of a segment at most, on a device with so much memory; all of them may have all of it. */
uint64_t om_sizing__segment(uint64_t memory, uint64_t largest, uint32_t segments);
/* How many units of so many bytes a segment has at most. */
uint64_t om_sizing__each(const om_sizing_room *room, uint64_t unit);
/* How many of them segment i has, of `units` in all. */
uint64_t om_sizing__part(uint64_t units, uint64_t each, uint32_t i);
/* The most rows that such a table may have, whatever there is of memory. */
uint64_t om_sizing__most_rows(const om_sizing_room *room, const om_sizing_table *now);

/* An index of at least so many buckets, with room for so many entries. Rows that have to leave for
 * it are `away` then, and so is the old index where it is only read once more. */
om_sizing om_sizing__index(
    const om_sizing_room *room, const om_sizing_table *now, uint64_t entries, uint64_t least);
/* Room for at least so many rows. */
om_sizing om_sizing__rows(const om_sizing_room *room, const om_sizing_table *now, uint64_t rows);

/* So many bytes for others: rows leave for them. */
om_sizing om_sizing__others(const om_sizing_room *room, const om_sizing_table *now, uint64_t bytes);

/* How many candidates there is room for, at most n: of each, `all` bytes in some buffers, and in
 * one of them `widest`. Those that are there count as nothing: they go before. */
uint64_t om_sizing__candidates(const om_sizing_room *room, const om_sizing_table *now,
    uint64_t widest, uint64_t all, uint64_t n);

#endif
