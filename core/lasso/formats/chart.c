/* SPDX-License-Identifier: Apache-2.0 */
#include "chart.h"
#include "states.h"
#include "values.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- labels ---- */

/* Returns the process of that name; the search begins at `from` and wraps around. */
static uint32_t find_process(const om_model *m, const char *name, size_t n, uint32_t from)
{
    uint32_t count = om_model_process_count(m);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = (from + i) % count;
        const char *other = om_model_process(m, p)->name;
        if (strncmp(other, name, n) == 0 && other[n] == '\0')
            return p;
    }
    return OM_NONE;
}

static int add_process(om_chart *c, uint32_t process, om_chart_move *v)
{
    if (!OM_ROOM(c->heap, c->processes, &c->process_room, c->process_count + 1))
        return OM_ENOMEM;
    c->processes[c->process_count++] = process;
    v->count++;
    return OM_OK;
}

/* Reads the processes from the label if the transition has none. Processes mostly come in their
 * order. */
static int read_moves(om_chart *c, const char *label, om_chart_move *v)
{
    const char *colon;
    uint32_t from = 0;
    for (const char *at = label; at != NULL && (colon = strstr(at, ": ")) != NULL;) {
        uint32_t p = find_process(c->m, at, (size_t) (colon - at), from);
        if (p == OM_NONE)
            break;
        if (add_process(c, p, v) != OM_OK)
            return OM_ENOMEM;
        from = p + 1;
        at = strstr(colon, " | ");
        at = at == NULL ? NULL : at + 3;
    }
    return OM_OK;
}

/* Reads " (channel!)" at the end. */
static void read_channel(const char *label, om_chart_move *v)
{
    size_t n = strlen(label), at = n;
    while (at > 0 && label[at - 1] != '(')
        at--;
    if (at < 2 || label[n - 1] != ')' || label[at - 2] != ' ')
        return;
    size_t length = n - 1 - at;
    bool put = length > 0 && label[n - 2] == '!', taken = length > 0 && label[n - 2] == '?';
    bool kept = put || taken;
    length -= kept;
    if (length == 0 || (!kept && v->count != 2))
        return;
    v->name = label + at;
    v->length = length;
    v->sign = put ? OM_CHART_PUT : taken ? OM_CHART_TAKEN : OM_CHART_HANDED;
}

/* ---- channels ---- */

/* Returns true if the name is that of the channel followed by `suffix`. */
static bool is_named(const char *name, const char *channel, size_t length, const char *suffix)
{
    return strncmp(name, channel, length) == 0 && strcmp(name + length, suffix) == 0;
}

/* Returns the number of slots from there on that are components of its messages. */
static uint32_t components(const om_model *m, uint32_t from, const char *channel, size_t length)
{
    uint32_t n = 0, count = om_model_shown_slots(m);
    for (; from + n < count; n++) {
        const om_slot *slot = om_model_slot(m, from + n);
        char number[16];
        if (n == 0 && slot->length != 0 && is_named(slot->name, channel, length, ""))
            return 1;
        (void) snprintf(number, sizeof number, ".%" PRIu32, n);
        if (slot->length == 0 || !is_named(slot->name, channel, length, number))
            break;
    }
    return n;
}

static bool is_channel(const om_chart_channel *channel, const om_chart_move *v)
{
    return channel->length == v->length && strncmp(channel->name, v->name, v->length) == 0;
}

/* Returns true if this is the name of the slot with the number of messages in the channel. */
static bool is_count(const char *name, const om_chart_move *v)
{
    return is_named(name, v->name, v->length, ".count") ||
           is_named(name, v->name, v->length, ".len");
}

static int find_channel(om_chart *c, om_chart_move *v)
{
    uint32_t slots = om_model_shown_slots(c->m), s = 0;
    size_t i = 0;
    while (i < c->channel_count && !is_channel(&c->channels[i], v))
        i++;
    v->channel = (uint32_t) i;
    if (i < c->channel_count)
        return OM_OK;
    while (s < slots && !is_count(om_model_slot(c->m, s)->name, v))
        s++;
    if (s == slots || om_model_slot(c->m, s)->length != 0) {
        v->sign = OM_CHART_ALONE; /* it is not a channel after all */
        v->channel = OM_NONE;
        return OM_OK;
    }
    if (!OM_ROOM(c->heap, c->channels, &c->channel_room, i + 1))
        return OM_ENOMEM;
    c->channels[c->channel_count++] = (om_chart_channel){ .name = om_model_slot(c->m, s)->name,
        .length = v->length,
        .count_slot = s,
        .components = components(c->m, s + 1, v->name, v->length) };
    return OM_OK;
}

/* Returns the length of a channel's name if the slot is named as that of its number of messages,
 * else 0. */
static size_t channel_length(const char *slot)
{
    const char *dot = strrchr(slot, '.');
    return dot != NULL && (strcmp(dot, ".len") == 0 || strcmp(dot, ".count") == 0)
               ? (size_t) (dot - slot)
               : 0;
}

/* Returns true if the move names one of several channels, and not a single one. */
static bool is_one_of(const om_chart_move *v)
{
    return v->length > 0 && v->name[v->length - 1] == '*'
               ? v->length == 1
               : v->length > 3 && strncmp(v->name + v->length - 3, "[*]", 3) == 0;
}

/* Returns true if a channel of this name is one of those. */
static bool is_meant(const om_chart_move *v, const char *channel, size_t length)
{
    const size_t before = v->length == 1 ? 0 : v->length - 2; /* up to the bracket */
    return length > before && strncmp(channel, v->name, before) == 0;
}

/* Finds the channel of a move that names several: the one that has a message more, or less, after
 * the step. */
static int find_one_of(om_chart *c, om_chart_move *v, const uint32_t *before, const uint32_t *after)
{
    const om_value by = v->sign == OM_CHART_PUT ? 1 : -1;
    v->channel = OM_NONE;
    for (uint32_t s = 0; s < om_model_shown_slots(c->m); s++) {
        const om_slot *slot = om_model_slot(c->m, s);
        const size_t length = slot->length == 0 ? channel_length(slot->name) : 0;
        if (length == 0 || !is_meant(v, slot->name, length) ||
            om_slot_get(slot, after, 0) != om_slot_get(slot, before, 0) + by)
            continue;
        v->name = slot->name;
        v->length = length;
        return find_channel(c, v);
    }
    return OM_OK;
}

static int add_move(om_chart *c, uint32_t number)
{
    const om_transition *t = om_model_transition(c->m, number);
    const char *label = t->label == NULL ? "" : t->label;
    om_chart_move v = { .transition = number, .first = c->process_count, .channel = OM_NONE };
    if (!OM_ROOM(c->heap, c->moves, &c->move_room, c->move_count + 1))
        return OM_ENOMEM;
    int rc = OM_OK;
    if (t->process != OM_NONE)
        rc = add_process(c, t->process, &v);
    if (rc == OM_OK && t->partner != OM_NONE)
        rc = add_process(c, t->partner, &v);
    if (rc == OM_OK && v.count == 0)
        rc = read_moves(c, label, &v);
    if (rc == OM_OK)
        read_channel(label, &v);
    const bool buffered = v.sign == OM_CHART_PUT || v.sign == OM_CHART_TAKEN;
    if (rc == OM_OK && buffered && is_one_of(&v)) {
        v.channel = OM_CHART_ONE_OF;
        c->one_of = true;
    } else if (rc == OM_OK && buffered)
        rc = find_channel(c, &v);
    if (rc != OM_OK)
        return rc;
    c->move_of[number] = (uint32_t) c->move_count;
    c->moves[c->move_count++] = v;
    return OM_OK;
}

/* ---- messages ---- */

static uint32_t count_in(const om_chart *c, const om_chart_channel *channel, const uint32_t *state)
{
    const om_value count = om_slot_get(om_model_slot(c->m, channel->count_slot), state, 0);
    return count < 0 ? 0 : (uint32_t) count;
}

/* Returns true if message i in one state equals message k in the other. */
static bool is_same(const om_chart *c, const om_chart_channel *channel, const uint32_t *one,
    uint32_t i, const uint32_t *other, uint32_t k)
{
    for (uint32_t n = 0; n < channel->components; n++) {
        const om_slot *slot = om_model_slot(c->m, channel->count_slot + 1 + n);
        if (i >= slot->length || k >= slot->length ||
            om_slot_get(slot, one, i) != om_slot_get(slot, other, k))
            return false;
    }
    return true;
}

/*
 * Returns true if the `count` messages of `more`, without the one at `place`, are those of `less`.
 */
static bool is_all_but(const om_chart *c, const om_chart_channel *channel, const uint32_t *more,
    uint32_t count, uint32_t place, const uint32_t *less)
{
    for (uint32_t i = 0; i < count; i++)
        if (i != place && !is_same(c, channel, more, i, less, i - (i > place)))
            return false;
    return true;
}

/* Finds the index of the message. Among equal messages, a put added the last one, and a take
 * removed the first. */
static bool find_place(
    const om_chart *c, om_chart_message *message, const uint32_t *before, const uint32_t *after)
{
    const om_chart_channel *channel = &c->channels[message->channel];
    assert(message->channel < c->channel_count);
    const uint32_t had = count_in(c, channel, before), has = count_in(c, channel, after);
    if (message->put) {
        for (uint32_t i = has; has == had + 1 && i-- > 0;)
            if (is_all_but(c, channel, after, has, i, before)) {
                message->place = i;
                return true;
            }
        return false;
    }
    for (uint32_t i = 0; had == has + 1 && i < had; i++)
        if (is_all_but(c, channel, before, had, i, after)) {
            message->place = i;
            return true;
        }
    return false;
}

/* Matches the number of messages in the state, after some came or went in another way. */
static void recount(om_chart_channel *channel, uint32_t count)
{
    assert(count <= channel->inside_room);
    if (channel->inside_count == count)
        return;
    for (uint32_t i = 0; i < count; i++)
        channel->inside[i] = SIZE_MAX;
    channel->inside_count = count;
}

static void keep(om_chart_channel *channel, size_t message, uint32_t place)
{
    assert(place <= channel->inside_count && channel->inside_count < channel->inside_room);
    for (size_t i = channel->inside_count++; i > place; i--)
        channel->inside[i] = channel->inside[i - 1];
    channel->inside[place] = message;
}

static size_t release(om_chart_channel *channel, uint32_t place)
{
    assert(place < channel->inside_count);
    const size_t message = channel->inside[place];
    channel->inside_count--;
    for (size_t i = place; i < channel->inside_count; i++)
        channel->inside[i] = channel->inside[i + 1];
    return message;
}

/* Adds the message of a step. A step that leaves the channel as it is copies a message, or loses
 * one: it has none here. */
static int add_message(
    om_chart *c, const om_chart_move *v, size_t step, const uint32_t *before, const uint32_t *after)
{
    assert(v->channel < c->channel_count);
    om_chart_channel *channel = &c->channels[v->channel];
    om_chart_message made = {
        .step = step, .other = SIZE_MAX, .channel = v->channel, .put = v->sign == OM_CHART_PUT
    };
    const uint32_t had = count_in(c, channel, before);
    const size_t number = c->message_count;
    if (!find_place(c, &made, before, after))
        return OM_OK;
    if (!OM_ROOM(c->heap, c->messages, &c->message_room, number + 1) ||
        !OM_ROOM(c->heap, channel->inside, &channel->inside_room, (size_t) had + 1))
        return OM_ENOMEM;
    recount(channel, had);
    if (made.put)
        keep(channel, number, made.place);
    else {
        made.other = release(channel, made.place);
        if (made.other != SIZE_MAX)
            c->messages[made.other].other = number;
    }
    c->messages[number] = made;
    c->message_count++;
    return OM_OK;
}

int om_chart__find_messages(om_chart *c, om_model *m)
{
    om_lasso_states states;
    const uint32_t *state, *before;
    if (c->channel_count == 0 && !c->one_of)
        return OM_OK;
    int rc = om_lasso_states__open(&states, c->l, m);
    if (rc != OM_OK)
        return rc;
    for (size_t step = 0; step <= c->steps && rc == OM_OK; step++) {
        const om_chart_move *v = step == 0 ? NULL : om_chart__move(c, step);
        rc = om_lasso_states__next(&states, &state, &before);
        om_chart_move here = v == NULL ? (om_chart_move){ .channel = OM_NONE } : *v;
        if (rc == OM_OK && here.channel == OM_CHART_ONE_OF)
            rc = find_one_of(c, &here, before, state);
        if (rc == OM_OK && here.channel != OM_NONE)
            rc = add_message(c, &here, step, before, state);
    }
    om_lasso_states__close(&states);
    return rc;
}

void om_chart__put_content(const om_chart *c, const om_chart_message *message,
    const uint32_t *before, const uint32_t *after, om_text *out)
{
    const om_chart_channel *channel = &c->channels[message->channel];
    for (uint32_t i = 0; i < channel->components; i++) {
        const om_slot *slot = om_model_slot(c->m, channel->count_slot + 1 + i);
        if (message->place >= slot->length)
            return;
        om_text_add(out, i != 0 ? ", " : channel->components > 1 ? "(" : "");
        om_lasso_put_value(slot, message->put ? after : before, message->place, out);
    }
    om_text_add(out, channel->components > 1 ? ")" : "");
}

/* ---- the chart as a whole ---- */

int om_chart__open(om_chart *c, const om_lasso *l, const om_model *m)
{
    uint32_t transitions = om_model_transition_count(m);
    *c = (om_chart){ .heap = l->heap, .l = l, .m = m };
    c->steps = l->loop == OM_NO_LOOP && l->count > 0 ? l->count - 1 : l->count;
    if (!OM_NEW(c->heap, c->move_of, transitions))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < transitions; t++)
        c->move_of[t] = OM_NONE;
    for (size_t step = 1; step <= c->steps; step++) {
        uint32_t t = l->transitions[step - 1];
        if (t < transitions && c->move_of[t] == OM_NONE && add_move(c, t) != OM_OK)
            return OM_ENOMEM;
    }
    return OM_OK;
}

void om_chart__close(om_chart *c)
{
    if (c->heap == NULL)
        return;
    OM_FREE_ALL(c->heap, c->move_of, c->moves, c->processes);
    for (size_t i = 0; i < c->channel_count; i++)
        om_free(c->heap, c->channels[i].inside);
    OM_FREE_ALL(c->heap, c->channels, c->messages);
    *c = (om_chart){ 0 };
}

const om_chart_move *om_chart__move(const om_chart *c, size_t step)
{
    assert(step > 0 && step <= c->steps);
    uint32_t t = c->l->transitions[step - 1];
    return t < om_model_transition_count(c->m) ? &c->moves[c->move_of[t]] : NULL;
}
