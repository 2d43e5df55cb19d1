/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"
#include "predict.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_figure_names[BENCH_FIGURES] = {
    [BENCH_WALL] = "wall",
    [BENCH_CPU] = "cpu",
    [BENCH_USER] = "user",
    [BENCH_SYS] = "sys",
    [BENCH_CHILDREN_CPU] = "children-cpu",
    [BENCH_OWN_CPU] = "own-cpu",
    [BENCH_PEAK] = "peak",
    [BENCH_OWN_PEAK] = "own-peak",
    [BENCH_STATES] = "states",
    [BENCH_TRANSITIONS] = "transitions",
    [BENCH_SECONDS] = "seconds",
    [BENCH_PEAK_PER_STATE] = "peak-per-state",
    [BENCH_RATE] = "rate",
    [BENCH_CYCLES] = "cycles",
    [BENCH_INSTRUCTIONS] = "instructions",
    [BENCH_CACHE_MISSES] = "cache-misses",
    [BENCH_CYCLES_PER_TRANSITION] = "cycles-per-transition",
    [BENCH_MISSES_PER_TRANSITION] = "misses-per-transition",
    [BENCH_STORE_PER_STATE] = "store-per-state",
    [BENCH_INDEX_LOAD] = "index-load",
    [BENCH_PROBES] = "probes",
    [BENCH_LONGEST_PAUSE] = "longest-pause",
    [BENCH_LONGEST_PAUSE_CPU] = "longest-pause-cpu",
    [BENCH_SECTORS_READ] = "sectors-read",
    [BENCH_SECTORS_WRITTEN] = "sectors-written",
    [BENCH_INDEX_SECTORS] = "index-sectors",
    [BENCH_ATOMICS] = "atomics",
    [BENCH_ASKED_READ] = "asked-read",
    [BENCH_ASKED_WRITTEN] = "asked-written",
    [BENCH_BANDWIDTH] = "bandwidth",
    [BENCH_EXPANSIONS] = "expansions",
    [BENCH_REPEATED] = "repeated",
    [BENCH_RED] = "red",
    [BENCH_UNIONS] = "unions",
    [BENCH_FINDS] = "finds",
    [BENCH_RETRIES] = "retries",
    [BENCH_BLOCKED] = "blocked",
    [BENCH_PEAK_STACK] = "peak-stack",
    [BENCH_AUXILIARY] = "auxiliary",
    [BENCH_AUTOMATON] = "automaton-states",
    [BENCH_AUTOMATON_EDGES] = "automaton-edges",
    [BENCH_CONVERTED] = "converted-from",
};

bench_figure bench_find_figure(const char *name)
{
    int i = 0;
    while (i < BENCH_FIGURES && strcmp(bench_figure_names[i], name) != 0)
        i++;
    return (bench_figure) i;
}

void bench_sample_clear(bench_sample *s)
{
    for (size_t i = 0; i < BENCH_FIGURES; i++)
        s->figures[i] = NAN;
    s->verdict[0] = s->executor[0] = '\0';
}

/* Returns a / b; NaN if either is unknown or b is not positive. */
static double quotient(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

void bench_sample_derive(bench_sample *s)
{
    double *f = s->figures;
    f[BENCH_PEAK_PER_STATE] = quotient(f[BENCH_PEAK], f[BENCH_STATES]);
    f[BENCH_RATE] = quotient(f[BENCH_STATES], f[BENCH_WALL]);
    f[BENCH_CYCLES_PER_TRANSITION] = quotient(f[BENCH_CYCLES], f[BENCH_TRANSITIONS]);
    f[BENCH_MISSES_PER_TRANSITION] = quotient(f[BENCH_CACHE_MISSES], f[BENCH_TRANSITIONS]);
}

/* ---- omen ---- */

static double number_at(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void copy_text(const json_t *object, const char *key, char *out, size_t size)
{
    const char *s = json_string_value(json_object_get(object, key));
    if (s != NULL)
        (void) snprintf(out, size, "%s", s);
}

/* Returns true if the CPU took over work that was requested from a device, in a part or in all. */
static bool gave_up(const json_t *o)
{
    size_t i;
    const json_t *part;
    json_array_foreach(json_object_get(o, "parts"), i, part)
    {
        if (json_is_string(json_object_get(part, "gave_up")))
            return true;
    }
    return json_is_string(json_object_get(o, "gave_up"));
}

/* Sums counters over the parts of a check. A counter that one part does not know (devices do not
 * count) is unknown for the sum. */
static void read_parts(const json_t *parts, bench_sample *out)
{
    static const struct {
        const char *key;
        bench_figure figure;
    } counters[] = { { "expansions", BENCH_EXPANSIONS }, { "repeated", BENCH_REPEATED },
        { "red", BENCH_RED }, { "unions", BENCH_UNIONS }, { "finds", BENCH_FINDS },
        { "retries", BENCH_RETRIES }, { "blocked_seconds", BENCH_BLOCKED },
        { "peak_stack", BENCH_PEAK_STACK }, { "auxiliary_bytes", BENCH_AUXILIARY } };
    double *f = out->figures;
    size_t i;
    const json_t *part;

    if (!json_is_array(parts))
        return;
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
        f[counters[k].figure] = 0;
        json_array_foreach(parts, i, part) f[counters[k].figure] +=
            number_at(json_object_get(part, "counters"), counters[k].key);
    }
    f[BENCH_AUTOMATON] = f[BENCH_AUTOMATON_EDGES] = 0;
    json_array_foreach(parts, i, part)
    {
        const double before = number_at(part, "converted_from");
        f[BENCH_AUTOMATON] += number_at(part, "automaton_states");
        f[BENCH_AUTOMATON_EDGES] += number_at(part, "automaton_edges");
        if (!isnan(before))
            f[BENCH_CONVERTED] = isnan(f[BENCH_CONVERTED]) ? before : f[BENCH_CONVERTED] + before;
    }
}

const char *bench_read_omen(const char *text, bench_sample *out)
{
    json_t *o = json_loads(text, 0, NULL);
    const char *problem = NULL;

    if (!json_is_object(o))
        problem = "no JSON object was printed";
    else if (json_is_false(json_object_get(o, "complete")))
        problem = "the exploration is not complete";
    else if (gave_up(o))
        problem = "the device was abandoned";
    else if (!json_is_integer(json_object_get(o, "states")))
        problem = "the JSON object has no states";
    if (problem == NULL) {
        const json_t *store = json_object_get(o, "store");
        out->figures[BENCH_STATES] = number_at(o, "states");
        out->figures[BENCH_TRANSITIONS] = number_at(o, "transitions");
        out->figures[BENCH_SECONDS] = number_at(o, "seconds");
        out->figures[BENCH_STORE_PER_STATE] = number_at(store, "bytes_per_state");
        if (!json_is_object(store)) /* a device kept the states */
            out->figures[BENCH_STORE_PER_STATE] =
                quotient(number_at(o, "memory_bytes"), out->figures[BENCH_STATES]);
        out->figures[BENCH_INDEX_LOAD] = number_at(store, "index_load");
        out->figures[BENCH_PROBES] = number_at(store, "probes_per_look_up");
        out->figures[BENCH_LONGEST_PAUSE] = number_at(store, "longest_pause_seconds");
        out->figures[BENCH_LONGEST_PAUSE_CPU] = number_at(store, "longest_pause_cpu_seconds");
        out->figures[BENCH_BANDWIDTH] =
            bench_bandwidth_of(json_string_value(json_object_get(o, "device")));
        read_parts(json_object_get(o, "parts"), out);
        copy_text(o, "verdict", out->verdict, sizeof out->verdict);
        copy_text(o, "executor", out->executor, sizeof out->executor);
    }
    json_decref(o);
    return problem;
}

/* Returns the sectors of the index that all kernels read. */
static double index_sectors(const json_t *kernels)
{
    double sum = 0;
    size_t i, j;
    const json_t *kernel, *b;
    json_array_foreach(kernels, i, kernel)
    {
        json_array_foreach(json_object_get(kernel, "buffers"), j, b)
        {
            const char *name = json_string_value(json_object_get(b, "buffer"));
            if (name != NULL && strcmp(name, "index") == 0)
                sum += number_at(b, "sectors_read");
        }
    }
    return sum;
}

const char *bench_read_counts(const char *text, bench_sample *out)
{
    json_t *o = json_loads(text, 0, NULL);
    const json_t *counts = json_object_get(o, "counts"), *total = json_object_get(counts, "total");
    const double transitions = number_at(o, "transitions");
    const bool there = json_is_object(total) && transitions > 0;
    static const struct {
        bench_figure figure;
        const char *name;
    } of[] = { { BENCH_SECTORS_READ, "sectors_read" }, { BENCH_SECTORS_WRITTEN, "sectors_written" },
        { BENCH_ATOMICS, "atomics" }, { BENCH_ASKED_READ, "asked_read" },
        { BENCH_ASKED_WRITTEN, "asked_written" } };
    for (size_t i = 0; there && i < sizeof of / sizeof *of; i++)
        out->figures[of[i].figure] = number_at(total, of[i].name) / transitions;
    if (there)
        out->figures[BENCH_INDEX_SECTORS] =
            index_sectors(json_object_get(counts, "kernels")) / transitions;
    json_decref(o);
    return there ? NULL : "nothing was counted";
}

/* ---- text ---- */

/* Returns the number before the first `what` on its line: " 6597247 states, stored". */
static double number_before(const char *text, const char *what)
{
    const char *found = strstr(text, what), *start = found;
    char *stop;
    if (found == NULL)
        return NAN;
    while (start > text && strchr("0123456789.e+", start[-1]) != NULL)
        start--;
    double n = strtod(start, &stop);
    return stop == found && start != found ? n : NAN;
}

/* Returns the number after the first `what`. */
static double number_behind(const char *text, const char *what)
{
    const char *found = strstr(text, what);
    char *stop;
    if (found == NULL)
        return NAN;
    found += strlen(what);
    double n = strtod(found, &stop);
    return stop == found ? NAN : n;
}

/* pan reports these problems and continues. */
static const char *pan_problem(const char *text)
{
    if (strstr(text, "max search depth too small") != NULL)
        return "pan: its search was cut short (depth)";
    if (strstr(text, "Search not completed") != NULL)
        return "pan: its search was cut short";
    if (strstr(text, "out of memory") != NULL)
        return "pan: out of memory";
    return NULL;
}

const char *bench_read_pan(const char *text, bench_sample *out)
{
    double states = number_before(text, " states, stored");
    double errors = number_behind(text, "errors: ");
    const char *problem = errors > 0 ? NULL : pan_problem(text);

    if (problem != NULL)
        return problem;
    if (isnan(states) || isnan(errors))
        return "pan printed no figures";
    out->figures[BENCH_STATES] = states;
    out->figures[BENCH_TRANSITIONS] = number_before(text, " transitions (= ");
    out->figures[BENCH_SECONDS] = number_behind(text, "pan: elapsed time ");
    (void) snprintf(out->verdict, sizeof out->verdict, "%s", errors > 0 ? "violated" : "holds");
    return NULL;
}

const char *bench_read_ltsmin(const char *text, bench_sample *out)
{
    const char *line = strstr(text, "Explored ");
    double states = number_behind(text, "State space has ");

    /* LTSmin ends with status 0 even then. */
    if (strstr(text, "table full") != NULL)
        return "LTSmin: a table was full";
    if (line == NULL)
        return "LTSmin printed no figures";
    if (isnan(states))
        states = number_behind(line, "Explored ");
    if (isnan(states))
        return "LTSmin printed no figures";
    out->figures[BENCH_STATES] = states;
    out->figures[BENCH_TRANSITIONS] = number_before(line, " transitions");
    out->figures[BENCH_SECONDS] = number_behind(text, "Total exploration time ");
    return NULL;
}
