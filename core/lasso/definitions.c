/* SPDX-License-Identifier: Apache-2.0 */
#include "definitions.h"

#include <string.h>

void om_lasso__put_definitions(const om_sources *s, om_text *out)
{
    if (s->definition_count == 0)
        return;
    om_text_add(out, ", \"definitions\": [");
    for (size_t i = 0; i < s->definition_count; i++) {
        om_text_add(out, i == 0 ? "" : ", ");
        om_text_add_json(out, s->definitions[i]);
    }
    om_text_add(out, "]");
}

static size_t count_given(const om_sources *s, const char *definition)
{
    size_t count = 0;
    for (size_t i = 0; i < s->definition_count; i++)
        count += strcmp(s->definitions[i], definition) == 0;
    return count;
}

static size_t count_recorded(const json_t *recorded, const char *definition)
{
    size_t count = 0, i;
    json_t *one;
    json_array_foreach(recorded, i, one) count +=
        json_is_string(one) && strcmp(json_string_value(one), definition) == 0;
    return count;
}

bool om_lasso__same_definitions(const om_sources *s, const json_t *recorded)
{
    bool same = json_array_size(recorded) == s->definition_count;
    for (size_t i = 0; i < s->definition_count && same; i++)
        same = count_given(s, s->definitions[i]) == count_recorded(recorded, s->definitions[i]);
    return same;
}

void om_lasso__put_definition_options(const json_t *recorded, om_text *out)
{
    size_t i;
    json_t *one;
    if (json_array_size(recorded) == 0)
        om_text_add(out, "no -D");
    json_array_foreach(recorded, i, one) om_text_printf(
        out, "%s-D%s", i == 0 ? "" : " ", json_is_string(one) ? json_string_value(one) : "?");
}
