/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corpus has automata of the same formulas by four translators, with Buchi, Rabin, generalized
 * Rabin and Fin-less acceptance. They must agree on random words, before and after conversion.
 */
#include <omen/plugin/automaton.h>

#include "corpus.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { KINDS = 5, WORDS = 20, LETTERS = 8, ROOM = 1024 };

static const char *const kinds[KINDS] = { "tgba", "ltl3dra", "rabinizer3", "ltl3tela", "finless" };

typedef struct totals {
    uint32_t formulas, automata, accepted, rejected;
} totals;

/* Maps a label of `from` to the numbering of `to`. APs missing in one of them are false. */
static om_label translate(const om_automaton *from, om_label label, const om_automaton *to)
{
    om_label out = 0;
    for (uint32_t i = 0; i < om_automaton_ap_count(from); i++)
        for (uint32_t j = 0; j < om_automaton_ap_count(to); j++)
            if (((label >> i) & 1) != 0 &&
                strcmp(om_automaton_ap(from, i), om_automaton_ap(to, j)) == 0)
                out |= UINT64_C(1) << j;
    return out;
}

static bool accepts(om_context *ctx, const om_automaton *a, const om_automaton *names,
    const om_label *labels, size_t n, size_t loop)
{
    om_label mine[LETTERS];
    bool yes = false;
    for (size_t i = 0; i < n; i++)
        mine[i] = translate(names, labels[i], a);
    assert_int_equal(om_automaton_accepts_lasso(a, ctx, mine, n, loop, &yes), OM_OK);
    return yes;
}

/* An automaton and its conversions. */
typedef struct family {
    om_automaton *whole, *pruned, *general, *buchi, *part[3];
} family;

static void make_family(om_context *ctx, om_automaton *a, family *f)
{
    *f = (family){ .whole = a };
    int rc = om_automaton_prune(a, ctx, &f->pruned);
    if (rc == OM_OK)
        rc = om_automaton_to_generalized_buchi(a, ctx, &f->general);
    if (rc == OM_OK)
        rc = om_automaton_to_buchi(a, ctx, &f->buchi);
    for (int s = 0; rc == OM_OK && s < 3; s++)
        rc = om_automaton_part(a, ctx, (om_strength) (OM_TERMINAL + s), &f->part[s]);
    if (rc != OM_OK)
        fail_msg("%s", om_context_error(ctx));
}

static void free_family(family *f)
{
    om_automaton_free(f->whole);
    om_automaton_free(f->pruned);
    om_automaton_free(f->general);
    om_automaton_free(f->buchi);
    for (int s = 0; s < 3; s++)
        om_automaton_free(f->part[s]);
}

static bool family_accepts(om_context *ctx, const family *f, const om_automaton *names,
    const om_label *labels, size_t n, size_t loop, const char *path)
{
    bool yes = accepts(ctx, f->whole, names, labels, n, loop), parts = false;
    for (int s = 0; s < 3; s++)
        parts |= f->part[s] != NULL && accepts(ctx, f->part[s], names, labels, n, loop);
    if (parts != yes || accepts(ctx, f->pruned, names, labels, n, loop) != yes ||
        accepts(ctx, f->general, names, labels, n, loop) != yes ||
        accepts(ctx, f->buchi, names, labels, n, loop) != yes)
        fail_msg("%s: a conversion changes the language", path);
    return yes;
}

/* Two of three words come from an automaton, because random words are rarely accepted. */
static size_t make_word(
    om_context *ctx, om_random *r, const family *from, om_label *labels, size_t *loop)
{
    om_word w = { NULL, 0, 0 };
    bool empty = true;
    size_t n = 1 + om_random_below(r, LETTERS);
    *loop = om_random_below(r, n);
    for (size_t i = 0; i < n; i++)
        labels[i] = om_random_next(r) & om_random_next(r);
    if (om_random_below(r, 3) == 0)
        return n;
    assert_int_equal(om_automaton_empty(from->whole, ctx, &empty, &w), OM_OK);
    if (!empty && w.n <= LETTERS) {
        memcpy(labels, w.labels, w.n * sizeof *labels);
        n = w.n;
        *loop = w.loop;
        if (om_random_below(r, 2) == 0)
            labels[om_random_below(r, n)] ^= UINT64_C(1) << om_random_below(r, 4);
    }
    om_free(om_heap_default(), w.labels);
    return n;
}

static void check_formula(om_context *ctx, om_random *r, const char *stem, totals *t)
{
    family all[KINDS];
    char path[KINDS][ROOM];
    uint32_t count = 0;
    for (int k = 0; k < KINDS; k++) {
        om_automaton *a = NULL;
        (void) snprintf(path[count], ROOM, "%s_%s.hoa", stem, kinds[k]);
        if (access(path[count], R_OK) != 0)
            continue;
        assert_int_equal(om_hoa_read_file(&a, ctx, path[count], 0), OM_OK);
        make_family(ctx, a, &all[count++]);
    }
    for (int w = 0; w < WORDS && count > 0; w++) {
        om_label labels[LETTERS];
        size_t loop = 0;
        const family *from = &all[om_random_below(r, count)];
        size_t n = make_word(ctx, r, from, labels, &loop);
        bool yes = family_accepts(ctx, &all[0], from->whole, labels, n, loop, path[0]);
        for (uint32_t k = 1; k < count; k++)
            if (family_accepts(ctx, &all[k], from->whole, labels, n, loop, path[k]) != yes)
                fail_msg("%s and %s disagree", path[0], path[k]);
        *(yes ? &t->accepted : &t->rejected) += 1;
    }
    for (uint32_t k = 0; k < count; k++)
        free_family(&all[k]);
    t->formulas++;
    t->automata += count;
}

static void check_folder(om_context *ctx, om_random *r, const char *folder, totals *t)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
        char stem[ROOM - 32];
        size_t n = strlen(d->d_name);
        if (n < 5 || strcmp(d->d_name + n - 4, ".ltl") != 0)
            continue;
        (void) snprintf(stem, sizeof stem, "%s/%.*s", folder, (int) (n - 4), d->d_name);
        check_formula(ctx, r, stem, t);
    }
    (void) closedir(dir);
}

static void translators_agree(void **state)
{
    static const char *const models[] = { "at.5", "bakery.4", "bopdp.3", "elevator.4", "fischer.5",
        "production_cell.6" };
    om_context *ctx = NULL;
    om_random r = { 29 };
    totals t = { 0 };
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char folder[ROOM - 300];
        (void) snprintf(folder, sizeof folder, "%s/rabin-sttt/%s", corpus_folder(), models[i]);
        check_folder(ctx, &r, folder, &t);
    }
    print_message("%u formulas, %u automata, %u words accepted, %u rejected\n", t.formulas,
        t.automata, t.accepted, t.rejected);
    assert_true(t.automata > 3 * t.formulas && t.formulas > 300);
    assert_true(t.accepted > t.formulas && t.rejected > t.formulas);
    om_context_free(ctx);
}

int main(void)
{
    if (corpus_folder() == NULL)
        return 77;
    const struct CMUnitTest tests[] = { cmocka_unit_test(translators_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
