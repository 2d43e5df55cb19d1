/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header: a list of items in any order, each identified by its name (HOA v1, section "Header").
 * An unknown item whose name begins with a capital letter may change the meaning of the automaton,
 * so it is refused; other unknown items are skipped. Checks that depend on a later item (States:
 * after Start:, AP: after an alias) are made at the end.
 */
#include "hoa.h"

#include <string.h>

static int expect_int(om_hoa_reader *r, const char *what, uint64_t *value)
{
    if (r->token.kind != OM_HOA_INT)
        return om_hoa__expected(r, what);
    *value = r->token.value;
    return om_hoa__next(r);
}

int om_hoa__state(om_hoa_reader *r, uint32_t *state)
{
    om_hoa_token number = r->token;
    uint64_t value = 0;
    int rc = expect_int(r, "the number of a state", &value);
    if (rc != OM_OK)
        return rc;
    if (om_hoa__is_sign(r, '&'))
        return om_fail(r->ctx, OM_EUNSUPPORTED, om_hoa__here(r),
            "this automaton is alternating (a conjunction of states); only non-alternating ones "
            "are supported");
    /* Every state is defined in the body, which takes more than one byte a state. */
    if (value >= r->states || value >= r->length)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &number),
            "there is no state with number %s", (r->token = number, om_hoa__show(r)));
    if (value >= r->highest) {
        r->highest = value + 1;
        r->highest_at = number;
    }
    *state = (uint32_t) value;
    return OM_OK;
}

/* "States:" INT */
static int read_states(om_hoa_reader *r)
{
    return expect_int(r, "the number of states", &r->states);
}

/* "Start:" state-conj; check_header() compares the number with States:. */
static int read_start(om_hoa_reader *r)
{
    uint32_t state = 0;
    int rc = om_hoa__state(r, &state);
    return rc == OM_OK ? om_hoa__push(r, &r->starts, state) : rc;
}

static int read_one_ap(om_hoa_reader *r, uint64_t count)
{
    char *name = NULL;
    if (r->ap_count == count)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "more atomic propositions than the %u announced", (unsigned) count);
    int rc = om_hoa__unescape(r, &name);
    if (rc != OM_OK)
        return rc;
    for (size_t i = 0; i < r->ap_count; i++)
        if (strcmp(r->aps[i], name) == 0) {
            om_free(r->heap, name);
            return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
                "atomic proposition %s is named twice", om_hoa__show(r));
        }
    char **moved = om_grow(r->heap, r->aps, &r->ap_capacity, r->ap_count + 1, sizeof *moved);
    if (moved == NULL) {
        om_free(r->heap, name);
        return om_fail_memory(r->ctx);
    }
    r->aps = moved;
    r->ap_lines[r->ap_count] = r->token.line;
    r->ap_columns[r->ap_count] = r->token.column;
    r->aps[r->ap_count++] = name;
    return om_hoa__next(r);
}

/* "AP:" INT STRING* */
static int read_aps(om_hoa_reader *r)
{
    om_hoa_token at = r->token;
    uint64_t count = 0;
    int rc = expect_int(r, "the number of atomic propositions", &count);
    if (rc == OM_OK && count > OM_MAX_APS)
        rc = om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &at),
            "an automaton has at most %d atomic propositions", OM_MAX_APS);
    while (rc == OM_OK && r->token.kind == OM_HOA_STRING)
        rc = read_one_ap(r, count);
    if (rc == OM_OK && r->ap_count < count)
        rc = om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "expected the names of %u atomic propositions, found %u", (unsigned) count,
            (unsigned) r->ap_count);
    return rc;
}

/* "Alias:" ANAME label-expr */
static int read_alias(om_hoa_reader *r)
{
    om_hoa_alias alias = { r->token.text, r->token.length, OM_BDD_FALSE };
    if (r->token.kind != OM_HOA_ALIAS)
        return om_hoa__expected(r, "the name of an alias");
    if (om_hoa__find_alias(r) != NULL)
        return om_fail(
            r->ctx, OM_EINPUT, om_hoa__here(r), "alias %s is defined twice", om_hoa__show(r));
    int rc = om_hoa__next(r);
    if (rc == OM_OK)
        rc = om_hoa__label(r, &alias.label);
    return rc == OM_OK ? om_hoa__add_alias(r, alias) : rc;
}

/* "Acceptance:" INT acceptance-cond */
static int read_acceptance(om_hoa_reader *r)
{
    om_hoa_token at = r->token;
    int rc = expect_int(r, "the number of acceptance sets", &r->sets);
    if (rc == OM_OK && r->sets > OM_MAX_SETS)
        rc = om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &at),
            "an automaton has at most %d acceptance sets", OM_MAX_SETS);
    return rc == OM_OK ? om_hoa__acceptance(r) : rc;
}

static bool is_boolean(const om_hoa_reader *r)
{
    return om_hoa__is_word(r, OM_HOA_IDENTIFIER, "t") || om_hoa__is_word(r, OM_HOA_IDENTIFIER, "f");
}

/* Stores the current token if there is room for it. */
static void note_acc_name(om_hoa_acc_name *n, const om_hoa_token *t)
{
    bool word = t->kind == OM_HOA_IDENTIFIER;
    if (word && n->number_count == 0 && n->word_count < sizeof n->words / sizeof *n->words)
        n->words[n->word_count++] = *t;
    else if (!word && n->number_count < sizeof n->numbers / sizeof *n->numbers)
        n->numbers[n->number_count++] = t->value;
    else
        n->strange = true;
}

/* "acc-name:" IDENTIFIER (BOOLEAN|INT|IDENTIFIER)*; only Acceptance: defines the acceptance. */
static int read_acc_name(om_hoa_reader *r)
{
    if (r->token.kind != OM_HOA_IDENTIFIER || is_boolean(r))
        return om_hoa__expected(r, "the name of an acceptance condition");
    int rc = OM_OK;
    while (rc == OM_OK && (r->token.kind == OM_HOA_IDENTIFIER || r->token.kind == OM_HOA_INT)) {
        note_acc_name(&r->acc_name, &r->token);
        rc = om_hoa__next(r);
    }
    return rc;
}

/* "tool:" STRING STRING? */
static int read_tool(om_hoa_reader *r)
{
    if (r->token.kind != OM_HOA_STRING)
        return om_hoa__expected(r, "the name of a tool");
    int rc = om_hoa__next(r);
    return rc == OM_OK && r->token.kind == OM_HOA_STRING ? om_hoa__next(r) : rc;
}

/* "name:" STRING */
static int read_name(om_hoa_reader *r)
{
    if (r->token.kind != OM_HOA_STRING)
        return om_hoa__expected(r, "the name of the automaton");
    int rc = om_hoa__unescape(r, &r->name);
    return rc == OM_OK ? om_hoa__next(r) : rc;
}

const char *const om_hoa__property_names[OM_HOA_PROPERTIES] = { [OM_HOA_DETERMINISTIC] =
                                                                    "deterministic",
    [OM_HOA_COMPLETE] = "complete",
    [OM_HOA_STATE_ACC] = "state-acc",
    [OM_HOA_TRANS_ACC] = "trans-acc" };

/* "properties:" IDENTIFIER*; hints that the reader does not rely on. */
static int read_properties(om_hoa_reader *r)
{
    int rc = OM_OK;
    while (rc == OM_OK && r->token.kind == OM_HOA_IDENTIFIER) {
        if (is_boolean(r))
            return om_hoa__expected(r, "a property");
        for (size_t i = 0; i < OM_HOA_PROPERTIES; i++)
            if (!r->declared[i] &&
                om_hoa__is_word(r, OM_HOA_IDENTIFIER, om_hoa__property_names[i])) {
                r->declared[i] = true;
                r->declarations[i] = r->token;
            }
        r->stutter_invariant =
            r->stutter_invariant || om_hoa__is_word(r, OM_HOA_IDENTIFIER, "stutter-invariant");
        rc = om_hoa__next(r);
    }
    return rc;
}

/* HEADERNAME (BOOLEAN|INT|STRING|IDENTIFIER)* */
static int read_unknown(om_hoa_reader *r)
{
    int rc = OM_OK;
    while (rc == OM_OK && (r->token.kind == OM_HOA_IDENTIFIER || r->token.kind == OM_HOA_INT ||
                              r->token.kind == OM_HOA_STRING))
        rc = om_hoa__next(r);
    return rc;
}

static int read_item(om_hoa_reader *r)
{
    static const struct {
        const char *name;
        uint32_t once; /* OM_HOA_SEEN_ bit; 0: may be repeated */
        int (*read)(om_hoa_reader *r);
    } items[] = { { "States", OM_HOA_SEEN_STATES, read_states }, { "Start", 0, read_start },
        { "AP", OM_HOA_SEEN_AP, read_aps }, { "Alias", 0, read_alias },
        { "Acceptance", OM_HOA_SEEN_ACCEPTANCE, read_acceptance },
        { "acc-name", OM_HOA_SEEN_ACC_NAME, read_acc_name },
        { "tool", OM_HOA_SEEN_TOOL, read_tool }, { "name", OM_HOA_SEEN_NAME, read_name },
        { "properties", 0, read_properties } };
    int (*read)(om_hoa_reader * r) = read_unknown;

    if (r->token.kind != OM_HOA_HEADER)
        return om_hoa__expected(r, "a header item or --BODY--");
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        if (!om_hoa__is_word(r, OM_HOA_HEADER, items[i].name))
            continue;
        if ((r->seen & items[i].once) != 0)
            return om_fail(
                r->ctx, OM_EINPUT, om_hoa__here(r), "%s may appear only once", om_hoa__show(r));
        r->seen |= items[i].once;
        read = items[i].read;
    }
    if (read == read_unknown && r->token.text[0] >= 'A' && r->token.text[0] <= 'Z')
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "unknown header item %s, which may change the meaning of the automaton",
            om_hoa__show(r));
    int rc = om_hoa__next(r);
    return rc == OM_OK ? read(r) : rc;
}

/* Checks that need all items. */
static int check_header(om_hoa_reader *r)
{
    if ((r->seen & OM_HOA_SEEN_ACCEPTANCE) == 0)
        return om_fail(
            r->ctx, OM_EINPUT, om_hoa__here(r), "the header item 'Acceptance:' is missing");
    if (r->highest > r->states)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &r->highest_at),
            "there is no state with number %u", (unsigned) (r->highest - 1));
    if (r->ap_used > r->ap_count)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &r->ap_used_at),
            "there is no atomic proposition with number %u", (unsigned) (r->ap_used - 1));
    r->seen |= OM_HOA_SEEN_AP;
    r->bdd_kept = om_bdd_space_count(r->bdd);
    return OM_OK;
}

int om_hoa__header(om_hoa_reader *r)
{
    if (!om_hoa__is_word(r, OM_HOA_IDENTIFIER, "v1"))
        return om_hoa__expected(r, "v1 (no other version is supported)");
    int rc = om_hoa__next(r);
    while (rc == OM_OK && r->token.kind != OM_HOA_BODY)
        rc = read_item(r);
    return rc == OM_OK ? check_header(r) : rc;
}
