/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a model includes, and macros that the command line defines (om_sources).
 *
 * A file in quotes is looked for in the folder of the file that includes it, then in the folders
 * of -I; one in angle brackets only in the latter. It is read if it lies in the model's folder, in
 * one of -I or in one of --include-root: a model from an untrusted source must not have other
 * files of this machine quoted in messages.
 */
#include "preprocess.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_INCLUDE = 1 << 24 };

/* The file to be included. */
typedef struct wanted {
    const pml_token *at;
    bool quoted;
    om_text name;
    om_text path; /* where it was found, or is currently looked for */
} wanted;

/* '"' name '"' | '<' name '>' */
static int read_name(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line, wanted *w)
{
    const pml_token *first = line->at, *last = line->count == 0 ? NULL : &line->at[line->count - 1];
    w->quoted = line->count == 1 && first->kind == PML_T_STRING;
    if (!w->quoted && (line->count < 3 || !pml_is(first, "<") || !pml_is(last, ">")))
        return PML_FAIL(p->file, hash->at,
            "\"#include\" must be followed by the name of a file in double quotes or angle "
            "brackets");
    w->at = first;
    const char *end = w->quoted ? first->text + first->length - 1 : last->text;
    om_text_add_n(&w->name, first->text + 1, (size_t) (end - first->text) - 1);
    return w->name.failed ? om_fail_memory(p->file->ctx) : OM_OK;
}

/* Appends the folder of the file, with its slash; nothing for the working folder. */
static void put_folder_of(const char *file, om_text *out)
{
    const char *slash = strrchr(file, '/');
    if (slash != NULL)
        om_text_add_n(out, file, (size_t) (slash - file) + 1);
}

/* Returns the folder that a file is in, with links and ".." resolved; "" on failure. */
static void real_folder_of(const char *file, char to[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    const size_t n = slash == NULL ? 0 : (size_t) (slash - file) + 1;
    to[0] = '\0';
    if (n >= sizeof folder - 1)
        return;
    memcpy(folder, n == 0 ? "." : file, n == 0 ? 1 : n);
    folder[n == 0 ? 1 : n] = '\0';
    if (realpath(folder, to) == NULL)
        to[0] = '\0';
}

static bool lies_in(const char *folder, const char *root)
{
    char real[PATH_MAX];
    if (realpath(root, real) == NULL)
        return false;
    const size_t n = strlen(real);
    return strncmp(folder, real, n) == 0 && (n == 1 || folder[n] == '/' || folder[n] == '\0');
}

static bool is_allowed(const pml_preprocessor *p, const char *path)
{
    const om_sources *s = om_context_sources(p->file->ctx);
    char folder[PATH_MAX], model[PATH_MAX];
    real_folder_of(path, folder);
    real_folder_of(p->open[0], model);
    bool in = model[0] != '\0' && lies_in(folder, model);
    for (size_t i = 0; i < s->folder_count && !in; i++)
        in = lies_in(folder, s->folders[i]);
    for (size_t i = 0; i < s->root_count && !in; i++)
        in = lies_in(folder, s->roots[i]);
    return in;
}

/* Returns true if there is a file of that name in this folder ("folder/" or ""). */
static bool is_there(wanted *w, const char *folder, size_t length)
{
    struct stat st;
    w->path.length = 0;
    om_text_add_n(&w->path, folder, length);
    if (length != 0 && folder[length - 1] != '/')
        om_text_add(&w->path, "/");
    om_text_add(&w->path, w->name.text);
    return !w->path.failed && stat(w->path.text, &st) == 0;
}

static bool search(const pml_preprocessor *p, wanted *w)
{
    const om_sources *s = om_context_sources(p->file->ctx);
    const char *from = p->open[p->depth - 1], *slash = strrchr(from, '/');
    if (w->name.text[0] == '/')
        return is_there(w, "", 0);
    bool found = w->quoted && is_there(w, from, slash == NULL ? 0 : (size_t) (slash - from) + 1);
    for (size_t i = 0; i < s->folder_count && !found; i++)
        found = is_there(w, s->folders[i], strlen(s->folders[i]));
    return found;
}

static int not_found(pml_preprocessor *p, const wanted *w)
{
    const om_sources *s = om_context_sources(p->file->ctx);
    om_text places = { .heap = p->file->region.heap };
    if (w->quoted) {
        om_text_add(&places, " in ");
        put_folder_of(p->open[p->depth - 1], &places);
        if (places.length == 4)
            om_text_add(&places, "the working folder");
    }
    for (size_t i = 0; i < s->folder_count; i++)
        om_text_printf(&places, "%s %s", places.length == 0 ? " in" : ", or in", s->folders[i]);
    int rc = places.failed ? om_fail_memory(p->file->ctx)
                           : PML_FAIL(p->file, w->at->at,
                                 "there is no file \"%s\"%s: -I DIR adds a folder to search",
                                 w->name.text, places.text == NULL ? "" : places.text);
    om_text_free(&places);
    return rc;
}

static int find(pml_preprocessor *p, wanted *w)
{
    if (w->name.length == 0)
        return PML_FAIL(p->file, w->at->at, "the name of a file is missing");
    w->path.heap = p->file->region.heap;
    const bool found = search(p, w);
    if (w->path.failed)
        return om_fail_memory(p->file->ctx);
    if (!found)
        return not_found(p, w);
    return is_allowed(p, w->path.text)
               ? OM_OK
               : PML_FAIL(p->file, w->at->at,
                     "\"%s\" lies outside the folder of the model: -I DIR, or --include-root DIR, "
                     "allows files of DIR to be included",
                     w->name.text);
}

static bool is_open(const pml_preprocessor *p, const char *path)
{
    size_t i = 0;
    while (i < p->depth && strcmp(p->open[i], path) != 0)
        i++;
    return i < p->depth;
}

static int read_it(pml_preprocessor *p, const wanted *w)
{
    char *text = NULL;
    size_t length = 0;
    const char *path = w->path.text;
    assert(path != NULL); /* set by find() */
    /* A file may include itself, if a condition is false the second time. */
    if (p->depth == PML_MAX_INCLUDES)
        return PML_FAIL(p->file, w->at->at,
            is_open(p, path) ? "\"%s\" includes itself endlessly"
                             : "files are included too deeply; the last one is \"%s\"",
            path);
    int rc = om_read_file(p->file->ctx, path, LARGEST_INCLUDE, &text, &length);
    if (rc != OM_OK && rc != OM_ENOMEM && om_context_stopped(p->file->ctx) == OM_OK) {
        om_context_clear(p->file->ctx);
        return PML_FAIL(p->file, w->at->at, "\"%s\" cannot be read", path);
    }
    if (rc != OM_OK)
        return rc;
    const char *kept = om_region_copy(&p->file->region, text, length);
    const char *name = om_region_copy(&p->file->region, path, strlen(path));
    om_free(p->file->region.heap, text);
    if (kept == NULL || name == NULL)
        return om_fail_memory(p->file->ctx);
    return pml_preprocess_text(p, name, kept, length);
}

int pml_include(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line)
{
    wanted w = { .name = { .heap = p->file->region.heap } };
    int rc = read_name(p, hash, line, &w);
    if (rc == OM_OK)
        rc = find(p, &w);
    if (rc == OM_OK)
        rc = read_it(p, &w);
    om_text_free(&w.name);
    om_text_free(&w.path);
    return rc;
}

/* Processes "NAME=TEXT" as a line of a file. */
static int define(pml_preprocessor *p, const char *definition)
{
    static const char file[] = "-D";
    const om_place at = { file, 0, 0 };
    const char *equals = strchr(definition, '=');
    const size_t n = equals == NULL ? strlen(definition) : (size_t) (equals - definition);
    om_text line = { .heap = p->file->region.heap };
    if (strchr(definition, '\n') != NULL)
        return PML_FAIL(p->file, at, "a macro must be defined on one line: '%s'", definition);
    om_text_add(&line, "#define ");
    om_text_add_n(&line, definition, n);
    om_text_printf(&line, " %s\n", equals == NULL ? "1" : equals + 1);
    const char *kept =
        line.failed ? NULL : om_region_copy(&p->file->region, line.text, line.length);
    const size_t length = line.length;
    om_text_free(&line);
    return kept == NULL ? om_fail_memory(p->file->ctx) : pml_preprocess_text(p, file, kept, length);
}

int pml_define_given(pml_preprocessor *p)
{
    const om_sources *s = om_context_sources(p->file->ctx);
    int rc = OM_OK;
    for (size_t i = 0; i < s->definition_count && rc == OM_OK; i++)
        rc = define(p, s->definitions[i]);
    return rc;
}
