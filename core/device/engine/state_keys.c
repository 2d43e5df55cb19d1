/* SPDX-License-Identifier: Apache-2.0 */
/* The number of bits of a state, and their positions in its key, the number that represents it in
 * an index of states: see kernels/quotient.cl. */
#include "state_table.h"

static uint32_t bits_for(uint32_t values)
{
    uint32_t bits = 1;
    while (bits < 32 && values > UINT32_C(1) << bits)
        bits++;
    return bits;
}

/* Words are filled from their low bits up: the bits used of a word end with its last element. */
static void mark(om_row_shape *shape, const om_slot *s)
{
    for (uint32_t i = 0; i < (s->length == 0 ? 1 : s->length); i++) {
        uint32_t end = s->position + (i + 1) * s->bits, word = (end - 1) / 32;
        if (end - word * 32 > shape->bits[word])
            shape->bits[word] = (uint8_t) (end - word * 32);
    }
}

void om_state_keys__shape(om_row_shape *shape, const om_model *m, const om_automaton *a)
{
    uint32_t words = om_model_words(m);
    *shape = (om_row_shape){ .words = words + (a != NULL) };
    if (shape->words > OM_KEY_WORDS)
        return;
    for (uint32_t i = 0; i < om_model_shown_slots(m); i++)
        mark(shape, om_model_slot(m, i));
    if (a != NULL)
        shape->bits[words] = (uint8_t) bits_for(om_automaton_state_count(a));
    for (uint32_t w = 0; w < shape->words; w++)
        shape->key_bits += shape->bits[w];
    if (shape->key_bits == 0) /* a model without variables */
        shape->key_bits = shape->bits[0] = 1;
}

uint64_t om_state_keys__shifts(const om_row_shape *shape)
{
    uint64_t shifts = 0;
    uint32_t at = 0;
    for (uint32_t w = 0; w < shape->words; at += shape->bits[w++]) {
        /* An unused word is 0 in any position. */
        uint32_t shift = shape->bits[w] == 0 ? 0 : at;
        shifts |= (uint64_t) shift << (8 * w);
    }
    return shifts;
}
