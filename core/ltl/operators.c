/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operators.c: spellings of operators: signs and letters, the words of SPIN (tl.c's manual page
 * "ltl"), and those of PSL (IEEE 1850-2010, 6.2.1). All of them may be mixed; the spelling does not
 * affect precedence.
 *
 * No word is reserved. After an operand only an operator can come. Before an operand, "next" and
 * similar words are operators if an operand follows ("next a", "next (a)"), else names ("next ==
 * 1").
 *
 * PSL's strong operators end in "!", which could also be a negation of the next operand. The "!"
 * belongs to the word if it is glued to the word only ("until! b"), and to the operand if a blank
 * precedes it ("until !b"); "until!b" is refused. X! keeps its traditional meaning, X of a negation
 * (X!a); if a blank follows, it is ambiguous and is refused.
 *
 * "until" is strong in SPIN and weak in PSL. It is strong here, and refused in a formula that has
 * words that only PSL has.
 */
#include "formula_nodes.h"

#include <string.h>

/* A prefix operator that is a word; psl: the word may have a "!". */
typedef struct prefix_word {
    const char *text;
    om_ltl_op op;
    bool psl;
} prefix_word;

static const prefix_word prefix_words[] = {
    { "always", OM_LTL_GLOBALLY, false },
    { "eventually", OM_LTL_FINALLY, true },
    { "next", OM_LTL_NEXT, true },
};

/* A sign comes before the signs that are prefixes of it. */
static const om_ltl_binary binary_ops[] = {
    { "<->", OM_LTL_EQUIV, 1, true },
    { "->", OM_LTL_IMPLIES, 1, true },
    { "^", OM_LTL_XOR, 2, false },
    { "||", OM_LTL_OR, 3, false },
    { "|", OM_LTL_OR, 3, false },
    { "\\/", OM_LTL_OR, 3, false },
    { "&&", OM_LTL_AND, 4, false },
    { "&", OM_LTL_AND, 4, false },
    { "/\\", OM_LTL_AND, 4, false },
    { "U", OM_LTL_UNTIL, 5, true },
    { "R", OM_LTL_RELEASE, 5, true },
    { "V", OM_LTL_RELEASE, 5, true },
    { "W", OM_LTL_WEAK_UNTIL, 5, true },
    { "M", OM_LTL_STRONG_RELEASE, 5, true },
    { "equivalent", OM_LTL_EQUIV, 1, true },
    { "implies", OM_LTL_IMPLIES, 1, true },
    { "xor", OM_LTL_XOR, 2, false },
    { "until", OM_LTL_UNTIL, 5, true },
    { "stronguntil", OM_LTL_UNTIL, 5, true },
    { "release", OM_LTL_RELEASE, 5, true },
    { "weakuntil", OM_LTL_WEAK_UNTIL, 5, true },
};

static bool at_text(const om_ltl_input *in, const char *s)
{
    size_t n = strlen(s);
    return in->length - in->at >= n && memcmp(in->text + in->at, s, n) == 0;
}

bool om_ltl__take(om_ltl_input *in, const char *s)
{
    if (!at_text(in, s))
        return false;
    in->at += strlen(s);
    return true;
}

bool om_ltl__take_word(om_ltl_input *in, const char *word)
{
    return at_text(in, word) && om_ltl__word_length(in, in->at) == strlen(word) &&
           om_ltl__take(in, word);
}

static int char_at(const om_ltl_input *in, size_t at)
{
    return at < in->length ? (unsigned char) in->text[at] : 0;
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const om_ltl_binary *find_binary(const om_ltl_input *in)
{
    for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++) {
        const om_ltl_binary *o = &binary_ops[i];
        if (at_text(in, o->text) && (!is_letter((unsigned char) o->text[0]) ||
                                        om_ltl__word_length(in, in->at) == strlen(o->text)))
            return o;
    }
    return NULL;
}

bool om_ltl__begins_with_operator(const char *name)
{
    om_ltl_input in = { .text = name, .length = strlen(name) };
    if (find_binary(&in) != NULL)
        return true;
    for (size_t i = 0; i < sizeof prefix_words / sizeof *prefix_words; i++) {
        om_ltl_input word = in;
        if (om_ltl__take_word(&word, prefix_words[i].text))
            return true;
    }
    return false;
}

/* Takes a "!" that is glued to the preceding word only; returns true if it did. If the "!" is glued
 * to both sides, the input stays there and in->expected is set. */
static bool take_strong(om_ltl_input *in)
{
    int next = char_at(in, in->at + 1);
    if (char_at(in, in->at) != '!' || next == '=')
        return false;
    if (next > ' ') {
        in->expected = "a blank before '!' (a negation) or after it (an operator of PSL)";
        return false;
    }
    in->at++;
    in->psl = true;
    return true;
}

const om_ltl_binary *om_ltl__take_binary(om_ltl_input *in)
{
    (void) om_ltl__peek(in);
    size_t from = in->at;
    const om_ltl_binary *o = find_binary(in);
    if (o == NULL)
        return NULL;
    in->at += strlen(o->text);
    if (strcmp(o->text, "until") == 0 && !take_strong(in) && in->expected == NULL && !in->until) {
        in->until = true;
        in->until_at = from;
    }
    return in->expected == NULL ? o : NULL;
}

/* Returns true if an operand follows, not an operator that makes the preceding word a name. */
static bool at_operand(om_ltl_input in)
{
    int c = om_ltl__peek(&in), next = char_at(&in, in.at + 1);
    switch (c) {
    case '(':
    case '~':
    case '"':
    case '\'':
        return true;
    case '!':
        return next != '=';
    case '[':
        return next == ']';
    case '<':
        return next == '>';
    default:
        return om_ltl__word_length(&in, in.at) > 0 && find_binary(&in) == NULL;
    }
}

static om_ltl_op take_prefix_word(om_ltl_input *in)
{
    for (size_t i = 0; i < sizeof prefix_words / sizeof *prefix_words; i++) {
        const prefix_word *w = &prefix_words[i];
        om_ltl_input after = *in;
        if (!om_ltl__take_word(&after, w->text))
            continue;
        if (!(w->psl && take_strong(&after)) && after.expected == NULL && !at_operand(after))
            return 0;
        *in = after;
        return after.expected == NULL ? w->op : 0;
    }
    return 0;
}

/* X, X[!] */
static om_ltl_op take_next(om_ltl_input *in)
{
    in->at++;
    om_ltl_input after = *in;
    if (om_ltl__peek(&after) == '[' && om_ltl__take(&after, "[!]"))
        *in = after;
    int next = char_at(in, in->at + 1);
    if (char_at(in, in->at) == '!' && (next == ' ' || (next >= '\t' && next <= '\r'))) {
        in->expected = "X[!] (PSL's X!), or X of a negation without a blank after '!',";
        return 0;
    }
    return OM_LTL_NEXT;
}

om_ltl_op om_ltl__take_unary(om_ltl_input *in)
{
    int c = om_ltl__peek(in);
    if (om_ltl__take(in, "[]"))
        return OM_LTL_GLOBALLY;
    if (om_ltl__take(in, "<>"))
        return OM_LTL_FINALLY;
    if (om_ltl__take(in, "!") || om_ltl__take(in, "~"))
        return OM_LTL_NOT;
    if (!om_ltl__at_prefix_letter(in))
        return take_prefix_word(in);
    if (c == 'X')
        return take_next(in);
    in->at++;
    return c == 'F' ? OM_LTL_FINALLY : OM_LTL_GLOBALLY;
}
