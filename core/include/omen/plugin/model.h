/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h: the guarded-command form that all front ends produce, and the executors that run it.
 *
 * One thread builds a model: slots, processes, transitions and assertions, then om_model_finish(),
 * which checks the model and lays out the state vector. After that only expressions (atomic
 * propositions) may be added, still by one thread, before executors are opened. An executor is
 * immutable, and any number of threads may call it.
 *
 * Arithmetic is on two's complement integers of OM_VALUE_BITS bits (om_value) and wraps. A value
 * stored into a narrower slot keeps its low bits (sign-extended when read if the type is signed).
 * Non-zero is true; comparisons and logical operators yield 0 or 1; AND, OR and IMPLY evaluate
 * their right operand only if the left one does not decide the result. Shifts use the low five bits
 * of the right operand (enough to count OM_VALUE_BITS); SHR is arithmetic. DIV and MOD truncate
 * towards zero; OM_VALUE_MIN / -1 is OM_VALUE_MIN and its MOD 0. A division by zero, an index
 * outside an array and a failed assertion are faults.
 *
 * An assignment with a source position (om_transition.written) overflows if its value does not fit
 * the declared type of the slot. An overflow is counted or is a fault (om_model_set_overflow()).
 * Arithmetic that wraps within an expression, at OM_VALUE_BITS bits, is no overflow: the language
 * itself defines it that way.
 */
#ifndef OMEN_MODEL_H
#define OMEN_MODEL_H

#include <omen/plugin/model/executor.h>
#include <omen/plugin/model/model_build.h>
#include <omen/plugin/model/model_parts.h>
#include <omen/plugin/model/overflow.h>

#endif
