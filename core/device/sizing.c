/* SPDX-License-Identifier: Apache-2.0 */
#include "sizing.h"

_Static_assert(OM_SIZING_BUCKET_BYTES == OM_SIZING_BUCKET * OM_SIZING_ENTRY, "a bucket");

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t om_sizing__entries(uint64_t buckets)
{
    return buckets * OM_SIZING_BUCKET / 5 * 4;
}

/* ---- segments ---- */

uint64_t om_sizing__segment(uint64_t memory, uint64_t largest, uint32_t segments)
{
    return segments > 1 ? least(largest, memory / segments) : largest;
}

uint64_t om_sizing__each(const om_sizing_room *room, uint64_t unit)
{
    return room->segment / unit;
}

uint64_t om_sizing__part(uint64_t units, uint64_t each, uint32_t i)
{
    uint64_t before = each * i;
    return units <= before ? 0 : least(units - before, each);
}

static uint64_t most_buckets(const om_sizing_room *room)
{
    return om_sizing__each(room, OM_SIZING_BUCKET_BYTES) * room->segments;
}

uint64_t om_sizing__most_rows(const om_sizing_room *room, const om_sizing_table *now)
{
    uint64_t rows = least(om_sizing__each(room, now->row) * room->segments, OM_MOST_NUMBERS);
    uint64_t beside = most(now->path, now->later);
    return beside == 0 ? rows : least(rows, room->largest / beside);
}

/* ---- bytes on the device ---- */

static uint64_t rows_here(const om_sizing_room *room, const om_sizing_table *now)
{
    uint64_t each = om_sizing__each(room, now->row), sum = 0;
    for (uint32_t i = 0; i < room->segments; i++)
        if ((now->away >> i & 1) == 0)
            sum += om_sizing__part(now->capacity, each, i) * now->row;
    return sum + ((now->away & OM_AWAY_PATHS) != 0 ? 0 : now->capacity * now->path);
}

static uint64_t index_here(const om_sizing_table *now)
{
    return (now->away & OM_AWAY_INDEX) != 0 ? 0 : now->buckets * OM_SIZING_BUCKET_BYTES;
}

/* ---- the index ---- */

/* Moves parts to the host until there is room. Returns false if there is none even without them. */
static bool make_room(const om_sizing_room *room, const om_sizing_table *now, uint64_t bytes,
    uint64_t taken, uint32_t *away)
{
    uint64_t each = om_sizing__each(room, now->row);
    for (uint32_t i = 0; i <= room->segments; i++) {
        if (taken <= room->memory && bytes <= room->memory - taken)
            return true;
        if (!room->spills || i == room->segments)
            break;
        const uint64_t part = om_sizing__part(now->capacity, each, i) * now->row;
        if ((*away >> i & 1) == 0 && part > 0) {
            taken -= part;
            *away |= UINT32_C(1) << i;
        }
    }
    if (room->spills && (*away & OM_AWAY_PATHS) == 0) {
        taken -= now->capacity * now->path;
        *away |= OM_AWAY_PATHS;
    }
    return taken <= room->memory && bytes <= room->memory - taken;
}

om_sizing om_sizing__index(const om_sizing_room *room, const om_sizing_table *now, uint64_t entries,
    uint64_t least_buckets)
{
    om_sizing g = {
        .capacity = now->capacity, .buckets = most(now->buckets, least_buckets), .away = now->away
    };
    uint64_t taken = room->used + rows_here(room, now);
    while (g.buckets == 0 || entries > om_sizing__entries(g.buckets))
        g.buckets = g.buckets == 0 ? 1 : g.buckets * 2;
    if (g.buckets == now->buckets) {
        g.fits = true;
        return g;
    }
    if (g.buckets > most_buckets(room))
        return g;
    const uint64_t bytes = g.buckets * OM_SIZING_BUCKET_BYTES;
    if (now->stays) {
        uint64_t old = index_here(now);
        /* The old index is read once more, in order, so its move to the host costs least. */
        if (room->spills && (taken + old > room->memory || bytes > room->memory - taken - old))
            g.away |= OM_AWAY_INDEX;
        else
            taken += old;
    }
    g.fits = make_room(room, now, bytes, taken, &g.away);
    return g;
}

/* ---- rows ---- */

/* Returns the most bytes that are on the device at a time while the rows grow to `capacity`, with
 * the parts in `away` on the host; *remaining is what is there afterwards. */
static uint64_t peak_of(const om_sizing_room *room, const om_sizing_table *now, uint64_t capacity,
    uint32_t away, uint64_t *remaining)
{
    uint64_t at = room->used + index_here(now) + rows_here(room, now), top = at;
    const uint64_t each = om_sizing__each(room, now->row);
    for (uint32_t i = 0; i <= room->segments; i++) {
        bool paths = i == room->segments;
        uint32_t bit = paths ? OM_AWAY_PATHS : UINT32_C(1) << i;
        uint64_t old =
            paths ? now->capacity * now->path : om_sizing__part(now->capacity, each, i) * now->row;
        uint64_t more =
            paths ? capacity * now->path : om_sizing__part(capacity, each, i) * now->row;
        if (more == old)
            continue;
        uint64_t leaves = (now->away & bit) != 0 ? 0 : old, comes = (away & bit) != 0 ? 0 : more;
        if (room->in_place)
            at -= leaves;
        at += comes;
        top = most(top, at);
        if (!room->in_place)
            at -= leaves;
    }
    /* The buffers of other owners grow afterwards. */
    uint64_t later = now->later * capacity;
    top = most(top, at + (room->in_place ? later - now->later * now->capacity : later));
    *remaining = at + later - now->later * now->capacity;
    return top;
}

/* Returns how much more memory an index with room for `states` states takes than the present
 * one. */
static uint64_t index_for(const om_sizing_table *now, uint64_t states)
{
    uint64_t buckets = most(now->buckets, 1);
    while (states > om_sizing__entries(buckets))
        buckets *= 2;
    return (buckets - now->buckets) * OM_SIZING_BUCKET_BYTES;
}

enum { STEPS = 5 };

/* Lists sizes to try, the largest first; those that are too small or too large are 0. */
static void list_steps(
    const om_sizing_room *room, const om_sizing_table *now, uint64_t rows, uint64_t *steps)
{
    const uint64_t limit = om_sizing__most_rows(room, now), had = now->capacity;
    uint64_t doubled = had == 0 ? rows : had;
    while (doubled < rows)
        doubled *= 2;
    const uint64_t sizes[STEPS] = { least(doubled, limit), had + had / 2, had + had / 4,
        had + had / 8, rows };
    for (int i = 0; i < STEPS; i++)
        steps[i] = sizes[i] >= rows && sizes[i] <= limit ? sizes[i] : 0;
}

/* Moves the parts that have grown to the host, the last first, until the rest fits. */
static bool send_away(
    const om_sizing_room *room, const om_sizing_table *now, uint64_t capacity, uint32_t *away)
{
    const uint64_t each = om_sizing__each(room, now->row);
    uint64_t remaining;
    for (uint32_t i = room->segments; i-- > 0;) {
        if (peak_of(room, now, capacity, *away, &remaining) <= room->memory)
            return true;
        if (om_sizing__part(capacity, each, i) != om_sizing__part(now->capacity, each, i))
            *away |= UINT32_C(1) << i;
    }
    if (peak_of(room, now, capacity, *away, &remaining) <= room->memory)
        return true;
    *away |= OM_AWAY_PATHS;
    return peak_of(room, now, capacity, *away, &remaining) <= room->memory;
}

om_sizing om_sizing__rows(const om_sizing_room *room, const om_sizing_table *now, uint64_t rows)
{
    om_sizing g = { .capacity = now->capacity, .buckets = now->buckets, .away = now->away };
    uint64_t steps[STEPS], remaining = 0;
    if (rows <= now->capacity) {
        g.fits = true;
        return g;
    }
    list_steps(room, now, rows, steps);
    for (int with_index = 1; with_index >= 0; with_index--)
        for (int i = 0; i < STEPS; i++) {
            if (steps[i] == 0 ||
                peak_of(room, now, steps[i], now->away, &remaining) > room->memory ||
                (with_index != 0 && index_for(now, steps[i]) > room->memory - remaining))
                continue;
            g.capacity = steps[i];
            g.fits = true;
            return g;
        }
    for (int i = 0; room->spills && i < STEPS; i++) {
        uint32_t away = now->away;
        if (steps[i] == 0 || !send_away(room, now, steps[i], &away))
            continue;
        g.capacity = steps[i];
        g.away = away;
        g.fits = true;
        return g;
    }
    return g;
}

/* ---- other buffers ---- */

om_sizing om_sizing__others(const om_sizing_room *room, const om_sizing_table *now, uint64_t bytes)
{
    om_sizing g = { .capacity = now->capacity, .buckets = now->buckets, .away = now->away };
    g.fits =
        make_room(room, now, bytes, room->used + index_here(now) + rows_here(room, now), &g.away);
    return g;
}

uint64_t om_sizing__candidates(const om_sizing_room *room, const om_sizing_table *now,
    uint64_t widest, uint64_t all, uint64_t n)
{
    uint64_t taken = room->used + index_here(now) + rows_here(room, now);
    uint64_t free = taken < room->memory ? room->memory - taken : 0;
    return least(n, least(free / all, room->largest / widest));
}
