/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the memory traffic of kernels, by kernel and in total, per state and per transition. */
#include "explore/exploration.h"

#include <inttypes.h>

/* A line: one kernel, or the total */
typedef struct cost_line {
    const char *name;
    uint64_t launches;
    om_traffic traffic;
} cost_line;

static void add_traffic(om_traffic *sum, const om_traffic *more)
{
    sum->read += more->read;
    sum->written += more->written;
    sum->atomics += more->atomics;
    sum->asked_read += more->asked_read;
    sum->asked_written += more->asked_written;
}

static cost_line line_of(const om_kernel_cost *k)
{
    cost_line line = { .name = k->kernel, .launches = k->launches };
    for (size_t i = 0; i < OM_COST_BUFFERS; i++)
        add_traffic(&line.traffic, &k->buffers[i].traffic);
    return line;
}

static cost_line all_of(const om_device_costs *costs)
{
    cost_line all = { .name = "all" };
    for (uint32_t k = 0; k < costs->count; k++) {
        const cost_line line = line_of(&costs->kernels[k]);
        all.launches += line.launches;
        add_traffic(&all.traffic, &line.traffic);
    }
    return all;
}

/* ---- JSON ---- */

static json_t *each_json(const cost_line *l, uint64_t of)
{
    double n = (double) of;
    if (of == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "launches", (double) l->launches / n,
        "sectors_read", (double) l->traffic.read / n, "sectors_written",
        (double) l->traffic.written / n, "atomics", (double) l->traffic.atomics / n, "asked_read",
        (double) l->traffic.asked_read / n, "asked_written", (double) l->traffic.asked_written / n);
}

/* Adds a member; takes both references. Returns NULL if memory runs out. */
static json_t *with(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *traffic_json(const om_traffic *t)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "sectors_read", (json_int_t) t->read,
        "sectors_written", (json_int_t) t->written, "atomics", (json_int_t) t->atomics,
        "asked_read", (json_int_t) t->asked_read, "asked_written", (json_int_t) t->asked_written);
}

static json_t *line_json(const cost_line *l, const om_exploration *e)
{
    json_t *line =
        with(traffic_json(&l->traffic), "launches", json_integer((json_int_t) l->launches));
    return with(with(line, "per_state", each_json(l, e->states)), "per_transition",
        each_json(l, e->transitions));
}

static json_t *kernel_json(const om_kernel_cost *k, const om_exploration *e)
{
    const cost_line line = line_of(k);
    json_t *buffers = json_array();
    for (size_t i = 0; i < OM_COST_BUFFERS; i++) {
        if (k->buffers[i].name[0] != '\0')
            (void) json_array_append_new(buffers, with(traffic_json(&k->buffers[i].traffic),
                                                      "buffer", json_string(k->buffers[i].name)));
    }
    return with(with(line_json(&line, e), "kernel", json_string(k->kernel)), "buffers", buffers);
}

json_t *cli_costs_json(const om_device_costs *costs, const om_exploration *e)
{
    if (costs == NULL)
        return json_null();
    const cost_line all = all_of(costs);
    json_t *kernels = json_array();
    for (uint32_t k = 0; k < costs->count; k++)
        (void) json_array_append_new(kernels, kernel_json(&costs->kernels[k], e));
    return json_pack("{s:i, s:o, s:o, s:I}", "sector_bytes", 32, "kernels", kernels, "total",
        line_json(&all, e), "read_backs", (json_int_t) costs->read_backs);
}

/* ---- text ---- */

static void put_line(om_text *out, const cost_line *l, double of)
{
    const om_traffic *t = &l->traffic;
    om_text_printf(out, "  %-14s %10.4f %10.4f %10.4f %12.4f %14.4f\n", l->name,
        (double) t->read / of, (double) t->written / of, (double) t->atomics / of,
        (double) t->asked_read / of, (double) t->asked_written / of);
}

static void put_each(om_text *out, const om_device_costs *costs, const char *what, uint64_t of)
{
    const cost_line all = all_of(costs);
    om_text_printf(out, "%-16s %10s %10s %10s %12s %14s\n", what, "read", "written", "atomics",
        "asked read", "asked written");
    for (uint32_t k = 0; of != 0 && k < costs->count; k++) {
        const cost_line line = line_of(&costs->kernels[k]);
        put_line(out, &line, (double) of);
    }
    if (of != 0)
        put_line(out, &all, (double) of);
}

void cli_put_costs(cli *c, const om_device_costs *costs, const om_exploration *e)
{
    if (costs == NULL)
        return;
    om_text_add(&c->out, "launches:");
    for (uint32_t k = 0; k < costs->count; k++)
        om_text_printf(
            &c->out, " %s %" PRIu64, costs->kernels[k].kernel, costs->kernels[k].launches);
    om_text_printf(&c->out,
        "; read-backs: %" PRIu64 "\nsectors of 32 bytes, and atomics, for each\n",
        costs->read_backs);
    put_each(&c->out, costs, "state", e->states);
    put_each(&c->out, costs, "transition", e->transitions);
}
