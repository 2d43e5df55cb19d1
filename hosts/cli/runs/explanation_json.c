/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an explanation as JSON; explain.schema.json defines the format. */
#include "runs/explanation.h"
#include "base/json.h"

/* Returns the states in which the row matters, as pairs of first and last state. */
static json_t *ranges_json(const om_explanation *e, const om_explained_row *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->count; i++) {
        size_t to = i;
        if ((r->at[i] & OM_EXPLAINED_MATTERS) == 0)
            continue;
        while (to + 1 < e->count && (r->at[to + 1] & OM_EXPLAINED_MATTERS) != 0)
            to++;
        if (!cli_json_append(list, json_pack("[I, I]", (json_int_t) i, (json_int_t) to)))
            break;
        i = to;
    }
    return list;
}

static json_t *truth_json(const om_explanation *e, const om_explained_row *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->count; i++)
        if (!cli_json_append(list, json_boolean((r->at[i] & OM_EXPLAINED_TRUE) != 0)))
            break;
    return list;
}

static json_t *rows_json(const om_explanation *e)
{
    json_t *list = json_array();
    for (size_t k = 0; k < e->row_count; k++) {
        const om_explained_row *r = &e->rows[k];
        if (!cli_json_append(list,
                json_pack("{s:o, s:I, s:b, s:b, s:o, s:o}", "text", cli_text_json(r->text), "depth",
                    (json_int_t) r->depth, "proposition", r->proposition, "assumption",
                    r->assumption, "truth", truth_json(e, r), "matters", ranges_json(e, r))))
            break;
    }
    return list;
}

static json_t *transition_json(const om_model *model, uint32_t number)
{
    const om_transition *t = om_model_transition(model, number);
    om_text place = { .heap = om_context_heap(om_model_context(model)) };
    om_lasso_put_place(&t->place, &place);
    json_t *made = json_pack("{s:I, s:o, s:o}", "transition", (json_int_t) number, "label",
        cli_text_json(t->label == NULL ? "" : t->label), "place",
        cli_text_json(place.text == NULL ? "" : place.text));
    om_text_free(&place);
    return made;
}

/* Returns the transition with additional members; takes the references. */
static json_t *about(const om_model *model, uint32_t transition, json_t *more)
{
    json_t *made = transition_json(model, transition);
    bool done = made != NULL && more != NULL && json_object_update(made, more) == 0;
    json_decref(more);
    if (done)
        return made;
    json_decref(made);
    return NULL;
}

static json_t *sets_json(om_marks marks)
{
    json_t *list = json_array();
    for (int i = 0; i < 64; i++)
        if ((marks >> i & 1) != 0 && !cli_json_append(list, json_integer(i)))
            break;
    return list;
}

static json_t *accepted_json(const om_explanation *e)
{
    json_t *steps = json_array();
    if (e->accepted_count == 0) {
        json_decref(steps);
        return json_null();
    }
    for (size_t i = 0; i < e->accepted_count; i++)
        if (!cli_json_append(
                steps, json_pack("{s:I, s:I, s:o}", "state", (json_int_t) e->accepted[i].state,
                           "automaton_state", (json_int_t) e->accepted[i].automaton_state, "sets",
                           sets_json(e->accepted[i].marks))))
            break;
    return json_pack("{s:o, s:I}", "steps", steps, "loop", (json_int_t) e->accepted_loop);
}

static json_t *blocked_json(const om_model *model, const om_explanation *e)
{
    json_t *list = json_array();
    if (e->kind != OM_EXPLAINED_DEADLOCK) {
        json_decref(list);
        return json_null();
    }
    for (size_t i = 0; i < e->blocked_count; i++)
        if (!cli_json_append(
                list, about(model, e->blocked[i].transition,
                          json_pack("{s:o}", "false", cli_text_json(e->blocked[i].why)))))
            break;
    return list;
}

static json_t *processes_json(const om_explanation *e)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->process_count; i++)
        if (!cli_json_append(
                list, json_pack("{s:o, s:I, s:I}", "name", cli_text_json(e->processes[i].name),
                          "able", (json_int_t) e->processes[i].able, "moves",
                          (json_int_t) e->processes[i].moves)))
            break;
    return list;
}

static json_t *size_json(bool there, size_t n)
{
    return there ? json_integer((json_int_t) n) : json_null();
}

static json_t *without_json(bool tried, const om_model *model, const om_explanation *e)
{
    json_t *list = json_array();
    if (!tried) {
        json_decref(list);
        return json_null();
    }
    for (size_t i = 0; i < e->without_count; i++) {
        const om_without *w = &e->without[i];
        const bool run = w->verdict == OM_VIOLATED && w->states != 0;
        json_t *more = json_pack("{s:I, s:I, s:s, s:o, s:o, s:o, s:o}", "state",
            (json_int_t) w->first, "times", (json_int_t) w->times, "verdict",
            om_verdict_name(w->verdict), "reason", cli_text_json(w->reason), "states",
            size_json(run, w->states), "loop", size_json(run && w->loop != OM_NO_LOOP, w->loop),
            "ends", run ? json_boolean(w->ends || w->loop == OM_NO_LOOP) : json_null());
        if (!cli_json_append(list, about(model, w->transition, more)))
            break;
    }
    return list;
}

int cli_put_explanation_json(
    cli *c, const explain_settings *set, const om_model *model, const om_explanation *e)
{
    return cli_put_json(c,
        json_pack("{s:i, s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}",
            "schema", 1, "model", cli_text_json(c->set.positionals[0]), "lasso",
            cli_text_json(c->set.positionals[1]), "property", cli_text_json(e->property), "kind",
            om_explained_name(e->kind), "states", (json_int_t) e->count, "loop",
            size_json(e->loop != OM_NO_LOOP, e->loop), "violated_at",
            size_json(e->bad_prefix != 0, e->bad_prefix - 1), "beyond", e->beyond, "rows",
            rows_json(e), "accepted", accepted_json(e), "blocked", blocked_json(model, e),
            "processes", processes_json(e), "without",
            without_json(set->transitions != OM_SWITCH_OFF, model, e)),
        true);
}
