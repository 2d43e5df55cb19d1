/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

json_t *cli_text_json(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *s = json_string(text);
    return s != NULL ? s : json_string("(not UTF-8)");
}

json_t *cli_count_json(uint64_t n)
{
    return n > INT64_MAX ? json_null() : json_integer((json_int_t) n);
}

json_t *cli_verified_json(const char *device, bool nothing_found, uint64_t states, bool again)
{
    if (device == NULL || !nothing_found)
        return json_null();
    return json_pack(
        "{s:b, s:o, s:b}", "known_answer", true, "states", cli_count_json(states), "again", again);
}

bool cli_json_append(json_t *array, json_t *value)
{
    return array != NULL && json_array_append_new(array, value) == 0;
}

json_t *cli_json_whole(json_t *array, bool made)
{
    if (made)
        return array;
    json_decref(array);
    return NULL;
}

static int add_text(const char *buffer, size_t size, void *self)
{
    om_text *out = self;
    om_text_add_n(out, buffer, size);
    return out->failed ? -1 : 0;
}

/* Writes the object without its last bracket, so that members can follow. Takes the reference. */
static int open_object(json_t *object, bool indent, om_text *out)
{
    om_text text = { .heap = out->heap };
    int rc = object == NULL ? -1
                            : json_dump_callback(object, add_text, &text,
                                  indent ? JSON_INDENT(1) | JSON_REAL_PRECISION(6)
                                         : JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(object);
    size_t end = indent ? 2 : 1; /* "\n}" */
    if (rc == 0 && text.length > end)
        om_text_add_n(out, text.text, text.length - end);
    om_text_free(&text);
    return rc == 0 ? om_text_status(out) : OM_ENOMEM;
}

int cli_put_json_with(cli *c, json_t *object, bool indent, const cli_member *members, size_t count)
{
    int rc = open_object(object, indent, &c->out);
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        om_text_printf(&c->out, indent ? ",\n \"%s\": " : ",\"%s\":", members[i].name);
        if (members[i].put == NULL)
            om_text_add(&c->out, "null");
        else
            rc = members[i].put(members[i].self, &c->out);
    }
    om_text_add(&c->out, indent ? "\n}\n" : "}\n");
    return rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc;
}

int cli_put_json(cli *c, json_t *object, bool indent)
{
    return cli_put_json_with(c, object, indent, NULL, 0);
}

/* ---- how successors were computed ---- */

static double rate_of(const om_code_rate *r)
{
    return (double) r->states / r->cpu_seconds;
}

void cli_put_code(cli *c, const om_code_report *r)
{
    const char *before = "code: ";
    if (r == NULL)
        return;
    const struct {
        const char *name;
        double seconds;
        const om_code_rate *rate;
        bool shown;
    } uses[] = { { r->first, r->first_seconds, &r->first_rate, r->first != NULL },
        { "quick native", r->quick_seconds, &r->quick_rate, r->quick_seconds > 0 },
        { "native", r->native_seconds, &r->native_rate, r->native_seconds > 0 } };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].shown) {
            om_text_printf(&c->out, "%s%s %.2f s", before, uses[i].name, uses[i].seconds);
            if (uses[i].rate->cpu_seconds > 0)
                om_text_printf(&c->out, " (%.0f states per second of CPU)", rate_of(uses[i].rate));
            before = ", ";
        }
    if (r->cached)
        om_text_add(&c->out, ", from the cache");
    if (r->compiler_seconds > 0)
        om_text_printf(&c->out, "; compiler %.2f s", r->compiler_seconds);
    if (r->quick_compiler_seconds > 0)
        om_text_printf(&c->out, " (quick native %.2f s)", r->quick_compiler_seconds);
    om_text_add(&c->out, r->compiling ? ", goes on in the background" : "");
    if (r->text_bytes > 0)
        om_text_printf(&c->out, "; %" PRIu64 " bytes of C", r->text_bytes);
    om_text_add(&c->out, "\n");
}

static json_t *rate_json(const om_code_rate *r)
{
    return json_pack("{s:I, s:f, s:o}", "states", (json_int_t) r->states, "cpu_seconds",
        r->cpu_seconds, "states_per_second",
        r->cpu_seconds > 0 ? json_real(rate_of(r)) : json_null());
}

json_t *cli_code_json(const om_code_report *r)
{
    if (r == NULL)
        return json_null();
    return json_pack("{s:s?, s:f, s:f, s:f, s:f, s:b, s:b, s:f, s:I, s:o, s:o, s:o}", "interpreter",
        r->first, "interpreter_seconds", r->first_seconds, "quick_seconds", r->quick_seconds,
        "native_seconds", r->native_seconds, "compiler_seconds", r->compiler_seconds, "cached",
        (int) r->cached, "compiling", (int) r->compiling, "quick_compiler_seconds",
        r->quick_compiler_seconds, "text_bytes", (json_int_t) r->text_bytes, "interpreter_rate",
        rate_json(&r->first_rate), "quick_rate", rate_json(&r->quick_rate), "native_rate",
        rate_json(&r->native_rate));
}
