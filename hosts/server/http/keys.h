/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idempotency keys of submissions (header Idempotency-Key). For each token, the database remembers
 * which job a key submitted and a hash of that submission. A submission that arrives again with the
 * key, because a client, a library or a proxy repeated it, makes no second job. A key that is older
 * than the configuration's `submission_keys` is forgotten, and may be used again.
 */
#ifndef OMEND_KEYS_H
#define OMEND_KEYS_H

#include "database/database.h"
#include "server.h"
#include "jobs/submission.h"

enum { OMEND_KEY_BYTES = 128 };

typedef struct om_key {
    char text[OMEND_KEY_BYTES + 1]; /* "": none was given */
    unsigned char print[OMEND_HASH_BYTES];
    int64_t now_ms, since_ms; /* keys used before `since_ms` are forgotten */
} om_key;

typedef enum omend_key_found {
    OMEND_KEY_NEW,
    OMEND_KEY_KNOWN, /* for the same submission */
    OMEND_KEY_OTHER, /* for another submission */
    OMEND_KEY_GONE,  /* for the same one, whose job was removed */
    OMEND_KEY_FAILED /* the database cannot be read */
} omend_key_found;

/* Reads the request's key. Returns false with the problem set if it is invalid. */
bool key_read(omend_request *r, om_key *key);
/* Computes the hash of the submission. Returns false if memory runs out. */
bool key_print(om_key *key, const omend_submission *s);

/* Both run in a transaction of the writer. For OMEND_KEY_KNOWN, key_find() returns the job and its
 * state. */
omend_key_found key_find(
    omend_connection *c, const char *token, const om_key *key, int64_t *job, omend_state *state);
/* Remembers the key, and forgets some that are too old. */
bool key_put(omend_connection *c, const char *token, const om_key *key, int64_t job);

#endif
