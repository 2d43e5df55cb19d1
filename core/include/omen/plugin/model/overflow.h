/* SPDX-License-Identifier: Apache-2.0 */
/* overflow.h: values that do not fit their slots. */
#ifndef OMEN_OVERFLOW_H
#define OMEN_OVERFLOW_H

#include <omen/plugin/model/model_parts.h>

/* A value that does not fit the declared type of its slot. The model owns the strings. */
typedef struct om_overflow {
    om_place place;
    const char *variable; /* full name of the slot */
    uint32_t element;     /* of an array, otherwise OM_NONE */
    om_value value;       /* the value to be stored */
    om_value stored;      /* the value that was stored */
    om_value low, high;   /* range of the declared type */
    uint32_t transition;  /* OM_NONE: an initial value */
} om_overflow;

typedef enum om_overflow_mode { OM_OVERFLOW_WRAP, OM_OVERFLOW_ERROR } om_overflow_mode;

/* Records, while the model is built, that an initial value overflowed; the slot (or a constant that
 * needs no slot) starts with `stored`. */
OM_API int om_model_add_overflow(om_model *m, const om_overflow *o);
/*
 * Sets the effect of an overflowing assignment: it stores the low bits and is counted (the
 * default), or it is a fault. For a finished model without an open executor. OM_EMODEL, with the
 * place, if overflows are to be faults and an initial value overflowed.
 */
OM_API int om_model_set_overflow(om_model *m, om_overflow_mode mode);
/* Returns the number of assignments that may overflow, according to interval analysis; only these
 * are checked. */
OM_API uint32_t om_model_overflow_sites(const om_model *m);
/* Returns the number of initial values that overflowed; sets *first (may be NULL) if it is not
 * 0. */
OM_API uint32_t om_model_initial_overflows(const om_model *m, om_overflow *first);
/* Finds the first overflow on the steps from a state (model words) to its successors. OM_OK;
 * OM_EINVAL, with no message recorded, if there is none; OM_ENOMEM. */
OM_API int om_model_find_overflow(const om_model *m, const uint32_t *vector, om_overflow *out);
/* Appends, for example, "256 does not fit P.x (0 .. 255)". */
OM_API void om_overflow_describe(const om_overflow *o, om_text *out);

/* The transformations applied to a finished model. A run of one form need not be a run of
 * another. */
typedef struct om_model_form {
    bool reset_dead; /* dead variables are reset */
    om_overflow_mode overflow;
    bool ignore_assertions; /* runs continue after a failed assertion that is not final */
} om_model_form;

#endif
