/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lasso.h: counterexamples: extraction, the referee, shortening, printing.
 *
 * A lasso is a finite trace of model states and the transitions taken between them. The run repeats
 * the states from `loop` on for ever, or ends (loop == OM_NO_LOOP: a bad prefix, a deadlock or a
 * fault of the model). A bad prefix is a finite run of which every continuation violates the
 * property.
 */
#ifndef OMEN_LASSO_H
#define OMEN_LASSO_H

#include <omen/host/task.h>
#include <omen/plugin/ltl.h>

#define OM_NO_LOOP SIZE_MAX

/* Fairness assumption for processes on infinite runs (core/plan/property/fairness.h defines
 * moving): a process that can always move from some point on moves infinitely often (weak); a
 * process that can move infinitely often moves infinitely often (strong). */
typedef enum om_process_fairness {
    OM_FAIRNESS_NONE,
    OM_FAIRNESS_WEAK,
    OM_FAIRNESS_STRONG,
    OM_FAIRNESS_KINDS
} om_process_fairness;
/* "none", "weak", "strong"; NULL for any other value. */
OM_API const char *om_process_fairness_name(om_process_fairness kind);

typedef struct om_lasso {
    const om_heap *heap;
    uint32_t words; /* of a model state vector */
    /* count states, one after another; or NULL: they follow from the transitions and the model's
     * initial state. */
    uint32_t *vectors;
    /* count: transition i leads from state i to state i + 1 (the last one to state `loop`, or it is
     * OM_NONE if the trace ends); OM_STUTTER. */
    uint32_t *transitions;
    size_t count;
    size_t loop; /* index of the first state of the cycle, or OM_NO_LOOP */
    /* Every run that begins with this number of its states violates the property, and no smaller
     * number suffices; above `count`, states of further rounds of the cycle are counted. 0: there
     * is no such number, or it is unknown. */
    size_t bad_prefix;
    om_model_form form;           /* of the model that it is a run of */
    om_process_fairness fairness; /* fairness that the cycle satisfies */
    /* Conjunction of the assumed formulas, which the lasso satisfies; or NULL. */
    char *fair;
    /* count: the output of transition i, or NULL if the model does not know it
     * (om_lasso_read_alone()); or NULL. */
    char **printed;
} om_lasso;

/* Computes the states if `vectors` is NULL. OM_OK; OM_ENOMEM; OM_EINPUT: it is not a run of the
 * model. */
OM_API int om_lasso_vectors(om_lasso *l, om_model *m);
OM_API void om_lasso_free(om_lasso *l);

/* The conditions under which a lasso is a counterexample. All members are borrowed. */
typedef struct om_obligation {
    om_model *model;
    const om_automaton *forbidden; /* the whole automaton before conversions, or NULL */
    const om_expr *aps;            /* of the automaton */
    uint32_t ap_count;
    const om_ltl *ltl; /* for a formula: it must be false on the lasso */
    om_ltl_ref formula;
    const om_expr *ltl_aps; /* of the arena, om_ltl_ap_count() of them */
    /* The automaton of the formula, which accepts the allowed runs, used to recognise bad prefixes;
     * NULL: bad prefixes are not recognised. */
    const om_automaton *allowed;
    const om_expr *allowed_aps;
    om_expr invariant;            /* not 0: must be false in the last state; loop is OM_NO_LOOP */
    om_fault fault;               /* not 0: this fault must occur in the last state */
    bool assertion;               /* an assertion of the model must fail in the last state */
    bool deadlock;                /* the last state must have no successor */
    bool stutter;                 /* OM_STUTTER steps are allowed (in states without successors) */
    om_process_fairness fairness; /* that the cycle must satisfy */
    /* or NULL; arena of the formula `fair`, which must be true on the lasso */
    const om_ltl *fair_ltl;
    om_ltl_ref fair;
    const om_expr *fair_aps; /* of that arena */
} om_obligation;

/*
 * Builds the lasso from the evidence of a finished task, with the limits and the stored states of
 * the task; the context is for messages. OM_EMODEL, with no message, if the model has a fault after
 * the evidence and before any accepting cycle.
 */
OM_API int om_lasso_extract(om_lasso *out, om_context *ctx, om_task *task);

/*
 * The referee: replays the lasso on the vm, which shares no code with the searches. Checks the
 * initial state, that each transition is enabled and leads to the stated successor, that the loop
 * is closed, and that the obligation is met (the automaton accepts the word, a formula is false on
 * it, and the cycle has the required fairness). A finite run is a counterexample to a property of
 * infinite runs if it is a bad prefix, there are no fairness assumptions, and finite runs count. If
 * the lasso states the end of its bad prefix, that must be correct. The model must have the form
 * that the lasso names. OM_OK, or OM_EINPUT with the first error.
 */
OM_API int om_lasso_replay(om_context *ctx, const om_lasso *l, const om_obligation *obligation);

/* Returns the formats of lassos, constants that are also file suffixes: "txt", for people; "json",
 * ITF with the property, for om_lasso_read() and other tools; "html", a page for a browser with the
 * run step by step; "svg", a sequence chart; "dot", a graph; "csv", one row per state; "trail", one
 * line per step; "view", the data of that page, for programs. */
OM_API const char *const *om_lasso_formats(size_t *count);
/* Returns the format for a file name such as "run.json"; or NULL. */
OM_API const char *om_lasso_format_of(const char *file);

/* Settings for writing; a format may ignore some of them. */
typedef struct om_lasso_style {
    const char *property; /* the property of the lasso, or NULL */
    bool one_line;        /* without a newline; otherwise the usual layout, ending with one */
    const char *source;   /* text of the model, for formats that show it; or NULL */
} om_lasso_style;

/* Append parts of text for people, without escapes (names may contain any character): the name
 * "P_0.x", or "P_0.a[2]" for an array; the value: its name, a number, "true" or "false"; the label
 * of a transition with its place, "P_0: a -> b  (model.dve:12:5)". OM_STUTTER has a text, too. */
OM_API void om_lasso_put_name(const om_slot *slot, uint32_t element, om_text *out);
OM_API void om_lasso_put_value(
    const om_slot *slot, const uint32_t *vector, uint32_t element, om_text *out);
OM_API void om_lasso_put_step(const om_model *m, uint32_t transition, om_text *out);
/* Appends "model.dve:12:5", without the folder, because a lasso may be replayed elsewhere. Appends
 * nothing if the place is unknown. */
OM_API void om_lasso_put_place(const om_place *place, om_text *out);

/* Appends the lasso, which must be a run of the model (style NULL: all zero). Returns the status of
 * `out`; OM_EINVAL, with no message, if there is no such format; OM_EINPUT, likewise, if it is not
 * a run. */
OM_API int om_lasso_write(
    const om_lasso *l, om_model *m, const char *format, const om_lasso_style *style, om_text *out);
/*
 * The parts of the "html" page, for programs with pages of their own: the data, an object on one
 * line of JSON (described in core/lasso/formats/view_data.c; status as above), and the files
 * "view.js" and "view.css" (NULL: there is no file of that name). The script defines
 * omenRun.mount(element, data); it runs under a Content-Security-Policy without unsafe-inline.
 */
OM_API int om_lasso_write_view(
    const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out);
OM_API const char *om_lasso_view_file(const char *name);
/* Reads a lasso in format "json", for a model with the same slots, and its property (NULL if the
 * file names none; the caller frees it; property may be NULL). `file` is for messages. From a file
 * ("-": standard input), only one state at a time is in memory. */
OM_API int om_lasso_read(om_lasso *out, om_context *ctx, const om_model *m, const char *file,
    const char *text, size_t length, char **property);
OM_API int om_lasso_read_file(
    om_lasso *out, om_context *ctx, const om_model *m, const char *path, char **property);
/* Reads a lasso in format "trail", or from another tool whose step numbers the model has
 * (om_model_set_foreign()): SPIN's verifier. The steps are replayed in the model, which must have
 * the form in which it was loaded; *property is the property that the trail seems to be about, as
 * above. OM_EINPUT, with the line and the reason, if it is not a run of the model. */
OM_API int om_lasso_read_trail(
    om_lasso *out, om_context *ctx, om_model *m, const char *path, char **property);
/* Like om_lasso_read() of text, but without the model: *model replaces it; the caller frees it
 * after the lasso. It has what the lasso says about the original model, and nothing that can be
 * executed: the lasso can be written with it in every format but not refereed. */
OM_API int om_lasso_read_alone(om_lasso *out, om_model **model, om_context *ctx, const char *file,
    const char *text, size_t length, char **property);

#endif
