/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

enum { MOST_FIELDS = 16, LINE = 512 };
static const uint64_t MIB = 1 << 20;

typedef struct row {
    const char *kind;
    int64_t of[MOST_FIELDS];
    int count;
} row;

static row split(char *line, const char *name, unsigned number)
{
    row r = { .kind = strtok(line, ",\n") };
    for (char *field; (field = strtok(NULL, ",\n")) != NULL; r.count++) {
        char *end;
        errno = 0;
        if (r.count == MOST_FIELDS)
            fail_msg("%s:%u: too many fields", name, number);
        r.of[r.count] = strtoll(field, &end, 10);
        if (*end != '\0' || errno != 0)
            fail_msg("%s:%u: '%s' is no number", name, number, field);
    }
    return r;
}

static void add_pool(sim *s, const int64_t *of)
{
    s->pool = (schedule_pool){ .threads = (uint32_t) of[0],
        .memory = (uint64_t) of[1] * MIB,
        .thread_rate = (uint64_t) of[2],
        .memory_least = (uint64_t) of[3] * MIB,
        .longest = (uint64_t) of[4],
        .patience = (uint64_t) of[5],
        .priority_step = (uint64_t) of[6],
        .horizon = (uint64_t) of[7] };
    s->half_life = (uint64_t) of[8];
}

static void add_device(sim *s, const int64_t *of)
{
    assert_true(s->pool.device_count < SIM_DEVICES);
    s->devices[s->pool.device_count++] = (schedule_device){ .kind = (schedule_kind) of[0],
        .slots = (uint32_t) of[1],
        .memory = (uint64_t) of[2] * MIB,
        .rate = (uint64_t) of[3],
        .start_ms = (uint64_t) of[4] };
}

static void add_job(sim *s, const int64_t *of)
{
    sim_job *j;
    s->jobs = realloc(s->jobs, (s->job_count + 1) * sizeof *s->jobs);
    assert_non_null(s->jobs);
    j = &s->jobs[s->job_count++];
    *j = (sim_job){ .work = (uint64_t) of[11], .searches = of[12] != 0, .alike = s->job_count };
    j->job = (schedule_job){ .id = s->job_count,
        .submitted = (uint64_t) of[0],
        .token = (uint32_t) of[1],
        .priority = (int32_t) of[2],
        .threads_least = (uint32_t) of[3],
        .threads_most = (uint32_t) of[4],
        .memory = (uint64_t) of[5] * MIB,
        .wish = (schedule_wish) of[6],
        .devices = (uint64_t) of[7],
        .part = (schedule_part) of[8],
        .states = (uint64_t) of[9],
        .limit = (uint64_t) of[10],
        .attempt = 1 };
    assert_true(j->job.token < s->token_count);
    assert_true(s->job_count == 1 || j[-1].job.submitted <= j->job.submitted);
}

void trace_read(sim *s, const char *name)
{
    char path[1024], line[LINE];
    FILE *file;
    (void) snprintf(path, sizeof path, "%s/tests/schedule/traces/%s.csv", OMEN_SOURCE_DIR, name);
    file = fopen(path, "r");
    assert_non_null(file);
    *s = (sim){ .seed = 1 };
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (line[0] == '#')
            continue;
        row r = split(line, name, number);
        if (strcmp(r.kind, "pool") == 0 && r.count == 9)
            add_pool(s, r.of);
        else if (strcmp(r.kind, "device") == 0 && r.count == 5)
            add_device(s, r.of);
        else if (strcmp(r.kind, "token") == 0 && r.count == 1 && s->token_count < SIM_TOKENS)
            s->tokens[s->token_count++].weight = (uint32_t) r.of[0];
        else if (strcmp(r.kind, "job") == 0 && r.count == 13)
            add_job(s, r.of);
        else
            fail_msg("%s:%u: invalid row", name, number);
    }
    (void) fclose(file);
    assert_true(s->job_count > 0);
}

void trace_free(sim *s)
{
    free(s->jobs);
    s->jobs = NULL;
}
