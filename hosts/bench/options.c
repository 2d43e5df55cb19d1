/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    bench_options *o;
    om_context *ctx;
} reader;

static int bad(reader *r, const char *name, const char *wanted, const char *value)
{
    return om_fail(r->ctx, OM_EUSAGE, NULL, "--%s takes %s, not '%s'", name, wanted, value);
}

static int on_rounds(reader *r, const char *v)
{
    char *stop;
    errno = 0;
    unsigned long n = strtoul(v, &stop, 10);
    if (*v < '0' || *v > '9' || *stop != '\0' || errno != 0 || n < 1 || n > BENCH_ROUNDS_MOST)
        return bad(r, "rounds", "a number from 1 to 1000", v);
    r->o->rounds = n;
    return OM_OK;
}

static int on_timeout(reader *r, const char *v)
{
    return bench_read_time(v, &r->o->timeout_ns) ? OM_OK
                                                 : bad(r, "timeout", "a time such as 90s or 5m", v);
}

static int on_budget(reader *r, const char *v)
{
    return bench_read_time(v, &r->o->budget_ns) ? OM_OK
                                                : bad(r, "budget", "a time such as 30m or 2h", v);
}

static int on_memory(reader *r, const char *v)
{
    return bench_read_size(v, &r->o->memory) ? OM_OK
                                             : bad(r, "memory", "a size such as 500M or 4G", v);
}

static int on_minutes(reader *r, const char *v)
{
    char *stop;
    double n = strtod(v, &stop);
    if (*v < '0' || *v > '9' || *stop != '\0' || !(n >= 0.01 && n < 1e5))
        return bad(r, "minutes", "a number of minutes", v);
    r->o->minutes_ns = (uint64_t) (n * 60e9);
    return OM_OK;
}

static int on_device(reader *r, const char *v)
{
    return bench_add_pair(&r->o->arena, r->ctx, &r->o->set, "device", v);
}

static int on_set(reader *r, const char *v)
{
    const char *equals = strchr(v, '=');
    if (equals == NULL || equals == v)
        return bad(r, "set", "NAME=VALUE", v);
    const char *name = bench_arena_text(&r->o->arena, v, (size_t) (equals - v));
    return name == NULL ? om_fail_memory(r->ctx)
                        : bench_add_pair(&r->o->arena, r->ctx, &r->o->set, name, equals + 1);
}

/* Reads names separated by commas. */
static int on_rows(reader *r, const char *v)
{
    while (*v != '\0') {
        size_t n = strcspn(v, ",");
        if (r->o->row_count == BENCH_ROWS)
            return om_fail(r->ctx, OM_EUSAGE, NULL, "--rows: more than %d", BENCH_ROWS);
        const char *name = bench_arena_text(&r->o->arena, v, n);
        if (name == NULL)
            return om_fail_memory(r->ctx);
        r->o->rows[r->o->row_count++] = name;
        v += n + (v[n] == ',');
    }
    return OM_OK;
}

static int on_out(reader *r, const char *v)
{
    r->o->out = v;
    return OM_OK;
}

static int on_csv(reader *r, const char *v)
{
    r->o->csv = v;
    return OM_OK;
}

static int on_markdown(reader *r, const char *v)
{
    r->o->markdown = v;
    return OM_OK;
}

static int on_gnuplot(reader *r, const char *v)
{
    r->o->gnuplot = v;
    return OM_OK;
}

static int on_html(reader *r, const char *v)
{
    r->o->html = v;
    return OM_OK;
}

static int on_from(reader *r, const char *v)
{
    r->o->from = v;
    return OM_OK;
}

static int on_commit(reader *r, const char *v)
{
    r->o->commit = v;
    return OM_OK;
}

static int on_resume(reader *r, const char *v)
{
    (void) v;
    r->o->resume = true;
    return OM_OK;
}

static int on_overwrite(reader *r, const char *v)
{
    (void) v;
    r->o->overwrite = true;
    return OM_OK;
}

static int on_list(reader *r, const char *v)
{
    (void) v;
    r->o->list = true;
    return OM_OK;
}

static int on_quiet(reader *r, const char *v)
{
    (void) v;
    r->o->quiet = true;
    return OM_OK;
}

static int on_verbose(reader *r, const char *v)
{
    (void) v;
    r->o->verbose = true;
    return OM_OK;
}

static int on_help(reader *r, const char *v)
{
    (void) v;
    r->o->help = true;
    return OM_OK;
}

static const struct {
    const char *name, *argument, *help;
    int (*set)(reader *r, const char *value);
} options[] = {
    { "rounds", "K", "number of runs of each command (default: the suite's)", on_rounds },
    { "rows", "NAME,...", "run only these rows", on_rows },
    { "set", "NAME=VALUE", "set a variable of the table (corpus, omen, ...); may be repeated",
        on_set },
    { "timeout", "TIME", "kill a command that runs longer, such as 90s or 5m", on_timeout },
    { "memory", "SIZE", "kill a command that uses more memory, such as 500M or 4G", on_memory },
    { "budget", "TIME", "start no row after this time, such as 30m or 2h", on_budget },
    { "minutes", "N", "end within N minutes; a running command is then stopped", on_minutes },
    { "device", "NAME", "device of the suites gpu and device: gpu, cpu, 0, ...", on_device },
    { "out", "DIR", "write DIR/DATE-COMMIT-SUITE.csv and .md after each row", on_out },
    { "resume", NULL, "continue the results in --out: keep complete rows", on_resume },
    { "overwrite", NULL, "replace the results in --out", on_overwrite },
    { "from", "FILE.csv", "run nothing: report on these results", on_from },
    { "commit", "TEXT", "commit that is measured (default: ask git)", on_commit },
    { "csv", "FILE", "write every run", on_csv },
    { "markdown", "FILE", "write the report", on_markdown },
    { "gnuplot", "NAME", "write NAME.dat and NAME.gp, which draws NAME.svg", on_gnuplot },
    { "html", "FILE", "write a page with all tables and plots", on_html },
    { "list", NULL, "list the suites", on_list },
    { "quiet", NULL, "print no line for each run", on_quiet },
    { "verbose", NULL, "-v: print progress and the estimated time left after each run",
        on_verbose },
    { "help", NULL, "print this help", on_help },
};
enum { OPTIONS = sizeof options / sizeof *options };

void bench_options_help(om_text *out)
{
    om_text_add(out, "omen-bench SUITE|FILE.suite [OPTIONS]\n\nRuns the commands of a table and "
                     "compares their time and memory.\n\nOptions:\n");
    for (size_t i = 0; i < OPTIONS; i++)
        om_text_printf(out, "  --%-10s %-12s %s\n", options[i].name,
            options[i].argument == NULL ? "" : options[i].argument, options[i].help);
    om_text_add(out,
        "\nExit status: 0 all targets met, 10 target not met, 20 a command failed, "
        "exceeded a limit\nor printed unexpected figures, 30 not everything was measured, 2 "
        "usage, "
        "3 bad input,\n1 internal error.\n");
}

static int unknown(reader *r, const char *arg)
{
    const char *names[OPTIONS];
    for (size_t i = 0; i < OPTIONS; i++)
        names[i] = options[i].name;
    const char *near = strncmp(arg, "--", 2) == 0 ? om_nearest(arg + 2, names, OPTIONS) : NULL;
    return om_fail(r->ctx, OM_EUSAGE, NULL, "no option '%s'%s%s%s (see omen-bench --help)", arg,
        near == NULL ? "" : "; did you mean '--", near == NULL ? "" : near,
        near == NULL ? "" : "'?");
}

static int read_option(reader *r, int argc, char **argv, int *at)
{
    const char *arg = argv[(*at)++], *equals = strchr(arg, '=');
    size_t n = equals == NULL ? strlen(arg) : (size_t) (equals - arg);
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strncmp(arg, "--", 2) != 0 || strlen(options[i].name) + 2 != n ||
            strncmp(arg + 2, options[i].name, n - 2) != 0)
            continue;
        if (options[i].argument == NULL)
            return equals == NULL ? options[i].set(r, NULL)
                                  : om_fail(r->ctx, OM_EUSAGE, NULL, "option --%s takes no value",
                                        options[i].name);
        const char *value = equals != NULL ? equals + 1 : *at < argc ? argv[(*at)++] : "";
        if (*value == '\0')
            return om_fail(r->ctx, OM_EUSAGE, NULL, "option --%s needs a value", options[i].name);
        return options[i].set(r, value);
    }
    return unknown(r, arg);
}

int bench_options_parse(bench_options *out, om_context *ctx, int argc, char **argv)
{
    reader r = { out, ctx };
    int rc = OM_OK;
    for (int at = 1; rc == OM_OK && at < argc;) {
        if (strcmp(argv[at], "-v") == 0)
            rc = on_verbose(&r, argv[at++]);
        else if (argv[at][0] == '-')
            rc = read_option(&r, argc, argv, &at);
        else if (out->suite != NULL)
            rc = om_fail(ctx, OM_EUSAGE, NULL, "unexpected argument '%s'", argv[at]);
        else
            out->suite = argv[at++];
    }
    if (rc == OM_OK && !out->help && !out->list && out->suite == NULL)
        rc = om_fail(ctx, OM_EUSAGE, NULL, "no suite given (see omen-bench --list and --help)");
    if (rc == OM_OK && out->resume && (out->overwrite || out->out == NULL))
        rc = om_fail(ctx, OM_EUSAGE, NULL, "--resume needs --out, and excludes --overwrite");
    return rc;
}
