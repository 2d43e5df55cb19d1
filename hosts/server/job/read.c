/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "jobs/borrowed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the strings of an array, followed by NULL. */
static char **texts_of(json_t *array)
{
    size_t n = json_array_size(array);
    char **out = calloc(n + 1, sizeof *out);
    for (size_t i = 0; out != NULL && i < n; i++) {
        const char *s = json_string_value(json_array_get(array, i));
        /* The strings live as long as the document; execve() does not write to them. */
        out[i] = borrowed(s == NULL ? "" : s);
    }
    return out;
}

static bool read_commands(omend_job *job, json_t *commands)
{
    size_t i;
    json_t *c;
    job->commands = calloc(json_array_size(commands), sizeof *job->commands);
    if (job->commands == NULL)
        return false;
    json_array_foreach(commands, i, c)
    {
        om_command *to = &job->commands[i];
        json_t *argv = NULL;
        int decides = 0;
        if (json_unpack(c, "{s:o, s?s, s?s, s:b}", "argv", &argv, "what", &to->what, "output",
                &to->output, "decides", &decides) != 0 ||
            json_array_size(argv) == 0)
            return false;
        to->decides = decides != 0;
        to->argv = texts_of(argv);
        job->command_count = i + 1;
        if (to->argv == NULL)
            return false;
    }
    return job->command_count > 0;
}

/* Returns the environment of job.json. The inherited variables are taken from this process instead,
 * or left out if it does not have them. */
static char **environment_of(json_t *said, json_t *inherited)
{
    const size_t most = json_array_size(said) + json_array_size(inherited);
    char **out = calloc(most + 1, sizeof *out);
    size_t i, k, n = 0;
    json_t *one, *name;
    json_array_foreach(said, i, one)
    {
        const char *text = json_string_value(one);
        bool ours = text != NULL && out != NULL;
        json_array_foreach(inherited, k, name)
        {
            const size_t length = json_string_length(name);
            ours = ours &&
                   !(strncmp(text, json_string_value(name), length) == 0 && text[length] == '=');
        }
        if (ours)
            out[n++] = borrowed(text);
    }
    json_array_foreach(inherited, k, name)
    {
        const char *const *found = (const char *const *) environ;
        const size_t length = json_string_length(name);
        while (*found != NULL &&
               !(strncmp(*found, json_string_value(name), length) == 0 && (*found)[length] == '='))
            found++;
        if (out != NULL && *found != NULL)
            out[n++] = borrowed(*found);
    }
    return out;
}

static bool read_members(omend_job *job)
{
    json_t *commands = NULL, *environment = NULL, *inherit = NULL;
    json_int_t memory = 0, output = 0, processes = 0, uid = 0, gid = 0;
    int own_user = 0;
    if (json_unpack(job->text, "{s:o, s:o, s:I, s:I, s:F, s:I, s:b, s:I, s:I, s?s, s?o}",
            "commands", &commands, "environment", &environment, "memory_bytes", &memory,
            "output_bytes", &output, "seconds", &job->seconds, "processes", &processes, "own_user",
            &own_user, "uid", &uid, "gid", &gid, "cgroup", &job->cgroup, "inherit", &inherit) != 0)
        return false;
    job->memory_bytes = (uint64_t) memory;
    job->output_bytes = (uint64_t) output;
    job->processes = (uint32_t) processes;
    job->own_user = own_user != 0;
    job->uid = (uid_t) uid;
    job->gid = (gid_t) gid;
    job->environment = environment_of(environment, inherit);
    return job->environment != NULL && read_commands(job, commands);
}

bool job_read(omend_job *job, int folder)
{
    json_error_t error;
    int fd = openat(folder, "job.json", O_RDONLY | O_CLOEXEC);
    *job = (omend_job){ 0 };
    if (fd < 0) {
        perror("omend-job: job.json");
        return false;
    }
    job->text = json_loadfd(fd, JSON_ALLOW_NUL, &error);
    (void) close(fd);
    if (job->text != NULL && read_members(job))
        return true;
    (void) fprintf(stderr, "omend-job: job.json is invalid: %s\n",
        job->text == NULL ? error.text : "missing members");
    return false;
}

void job_free(omend_job *job)
{
    for (size_t i = 0; i < job->command_count; i++)
        free(job->commands[i].argv);
    free(job->commands);
    free(job->environment);
    json_decref(job->text);
}
