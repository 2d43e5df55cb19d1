/* SPDX-License-Identifier: Apache-2.0 */
/* The generated text as other compilers use it: its macros, its groups, and a part of it. */
#include "forge.h"
#include "generate/gen.h"
#include "generate/generate.h"
#include "model.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char before[] = "#include <stdint.h>\n"
                             "#define om_u32 uint32_t\n#define om_i32 int32_t\n"
                             "#define om_u64 uint64_t\n#define OM_FN extern\n"
                             "#define OM_FN_APART extern\n"
                             "#define OM_CONSTANT\n";
static const char after[] =
    "\nconst om_u32 shape[] = { OM_WORDS, OM_APS, OM_ASSERTIONS, OM_TRANSITIONS, OM_GROUPS,\n"
    "    OM_OVERFLOWS };\n";

typedef struct text_functions {
    void *handle;
    const uint32_t *shape;
    uint32_t (*base)(uint32_t group);
    uint64_t (*guards)(uint32_t group, const uint32_t *s, uint32_t *fault);
    uint32_t (*effect)(uint32_t transition, const uint32_t *s, uint32_t *d, uint32_t *overflows);
    uint32_t (*assertions)(const uint32_t *s);
    uint64_t (*labels)(const uint32_t *s, uint32_t *fault);
} text_functions;

static forge the_forge;

static void find(text_functions *t, const char *name, void *to)
{
    void *symbol = dlsym(t->handle, name);
    assert_non_null(symbol);
    memcpy(to, &symbol, sizeof symbol);
}

static void compile(text_functions *t, const char *text, const char *parts)
{
    char folder[] = "/tmp/omen-test-XXXXXX", source[64], object[64], command[512];
    assert_non_null(mkdtemp(folder));
    (void) snprintf(source, sizeof source, "%s/t.c", folder);
    (void) snprintf(object, sizeof object, "%s/t.so", folder);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    assert_true(fprintf(f, "%s%s%s", before, text, after) > 0);
    assert_int_equal(fclose(f), 0);
    (void) snprintf(command, sizeof command, "cc -std=c11 -w -fPIC -shared -fwrapv %s -o %s %s",
        parts, object, source);
    assert_int_equal(system(command), 0);
    t->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(t->handle);
    find(t, "shape", &t->shape);
    find(t, "om_gen_base", &t->base);
    find(t, "om_gen_guards", &t->guards);
    find(t, "om_gen_effect", &t->effect);
    find(t, "om_gen_assertions", &t->assertions);
    find(t, "om_gen_labels", &t->labels);
    assert_int_equal(unlink(source) | unlink(object) | rmdir(folder), 0);
}

/* Groups are consecutive, of one process, of at most 64 transitions, and maximal. */
static void check_groups(const om_model *m, const text_functions *t)
{
    uint32_t groups = t->shape[4], transitions = om_model_transition_count(m);
    assert_int_equal(t->shape[0], om_model_words(m));
    assert_int_equal(t->shape[3], transitions);
    assert_int_equal(t->shape[5],
        om_model__form_of(m).overflow == OM_OVERFLOW_WRAP ? om_model_overflow_sites(m) : 0);
    assert_int_equal(t->base(0), 0);
    assert_int_equal(t->base(groups), transitions);
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t base = t->base(g), end = t->base(g + 1);
        assert_true(base < end && end - base <= OM_GEN_GROUP);
        uint32_t process = om_model_transition(m, base)->process;
        for (uint32_t i = base; i < end; i++)
            assert_int_equal(om_model_transition(m, i)->process, process);
        if (end < transitions && end - base < OM_GEN_GROUP)
            assert_int_not_equal(om_model_transition(m, end)->process, process);
    }
}

/* Inside [low, high) the part behaves like the whole; outside, it does nothing. */
static void check_part(
    forge *f, const text_functions *whole, const text_functions *part, uint32_t low, uint32_t high)
{
    uint32_t words = whole->shape[0], s[256], d[256], e[256];
    assert_true(words <= 256);
    for (int round = 0; round < 300; round++) {
        forge_vector(f, s);
        for (uint32_t g = 0; g < whole->shape[4]; g++) {
            bool in = low <= g && g < high;
            uint32_t fault = 0, part_fault = 0;
            uint64_t mask = whole->guards(g, s, &fault);
            uint64_t part_mask = part->guards(g, s, &part_fault);
            assert_true(part_mask == (in ? mask : 0));
            assert_int_equal(part_fault, in ? fault : 0);
            for (uint32_t t = whole->base(g); t < whole->base(g + 1); t++) {
                uint32_t over = 0, part_over = 0;
                uint32_t bad = whole->effect(t, s, d, &over);
                uint32_t part_bad = part->effect(t, s, e, &part_over);
                assert_int_equal(part_bad, in ? bad : 0);
                assert_int_equal(part_over, in ? over : 0);
                if (bad == 0 || !in)
                    assert_memory_equal(e, in ? d : s, words * sizeof *s);
            }
        }
    }
}

/* Computes the successors of s from the text as generate.h specifies. Returns the fault, or 0. */
static om_fault expand(const text_functions *t, const uint32_t *s, om_successors *out)
{
    om_fault fault = t->assertions(s);
    uint32_t overflows = 0;
    out->count = 0;
    for (uint32_t g = 0; g < t->shape[4] && fault == 0; g++) {
        uint64_t mask = t->guards(g, s, &fault);
        for (uint32_t i = 0; i < OM_GEN_GROUP; i++) {
            if (((mask >> i) & 1) == 0)
                continue;
            assert_int_equal(om_successors_reserve(out, out->count + 1, t->shape[0]), OM_OK);
            om_fault bad =
                t->effect(t->base(g) + i, s, out->words + out->count * t->shape[0], &overflows);
            out->transition[out->count++] = t->base(g) + i;
            if (bad != 0)
                return bad;
        }
    }
    out->overflows = overflows;
    return fault;
}

enum { ROUNDS = 2000 };

/* The text agrees with the vm. Returns the number of faults. */
static unsigned check_vm(forge *f, om_model *m, const text_functions *t, const om_expr *ap)
{
    om_executor *vm = NULL;
    om_successors a = { .heap = om_heap_default() }, b = { .heap = om_heap_default() };
    uint32_t s[256];
    unsigned faults = 0;
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, ap, 1), OM_OK);
    for (int round = 0; round < ROUNDS; round++) {
        om_fault label_fault = 0, text_fault = 0;
        forge_vector(f, s);
        a.overflows = 0;
        assert_int_equal(om_executor_successors(vm, s, &a), OM_OK);
        om_fault fault = expand(t, s, &b);
        assert_int_equal(fault, a.fault);
        faults += fault != 0 && OM_FAULT_KIND(fault) != OM_FAULT_OVERFLOW;
        if (fault == 0) {
            assert_int_equal(a.overflows, b.overflows);
            assert_int_equal(a.count, b.count);
            assert_memory_equal(a.transition, b.transition, a.count * sizeof *a.transition);
            assert_memory_equal(a.words, b.words, a.count * vm->words * sizeof *a.words);
        }
        assert_true(vm->labels(vm, s, &label_fault) == t->labels(s, &text_fault));
        assert_int_equal(label_fault, text_fault);
    }
    om_successors_free(&a);
    om_successors_free(&b);
    om_executor_close(vm);
    return faults;
}

static bool has(const om_text *text, const char *what)
{
    return strstr(text->text, what) != NULL;
}

/* The whole text and a part of it, with and without shapes. */
static void test_parts(void **state)
{
    (void) state;
    forge *f = &the_forge;
    unsigned tried = 0, models = 0, faults = 0, shapes = 0;
    for (uint64_t seed = 0; tried < 6; seed++) {
        om_context *ctx = NULL;
        om_text text = { .heap = om_heap_default() };
        text_functions whole, part;
        char parts[64];
        assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
        *f = (forge){
            .random = { seed }, .fault_chance = 80, .large = seed % 2 == 0, .twins = seed % 3 == 0
        };
        om_model *m = forge_model(f, ctx);
        om_expr ap = forge_build(m, forge_tree(f, 3));
        if (seed % 2 == 1)
            assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_OK);
        om_generated facts = { 0 };
        assert_int_equal(om_model__generate(m, &ap, 1, &text, &facts), OM_OK);
        if (f->twins) {
            om_text_free(&text);
            assert_int_equal(
                om_gen__write(ctx, m, &ap, 1, (om_gen_form){ .plain = 0 }, &text), OM_OK);
            shapes += has(&text, "om_gen_guards_row +") && has(&text, "om_gen_effects_row +");
        }
        assert_true(has(&text, "om_gen_shared_") == f->large);
        assert_true(has(&text, "(s, &t") == f->large); /* one that can fault */
        compile(&whole, text.text, "");
        assert_int_equal(facts.transitions, whole.shape[3]);
        assert_int_equal(facts.groups, whole.shape[4]);
        check_groups(m, &whole);
        faults += check_vm(f, m, &whole, &ap);
        models++;
        if (whole.shape[4] > 2) {
            (void) snprintf(parts, sizeof parts, "-DOM_GROUP_LOW=1 -DOM_GROUP_HIGH=2");
            compile(&part, text.text, parts);
            check_part(f, &whole, &part, 1, 2);
            assert_int_equal(dlclose(part.handle), 0);
            tried++;
        }
        assert_int_equal(dlclose(whole.handle), 0);
        om_text_free(&text);
        om_model_free(m);
        om_context_free(ctx);
    }
    print_message("%u faults in %u states\n", faults, models * ROUNDS);
    assert_true(faults > 0 && faults < models * ROUNDS / 2);
    assert_true(shapes > 0);
}

int main(void)
{
    if (system("cc --version >/dev/null 2>&1") != 0) {
        (void) puts("skipped: there is no C compiler");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
