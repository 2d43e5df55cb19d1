/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text read as a submission is either rejected with a problem document, or becomes a command of
 * strings that names no file outside the job's folder. The same holds for a configuration, and for
 * the output of a job.
 */
#include "config.h"
#include "http/problem.h"
#include "jobs/submission.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c)
{
    if (!c)
        abort();
}

static void check_problem(const omend_problem *p)
{
    json_t *document = problem_json(p);
    require(p->kind != OMEND_NO_PROBLEM && document != NULL);
    require(json_integer_value(json_object_get(document, "status")) == problem_status(p->kind));
    char *text = json_dumps(document, 0);
    require(text != NULL);
    free(text);
    json_decref(document);
}

static void check_command(const omend_submission *s, const omend_config *config)
{
    const omend_grant grant = { 2, 1 << 30, "none" };
    json_t *files = json_object(), *text, *argument;
    const char *name;
    size_t i;
    json_t *argv = submission_command(s->request, config, &grant, files);
    require(argv != NULL && json_array_size(argv) > 3);
    json_array_foreach(argv, i, argument) require(json_is_string(argument));
    json_object_foreach(files, name, text)
        require(strchr(name, '/') == NULL && json_is_string(text));
    /* The third is the model's file. */
    name = json_string_value(json_array_get(argv, 2));
    require(strchr(name, '/') == NULL && *name != '.' && *name != '-');
    json_decref(argv);
    json_decref(files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    omend_config config;
    omend_submission s;
    omend_problem p = { 0 }, said = { 0 };
    char *text = malloc(size + 1);
    require(text != NULL && om_context_new(&ctx, NULL) == OM_OK);
    require(settings_defaults(&config, ctx) == OM_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    json_t *body = json_loadb((const char *) data, size, JSON_REJECT_DUPLICATES, NULL);
    if (body != NULL) {
        if (submission_read(&s, &config, body, &p))
            check_command(&s, &config);
        else
            check_problem(&p);
        submission_free(&s);
    }
    json_decref(body);
    problem_read_message(&said, OMEND_BAD_MODEL, text);
    check_problem(&said);
    (void) settings_find_token(&config, text);
    free(text);
    settings_free(&config, ctx);
    om_context_free(ctx);
    return 0;
}
