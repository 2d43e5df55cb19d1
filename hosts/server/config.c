/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "units.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <libconfig.h>
#include <stddef.h>
#include <string.h>

typedef enum key_type { KEY_TEXT, KEY_NUMBER, KEY_BOOL, KEY_SIZE, KEY_TIME } key_type;

/* One key: the member that it sets, its range, and its meaning. */
typedef struct key {
    const char *name;
    key_type type;
    size_t offset;
    const char *dflt; /* as a user writes it */
    int64_t low, high;
    const char *help;
} key;

enum { HEX_DIGITS = 2 * OMEND_HASH_BYTES };

#define AT(member) offsetof(omend_config, member)

static const key keys[] = {
    { "listen", KEY_TEXT, AT(listen), "127.0.0.1:8440", 0, 0,
        "ADDRESS:PORT, [ADDRESS]:PORT, or unix:PATH; port 0: any free port" },
    { "data", KEY_TEXT, AT(data), ".", 0, 0,
        "the folder of the database and of the jobs; it is created if it doesn't exist" },
    { "omen", KEY_TEXT, AT(omen), "", 0, 0,
        "the omen program that jobs run; empty: the one next to omend, otherwise the one in PATH" },
    { "tls_certificate", KEY_TEXT, AT(certificate), "", 0, 0,
        "the certificate, a PEM file; with it, omend uses TLS" },
    { "tls_key", KEY_TEXT, AT(key), "", 0, 0, "the private key of the certificate, a PEM file" },
    { "threads", KEY_NUMBER, AT(threads), "0", 0, 65536,
        "CPU threads for all jobs together; 0: all threads of the machine" },
    { "memory", KEY_SIZE, AT(memory_bytes), "0", 0, 0,
        "memory for all jobs together; 0: 80 % of the machine's" },
    { "job_threads", KEY_NUMBER, AT(job_threads), "0", 0, 65536,
        "maximum number of threads of a job; 0: no limit other than `threads`" },
    { "job_memory", KEY_SIZE, AT(job_memory_bytes), "0", 0, 0,
        "memory of a job that requests none; 0: a share of `memory`" },
    { "job_timeout", KEY_TIME, AT(job_timeout_ns), "1h", 0, 0,
        "time limit of a job that requests none" },
    { "most_timeout", KEY_TIME, AT(most_timeout_ns), "7d", 0, 0,
        "longest time limit that a job may request" },
    { "job_output", KEY_SIZE, AT(output_bytes), "1G", 1 << 16, 0,
        "maximum size of a job's events, and of each file that it writes" },
    { "job_processes", KEY_NUMBER, AT(job_processes), "512", 16, 65536,
        "maximum number of processes and threads of a job at one time" },
    { "job_uid", KEY_NUMBER, AT(job_uid), "300000000", 1, 4294000000,
        "if omend runs as root, each job runs as a user of its own: this one and those after it" },
    { "cgroup", KEY_TEXT, AT(cgroup), "auto", 0, 0,
        "parent of the jobs' control groups: auto, the group that systemd delegates; none; or a "
        "folder of a cgroup2 file system" },
    { "devices", KEY_BOOL, AT(devices), "true", 0, 0, "whether jobs may use OpenCL devices" },
    { "calibrate", KEY_BOOL, AT(calibrate), "true", 0, 0,
        "whether omend measures the speed of each device and of a thread, once, when it starts" },
    { "attempts", KEY_NUMBER, AT(attempts), "3", 1, 100,
        "maximum number of attempts of a job that is lost with the machine or with omend" },
    { "keep_jobs", KEY_NUMBER, AT(keep_jobs), "0", 0, 1000000000,
        "number of ended jobs to keep; older ones are removed; 0: keep all" },
    { "submission_keys", KEY_TIME, AT(submission_keys_ns), "1d", 1000000000, 0,
        "how long an Idempotency-Key is remembered: a submission that is repeated with its key "
        "within "
        "that time does not create a second job" },
    { "backend", KEY_TEXT, AT(backend), "local", 0, 0,
        "how jobs are started: local, as child processes of omend; slurm, by sbatch" },
    { "slurm_partition", KEY_TEXT, AT(slurm_partition), "", 0, 0,
        "partition for sbatch; empty: its default" },
    { "slurm_options", KEY_TEXT, AT(slurm_options), "", 0, 0,
        "more options for sbatch, separated by spaces: \"--account=a --constraint=b\"" },
    { "slurm_jobs", KEY_NUMBER, AT(slurm_jobs), "64", 1, 1024,
        "maximum number of jobs in Slurm at one time, pending or running" },
    { "slurm_threads", KEY_NUMBER, AT(slurm_threads), "4", 1, 65536,
        "CPUs of a job that requests no number of threads, with Slurm" },
    { "slurm_memory", KEY_SIZE, AT(slurm_memory_bytes), "4G", 1 << 20, 0,
        "memory of a job that requests none, with Slurm, if job_memory is 0" },
    { "slurm_gres", KEY_TEXT, AT(slurm_gres), "gpu", 0, 0,
        "name of a device in --gres: a job that requests two devices has --gres=NAME:2" },
    { "slurm_nice", KEY_NUMBER, AT(slurm_nice), "100", 0, 1000000,
        "--nice of a job for each step of priority below 0 (as root, also above 0); 0: none" },
    { "slurm_interval", KEY_TIME, AT(slurm_interval_ns), "5s", 50000000, 0,
        "time between two calls of squeue; doubled after each failure, up to five minutes" },
    { "slurm_timeout", KEY_TIME, AT(slurm_timeout_ns), "30s", 100000000, 0,
        "time limit of a Slurm command" },
    { "slurm_patience", KEY_TIME, AT(slurm_patience_ns), "60s", 0, 0,
        "how long to wait for the report of a job after Slurm says that it has ended" },
    { "slurm_commands", KEY_TEXT, AT(slurm_commands), "", 0, 0,
        "the folder of sbatch, squeue, sacct and scancel; empty: look in PATH" },
    { "body", KEY_SIZE, AT(body_bytes), "16M", 1024, 0, "maximum size of a request" },
    { "disk", KEY_SIZE, AT(disk_bytes), "0", 0, 0,
        "maximum size of all jobs on disk; 0: no limit" },
    { "connections", KEY_NUMBER, AT(connections), "2048", 8, 1000000,
        "maximum number of open connections; a few more are kept for /healthz and /metrics" },
    { "connections_per_address", KEY_NUMBER, AT(connections_per_address), "0", 0, 1000000,
        "maximum number of connections from one address; 0: no limit" },
    { "event_streams", KEY_NUMBER, AT(event_streams), "0", 0, 1000000,
        "maximum number of connections that are event streams; 0: half of all" },
    { "requests_per_second", KEY_NUMBER, AT(requests_per_second), "0", 0, 1000000,
        "limit for each token (without tokens: each address), averaged over a few seconds; 0: "
        "none" },
    { "http_threads", KEY_NUMBER, AT(http_threads), "2", 1, 256,
        "number of threads that answer requests" },
    { "foreign_models", KEY_BOOL, AT(foreign_models), "false", 0, 0,
        "whether jobs may load shared objects as models; their code runs within the sandbox" },
    { "translators", KEY_BOOL, AT(translators), "false", 0, 0,
        "whether jobs may name programs that translate formulas" },
};

enum { KEYS = sizeof keys / sizeof *keys };

/* These keys, and tokens, can change while omend runs; the others keep their initial values. */
static const char *const changing[] = { "job_threads", "job_memory", "job_timeout", "most_timeout",
    "job_output", "job_processes", "attempts", "keep_jobs", "submission_keys", "body", "disk",
    "requests_per_second", "foreign_models", "translators" };

static bool can_change(const key *k)
{
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (strcmp(changing[i], k->name) == 0)
            return true;
    return false;
}

static void *member(omend_config *c, const key *k)
{
    return (char *) c + k->offset;
}

static int set_text(omend_config *c, om_context *ctx, const key *k, const char *value)
{
    char **to = member(c, k), *copy = om_strdup(om_context_heap(ctx), value);
    if (copy == NULL)
        return om_fail_memory(ctx);
    om_free(om_context_heap(ctx), *to);
    *to = copy;
    return OM_OK;
}

/* Sets a value from text: a default, or a number with a unit. Returns false if the text is
 * invalid. */
static bool set_value(omend_config *c, const key *k, const char *text)
{
    uint64_t n;
    switch (k->type) {
    case KEY_BOOL:
        *(bool *) member(c, k) = strcmp(text, "true") == 0;
        return true;
    case KEY_SIZE:
        return units_read_size(text, member(c, k));
    case KEY_TIME:
        return units_read_time(text, member(c, k));
    default:
        if (!units_read_number(text, &n))
            return false;
        *(int64_t *) member(c, k) = (int64_t) n;
        return true;
    }
}

int settings_defaults(omend_config *c, om_context *ctx)
{
    *c = (omend_config){ 0 };
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].type != KEY_TEXT)
            (void) set_value(c, &keys[i], keys[i].dflt);
        else if (set_text(c, ctx, &keys[i], keys[i].dflt) != OM_OK)
            return om_fail_memory(ctx);
    }
    return OM_OK;
}

/* ---- a file ---- */

static om_place place_of(const config_setting_t *s)
{
    return (om_place){ config_setting_source_file(s), config_setting_source_line(s), 0 };
}

static int wrong(om_context *ctx, const config_setting_t *s, const char *wanted)
{
    om_place at = place_of(s);
    const char *name = config_setting_name(s);
    return om_fail(ctx, OM_EINPUT, &at, "%s takes %s", name == NULL ? "this" : name, wanted);
}

static int read_number(omend_config *c, om_context *ctx, const key *k, const config_setting_t *s)
{
    int type = config_setting_type(s);
    long long n = config_setting_get_int64(s);
    if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
        return wrong(ctx, s, "a number");
    if (n < k->low || n > k->high) {
        om_place at = place_of(s);
        return om_fail(ctx, OM_EINPUT, &at, "%s takes a number from %lld to %lld, not %lld",
            k->name, (long long) k->low, (long long) k->high, n);
    }
    *(int64_t *) member(c, k) = n;
    return OM_OK;
}

static int read_value(omend_config *c, om_context *ctx, const key *k, const config_setting_t *s)
{
    const char *text = config_setting_get_string(s);
    switch (k->type) {
    case KEY_BOOL:
        if (config_setting_type(s) != CONFIG_TYPE_BOOL)
            return wrong(ctx, s, "true or false");
        *(bool *) member(c, k) = config_setting_get_bool(s) != 0;
        return OM_OK;
    case KEY_NUMBER:
        return read_number(c, ctx, k, s);
    case KEY_TEXT:
        return text == NULL ? wrong(ctx, s, "a string in quotes") : set_text(c, ctx, k, text);
    default:
        if (text == NULL || !set_value(c, k, text))
            return wrong(ctx, s,
                k->type == KEY_SIZE ? "a size in quotes, such as \"500M\" or \"4G\""
                                    : "a time in quotes, such as \"90s\", \"10m\" or \"2d\"");
        if (k->low != 0 && *(uint64_t *) member(c, k) < (uint64_t) k->low)
            return wrong(ctx, s, "a larger value");
        return OM_OK;
    }
}

/* ---- tokens ---- */

static bool read_hash(const char *text, char *out)
{
    const size_t length = strlen("sha256:");
    if (strncmp(text, "sha256:", length) != 0 || strlen(text + length) != HEX_DIGITS ||
        strspn(text + length, "0123456789abcdef") != HEX_DIGITS)
        return false;
    memcpy(out, text + length, HEX_DIGITS);
    return true;
}

static bool read_role(const char *text, omend_role *out)
{
    static const char *const names[] = { "read", "submit", "admin" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (omend_role) i;
            return true;
        }
    return false;
}

static int read_token_member(om_context *ctx, omend_token *t, const config_setting_t *s)
{
    const char *name = config_setting_name(s), *text = config_setting_get_string(s);
    om_place at = place_of(s);
    if (strcmp(name, "weight") == 0) {
        t->weight = config_setting_type(s) == CONFIG_TYPE_INT ? config_setting_get_int(s)
                                                              : config_setting_get_float(s);
        return t->weight > 0 && t->weight <= 1e6 ? OM_OK
                                                 : wrong(ctx, s, "a number from 0 to 1000000");
    }
    if (text == NULL)
        return wrong(ctx, s, "a string in quotes");
    if (strcmp(name, "name") == 0) {
        t->name = om_strdup(om_context_heap(ctx), text);
        return t->name == NULL ? om_fail_memory(ctx) : OM_OK;
    }
    if (strcmp(name, "hash") == 0)
        return read_hash(text, t->hash)
                   ? OM_OK
                   : wrong(ctx, s, "\"sha256:\" and 64 digits (omend --hash-token)");
    if (strcmp(name, "role") == 0)
        return read_role(text, &t->role) ? OM_OK : wrong(ctx, s, "read, submit or admin");
    if (strcmp(name, "disk") == 0)
        return units_read_size(text, &t->disk_bytes) ? OM_OK
                                                     : wrong(ctx, s, "a size such as \"4G\"");
    return om_fail(
        ctx, OM_EINPUT, &at, "a token has no key '%s' (only name, hash, role, weight, disk)", name);
}

static int read_token(omend_config *c, om_context *ctx, const config_setting_t *s)
{
    omend_token *t = &c->tokens[c->token_count];
    om_place at = place_of(s);
    int rc = OM_OK;
    if (!config_setting_is_group(s))
        return wrong(ctx, s, "groups: ( { name = ...; hash = ...; role = ...; } )");
    *t = (omend_token){ .weight = 1, .role = OMEND_ROLE_SUBMIT };
    for (int i = 0; rc == OM_OK && i < config_setting_length(s); i++)
        rc = read_token_member(ctx, t, config_setting_get_elem(s, (unsigned) i));
    c->token_count++; /* settings_free() frees its name */
    if (rc == OM_OK && (t->name == NULL || config_setting_get_member(s, "hash") == NULL))
        return om_fail(ctx, OM_EINPUT, &at, "a token needs a name and a hash");
    for (size_t i = 0; rc == OM_OK && i + 1 < c->token_count; i++)
        if (strcmp(c->tokens[i].name, t->name) == 0)
            rc = om_fail(ctx, OM_EINPUT, &at, "there is already a token '%s'", t->name);
    return rc;
}

static int read_tokens(omend_config *c, om_context *ctx, const config_setting_t *s)
{
    int rc = OM_OK;
    if (!config_setting_is_list(s))
        return wrong(ctx, s, "a list: ( { name = ...; hash = ...; role = ...; } )");
    if (config_setting_length(s) > OMEND_TOKENS)
        return wrong(ctx, s, "at most 256 tokens");
    for (int i = 0; rc == OM_OK && i < config_setting_length(s); i++)
        rc = read_token(c, ctx, config_setting_get_elem(s, (unsigned) i));
    return rc;
}

static int unknown_key(om_context *ctx, const config_setting_t *s)
{
    om_place at = place_of(s);
    const char *names[KEYS], *name = config_setting_name(s);
    for (size_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    const char *near = om_nearest(name, names, KEYS);
    return om_fail(ctx, OM_EINPUT, &at, "no key '%s'%s%s%s (omend --config-keys lists them)", name,
        near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
}

static int read_setting(omend_config *c, om_context *ctx, const config_setting_t *s)
{
    const char *name = config_setting_name(s);
    if (strcmp(name, "tokens") == 0)
        return read_tokens(c, ctx, s);
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(name, keys[i].name) == 0)
            return read_value(c, ctx, &keys[i], s);
    return unknown_key(ctx, s);
}

int settings_read(omend_config *c, om_context *ctx, const char *path)
{
    config_t parsed;
    int rc = OM_OK;
    config_init(&parsed);
    if (config_read_file(&parsed, path) != CONFIG_TRUE) {
        om_place at = { path, (uint32_t) config_error_line(&parsed), 0 };
        rc = config_error_type(&parsed) == CONFIG_ERR_FILE_IO
                 ? om_fail(ctx, OM_EIO, NULL, "cannot read '%s'", path)
                 : om_fail(ctx, OM_EINPUT, &at, "%s", config_error_text(&parsed));
    } else {
        const config_setting_t *root = config_root_setting(&parsed);
        for (int i = 0; rc == OM_OK && i < config_setting_length(root); i++)
            rc = read_setting(c, ctx, config_setting_get_elem(root, (unsigned) i));
    }
    config_destroy(&parsed);
    c->file = path;
    return rc;
}

int settings_check(const omend_config *c, om_context *ctx)
{
    const om_place at = { c->file, 0, 0 };
    const char *problem = NULL;
    if ((*c->certificate == '\0') != (*c->key == '\0'))
        problem = "tls_certificate and tls_key need each other";
    else if (strcmp(c->backend, "local") != 0 && strcmp(c->backend, "slurm") != 0)
        problem = "backend must be local or slurm";
    else if (*c->slurm_commands != '\0' && *c->slurm_commands != '/')
        problem = "slurm_commands must be an absolute path";
    else if (c->job_timeout_ns > c->most_timeout_ns)
        problem = "job_timeout is longer than most_timeout";
    return problem == NULL ? OM_OK
                           : om_fail(ctx, OM_EINPUT, c->file == NULL ? NULL : &at, "%s", problem);
}

void settings_free(omend_config *c, om_context *ctx)
{
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].type == KEY_TEXT)
            om_free(om_context_heap(ctx), *(char **) member(c, &keys[i]));
    for (size_t i = 0; i < c->token_count; i++)
        om_free(om_context_heap(ctx), c->tokens[i].name);
    *c = (omend_config){ 0 };
}

static size_t size_of(const key *k)
{
    return k->type == KEY_BOOL ? sizeof(bool) : sizeof(int64_t);
}

static bool same_value(omend_config *a, omend_config *b, const key *k)
{
    if (k->type == KEY_TEXT)
        return strcmp(*(char **) member(a, k), *(char **) member(b, k)) == 0;
    return memcmp(member(a, k), member(b, k), size_of(k)) == 0;
}

int settings_replace(omend_settings *s, om_context *ctx, omend_config *by)
{
    omend_config *old = atomic_load_explicit(&s->now, memory_order_relaxed);
    int rc = OM_OK;
    for (size_t i = 0; old != NULL && rc == OM_OK && i < KEYS; i++) {
        const key *k = &keys[i];
        if (can_change(k) || same_value(old, by, k))
            continue;
        om_note(ctx, OM_NOTE_WARNING, NULL, "%s does not change until omend is restarted", k->name);
        if (k->type == KEY_TEXT)
            rc = set_text(by, ctx, k, *(char **) member(old, k));
        else
            memcpy(member(by, k), member(old, k), size_of(k));
    }
    by->older = old;
    atomic_store_explicit(&s->now, by, memory_order_release);
    return rc;
}

void settings_end(omend_settings *s, om_context *ctx)
{
    for (omend_config *c = atomic_load(&s->now), *older; c != NULL; c = older) {
        older = c->older;
        settings_free(c, ctx);
        om_free(om_context_heap(ctx), c);
    }
}

bool settings_key(size_t i, omend_key_text *out)
{
    static const omend_key_text tokens = { "tokens", "( )",
        "who may use omend; without tokens, every user of this machine. Roles are read,\n"
        "submit and admin; `omend --hash-token` reads a token and prints its hash. Example:\n"
        "tokens = ( { name = \"team\"; hash = \"sha256:...\"; role = \"submit\"; weight = 2; "
        "disk = \"10G\"; } );",
        false };
    if (i > KEYS)
        return false;
    if (i == KEYS)
        *out = tokens;
    else
        *out = (omend_key_text){ keys[i].name, keys[i].dflt, keys[i].help,
            keys[i].type != KEY_BOOL && keys[i].type != KEY_NUMBER };
    return true;
}

static void put_comment(const char *text, om_text *out)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        om_text_add(out, "# ");
        om_text_add_n(out, text, n);
        om_text_add(out, "\n");
        text += n + (text[n] == '\n');
    }
}

void settings_describe(om_text *out, const char *before)
{
    omend_key_text k;
    om_text_add(out, "# All keys of omend's configuration, with their default "
                     "values.\n");
    for (size_t i = 0; settings_key(i, &k); i++) {
        const char *quote = k.quoted ? "\"" : "";
        om_text_add(out, "\n");
        put_comment(k.help, out);
        om_text_printf(out, "%s%s = %s%s%s;\n", before, k.name, quote, k.value, quote);
    }
}

/* ---- hashes ---- */

bool settings_hash(const char *word, size_t length, char *hex)
{
    unsigned char hash[OMEND_HASH_BYTES];
    const gnutls_datum_t bytes = { hash, sizeof hash };
    size_t room = HEX_DIGITS + 1;
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, word, length, hash) == 0 &&
           gnutls_hex_encode(&bytes, hex, &room) == 0;
}

const omend_token *settings_find_token(const omend_config *c, const char *word)
{
    char hash[HEX_DIGITS + 1];
    const omend_token *found = NULL;
    if (!settings_hash(word, strlen(word), hash))
        return NULL;
    for (size_t i = 0; i < c->token_count; i++)
        if (gnutls_memcmp(hash, c->tokens[i].hash, HEX_DIGITS) == 0)
            found = &c->tokens[i];
    return found;
}
