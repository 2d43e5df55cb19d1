/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.h: om_model__generate(), and the interface of the text that it writes. Native code and
 * device kernels are compiled from this same text.
 *
 * The text is in the common subset of C11 and OpenCL C 1.2. The includer must define before it:
 *
 *     om_u32, om_i32, om_u64     types (or macros) of 32 and 64 bits, om_i32 in two's complement
 *     OM_FN                      prefix of each function ("static inline", "")
 *     OM_FN_APART                prefix of large functions, which need not be inlined
 *     OM_CONSTANT                address space of tables of constants (nothing in C11)
 *
 * The text defines these macros
 *
 *     OM_WORDS        words of a state vector
 *     OM_APS          number of APs of om_gen_labels()
 *     OM_ASSERTIONS   assertions of the model
 *     OM_TRANSITIONS  transitions, numbered as in the model
 *     OM_GROUPS       groups: up to 64 consecutive transitions of one process
 *     OM_OVERFLOWS    assignments that may overflow and are counted
 *     OM_GEN_FAULTS   0: no function of this text ever reports a fault
 *
 * and these functions, whose pointers all point to private memory in OpenCL:
 *
 *     OM_FN om_u32 om_gen_base(om_u32 group);
 *         Returns the first transition of a group; the group ends where the next one begins.
 *     OM_FN om_u64 om_gen_guards(om_u32 group, const om_u32 *s, om_u32 *fault);
 *         Bit i: transition base + i is enabled in s. If a guard cannot be evaluated, *fault is set
 *         for the lowest such transition, and the mask has the enabled ones below it. Otherwise
 *         *fault stays unchanged: set it to 0 before the call.
 *     OM_FN om_u32 om_gen_effect(om_u32 transition, const om_u32 *s, om_u32 *d,
 *             om_u32 *overflows);
 *         Copies s to d and applies the assignments; s and d must not overlap. Returns a fault (d
 *         is then incomplete) or 0. Does not evaluate the guard. Adds the number of assignments
 *         that overflow to *overflows.
 *     OM_FN om_u32 om_gen_assertions(const om_u32 *s);
 *         Returns the first assertion that fails or cannot be evaluated, as a fault, or 0.
 *     OM_FN om_u64 om_gen_labels(const om_u32 *s, om_u32 *fault);
 *         Bit i: AP i holds in s. If an AP cannot be evaluated, *fault is set for the lowest one
 * and the result is 0. Otherwise *fault stays unchanged.
 *
 * Guards of groups, effects and assertions that are equal up to their numbers are written once and
 * take the numbers from tables, if there would be much text otherwise (gen_shapes.c). In the text
 * for native code, so are rows: the effects of transitions.
 *
 * Fault numbers are those of om_fault. The first fault of a state, as the vm reports it, is that of
 * om_gen_assertions(); otherwise, group by group, the first effect that faults among the enabled
 * transitions below a faulty guard, or otherwise that guard.
 *
 * A large model can be compiled in pieces. If OM_GROUP_LOW and OM_GROUP_HIGH are defined before the
 * text, om_gen_guards() handles only the groups low <= group < high, and om_gen_effect() only their
 * transitions (for others: an empty mask, a plain copy). Macros and om_gen_base() do not change.
 *
 * The text for native code, in C11 only (om_gen__write(), gen.h), has no om_gen_base(),
 * om_gen_guards() and om_gen_effect(), but a function for each chunk of the transitions. They
 * append the successors to n earlier rows, `stride` words apart, and return the new n. On a fault,
 * the first one as defined above, fault[0] is set and n is meaningless; fault[1] counts overflows.
 * There must be room for OM_GEN_MOST_0 (_1 ...) more rows. OM_GEN_EACH(X) expands to X(0) X(1) ...
 * for the OM_GEN_CHUNKS parts. OM_GEN_COPY(to, from) must copy OM_WORDS words, and OM_GEN_APART is
 * the attribute of a function that is not inlined. OM_CONSTANT must be empty. A row is written
 * directly after its guard, which causes fewer branch mispredictions than a mask and a switch.
 *
 *     static unsigned long om_gen_step_0(const om_u32 *s, om_u32 *rows, unsigned long stride,
 *         om_u32 *transition, unsigned long n, om_u32 *fault);
 *
 * All other names of the text begin with om_gen_ or OM_GEN_.
 */
#ifndef OMEN_CORE_GENERATE_H
#define OMEN_CORE_GENERATE_H

#include <omen/plugin/model.h>

enum { OM_GEN_GROUP = 64 /* maximum number of transitions in a group: one mask */ };

/* Sizes that the text defines, for callers that split it. */
typedef struct om_generated {
    uint32_t transitions; /* OM_TRANSITIONS */
    uint32_t groups;      /* OM_GROUPS: of transitions, from 0 on */
} om_generated;

/* Appends the text for a finished model with these APs (at most 64). *facts may be NULL. Returns
 * OM_OK, OM_ENOMEM, OM_ELIMIT, OM_EINVAL, or OM_EUNSUPPORTED if an expression nests too deeply for
 * compilers. */
int om_model__generate(
    om_model *m, const om_expr *aps, uint32_t ap_count, om_text *out, om_generated *facts);

#endif
