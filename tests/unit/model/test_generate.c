/* SPDX-License-Identifier: Apache-2.0 */
/* The generated text as other compilers use it: its macros, its groups, and a part of it. */
#include "forge.h"
#include "heap.h"
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
                             "#define OM_CONSTANT\n"
                             "#define OM_GEN_APART\n"
                             "#define OM_GEN_COPY(to, from) "
                             "__builtin_memcpy(to, from, sizeof(om_u32) * OM_WORDS)\n";
static const char after[] =
    "\nconst om_u32 shape[] = { OM_WORDS, OM_APS, OM_ASSERTIONS, OM_TRANSITIONS, OM_GROUPS,\n"
    "    OM_OVERFLOWS };\n";

/* For the text of native code. */
static const char after_steps[] =
    "\n#define STEP(P) if (fault[0] == 0) n = om_gen_step_##P(s, rows, OM_WORDS, t, n, fault);\n"
    "unsigned long steps(const om_u32 *s, om_u32 *rows, om_u32 *t, om_u32 *fault)\n"
    "{ unsigned long n = 0; fault[0] = om_gen_assertions(s); OM_GEN_EACH(STEP) return n; }\n";

typedef unsigned long steps_function(
    const uint32_t *s, uint32_t *rows, uint32_t *transition, uint32_t *fault);

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

static void find(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);
    assert_non_null(symbol);
    memcpy(to, &symbol, sizeof symbol);
}

static void *compile_to(const char *text, const char *end, const char *parts)
{
    char folder[] = "/tmp/omen-test-XXXXXX", source[64], object[64], command[512];
    assert_non_null(mkdtemp(folder));
    (void) snprintf(source, sizeof source, "%s/t.c", folder);
    (void) snprintf(object, sizeof object, "%s/t.so", folder);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    assert_true(fprintf(f, "%s%s%s", before, text, end) > 0);
    assert_int_equal(fclose(f), 0);
    (void) snprintf(command, sizeof command, "cc -std=c11 -w -fPIC -shared -fwrapv %s -o %s %s",
        parts, object, source);
    assert_int_equal(system(command), 0);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    assert_int_equal(unlink(source) | unlink(object) | rmdir(folder), 0);
    return handle;
}

static void compile(text_functions *t, const char *text, const char *parts)
{
    t->handle = compile_to(text, after, parts);
    find(t->handle, "shape", &t->shape);
    find(t->handle, "om_gen_base", &t->base);
    find(t->handle, "om_gen_guards", &t->guards);
    find(t->handle, "om_gen_effect", &t->effect);
    find(t->handle, "om_gen_assertions", &t->assertions);
    find(t->handle, "om_gen_labels", &t->labels);
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

/* The text of native code, all of it with shapes, agrees with the vm. Returns the number of
 * faults. */
static unsigned check_steps(forge *f, om_model *m, const char *text)
{
    static uint32_t rows[1 << 16], transition[1 << 12];
    om_executor *vm = NULL;
    om_successors a = { .heap = om_heap_default() };
    steps_function *steps;
    uint32_t s[256];
    unsigned faults = 0;
    void *handle = compile_to(text, after_steps, "");
    find(handle, "steps", &steps);
    assert_true(om_model_transition_count(m) * om_model_words(m) <= sizeof rows / sizeof *rows);
    assert_true(om_model_transition_count(m) <= sizeof transition / sizeof *transition);
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, NULL, 0), OM_OK);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t fault[2] = { 0, 0 };
        forge_vector(f, s);
        a.overflows = 0;
        assert_int_equal(om_executor_successors(vm, s, &a), OM_OK);
        const unsigned long n = steps(s, rows, transition, fault);
        assert_int_equal(fault[0], a.fault);
        faults += fault[0] != 0;
        if (fault[0] != 0)
            continue;
        assert_int_equal(fault[1], a.overflows);
        assert_int_equal(n, a.count);
        assert_memory_equal(transition, a.transition, n * sizeof *transition);
        assert_memory_equal(rows, a.words, n * vm->words * sizeof *rows);
    }
    om_successors_free(&a);
    om_executor_close(vm);
    assert_int_equal(dlclose(handle), 0);
    return faults;
}

/* Makes a model whose processes but the first are alike, with a fault in some states. */
static om_model *make_twins(forge *f, om_context *ctx, uint64_t seed)
{
    *f = (forge){
        .random = { seed }, .fault_chance = 80, .twins = true, .asserting = seed % 4 == 3
    };
    om_model *m = forge_model(f, ctx);
    if (seed % 2 == 1)
        assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_OK);
    assert_int_equal(om_model__may_run(m, NULL, 0), OM_OK);
    return m;
}

static void test_steps(void **state)
{
    (void) state;
    unsigned faults = 0, with_rows = 0, with_assertions = 0;
    for (uint64_t seed = 0; seed < 24 || with_rows == 0 || with_assertions == 0; seed++) {
        om_context *ctx = NULL;
        om_text text = { .heap = om_heap_default() };
        assert_true(seed < 400);
        assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
        om_model *m = make_twins(&the_forge, ctx, seed);
        assert_int_equal(
            om_gen__write(ctx, m, NULL, 0, (om_gen_form){ .steps = true, .plain = 0 }, &text),
            OM_OK);
        const bool rows = has(&text, "om_gen_steps_row[]"),
                   assertions = has(&text, "om_gen_assertions_row[]");
        if (seed < 24 || rows || assertions)
            faults += check_steps(&the_forge, m, text.text);
        with_rows += rows;
        with_assertions += assertions;
        om_text_free(&text);
        om_model_free(m);
        om_context_free(ctx);
    }
    print_message(
        "%u texts with rows, %u with assertions, %u faults\n", with_rows, with_assertions, faults);
    assert_true(faults > 0);
}

/* Makes a model of processes that are equal, so that rows of tables are empty. A condition is not
 * boolean: where it holds, it need not be 1. */
static om_model *make_equals(om_context *ctx)
{
    om_model *m = NULL;
    uint32_t x, y;
    om_slot s = { .name = "x", .type = OM_U8, .process = OM_NONE, .initial = &(int32_t){ 2 } };
    assert_int_equal(om_model_new(&m, ctx, "equals"), OM_OK);
    assert_int_equal(om_model_add_slot(m, &s, &x), OM_OK);
    s.name = "y";
    assert_int_equal(om_model_add_slot(m, &s, &y), OM_OK);
    const om_expr vx = om_expr_slot(m, x), vy = om_expr_slot(m, y);
    om_expr sum = vx;
    for (int i = 0; i < 12; i++)
        sum = om_expr_binary(m, OM_OP_BXOR, om_expr_binary(m, OM_OP_ADD, sum, vy), vx);
    for (uint32_t p = 0; p < 4; p++) {
        om_assign to = { y, 0, sum };
        om_transition t = { .process = p, .partner = OM_NONE, .assigns = &to, .assign_count = 1 };
        assert_int_equal(om_model_add_process(m, p % 2 == 0 ? "P" : "Q", NULL), OM_OK);
        for (uint32_t i = 0; i < 3; i++) {
            t.guard = om_expr_binary(m, OM_OP_AND, vx,
                om_expr_binary(m,
                    i == 0   ? OM_OP_LT
                    : i == 1 ? OM_OP_EQ
                             : OM_OP_GT,
                    vy, vx));
            assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
        }
    }
    assert_int_equal(om_model_finish(m), OM_OK);
    assert_int_equal(om_model__may_run(m, NULL, 0), OM_OK);
    return m;
}

static void test_equals(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_text text = { .heap = om_heap_default() }, steps = { .heap = om_heap_default() };
    text_functions t;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_model *m = make_equals(ctx);
    const om_expr ap = om_expr_const(m, 1);
    the_forge = (forge){ .random = { 1 }, .m = m };
    assert_int_equal(om_gen__write(ctx, m, &ap, 1, (om_gen_form){ .plain = 0 }, &text), OM_OK);
    assert_true(has(&text, "om_gen_effects_row[]"));
    compile(&t, text.text, "");
    assert_int_equal(check_vm(&the_forge, m, &t, &ap), 0);
    assert_int_equal(dlclose(t.handle), 0);
    assert_int_equal(
        om_gen__write(ctx, m, NULL, 0, (om_gen_form){ .steps = true, .plain = 0 }, &steps), OM_OK);
    assert_true(has(&steps, "om_gen_steps_row[]"));
    assert_int_equal(check_steps(&the_forge, m, steps.text), 0);
    om_text_free(&text);
    om_text_free(&steps);
    om_model_free(m);
    om_context_free(ctx);
}

/* Memory runs out at each place of the generator. */
static void test_memory(void **state)
{
    (void) state;
    for (int steps = 0; steps < 2; steps++) {
        int rc = OM_ENOMEM;
        test_heap heap;
        om_context *ctx = NULL;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        om_model *m = make_twins(&the_forge, ctx, 3);
        const size_t live = heap.live;
        for (size_t n = 0; rc != OM_OK; n++) {
            om_text text = { .heap = om_heap_default() };
            heap.fail_at = heap.calls + n;
            rc = om_gen__write(
                ctx, m, NULL, 0, (om_gen_form){ .steps = steps == 1, .plain = 0 }, &text);
            assert_true(rc == OM_OK || rc == OM_ENOMEM);
            assert_int_equal(heap.live, live);
            om_text_free(&text);
        }
        heap.fail_at = SIZE_MAX;
        om_model_free(m);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    if (system("cc --version >/dev/null 2>&1") != 0) {
        (void) puts("skipped: there is no C compiler");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_equals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
