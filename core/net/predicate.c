/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/predicate.h>

#include "divisor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The sum of the absolute factors is at most OM_VALUE_MAX, and |least| is below 2^62. So neither a
 * sum over a marking nor its difference to `least` exceeds om_wide. */
#define MOST_LEAST (INT64_C(1) << 62)

static const om_predicate NEVER = { .kind = OM_PREDICATE_FALSE };
static const om_predicate ALWAYS = { .kind = OM_PREDICATE_TRUE };

/* ---- sums ---- */

static void add_term(om_net_sum *s, uint32_t place, om_wide factor)
{
    if (factor == 0 || s->failed)
        return;
    if (!OM_ROOM(s->heap, s->terms, &s->room, s->count + 1)) {
        s->failed = true;
        return;
    }
    s->terms[s->count++] = (om_net_term){ place, factor };
}

void om_net_sum_add(om_net_sum *s, uint32_t place, om_wide factor)
{
    add_term(s, place, factor);
}

void om_net_sum_join(om_net_sum *s, const om_net_image *image, om_wide factor)
{
    om_wide product;
    for (uint32_t i = 0; i < image->count && !s->failed; i++)
        if (__builtin_mul_overflow(image->terms[i].factor, factor, &product))
            s->failed = s->too_large = true;
        else
            add_term(s, image->terms[i].place, product);
    if (__builtin_mul_overflow(image->constant, factor, &product) ||
        __builtin_add_overflow(s->constant, product, &s->constant))
        s->failed = s->too_large = true;
}

static int compare_terms(const void *a, const void *b)
{
    const om_net_term *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Sorts the terms and merges those of the same place. Returns true if the factors are small
 * enough. */
static bool put_in_order(om_net_sum *s)
{
    size_t kept = 0;
    om_wide size = 0;
    bool fits = true;
    if (s->count > 1)
        qsort(s->terms, s->count, sizeof *s->terms, compare_terms);
    for (size_t i = 0; i < s->count && fits;) {
        om_net_term t = s->terms[i++];
        for (; i < s->count && s->terms[i].place == t.place && fits; i++)
            fits = !__builtin_add_overflow(t.factor, s->terms[i].factor, &t.factor);
        if (t.factor == 0 || !fits)
            continue;
        fits = t.factor >= -OM_VALUE_MAX && t.factor <= OM_VALUE_MAX;
        size += t.factor < 0 ? -t.factor : t.factor;
        fits = fits && size <= OM_VALUE_MAX;
        s->terms[kept++] = t;
    }
    s->count = kept;
    return fits;
}

/* Returns a / b, b > 0, rounded up. */
static om_wide divide_up(om_wide a, om_wide b)
{
    assert(b > 0);
    return a / b + (a % b > 0);
}

/* Returns a constant if the inequality holds in every marking or in none, else NULL. */
static const om_predicate *known(const om_net_sum *s, om_wide least)
{
    bool rises = true, falls = true;
    for (size_t i = 0; i < s->count; i++) {
        rises = rises && s->terms[i].factor > 0;
        falls = falls && s->terms[i].factor < 0;
    }
    if (rises && least <= 0)
        return &ALWAYS;
    return falls && least > 0 ? &NEVER : NULL;
}

static const om_predicate *inequality(om_region *r, const om_net_sum *s, om_wide least)
{
    om_wide divisor = 0;
    om_predicate *p = om_region_take(r, 1, sizeof *p);
    om_net_term *terms = om_region_take(r, s->count, sizeof *terms);
    if (p == NULL || terms == NULL)
        return NULL;
    for (size_t i = 0; i < s->count; i++)
        divisor = om_net__divisor(s->terms[i].factor, divisor);
    assert(divisor > 0);
    for (size_t i = 0; i < s->count; i++)
        terms[i] = (om_net_term){ s->terms[i].place, s->terms[i].factor / divisor };
    *p = (om_predicate){ .kind = OM_PREDICATE_LINEAR,
        .count = (uint32_t) s->count,
        .least = divide_up(least, divisor),
        .terms = terms };
    return p;
}

const om_predicate *om_predicate_linear(om_region *r, om_net_sum *s, om_wide least)
{
    if (!s->failed && (!put_in_order(s) || __builtin_sub_overflow(least, s->constant, &least) ||
                          least >= MOST_LEAST || least <= -MOST_LEAST))
        s->failed = s->too_large = true;
    if (s->failed)
        return NULL;
    const om_predicate *constant = known(s, least);
    return constant != NULL ? constant : inequality(r, s, least);
}

/* ---- joining ---- */

const om_predicate *om_predicate_constant(om_region *r, bool value)
{
    (void) r;
    return value ? &ALWAYS : &NEVER;
}

/* Returns the number of arguments after those of the same kind are flattened; UINT32_MAX if one
 * argument decides the result. */
static uint32_t count_args(om_predicate_kind kind, const om_predicate *const *args, size_t count,
    om_predicate_kind decides)
{
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (args[i]->kind == decides)
            return UINT32_MAX;
        if (args[i]->kind == kind)
            n += args[i]->count;
        else if (args[i]->kind != OM_PREDICATE_TRUE && args[i]->kind != OM_PREDICATE_FALSE)
            n++;
    }
    return n;
}

/* Writes these arguments. */
static void take_args(
    const om_predicate **out, om_predicate_kind kind, const om_predicate *const *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (args[i]->kind == kind)
            for (uint32_t k = 0; k < args[i]->count; k++)
                *out++ = args[i]->args[k];
        else if (args[i]->kind != OM_PREDICATE_TRUE && args[i]->kind != OM_PREDICATE_FALSE)
            *out++ = args[i];
}

const om_predicate *om_predicate_join(
    om_region *r, om_predicate_kind kind, const om_predicate *const *args, size_t count)
{
    const om_predicate *neutral = kind == OM_PREDICATE_AND ? &ALWAYS : &NEVER;
    const om_predicate *decides = kind == OM_PREDICATE_AND ? &NEVER : &ALWAYS;
    for (size_t i = 0; i < count; i++)
        if (args[i] == NULL)
            return NULL;
    const uint32_t n = count_args(kind, args, count, decides->kind);
    if (n == UINT32_MAX)
        return decides;
    if (n == 0)
        return neutral;
    om_predicate *p = om_region_take(r, 1, sizeof *p);
    const om_predicate **kept = om_region_take(r, n, sizeof(const om_predicate *));
    if (p == NULL || kept == NULL)
        return NULL;
    take_args(kept, kind, args, count);
    if (n == 1)
        return kept[0];
    *p = (om_predicate){ .kind = kind, .count = n, .args = kept };
    return p;
}

/* A transformation of a predicate: `linear` replaces each inequality. */
typedef struct rewriting {
    om_region *r;
    const om_predicate *(*linear)(const struct rewriting *w, const om_predicate *p);
    const om_net_image *images;
    const om_net *net;
    const om_value *least; /* by place; NULL: 0 */
    bool negates;          /* "and" becomes "or" */
} rewriting;

/* The recursion is as deep as the predicate. */
static const om_predicate *rewrite(const rewriting *w, const om_predicate *p)
{
    bool ands = p->kind == OM_PREDICATE_AND || p->kind == OM_PREDICATE_TRUE;
    if (p->kind == OM_PREDICATE_TRUE || p->kind == OM_PREDICATE_FALSE)
        return ands != w->negates ? &ALWAYS : &NEVER;
    if (p->kind == OM_PREDICATE_LINEAR)
        return w->linear(w, p);
    const om_predicate **args = om_region_take(w->r, p->count, sizeof(const om_predicate *));
    if (args == NULL)
        return NULL;
    for (uint32_t i = 0; i < p->count; i++)
        if ((args[i] = rewrite(w, p->args[i])) == NULL)
            return NULL;
    return om_predicate_join(
        w->r, ands != w->negates ? OM_PREDICATE_AND : OM_PREDICATE_OR, args, p->count);
}

/* Not (sum >= least): -sum >= 1 - least. */
static const om_predicate *negate(const rewriting *w, const om_predicate *p)
{
    om_predicate *made = om_region_take(w->r, 1, sizeof *made);
    om_net_term *terms = om_region_take(w->r, p->count, sizeof *terms);
    if (made == NULL || terms == NULL)
        return NULL;
    for (uint32_t i = 0; i < p->count; i++)
        terms[i] = (om_net_term){ p->terms[i].place, -p->terms[i].factor };
    *made = (om_predicate){
        .kind = OM_PREDICATE_LINEAR, .count = p->count, .least = 1 - p->least, .terms = terms
    };
    return made;
}

const om_predicate *om_predicate_not(om_region *r, const om_predicate *p)
{
    const rewriting w = { .r = r, .linear = negate, .negates = true };
    return p == NULL ? NULL : rewrite(&w, p);
}

static const om_predicate *translate(const rewriting *w, const om_predicate *p)
{
    om_net_sum s = { .heap = w->r->heap };
    for (uint32_t i = 0; i < p->count; i++)
        om_net_sum_join(&s, &w->images[p->terms[i].place], p->terms[i].factor);
    const om_predicate *made = om_predicate_linear(w->r, &s, p->least);
    om_free(s.heap, s.terms);
    return made;
}

const om_predicate *om_predicate_translate(
    om_region *r, const om_predicate *p, const om_net_image *images)
{
    const rewriting w = { .r = r, .linear = translate, .images = images };
    return p == NULL ? NULL : rewrite(&w, p);
}

static const om_predicate *decide_by_bounds(const rewriting *w, const om_predicate *p)
{
    om_wide low = 0, high = 0;
    bool falls = false, rises = false; /* without bound */
    for (uint32_t i = 0; i < p->count; i++) {
        const om_wide factor = p->terms[i].factor;
        const om_value bound = w->net->places[p->terms[i].place].bound;
        rises = rises || (bound == OM_NET_NO_BOUND && factor > 0);
        falls = falls || (bound == OM_NET_NO_BOUND && factor < 0);
        *(factor > 0 ? &high : &low) += factor * bound;
        if (w->least != NULL)
            *(factor > 0 ? &low : &high) += factor * w->least[p->terms[i].place];
    }
    if (!falls && low >= p->least)
        return &ALWAYS;
    return !rises && high < p->least ? &NEVER : p;
}

const om_predicate *om_predicate_bounded(om_region *r, const om_predicate *p, const om_net *net)
{
    const rewriting w = { .r = r, .linear = decide_by_bounds, .net = net };
    return p == NULL ? NULL : rewrite(&w, p);
}

const om_predicate *om_predicate_within(
    om_region *r, const om_predicate *p, const om_net *net, const om_value *least)
{
    const rewriting w = { .r = r, .linear = decide_by_bounds, .net = net, .least = least };
    return p == NULL ? NULL : rewrite(&w, p);
}

/* ---- nets and markings ---- */

/* factor * tokens of the place >= least */
static const om_predicate *compare(
    om_region *r, om_net_sum *s, uint32_t place, om_wide factor, om_wide least)
{
    s->count = 0;
    om_net_sum_add(s, place, factor);
    return om_predicate_linear(r, s, least);
}

static const om_predicate *enabled(om_region *r, const om_net *net, uint32_t transition)
{
    const om_net_transition *t = &net->transitions[transition];
    const om_predicate *all = &ALWAYS;
    const size_t count = (size_t) t->take_count + t->limit_count;
    const om_predicate **needs = om_alloc(r->heap, count + 1, sizeof(const om_predicate *));
    om_net_sum s = { .heap = r->heap };
    if (needs == NULL)
        return NULL;
    for (uint32_t i = 0; i < t->take_count; i++)
        needs[i] = compare(r, &s, t->takes[i].place, 1, t->takes[i].count);
    for (uint32_t i = 0; i < t->limit_count; i++)
        needs[t->take_count + i] =
            compare(r, &s, t->limits[i].place, -1, -(om_wide) t->limits[i].most);
    if (count != 0)
        all = om_predicate_join(r, OM_PREDICATE_AND, needs, count);
    om_free(s.heap, s.terms);
    om_free(r->heap, needs);
    return all;
}

const om_predicate *om_predicate_fireable(
    om_region *r, const om_net *net, uint32_t first, uint32_t count)
{
    const om_predicate *any = &NEVER;
    if (count == 0)
        return any;
    const om_predicate **list = om_alloc(r->heap, count + 1, sizeof(const om_predicate *));
    if (list == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        list[i] = enabled(r, net, first + i);
    any = om_predicate_join(r, OM_PREDICATE_OR, list, count);
    om_free(r->heap, list);
    return any;
}

bool om_predicate_holds(const om_predicate *p, const om_value *marking)
{
    om_wide sum = 0;
    if (p->kind == OM_PREDICATE_LINEAR) {
        for (uint32_t i = 0; i < p->count; i++)
            sum += p->terms[i].factor * marking[p->terms[i].place];
        return sum >= p->least;
    }
    if (p->kind == OM_PREDICATE_TRUE || p->kind == OM_PREDICATE_FALSE)
        return p->kind == OM_PREDICATE_TRUE;
    const bool decides = p->kind == OM_PREDICATE_OR;
    for (uint32_t i = 0; i < p->count; i++)
        if (om_predicate_holds(p->args[i], marking) == decides)
            return decides;
    return !decides;
}

void om_predicate_places(const om_predicate *p, uint8_t *seen)
{
    if (p->kind == OM_PREDICATE_LINEAR)
        for (uint32_t i = 0; i < p->count; i++)
            seen[p->terms[i].place] = 1;
    else
        for (uint32_t i = 0; i < p->count; i++)
            om_predicate_places(p->args[i], seen);
}
