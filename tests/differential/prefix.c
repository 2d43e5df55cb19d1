/* SPDX-License-Identifier: Apache-2.0 */
/* Bad prefixes by brute force: if a graph with all sequences of labels follows the prefix, no path
 * satisfies the formula. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

enum { LABELS = 1 << PROPOSITIONS, WORDS = 64 };

static formula negation(const formula *f)
{
    formula out = { .count = f->count + 1, .temporal = f->temporal };
    if (out.count > FORMULA)
        abort();
    out.node[0].op = '!';
    out.node[0].a = 1;
    out.node[0].bit = -1;
    for (int i = 0; i < f->count; i++) {
        const bool leaf = f->node[i].op == 'p' || f->node[i].op == '1';
        out.node[i + 1] = f->node[i];
        out.node[i + 1].a += !leaf;
        out.node[i + 1].b += !leaf;
    }
    return out;
}

/* Returns true if some continuation of the n letters satisfies the formula. */
static bool formula_possible(const formula *f, const unsigned *letters, uint32_t n)
{
    const formula other = negation(f);
    const uint32_t all = n + LABELS;
    unsigned *label = calloc(all, sizeof *label);
    uint32_t *first = calloc(all + 1, sizeof *first);
    uint32_t *to = calloc((size_t) all * LABELS + 1, sizeof *to), arcs = 0;
    if (label == NULL || first == NULL || to == NULL)
        abort();
    for (uint32_t v = 0; v < all; v++) {
        label[v] = v < n ? letters[v] : v - n;
        first[v] = arcs;
        if (v + 1 < n)
            to[arcs++] = v + 1;
        else
            for (uint32_t k = 0; k < LABELS; k++)
                to[arcs++] = n + k;
    }
    first[all] = arcs;
    const labelled g = { .n = all, .to = to, .first = first, .label = label };
    const bool possible = formula_violated(&other, &g);
    free(label);
    free(first);
    free(to);
    return possible;
}

/* The same for an automaton of the forbidden words, with a sample of the continuations. */
static bool automaton_possible(const automaton *a, const unsigned *letters, uint32_t n)
{
    om_random r = { .state = n };
    unsigned *word = calloc((size_t) n + 4, sizeof *word);
    bool possible = false;
    if (word == NULL)
        abort();
    memcpy(word, letters, n * sizeof *word);
    for (unsigned i = 0; i < WORDS && !possible; i++) {
        for (uint32_t k = n; k < n + 4; k++)
            word[k] = i < LABELS ? i : (unsigned) om_random_below(&r, LABELS);
        possible = !automaton_accepts_lasso(a, word, n + 4, n + i % 4);
    }
    free(word);
    return possible;
}

const char *sample_prefix(
    const obligation *c, const unsigned *label, size_t count, size_t loop, size_t states)
{
    unsigned *letters = calloc(states + 1, sizeof *letters);
    if (letters == NULL)
        abort();
    for (size_t i = 0; i < states; i++)
        letters[i] = label[i < count ? i : loop + (i - loop) % (count - loop)];
    const uint32_t n = (uint32_t) states;
    bool good, before;
    if (c->formula != NULL) {
        good = formula_possible(c->formula, letters, n);
        before = n == 1 || formula_possible(c->formula, letters, n - 1);
    } else {
        good = automaton_possible(c->automaton, letters, n);
        before = n == 1 || automaton_possible(c->automaton, letters, n - 1);
    }
    free(letters);
    return good      ? "a bad prefix has a continuation that satisfies the property"
           : !before ? "a bad prefix is not the least one"
                     : NULL;
}
