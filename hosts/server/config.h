/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omend's configuration: a file in libconfig's format, all of it optional. There is
 * one table of keys that reading, checking, `--config-keys`, omend.conf and the manual come from.
 */
#ifndef OMEND_CONFIG_H
#define OMEND_CONFIG_H

#include <omen/plugin/base.h>

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* What a token may do; each may what those before it may. */
typedef enum om_role { OM_ROLE_READ, OM_ROLE_SUBMIT, OM_ROLE_ADMIN } om_role;

enum { OM_HASH_BYTES = 32, OM_TOKENS = 256 };

/* Whoever has the word whose SHA-256 this is. */
typedef struct om_token {
    char *name;
    unsigned char hash[OM_HASH_BYTES];
    om_role role;
    double weight;       /* share of the machine, beside others' */
    uint64_t disk_bytes; /* of all its jobs; 0: no limit */
} om_token;

typedef struct om_config {
    /* Where from, for messages; NULL: no file. */
    const char *file;
    /* Text is owned. */
    char *listen, *data, *omen, *certificate, *key, *backend, *slurm_partition;
    char *slurm_options, *slurm_gres, *slurm_commands, *cgroup;
    int64_t threads, job_threads;
    uint64_t memory_bytes, job_memory_bytes;
    uint64_t body_bytes, output_bytes, disk_bytes;
    uint64_t job_timeout_ns, most_timeout_ns;
    int64_t connections, connections_per_address, requests_per_second, http_threads, attempts;
    int64_t slurm_jobs, slurm_threads, slurm_nice;
    uint64_t slurm_memory_bytes, slurm_interval_ns, slurm_timeout_ns, slurm_patience_ns;
    int64_t job_uid, job_processes, keep_jobs, event_streams;
    uint64_t submission_keys_ns;
    bool foreign_models, translators, calibrate, devices;
    om_token tokens[OM_TOKENS];
    size_t token_count;
    struct om_config *older; /* that it came in the place of */
} om_config;

/*
 * The configuration that holds now. One that was read later takes the place of another as a whole;
 * what was handed out before (a token of a request that waits) stays as it was until the end.
 */
typedef struct om_settings {
    om_config *_Atomic now;
} om_settings;

static inline const om_config *settings_now(const om_settings *s)
{
    return atomic_load_explicit(&s->now, memory_order_acquire);
}

/* Takes the configuration over. What cannot change while omend runs stays as it is, and is named in
 * a warning where it would. One thread. */
int settings_replace(om_settings *s, om_context *ctx, om_config *by);
/* Frees all of them. */
void settings_end(om_settings *s, om_context *ctx);

/* Defaults; no allocation but of text. OM_ENOMEM. */
int settings_defaults(om_config *c, om_context *ctx);
/*
 * Reads a file over the defaults. OM_EINPUT with "file:line: ..." for what is no configuration, a
 * key that does not exist (the nearest is suggested), a value that has the wrong type or is out of
 * its range. Keys whose combination makes no sense are found by settings_check().
 */
int settings_read(om_config *c, om_context *ctx, const char *path);
/* Combinations: a certificate and its key, tokens where others can connect. OM_EINPUT. */
int settings_check(const om_config *c, om_context *ctx);
void settings_free(om_config *c, om_context *ctx);

/* A key as one would write it: name, value where none is given, and what it means. */
typedef struct om_key_text {
    const char *name, *value, *help; /* help has line ends where it is long */
    bool quoted;                     /* the value is, in a file */
} om_key_text;
/* The i-th key, from 0 on; false: there are no more. */
bool settings_key(size_t i, om_key_text *out);
/* All keys with value and meaning, as a file that is a configuration itself; `before` stands before
 * each key ("#": they are comments, too). */
void settings_describe(om_text *out, const char *before);

/* The token of "Authorization: Bearer WORD", or NULL. The time that it takes tells nothing about
 * the hashes. */
const om_token *settings_find_token(const om_config *c, const char *word);
/* SHA-256 in hexadecimal, as a configuration has it; 2 * OM_HASH_BYTES + 1 characters. */
bool settings_hash(const char *word, size_t length, char *hex);

#endif
