/* SPDX-License-Identifier: Apache-2.0 */
/* Text on why a job waits or is refused. */
#include "schedule_impl.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct words {
    char text[32];
} words;

/* Rounds needs up and free resources down: "needs 1.1G, 1.0G is free". */
static words bytes(uint64_t n, bool up)
{
    static const char units[] = "BKMGTPE";
    words w;
    unsigned unit = 0;
    uint64_t tenths, rest = 0;
    while (n >> (10 * unit) >= 1024)
        unit++;
    if (unit == 0) {
        (void) snprintf(w.text, sizeof w.text, "%" PRIu64 " B", n);
        return w;
    }
    rest = n & ((UINT64_C(1) << (10 * unit)) - 1);
    /* The highest bits of the rest are precise enough: the rest in the next smaller unit. */
    uint64_t below = rest >> (10 * (unit - 1));
    tenths = (n >> (10 * unit)) * 10 + below * 10 / 1024;
    tenths +=
        up && (below * 10 % 1024 != 0 || (rest & ((UINT64_C(1) << (10 * (unit - 1))) - 1)) != 0);
    (void) snprintf(
        w.text, sizeof w.text, "%" PRIu64 ".%" PRIu64 "%c", tenths / 10, tenths % 10, units[unit]);
    return w;
}

static words duration(uint64_t ms)
{
    words w;
    uint64_t s = ms / 1000 + (ms % 1000 != 0);
    if (s < 120)
        (void) snprintf(w.text, sizeof w.text, "%" PRIu64 " s", s);
    else if (s < 7200)
        (void) snprintf(w.text, sizeof w.text, "%" PRIu64 " min", (s + 59) / 60);
    else
        (void) snprintf(w.text, sizeof w.text, "%" PRIu64 " h", (s + 3599) / 3600);
    return w;
}

static const char *are(uint64_t n)
{
    return n == 1 ? "is" : "are";
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static int reason(const schedule_decision *d, char *text, size_t size)
{
    uint64_t need = d->need, have = d->have;
    switch (d->why) {
    case SCHEDULE_FOR_THREADS:
        return snprintf(text, size, "needs %" PRIu64 " thread%s, %" PRIu64 " %s free", need,
            plural(need), have, are(have));
    case SCHEDULE_FOR_MEMORY:
        return snprintf(text, size, "needs %s of memory, %s is free", bytes(need, true).text,
            bytes(have, false).text);
    case SCHEDULE_FOR_DEVICE:
        return snprintf(text, size, "needs %" PRIu64 " device%s, %" PRIu64 " %s suitable and free",
            need, plural(need), have, are(have));
    case SCHEDULE_FOR_HEAD:
        return snprintf(text, size, "would delay job %" PRIu64 ", which is next", need);
    case SCHEDULE_BY_CHOICE:
        return snprintf(text, size,
            "waits for device %" PRIu64
            ", probably free in %s: expected to end earlier than on threads now",
            need, duration(have).text);
    case SCHEDULE_NO_THREADS:
        return snprintf(
            text, size, "needs %" PRIu64 " threads, there %s %" PRIu64, need, are(have), have);
    case SCHEDULE_NO_MEMORY:
        return snprintf(text, size, "needs %s of memory, there is %s", bytes(need, true).text,
            bytes(have, false).text);
    case SCHEDULE_NO_DEVICE:
        return snprintf(text, size, "there is no device %" PRIu64, need);
    case SCHEDULE_BROKEN_DEVICE:
        return snprintf(text, size, "device %" PRIu64 " is marked broken", need);
    case SCHEDULE_FEW_DEVICES:
        return snprintf(text, size, "needs %" PRIu64 " device%s, there %s %" PRIu64 " suitable",
            need, plural(need), are(have), have);
    case SCHEDULE_SMALL_DEVICE:
        return snprintf(
            text, size, "device %" PRIu64 " has only %s of memory", need, bytes(have, false).text);
    case SCHEDULE_BAD_RANGE:
        return snprintf(text, size,
            "at least %" PRIu64 " and at most %" PRIu64 " threads contradict each other", need,
            have);
    case SCHEDULE_OK:
        break;
    }
    return snprintf(text, size, "%s", "");
}

int schedule_reason(const schedule_decision *decision, uint64_t now, char *text, size_t size)
{
    int n = reason(decision, text, size), more;
    if (!decision->head || n < 0)
        return n;
    size_t used = (size_t) n < size ? (size_t) n : size;
    char *rest = size == 0 ? NULL : text + used; /* `text` may be NULL if size is 0 */
    more = decision->until == 0 ? snprintf(rest, size - used, "; it is next")
                                : snprintf(rest, size - used, "; it is next, and starts within %s",
                                      duration(schedule__less(decision->until, now)).text);
    return more < 0 ? more : n + more;
}
