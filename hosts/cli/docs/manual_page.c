/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/manual_page.h"

#include <omen/host/omen.h>

#include <stdio.h>
#include <string.h>

void manual_put(const char *s, om_text *out)
{
    if (*s == '.' || *s == '\'')
        om_text_add(out, "\\&");
    for (; *s != '\0'; s++) {
        if (*s == '\\')
            om_text_add(out, "\\e");
        else if (*s == '-')
            om_text_add(out, "\\-");
        else if (*s == '\'')
            om_text_add(out, "\\(aq");
        else if (*s == '^' || *s == '~' || *s == '`')
            om_text_add(out, *s == '^' ? "\\(ha" : *s == '~' ? "\\(ti" : "\\(ga");
        else
            om_text_add_n(out, s, 1);
    }
}

void manual_put_lines(const char *s, om_text *out)
{
    enum { WIDTH = 72 };
    while (strlen(s) > WIDTH) {
        size_t n = WIDTH;
        while (n > 1 && s[n] != ' ')
            n--;
        if (n == 1)
            break; /* one long word */
        om_text line = { .heap = out->heap };
        om_text_add_n(&line, s, n);
        manual_put(line.text == NULL ? "" : line.text, out);
        om_text_add(out, "\n");
        out->failed = out->failed || line.failed;
        om_text_free(&line);
        s += n + 1;
    }
    manual_put(s, out);
}

void manual_put_font(char font, const char *s, om_text *out)
{
    om_text_printf(out, "\\f%c", font);
    manual_put(s, out);
    om_text_add(out, "\\fR");
}

void manual_put_row(const char *term, const char *meaning, om_text *out)
{
    om_text_add(out, ".TP\n");
    manual_put_font('B', term, out);
    om_text_add(out, "\n");
    manual_put_lines(meaning, out);
    om_text_add(out, "\n");
}

void manual_put_option(
    char letter, const char *name, const char *argument, const char *help, om_text *out)
{
    om_text_add(out, ".TP\n");
    if (letter != 0)
        om_text_printf(out, "\\fB\\-%c\\fR, ", letter);
    om_text_add(out, "\\fB\\-\\-");
    manual_put(name, out);
    om_text_add(out, "\\fR");
    if (argument != NULL) {
        om_text_add(out, " ");
        manual_put_font('I', argument, out);
    }
    om_text_add(out, "\n");
    manual_put(help, out);
    om_text_add(out, "\n");
}

void manual_begin(const manual_page *page, om_text *out)
{
    om_text_printf(out, ".\\\" Made from the tables of %.*s's --help.\n.TH \"",
        (int) strcspn(page->name, "-"), page->name);
    for (const char *s = page->name; *s != '\0'; s++)
        if (*s == '-')
            om_text_add(out, "\\-");
        else
            om_text_printf(out, "%c", *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
    om_text_printf(out, "\" %s \"%s\" \"omen %s\" \"%s\"\n.SH NAME\n", page->section, page->date,
        om_version(), page->kind);
    manual_put(page->name, out);
    om_text_add(out, " \\- ");
    manual_put(page->summary, out);
    om_text_add(out, "\n.SH SYNOPSIS\n");
}

int manual_write_file(const char *program, const char *folder, const char *name, om_text *text)
{
    char path[4096];
    FILE *f = NULL;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    bool good = n > 0 && (size_t) n < sizeof path && !text->failed &&
                (f = fopen(path, "w")) != NULL &&
                fwrite(text->text, 1, text->length, f) == text->length;
    if (f != NULL)
        good = fclose(f) == 0 && good;
    if (!good)
        (void) fprintf(stderr, "%s: %s cannot be written\n", program, name);
    om_text_free(text);
    return good ? 0 : 1;
}
