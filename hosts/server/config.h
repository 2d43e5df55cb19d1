/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omend's configuration: a file in libconfig's format, in which every key is optional. One table of
 * keys serves reading, checking, `--config-keys`, omend.conf and the manual.
 */
#ifndef OMEND_CONFIG_H
#define OMEND_CONFIG_H

#include <omen/plugin/base.h>

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* What a token may do; each role includes those before it. */
typedef enum omend_role { OMEND_ROLE_READ, OMEND_ROLE_SUBMIT, OMEND_ROLE_ADMIN } omend_role;

enum { OMEND_HASH_BYTES = 32, OMEND_TOKENS = 256 };

/* A token. Clients authenticate with the word whose SHA-256 is `hash`. */
typedef struct omend_token {
    char *name;
    char hash[2 * OMEND_HASH_BYTES + 1]; /* in hexadecimal */
    omend_role role;
    double weight;       /* share of the machine, relative to other tokens */
    uint64_t disk_bytes; /* limit of all its jobs; 0: none */
} omend_token;

typedef struct omend_config {
    /* Origin of the configuration, for messages; NULL: no file. */
    const char *file;
    /* Strings are owned. */
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
    omend_token tokens[OMEND_TOKENS];
    size_t token_count;
    struct omend_config *older; /* the configuration that this one replaced */
} omend_config;

/*
 * The current configuration. A configuration that is read later replaces it as a whole; older ones
 * stay unchanged until the end, because pointers into them (the token of a request that waits) may
 * still be in use.
 */
typedef struct omend_settings {
    omend_config *_Atomic now;
} omend_settings;

static inline const omend_config *settings_now(const omend_settings *s)
{
    return atomic_load_explicit(&s->now, memory_order_acquire);
}

/* Makes `by` the current configuration and takes it over. Values that cannot change while omend
 * runs are kept, with a warning if they differ. One thread. */
int settings_replace(omend_settings *s, om_context *ctx, omend_config *by);
/* Frees all configurations. */
void settings_end(omend_settings *s, om_context *ctx);

/* Sets the defaults; allocates only strings. OM_ENOMEM. */
int settings_defaults(omend_config *c, om_context *ctx);
/*
 * Reads a file over the defaults. OM_EINPUT with "file:line: ..." if it is no configuration, a key
 * does not exist (the nearest is suggested), or a value has the wrong type or is out of range.
 * Combinations of keys are checked by settings_check().
 */
int settings_read(omend_config *c, om_context *ctx, const char *path);
/* Checks combinations of keys, such as a certificate without its key. OM_EINPUT. */
int settings_check(const omend_config *c, om_context *ctx);
void settings_free(omend_config *c, om_context *ctx);

/* A key as a user writes it: name, default value, and meaning. */
typedef struct omend_key_text {
    const char *name, *value, *help; /* help has line ends if it is long */
    bool quoted;                     /* the value is quoted in a file */
} omend_key_text;
/* Sets *out to the i-th key, from 0 on. Returns false if there are no more. */
bool settings_key(size_t i, omend_key_text *out);
/* Writes all keys with their values and meanings, as a valid configuration file; `before` precedes
 * each key ("#" makes it a comment). */
void settings_describe(om_text *out, const char *before);

/* Returns the token of "Authorization: Bearer WORD", or NULL. The time that this takes reveals
 * nothing about the hashes. */
const omend_token *settings_find_token(const omend_config *c, const char *word);
/* Writes the SHA-256 in hexadecimal, as in a configuration: 2 * OMEND_HASH_BYTES + 1 characters. */
bool settings_hash(const char *word, size_t length, char *hex);

#endif
