/* SPDX-License-Identifier: Apache-2.0 */
#include "printed.h"
#include "form/prints.h"
#include "utf8.h"

#include <string.h>

int om_printed__open(om_printed *p, const om_lasso *l, const om_model *m)
{
    *p = (om_printed){ .l = l, .m = m, .raw = { .heap = l->heap }, .text = { .heap = l->heap } };
    if (!om_model__has_prints(m))
        return OM_OK;
    if (!OM_NEW(l->heap, p->state, l->words))
        return OM_ENOMEM;
    memcpy(p->state, om_model_initial(m), l->words * sizeof *p->state);
    return OM_OK;
}

void om_printed__close(om_printed *p)
{
    if (p->l == NULL)
        return;
    om_free(p->l->heap, p->state);
    om_text_free(&p->raw);
    om_text_free(&p->text);
    *p = (om_printed){ 0 };
}

/* Replaces invalid bytes: steps print any bytes. */
static void clean(om_printed *p)
{
    const char *c = p->raw.text, *end = c + p->raw.length;
    while (c < end) {
        const size_t n = *c == '\0' ? 0 : om_utf8__length((const unsigned char *) c);
        if (n == 0)
            om_text_add(&p->text, "\xef\xbf\xbd");
        else
            om_text_add_n(&p->text, c, n);
        c += n == 0 ? 1 : n;
    }
}

const char *om_printed__next(om_printed *p)
{
    const size_t i = p->at++;
    const uint32_t t = p->l->transitions[i];
    if (p->l->printed != NULL)
        return p->l->printed[i];
    if (p->state == NULL || om_model_transition(p->m, t) == NULL)
        return NULL;
    p->raw.length = p->text.length = 0;
    (void) om_model__print(p->m, t, p->state, &p->raw);
    if (p->raw.length != 0 && !p->raw.failed)
        clean(p);
    return p->text.length == 0 || p->text.failed ? NULL : p->text.text;
}

int om_printed__status(const om_printed *p)
{
    return p->raw.failed || p->text.failed ? OM_ENOMEM : OM_OK;
}

void om_printed__put_line(const char *text, om_text *out)
{
    for (; *text != '\0'; text++)
        if (*text == '\n')
            om_text_add(out, text[1] == '\0' ? "" : "\xe2\x86\xb5");
        else
            om_text_add_n(out, *text == '\t' ? " " : text, 1);
}
