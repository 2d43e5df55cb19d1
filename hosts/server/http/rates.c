/* SPDX-License-Identifier: Apache-2.0 */
/* One bucket for each token or address (Turner's token bucket): it fills at per_second, and holds
 * BURST seconds' worth. A new client takes the bucket that has not been used for the longest
 * time. */
#include "server.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 1024, WAYS = 8, BURST = 5 };

typedef struct bucket {
    char who[64];
    double left;
    int64_t at_ms;
} bucket;

struct omend_rates {
    om_context *ctx;
    double per_second;
    pthread_mutex_t lock;
    bucket buckets[BUCKETS];
};

int rates_new(omend_rates **out, om_context *ctx, uint32_t per_second)
{
    *out = NULL;
    if (per_second == 0)
        return OM_OK;
    omend_rates *r = om_alloc(om_context_heap(ctx), 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(ctx);
    r->ctx = ctx;
    r->per_second = per_second;
    pthread_mutex_init(&r->lock, NULL);
    *out = r;
    return OM_OK;
}

void rates_free(omend_rates *r)
{
    if (r == NULL)
        return;
    pthread_mutex_destroy(&r->lock);
    om_free(om_context_heap(r->ctx), r);
}

/* Returns the client's own bucket, or the one of its row that was not used for the longest time. */
static bucket *find(omend_rates *r, const char *who)
{
    uint32_t hash = 2166136261u;
    for (const char *s = who; *s != '\0'; s++)
        hash = (hash ^ (unsigned char) *s) * 16777619u;
    bucket *row = &r->buckets[(size_t) (hash % (BUCKETS / WAYS)) * WAYS], *oldest = row;
    for (int i = 0; i < WAYS; i++) {
        if (strncmp(row[i].who, who, sizeof row[i].who - 1) == 0 && *row[i].who != '\0')
            return &row[i];
        if (row[i].at_ms < oldest->at_ms)
            oldest = &row[i];
    }
    (void) snprintf(oldest->who, sizeof oldest->who, "%s", who);
    oldest->left = r->per_second * BURST;
    oldest->at_ms = 0;
    return oldest;
}

bool rates_take(omend_rates *r, const char *who, int64_t now_ms)
{
    if (r == NULL)
        return true;
    pthread_mutex_lock(&r->lock);
    bucket *b = find(r, who);
    double gained = b->at_ms == 0 || now_ms <= b->at_ms
                        ? 0
                        : (double) (now_ms - b->at_ms) * 1e-3 * r->per_second;
    b->left = b->left + gained > r->per_second * BURST ? r->per_second * BURST : b->left + gained;
    b->at_ms = now_ms;
    assert(b->left >= 0 && b->left <= r->per_second * BURST);
    bool within = b->left >= 1;
    if (within)
        b->left -= 1;
    pthread_mutex_unlock(&r->lock);
    return within;
}
