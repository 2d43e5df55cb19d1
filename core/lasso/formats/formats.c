/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel tables from one list (formats.h), so that they cannot disagree. */
#include "formats.h"

#include "model.h"

#include <string.h>

#define NAME(name) #name,
#define WRITER(name) om_lasso__write_##name,
static const char *const names[] = { OM_LASSO_FORMATS(NAME) };
static om_lasso__writer *const writers[] = { OM_LASSO_FORMATS(WRITER) };
enum { COUNT = sizeof names / sizeof *names };

const char *const *om_lasso_formats(size_t *count)
{
    *count = COUNT;
    return names;
}

const char *om_lasso_format_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot != NULL && dot != file && i < COUNT; i++)
        if (strcmp(dot + 1, names[i]) == 0)
            return names[i];
    return NULL;
}

int om_lasso_write(
    const om_lasso *l, om_model *m, const char *format, const om_lasso_style *style, om_text *out)
{
    static const om_lasso_style plain = { 0 };
    size_t i = 0;
    while (i < COUNT && strcmp(names[i], format) != 0)
        i++;
    if (i == COUNT)
        return OM_EINVAL;
    /* A later search may have left the model in another form. */
    const om_asserted asserted = om_model__asserted(m);
    om_model__set_asserted(m, l->form.ignore_assertions ? OM_ASSERTED_FINAL : OM_ASSERTED);
    int rc = writers[i](l, m, style == NULL ? &plain : style, out);
    om_model__set_asserted(m, asserted);
    return rc;
}
