/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page for a browser, in one file that loads no other: the view (view_data.h) with the data of
 * the run. No text of a model becomes markup or is executed: it is text in a data block, which
 * cannot be closed because the text has no "<", and the page's policy allows only the view's own
 * script and style, by their hashes.
 */
#include "escape.h"
#include "formats.h"
#include "view_data.h"

#include <string.h>

/* In JSON a "<" is always within a string. */
static int without_tags(void *self, const char *text, size_t length)
{
    om_text *out = self;
    const char *end = text + length;
    while (text < end) {
        const char *tag = memchr(text, '<', (size_t) (end - text));
        size_t n = (size_t) ((tag == NULL ? end : tag) - text);
        om_text_add_n(out, text, n);
        if (tag != NULL)
            om_text_add(out, "\\u003c");
        text += n + (tag != NULL);
    }
    return om_text_status(out);
}

static void put_head(const om_model *m, om_text *out)
{
    om_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    om_text_add(out, om_view__policy);
    om_text_add(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
                     "initial-scale=1\">\n<title>");
    om_lasso__put_xml(om_model_name(m), SIZE_MAX, out);
    om_text_add(out, ": a run</title>\n<style>");
    om_text_add(out, om_view__style);
    om_text_add(out, "</style>\n</head>\n<body>\n<noscript>This page needs JavaScript to show the "
                     "run.</noscript>\n<script type=\"application/json\" id=\"omen-run\">");
}

int om_lasso__write_html(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    om_text data = { .heap = out->heap, .drain = without_tags, .drain_self = out };
    put_head(m, out);
    int rc = om_lasso_write_view(l, m, style, &data);
    int flushed = om_text_flush(&data);
    om_text_free(&data);
    om_text_add(out, "</script>\n<script>");
    om_text_add(out, om_view__script);
    om_text_add(out, "</script>\n</body>\n</html>\n");
    return rc != OM_OK ? rc : flushed != OM_OK ? flushed : om_text_status(out);
}
