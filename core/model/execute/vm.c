/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytecode vm: the executor that is always available, and the referee of every lasso. It shares
 * no code with the generator, so that an error in one shows up as a difference.
 */
#include "bytecode.h"

#include "executor.h"
#include "model.h"

#include <assert.h>
#include <string.h>

/* Each level of an expression tree leaves at most one value on the stack. */
enum { STACK = OM_EXPR_HEIGHT + 4 };

/* Returns the number with these bits. */
static inline om_value number(om_uvalue bits)
{
    return (om_value) bits;
}

static inline om_value load(const uint32_t *vector, const om_instr *f)
{
    return om_vm__field_value((vector[f->arg] >> f->shift) & f->mask, (uint32_t) f->value);
}

/* Returns the bit position of element i of an array. */
static inline uint32_t place(const om_instr *f, om_value i)
{
    return f->arg + ((uint32_t) i << f->shift);
}

/* Returns the field, which is unsigned. */
static inline om_uvalue load_unsigned(const uint32_t *vector, const om_instr *f)
{
    return (vector[f->arg] >> f->shift) & f->mask;
}

/* Returns the sum modulo the limit. Most sums are less than twice the limit. */
static inline om_value wrapped(om_uvalue sum, uint32_t limit)
{
    if (sum >= limit)
        sum -= limit;
    return (om_value) (sum < limit ? sum : sum % limit);
}

static inline om_value load_element(const uint32_t *vector, const om_instr *f, om_value i)
{
    uint32_t at = place(f, i);
    return om_vm__field_value((vector[at / 32] >> (at % 32)) & f->mask, (uint32_t) f->value);
}

static inline void put(uint32_t *word, uint32_t mask, uint32_t shift, om_value value)
{
    *word = (*word & ~(mask << shift)) | (((uint32_t) value & mask) << shift);
}

/* Returns the lowest n bits, all set; n is at most 32. */
static inline uint32_t low_bits(uint32_t n)
{
    assert(n <= 32);
    return (uint32_t) ((UINT64_C(1) << n) - 1);
}

/* Takes the element at bit `from` out of an array that ends before bit `end`. Words are changed in
 * ascending order, so each takes the first element of the next one as it was. */
static void take_out(uint32_t *vector, uint32_t from, uint32_t end, uint32_t bits)
{
    assert(from < end && (end - from) % bits == 0);
    for (uint32_t w = from / 32; w * 32 < end; w++) {
        const bool last = end - w * 32 <= 32;
        const uint32_t high = last ? end - w * 32 : 32, low = w == from / 32 ? from % 32 : 0;
        const uint32_t mask = low_bits(high) & ~low_bits(low);
        const uint64_t both = vector[w] | (uint64_t) (last ? 0 : vector[w + 1]) << 32;
        const uint32_t moved = (uint32_t) (both >> bits) & low_bits(last ? high - bits : 32);
        vector[w] = (vector[w] & ~mask) | (moved & mask);
    }
}

static inline om_value shift_right(om_value a, om_value b)
{
    om_uvalue x = (om_uvalue) a, by = (om_uvalue) b & (OM_VALUE_BITS - 1);
    return a < 0 ? number(~(~x >> by)) : number(x >> by);
}

/* Compute a / b and a % b for a nonzero b. */
static inline om_value quotient(om_value a, om_value b)
{
    return b == -1 ? number(0u - (om_uvalue) a) : a / b;
}

static inline om_value remainder_of(om_value a, om_value b)
{
    return b == -1 ? 0 : a % b;
}

/* Pops the value below the top; the top is in acc. */
#define POP() (assert(top > stack), *--top)

/* Macros that make labels and jumps have no parentheses, and one function has all instructions. */
// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size)
#define UNSIGNED(operator) number((om_uvalue) a operator(om_uvalue) acc)

/* X(op, acc := a op acc), for the operators with forms. DIV and MOD by 0 set `divided`. */
#define OPERATORS(X)                                                               \
    X(OM_OP_ADD, UNSIGNED(+))                                                      \
    X(OM_OP_SUB, UNSIGNED(-))                                                      \
    X(OM_OP_MUL, UNSIGNED(*))                                                      \
    X(OM_OP_DIV, acc == 0 ? (divided = true, 0) : quotient(a, acc))                \
    X(OM_OP_MOD, acc == 0 ? (divided = true, 0) : remainder_of(a, acc))            \
    X(OM_OP_BAND, UNSIGNED(&))                                                     \
    X(OM_OP_BOR, UNSIGNED(|))                                                      \
    X(OM_OP_BXOR, UNSIGNED(^))                                                     \
    X(OM_OP_SHL, number((om_uvalue) a << ((om_uvalue) acc & (OM_VALUE_BITS - 1)))) \
    X(OM_OP_SHR, shift_right(a, acc))                                              \
    X(OM_OP_LT, a < acc)                                                           \
    X(OM_OP_LE, a <= acc)                                                          \
    X(OM_OP_EQ, a == acc)                                                          \
    X(OM_OP_NE, a != acc)                                                          \
    X(OM_OP_GE, a >= acc)                                                          \
    X(OM_OP_GT, a > acc)

/* The code of an operator in its three forms: `a` is the left operand, `acc` the right one and the
 * result. */
#define CODE(op, result)            \
    at_##op##_STACKED : a = POP();  \
    acc = (result);                 \
    UNLESS_DIVIDED(op);             \
    NEXT();                         \
    at_##op##_WITH_CONST : a = acc; \
    acc = i->value;                 \
    acc = (result);                 \
    UNLESS_DIVIDED(op);             \
    NEXT();                         \
    at_##op##_WITH_SLOT : a = acc;  \
    acc = load(vector, i);          \
    acc = (result);                 \
    UNLESS_DIVIDED(op);             \
    NEXT();
#define LABELS(op, result)                                                   \
    [OM_VM_OF(op, OM_VM_STACKED)] = &&at_##op##_STACKED,                     \
                  [OM_VM_OF(op, OM_VM_WITH_CONST)] = &&at_##op##_WITH_CONST, \
                  [OM_VM_OF(op, OM_VM_WITH_SLOT)] = &&at_##op##_WITH_SLOT,
#define UNLESS_DIVIDED(op)                               \
    if ((op == OM_OP_DIV || op == OM_OP_MOD) && divided) \
    goto divided_by_zero

/* The test of the instruction. */
#define TEST() ((vector[i->arg] & i->mask) == (uint32_t) i->value)

/* Each instruction jumps to the next one itself: the processor then predicts the jump by the
 * instruction that it comes from. */
#define GO() goto *labels[i->op]
#define NEXT()                           \
    do {                                 \
        i++;                             \
        assert(top - stack < STACK - 1); \
        GO();                            \
    } while (0)

/* The outcome of running a program. */
typedef struct report {
    om_fault kind;         /* without a subject (an overflow has its site); or 0 */
    uint32_t overflows;    /* so far */
    om_vm_overflow *first; /* receives the first overflow, or NULL */
} report;

/* Handles a value that does not fit. Returns false if that is a fault. */
static bool overflow(const om_vm *vm, report *r, const om_instr *i, om_value value, om_value below)
{
    if (r->overflows++ == 0 && r->first != NULL)
        *r->first = (om_vm_overflow){ .site = i->arg, .element = (uint32_t) below, .value = value };
    if (vm->model->overflow == OM_OVERFLOW_WRAP)
        return true;
    r->kind = OM_FAULT(OM_FAULT_OVERFLOW, i->arg);
    return false;
}

/* The compiler pushes every value that is popped; the analyzer does not know programs. */
// NOLINTBEGIN(clang-analyzer-core.*)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* addresses of labels, which gcc and clang have */
/*
 * Runs the program at `pc`, which reads `vector` and, in an effect, writes to `into` (then the same
 * vector). Returns the value that it leaves (undefined for an effect).
 */
static om_value run(const om_vm *vm, uint32_t pc, const uint32_t *vector, uint32_t *into, report *r)
{
    static const void *const labels[] = { [OM_VM_CONST] = &&at_const,
        [OM_VM_LOAD] = &&at_load,
        [OM_VM_ELEMENT] = &&at_element,
        [OM_VM_EQ_AT] = &&at_eq_at,
        [OM_VM_NE_AT] = &&at_ne_at,
        [OM_VM_CHECK] = &&at_check,
        [OM_VM_SET] = &&at_set,
        [OM_VM_FIT] = &&at_fit,
        [OM_VM_STORE] = &&at_store,
        [OM_VM_STORE_ELEMENT] = &&at_store_element,
        [OM_VM_TAKE_OUT] = &&at_take_out,
        [OM_VM_WRAP] = &&at_wrap,
        [OM_VM_WRAP_AT] = &&at_wrap_at,
        [OM_VM_UNLESS] = &&at_unless,
        [OM_VM_WHEN] = &&at_when,
        [OM_VM_UNLESS_AT] = &&at_unless_at,
        [OM_VM_WHEN_AT] = &&at_when_at,
        [OM_VM_PASS_UNLESS] = &&at_pass_unless,
        [OM_VM_PASS_WHEN] = &&at_pass_when,
        [OM_VM_PASS_UNLESS_AT] = &&at_pass_unless_at,
        [OM_VM_PASS_WHEN_AT] = &&at_pass_when_at,
        [OM_VM_TRUTH] = &&at_truth,
        [OM_VM_NEED] = &&at_need,
        [OM_VM_NEED_AT] = &&at_need_at,
        [OM_VM_NEED_IN] = &&at_need_in,
        [OM_VM_NEED_IN_AT] = &&at_need_in_at,
        [OM_VM_NEG] = &&at_neg,
        [OM_VM_NOT] = &&at_not,
        [OM_VM_COMPL] = &&at_compl,
        [OM_VM_END] = &&at_end,
        OPERATORS(LABELS) };
    om_value stack[STACK], *top = stack; /* the values below acc; the first push stores a dummy */
    om_value acc = 0, a;
    bool divided = false; /* by 0 */
    const om_instr *i = &vm->code[pc];
    GO();

at_const:
    *top++ = acc;
    acc = i->value;
    NEXT();
at_load:
    *top++ = acc;
    acc = load(vector, i);
    NEXT();
at_element:
    if ((om_uvalue) acc >= i->limit)
        goto outside;
    acc = load_element(vector, i, acc);
    NEXT();
at_check:
    if ((om_uvalue) acc >= i->limit)
        goto outside;
    NEXT();
at_eq_at:
    *top++ = acc;
    acc = TEST();
    NEXT();
at_ne_at:
    *top++ = acc;
    acc = !TEST();
    NEXT();
at_set:
    into[i->arg] = (into[i->arg] & i->mask) | (uint32_t) i->value;
    NEXT();
at_fit:
    if ((om_uvalue) acc - (om_uvalue) i->value > i->limit &&
        /* It was pushed. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        !overflow(vm, r, i, acc, top > stack ? top[-1] : 0))
        return 0;
    NEXT();
at_store:
    put(&into[i->arg], i->mask, i->shift, acc);
    acc = POP();
    NEXT();
at_store_element : {
    const uint32_t bit = place(i, POP());
    put(&into[bit / 32], i->mask, bit % 32, acc);
    acc = POP();
    NEXT();
}
at_take_out:
    take_out(
        into, place(i, acc), place(i, (acc / i->value + 1) * i->value), UINT32_C(1) << i->shift);
    acc = POP();
    NEXT();
at_unless:
    if (acc == 0)
        goto jump;
    acc = POP();
    NEXT();
at_when:
    if (acc != 0)
        goto jump;
    acc = POP();
    NEXT();
at_unless_at:
    if (!TEST())
        goto jump_pushing;
    NEXT();
at_when_at:
    if (TEST())
        goto jump_pushing;
    NEXT();
at_pass_unless:
    a = acc;
    acc = POP();
    if (a == 0)
        goto pass;
    NEXT();
at_pass_when:
    a = acc;
    acc = POP();
    if (a != 0)
        goto pass;
    NEXT();
at_pass_unless_at:
    if (!TEST())
        goto pass_at;
    NEXT();
at_pass_when_at:
    if (TEST())
        goto pass_at;
    NEXT();
at_wrap:
    acc = wrapped((om_uvalue) acc + (om_uvalue) i->value, i->limit);
    NEXT();
at_wrap_at:
    *top++ = acc;
    acc = wrapped(load_unsigned(vector, i) + (om_uvalue) i->value, i->limit);
    NEXT();
at_truth:
    acc = acc != 0;
    NEXT();
at_need:
    if (acc == 0)
        return 0;
    acc = POP();
    NEXT();
at_need_at:
    if (!TEST())
        return 0;
    NEXT();
at_need_in:
    if ((om_uvalue) acc - (om_uvalue) i->value > i->limit)
        return 0;
    acc = POP();
    NEXT();
at_need_in_at:
    if (load_unsigned(vector, i) - (om_uvalue) i->value > i->limit)
        return 0;
    NEXT();
at_neg:
    acc = number(0u - (om_uvalue) acc);
    NEXT();
at_not:
    acc = acc == 0;
    NEXT();
at_compl:
    acc = number(~(om_uvalue) acc);
    NEXT();
at_end:
    assert(top - stack <= 1); /* V2 */
    return acc;
    OPERATORS(CODE)
jump:
    acc = i->value;
pass:
    assert(&vm->code[i->arg] > i); /* V1 */
    i = &vm->code[i->arg];
    GO();
jump_pushing:
    *top++ = acc;
    acc = i->shift;
pass_at:
    assert(&vm->code[i->limit] > i); /* V1 */
    i = &vm->code[i->limit];
    GO();
outside:
    r->kind = OM_FAULT_INDEX;
    return 0;
divided_by_zero:
    r->kind = OM_FAULT_DIVISION;
    return 0;
}
#pragma GCC diagnostic pop
// NOLINTEND(clang-analyzer-core.*)
// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* Returns the value of a guard, an assertion or a label. */
static om_value evaluate(const om_vm *vm, uint32_t pc, const uint32_t *vector, om_fault *kind)
{
    report r = { 0 };
    om_value value = run(vm, pc, vector, NULL, &r);
    *kind = r.kind;
    return value;
}

bool om_vm__holds(const om_vm *vm, uint32_t pc, const uint32_t *vector)
{
    om_fault none = 0;
    return evaluate(vm, pc, vector, &none) != 0;
}

/* The shared conditions evaluated so far in one state, and their values. */
typedef struct remembered {
    uint64_t known, holds;
} remembered;

static bool shared_holds(const om_vm *vm, uint32_t i, const uint32_t *vector, remembered *r)
{
    uint64_t bit = UINT64_C(1) << i;
    assert(i < vm->shared_count);
    om_fault none = 0; /* shared conditions cannot fault */
    if ((r->known & bit) == 0) {
        r->known |= bit;
        if (evaluate(vm, vm->shared[i], vector, &none) != 0)
            r->holds |= bit;
    }
    return (r->holds & bit) != 0;
}

/* Returns true if the first members of the move do not rule it out. */
static bool may_be(
    const om_vm *vm, const om_vm_move *move, const uint32_t *vector, remembered *known)
{
    return (vector[move->word] & move->mask) == move->value &&
           (move->shared == OM_NONE || shared_holds(vm, move->shared, vector, known));
}

/* Returns the starts of the moves that a segment lists for the state, and of those after them; or
 * NULL. */
static const uint32_t *listed(const om_vm_index *x, const om_vm_segment *s, const uint32_t *vector)
{
    const uint32_t value = (vector[s->word] >> s->shift) & s->mask;
    return value < s->count ? &x->starts[s->first + value] : NULL;
}

/* Evaluates the assertions from starts[0] up to starts[1]. */
static om_fault check_each(const om_vm *vm, const om_vm_move *moves, const uint32_t *starts,
    const uint32_t *vector, remembered *known)
{
    for (uint32_t k = starts[0]; k < starts[1]; k++) {
        const om_vm_move *move = &moves[k];
        om_fault kind = 0;
        if (!may_be(vm, move, vector, known))
            continue;
        const bool fails = move->guard == OM_NONE || evaluate(vm, move->guard, vector, &kind) != 0;
        if (fails || kind != 0)
            return kind != 0 ? OM_FAULT(OM_FAULT_IN_ASSERTION, move->number)
                             : om_model__failure(vm->model, move->number);
    }
    return 0;
}

/* Evaluates the assertions of an index in a state. Returns the first fault, or 0. */
static om_fault check(
    const om_vm *vm, const om_vm_index *checks, const uint32_t *vector, remembered *known)
{
    om_fault fault = 0;
    for (size_t i = 0; i < checks->segment_count && fault == 0; i++) {
        const uint32_t *starts = listed(checks, &checks->segments[i], vector);
        if (starts != NULL)
            fault = check_each(vm, checks->moves, starts, vector, known);
    }
    return fault;
}

om_fault om_vm__assertions(const om_vm *vm, const uint32_t *vector)
{
    remembered known = { 0, 0 };
    return check(vm, &vm->all.checks, vector, &known);
}

/* Adds the successor by a move that is not ruled out, if its guard holds. */
static int take(
    const om_vm *vm, const om_vm_move *move, const uint32_t *vector, om_successors *out, report *r)
{
    uint32_t words = vm->executor.words;
    assert(move->number < om_model_transition_count(vm->model)); /* V4 */
    if (move->guard != OM_NONE &&
        (evaluate(vm, move->guard, vector, &r->kind) == 0 || r->kind != 0))
        return OM_OK;
    if (out->count >= out->capacity && om_successors_reserve(out, out->count + 1, words) != OM_OK)
        return OM_ENOMEM;
    uint32_t *row = out->words + out->count * out->stride;
    for (uint32_t w = 0; w < words; w++)
        row[w] = vector[w];
    out->transition[out->count++] = move->number;
    (void) run(vm, move->effect, row, row, r);
    return OM_OK;
}

/* Takes the moves from starts[0] up to starts[1]. */
static int take_each(const om_vm *vm, const om_vm_move *moves, const uint32_t *starts,
    const uint32_t *vector, om_successors *out, remembered *known, report *r)
{
    for (uint32_t k = starts[0]; k < starts[1]; k++) {
        const om_vm_move *move = &moves[k];
        if (!may_be(vm, move, vector, known))
            continue;
        if (take(vm, move, vector, out, r) != OM_OK)
            return OM_ENOMEM;
        if (r->kind != 0) {
            /* An overflow already names its site. */
            out->fault = OM_FAULT_KIND(r->kind) == OM_FAULT_OVERFLOW
                             ? r->kind
                             : OM_FAULT(r->kind, move->number);
            break;
        }
    }
    return OM_OK;
}

/* Checks assertions and takes moves. */
static int go_through(const om_vm *vm, const om_vm_moves *moves, const uint32_t *vector,
    om_successors *out, remembered *known, report *r)
{
    const om_vm_index *steps = &moves->steps;
    out->fault = check(vm, &moves->checks, vector, known);
    for (size_t i = 0; i < steps->segment_count && out->fault == 0; i++) {
        const uint32_t *starts = listed(steps, &steps->segments[i], vector);
        if (starts != NULL && take_each(vm, steps->moves, starts, vector, out, known, r) != OM_OK)
            return OM_ENOMEM;
    }
    return OM_OK;
}

/* Returns true if one of the successors from number `first` on shows that nothing waits with
 * success. */
static bool ends_idle(const om_vm *vm, const om_successors *out, size_t first)
{
    while (first < out->count && !vm->ends_idle[out->transition[first]])
        first++;
    return first < out->count;
}

static int append(const om_vm *vm, const uint32_t *vector, om_successors *out, report *r)
{
    remembered known = { 0, 0 };
    const size_t count = out->count;
    const om_vm_moves *moves = vm->ends_idle != NULL ? &vm->eager : &vm->all;
    if (om_successors_reserve(out, count + 1, vm->executor.words) != OM_OK)
        return OM_ENOMEM;
    int rc;
    while ((rc = go_through(vm, moves, vector, out, &known, r)) == OM_OK && moves != &vm->all &&
           (out->fault != 0 || !ends_idle(vm, out, count))) {
        moves = &vm->all;
        out->count = count;
        *r = (report){ .first = r->first };
        if (r->first != NULL)
            r->first->site = OM_NONE;
    }
    if (rc == OM_OK && out->fault == 0)
        out->overflows += r->overflows;
    return rc;
}

static int vm_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    report r = { 0 };
    return append(x->self, vector, out, &r);
}

int om_vm__first_overflow(const om_executor *vm, const uint32_t *vector, om_vm_overflow *out)
{
    const om_vm *self = vm->self;
    om_successors next = { .heap = self->heap };
    report r = { .first = out };
    out->site = OM_NONE;
    int rc = append(self, vector, &next, &r);
    om_successors_free(&next);
    return rc;
}

static uint64_t vm_labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const om_vm *vm = x->self;
    uint64_t labels = 0;
    *fault = 0;
    for (uint32_t i = 0; i < x->aps; i++) {
        om_fault kind = 0;
        if (evaluate(vm, vm->labels[i], vector, &kind) != 0)
            labels |= UINT64_C(1) << i;
        if (kind != 0) {
            *fault = OM_FAULT(OM_FAULT_IN_LABEL, i);
            return 0;
        }
    }
    return labels;
}

static void vm_close(om_executor *x)
{
    om_vm *vm = x->self;
    om_vm_index *indexes[] = { &vm->all.steps, &vm->all.checks, &vm->eager.steps,
        &vm->eager.checks };
    for (size_t i = 0; i < 4; i++)
        OM_FREE_ALL(vm->heap, indexes[i]->segments, indexes[i]->starts, indexes[i]->moves);
    OM_FREE_ALL(vm->heap, vm->code, vm->labels, vm->ends_idle, vm);
}

int om_vm__open(om_executor **out, const om_model *m, const om_expr *aps, uint32_t ap_count)
{
    om_vm *vm = om_alloc(m->heap, 1, sizeof *vm);
    if (vm == NULL)
        return OM_ENOMEM;
    vm->heap = m->heap;
    vm->model = m;
    vm->executor = (om_executor){ .size = sizeof(om_executor),
        .name = "vm",
        .words = om_model_words(m),
        .aps = ap_count,
        .self = vm,
        .initial = om_executor__initial,
        .append = vm_append,
        .labels = vm_labels,
        .close = vm_close,
        .model = m };
    if (om_vm__compile(vm, aps, ap_count) != OM_OK) {
        vm_close(&vm->executor);
        return OM_ENOMEM;
    }
    *out = &vm->executor;
    return OM_OK;
}
