/* SPDX-License-Identifier: Apache-2.0 */
/* Files that try to crash the reader, to hang it or to exhaust memory */
#include "fixture.h"
#include "heap.h"

enum { MB = 1 << 20, MOST_MEMORY = 200 };

static const char HEAD[] = "<pnml><net id=\"n\" type=\"ptnet\">", TAIL[] = "</net></pnml>";

typedef struct outcome {
    int status;
    char message[256];
    size_t peak; /* of the heap, in MB */
} outcome;

/* Loads a text with a heap of its own, which measures the peak. */
static outcome load(const fixture *f, const char *text, size_t length)
{
    outcome o = { .status = OM_OK };
    test_heap t;
    om_context *ctx = NULL;
    om_model *m = NULL;
    test_heap_init(&t, SIZE_MAX);
    assert_int_equal(om_context_new(&ctx, &t.heap), OM_OK);
    o.status = f->pnml->load(ctx, "m.pnml", text, length, NULL, &m);
    (void) snprintf(o.message, sizeof o.message, "%s", om_context_error(ctx));
    o.peak = t.peak / MB;
    om_model_free(m);
    om_context_free(ctx);
    assert_int_equal(t.live, 0);
    return o;
}

/* Loads `count` copies of a piece, with the copy's number for each # and the next number for each
 * @. */
static outcome load_many(
    const fixture *f, const char *before, const char *piece, unsigned count, const char *after)
{
    om_text t = { .heap = om_heap_default() };
    om_text_add(&t, before);
    for (unsigned i = 0; i < count; i++)
        for (const char *c = piece; *c != '\0'; c++) {
            if (*c == '#' || *c == '@')
                om_text_printf(&t, "%06u", i + (*c == '@'));
            else
                om_text_add_n(&t, c, 1);
        }
    om_text_add(&t, after);
    assert_false(t.failed);
    outcome o = load(f, t.text, t.length);
    om_text_free(&t);
    return o;
}

static void refused(outcome o, const char *message)
{
    assert_string_equal(o.message, message);
    assert_int_equal(o.status, OM_EINPUT);
    assert_true(o.peak < MOST_MEMORY);
}

static void entities(void **state)
{
    static const char LAUGHS[] =
        "<!DOCTYPE pnml [<!ENTITY a \"ha ha ha ha ha ha ha ha\"><!ENTITY b "
        "\"&a;&a;&a;&a;&a;&a;&a;\">"
        "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">]>"
        "<pnml><net id=\"&d;\"/></pnml>";
    static const char OUTSIDE[] =
        "<!DOCTYPE pnml [<!ENTITY a SYSTEM \"/etc/hostname\">]><pnml>&a;</pnml>";
    static const char *const SAYS =
        "m.pnml:1:16: the document declares a document type, 'pnml', which is not supported";
    refused(load(*state, LAUGHS, strlen(LAUGHS)), SAYS);
    refused(load(*state, OUTSIDE, strlen(OUTSIDE)), SAYS);
}

static void references(void **state)
{
    /* A chain of 200,000 references, in both orders; and the same as a ring. */
    static const char UP[] = "<referencePlace id=\"r#\" ref=\"r@\"/>";
    static const char DOWN[] = "<referencePlace ref=\"r#\" id=\"r@\"/>";
    outcome o = load_many(*state, HEAD, UP, 200000, "<place id=\"r200000\"/></net></pnml>");
    assert_int_equal(o.status, OM_OK);
    assert_true(o.peak < MOST_MEMORY);
    o = load_many(
        *state, "<pnml><net id=\"n\" type=\"ptnet\"><place id=\"r000000\"/>", DOWN, 200000, TAIL);
    assert_int_equal(o.status, OM_OK);
    refused(load_many(*state, HEAD, UP, 200000,
                "<referencePlace id=\"r200000\" ref=\"r000007\"/></net></pnml>"),
        "m.pnml:1:32: reference 'r000000' refers to itself");
}

static void nesting(void **state)
{
    refused(load_many(*state, HEAD, "<page id=\"g\">", 1000000, ""),
        "m.pnml:1:13006: elements are nested more than 1000 deep");
    refused(load_many(*state, "<pnml><net id=\"n\" type=\"ptnet\"><place id=\"p\"><initialMarking>",
                "<a>", 1000000, ""),
        "m.pnml:1:3050: elements are nested more than 1000 deep");
    /* Elements for tools may be nested to any depth. */
    outcome o =
        load_many(*state, "<pnml><net id=\"n\" type=\"ptnet\"><toolspecific>", "<a>", 1000000, "");
    assert_int_equal(o.status, OM_EINPUT);
    assert_true(o.peak < MOST_MEMORY);
}

static void large_parts(void **state)
{
    refused(
        load_many(*state, "<pnml><net id=\"n\" type=\"ptnet\"><place id=\"", "#", 200000, "\"/>"),
        "m.pnml:1:32: an attribute of 'place' has more than 1048576 bytes");
    outcome o = load_many(*state, "<pnml><net id=\"n\" type=\"ptnet\"><place id=\"p\"><name><text>",
        "#", 200000, "</text>");
    assert_int_equal(o.status, OM_EINPUT);
    assert_non_null(strstr(o.message, "the text of 'text' has more than 1048576 bytes"));
    refused(load_many(*state, "<pnml><net id=\"n\" type=\"ptnet\"><place ", "a#=\"\" ", 65, "/>"),
        "m.pnml:1:32: 'place' has more than 64 attributes");
    /* One object with very many elements */
    o = load_many(
        *state, "<pnml><net id=\"n\" type=\"ptnet\"><place id=\"p\">", "<a#/>", 1200000, "");
    assert_non_null(strstr(o.message, "one object of the net takes more than 64 MB"));
    assert_int_equal(o.status, OM_EINPUT);
    assert_true(o.peak < MOST_MEMORY);
}

/* A million places are no error: memory is linear in their number. */
static void a_million_places(void **state)
{
    outcome o = load_many(*state, HEAD, "<place id=\"p#\"/>", 1000000, TAIL);
    assert_int_equal(o.status, OM_OK);
    assert_true(o.peak < MOST_MEMORY);
}

/* A truncated file is refused with a position; no model is made from a part of a net. */
static void truncated(void **state)
{
    static const char SMALL[] = "<?xml version=\"1.0\"?>\n" NET(
        PLACE("p", "1") "<transition id=\"t\"><name><text>x &amp; \xc3\xa9</text></name>"
                        "</transition><!-- c --><![CDATA[ ]]>" WEIGHTED("p", "t", "2"));
    size_t length = strlen(SMALL);
    for (size_t n = 0; n + 1 < length; n++) { /* the last byte is a line end */
        char *exact = malloc(n + 1);
        assert_non_null(exact);
        memcpy(exact, SMALL, n);
        exact[n] = '\0';
        outcome o = load(*state, exact, n);
        free(exact);
        assert_int_equal(o.status, OM_EINPUT);
        assert_int_equal(strncmp(o.message, "m.pnml:", 7), 0);
    }
    assert_int_equal(load(*state, SMALL, length).status, OM_OK);
}

/* Replaces each byte of a small net by others: the reader either accepts or refuses the text. */
static void changed(void **state)
{
    static const char SMALL[] = NET(PLACE("p", "1") TRANSITION("t") WEIGHTED("p", "t", "2"));
    static const char BYTES[] = { '<', '>', '"', '&', '/', ' ', '\0', '9', (char) 0xff };
    char text[sizeof SMALL];
    unsigned read = 0;
    for (size_t i = 0; i + 1 < sizeof SMALL; i++)
        for (size_t k = 0; k < sizeof BYTES; k++) {
            memcpy(text, SMALL, sizeof text);
            text[i] = BYTES[k];
            outcome o = load(*state, text, sizeof text - 1);
            assert_true(o.status == OM_OK || (o.status == OM_EINPUT && o.message[0] != '\0'));
            read += o.status == OM_OK;
        }
    assert_true(read > 0);
}

/* The reader stops when it is told to. */
static void stopped(void **state)
{
    const fixture *f = *state;
    om_context *ctx = NULL;
    om_model *m = NULL;
    static const char TEXT[] = NET(PLACE("p", "1"));
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    (void) om_control_stop(om_context_control(ctx), OM_STOP_FOUND);
    assert_int_equal(f->pnml->load(ctx, "m.pnml", TEXT, strlen(TEXT), NULL, &m), OM_ESTOP);
    assert_null(m);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities),
        cmocka_unit_test(references),
        cmocka_unit_test(nesting),
        cmocka_unit_test(large_parts),
        cmocka_unit_test(a_million_places),
        cmocka_unit_test(truncated),
        cmocka_unit_test(changed),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
