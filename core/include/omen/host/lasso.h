/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lasso.h: counterexamples: extraction, the referee, shortening, printing.
 *
 * A lasso is a finite trace of model states with, between two of them, the transition taken; the
 * run repeats from `loop` for ever, or simply ends (loop == OM_NO_LOOP: a bad prefix, a deadlock or
 * a fault of the model). A bad prefix is a finite run of which every continuation violates the
 * property.
 */
#ifndef OMEN_LASSO_H
#define OMEN_LASSO_H

#include <omen/host/task.h>
#include <omen/plugin/ltl.h>

#define OM_NO_LOOP SIZE_MAX

/* What is assumed of processes on endless runs (core/plan/fairness.h says what moving is): one that
 * can always move from some point on moves again and again (weak); so does one that can move again
 * and again (strong). */
typedef enum om_process_fairness {
    OM_FAIRNESS_NONE,
    OM_FAIRNESS_WEAK,
    OM_FAIRNESS_STRONG,
    OM_FAIRNESS_KINDS
} om_process_fairness;
/* "none", "weak", "strong"; NULL for what is none. */
OM_API const char *om_process_fairness_name(om_process_fairness kind);

typedef struct om_lasso {
    const om_heap *heap;
    uint32_t words;        /* of a model state vector */
    uint32_t *vectors;     /* count states, one behind the other; or NULL: they follow from the
                              transitions and the model's initial state */
    uint32_t *transitions; /* count: transition i leads from state i to state i + 1 (the last one
                              to state `loop`, or is OM_NONE where the trace ends); OM_STUTTER */
    size_t count;
    size_t loop;                  /* index of the first state of the cycle, or OM_NO_LOOP */
    size_t bad_prefix;            /* every run that begins with so many of its states violates the
                                     property, and fewer do not suffice; more than `count`: the
                                     cycle is counted on; 0: there is no such number, or it is not
                                     known */
    om_model_form form;           /* of the model that it is a run of */
    om_process_fairness fairness; /* that it shows; */
    char *fair;     /* and the formula that it shows beside, of all that were assumed; or NULL */
    char **printed; /* count: what transition i prints, or NULL, where the model cannot say that
                       (om_lasso_read_alone()); or NULL */
} om_lasso;

/* Writes all states down, where they are not. OM_OK; OM_ENOMEM; OM_EINPUT: it is no run. */
OM_API int om_lasso_vectors(om_lasso *l, om_model *m);
OM_API void om_lasso_free(om_lasso *l);

/* What a lasso must show to be a counterexample. All borrowed. */
typedef struct om_obligation {
    om_model *model;
    const om_automaton *forbidden; /* the whole automaton before any conversion, or NULL */
    const om_expr *aps;            /* of the automaton */
    uint32_t ap_count;
    const om_ltl *ltl; /* where the property was a formula: it must be false on the lasso */
    om_ltl_ref formula;
    const om_expr *ltl_aps; /* of the arena, om_ltl_ap_count() of them */
    /* The formula's own automaton, of the runs that are allowed, by which bad prefixes of it are
     * told; NULL: they are not. */
    const om_automaton *allowed;
    const om_expr *allowed_aps;
    om_expr invariant; /* not 0: must be false in the last state, loop is OM_NO_LOOP */
    om_fault fault;    /* not 0: the model must go wrong so in the last state */
    bool assertion;    /* an assertion of the model must fail in the last state */
    bool deadlock;     /* the last state must have no successor */
    bool stutter;      /* OM_STUTTER steps are allowed (only where there is no successor) */
    om_process_fairness fairness; /* that the cycle must show */
    const om_ltl *fair_ltl;       /* or NULL; of a formula that must be true on the lasso: */
    om_ltl_ref fair;
    const om_expr *fair_aps; /* of that arena */
} om_obligation;

/*
 * The lasso behind the evidence of a task that was run, with its limits and what it has stored; the
 * context is for messages. OM_EMODEL, with no message, where the model goes wrong behind the
 * evidence before any accepting cycle.
 */
OM_API int om_lasso_extract(om_lasso *out, om_context *ctx, om_task *task);

/*
 * The referee: runs the lasso on the vm, which shares nothing with the searches: initial state,
 * each transition enabled and leading where it says, the loop closed, and the obligation met (the
 * automaton accepts the word, and a formula evaluates to false on it; the cycle is fair, as far as
 * that is asked). A run that ends is a counterexample to a property of endless runs if it is a bad
 * prefix, nothing is assumed, and runs that end count. If the lasso says where its bad prefix ends,
 * that must be right. The model has the form that the lasso is of. OM_OK, or OM_EINPUT with the
 * first thing that is wrong.
 */
OM_API int om_lasso_replay(om_context *ctx, const om_lasso *l, const om_obligation *obligation);

/* The formats that lassos are written in, constants, which files end in: "txt", for people; "json",
 * ITF with the property that it is about, for om_lasso_read() and other tools; "html", a page to
 * step through it in a browser; "svg", a sequence chart; "dot", a graph; "csv", a row a state;
 * "trail", a line a step; "view", the data of that page, for programs. */
OM_API const char *const *om_lasso_formats(size_t *count);
/* The one that a file of this name is in: "run.json"; or NULL. */
OM_API const char *om_lasso_format_of(const char *file);

/* How it is written; a format may care for some of that alone. */
typedef struct om_lasso_style {
    const char *property; /* that the lasso is about, or NULL */
    bool one_line;        /* without a newline; else as is usual, with one at the end */
    const char *source;   /* the text of the model, for formats that show it; or NULL */
} om_lasso_style;

/* Parts of text for people, as they are (names may hold anything): "P_0.x", or "P_0.a[2]" of an
 * array; its value: its name, a number, "true" or "false"; and the label of a transition with
 * its place, "P_0: a -> b  (model.dve:12:5)". OM_STUTTER has words, too. */
OM_API void om_lasso_put_name(const om_slot *slot, uint32_t element, om_text *out);
OM_API void om_lasso_put_value(
    const om_slot *slot, const uint32_t *vector, uint32_t element, om_text *out);
OM_API void om_lasso_put_step(const om_model *m, uint32_t transition, om_text *out);
/* "model.dve:12:5", without the folder: a lasso may be replayed from elsewhere. Nothing where it is
 * not known. */
OM_API void om_lasso_put_place(const om_place *place, om_text *out);

/* Appends the lasso, which is one of the model (style NULL: all zero). The status of `out`;
 * OM_EINVAL, with no message, where there is no such format; OM_EINPUT, likewise: it is no run. */
OM_API int om_lasso_write(
    const om_lasso *l, om_model *m, const char *format, const om_lasso_style *style, om_text *out);
/*
 * What the page of "html" shows the run with, for programs that have pages of their own: the data,
 * an object on one line of JSON (core/lasso/view.c says what is in it; statuses as above), and the
 * files "view.js" and "view.css" (NULL: there is none of that name). The script defines
 * omenRun.mount(element, data); it runs under a Content-Security-Policy without unsafe-inline.
 */
OM_API int om_lasso_write_view(
    const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out);
OM_API const char *om_lasso_view_file(const char *name);
/* Reads what was written as "json", for a model with the same slots, and the property that it
 * is about (NULL where it says none; the caller's to free; property may be NULL). file is for
 * messages. Of a file ("-": standard input) no more is in memory at a time than a state. */
OM_API int om_lasso_read(om_lasso *out, om_context *ctx, const om_model *m, const char *file,
    const char *text, size_t length, char **property);
OM_API int om_lasso_read_file(
    om_lasso *out, om_context *ctx, const om_model *m, const char *path, char **property);
/* Reads what was written as "trail", or by another tool whose steps the model knows by their
 * numbers (om_model_set_foreign()): SPIN's verifier. It is followed in the model, which has the
 * form that it was loaded in; *property is what it seems to be about, as above. OM_EINPUT, with the
 * line and what is wrong with it, where it is no run of the model. */
OM_API int om_lasso_read_trail(
    om_lasso *out, om_context *ctx, om_model *m, const char *path, char **property);
/* As om_lasso_read() of text without the model: *model stands in for it, the caller's to free,
 * after the lasso. It has what the lasso says of the other and nothing that could be executed: the
 * lasso can be written with it, in every format, but not refereed. */
OM_API int om_lasso_read_alone(om_lasso *out, om_model **model, om_context *ctx, const char *file,
    const char *text, size_t length, char **property);

#endif
