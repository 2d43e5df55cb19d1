/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idempotency keys of submissions (header Idempotency-Key). The database remembers, for each token,
 * which job a key submitted and a hash of that submission; a submission that comes again with the
 * key, because a client, a library or a proxy repeated it, makes no second job. A key is forgotten
 * when it is older than the configuration's `submission_keys`; then it may be used anew.
 */
#ifndef OMEND_KEYS_H
#define OMEND_KEYS_H

#include "database.h"
#include "server.h"
#include "submission.h"

enum { OM_KEY_BYTES = 128 };

typedef struct om_key {
    char text[OM_KEY_BYTES + 1]; /* "": none was given */
    unsigned char print[OM_HASH_BYTES];
    int64_t now_ms, since_ms; /* a key that was used before `since_ms` is forgotten */
} om_key;

typedef enum om_key_found {
    OM_KEY_NEW,
    OM_KEY_KNOWN, /* for the same submission */
    OM_KEY_OTHER, /* for another submission */
    OM_KEY_GONE,  /* for the same one, whose job was removed */
    OM_KEY_FAILED /* the database cannot be read */
} om_key_found;

/* The request's key; false, with the problem, if it is not one. */
bool key_read(om_request *r, om_key *key);
/* Fills in the hash of what is submitted. False: no memory. */
bool key_print(om_key *key, const om_submission *s);

/* Both in a transaction of the writer. key_find(): the job and its state, for OM_KEY_KNOWN. */
om_key_found key_find(
    om_connection *c, const char *token, const om_key *key, int64_t *job, om_state *state);
/* Remembers the key, and forgets some that are too old. */
bool key_put(om_connection *c, const char *token, const om_key *key, int64_t job);

#endif
