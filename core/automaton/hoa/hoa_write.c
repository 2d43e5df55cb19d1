/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes HOA v1 with transition-based acceptance and explicit labels, independent of the form of
 * the input. Reading the output gives the same states, edges, marks and formula in the same order.
 */
#include "tela.h"

#include <assert.h>

static void put_string(om_text *t, const char *s)
{
    om_text_add(t, "\"");
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            om_text_add(t, "\\");
        om_text_add_n(t, s, 1);
    }
    om_text_add(t, "\"");
}

/* ---- the formula: from postfix to infix, with a stack of pending output ---- */

typedef struct om_acc_job {
    size_t node;      /* index of the operator or literal; or SIZE_MAX: */
    const char *text; /* this text */
} om_acc_job;

static void put_literal(om_text *t, const om_acc *f)
{
    if (f->op == OM_ACC_FIN || f->op == OM_ACC_INF)
        om_text_printf(t, "%s(%u)", f->op == OM_ACC_FIN ? "Fin" : "Inf", (unsigned) f->set);
    else
        om_text_add(t, f->op == OM_ACC_TRUE ? "t" : "f");
}

static bool is_binary(const om_acc *f)
{
    return f->op == OM_ACC_AND || f->op == OM_ACC_OR;
}

/*
 * Operators are left-associative, so a right operand with an operator needs brackets, except that
 * `b & c` needs none after `a |`. The output reads back as the identical formula.
 */
static bool is_bracketed(const om_acc *parent, const om_acc *child, bool right)
{
    if (!is_binary(child))
        return false;
    if (parent->op == OM_ACC_AND)
        return right || child->op == OM_ACC_OR;
    return right && child->op == OM_ACC_OR;
}

/* Pushes the operands of operator `i`; left operand, sign and right operand pop in this order. */
static void push_operands(
    const om_acc *f, const size_t *begin, size_t i, om_acc_job *jobs, size_t *count)
{
    size_t right = i - 1, left = begin[right] - 1;
    assert(i >= 2 && begin[i] <= left && left < right); /* A4 */
    size_t parts[2] = { right, left };
    for (int k = 0; k < 2; k++) {
        bool brackets = is_bracketed(&f[i], &f[parts[k]], k == 0);
        if (brackets)
            jobs[(*count)++] = (om_acc_job){ SIZE_MAX, ")" };
        jobs[(*count)++] = (om_acc_job){ parts[k], NULL };
        if (brackets)
            jobs[(*count)++] = (om_acc_job){ SIZE_MAX, "(" };
        if (k == 0)
            jobs[(*count)++] = (om_acc_job){ SIZE_MAX, f[i].op == OM_ACC_AND ? " & " : " | " };
    }
}

int om_acc__write(const om_automaton *a, om_text *t)
{
    size_t n = a->acc_length, count = 0;
    /* begin[i]: start of the operand that ends at i. A node leaves at most 7 jobs. */
    size_t *begin = om_alloc(a->heap, n, sizeof *begin);
    om_acc_job *jobs = om_alloc(a->heap, 7 * n + 1, sizeof *jobs);
    int rc = begin == NULL || jobs == NULL ? om_fail_memory(a->ctx) : OM_OK;

    for (size_t i = 0; rc == OM_OK && i < n; i++)
        begin[i] = is_binary(&a->acc[i]) ? begin[begin[i - 1] - 1] : i;
    if (rc == OM_OK)
        jobs[count++] = (om_acc_job){ n - 1, NULL };
    while (count > 0) {
        om_acc_job job = jobs[--count];
        if (job.node == SIZE_MAX)
            om_text_add(t, job.text);
        else if (is_binary(&a->acc[job.node]))
            push_operands(a->acc, begin, job.node, jobs, &count);
        else
            put_literal(t, &a->acc[job.node]);
    }
    OM_FREE_ALL(a->heap, begin, jobs);
    return rc;
}

/* ---- names of acceptance conditions, if the formula is exactly their definition ---- */

static void put_acc_name(const om_automaton *a, om_text *t)
{
    uint32_t classes = om_automaton_acceptance_classes(a);
    for (size_t i = 0, set = 0; i < a->acc_length; i++)
        if (a->acc[i].op <= OM_ACC_INF && a->acc[i].op >= OM_ACC_FIN && a->acc[i].set != set++)
            return; /* not in order */
    if (a->acc_length == 1 && a->acc[0].op <= OM_ACC_TRUE && a->sets == 0)
        om_text_printf(t, "acc-name: %s\n", a->acc[0].op == OM_ACC_TRUE ? "all" : "none");
    else if ((classes & OM_ACCEPT_BUCHI) != 0)
        om_text_add(t, "acc-name: Buchi\n");
    else if ((classes & OM_ACCEPT_CO_BUCHI) != 0)
        om_text_add(t, "acc-name: co-Buchi\n");
    else if ((classes & OM_ACCEPT_GENERALIZED_BUCHI) != 0 &&
             a->acc_length + 1 == (size_t) 2 * a->sets)
        om_text_printf(t, "acc-name: generalized-Buchi %u\n", a->sets);
}

/* ---- the body ---- */

static void put_cube(om_text *t, om_cube c)
{
    const char *between = "";
    if ((c.pos | c.neg) == 0)
        om_text_add(t, "t");
    for (uint32_t i = 0; i < 64; i++) {
        if ((((c.pos | c.neg) >> i) & 1) == 0)
            continue;
        om_text_printf(t, "%s%s%u", between, ((c.neg >> i) & 1) != 0 ? "!" : "", i);
        between = "&";
    }
}

static void put_edge(const om_automaton *a, const om_edge *e, om_text *t)
{
    om_text_add(t, "[");
    for (uint32_t i = 0; i < e->cube_count; i++) {
        om_text_add(t, i == 0 ? "" : " | ");
        put_cube(t, a->cubes[e->cube_begin + i]);
    }
    om_text_printf(t, "] %u", e->dst);
    const char *before = " {";
    for (uint32_t i = 0; i < 64; i++)
        if (((e->marks >> i) & 1) != 0) {
            om_text_printf(t, "%s%u", before, i);
            before = " ";
        }
    om_text_add(t, e->marks != 0 ? "}\n" : "\n");
}

int om_hoa_write(const om_automaton *a, om_text *out)
{
    om_text_add(out, "HOA: v1\n");
    if (a->name != NULL) {
        om_text_add(out, "name: ");
        put_string(out, a->name);
        om_text_add(out, "\n");
    }
    om_text_printf(out, "States: %u\n", a->states);
    for (size_t i = 0; i < a->initial_count; i++)
        om_text_printf(out, "Start: %u\n", a->initial[i]);
    om_text_printf(out, "AP: %u", a->ap_count);
    for (uint32_t i = 0; i < a->ap_count; i++) {
        om_text_add(out, " ");
        put_string(out, a->aps[i]);
    }
    om_text_add(out, "\n");
    put_acc_name(a, out);
    om_text_printf(out, "Acceptance: %u ", a->sets);
    int rc = om_acc__write(a, out);
    om_text_add(out, "\nproperties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    for (uint32_t s = 0; s < a->states; s++) {
        uint32_t count = 0;
        const om_edge *edges = om_automaton_edges(a, s, &count);
        om_text_printf(out, "State: %u\n", s);
        for (uint32_t i = 0; i < count; i++)
            put_edge(a, &edges[i], out);
    }
    om_text_add(out, "--END--\n");
    if (rc == OM_OK)
        rc = om_text_status(out);
    return rc == OM_ENOMEM ? om_fail_memory(a->ctx) : rc;
}
