/* SPDX-License-Identifier: Apache-2.0 */
/* hoa.h: internals of the HOA v1 reader. Format: http://adl.github.io/hoaf/ */
#ifndef OM_AUTOMATON_HOA_H
#define OM_AUTOMATON_HOA_H

#include <omen/plugin/bdd.h>

#include "tela.h"

typedef enum om_hoa_kind {
    OM_HOA_EOF,
    OM_HOA_HEADER, /* identifier followed directly by ':'; text without the ':' */
    OM_HOA_IDENTIFIER,
    OM_HOA_STRING, /* text without the quotes, still escaped */
    OM_HOA_INT,
    OM_HOA_ALIAS, /* text with the '@' */
    OM_HOA_BODY,
    OM_HOA_END,
    OM_HOA_SIGN /* one of []{}()!&| */
} om_hoa_kind;

typedef struct om_hoa_token {
    om_hoa_kind kind;
    const char *text;
    size_t length;
    uint64_t value; /* of INT; numbers above 2^58 are clamped to 2^58 */
    uint32_t line, column;
} om_hoa_token;

typedef struct om_hoa_alias {
    const char *text; /* borrowed from the input */
    size_t length;
    om_bdd label;
} om_hoa_alias;

/* The acc-name: item with its parameters. */
typedef struct om_hoa_acc_name {
    om_hoa_token words[3]; /* the name, and the words after it for parity */
    uint64_t numbers[OM_MAX_SETS + 1];
    size_t word_count, number_count;
    bool strange; /* too many parameters, or a number before a word */
} om_hoa_acc_name;

/* The properties that the reader checks. */
typedef enum om_hoa_property {
    OM_HOA_DETERMINISTIC,
    OM_HOA_COMPLETE,
    OM_HOA_STATE_ACC,
    OM_HOA_TRANS_ACC,
    OM_HOA_PROPERTIES
} om_hoa_property;
extern const char *const om_hoa__property_names[OM_HOA_PROPERTIES];

/* A growing array of numbers. */
typedef struct om_hoa_list {
    uint64_t *items;
    size_t count, capacity;
} om_hoa_list;

typedef struct om_hoa_reader {
    om_context *ctx;
    const om_heap *heap;
    const char *file, *input;
    size_t length, at;
    uint32_t line, column;
    om_hoa_token token; /* the current one */
    om_place place;
    char shown[48];
    om_bdd_space *bdd;
    size_t bdd_kept;    /* nodes of aliases, which are kept */
    om_cube_list cubes; /* of the label read last */
    om_hoa_list operators, operands;
    om_acc *acc;
    size_t acc_length, acc_capacity;

    /* Data of the header. */
    uint32_t seen; /* bits of the items that may occur once */
    om_hoa_alias *aliases;
    size_t alias_count, alias_capacity;
    uint32_t *alias_index; /* open addressing by name: number + 1; 0: free */
    size_t alias_places;   /* a power of two */
    char **aps;
    size_t ap_count, ap_capacity;
    uint64_t ap_used; /* highest AP number in a label, plus one */
    om_hoa_token ap_used_at;
    uint32_t ap_lines[OM_MAX_APS], ap_columns[OM_MAX_APS];
    char *name;
    om_hoa_acc_name acc_name;
    om_hoa_token declarations[OM_HOA_PROPERTIES];
    bool declared[OM_HOA_PROPERTIES];
    bool stutter_invariant; /* declared by properties: */
    uint64_t sets;
    uint64_t states; /* from States:, else UINT64_MAX */
    om_hoa_list starts;
    uint64_t highest; /* highest state number, plus one */
    om_hoa_token highest_at;
    om_marks plain, complemented; /* sets in Inf(i), Fin(i); in Inf(!i), Fin(!i) */

    /* Data of the body. */
    om_automaton *out;
    bool *defined;
    size_t defined_capacity;
    uint32_t marked_state; /* the first state with marks of its own, or OM_NONE */
} om_hoa_reader;

enum {
    OM_HOA_SEEN_STATES = 1u << 0,
    OM_HOA_SEEN_AP = 1u << 1,
    OM_HOA_SEEN_ACCEPTANCE = 1u << 2,
    OM_HOA_SEEN_ACC_NAME = 1u << 3,
    OM_HOA_SEEN_TOOL = 1u << 4,
    OM_HOA_SEEN_NAME = 1u << 5
};

/* Return the position of a token, or of the current one, for om_fail(). The reader owns the result,
 * which is valid until the next call. */
const om_place *om_hoa__at(om_hoa_reader *r, const om_hoa_token *t);
const om_place *om_hoa__here(om_hoa_reader *r);
/* Reports an error at the current token. */
#define OM_HOA_BAD(R, ...) om_fail((R)->ctx, OM_EINPUT, om_hoa__here(R), __VA_ARGS__)
/* Returns the current token, truncated and printable. */
const char *om_hoa__show(om_hoa_reader *r);
/* Reports "expected WHAT, not TOKEN" at the current token. */
int om_hoa__expected(om_hoa_reader *r, const char *what);

/* Moves to the next token. Returns OM_HOA_ABORTED (neither failure nor success) if that is
 * --ABORT--, which may occur anywhere. */
enum { OM_HOA_ABORTED = 1 };
int om_hoa__next(om_hoa_reader *r);
bool om_hoa__is_sign(const om_hoa_reader *r, char sign);
bool om_hoa__is_word(const om_hoa_reader *r, om_hoa_kind kind, const char *word);
/* Gives an allocated copy of a STRING token without its escapes; the caller frees it. */
int om_hoa__unescape(om_hoa_reader *r, char **out);

int om_hoa__push(om_hoa_reader *r, om_hoa_list *list, uint64_t item);

/* Returns the alias that the current token names, or NULL. */
const om_hoa_alias *om_hoa__find_alias(const om_hoa_reader *r);
/* Adds an alias with a new name. */
int om_hoa__add_alias(om_hoa_reader *r, om_hoa_alias alias);

/* label-expr ::= BOOLEAN | INT | ANAME | "!" label-expr | "(" label-expr ")"
 *              | label-expr "&" label-expr | label-expr "|" label-expr */
int om_hoa__label(om_hoa_reader *r, om_bdd *label);
/* Returns the status for a failure of the diagrams at the label that begins at this token. */
int om_hoa__label_failure(om_hoa_reader *r, const om_hoa_token *at);
/* acceptance-cond ::= IDENTIFIER "(" "!"? INT ")" | "(" acceptance-cond ")" | BOOLEAN
 *                   | acceptance-cond "&" acceptance-cond | acceptance-cond "|" acceptance-cond */
int om_hoa__acceptance(om_hoa_reader *r);

/* Reads a valid state number; refuses a following conjunction. */
int om_hoa__state(om_hoa_reader *r, uint32_t *state);

/* header ::= "HOA:" "v1" header-item*; reads from after HOA: up to --BODY--, exclusive. */
int om_hoa__header(om_hoa_reader *r);

/* Warns if acc-name: or properties: contradict the automaton. OM_OK, OM_ENOMEM, or a stop. */
int om_hoa__check_properties(om_hoa_reader *r);

#endif
