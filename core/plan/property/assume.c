/* SPDX-License-Identifier: Apache-2.0 */
/* Extracts from a formula the assumptions of fairness that marks can express: fairness.h. */
#include "fairness.h"
#include "plan.h"

/* Maximum nesting of operands; deeper formulas are not recognised. */
enum { DEEPEST = 256 };

typedef struct reader {
    om_plan *p;
    om_assumed *a;
    int rc;
} reader;

/* A formula, or its negation */
typedef struct polar {
    om_ltl_ref f;
    bool negated;
} polar;

static om_ltl_op op_of(const reader *r, polar x)
{
    return om_ltl_operator(r->a->ltl, x.f);
}

/* Strips leading negations. */
static polar bare(const reader *r, polar x)
{
    while (op_of(r, x) == OM_LTL_NOT)
        x = (polar){ om_ltl_left(r->a->ltl, x.f), !x.negated };
    return x;
}

static polar left(const reader *r, polar x)
{
    return (polar){ om_ltl_left(r->a->ltl, x.f), x.negated };
}

static polar right(const reader *r, polar x)
{
    return (polar){ om_ltl_right(r->a->ltl, x.f), x.negated };
}

static polar opposite(polar x)
{
    return (polar){ x.f, !x.negated };
}

/* Returns true if f is a conjunction (or disjunction) of two operands; sets *x and *y to them. */
static bool joins(const reader *r, polar f, bool conjunction, polar *x, polar *y)
{
    const om_ltl_op op = op_of(r, f);
    *x = left(r, f);
    *y = right(r, f);
    if (op == OM_LTL_IMPLIES)
        *x = opposite(*x);
    if (op == OM_LTL_AND)
        return conjunction != f.negated;
    return (op == OM_LTL_OR || op == OM_LTL_IMPLIES) && conjunction == f.negated;
}

/* Both operands of an equivalence or an exclusive disjunction are evaluated twice. */
static om_expr equivalence(reader *r, bool same, om_expr x, om_expr y)
{
    om_model *m = r->p->model;
    x = om_expr_unary(m, OM_OP_NOT, x);
    y = om_expr_unary(m, OM_OP_NOT, y); /* 0 or 1 each */
    return om_expr_binary(m, same ? OM_OP_EQ : OM_OP_NE, x, y);
}

/* Returns a formula without temporal operators as an expression of the model; 0 if it has temporal
 * operators. */
static om_expr expression(reader *r, polar x, int depth)
{
    om_model *m = r->p->model;
    polar a, b;
    x = bare(r, x);
    if (depth == 0)
        return 0;
    switch (op_of(r, x)) {
    case OM_LTL_TRUE:
    case OM_LTL_FALSE:
        return om_expr_const(m, (op_of(r, x) == OM_LTL_TRUE) != x.negated);
    case OM_LTL_AP: {
        om_expr e = r->a->ltl_aps[om_ltl_left(r->a->ltl, x.f)];
        return x.negated ? om_expr_unary(m, OM_OP_NOT, e) : e;
    }
    case OM_LTL_AND:
    case OM_LTL_OR:
    case OM_LTL_IMPLIES: {
        bool conjunction = joins(r, x, true, &a, &b);
        om_expr e = expression(r, a, depth - 1), g = expression(r, b, depth - 1);
        return e == 0 || g == 0 ? 0 : om_expr_binary(m, conjunction ? OM_OP_AND : OM_OP_OR, e, g);
    }
    case OM_LTL_EQUIV:
    case OM_LTL_XOR: {
        bool same = (op_of(r, x) == OM_LTL_EQUIV) != x.negated;
        om_expr e = expression(r, (polar){ left(r, x).f, false }, depth - 1),
                g = expression(r, (polar){ right(r, x).f, false }, depth - 1);
        return e == 0 || g == 0 ? 0 : equivalence(r, same, e, g);
    }
    default:
        return 0;
    }
}

/* Returns true if *x is G, or F under a negation (`always`); else if it is F, or G under a
 * negation. Sets *x to the operand. */
static bool temporal(const reader *r, polar *x, bool always)
{
    polar f = bare(r, *x);
    const om_ltl_op op = op_of(r, f);
    if (op != OM_LTL_GLOBALLY && op != OM_LTL_FINALLY)
        return false;
    *x = bare(r, left(r, f));
    return ((op == OM_LTL_GLOBALLY) != f.negated) == always;
}

/* Adds G F p or F G q to the clause. Returns false if f is neither, or a second F G. */
static bool add_literal(reader *r, polar f, om_fair_clause *c)
{
    om_model *m = r->p->model;
    polar x = f;
    if (temporal(r, &x, true) && temporal(r, &x, false)) {
        om_expr p = expression(r, x, DEEPEST);
        c->inf = p == 0 || c->inf == 0 ? p : om_expr_binary(m, OM_OP_OR, c->inf, p);
        return p != 0 && c->inf != 0;
    }
    x = f;
    if (c->fin == 0 && temporal(r, &x, false) && temporal(r, &x, true))
        c->fin = expression(r, opposite(x), DEEPEST);
    else
        return false;
    return c->fin != 0;
}

static bool add_disjuncts(reader *r, polar f, om_fair_clause *c, int depth)
{
    polar x, y;
    f = bare(r, f);
    if (depth == 0 || !joins(r, f, false, &x, &y))
        return depth != 0 && add_literal(r, f, c);
    return add_disjuncts(r, x, c, depth - 1) && add_disjuncts(r, y, c, depth - 1);
}

static int keep_clause(reader *r, om_fair_clause c)
{
    om_assumed *a = r->a;
    if (!OM_ROOM(r->p->heap, a->clauses, &a->clause_capacity, a->clause_count + 1))
        return om_fail_memory(r->p->ctx);
    a->clauses[a->clause_count++] = c;
    return OM_OK;
}

/* Appends a conjunct that is no clause to the rest: "(F)", or "!(F)". */
static int keep_rest(reader *r, polar f)
{
    om_text *rest = &r->a->rest;
    om_text_printf(rest, "%s%s(", rest->length == 0 ? "" : " & ", f.negated ? "!" : "");
    int rc = om_ltl_print(r->a->ltl, f.f, rest);
    om_text_add(rest, ")");
    return rc == OM_OK && !rest->failed ? OM_OK : om_fail_memory(r->p->ctx);
}

static void add_conjuncts(reader *r, polar f, int depth)
{
    om_fair_clause c = { 0, 0 };
    polar x, y;
    f = bare(r, f);
    if (r->rc != OM_OK)
        return;
    if (depth > 0 && joins(r, f, true, &x, &y)) {
        add_conjuncts(r, x, depth - 1);
        add_conjuncts(r, y, depth - 1);
        return;
    }
    bool clause = add_disjuncts(r, f, &c, DEEPEST);
    r->rc = om_model_expr_check(r->p->model, NULL);
    if (r->rc == OM_OK)
        r->rc = clause ? keep_clause(r, c) : keep_rest(r, f);
}

int om_fair__recognise(om_plan *p, om_assumed *a, om_ltl_ref f)
{
    reader r = { p, a, OM_OK };
    add_conjuncts(&r, (polar){ f, false }, DEEPEST);
    return r.rc;
}
