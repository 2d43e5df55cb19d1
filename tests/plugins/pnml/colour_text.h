/* SPDX-License-Identifier: Apache-2.0 */
/* colour_text.h: XML macros for symmetric nets. */
#ifndef OMEN_TESTS_PNML_COLOUR_TEXT_H
#define OMEN_TESTS_PNML_COLOUR_TEXT_H

#include "colour_net.h"

#define NET(declarations, body)                                                       \
    "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'>" \
    "<declaration><structure><declarations>" declarations                             \
    "</declarations></structure></declaration><page id='g'>" body "</page></net></pnml>"

#define LABEL(name, term) "<" name "><structure>" term "</structure></" name ">"
#define PLACE(id, sort, initial) \
    "<place id='" id "'>" LABEL("type", "<usersort declaration='" sort "'/>") initial "</place>"
#define INITIAL(term) LABEL("hlinitialMarking", term)
#define TRANSITION(id, guard) "<transition id='" id "'>" guard "</transition>"
#define GUARD(term) LABEL("condition", term)
#define ARC(id, from, to, term) \
    "<arc id='" id "' source='" from "' target='" to "'>" LABEL("hlinscription", term) "</arc>"

#define NAMED(id, sort) "<namedsort id='" id "' name='" id "'>" sort "</namedsort>"
#define USER(id) "<usersort declaration='" id "'/>"
#define RANGE(start, end) "<finiteintrange start='" start "' end='" end "'/>"
#define CONSTANTS3(a, b, c)                                                                        \
    "<feconstant id='" a "' name='" a "'/><feconstant id='" b "' name='" b "'/><feconstant id='" c \
    "' name='" c "'/>"
#define DECLARE(id, sort) "<variabledecl id='" id "' name='" id "'>" USER(sort) "</variabledecl>"

#define SUB(term) "<subterm>" term "</subterm>"
#define F1(f, a) "<" f ">" SUB(a) "</" f ">"
#define F2(f, a, b) "<" f ">" SUB(a) SUB(b) "</" f ">"
#define VAR(id) "<variable refvariable='" id "'/>"
#define CONST(id) "<useroperator declaration='" id "'/>"
#define NUMBER(n, start, end) \
    "<finiteintrangeconstant value='" n "'>" RANGE(start, end) "</finiteintrangeconstant>"
#define ALL(sort) "<all>" USER(sort) "</all>"
#define DOT "<dotconstant/>"
#define TIMES(n, term) \
    F2("numberof", "<numberconstant value='" n "'><positive/></numberconstant>", term)

#endif
