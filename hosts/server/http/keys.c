/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include "clock.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A key is visible ASCII. The header's draft (draft-ietf-httpapi-idempotency-key-header) puts it in
 * quotes, which are not part of the key and may be left out. */
bool key_read(omend_request *r, om_key *key)
{
    const char *text =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, OMEND_KEY_HEADER);
    *key = (om_key){ .now_ms = clock_ms(CLOCK_REALTIME) };
    if (text == NULL)
        return true;
    size_t n = strlen(text);
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        text++;
        n -= 2;
    }
    bool ok = n > 0 && n <= OMEND_KEY_BYTES;
    for (size_t i = 0; ok && i < n; i++)
        ok = text[i] > ' ' && text[i] < 0x7f && text[i] != '"' && text[i] != '\\';
    if (!ok)
        return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
            "an Idempotency-Key has 1 to %d printable ASCII characters, without '\"' and '\\'",
            OMEND_KEY_BYTES);
    assert(n < sizeof key->text);
    memcpy(key->text, text, n);
    key->since_ms =
        key->now_ms - (int64_t) (settings_now(&r->server->settings)->submission_keys_ns / 1000000);
    return true;
}

/* Adds a piece followed by its length, so that adjacent pieces cannot be confused. */
static bool add(gnutls_hash_hd_t hash, const char *text, size_t length)
{
    char end[32];
    const int n = snprintf(end, sizeof end, ":%zu;", length);
    return gnutls_hash(hash, text, length) == 0 && gnutls_hash(hash, end, (size_t) n) == 0;
}

bool key_print(om_key *key, const omend_submission *s)
{
    char priority[32];
    gnutls_hash_hd_t hash;
    if (key->text[0] == '\0')
        return true;
    char *request = json_dumps(s->request, JSON_COMPACT | JSON_SORT_KEYS);
    if (request == NULL || gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) != 0) {
        free(request);
        return false;
    }
    const int n = snprintf(priority, sizeof priority, "%d", s->priority);
    const bool ok = add(hash, request, strlen(request)) && add(hash, priority, (size_t) n) &&
                    add(hash, s->label, strlen(s->label)) &&
                    add(hash, json_string_value(s->model), json_string_length(s->model));
    gnutls_hash_deinit(hash, key->print);
    free(request);
    return ok;
}

/* Reads the state of a job. Returns false if the job does not exist any more. */
static bool state_of(omend_connection *c, int64_t job, omend_state *state)
{
    sqlite3_stmt *s = connection_bind(c, SQL_JOB, "i", job);
    const bool there = connection_row(s);
    if (there)
        *state = (omend_state) sqlite3_column_int(s, 7);
    (void) sqlite3_reset(s);
    return there;
}

omend_key_found key_find(
    omend_connection *c, const char *token, const om_key *key, int64_t *job, omend_state *state)
{
    if (key->text[0] == '\0')
        return OMEND_KEY_NEW;
    sqlite3_stmt *s = connection_bind(c, SQL_KEY, "tti", token, key->text, key->since_ms);
    if (s == NULL)
        return OMEND_KEY_FAILED;
    const int step = sqlite3_step(s);
    bool same = false;
    if (step == SQLITE_ROW) {
        *job = sqlite3_column_int64(s, 0);
        same = sqlite3_column_bytes(s, 1) == OMEND_HASH_BYTES &&
               memcmp(sqlite3_column_blob(s, 1), key->print, OMEND_HASH_BYTES) == 0;
    }
    (void) sqlite3_reset(s);
    if (step != SQLITE_ROW)
        return step == SQLITE_DONE ? OMEND_KEY_NEW : OMEND_KEY_FAILED;
    if (!same)
        return OMEND_KEY_OTHER;
    return state_of(c, *job, state) ? OMEND_KEY_KNOWN : OMEND_KEY_GONE;
}

bool key_put(omend_connection *c, const char *token, const om_key *key, int64_t job)
{
    if (key->text[0] == '\0')
        return true;
    assert(job > 0);
    return connection_do(connection_bind(c, SQL_FORGET_KEYS, "i", key->since_ms)) &&
           connection_do(connection_bind(c, SQL_SET_KEY, "ttibi", token, key->text, key->now_ms,
               key->print, sizeof key->print, job));
}
