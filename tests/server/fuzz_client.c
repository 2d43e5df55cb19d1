/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a server's answers to omen: any answer is either rejected with one message, or can be
 * printed in every format. The first byte selects the kind of answer.
 */
#include "remote.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c)
{
    if (!c)
        abort();
}

/* Discards printed text. */
static int drop(void *self, const char *text, size_t length)
{
    (void) text;
    *(size_t *) self += length;
    return OM_OK;
}

typedef struct fuzzed {
    cli c;
    check_settings set;
    remote_names names;
    size_t events, printed;
} fuzzed;

static void print(fuzzed *f, const cli_property *p, const remote_result *r)
{
    const check_found found = {
        .property = p, .r = &r->r, .model = r->model, .read = true, .overflows = r->overflows
    };
    check_output output = { .c = &f->c, .set = &f->set };
    for (int how = 0; how < 4; how++) {
        f->c.set.json = how == 1;
        f->c.set.json_lines = how == 2;
        f->c.set.quiet = how == 3;
        require(check_put_result(&output, &found) == OM_OK);
        require(check_put_summary(&output, how == 0 ? 2 : 0) == OM_OK);
    }
    check_output_free(&output);
}

/* A formula that occurs twice counts once; so does a file. */
static void take_result(fuzzed *f, const char *text, size_t size)
{
    for (size_t i = 0; i < f->names.count; i++) {
        remote_result r;
        om_context_clear(f->c.ctx);
        int rc = remote_result_read(
            &r, f->c.ctx, &f->names, &f->names.properties[i], f->set.plan.fair_count, text, size);
        require((rc == OM_OK) == (om_context_error(f->c.ctx)[0] == '\0'));
        if (rc == OM_OK)
            print(f, &f->names.properties[i], &r);
        remote_result_free(&r);
    }
}

static void take_problem(fuzzed *f, const char *text, size_t size)
{
    static const long statuses[] = { 200, 400, 401, 403, 413, 422, 429, 500, 507 };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        om_context_clear(f->c.ctx);
        require(remote_problem(&f->c, &f->names, statuses[i], text, size) != OM_OK);
        require(om_context_error(f->c.ctx)[0] != '\0');
    }
    om_context_clear(f->c.ctx);
    json_t *error = remote_object(text, size);
    require(remote_job_problem(&f->c, &f->names, error) != OM_OK);
    json_decref(error);
}

static int on_event(void *self, const remote_event *e)
{
    fuzzed *f = self;
    f->events++;
    require(strlen(e->type) < REMOTE_TYPE && (e->id == NULL || strlen(e->id) < REMOTE_ID));
    if (strcmp(e->type, "result") == 0)
        take_result(f, e->data, e->length);
    return e->length == 7 ? OM_EINPUT : OM_OK;
}

/* The same bytes give the same events, however they are divided. */
static void take_events(fuzzed *f, const char *text, size_t size)
{
    size_t seen[2];
    int rc[2];
    for (size_t way = 0; way < 2; way++) {
        remote_events e = { .heap = f->c.heap, .most = 1 << 16, .fn = on_event, .self = f };
        size_t step = way == 0 ? size + 1 : 3;
        rc[way] = OM_OK;
        f->events = 0;
        for (size_t at = 0; rc[way] == OM_OK && at < size; at += step)
            rc[way] = remote_events_feed(&e, text + at, size - at < step ? size - at : step);
        seen[way] = f->events;
        remote_events_reset(&e);
    }
    require(seen[0] == seen[1] && rc[0] == rc[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cli_property properties[] = { { OM_PROPERTY_LTL_FILE, "ltl", "f.ltl" },
        { OM_PROPERTY_AUTOMATON, "never", "x.hoa" }, { OM_PROPERTY_DEFAULT, "default", NULL } };
    static const char *const fair[] = { "GF p" };
    fuzzed f = { .names = { "http://server", "a folder/a model.dve", "model", properties, 3 } };
    if (size == 0)
        return 0;
    char *text = malloc(size);
    require(text != NULL && cli_open(&f.c) == OM_OK);
    memcpy(text, data + 1, size - 1);
    f.c.out = (om_text){ .heap = f.c.heap, .drain = drop, .drain_self = &f.printed };
    f.c.set.positionals[0] = f.names.here;
    f.set.plan.fair = fair;
    f.set.plan.fair_count = 1;
    if (data[0] == 'r')
        take_result(&f, text, size - 1);
    else if (data[0] == 'p')
        take_problem(&f, text, size - 1);
    else
        take_events(&f, text, size - 1);
    cli_close(&f.c);
    free(text);
    return 0;
}
