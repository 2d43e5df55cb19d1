/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in with the flaw named by $FLAW: code that runs when it is opened corrupts its
 * descriptor, or does worse. It appends a byte to the file $FLAW_NOTES whenever it is opened.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <omen/plugin/check.h>
#include <omen/plugin/frontend.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An invalid pointer. */
static volatile uintptr_t nowhere = 64;
#define NOWHERE ((const void *) nowhere)

static bool has(const char *flaw)
{
    const char *which = getenv("FLAW");
    return which != NULL && strcmp(which, flaw) == 0;
}

static int create(om_run *run, om_task *task, const int64_t *values)
{
    (void) run;
    (void) task;
    (void) values;
    return OM_OK;
}

static int work(om_run *run, unsigned worker)
{
    (void) run;
    (void) worker;
    if (has("leave at work"))
        exit(0);
    return OM_EINTERNAL;
}

static void destroy(om_run *run)
{
    (void) run;
}

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    (void) ctx;
    (void) file;
    (void) text;
    (void) length;
    (void) options;
    (void) out;
    return OM_EINTERNAL;
}

static int expression(om_model *m, const char *origin, const char *text, om_expr *out)
{
    (void) m;
    (void) origin;
    (void) text;
    (void) out;
    return OM_EINTERNAL;
}

static om_option options[100] = {
    { "first", 1, 0, 5, "one" },
    { "second", 1, 0, 5, NULL },
    { NULL, 0, 0, 0, NULL },
};

static const char *suffixes[100] = { ".flawed", NULL };

/* Not constant, and of any kind, so that it can be corrupted. */
typedef union descriptor {
    om_plugin head;
    om_checker checker;
    om_frontend frontend;
} descriptor;

extern OM_API descriptor omen_plugin;
descriptor omen_plugin = { .checker = {
                               .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "flawed",
                                   "has the flaw that its option names", NULL, options),
                               .strengths = OM_FOR_ALL,
                               .acceptance = OM_ACCEPT_ANY,
                               .create = create,
                               .work = work,
                               .destroy = destroy,
                           } };

#define D omen_plugin.checker

static void become_frontend(void)
{
    omen_plugin.frontend = (om_frontend){
        .head = OM_PLUGIN_HEAD(om_frontend, OM_PLUGIN_FRONTEND, "flawed", "reads none", NULL, NULL),
        .suffixes = suffixes,
        .load = load,
        .expression = expression,
    };
}

/* ---- behaviour on opening ---- */

static void crash(void)
{
    *(volatile char *) nowhere = 1;
}

static void leave(void)
{
    exit(0);
}

/* Ends the process, but not in the trial. */
static void leave_omen(void)
{
    if (strcmp(program_invocation_short_name, "omen") == 0)
        exit(0);
}

static void leave_quickly(void)
{
    _exit(7);
}

static void hang(void)
{
    for (;;)
        (void) pause();
}

/* Allocates without end, but at most the physical memory if nothing stops it. */
static void devour(void)
{
    const size_t piece = (size_t) 64 << 20;
    const long pages = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
    for (size_t left = (size_t) pages * (size_t) each; left > piece; left -= piece)
        if (mmap(NULL, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
            MAP_FAILED)
            _exit(8);
}

/* Another process keeps the open descriptors and continues. */
static void fork_and_crash(void)
{
    if (fork() == 0) {
        (void) sleep(3);
        _exit(0);
    }
    crash();
}

/* Hides the end of the process. */
static void close_all_and_crash(void)
{
    for (int fd = 0; fd < 1024; fd++)
        (void) close(fd);
    crash();
}

/* Writes garbage to all standard descriptors. */
static void babble(void)
{
    for (int fd = 0; fd < 3; fd++)
        (void) !write(fd, "ssssssss\n", 9);
}

static void be_interrupted(void)
{
    (void) raise(SIGTERM);
}

static void crash_at_the_end(void)
{
    if (atexit(crash) != 0)
        crash();
}

/* ---- the descriptor's contents ---- */

static void bad_build(void)
{
    D.head.build = NOWHERE;
}

static void bad_name(void)
{
    D.head.name = NOWHERE;
}

static void bad_summary(void)
{
    D.head.summary = NOWHERE;
}

static void bad_citation(void)
{
    D.head.citation = NOWHERE;
}

static void bad_options(void)
{
    D.head.options = NOWHERE;
}

static void bad_option_name(void)
{
    options[1].name = NOWHERE;
}

static void bad_option_help(void)
{
    options[1].help = NOWHERE;
}

static void bad_suffixes(void)
{
    become_frontend();
    omen_plugin.frontend.suffixes = NOWHERE;
}

static void bad_suffix(void)
{
    become_frontend();
    suffixes[0] = NOWHERE;
}

/* Text up to the end of readable memory. */
static void endless_summary(void)
{
    enum { PAGE = 4096 };
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || munmap(pages + PAGE, PAGE) != 0)
        abort();
    memset(pages, 'x', PAGE);
    D.head.summary = pages + 100;
}

static void long_summary(void)
{
    static char text[8192];
    memset(text, 'x', sizeof text - 1);
    D.head.summary = text;
}

static void odd_name(void)
{
    D.head.name = "Flawed";
}

static void escapes(void)
{
    D.head.summary = "clears \033[2J the screen";
}

static void two_lines(void)
{
    D.head.citation = "one\ntwo";
}

static void longer_head(void)
{
    static const char more[] = "of a later version";
    D.head.reserved[3] = more;
}

static void latin_1(void)
{
    D.head.summary = "stra\337e";
}

static void c1_control(void)
{
    D.head.summary = "a \302\233 b";
}

static void utf_8(void)
{
    D.head.summary = "stra\303\237e";
}

static void endless_options(void)
{
    static char names[100][16];
    for (int i = 0; i < 100; i++) {
        (void) snprintf(names[i], sizeof names[i], "o%d", i);
        options[i] = (om_option){ names[i], 0, 0, 1, NULL };
    }
}

static void odd_option(void)
{
    options[1].name = "a=b";
}

static void same_option(void)
{
    options[1].name = "first";
}

static void default_too_high(void)
{
    options[1].dflt = 6;
}

static void low_above_high(void)
{
    options[1].low = 9;
}

/* Names of the values of an option whose values are 0 and 1, or another number of them. */
static const char *value_names[] = { "off", "on", NULL, NULL };
static om_option_names names[] = { { "second", value_names }, { NULL, NULL } };

static void named_values(void)
{
    options[1].high = 1;
    D.head.names = names;
}

static void too_few_names(void)
{
    named_values();
    options[1].high = 2;
}

static void too_many_names(void)
{
    named_values();
    value_names[2] = "more";
}

static void odd_value_name(void)
{
    named_values();
    value_names[1] = "a,b";
}

static void many_values(void)
{
    named_values();
    options[1].low = INT64_MIN;
    options[1].high = INT64_MAX;
}

static void names_of_no_option(void)
{
    named_values();
    names[0].option = "third";
}

static void no_names(void)
{
    named_values();
    names[0].names = NULL;
}

static void endless_names(void)
{
    static om_option_names many[100];
    named_values();
    for (int i = 0; i < 100; i++)
        many[i] = names[0];
    D.head.names = many;
}

static void no_code(void)
{
    D.work = (int (*)(om_run *, unsigned))(uintptr_t) options;
}

static void wild_code(void)
{
    D.destroy = (void (*)(om_run *)) nowhere;
}

static void wild_net(void)
{
    become_frontend();
    omen_plugin.frontend.net = (int (*)(
        om_context *, const char *, const char *, size_t, const int64_t *, om_net **)) nowhere;
}

static void no_strength(void)
{
    D.strengths = 0;
}

static void odd_strength(void)
{
    D.strengths |= 1u << 20;
}

static om_rank ranks[20] = { { OM_FOR_WEAK, 2, 4, 10 }, { OM_FOR_ALL, 1, 0, OM_HIGHEST_RANK } };

static void good_ranks(void)
{
    D.ranks = ranks;
}

static void odd_rank(void)
{
    D.strengths = OM_FOR_STRONG;
    D.ranks = ranks;
}

static void no_rank(void)
{
    ranks[1].rank = 0;
    D.ranks = ranks;
}

static void high_rank(void)
{
    ranks[0].rank = OM_HIGHEST_RANK + 1;
    D.ranks = ranks;
}

static void rank_for_no_worker(void)
{
    ranks[0].most = 1;
    D.ranks = ranks;
}

static void endless_ranks(void)
{
    for (size_t i = 2; i < sizeof ranks / sizeof *ranks; i++)
        ranks[i] = ranks[0];
    D.ranks = ranks;
}

static void odd_acceptance(void)
{
    D.acceptance |= 1u << 31;
}

static void odd_flags(void)
{
    D.flags = 1u << 9;
}

static void too_large(void)
{
    D.head.size = (uint32_t) sizeof omen_plugin + 8;
}

static void no_suffix(void)
{
    become_frontend();
    suffixes[0] = NULL;
}

static void odd_suffix(void)
{
    become_frontend();
    suffixes[0] = "flawed";
}

static void endless_suffixes(void)
{
    become_frontend();
    for (int i = 0; i < 100; i++)
        suffixes[i] = ".x";
}

static const struct {
    const char *name;
    void (*apply)(void);
} flaws[] = {
    { "crash", crash },
    { "leave", leave },
    { "leave omen", leave_omen },
    { "leave quickly", leave_quickly },
    { "abort", abort },
    { "hang", hang },
    { "devour", devour },
    { "fork and crash", fork_and_crash },
    { "close all and crash", close_all_and_crash },
    { "babble", babble },
    { "be interrupted", be_interrupted },
    { "crash at the end", crash_at_the_end },
    { "bad build", bad_build },
    { "bad name", bad_name },
    { "bad summary", bad_summary },
    { "bad citation", bad_citation },
    { "bad options", bad_options },
    { "bad option name", bad_option_name },
    { "bad option help", bad_option_help },
    { "bad suffixes", bad_suffixes },
    { "bad suffix", bad_suffix },
    { "endless summary", endless_summary },
    { "long summary", long_summary },
    { "odd name", odd_name },
    { "escapes", escapes },
    { "two lines", two_lines },
    { "longer head", longer_head },
    { "latin-1", latin_1 },
    { "c1 control", c1_control },
    { "utf-8", utf_8 },
    { "endless options", endless_options },
    { "odd option", odd_option },
    { "same option", same_option },
    { "default too high", default_too_high },
    { "low above high", low_above_high },
    { "named values", named_values },
    { "too few names", too_few_names },
    { "too many names", too_many_names },
    { "odd value name", odd_value_name },
    { "many values", many_values },
    { "names of no option", names_of_no_option },
    { "no names", no_names },
    { "endless names", endless_names },
    { "no code", no_code },
    { "wild code", wild_code },
    { "wild net", wild_net },
    { "no strength", no_strength },
    { "odd strength", odd_strength },
    { "ranks", good_ranks },
    { "odd rank", odd_rank },
    { "no rank", no_rank },
    { "high rank", high_rank },
    { "rank for no worker", rank_for_no_worker },
    { "endless ranks", endless_ranks },
    { "odd acceptance", odd_acceptance },
    { "odd flags", odd_flags },
    { "too large", too_large },
    { "frontend", become_frontend },
    { "no suffix", no_suffix },
    { "odd suffix", odd_suffix },
    { "endless suffixes", endless_suffixes },
};

__attribute__((constructor)) static void begin(void)
{
    const char *notes = getenv("FLAW_NOTES");
    FILE *f = notes == NULL ? NULL : fopen(notes, "a");
    if (f != NULL) {
        (void) fputc('.', f);
        (void) fclose(f);
    }
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++)
        if (has(flaws[i].name))
            flaws[i].apply();
}
