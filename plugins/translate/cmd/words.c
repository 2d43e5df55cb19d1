/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <assert.h>
#include <string.h>

static int add_word(om_context *ctx, om_text *word, cmd_words *out)
{
    const om_heap *heap = om_context_heap(ctx);
    char *copy =
        word->failed ? NULL : om_strndup(heap, word->length == 0 ? "" : word->text, word->length);
    char **moved = copy == NULL
                       ? NULL
                       : om_grow(heap, out->argv, &out->capacity, out->count + 2, sizeof *moved);
    word->length = 0;
    if (moved == NULL) {
        om_free(heap, copy);
        return om_fail_memory(ctx);
    }
    out->argv = moved;
    assert(out->count + 2 <= out->capacity); /* with the NULL at the end */
    out->argv[out->count++] = copy;
    out->argv[out->count] = NULL;
    return OM_OK;
}

/* %f, %s, %p or %% */
static int add_formula(
    om_context *ctx, char which, const cmd_formulas *with, cmd_words *out, om_text *word)
{
    const char *text = which == 'f'   ? with->f
                       : which == 's' ? with->s
                       : which == 'p' ? with->p
                                      : "%";
    if (which != 'f' && which != 's' && which != 'p' && which != '%')
        return om_fail(ctx, OM_EUSAGE, NULL,
            "--translator cmd: '%%' must be followed by f, s or p (the formula) or another '%%'");
    out->used = out->used || which != '%';
    om_text_add(word, text);
    return OM_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int cmd_split(om_context *ctx, const char *text, const cmd_formulas *with, cmd_words *out)
{
    om_text word = { .heap = om_context_heap(ctx) };
    bool within = false; /* inside a word, which may be empty ('') */
    char quote = '\0';
    int rc = OM_OK;
    for (const char *c = text; rc == OM_OK && *c != '\0'; c++) {
        if (quote == '\0' && is_blank(*c)) {
            rc = within ? add_word(ctx, &word, out) : OM_OK;
            within = false;
            continue;
        }
        within = true;
        if (quote != '\0' ? *c == quote : *c == '\'' || *c == '"')
            quote = (char) (quote == '\0' ? *c : '\0');
        else if (*c == '%')
            rc = add_formula(ctx, c[1], with, out, &word), c += rc == OM_OK;
        else {
            if (*c == '\\' && quote != '\'' && c[1] != '\0')
                c++;
            om_text_add_n(&word, c, 1);
        }
    }
    if (rc == OM_OK && quote != '\0')
        rc = om_fail(ctx, OM_EUSAGE, NULL, "--translator cmd: a quote (%c) is never closed", quote);
    if (rc == OM_OK && within)
        rc = add_word(ctx, &word, out);
    if (rc == OM_OK && (out->count == 0 || out->argv[0][0] == '\0'))
        rc = om_fail(ctx, OM_EUSAGE, NULL,
            "--translator cmd: name the command, as in 'cmd:ltl2tgba -H -f %%f'");
    om_text_free(&word);
    return rc;
}

void cmd_words_free(cmd_words *w, const om_heap *heap)
{
    for (size_t i = 0; i < w->count; i++)
        om_free(heap, w->argv[i]);
    om_free(heap, w->argv);
}
