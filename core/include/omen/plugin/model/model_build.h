/* SPDX-License-Identifier: Apache-2.0 */
/* model_build.h: builds a model. */
#ifndef OMEN_MODEL_BUILD_H
#define OMEN_MODEL_BUILD_H

#include <omen/plugin/model/model_parts.h>

/* Creates a model. name, which is copied, identifies the model in reports. The context must outlive
 * the model. */
OM_API int om_model_new(om_model **out, om_context *ctx, const char *name);
OM_API void om_model_free(om_model *m);
OM_API om_context *om_model_context(const om_model *m);
OM_API const char *om_model_name(const om_model *m);

/*
 * Expressions. Each function returns a node of the arena (equal nodes are shared; constants are
 * folded if that cannot hide a fault). Returns 0 if memory runs out, the expression is too large,
 * or an argument is 0 or invalid; the model remembers the error, and om_model_finish() or
 * om_model_expr_check() reports it.
 */
OM_API om_expr om_expr_const(om_model *m, om_value value);
OM_API om_expr om_expr_slot(om_model *m, uint32_t slot);
OM_API om_expr om_expr_element(om_model *m, uint32_t slot, om_expr index);
OM_API om_expr om_expr_unary(om_model *m, om_op op, om_expr a);
OM_API om_expr om_expr_binary(om_model *m, om_op op, om_expr a, om_expr b);

/* Returns true if the expression (0: none) reads the slot or an element of it. */
OM_API bool om_expr_reads(const om_model *m, om_expr e, uint32_t slot);

/* Returns OM_OK, or the first error of the expressions made so far; the message names the place
 * (may be NULL). */
OM_API int om_model_expr_check(om_model *m, const om_place *at);

/* Each copies its arguments, names and arrays included, and sets *out (may be NULL) to the new
 * index. */
OM_API int om_model_add_process(om_model *m, const char *name, uint32_t *out);
OM_API int om_model_add_slot(om_model *m, const om_slot *slot, uint32_t *out);
/*
 * Joins slots of the same type, range and length (`count` of them, the members) to one array, the
 * family, so that an expression can choose a member by a computed index. With n = max(length, 1),
 * element k * n + i of the family is element i of member k. The family takes the place of its
 * members in vectors: an expression or a transition that names a member reads or writes the family,
 * and an element that is taken out leaves its own member. Traces show the members.
 * Call after all slots, before any transition has been added, and before an expression reads a
 * member. *out: the number of the family. Returns OM_OK, OM_EINVAL, OM_EINPUT or OM_ENOMEM.
 */
OM_API int om_model_join_slots(
    om_model *m, const char *name, const uint32_t *members, uint32_t count, uint32_t *out);
OM_API int om_model_set_location(om_model *m, uint32_t process, uint32_t slot);
OM_API int om_model_add_transition(om_model *m, const om_transition *t, uint32_t *out);
/* States that the transition that was added last is enabled only in states in which each enabled
 * transition is such a last resort, as Promela's timeouts are. OM_EINVAL: there is none. */
OM_API int om_model_set_last_resort(om_model *m);
OM_API int om_model_add_assertion(om_model *m, const om_assertion *a);
/* Makes the assertion that was added last final: it ends every run in which it fails, because the
 * language gives no meaning to a continuation. Checks that ignore assertions still evaluate this
 * one. OM_EINVAL: there is no assertion. */
OM_API int om_model_set_final(om_model *m);
/* Takes ownership of the automaton, even on failure; aps has om_automaton_ap_count() entries. */
OM_API int om_model_add_property(
    om_model *m, const char *name, om_automaton *automaton, const om_expr *aps);
/* name and formula are copied. */
OM_API int om_model_add_formula(om_model *m, const char *name, const char *formula);
/* The property that was added last is checked only if it is requested by name, never by default.
 * OM_EINVAL: there is no property. */
OM_API int om_model_set_by_name(om_model *m);
/* Declares that deadlocks are errors in the model's language (Promela's invalid end states):
 * deadlock freedom is checked together with the model's other properties, and not only if it has
 * none. */
OM_API void om_model_forbid_deadlock(om_model *m);
/* Sets an expression that is true in the states with a progress label, if the language has such
 * labels: a search for non-progress cycles then needs no expression from the user. The last call
 * counts; 0 (the default): no labels. */
OM_API int om_model_set_progress(om_model *m, om_expr progress);
/* Sets an expression that is true in the states that properties see. The other states lie within
 * atomic sequences of the language; no formula, automaton or invariant sees them. The expression is
 * true in the initial state, and after every state it becomes true again at some later time; a run
 * that stays outside for ever is judged by its visible states until then. Assertions and deadlocks
 * are checked in all states. The last call counts; 0 (the default): all states are visible. */
OM_API int om_model_set_visible(om_model *m, om_expr visible);
/* For a language without a bound on the number of objects that exist at a time: a front-end option
 * then gives the number for which the model is built. A transition that writes `slot` and has a
 * fault (OM_FAULT_INDEX) shows that the number is too small; a model read with `larger` for that
 * option has more room. larger 0: there is no larger one. `option` is copied. */
OM_API int om_model_set_room(om_model *m, uint32_t slot, const char *option, int64_t larger);
/* Returns the option set by om_model_set_room(), owned by the model, and in *value the value that
 * gives more room; NULL if there is none. */
OM_API const char *om_model_larger(const om_model *m, int64_t *value);
/* Declares that the caller reads the model again if it needs more room: searches then end at once
 * when it does. Otherwise a lack of room ends the run, and searches go on. No effect on a model for
 * which there is no larger room. */
OM_API void om_model_set_growing(om_model *m);

/*
 * The steps of another tool for the model's language, so that runs can be exchanged with it (SPIN's
 * trails). In that tool, a transition is a sequence of steps, which may be empty; each step has a
 * number of that tool and is taken by a process of the model. A failing assertion is such a
 * sequence, too; a property has one step, whose number is that of the property. Process numbers are
 * not stored: a process gets its number when it starts (its location is no longer 0), namely the
 * number of processes that already run.
 */
typedef enum om_foreign_kind {
    OM_FOREIGN_TRANSITION,
    OM_FOREIGN_ASSERTION,
    OM_FOREIGN_PROPERTY,
    OM_FOREIGN_KINDS
} om_foreign_kind;
typedef struct om_foreign_step {
    uint32_t process; /* of the model; OM_NONE for a property */
    uint32_t number;
} om_foreign_step;
/* Sets the steps of an existing transition, assertion or property; copied. If others of the model
 * have steps, one without steps does not occur in that tool. OM_EINVAL: it does not exist. */
OM_API int om_model_set_foreign(om_model *m, om_foreign_kind kind, uint32_t index,
    const om_foreign_step *steps, uint32_t count);

/* The output of a step: shown with a run, not part of any state. */
typedef enum om_print_how {
    OM_PRINT_TEXT, /* no value */
    OM_PRINT_DECIMAL,
    OM_PRINT_UNSIGNED,
    OM_PRINT_HEXADECIMAL,
    OM_PRINT_OCTAL,
    OM_PRINT_CHARACTER,
    OM_PRINT_NAME /* names[value], if it exists */
} om_print_how;
typedef struct om_print {
    uint32_t after;   /* number of assignments of the transition that run before the output */
    const char *text; /* text before the value, not NUL-terminated */
    size_t length;    /* of the text, in bytes */
    om_print_how how;
    om_expr value;
    const char *const *names; /* for OM_PRINT_NAME; they live as long as the model */
    uint32_t name_count;
} om_print;
/* Sets the output of an existing transition, in order; copied. OM_EINVAL: the transition does not
 * exist. */
OM_API int om_model_set_prints(
    om_model *m, uint32_t transition, const om_print *prints, uint32_t count);

/*
 * Reduces every slot to the bits that its values can need, as far as interval analysis shows, and
 * to an unsigned type if no value is negative. Runs stay the same; vectors become shorter. Call it
 * after the last addition and before om_model_finish(); nothing may be added afterwards.
 */
OM_API int om_model_narrow(om_model *m);

/* Checks indices, types and places, fixes the layout and packs the initial state. Call once. */
OM_API int om_model_finish(om_model *m);

/* Data that a front end keeps with a model, for its expression(). om_model_free() calls drop(),
 * before the plug-in is closed. */
OM_API void om_model_set_private(om_model *m, void *data, void (*drop)(void *data));
OM_API void *om_model_private(const om_model *m);

#endif
