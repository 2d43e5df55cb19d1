/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: computes the successors and labels of states; faults of a model. */
#ifndef OMEN_EXECUTOR_H
#define OMEN_EXECUTOR_H

#include <omen/plugin/model/model_parts.h>

/* ---- faults ---- */

/* 0: no fault. Otherwise a kind in the low 3 bits and a subject above them. */
typedef uint32_t om_fault;
enum {
    OM_FAULT_INDEX = 1,        /* subject: the transition whose guard or assignment failed */
    OM_FAULT_DIVISION = 2,     /* subject: likewise */
    OM_FAULT_ASSERTION = 3,    /* subject: the assertion that failed */
    OM_FAULT_IN_ASSERTION = 4, /* subject: the assertion that could not be evaluated */
    OM_FAULT_IN_LABEL = 5,     /* subject: the AP that could not be evaluated */
    OM_FAULT_OVERFLOW = 6,     /* subject: the number of the assignment in the model */
    /* Only in requests: any fault except a failed assertion; subject 0. */
    OM_FAULT_ANY = 7
};
#define OM_FAULT(kind, subject) ((om_fault) ((kind) | ((uint32_t) (subject) << 3)))
#define OM_FAULT_KIND(fault) ((fault) &7u)
#define OM_FAULT_SUBJECT(fault) ((fault) >> 3)

/* Records a message that describes the fault with its place in the model, and returns OM_EMODEL. */
OM_API int om_model_fault(const om_model *m, om_fault fault);
/* The same, with the details that the state (model words) provides. */
OM_API int om_model_fault_in(const om_model *m, om_fault fault, const uint32_t *vector);

/* ---- executors ---- */

/*
 * The successors of one or several states, one row after another. Initialise to zero with heap set;
 * free with om_successors_free(). Rows are `stride` words apart and begin with the om_model_words()
 * words of the model; a caller that needs words of its own after them sets stride before the first
 * use.
 */
typedef struct om_successors {
    const om_heap *heap;
    uint32_t *words;      /* count rows of stride words */
    uint32_t *transition; /* count transition numbers, ascending per state */
    size_t count, capacity;
    uint32_t stride; /* 0: the width of the first rows that are reserved */
    /* Not 0: the state, or a successor of it, has a fault; count is then meaningless. */
    om_fault fault;
    /* Overflows so far, in states without a fault; the reader may reset it to 0. */
    uint64_t overflows;
} om_successors;
OM_API void om_successors_free(om_successors *s);
/* Reserves memory for `rows` rows of at least `words` words (the same words until
 * om_successors_free()) and keeps the contents. OM_OK or OM_ENOMEM. */
OM_API int om_successors_reserve(om_successors *s, size_t rows, uint32_t words);

/*
 * An object that computes successors and labels: the bytecode vm, native code, a foreign model, a
 * synthetic graph of a test. A table of functions with its object; immutable, so any thread may
 * call.
 */
typedef struct om_executor om_executor;
struct om_executor {
    size_t size;      /* of this struct */
    const char *name; /* "vm", "native", ... */
    uint32_t words;   /* of a state vector */
    uint32_t aps;     /* number of APs of labels() */
    void *self;
    /* Writes the initial state into `words` words. */
    void (*initial)(const om_executor *x, uint32_t *vector);
    /* Checks the assertions on `vector`, then appends its successors to the rows of `out`, and sets
     * out->fault. OM_OK (check the fault) or OM_ENOMEM. `vector` must not point into `out`. */
    int (*append)(const om_executor *x, const uint32_t *vector, om_successors *out);
    /* Returns the label: bit i is AP i. *fault is 0 or names an AP that could not be evaluated. */
    uint64_t (*labels)(const om_executor *x, const uint32_t *vector, om_fault *fault);
    void (*close)(om_executor *x);
    const om_model *model; /* or NULL; used to explain faults */
    /* NULL: use name. Otherwise returns a constant that names the executors used so far, such as
     * "vm, then native". Any thread. */
    const char *(*who)(const om_executor *x);
};

typedef enum om_exec_kind { OM_EXEC_AUTO, OM_EXEC_NATIVE, OM_EXEC_VM } om_exec_kind;

/*
 * Opens an executor for a finished model with these APs (at most 64). NATIVE waits for a compiler
 * and returns OM_EUNSUPPORTED without one. AUTO never waits: it uses native code if the cache has
 * it. Otherwise it starts with the vm, or for nets with a table of transitions, and switches to
 * native code as soon as a compiler in the background has produced it; for large models, first to
 * code that was compiled quickly. (If no compiler is available, the first executor continues, with
 * a note; for large nets no native code is made.) No thread may change the model while the executor
 * is open; close the executor before the model is freed. If the model's context is stopped, a
 * running compiler and its child processes are killed (unless the host lets compilers go on and
 * fill the cache), and OM_ELIMIT or OM_ESTOP is returned, with no message recorded.
 */
OM_API int om_executor_open(
    om_executor **out, om_model *m, om_exec_kind kind, const om_expr *aps, uint32_t ap_count);
OM_API void om_executor_close(om_executor *x);
/* Replaces the contents of `out` by the successors of `vector`; otherwise like append(). */
OM_API int om_executor_successors(const om_executor *x, const uint32_t *vector, om_successors *out);

#endif
